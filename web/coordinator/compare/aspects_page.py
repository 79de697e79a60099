"""The page of aspects: which of them preferences follow, the board by each, agreement, and reasons."""

from math import isnan
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis.aspects import ASPECTS, AspectReport, asked
from web.shared import waiting_pages
from web.shared.access import for_viewers
from web.shared.phrases import count, number, percent

OVERALL = "Overall"


class Cell(NamedTuple):
    """A share and its interval in percent, written. best: whether no run of the column has a higher one."""

    share: str
    ends: str
    best: bool = False


class Follows(NamedTuple):
    """How preferences follow an aspect. same: share of those that both decide. said: in words."""

    aspect: str
    said: str
    same: str
    chance: Cell
    weight: str
    ends: str


class AspectLine(NamedTuple):
    """Overall or of an aspect: judgments that tell two runs apart, and how people agree."""

    name: str
    duels: int
    questions: int
    raw: str
    alpha: str


class RunLine(NamedTuple):
    """A run's shares, and of each reason how often it was given for an item of it, and for another."""

    run: int
    name: str
    shares: list[Cell]
    reasons: list[tuple[int, int]]


@for_viewers
@require_safe
def aspects(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what answers say of aspects and reasons; that of large studies is computed by a job."""
    own = asked(study)
    told: dict[str, object] = {"study": study, "asks": bool(own.aspects or own.reasons)}
    if not told["asks"]:
        return render(request, "coordinator/aspects.html", told)
    found = waiting_pages.result(ASPECTS, study)
    if found is None:
        told["waiting"] = waiting_pages.waiting(ASPECTS, study)
        return waiting_pages.looks_again(request, "coordinator/aspects.html", told)
    figures = found.figures
    told |= {
        "found": found,
        "answer": answer(found, study.words),
        "heads": [OVERALL, *found.aspects],
        "follows": follows(found),
        "lines": lines(found),
        "agreements": agreements(found),
        "given": [
            (name, n, percent(n / figures.answers if figures.answers else None))
            for name, n in zip(found.reasons, figures.given, strict=True)
        ],
    }
    return render(request, "coordinator/aspects.html", told)


def answer(found: AspectReport, words: Words) -> tuple[str, str]:
    """Return in two texts which aspect preferences follow most."""
    figures, own = found.figures, found.figures.weights
    if not figures.answers:
        return "No judgment that counts says anything of aspects or reasons yet.", ""
    says = "says" if figures.answers == 1 else "say"
    every = f"{count(figures.answers, 'judgment')} {says} something of aspects or reasons."
    sure = [aspect for aspect in range(len(found.aspects)) if own.lows[aspect] > 0]
    if not found.aspects:
        return every, ""
    if not sure:
        return "No aspect explains preferences significantly yet.", every
    most = max(sure, key=lambda aspect: float(own.weights[aspect]))
    chance, low, high = own.chances(most)
    why = (
        f"Of two {words.items} that are alike in the other aspects, the one that is better in it is "
        f"preferred in {100 * chance:.0f} of 100 (95 % interval {100 * low:.0f} to {100 * high:.0f}). {every}"
    )
    return f"Preferences follow {found.aspects[most]} most.", why


def follows(found: AspectReport) -> list[Follows]:
    """Return how preferences follow each aspect, the heaviest first; those that decided nothing are last."""
    own, shown = found.figures.weights, []
    order = sorted(range(len(found.aspects)), key=lambda i: -_or_least(float(own.weights[i])))
    for aspect in order:
        weight, low, high = (float(row[aspect]) for row in (own.weights, own.lows, own.highs))
        said = "Decided nothing yet" if isnan(weight) else "Not significant"
        if low > 0:
            said = "Followed"
        elif high < 0:
            said = "Contradicted"
        shown.append(
            Follows(
                found.aspects[aspect],
                said,
                percent(found.figures.same[aspect]),
                Cell(*_written(*own.chances(aspect))),
                number(None if isnan(weight) else weight),
                "" if isnan(low) else f"{number(low)} to {number(high)}",
            )
        )
    return shown


def lines(found: AspectReport) -> list[RunLine]:
    """Return the runs, those first that win most overall; those that met nobody are last."""
    names = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    figures, shown = found.figures, []
    best = [_best([float(one) for one in own.shares if not isnan(one)]) for own in figures.shares]
    overall = figures.shares[0].shares
    for i in sorted(range(len(found.runs)), key=lambda i: -_or_least(float(overall[i]))):
        cells = []
        for own, most in zip(figures.shares, best, strict=True):
            share = float(own.shares[i])
            cells.append(Cell(*_written(share, float(own.lows[i]), float(own.highs[i])), share == most))
        counts = [(int(won[i]), int(lost[i])) for won, lost in zip(figures.won, figures.lost, strict=True)]
        shown.append(RunLine(found.runs[i], names[found.runs[i]], cells, counts))
    return shown


def agreements(found: AspectReport) -> list[AspectLine]:
    """Return how people agree overall and on each aspect."""
    figures = found.figures
    return [
        AspectLine(name, duels, own.questions, percent(own.raw), number(own.alpha))
        for name, duels, own in zip([OVERALL, *found.aspects], figures.duels, figures.agreements, strict=True)
    ]


def _written(share: float, low: float, high: float) -> tuple[str, str]:
    return percent(share), "" if isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}"


def _best(shares: list[float]) -> float | None:
    """The highest of these shares; None where no two differ."""
    return max(shares) if len(set(shares)) > 1 else None


def _or_least(value: float) -> float:
    return float("-inf") if isnan(value) else value
