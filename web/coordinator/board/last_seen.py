"""The signed cookie that stores what a user last saw of a study's history."""

import time
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from collection.models import Study

# A request within this time belongs to the same visit: news is still counted from before the visit.
VISIT_SECONDS = 1800
REMEMBERED_SECONDS = 400 * 86400


@dataclass(frozen=True)
class LastVisit:
    """Numbers of two standings: the one after which everything is new to the user, and the last one shown."""

    base: int
    shown: int


def read(request: HttpRequest, study: Study) -> LastVisit | None:
    """Read what the user last saw from their cookie; None at their first visit."""
    said = request.get_signed_cookie(_name(study), default="", salt=_salt(request)) or ""
    try:
        base, shown, seen = map(int, said.split("."))
    except ValueError:
        return None
    # After a long pause, everything after the last shown standing is new.
    return LastVisit(shown if time.time() - seen > VISIT_SECONDS else base, shown)


def remember(
    request: HttpRequest, response: HttpResponse, study: Study, visit: LastVisit | None, shown: int
) -> None:
    """Set the cookie on the response: the standing with number `shown` was shown now."""
    base = visit.base if visit is not None else shown
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
    # The account is in the salt, so that another user on the same machine does not inherit the cookie.
    return f"history:{request.user.pk}"
