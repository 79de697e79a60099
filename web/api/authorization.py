"""Doors of the API: the token, its limits and the study are checked before the request is read.

Nothing but the token says who somebody is: no cookie or session is looked at, so that no other site can make
a browser ask in its owner's name, and no answer allows other sites to read it.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from django.conf import settings
from django.http import Http404, HttpRequest
from django.utils import translation
from ninja import Path
from ninja.security import HttpBearer

from collection import audit_log
from collection.credentials import api_tokens
from collection.models import ApiToken, Membership, Study
from web.api.problems import ApiRefusal
from web.shared import throttles
from web.shared.access import study_for
from web.shared.throttles import Limit

Scope = ApiToken.Scope
# Wrong tokens from one address: the same one, and any. Nobody guesses one, but each guess costs a query. The
# second is far from the first: a job that goes on with a dead token must not lock out others of its network.
WRONG, WRONG_ANY = Limit("api-wrong", 30, 60), Limit("api-wrong-any", 600, 60)
# Parts with which the API shows how a study goes. Any other, anyone who may see its pages, finds nothing
# here.
READING = (Membership.Role.ORGANIZER, Membership.Role.COORDINATOR)
# No id has 19 digits: what is larger fits into no column.
MOST_ID = 10**18

Slug = Annotated[
    str, Path(pattern="^[-a-zA-Z0-9_]+$", max_length=60, description="the study, as its address has it")
]
Id = Annotated[int, Path(ge=1, lt=MOST_ID)]


class Token(HttpBearer):
    """A personal token of one scope, as `Authorization: Bearer faceoff_...`."""

    def __init__(self, scope: Scope) -> None:
        super().__init__()
        self.scope = scope

    def authenticate(self, request: HttpRequest, token: str) -> ApiToken | None:
        """The token of a request; None if it is invalid. Raises Refused if throttled or without the scope."""
        address = throttles.address_of(request)
        if throttles.used_up(WRONG, address, token):
            raise _too_often(WRONG)
        found = api_tokens.recognized(token)
        if found is None:
            throttles.count(WRONG, address, token)
            # Those that work are let through, however many from the same address do not: none can be guessed.
            if not throttles.count(WRONG_ANY, address):
                raise _too_often(WRONG_ANY)
            return None
        limit = Limit("api", settings.API_REQUESTS_A_MINUTE, 60)
        # By account: anyone who makes more tokens gets no more.
        if not throttles.count(limit, found.account_id):
            raise _too_often(limit)
        if self.scope not in found.scopes:
            raise ApiRefusal(403, "scope", f"This token is not for that: it lacks the scope {self.scope}.")
        return found


def _too_often(limit: Limit) -> ApiRefusal:
    left = limit.seconds - int(time.time()) % limit.seconds
    said = f"At most {limit.most} such requests in {limit.seconds} seconds. Wait {left}."
    return ApiRefusal(429, "too-often", said, {"Retry-After": str(left)})


def acting(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator: a route acts as its token's owner, also in the audit log, speaks English, and checks its
    parameters.
    """

    @wraps(view)
    def door(request: HttpRequest, *args: Any, **parts: Any) -> Any:
        if unknown := sorted(request.GET.keys() - parts.keys()):
            # Ignored, one that is spelled wrong would give the answer to another question.
            raise ApiRefusal(422, "invalid", f"There is no parameter {unknown[0]!r} here.")
        with audit_log.acting_as(owner(request)), translation.override("en"):
            return view(request, *args, **parts)

    return door


def owner(request: HttpRequest) -> Any:
    """The account of a request's token."""
    return request.auth.account  # type: ignore[attr-defined]


def study_of(request: HttpRequest, slug: str, *, organizer: bool = False) -> Study:
    """The study of a request, if the token's owner may see it. Raises Http404, PermissionDenied."""
    study = study_for(owner(request), slug, organizer)
    if getattr(study, "role", None) not in READING:
        raise Http404("No such study.")
    return study
