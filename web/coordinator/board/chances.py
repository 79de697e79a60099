"""The part of a leaderboard of models with Bradley-Terry strengths, and chances against each other."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.cached_results import Computed
from collection.models import Run, Study
from scoring.analysis import head_to_head
from scoring.analysis.head_to_head import Duels
from scoring.board import standings
from scoring.board.leaderboard import board_of
from web.coordinator.significance_sentences import verdict_and_strengths
from web.coordinator.strength_lines import MATRIX, answer, is_surely_best, strength_axis, strength_lines
from web.shared import waiting_pages
from web.shared.access import for_viewers

# While judgments arrive, strengths are computed at most so often, in seconds.
REST = 10


@for_viewers
@require_safe
def chances(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the part of the leaderboard with strengths and chances; 304 if it has not changed."""
    return waiting_pages.changed_part(
        request,
        "coordinator/_chances.html",
        chances_told(study),
        of=reverse("leaderboard", args=[study.slug]),
    )


def latest_duels(study: Study) -> tuple[Computed[Duels] | None, bool]:
    """Return the strengths as they were computed last, None before, and whether judgments came since."""
    return waiting_pages.latest_result(head_to_head.STRENGTHS, study, study.persistence, rest=REST)


def _differs(study: Study, found: Duels) -> bool:
    """Return True if the strengths name another best model than the ranks above them, or only one of the two
    is sure of it.
    """
    standing = standings.latest(study)
    if standing is None or len(found.strengths.tops) != 1 or len(found.strengths.tops[0]) != 1:
        return True
    board = board_of(standing, study.persistence)
    best = found.strengths.tops[0][0]
    first = board.rows[0].run_id if board.rows else None
    return first != found.runs[best] or board.leader_is_sure != is_surely_best(found.strengths, best)


def chances_told(study: Study) -> dict[str, Any]:
    """Return the context of `_chances.html`: the strengths as they were computed last, if they were."""
    computed, newer = latest_duels(study)
    waiting = waiting_pages.waiting(head_to_head.STRENGTHS, study, study.persistence)
    if computed is None:
        return {"study": study, "found": None, "waiting": waiting}
    found = computed.value
    named = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    if len(named) < len(found.runs):  # some were replaced since
        return {"study": study, "found": None, "waiting": waiting}
    names = [named[run] for run in found.runs]
    lines = strength_lines(found, names)
    return {
        "study": study,
        "found": found,
        "newer": newer,
        "met": bool(found.strengths.tops),
        "lines": lines,
        "axis": strength_axis(found.strengths),
        "columns": [line.name for line in lines[:MATRIX]],
        "answer": answer(found, names, study.words),
        "why": verdict_and_strengths(len(names), study.words),
        "differs": _differs(study, found),
        "tie": f"{found.strengths.tie:.2f}",
    }
