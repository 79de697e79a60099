"""Figures of the comparison pages: run means by two measures, and two runs topic by topic."""

import hashlib
from collections.abc import Container, Sequence
from dataclasses import dataclass
from statistics import linear_regression

from django.http import Http404, HttpRequest, QueryDict

from collection.models import Run, Study, Topic
from prefir import plots
from scoring.analysis import measure_comparison, run_comparison
from scoring.analysis.measure_comparison import Measures
from scoring.analysis.run_comparison import ComparedRuns
from scoring.analysis.topic_filter import groups_of
from scoring.board import standings
from scoring.scores.stored_measures import chosen
from scoring.scores.topic_scores import PERSISTENCES
from web.shared import measure_names
from web.shared.phrases import count, number
from web.shared.plots import Drawing, ShownPlot, figure
from web.shared.view_choices import pins_of, whole_of

# Up to so many runs all are named in the scatter plot; of more the best, the pinned, and so many that are
# farthest off the line.
ALL_NAMED, FARTHEST = 12, 3


def titled(study: Study, measure: str, p: float) -> str:
    """Return the title of a measure at a persistence, as tables and axes show it; without its depth where
    each run has one item a topic.
    """
    if study.case == Study.Case.ANSWERS and measure == "win_rate":
        return measure_names.within(measure)
    depth = measure_names.depth(measure, p)
    return f"{measure_names.TITLES[measure]}{', ' if depth.startswith('p') else ' '}{depth}"


@dataclass(frozen=True)
class MeasureColumn:
    """A measure at a persistence: its index in the figures, its key in query parameters, and its title."""

    place: int
    key: str
    title: str


def columns(study: Study, found: Measures) -> list[MeasureColumn]:
    """Return the compared measures, in the order of their figures."""
    return [
        MeasureColumn(i, f"{one.measure}-{one.p}", titled(study, one.measure, one.p))
        for i, one in enumerate(found.figures)
    ]


def two_columns(asked: QueryDict, study: Study, found: Measures) -> tuple[MeasureColumn, MeasureColumn]:
    """Return the columns that `x` and `y` of the query name; else the first two measures at the largest p."""
    known = columns(study, found)
    by_key = {column.key: column for column in known}
    largest = f"-{max(PERSISTENCES)}"
    usual = [column for column in known if column.key.endswith(largest)]
    x = by_key.get(asked.get("x", ""), usual[0])
    others = [column for column in usual if column != x]
    return x, by_key.get(asked.get("y", ""), others[0] if others else x)


@figure("means", asks=("x", "y", "topics", "pin"), wide=440, narrow=360)
def means(asked: QueryDict, study: Study) -> Drawing:
    """Draw every run by its means of two measures."""
    if not Run.objects.filter(study=study).exists():
        return Drawing(plots.nothing, {"title": "Run means", "said": "There are no runs yet."})
    found = measure_comparison.MEASURES.now(study, whole_of(asked))
    x, y = two_columns(asked, study, found)
    # Best first, since runs are labelled in this order as long as there is room.
    order = sorted(range(len(found.names)), key=lambda i: (-_or_least(found.means[x.place][i]), i))
    names = [found.names[i] for i in order]
    xs, ys = ([found.means[one.place][i] for i in order] for one in (x, y))
    pins = Run.objects.filter(study=study, pk__in=pins_of(asked)).values_list("name", flat=True)
    given = {
        "names": names,
        "xs": xs,
        "ys": ys,
        "x": f"Mean {x.title}",
        "y": f"Mean {y.title}",
        "named": named(names, xs, ys, set(pins)),
    }
    return Drawing(plots.scatter, given)


def named(
    names: Sequence[str], xs: Sequence[float], ys: Sequence[float], pinned: Container[str]
) -> list[int]:
    """Return which runs, best first, a scatter plot names, in the order of their importance."""
    there = [i for i in range(len(names)) if xs[i] == xs[i] and ys[i] == ys[i]]
    if len(there) <= ALL_NAMED or len({xs[i] for i in there}) < 2:
        return there
    line = linear_regression([xs[i] for i in there], [ys[i] for i in there])
    off = sorted(there, key=lambda i: -abs(ys[i] - line.slope * xs[i] - line.intercept))
    chosen = [*(i for i in there if names[i] in pinned), there[0], *off[:FARTHEST]]
    return list(dict.fromkeys(chosen))


def _or_least(value: float) -> float:
    return value if value == value else -1.0


def means_shown(request: HttpRequest, study: Study, found: Measures) -> ShownPlot:
    """Return the scatter plot of run means with its caption, for the page of measures."""
    x, y = two_columns(request.GET, study, found)
    tau = found.taus[x.place][y.place]
    said = "There is no τ-b yet."
    if tau is not None:
        said = f"Kendall's τ-b between the two orders is {number(tau, 3)}."
    caption = (
        f"Each point is a {study.words.run}: the further right, the higher its mean {x.title}; the further "
        f"up, its mean {y.title}. Where the two agree, the points rise from left to right. {said}"
    )
    if found.runs > ALL_NAMED:
        caption = f"{caption} Named are the best, those pinned, and the {FARTHEST} farthest off the line."
    of = count(found.runs, study.words.run)
    asked = {"x": x.key, "y": y.key, "topics": _topics(found.whole)}
    if pins := request.GET.get("pin"):
        asked["pin"] = pins
    alt = f"Scatter plot of {of}: mean {x.title} against mean {y.title}. {said}"
    return ShownPlot(study, "means", alt, caption, asked)


def _topics(whole: bool) -> str:
    return "whole" if whole else "all"


def _version(study: Study) -> str:
    """Return the version of a figure over a group: it changes with the groups of topics too."""
    groups = hashlib.sha256(repr(groups_of(study)).encode()).hexdigest()[:20]
    return f"{standings.version(study)}.{groups}"


@figure(
    "differences", asks=("a", "b", "measure", "p", "topics", "group"), version=_version, wide=400, narrow=340
)
def differences(asked: QueryDict, study: Study) -> Drawing:
    """Draw the difference of two runs topic by topic, largest first."""
    measures = chosen(study.measures)
    measure = asked.get("measure", "") if asked.get("measure") in measures else measures[0]
    p = next((p for p in PERSISTENCES if str(p) == asked.get("p")), max(PERSISTENCES))
    ids = [int(one) for one in (asked.get("a", ""), asked.get("b", "")) if one.isdecimal() and len(one) < 19]
    runs = Run.objects.filter(study=study).in_bulk(ids)
    if len(runs) != 2:
        raise Http404("There are no such two runs.")
    whole, group = whole_of(asked), asked.get("group", "")
    found = run_comparison.compare(study, ids[0], ids[1], measure, p, whole, group)
    named = dict(Topic.objects.filter(study=study).values_list("pk", "name"))
    given = {
        "topics": [named[line.topic] for line in found.topics],
        "gaps": [line.gap for line in found.topics],
        "first": runs[ids[0]].name,
        "second": runs[ids[1]].name,
        "measure": titled(study, measure, p).removesuffix(f", {measure_names.depth(measure, p)}"),
        "counted": count(len(found.topics), study.words.topic),
    }
    return Drawing(plots.differences, given)


def differences_shown(
    study: Study, first: Run, second: Run, found: ComparedRuns, measure: str, p: float, group: str = ""
) -> ShownPlot:
    """Return the bars of two runs' differences with their caption, for the page of two runs."""
    shown, title = found.shown, titled(study, measure, p)
    said = (
        f"{first.name} is higher on {shown.wins:,} and {second.name} on {shown.losses:,} of "
        f"{count(shown.topics, study.words.topic)}"
    )
    equal = f"; on {shown.ties:,} they are equal" if shown.ties else ""
    caption = f"Each bar is a {study.words.topic}: {title}, {first.name} less {second.name}. {said}{equal}."
    asked = {"a": first.pk, "b": second.pk, "measure": measure, "p": p, "topics": _topics(found.whole)}
    asked |= {"group": group} if group else {}
    return ShownPlot(
        study, "differences", f"Bars of the difference by {study.words.topic}. {said}{equal}.", caption, asked
    )
