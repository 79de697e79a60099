"""Commands `tops` and `strength`: two assessments beside each other, and pairs beside their items' grades."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping

from prefir.measures import agreement as answers
from prefir.measures.pair_grades import correlate_with_grades, grade_heat_map, pair_figures
from prefir.measures.scores import Line
from prefir.measures.tops import compare_tops, steps_below_best, top_items

from .commands import Command, add_output_options
from .files import grades_of, preferences_of
from .output import note

TOPS = """\
ONE, TWO: `topic 0 docno grade`, gzipped or not; higher is better, as of the top of a tournament above the
grades. Lines: run, topic, measure and value, with tabs between. Of the run `ONE|TWO`: topics, that both have;
same_top, those in which the best item of ONE is the best of TWO; within_top@K, in which it is among the first
K of TWO; outside_top@K, in which it is not. With --per-topic each topic's is 1. With --grades, of each file:
below(D) of the best and below@K(D) of the first K, the share of the items that are graded D below the highest
grade of their topic. Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, figures 5, 7, 8."""
STRENGTH = """\
QRELS: `topic 0 docno grade`. PREFS: `topic a b winner [assessor]`, winner a, b or tie, or `topic preferred
other`. Both may be gzipped. Lines of the run and topic `all`: pairs, the judged pairs of graded items, and
the correlations of the strength of a pair (mean over judgments of 0 for the item of the lower grade, 1 for a
tie, 2 for the higher) with the gap, ratio and sum of the grades, the lower and the higher grade:
  pearson(gap) ..., pearson_p(gap), spearman(gap), spearman_p(gap)
With --intervals N also strength(I,J), the mean strength of the pairs whose lower grade is in the interval I
and whose higher grade in J, of N equal intervals from 0 to --highest.
Source: Xie et al., SIGIR 2020, table 5 and figure 3."""


def commands() -> list[Command]:
    """List the commands tops and strength."""
    return [
        Command(
            "tops",
            "How far two assessments share their top items, and where these stand in the grades",
            "tops dedicated.qrels crowd.qrels -k 5 --above 4 --grades qrels.txt",
            TOPS,
            _configure_tops,
            _tops,
        ),
        Command(
            "strength",
            "How the strength of preferences goes with the grades of the items",
            "strength qrels.txt judgments.pref --intervals 10 --highest 100",
            STRENGTH,
            _configure_strength,
            _strength,
        ),
    ]


def _configure_tops(parser: ArgumentParser) -> None:
    parser.add_argument("first", metavar="ONE")
    parser.add_argument("second", metavar="TWO")
    parser.add_argument("-k", type=int, default=5, help="length of the top (default: %(default)s)")
    parser.add_argument(
        "--above",
        type=float,
        default=0.0,
        metavar="LEVEL",
        help="levels of TWO that are no higher are not of its top, such as grades below the places "
        "(default: 0)",
    )
    parser.add_argument("--grades", metavar="QRELS", help="grades to hold the top items against")
    add_output_options(parser)


def _tops(arguments: Namespace) -> Iterator[Line]:
    top_items({}, arguments.k)  # only to check k
    first, second = grades_of(arguments.first), grades_of(arguments.second)
    grades = grades_of(arguments.grades) if arguments.grades else {}
    found = compare_tops(first, second, k=arguments.k, above=arguments.above)
    if not found.topics:
        raise ValueError(f"{arguments.first} and {arguments.second} have no topic with a best item in common")
    pair = f"{arguments.first}|{arguments.second}"
    within, outside = f"within_top@{arguments.k}", f"outside_top@{arguments.k}"
    names = {"same": ("same_top", within), "within": (within,), "outside": (outside,)}
    for topic, kind in found.by_topic.items() if arguments.per_topic else ():
        for name in names[kind]:
            yield Line(pair, topic, name, 1)
    yield Line(pair, "all", "topics", found.topics)
    yield Line(pair, "all", "same_top", found.same)
    yield Line(pair, "all", within, found.within)
    yield Line(pair, "all", outside, found.outside)
    for name, levels in ((arguments.first, first), (arguments.second, second)) if grades else ():
        above = arguments.above if levels is second else 0.0
        for k, label in ((1, "below"), (arguments.k, f"below@{arguments.k}")):
            tops = {topic: top_items(own, k, above=above) for topic, own in levels.items()}
            yield from _below(name, label, steps_below_best(tops, grades))


def _below(run: str, label: str, counts: Mapping[float, int]) -> Iterator[Line]:
    for steps, items in counts.items():
        yield Line(run, "all", f"{label}({steps:g})", items / sum(counts.values()))


def _configure_strength(parser: ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS")
    parser.add_argument("prefs", metavar="PREFS")
    parser.add_argument("--intervals", type=int, metavar="N", help="intervals of the grades to print")
    parser.add_argument(
        "--highest", type=float, help="the highest grade that there can be (default: in QRELS)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON list of objects instead of lines")


def _strength(arguments: Namespace) -> Iterator[Line]:
    if arguments.intervals is not None and arguments.intervals < 1:
        raise ValueError(f"--intervals is {arguments.intervals}; it must be at least 1")
    grades = grades_of(arguments.qrels)
    preferences = preferences_of(arguments.prefs)
    judgments = [
        answers.Judgment(topic, a, b, 0 if winner is None else -1 if winner == a else 1, assessor or "")
        for topic, a, b, winner, assessor, _, _ in preferences.records
    ]
    figures = pair_figures(judgments, grades)
    if not figures:
        raise ValueError(f"{arguments.qrels} has no grades of two items of a pair of {arguments.prefs}")
    judged = len({(each.topic, *sorted((each.left, each.right))) for each in judgments})
    if judged > len(figures):
        note(f"left out {judged - len(figures):,} of {judged:,} pairs: an item has no grade")
    yield Line("all", "all", "pairs", len(figures))
    for relation, found in correlate_with_grades(figures).items():
        for name, value in list(found._asdict().items())[1:]:
            yield Line("all", "all", f"{name}({relation})", value)
    if arguments.intervals:
        highest = arguments.highest or _highest(grades)
        cells = grade_heat_map(figures, highest=highest, intervals=arguments.intervals)
        for (lower, higher), value in _cells(cells.tolist()):
            yield Line("all", "all", f"strength({lower},{higher})", value)


def _highest(grades: Mapping[str, Mapping[str, float]]) -> float:
    return max(grade for levels in grades.values() for grade in levels.values())


def _cells(rows: list[list[float]]) -> Iterator[tuple[tuple[int, int], float]]:
    """Intervals, counted from 1, and their values; empty ones are left out."""
    for i, row in enumerate(rows, 1):
        for j, value in enumerate(row, 1):
            if value == value:
                yield (i, j), value
