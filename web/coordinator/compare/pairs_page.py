"""All pairs of the best runs: differences of means, and which are significant."""

from collections.abc import Mapping, Sequence
from itertools import combinations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring.analysis import all_pairs
from scoring.analysis.all_pairs import AllPairs
from scoring.board import leaderboard
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.chosen_group import group_query, groups_told
from web.coordinator.compare.comparison_pages import file_query
from web.coordinator.significance_sentences import tests_of_ranks
from web.shared import measure_names
from web.shared.access import for_viewers
from web.shared.phrases import signed
from web.shared.rail import pinned
from web.shared.view_choices import measure_of, whole_of

# Columns of the matrix of pairs; nobody reads more.
MATRIX = 60
# Steps of colour of a difference, in each direction.
STEPS = 4


def _cells(found: AllPairs, run: int, others: Sequence[int], address: str, widest: float) -> SafeString:
    """Render a run's cells in the matrix: each difference, row less column, linked to the page of both runs.

    Not by a template, which would be slow for 3,600 cells. address: URL of the page of two runs, to which
    both ids are appended. widest: the largest difference, which has the strongest colour.
    """
    cells = []
    for other in others:
        gap = found.difference(run, other)
        if gap is None:
            what = "same" if run == other else ""
            cells.append(f'<td class="{what}"><span class="number">–</span></td>')
            continue
        there = f'href="{escape(f"{address}&a={run}&b={other}")}"'
        sure = found.sure(run, other)
        apart = '<span class="sure">, told apart</span>'
        said = f"<strong>{signed(gap)}</strong>{apart}" if sure else signed(gap)
        cells.append(
            f'<td class="{_colours(gap, widest)}{"" if sure else " unsure"}">'
            f'<a {there}><span class="number">{said}</span></a></td>'
        )
    return mark_safe("".join(cells))  # noqa: S308 - numbers, and an address that is escaped


def _possible(found: AllPairs, run: int) -> float | None:
    """Return how much of the best possible mean a run has, in per cent; None where that is 1 or unknown."""
    mean, most = found.means[run], found.ceilings[run]
    if mean is None or not most or not leaderboard.shows_ceiling(most):
        return None
    return 100 * mean / most


def _leads(found: AllPairs, named: Mapping[int, Run], study: Study) -> str:
    """Return in a sentence from how many others the run with the highest mean is told apart."""
    words, first = study.words, found.runs[0]
    told, others = found.told_from(first), len(found.runs) - 1
    if others < 2:
        return ""
    name = named[first].name
    if not told:
        return f"{name} has the highest mean, but is told apart from no other {words.run}."
    which = "all" if told == others else f"{told:,} of the"
    return f"{name} has the highest mean and is told apart from {which} {others:,} others."


def _colours(gap: float, widest: float) -> str:
    """Return the classes of a difference: its direction, and one of four steps by its size."""
    if not gap or not widest:
        return "same"
    step = min(STEPS, 1 + int(STEPS * abs(gap) / (widest * (1 + 1e-9))))
    return f"{'up' if gap > 0 else 'down'} s{step}"


@for_viewers
@require_safe
def pairs(request: HttpRequest, study: Study) -> HttpResponse:
    """Show all pairs of the best runs, 60 at most: differences of means, and which are significant.

    The number of queries does not grow with topics or runs.
    """
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    runs = list(Run.objects.filter(study=study).order_by("name"))
    whole = whole_of(request.GET)
    grouped = groups_told(request, study)
    group = grouped["group"]
    found = all_pairs.compare(study, measure, p, whole, group) if len(runs) > 1 else None
    named = {run.pk: run for run in runs}
    pins = pinned(request.GET, runs)
    rows, widest, best = [], 0.0, []
    if found is not None:
        best = found.runs[:MATRIX]
        query = file_query(measure, p, found.whole, **group_query(group))
        address = f"{reverse('compare', args=[study.slug])}?{query}"
        gaps = [found.difference(one, other) for one, other in combinations(best, 2)]
        widest = max((abs(gap) for gap in gaps if gap is not None), default=0.0)
        rows = [
            (
                named[run],
                pins.get(named[run]),
                found.means[run],
                _possible(found, run),
                _cells(found, run, best, address, widest),
            )
            for run in best
        ]
    told = {
        "study": study,
        "p": p,
        "measure": measure,
        "measures": measure_names.titled(study),
        "title": measure_names.within(measure),
        "persistences": measure_names.LIKE_NDCG,
        "found": found,
        "rows": rows,
        "total": len(runs),
        "tests_of_ranks": tests_of_ranks(len(runs), study.words),
        "columns": [(named[run], pins.get(named[run])) for run in best],
        "baseline": study.baseline,
        "leads": _leads(found, named, study) if found is not None and found.pairs else "",
        "limited": any(share is not None for *_, share, _ in rows),
        "low": signed(-widest),
        "high": signed(widest),
        "file_query": file_query(measure, p, whole, **group_query(group)),
    }
    return render(request, "coordinator/pairs.html", told | grouped)
