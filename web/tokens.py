"""Signed tokens: what an assessor's page carries instead of a cookie.

A panel may show our pages inside its own, where browsers send no cookies. The assignment's token
travels in a hidden field of the form, never in an address.
"""

from django.core import signing

ASSIGNMENT_SALT = "faceoff.assignment"
IMAGE_SALT = "faceoff.image"


class BadToken(Exception):
    """The token was not made by this server, or not for this purpose."""


def sign_assignment(assignment_id: int) -> str:
    """A token that lets its holder answer one assignment."""
    return signing.Signer(salt=ASSIGNMENT_SALT).sign(str(assignment_id))


def read_assignment(token: str) -> int:
    """The assignment of a token. Raises BadToken."""
    return _read(token, ASSIGNMENT_SALT)


def sign_image(item_id: int) -> str:
    """A token that lets its holder see one item's picture."""
    return signing.Signer(salt=IMAGE_SALT).sign(str(item_id))


def read_image(token: str) -> int:
    """The item of a token. Raises BadToken."""
    return _read(token, IMAGE_SALT)


def _read(token: str, salt: str) -> int:
    try:
        return int(signing.Signer(salt=salt).unsign(token))
    except (signing.BadSignature, ValueError) as error:
        raise BadToken("This page has a token that is not valid here.") from error
