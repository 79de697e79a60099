"""Signed tokens: an assessor's page and a live leaderboard carry them instead of a cookie.

A panel may show our pages inside its own, where browsers send no cookies. The assignment's token
travels in a hidden field of the form, never in an address. Anyone who follows a leaderboard is known by
a token of short life, so that asking what is new costs no query.
"""

import time
from typing import NamedTuple

from django.core import signing

ASSIGNMENT_SALT = "faceoff.assignment"
IMAGE_SALT = "faceoff.image"
SHOWN_SALT = "faceoff.shown"
TRIAL_SALT = "faceoff.trial"
PAST_SALT = "faceoff.past"
CELL_SALT = "faceoff.cell"
WATCH_SALT = "faceoff.watch"
TOPICS_SALT = "faceoff.watch.topics"


class BadToken(Exception):
    """The token is forged, expired, or for another purpose."""


def sign_assignment(assignment_id: int, visit: int = 0) -> str:
    """Token that allows answers to one assignment, until its page is opened again (`Assignment.visit`)."""
    named = f"{assignment_id}_{visit}" if visit else str(assignment_id)
    return signing.Signer(salt=ASSIGNMENT_SALT).sign(named)


def read_assignment(token: str) -> int:
    """The assignment of a token. Raises BadToken."""
    return read_visit(token)[0]


def read_visit(token: str) -> tuple[int, int]:
    """The assignment of a token, and its visit. Raises BadToken."""
    visited = "_" in token.partition(":")[0]
    assignment, *visit = _parts(token, ASSIGNMENT_SALT, 2 if visited else 1)
    return assignment, visit[0] if visit else 0


def sign_trial(address: str) -> str:
    """Sign a token for a trial, in which no answers are stored; it holds the URL to continue at."""
    return signing.Signer(salt=TRIAL_SALT).sign(address)


def is_trial(token: str) -> bool:
    """Tell whether a token is of a trial, valid or not: an assignment's starts with a number."""
    return token.startswith("/")


def read_trial(token: str) -> str:
    """The address of a trial's token. Raises BadToken."""
    try:
        return signing.Signer(salt=TRIAL_SALT).unsign(token)
    except signing.BadSignature as error:
        raise BadToken("The token was not made by this server.") from error


def sign_image(item_id: int) -> str:
    """Token for a study's members to see an item's picture, valid for one to two weeks.

    It names the item, so it is not for assessors. It stays the same all week, so that browsers can cache the
    picture.
    """
    return signing.Signer(salt=IMAGE_SALT).sign(f"{item_id}_{_week()}")


def read_image(token: str) -> int:
    """The item of a token. Raises BadToken, also after its time."""
    item, week = _parts(token, IMAGE_SALT, 2)
    if not 0 <= _week() - week <= 1:
        raise BadToken("The time of this address is over.")
    return item


def sign_shown(assignment_id: int, position: int, place: int) -> str:
    """Token for an assessor to see the picture at a place of a question, while their batch is open.

    It does not name the item: otherwise readers of the page's source could recognize items by their keys.
    """
    return signing.Signer(salt=SHOWN_SALT).sign(f"{assignment_id}_{position}_{place}")


def read_shown(token: str) -> tuple[int, int, int]:
    """The assignment, the position and the place of a token. Raises BadToken."""
    assignment, position, place = _parts(token, SHOWN_SALT, 3)
    return assignment, position, place


def sign_cell(assignment_id: int, position: int, place: int, cell: int) -> str:
    """Token for the picture in a cell of a result page; as `sign_shown`."""
    return signing.Signer(salt=CELL_SALT).sign(f"{assignment_id}_{position}_{place}_{cell}")


def read_cell(token: str) -> tuple[int, int, int, int]:
    """The assignment, the position, the place of the page and the cell of a token. Raises BadToken."""
    assignment, position, place, cell = _parts(token, CELL_SALT, 4)
    return assignment, position, place, cell


def sign_past(assignment_id: int, position: int, place: int) -> str:
    """Token for an assessor to see a picture again that they judged, valid for one to two weeks."""
    # By the number of its parts it is told from the others.
    return signing.Signer(salt=PAST_SALT).sign(f"{assignment_id}_{position}_{place}_{_week()}_0")


def read_past(token: str) -> tuple[int, int, int]:
    """The assignment, the position and the place of a token. Raises BadToken, also after its time."""
    assignment, position, place, week, _ = _parts(token, PAST_SALT, 5)
    if not 0 <= _week() - week <= 1:
        raise BadToken("The time of this address is over.")
    return assignment, position, place


def board_channel(study_id: int, view: str) -> str:
    """Channel for changes of a leaderboard; view: as `WatchToken` has it."""
    return f"board:{study_id}:{view}"


def left_channel(study_id: int, user_id: int) -> str:
    """Channel for the news that a person has left a study; also their key in the cache."""
    return f"left:{study_id}:{user_id}"


class WatchToken(NamedTuple):
    """Who follows which study's leaderboard, which view of it, and until when (seconds, Unix time).

    view: a name without "_" (`watching.View`).
    """

    study_id: int
    user_id: int
    view: str
    until: int


def sign_watch(study_id: int, user_id: int, view: str, seconds: float) -> str:
    """Token to follow a view of a leaderboard for so many seconds."""
    return _sign_watch(WATCH_SALT, study_id, user_id, view, seconds)


def sign_topics_watch(study_id: int, user_id: int, seconds: float) -> str:
    """Token to follow a study's page of topics for so many seconds."""
    return _sign_watch(TOPICS_SALT, study_id, user_id, "", seconds)


def _sign_watch(salt: str, study_id: int, user_id: int, view: str, seconds: float) -> str:
    until = int(time.time() + seconds)
    return signing.Signer(salt=salt).sign(f"{study_id}_{user_id}_{view}_{until}")


def read_watch(token: str) -> WatchToken:
    """What a token allows to follow. Raises BadToken, also after its time."""
    return _read_watch(token, WATCH_SALT)


def read_topics_watch(token: str) -> WatchToken:
    """What a token of a page of topics allows to follow (view is ""). Raises BadToken as `read_watch`."""
    return _read_watch(token, TOPICS_SALT)


def _read_watch(token: str, salt: str) -> WatchToken:
    try:
        study, user, view, until = signing.Signer(salt=salt).unsign(token).split("_")
    except (signing.BadSignature, ValueError) as error:
        raise BadToken("This address is not one of ours.") from error
    watch = WatchToken(int(study), int(user), view, int(until))
    if watch.until <= time.time():
        raise BadToken("The time of this address is over.")
    return watch


def _week() -> int:
    return int(time.time() // (7 * 24 * 3600))


def _parts(token: str, salt: str, number: int) -> list[int]:
    try:
        parts = [int(part) for part in signing.Signer(salt=salt).unsign(token).split("_")]
    except (signing.BadSignature, ValueError) as error:
        raise BadToken("This page has a token that is not valid here.") from error
    if len(parts) != number:
        raise BadToken("This page has a token that is not valid here.")
    return parts
