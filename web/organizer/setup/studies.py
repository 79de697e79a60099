"""Pages: the list of studies, a study's checklist, and closing and reopening judging."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.cache import cache
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection.models import Deletion, Membership, Study
from collection.study import lifecycle
from judging.batches import declines, limits
from judging.models import Judgment
from judging.questions.asking import task_of
from judging.verdicts import decisions
from panels import account
from scoring.models import Standing
from web.live import live_topics, outcome
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import StopForm
from web.organizer.setup.checklist import checklist
from web.shared import stage, waiting_pages
from web.shared.access import for_members, for_organizers, steers, studies_of
from web.shared.phrases import count, natural, searched
from web.shared.presence import named
from web.shared.template_tags import pulse_key
from web.shared.view_choices import choice_of

Role = Membership.Role
# A longer list of studies gets a search field.
FEW = 7
# The first group, in which something keeps judging from going on.
NEEDS = "Needs you"
# States with their groups, as the list is narrowed to one; the last is folded, as nobody is asked there.
STATES = {"open": "Open", "draft": "Drafts", "closed": "Closed or loaded"}
CLOSED = STATES["closed"]
# How judging is stopped: the button, and what people read then.
STOPS = {
    "pause": (
        "Pause judging",
        "Paused: people read “This study is paused. Come back to this address later.” Nothing is "
        "settled, and judging goes on where it was.",
    ),
    "end": (
        "End judging",
        "Ended: people read “This study is over. Nothing more is needed.” Scores stay, a release "
        "can be taken, and what is owed to people is paid as before.",
    ),
}
# Orders of the list: by state in groups, or without groups.
SORTS = {"state": "State", "last": "Last activity", "name": "Name"}


@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies that the user is a member of: those that need them, open ones, drafts, and
    closed ones, in each group those first where something happened last; or as `?sort` and `?state` say.

    What needs somebody is known by its pulse; the page moves those whose pulse comes later. A study with
    judgments leads to its leaderboard, any other to its checklist.
    A user who only judges is redirected to their desk. `?archive` lists the archived studies instead. Five
    queries with those of the login.
    """
    wanted, archive = searched(request), "archive" in request.GET
    answers = Judgment.objects.filter(assignment__assessor__study=OuterRef("pk"))
    last = Standing.objects.filter(study=OuterRef("pk")).order_by("-number").values("created_at")[:1]
    known = studies_of(request.user).annotate(scored=Exists(answers), scored_at=Subquery(last))
    every: list[Any] = list(known.order_by("-pk"))
    for study in every:
        study.active_at = _last_activity(study)
    every.sort(key=lambda study: study.active_at, reverse=True)
    judged = account.judges(request.user)
    if judged and not every and not request.user.is_staff:
        return redirect("desk")
    listed = [study for study in every if bool(study.archived_at) == archive]
    state = choice_of(request.GET, "state", STATES)
    sort = choice_of(request.GET, "sort", SORTS, "last" if archive else "state")
    found = [study for study in listed if _matches(study, wanted) and state in ("", _state(study))]
    if sort == "name":
        found.sort(key=lambda study: natural(study.name.casefold()))
    pulses = cache.get_many([pulse_key(study) for study in found])
    named_so = Counter(study.name for study in every)
    for study in found:
        study.is_namesake = named_so[study.name] > 1
        study.has_pulse = not study.archived_at and study.role in (Role.ORGANIZER, Role.COORDINATOR)
        study.pulse = pulses.get(pulse_key(study), (0, None))[1]
    groups = _grouped(found) if sort == "state" and not archive else {"": found}
    others = any(own for title, own in groups.items() if title != CLOSED)
    sorts = {key: title for key, title in SORTS.items() if key != "state" or not archive}
    context = {
        "studies": found,
        "leads_all": all(study.role == Role.ORGANIZER for study in found),
        "groups": groups,
        "longest": max(map(len, groups.values())),
        "needs": NEEDS,
        "folded": CLOSED if others and not wanted and not state else None,
        "judged": judged,
        "q": wanted,
        "state": state,
        "narrowed": bool(wanted or state),
        "states": {} if archive else STATES,
        "sort": sort,
        "sorts": sorts,
        "archive": archive,
        "archived": sum(1 for study in every if study.archived_at),
        "every": len(every),
        "searchable": bool(wanted or state) or len(listed) > FEW,
        "deleting": list(_being_deleted(request)),
    }
    return render(request, "organizer/studies.html", context)


def _last_activity(study: Any) -> datetime:
    """Return when its judgments were last scored or it was opened, else made. study: with `scored_at`."""
    scored_at = study.scored_at if study.scored else None
    at: datetime = max(filter(None, (scored_at, study.opened_at)), default=study.created_at)
    return at


def _state(study: Any) -> str:
    """Return the state of a study with `scored`, a key of STATES."""
    if study.judging_is_open:
        return "open"
    return "draft" if not study.scored and study.opened_at is None else "closed"


def _grouped(studies: Sequence[Any]) -> dict[str, list[Any]]:
    """Return studies in groups by their titles; of the empty ones only the first. Each keeps its order."""
    groups: dict[str, list[Any]] = {NEEDS: []} | {title: [] for title in STATES.values()}
    for study in studies:
        needs = study.pulse and study.pulse.state in ("look", "done") and steers(study)
        groups[NEEDS if needs else STATES[_state(study)]].append(study)
    return {title: own for title, own in groups.items() if own or title == NEEDS}


def _matches(study: Study, wanted: str) -> bool:
    """Return True if every word of the search is in the study's name, slug or kind."""
    text = f"{study.name} {study.slug} {study.get_kind_display()}".casefold()
    return all(word in text for word in wanted.casefold().split())


def _being_deleted(request: HttpRequest) -> QuerySet[Deletion]:
    """Return the studies that this user deleted and whose rows are still being removed."""
    return Deletion.objects.filter(by=request.user.pk, finished_at=None).order_by("pk")


@for_members
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the checklist of a study: organizers can act on it, coordinators only read it.

    The page refreshes by itself while questions are being made.
    """
    listed = checklist(study)
    finished = listed.stage.name == stage.FINISHED
    told = {
        "study": study,
        "list": listed,
        "steers": steers(study),
        "finished": finished,
        "undecided": finished and outcome.is_open(study),
        "task": task_of(study),
        "declined": declines.questions(study.pk),
        "used": limits.used(study),
    }
    if listed.stage.name == stage.MAKING:
        return waiting_pages.looks_again(request, "organizer/study.html", told)
    return render(request, "organizer/study.html", told)


@for_organizers
def close(request: HttpRequest, study: Study) -> HttpResponse:
    """Show who is in the middle of a batch; on POST pause or end judging, and close open batches if asked.

    GET `how=end`: ending is offered first.
    """
    form = StopForm(request.POST or None)
    finished = stage.stage_of(study).name == stage.FINISHED
    ends = bool(study.paused) or finished or request.GET.get("how") == "end"
    offered = ("end",) if study.paused else ("end", "pause") if ends else ("pause", "end")
    how = request.POST.get("how", "")
    if not form.is_valid() or how not in offered:
        present = named(study, labels=True)
        open_ones = " Open batches can be finished in their time, and count." if present else ""
        if not present:
            del form.fields["batches"]
        asked = Confirmation(
            heading="End judging" if ends else "Pause or end judging",
            says=(
                f"Nobody gets a new batch.{open_ones} You can open judging again at any time.",
                *(STOPS[key][1] for key in offered),
            ),
            back=("Checklist", reverse("study", args=[study.slug])),
            button="",
            hows=[(key, STOPS[key][0]) for key in offered],
            about="organizer/_who_is_there.html",
        )
        return confirm(request, study, asked, form, present=present)
    if how == "pause":
        lifecycle.pause(study.pk)
    else:
        lifecycle.close(study.pk)
    live_topics.note(study.pk)
    done = "paused" if how == "pause" else "over"
    if form.cleaned_data["batches"]:
        closed = decisions.close_open(study.pk, by=request.user)
        messages.success(request, f"Judging is {done}, and {count(closed, 'open batch')} closed.")
    else:
        messages.success(request, f"Judging is {done}. Batches that were begun may still be finished.")
    return redirect("study", study.slug)


@for_organizers
@require_POST
def reopen(request: HttpRequest, study: Study) -> HttpResponse:
    """Reopen judging, so that batches are handed out again."""
    try:
        lifecycle.reopen(study.pk)
    except lifecycle.CannotSteer as error:
        messages.error(request, str(error))
        return redirect("study-settings", study.slug)
    live_topics.note(study.pk)
    messages.success(request, "Judging is open again.")
    return redirect("study", study.slug)
