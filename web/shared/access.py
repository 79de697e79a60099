"""Access to studies: members see a study's pages; everybody else gets 404."""

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import wraps
from typing import Any

from django.contrib.auth import get_user_model
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.core.exceptions import PermissionDenied
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Value
from django.http import Http404, HttpRequest, HttpResponseBase

from collection import audit_log
from collection.models import Membership, Run, Study
from judging.models import Task

Door = Callable[..., HttpResponseBase]
ORGANIZER = Membership.Role.ORGANIZER
COORDINATOR = Membership.Role.COORDINATOR
VIEWER = Membership.Role.VIEWER
PARTICIPANT = Membership.Role.PARTICIPANT


class May(StrEnum):
    """What somebody may do in a study; pages, files and programs ask for one of these.

    RESULTS: see the leaderboard, topics' scores, comparisons and progress; these name nobody.
    WATCH: besides, the checklist and the judgments as files. STEER: everything else. OWN: see one's own runs
    beside the median. RUN: see the page of a run, without RESULTS of one's own.
    """

    OWN = "own"
    RUN = "run"
    RESULTS = "results"
    WATCH = "watch"
    STEER = "steer"


# Assessors must not know how a study goes: their desk asks nothing here.
PARTS: Mapping[str, frozenset[May]] = {
    ORGANIZER: frozenset({May.RUN, May.RESULTS, May.WATCH, May.STEER}),
    COORDINATOR: frozenset({May.RUN, May.RESULTS, May.WATCH}),
    VIEWER: frozenset({May.RUN, May.RESULTS}),
    PARTICIPANT: frozenset({May.RUN, May.OWN}),
}
# Parts with which the leaderboard is seen, and so followed.
SEEING = tuple(part for part, allowed in PARTS.items() if May.RESULTS in allowed)
REFUSALS = {
    May.OWN: "This page is for participants of the study.",
    May.RUN: "This page is not for assessors.",
    May.RESULTS: "This page is not for participants: they see their own runs.",
    May.WATCH: "This page is for the study's organizers and coordinators.",
    May.STEER: "This page is for the study's organizers.",
}


class NotForRole(PermissionDenied):
    """What the reader's role in a study does not include; `study` as `study_for` fetched it."""

    def __init__(self, what: May, study: Study) -> None:
        super().__init__(REFUSALS[what])
        self.study = study


def acting(get_response: Callable[[HttpRequest], HttpResponseBase]) -> Door:
    """Middleware that records the logged-in user as the actor in the study's audit log."""

    def door(request: HttpRequest) -> HttpResponseBase:
        with audit_log.acting_as(request.user):
            return get_response(request)

    return door


def studies_of(user: AbstractBaseUser | AnonymousUser) -> QuerySet[Study]:
    """The studies whose results or setup a person may see, each with their `role`; superusers organize all.

    Studies that they only judge, and studies being deleted, are left out.
    """
    if not user.is_authenticated:
        return Study.objects.none()
    if getattr(user, "is_superuser", False):
        return Study.objects.filter(deleting_since=None).annotate(role=Value(str(ORGANIZER)))
    theirs = Study.objects.filter(members__user=user.pk, members__role__in=list(PARTS), deleting_since=None)
    return theirs.annotate(role=F("members__role"))


def may(user: AbstractBaseUser | AnonymousUser, study: Study, what: May) -> bool:
    """Tell whether a person may do something in a study."""
    role = getattr(study, "role", None)
    if role is None:
        role = getattr(studies_of(user).filter(pk=study.pk).first(), "role", None)
    return what in PARTS.get(role or "", ())


def follows(study_id: int, user_id: int) -> bool:
    """Tell whether a person may (still) follow a study's leaderboard."""
    here = Membership.objects.filter(study=study_id, role__in=SEEING).values("user")
    person = get_user_model().objects.filter(pk=user_id, is_active=True)
    return person.filter(Q(is_superuser=True) | Q(pk__in=here)).exists()


def following(followers: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
    """Those of some followers, as (study, person), for whom `follows` is true."""
    people = {user_id for _, user_id in followers}
    seeing = Membership.objects.filter(user__in=people, role__in=SEEING, user__is_active=True)
    members = set(seeing.values_list("study_id", "user_id"))
    superusers = get_user_model().objects.filter(pk__in=people, is_active=True, is_superuser=True)
    everywhere = set(superusers.values_list("pk", flat=True))
    return {pair for pair in followers if pair in members or pair[1] in everywhere}


def study_for(
    user: AbstractBaseUser | AnonymousUser, slug: str, organizer: bool = False, *, what: May = May.WATCH
) -> Study:
    """Return the study at an address, with the reader's `role`, one of PARTS.

    Raises Http404 if there is no such study, and exactly so if the reader has no part in it or only judges;
    NotForRole, a PermissionDenied, if they may not do `what` there (`organizer`: steer it), since they know
    the study and are told why.
    """
    # Known without a further statement by all that depends on it, as the navigation does.
    grades = Task.objects.filter(study=OuterRef("pk"), kind="grade")
    own = studies_of(user).filter(slug=slug)
    study = own.annotate(asks_grades=Exists(grades)).first()
    if study is None:
        raise Http404("No such study.")
    what = May.STEER if organizer else what
    if not may(user, study, what):
        raise NotForRole(what, study)
    return study


def steers(study: Study) -> bool:
    """Whether the reader for whom `study_for` fetched this study is its organizer."""
    return getattr(study, "role", None) == ORGANIZER


def for_members(view: Door) -> Door:
    """Decorator: a page for the organizers and coordinators of the study in its address."""
    return _guarded(view, May.WATCH)


def for_viewers(view: Door) -> Door:
    """Decorator: a page for everybody who may see a study's results.

    It must not name assessors, show single judgments, or change anything.
    """
    return _guarded(view, May.RESULTS)


def for_run_readers(view: Door) -> Door:
    """Decorator: a page about the run `pk`, for those who see results, and for participants if it is theirs.

    Gives the view `own`: None, or the ids of a participant's runs; nothing of other runs may be named then.
    """

    @wraps(view)
    def of_run(request: HttpRequest, study: Study, pk: int) -> HttpResponseBase:
        own = None
        if not may(request.user, study, May.RESULTS):
            theirs = Run.objects.filter(study=study, participants__user=request.user.pk)
            own = list(theirs.order_by("name").values_list("pk", flat=True))
            # Whether there is such a run or not.
            if pk not in own:
                raise NotForRole(May.RESULTS, study)
        return view(request, study, pk, own)

    return _guarded(of_run, May.RUN)


def for_participants(view: Door) -> Door:
    """Decorator: a page for participants, who see only their own runs."""
    return _guarded(view, May.OWN)


def for_organizers(view: Door) -> Door:
    """Decorator: a page for the organizers of the study in its address."""
    return _guarded(view, May.STEER)


def _guarded(view: Door, what: May) -> Door:
    @login_required
    @wraps(view)
    def door(request: HttpRequest, slug: str, **rest: Any) -> HttpResponseBase:
        return view(request, study_for(request.user, slug, what=what), **rest)

    return door
