"""The page of aspects: which of them preferences follow, the board by each, claims, agreement, reasons."""

from math import isnan
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis.aspects import ASPECTS, AspectReport, asked
from web.shared import waiting_pages
from web.shared.access import for_viewers, steers
from web.shared.phrases import count, number, percent

OVERALL, SUPPORTED = "Overall", "Sentences that cite"


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
    """Overall, of an aspect or of claims: judgments that tell two runs apart, or marks; how people agree."""

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


class SupportLine(NamedTuple):
    """A run's share of supported claims with its interval, how many of its claims were marked, and marks that
    cannot tell.
    """

    run: int
    name: str
    share: Cell
    low: float
    high: float
    claims: int
    unsure: int


@for_viewers
@require_safe
def aspects(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what answers say of aspects, claims and reasons; that of large studies is computed by a job."""
    own = asked(study)
    told: dict[str, object] = {"study": study, "asks": bool(own.aspects or own.reasons or own.claims)}
    if not told["asks"]:
        told["steers"] = steers(study)
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
        "supports": supports(found),
        "agreements": agreements(found),
        "given": [
            (name, n, percent(n / figures.answers if figures.answers else None))
            for name, n in zip(found.reasons, figures.given, strict=True)
        ],
    }
    return render(request, "coordinator/aspects.html", told)


def answer(found: AspectReport, words: Words) -> tuple[str, str]:
    """Return in two texts which aspect preferences follow most, or whose claims are supported most."""
    figures, own = found.figures, found.figures.weights
    if not figures.answers:
        return "No judgment that counts says anything of this yet.", ""
    says = "says" if figures.answers == 1 else "say"
    every = f"{count(figures.answers, 'judgment')} {says} something of aspects or reasons."
    sure = [aspect for aspect in range(len(found.aspects)) if own.lows[aspect] > 0]
    if not found.aspects:
        return _most_supported(found) or (every, "")
    if not sure:
        return "No aspect explains preferences significantly yet.", every
    most = max(sure, key=lambda aspect: float(own.weights[aspect]))
    chance, low, high = own.chances(most)
    why = (
        f"Of two {words.items} that are alike in the other aspects, the one that is better in it is "
        f"preferred in {100 * chance:.0f} of 100 (95 % interval {100 * low:.0f} to {100 * high:.0f}). {every}"
    )
    return f"Preferences follow {found.aspects[most]} most.", why


def _most_supported(found: AspectReport) -> tuple[str, str] | None:
    """Name the run whose claims are surely supported most; its interval overlaps no other."""
    lines = [line for line in supports(found) if line.share.share != percent(None)]
    if not lines:
        return None
    told = [f"{line.name} {line.share.share}" for line in dict.fromkeys((lines[0], lines[-1]))]
    marked = count(sum(line.claims for line in lines), "sentence")
    why = f"Supported are of {marked} that cite: {', '.join(told)}."
    if len(lines) > 1 and lines[0].low > max(line.high for line in lines[1:]):
        return f"{lines[0].name} is supported most by what it cites.", why
    return "None is surely supported more than the others by what it cites.", why


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


def supports(found: AspectReport) -> list[SupportLine]:
    """Return the runs whose claims were marked, the best supported first."""
    own = found.figures.support
    names = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    order = sorted(range(len(found.runs)), key=lambda i: -_or_least(float(own.shares.shares[i])))
    lines = []
    for i in order:
        share, low, high = (float(one[i]) for one in (own.shares.shares, own.shares.lows, own.shares.highs))
        if claims := int(own.claims[i]):
            run, cell = found.runs[i], Cell(*_written(share, low, high))
            lines.append(SupportLine(run, names[run], cell, low, high, claims, int(own.unsure[i])))
    return lines


def agreements(found: AspectReport) -> list[AspectLine]:
    """Return how people agree overall, on each aspect and on claims."""
    figures = found.figures
    told = [*zip([OVERALL, *found.aspects], figures.duels, figures.agreements, strict=True)]
    if figures.support.marks:
        told.append((SUPPORTED, figures.support.marks, figures.support.agreement))
    return [AspectLine(name, n, own.questions, percent(own.raw), number(own.alpha)) for name, n, own in told]


def _written(share: float, low: float, high: float) -> tuple[str, str]:
    return percent(share), "" if isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}"


def _best(shares: list[float]) -> float | None:
    """The highest of these shares; None where no two differ."""
    return max(shares) if len(set(shares)) > 1 else None


def _or_least(value: float) -> float:
    return float("-inf") if isnan(value) else value
