"""The head-to-head page: Bradley-Terry strengths of runs, and each one's chance against each other."""

from math import isnan

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis import head_to_head
from scoring.analysis.head_to_head import Duels
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.strength_lines import MATRIX, answer, judgments_met, strength_axis, strength_lines
from web.shared import measure_names, waiting_pages
from web.shared.access import for_viewers

# Strengths of runs with fewer judgments are folded: one judgment more may turn them.
ENOUGH = 10


@for_viewers
@require_safe
def strengths(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the cached strengths of runs that meet directly.

    If there are none, those of a small study are computed at once, others by a job while the page refreshes.
    """
    p = asked_persistence(request, study)
    told: dict[str, object] = {
        "study": study,
        "p": p,
        "cut": measure_names.LIKE_NDCG[p],
        "persistences": measure_names.LIKE_NDCG,
    }
    runs = head_to_head.runs_of(study)
    told["runs"] = len(runs)
    if len(runs) < 2:
        return render(request, "coordinator/duels.html", told)
    found = waiting_pages.result(head_to_head.STRENGTHS, study, p)
    if found is None:
        told["waiting"] = waiting_pages.waiting(head_to_head.STRENGTHS, study, p)
        return waiting_pages.looks_again(request, "coordinator/duels.html", told)
    named = dict(Run.objects.filter(pk__in=runs).values_list("pk", "name"))
    names = [named[run] for run in found.runs]
    lines = strength_lines(found, names)
    told |= {
        "found": found,
        "lines": lines,
        "few": int((found.strengths.records.sum(axis=1) < ENOUGH).sum()),
        "enough": ENOUGH,
        "axis": strength_axis(found.strengths),
        "columns": [line.name for line in lines[:MATRIX]],
        "answer": answer(found, names, study.words)
        if found.answers or study.case == Study.Case.ANSWERS
        else of_rankings(found, measure_names.LIKE_NDCG[p], study.words),
        "tie": f"{found.strengths.tie:.2f}",
        "one_more": None if isnan(chance := found.strengths.chance_at(1)) else 100 * chance,
        "file_query": f"p={p}",
    }
    return render(request, "coordinator/duels.html", told)


def of_rankings(found: Duels, cut: int, words: Words) -> tuple[str, str]:
    """Return in two texts what is counted for rankings; of these, no run is called the strongest."""
    met = judgments_met(found, words)
    said = f"{met} are between the first {cut} {words.items} of one {words.run} and those of another."
    return (
        f"These {words.runs} are rankings, not single answers: the leaderboard says which is best.",
        f"{said} Each counts once, shared among all pairs of {words.runs} that it is between.",
    )
