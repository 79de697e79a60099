"""The head-to-head page: Bradley-Terry strengths of runs, and each one's chance against each other."""

from dataclasses import dataclass
from math import inf, isfinite, isinf, isnan
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring.analysis import head_to_head
from scoring.analysis.head_to_head import Duels
from web.coordinator.board.leaderboard import asked_persistence
from web.shared import measure_names, waiting_pages
from web.shared.access import for_viewers
from web.shared.phrases import count, listed

if TYPE_CHECKING:
    from prefir.measures import Strengths

# Columns of the matrix of chances; nobody reads more.
MATRIX = 20
WIDTH = 200.0


@dataclass(frozen=True)
class StrengthLine:
    """A run's line: strength, interval, record of duels, and chances against the runs of the matrix.

    group: the heading of its group, for the group's first run, else "". mark, start, length: of strength and
    interval on a scale of WIDTH.
    """

    name: str
    group: str
    strength: str
    ends: str
    mark: str
    start: str
    length: str
    record: str
    chances: list[str]


@for_viewers
@require_safe
def strengths(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the cached strengths of runs that meet directly.

    If there are none, those of a small study are computed at once, others by a job while the page refreshes.
    """
    p = asked_persistence(request, study)
    told: dict[str, object] = {
        "study": study,
        "tab": "leaderboard",
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
        return waiting_pages.looks_again(request, "coordinator/duels.html", told | {"waits": True})
    named = dict(Run.objects.filter(pk__in=runs).values_list("pk", "name"))
    names = [named[run] for run in found.runs]
    lines = _lines(found, names)
    told |= {
        "found": found,
        "lines": lines,
        "columns": [line.name for line in lines[:MATRIX]],
        "answer": answer(found, names) if found.answers else of_rankings(found, measure_names.LIKE_NDCG[p]),
        "tie": f"{found.strengths.tie:.2f}",
        "file_query": f"p={p}",
    }
    return render(request, "coordinator/duels.html", told)


def of_rankings(found: Duels, cut: int) -> tuple[str, str]:
    """Return in two texts what is counted for rankings; of these, no run is called the strongest."""
    said = f"{_met(found)} are between the first {cut} items of one run and those of another."
    return (
        "These runs are rankings, not single answers: the leaderboard says which is best.",
        f"{said} Each counts once, shared among all pairs of runs that it is between.",
    )


def answer(found: Duels, names: list[str]) -> tuple[str, str]:
    """Return in two texts which run is the strongest and how surely; for several groups, for each group."""
    own = found.strengths
    alone = [names[i] for i, one in enumerate(own.statuses) if one == "met nobody"]
    left = f" {listed(alone)} met nobody." if alone else ""
    if not own.tops:
        return "No two runs have met yet.", "Two runs meet where a judgment is between their answers."
    if len(own.tops) == 1:
        said, why = _best(found, names, own.tops[0])
        return said, f"{why} After {_met(found)}.{left}"
    parts = " ".join(_best(found, names, top)[0] for top in own.tops)
    said = f"The runs form {len(own.tops)} groups that never met, so that none is the strongest of all."
    return said, f"{parts} After {_met(found)}.{left}"


def _met(found: Duels) -> str:
    return f"{count(found.judgments, 'judgment')} on {count(found.strengths.topics, 'topic')}"


def _best(found: Duels, names: list[str], top: list[int]) -> tuple[str, str]:
    """Return in two sentences which run of a group is the strongest, and its chance against the next."""
    own, best = found.strengths, top[0]
    if len(top) > 1:
        said = f"It is not known which of {listed([names[i] for i in top])} is the strongest."
        return said, "None of them is above another by duels that were won."
    group = [i for i in own.order if own.groups[i] == own.groups[best]]
    second = group[1]
    won, _, tied = own.records[best]
    if own.statuses[best] == "won all":
        every = f"won all of its {_number(won)} duels" if not tied else "lost none of its duels"
        said = f"{names[best]} {every}, so its strength has no upper end."
        low = float(own.lows[best])
        if isinf(low):
            return said, "There are too few duels among the others to say how far it is ahead at least."
        return said, f"{names[second]} comes next."
    rivals = [own.highs[i] if _on_scale(found, best, i) else inf for i in group if i != best]
    sure = all(own.lows[best] > high for high in rivals)
    chance = 100 * own.chance(best, second)
    said = f"{names[best]} is the strongest{'' if sure else ' so far, but not significantly'}."
    return said, f"It would be preferred to {names[second]} in {chance:.0f} of 100 duels."


def _on_scale(found: Duels, first: int, other: int) -> bool:
    """Return True if the intervals of the two runs are on one scale."""
    own = found.strengths
    return bool(own.sets[first] == own.sets[other]) or own.statuses[other] == "lost all"


def _number(value: float) -> str:
    """Format a number of duels; it has a fraction if judgments are shared among pairs of runs."""
    return f"{value:,.1f}".removesuffix(".0")


def _signed(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\u2212")


def _ends(low: float, high: float) -> str:
    """Return an interval in words; an infinite end is open."""
    if isnan(low):
        return ""
    if isinf(low) or isinf(high):
        if isinf(low) and isinf(high):
            return "open at both ends"
        return f"{_signed(high)} or less" if isinf(low) else f"{_signed(low)} or more"
    return f"{_signed(low)} to {_signed(high)}"


def _lines(found: Duels, names: list[str]) -> list[StrengthLine]:
    own = found.strengths
    order = own.order
    ends = [own.strengths, own.lows, own.highs]
    drawn = [float(end[i]) for i in order for end in ends if isfinite(end[i])]
    least, most = min(drawn, default=0.0), max(drawn, default=1.0)
    scale = WIDTH / ((most - least) or 1.0)

    def place(value: float) -> float:
        return min(max((value - least) * scale, 0.0), WIDTH)

    lines, groups = [], set()
    for i in order:
        strength, low, high = (float(end[i]) for end in ends)
        group = int(own.groups[i])
        begins = len(own.tops) > 1 and group not in groups
        groups.add(group)
        drawn_interval = isfinite(low) or isfinite(high)
        lines.append(
            StrengthLine(
                names[i],
                _head(own, group) if begins else "",
                _signed(strength) if isfinite(strength) else str(own.statuses[i]),
                _ends(low, high),
                f"{place(strength):.1f}" if isfinite(strength) else "",
                f"{place(low):.1f}" if drawn_interval else "",
                f"{max(1.0, place(high) - place(low)):.1f}" if drawn_interval else "",
                " : ".join(map(_number, own.records[i][: 3 if own.records[:, 2].any() else 2])),
                ["" if j == i else _chance(own, i, j) for j in order[:MATRIX]],
            )
        )
    return lines


def _head(own: "Strengths", group: int) -> str:
    if group < 0:
        return "Met nobody"
    return f"Group {group + 1} of {len(own.tops)}: met each other, and nobody of another group"


def _chance(own: "Strengths", first: int, other: int) -> str:
    if own.above[first, other] or own.above[other, first]:
        return "all" if own.above[first, other] else "none"
    chance = own.chance(first, other)
    return "" if isnan(chance) else f"{100 * chance:.0f}"
