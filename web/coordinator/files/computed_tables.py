"""Tables of duels, style and aspects as files. Each is there once its page has had its figures computed."""

from itertools import permutations
from math import isnan

from django.http import Http404, QueryDict

from collection.models import Run, Study
from scoring.analysis import aspects as aspect_analysis
from scoring.analysis import head_to_head, style_control
from scoring.analysis.head_to_head import Duels
from web.coordinator.files.table_files import TableFile, table
from web.coordinator.tabular import Row
from web.shared.phrases import count
from web.shared.view_choices import persistence_of


@table("strengths")
def strengths(asked: QueryDict, study: Study) -> TableFile:
    """Return Bradley-Terry strengths of runs that meet directly, with intervals, in the order of the page.

    Only strengths within the same `set` can be compared. Raises Http404 until the page has had them computed.
    """
    found, names = _duels(asked, study)
    own = found.strengths
    sets = list(dict.fromkeys(own.sets[own.order].tolist()))
    rows = [
        (
            names[found.runs[i]],
            str(own.statuses[i]),
            int(own.groups[i]) + 1 or None,
            sets.index(own.sets[i]) + 1,
            *(float(end[i]) for end in (own.strengths, own.lows, own.highs)),
            *own.records[i].tolist(),
        )
        for i in own.order
    ]
    head = (study.words.run, "status", "group", "set", "strength", "low", "high", "won", "lost", "tied")
    said = (
        f"Bradley-Terry strengths with Davidson's ties (nu {own.tie:.4f}) from {found.judgments:,} judgments "
        f"on {count(own.topics, study.words.topic)}; 95 % intervals, open at an end that is inf or -inf"
    )
    return TableFile(head, rows, said)


@table("chances")
def chances(asked: QueryDict, study: Study) -> TableFile:
    """Return each run's chance against each other, with intervals, a line for each ordered pair.

    Raises Http404 until the page has had the strengths computed.
    """
    found, names = _duels(asked, study)
    own = found.strengths
    rows: list[Row] = [
        (
            names[found.runs[i]],
            names[found.runs[j]],
            1.0 if own.above[i, j] else 0.0 if own.above[j, i] else float(own.chance(i, j)),
            *map(float, own.chance_ends(i, j)),
        )
        for i, j in permutations(own.order, 2)
    ]
    said = "Chance that the first is preferred in a duel, a tie as half; 95 % intervals over topics"
    return TableFile((study.words.run, "against", "chance", "low", "high"), rows, said)


def _duels(asked: QueryDict, study: Study) -> tuple[Duels, dict[int, str]]:
    """Return the strengths as they were computed last, and the names of their runs; Http404 before."""
    found = head_to_head.STRENGTHS.cached(study, persistence_of(asked, study))
    if found is None:
        raise Http404("The strengths are not computed yet: open the page of duels first.")
    return found, dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))


@table("style")
def style(asked: QueryDict, study: Study) -> TableFile:
    """Return strengths without and with control for style, and the medians of each model's answers.

    Raises Http404 until the page has had them computed.
    """
    from prefir.measures import STYLES

    found = style_control.STYLE.cached(study)
    if found is None:
        raise Http404("The strengths are not computed yet: open the page of control for style first.")
    names = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    own = found.control
    ends = [end for one in (own.plain, own.strengths) for end in (one.strengths, one.lows, one.highs)]
    rows = [
        (names[found.runs[i]], *(float(end[i]) for end in ends), *found.medians[i].tolist())
        for i in own.strengths.order
    ]
    parts = ("strength", "low", "high")
    head = ("model", *parts, *(f"controlled {part}" for part in parts), *(f"median {s}" for s in STYLES))
    effects = "; ".join(
        f"{name} {value:.4f} ({low:.4f} to {high:.4f})"
        for name, value, low, high in zip(STYLES, own.coefficients, own.lows, own.highs, strict=True)
    )
    said = f"Bradley-Terry strengths without and with control for style; coefficients: {effects}"
    return TableFile(head, rows, said)


def _aspect_report(study: Study) -> aspect_analysis.AspectReport:
    found = aspect_analysis.ASPECTS.cached(study)
    if found is None:
        raise Http404("The shares are not computed yet: open the page of aspects first.")
    return found


@table("aspects")
def aspects(asked: QueryDict, study: Study) -> TableFile:
    """Return each run's share of duels won, by the answer and by each aspect. Raises Http404 before there is
    one.
    """
    found = _aspect_report(study)
    names = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    heads = ("answer", *found.aspects)
    rows: list[Row] = []
    for i, run in enumerate(found.runs):
        cells: list[str | int | float | None] = [names[run]]
        for own in found.figures.shares:
            cells += [None if isnan(one[i]) else float(one[i]) for one in (own.shares, own.lows, own.highs)]
        rows.append(tuple(cells))
    head = (study.words.run, *(f"{name} {part}" for name in heads for part in ("share", "low", "high")))
    return TableFile(head, rows, "Share of duels won by the answer and by each aspect, a tie as half.")


@table("supported")
def supported(asked: QueryDict, study: Study) -> TableFile:
    """Return each run's share of supported claims and how many were marked. Raises Http404 before there is
    one.
    """
    found = _aspect_report(study)
    names = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    own, rows = found.figures.support, []
    for i, run in enumerate(found.runs):
        ends = (float(one[i]) for one in (own.shares.shares, own.shares.lows, own.shares.highs))
        shares = (None if isnan(one) else one for one in ends)
        rows.append((names[run], *shares, int(own.claims[i]), int(own.unsure[i])))
    head = (study.words.run, "supported share", "low", "high", "sentences", "cannot tell")
    return TableFile(head, rows, "Share of sentences that cite which their sources support.")
