"""Encryption and keyed hashes of panels' ids of people.

The keys are the setting PANEL_ID_KEYS. The first encrypts and every one decrypts, so that a new one can be
put in front and `manage.py rotateids` encrypts everything anew. The hashes are keyed by the last, which
therefore stays the last for good: with another nobody would be known again, nor be kept out.
"""

import base64
import hashlib
import hmac
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings


class WrongKey(Exception):
    """No key decrypts the text: a key is missing, or the text was altered."""


def _derived(key: str, purpose: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{key}".encode()).digest()


@lru_cache(maxsize=4)
def _ciphers(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(base64.urlsafe_b64encode(_derived(key, "panel ids"))) for key in keys])


def _now() -> MultiFernet:
    return _ciphers(tuple(settings.PANEL_ID_KEYS))


def seal(text: str) -> bytes:
    """Encrypt a text."""
    return _now().encrypt(text.encode())


def unseal(sealed: bytes) -> str:
    """Decrypt what `seal` made. Raises WrongKey where no key opens it."""
    try:
        return _now().decrypt(sealed).decode()
    except InvalidToken as error:
        raise WrongKey(
            "An id of a panel opens with none of the keys in PANEL_ID_KEYS (or the file panel-id-key beside "
            "the data): put back the key with which it was encrypted."
        ) from error


def sealed_anew(sealed: bytes) -> bytes:
    """Encrypt the result of `seal` again with the first key. Raises WrongKey."""
    return seal(unseal(sealed))


def digest(*parts: str) -> str:
    """Keyed hash of some texts; only the holder of the last key can compute it."""
    key = _derived(settings.PANEL_ID_KEYS[-1], "panel digests")
    return hmac.new(key, "\0".join(parts).encode(), hashlib.sha256).hexdigest()
