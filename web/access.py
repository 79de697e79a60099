"""Access to studies: members see a study's pages; for everybody else the pages do not exist."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import F, QuerySet, Value
from django.http import Http404, HttpRequest, HttpResponseBase

from collection import trail
from collection.models import Membership, Study

Door = Callable[..., HttpResponseBase]
ORGANIZER = Membership.Role.ORGANIZER
# Parts with which a study's own pages are seen. Assessors must not know how it goes.
SEEING = (ORGANIZER, Membership.Role.COORDINATOR)


def acting(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Door:
    """Middleware that names whoever is logged in as the one who acts, for the study's trail. No query."""

    def door(request: HttpRequest) -> HttpResponseBase:
        with trail.acting_as(request.user):
            return get_response(request)

    return door


def studies_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Study]:
    """The studies that a person may see, each with their `role` in it; superusers organize them all."""
    if not user.is_authenticated:
        return Study.objects.none()
    if getattr(user, "is_superuser", False):
        return Study.objects.annotate(role=Value(str(ORGANIZER)))
    return Study.objects.filter(members__user=user.pk, members__role__in=SEEING).annotate(
        role=F("members__role")
    )


def study_for(user: AbstractBaseUser | AnonymousUser, slug: str, organizer: bool = False) -> Study:
    """Return the study at an address, with the reader's `role` ("organizer" or "coordinator"). One query.

    Raises Http404 if there is no such study, and exactly so if the reader has no part in it; with
    `organizer`, PermissionDenied for a coordinator, who knows the study and is told why.
    """
    study = studies_of(user).filter(slug=slug).first()
    if study is None:
        raise Http404("No such study.")
    if organizer and not steers(study):
        raise PermissionDenied("This page is for the study's organizers.")
    return study


def steers(study: Study) -> bool:
    """Whether the reader for whom `study_for` fetched this study is its organizer."""
    return getattr(study, "role", None) == ORGANIZER


def for_members(view: Door) -> Door:
    """Make `view(request, study, ...)` a page for the members of the study named in its address."""
    return _guarded(view, organizer=False)


def for_organizers(view: Door) -> Door:
    """Make `view(request, study, ...)` a page for the organizers of the study named in its address."""
    return _guarded(view, organizer=True)


def _guarded(view: Door, *, organizer: bool) -> Door:
    @login_required
    @wraps(view)
    def door(request: HttpRequest, slug: str, **rest: Any) -> HttpResponseBase:
        return view(request, study_for(request.user, slug, organizer), **rest)

    return door
