"""The page of runs that meet directly: their Bradley-Terry strengths, and each one's chance against each."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring import duels, jobs
from scoring.duels import Duels
from web import waiting
from web.access import for_viewers
from web.coordinator import naming
from web.coordinator.leaderboard import asked_persistence
from web.words import count

# Of a matrix of chances: more columns than this are read by nobody.
MATRIX = 20
WIDTH = 200.0


@dataclass(frozen=True)
class Line:
    """A run's line: its strength with the interval, marks of both on a scale of 200, and its chances against
    the runs of the matrix.
    """

    name: str
    strength: str
    ends: str
    mark: str
    start: str
    length: str
    chances: list[str]


@for_viewers
@require_safe
def strengths(request: HttpRequest, study: Study) -> HttpResponse:
    """Strengths of runs that meet directly, from what is kept; else a job is asked for them, or those of a
    small study are computed at once. Seven queries with those of the login.
    """
    p = asked_persistence(request, study)
    told: dict[str, object] = {
        "study": study,
        "tab": "leaderboard",
        "p": p,
        "cut": naming.LIKE_NDCG[p],
        "persistences": naming.LIKE_NDCG,
    }
    runs = duels.runs_of(study)
    told["runs"] = len(runs)
    if len(runs) < 2:
        return render(request, "coordinator/duels.html", told)
    found = _found(study, runs, p)
    if found is None:
        return waiting.looks_again(request, "coordinator/duels.html", told | {"waits": True})
    named = dict(Run.objects.filter(pk__in=runs).values_list("pk", "name"))
    names = [named[run] for run in found.runs]
    lines, left_out = _lines(found, names)
    told |= {
        "found": found,
        "lines": lines,
        "columns": [line.name for line in lines[:MATRIX]],
        "left_out": left_out,
        "answer": answer(found, names),
        "tie": f"{found.strengths.tie:.2f}",
        "duels": int(found.strengths.duels),
        "file_query": f"p={p}",
    }
    return render(request, "coordinator/duels.html", told)


def _found(study: Study, runs: list[int], p: float) -> Duels | None:
    found = duels.kept(study, runs, p)
    if found is not None:
        return found
    if duels.is_small(study, runs):
        return duels.compute(study, runs, p)
    duels.ask(study, p)
    waiting.start(jobs.measure_strengths, study.pk)
    return None


def _order(found: Duels) -> list[int]:
    """Places of the runs that have a strength, the strongest first."""
    values = found.strengths.strengths.tolist()
    return sorted((i for i, value in enumerate(values) if value == value), key=lambda i: -values[i])


def answer(found: Duels, names: list[str]) -> tuple[str, str]:
    """Which run is the strongest and how surely, in two sentences."""
    met = f"{count(int(found.strengths.duels), 'duel')} on {count(found.topics, 'topic')}"
    order = _order(found)
    if not order:
        needs = "Each run must have won against one of the others, and lost against one"
        return "No run can be placed yet.", f"There were {met}. {needs}."
    best, second = order[0], order[1]
    chance = 100 * found.strengths.chance(best, second)
    low, rivals = found.strengths.lows[best], [found.strengths.highs[i] for i in order[1:]]
    sure = low == low and all(low > high for high in rivals)
    said = (
        f"Where first items meet, {names[best]} is the strongest{'' if sure else ' so far, but not surely'}."
    )
    return said, f"It would be preferred to {names[second]} in {chance:.0f} of 100 duels, after {met}."


def _lines(found: Duels, names: list[str]) -> tuple[list[Line], list[str]]:
    order = _order(found)
    own = found.strengths
    drawn = [float(end) for i in order for end in (own.strengths[i], own.lows[i], own.highs[i]) if end == end]
    least, most = min(drawn, default=0.0), max(drawn, default=1.0)
    scale = WIDTH / ((most - least) or 1.0)

    def place(value: float) -> str:
        return f"{(value - least) * scale:.1f}"

    lines = []
    for i in order:
        low, high = float(own.lows[i]), float(own.highs[i])
        there = low == low
        chances = ["" if j == i else f"{100 * own.chance(i, j):.0f}" for j in order[:MATRIX]]
        lines.append(
            Line(
                names[i],
                f"{float(own.strengths[i]):+.2f}".replace("-", "\u2212"),
                f"{low:+.2f} to {high:+.2f}".replace("-", "\u2212") if there else "",
                place(float(own.strengths[i])),
                place(low) if there else "",
                f"{max(1.0, (high - low) * scale):.1f}" if there else "",
                chances,
            )
        )
    return lines, [name for i, name in enumerate(names) if i not in order]
