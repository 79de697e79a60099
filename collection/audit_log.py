"""The trail of a study: who steered it, how and when, in rows that are only ever added.

Services note what they did, in the transaction in which they do it, so that no door can forget to. Who acts
is known from the door: the middleware `web.shared.access.acting` names the account that is logged in. Where
nobody is named it is the command line, with the name that the operating system has for the user.
"""

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.utils import timezone

from collection.models import Action

Somebody = AbstractBaseUser | AnonymousUser | None
What = Action.What

# The actor where nobody chose an action, but a rule of the study did.
RULE = "rule of the study"
_acting: ContextVar[Somebody] = ContextVar("acting", default=None)


@contextmanager
def acting_as(somebody: Somebody) -> Iterator[None]:
    """Context manager: name the acting account; None for the command line."""
    token = _acting.set(somebody)
    try:
        yield
    finally:
        _acting.reset(token)


def account_id() -> int | None:
    """Id of the acting account; None for the command line and for anonymous users."""
    somebody = _acting.get()
    return somebody.pk if somebody is not None and somebody.is_authenticated else None


def note(
    study_id: int,
    what: What,
    *,
    about: str = "",
    before: dict[str, Any] | None = None,
    after: dict[str, Any] | None = None,
    by_rule: bool = False,
) -> None:
    """Add an action to a study's audit log; call in its transaction. by_rule: nobody chose it."""
    Action.objects.create(
        study_id=study_id,
        what=what,
        by_id=None if by_rule else account_id(),
        actor=RULE if by_rule else actor(),
        about=about[:200],
        before=before,
        after=after,
    )


def note_once(study_id: int, what: What, *, within: timedelta) -> None:
    """Add an action unless the same person did the same recently; for pages that act at each view."""
    since = timezone.now() - within
    recent = Action.objects.filter(study=study_id, what=what, by=account_id(), created_at__gt=since)
    if not recent.exists():
        note(study_id, what)


def actor() -> str:
    """Name of the acting account, or of the command line."""
    somebody = _acting.get()
    if somebody is not None:
        return somebody.get_username() or "somebody who is not logged in"
    try:
        return f"command line ({getpass.getuser()})"[:200]
    except (KeyError, OSError):  # a container may run under a number without a name
        return "command line"
