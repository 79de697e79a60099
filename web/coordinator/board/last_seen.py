"""The standing that a reader last saw of a study, in a signed cookie."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from collection.models import Study

# Anyone who comes back within this time is still looking: what is new is counted from before.
LOOK_SECONDS = 1800
REMEMBERED_SECONDS = 400 * 86400


@dataclass(frozen=True)
class LastLook:
    """What a reader saw: the standing before their news, and the last one shown."""

    base: int
    shown: int


def read(request: HttpRequest, study: Study) -> LastLook | None:
    """Read the reader's cookie; None at their first visit."""
    said = request.get_signed_cookie(_name(study), default="", salt=_salt(request)) or ""
    try:
        base, shown, seen = map(int, said.split("."))
    except ValueError:
        return None
    # A long while ago: all that came after it is new.
    return LastLook(shown if time.time() - seen > LOOK_SECONDS else base, shown)


def remember(
    request: HttpRequest, response: HttpResponse, study: Study, look: LastLook | None, shown: int
) -> None:
    """Set the cookie: this standing was shown."""
    base = look.base if look is not None else shown
    response.set_signed_cookie(
        _name(study),
        f"{base}.{shown}.{int(time.time())}",
        salt=_salt(request),
        max_age=REMEMBERED_SECONDS,
        path=reverse("history", args=[study.slug]),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )


def _name(study: Study) -> str:
    return f"looked-{study.pk}"


def _salt(request: HttpRequest) -> str:
    # Of this reader: who logs in after them on the same machine has a first look too.
    return f"history:{request.user.pk}"
