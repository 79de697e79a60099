"""The page that compares the measures: how many runs each tells apart, and how far they rank alike."""

from collections.abc import Sequence
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis import head_to_head, measure_comparison, run_comparison
from scoring.analysis.measure_comparison import Measures
from scoring.scores.stored_measures import chosen
from web.coordinator import comparison_plots
from web.shared import measure_names, waiting_pages
from web.shared.access import for_viewers, steers
from web.shared.phrases import listed, number, percent
from web.shared.view_choices import whole_of

# If more measures than this do equally well, give their number instead of their names.
FEW = 2
# Kendall's τ of two orders in words, each from a least on.
ALIKE = ((1.0, "in the same order"), (0.9, "nearly alike"), (0.5, "partly alike"), (-1.0, "differently"))
# Where one measure is scored, the tables that a paper takes: title, name of the file, and what it holds.
PAPER_TABLES = (
    ("Means", "means", "The board: means, intervals and ranks."),
    ("All pairs", "pairs", "The difference of each pair, and whether it is significant."),
)
# Those that are there once the page of duels has computed them.
DUEL_TABLES = (
    ("Strengths", "strengths", "Bradley and Terry’s strengths, with intervals."),
    ("Chances", "chances", "How likely each is preferred to each other."),
)
# Steps of colour, from the least alike of a page to the most.
STEPS = 9


def own_agreement(found: Measures, names: Sequence[str], p: float, words: Words) -> str:
    """Return in a sentence whether the first two measures at this p rank the runs alike; "" without."""
    own = [i for i, one in enumerate(found.figures) if one.p == p]
    tau = found.taus[own[0]][own[1]] if len(own) > 1 else None
    if tau is None:
        return ""
    alike = next(said for least, said in ALIKE if tau >= least)
    two = "The two measures of this study" if len(own) == 2 else f"{names[own[0]]} and {names[own[1]]}"
    return f"{two} rank the {words.runs} {alike} (τ {number(tau, 2)})."


def agreement(found: Measures, names: list[str], p: float, words: Words) -> tuple[str, str]:
    """Return in two texts whether the measures rank the runs alike, those at the study's p first, and which
    tells most runs apart.
    """
    taus = [
        (tau, names[i], names[j])
        for i, row in enumerate(found.taus)
        for j, tau in enumerate(row)
        if i < j and tau is not None
    ]
    if not taus:
        return "The measures cannot be compared yet.", f"Two {words.runs} with different means are needed."
    least, one, other = min(taus)
    compared = [name for name in names if any(name in pair for _, *pair in taus)]
    apart = [name for name in names if name not in compared]
    if least == 1:
        which = "All measures rank" if not apart else f"{listed(compared)} rank"
        said = f"{which} the {words.runs} in the same order."
    else:
        said = f"The measures agree least between {one} and {other}: Kendall's τ {number(least, 2)}."
    rest = ""
    if least < 1 and (own := own_agreement(found, names, p, words)):
        said, rest = (
            own,
            f"Of all measures at all p, least alike are {one} and {other} (τ {number(least, 2)}). ",
        )
    if apart:
        rest += f"Not compared, as a {words.run} has no mean or all have the same: {listed(apart)}. "
    told = [
        (line.share, name) for line, name in zip(found.figures, names, strict=True) if line.share is not None
    ]
    if not told:
        return said, rest
    most = max(share for share, _ in told)
    best = [name for share, name in told if share == most]
    if not most:
        return said, f"{rest}None tells two {words.runs} apart."
    share = f"{100 * most:.0f} % of the pairs of {words.runs} apart, before any correction"
    if len(best) == len(told):
        return said, f"{rest}All tell {share}."
    if len(best) > FEW:
        return said, f"{rest}{len(best)} of {len(told)} tell {share}, the others fewer."
    tells = "tells" if len(best) == 1 else "tell"
    return said, f"{rest}{listed(best)} {tells} {share}, the others fewer."


def brief(title: str) -> str:
    """Shorten a measure's title for the heads of a matrix: PGC 0.80."""
    return title.replace(", p = ", " ").replace(measure_names.TITLES["compatibility"], "Comp.")


@for_viewers
@require_safe
def measures(request: HttpRequest, study: Study) -> HttpResponse:
    """Compare the measures: how many runs each tells apart, and how far they agree on the order.

    The number of queries does not grow with topics or runs.
    """
    runs = Run.objects.filter(study=study).count()
    whole = whole_of(request.GET)
    told: dict[str, object] = {"study": study}
    if chosen(study.measures) == ("win_rate",):
        told |= {"alone": measure_names.within("win_rate"), "steers": steers(study)}
        told["computed"] = head_to_head.STRENGTHS.cached(study, study.persistence) is not None
        told["paper"] = PAPER_TABLES + DUEL_TABLES if told["computed"] else PAPER_TABLES
    elif runs > 1:
        last, newer = waiting_pages.latest_result(measure_comparison.MEASURES, study, whole)
        if last is None:
            told["waiting"] = waiting_pages.waiting(measure_comparison.MEASURES, study, whole)
            return waiting_pages.looks_again(request, "coordinator/measures.html", told)
        found = last.value
        names = [column.title for column in comparison_plots.columns(study, found)]
        x, y = comparison_plots.two_columns(request.GET, study, found)
        told |= {
            "found": found,
            "measures": measure_names.explained(study),
            "newer": newer,
            "answer": agreement(found, names, study.persistence, study.words),
            "lines": [
                (
                    name,
                    one.topics,
                    [percent(share) for share in (one.share, one.holm, one.bonferroni)],
                    # Of the bar: told apart by plain tests, and by corrected ones.
                    *(round(100 * (share or 0)) for share in (one.share, one.holm)),
                )
                for name, one in zip(names, found.figures, strict=True)
            ],
            "too_few": any(one.share and run_comparison.too_few(one.topics) for one in found.figures),
            "names": [brief(name) for name in names],
            "same_topics": len({one.topics for one in found.figures}) == 1,
            "file_query": urlencode({"topics": "whole" if found.whole else "all"}),
            "columns": comparison_plots.columns(study, found),
            "x": x,
            "y": y,
            "figure": comparison_plots.means_shown(request, study, found),
            "means": list(zip(found.names, found.means[x.place], found.means[y.place], strict=True)),
            **_tinted(found, names),
        }
    return render(request, "coordinator/measures.html", told)


def _tinted(found: Measures, names: Sequence[str]) -> dict[str, object]:
    """Return the matrix of τ with a step of colour for each cell, and the least and the most of it."""
    known = [tau for i, row in enumerate(found.taus) for tau in row[:i] if tau is not None]
    least, most = min(known, default=1.0), max(known, default=1.0)

    def step(tau: float | None, place: int, other: int) -> int | None:
        if tau is None or place == other:
            return None
        return round(STEPS * (tau - least) / (most - least)) if most > least else STEPS

    rows = enumerate(zip(names, found.taus, strict=True))
    return {
        "ends": (least, most) if most > least else None,
        "taus": [
            (brief(name), [(tau, step(tau, i, j)) for j, tau in enumerate(row)]) for i, (name, row) in rows
        ],
    }
