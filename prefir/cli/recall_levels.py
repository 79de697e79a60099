"""Command `rpp`: which of two runs serves a searcher better, level of recall by level of recall."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from prefir.measures.recall_levels import WEIGHTS, lexiprecision, lexirecall, recall_paired_preference
from prefir.measures.scores import Line

from .commands import Command
from .files import Grades, grades_of
from .output import note
from .run_pairs import PAIR, add_pair_options, pair_lines, pairs_of, value_by_topic, weights_of

DESCRIPTION = f"""\
{PAIR}
QRELS: `topic 0 docno grade`. Values lie between -1 and 1, above 0 where the first run of a pair is better:
rpp over all levels of recall, lexiprecision at the first level where the two differ, lexirecall at the last.
Topics without a relevant item are left out.
Source: Diaz & Ferraro, SIGIR 2022; Diaz, arXiv 2306.07908, 2023; Diaz, Ekstrand & Mitra, arXiv 2302.11370."""


def commands() -> list[Command]:
    """List the command rpp."""
    return [
        Command(
            "rpp",
            "Which of two runs finds the relevant items earlier: recall-paired and lexicographic preferences",
            "rpp qrels.txt bm25.run neural.run",
            DESCRIPTION,
            _configure,
            _rpp,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("qrels", metavar="QRELS")
    parser.add_argument(
        "--relevant", type=float, default=1, help="the lowest relevant grade (default: %(default)s)"
    )
    parser.add_argument(
        "--weights",
        choices=tuple(WEIGHTS),
        default="equal",
        help="what level i of recall weighs in rpp: 1, 1 / i, or 1 / log2(i + 1) (default: %(default)s)",
    )
    add_pair_options(parser)


def _rpp(arguments: Namespace) -> Iterator[Line]:
    relevant = arguments.relevant
    functions: dict[str, Callable[..., float]] = {
        "rpp": partial(recall_paired_preference, relevant=relevant, weights=arguments.weights),
        "lexiprecision": partial(lexiprecision, relevant=relevant),
        "lexirecall": partial(lexirecall, relevant=relevant),
    }
    functions["rpp"]([], [], {})  # only to check the options
    grades = grades_of(arguments.qrels)
    there = {topic: own for topic, own in grades.items() if max(own.values(), default=0) >= relevant}
    if not there:
        raise ValueError(f"{arguments.qrels} has no item with a grade of at least {relevant:g}")
    pairs = pairs_of(arguments)
    weights = weights_of(arguments, pairs)
    for pair in pairs:
        for name, function in functions.items():
            values = value_by_topic(pair, name, partial(_value, function, there))
            yield from pair_lines(pair, name, values, arguments, weights)
    if left := len(grades) - len(there):
        note(f"left out {left:,} of {len(grades):,} topics, which have no relevant item")


def _value(function: Callable[..., float], grades: Grades, topic: str, a: Any, b: Any) -> float:
    return function(a, b, grades[topic]) if topic in grades else float("nan")
