"""Commands `med ...`: maximized effectiveness difference of runs, with few judgments or none."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from prefir.measures import med
from prefir.measures.judgment_sample import keep_judgments
from prefir.measures.registry import MEASURES
from prefir.measures.scores import Line

from .commands import Command, add_measure_options, called, given, options_of
from .files import Grades, grades_of, numbers_of
from .output import note
from .run_pairs import (
    PAIR,
    RunPair,
    add_pair_options,
    pair_lines,
    pairs_of,
    value_by_topic,
    weighted_mean,
    weights_of,
)

MED: Mapping[str, tuple[Callable[..., float], str]] = {
    "precision": (med.med_precision, "maximized difference in precision at k"),
    "rbp": (med.med_rbp, "maximized difference in rank-biased precision"),
    "ndcg": (med.med_ndcg, "maximized difference in nDCG at k"),
    "err": (med.med_err, "maximized difference in expected reciprocal rank"),
    "map": (med.med_map, "maximized difference in average precision at k"),
    "u": (med.med_u, "maximized difference in the U-measure, by lengths of items"),
}
MED_OPTIONS = {
    "relevant": "how many relevant items average precision is divided by: a number, or `assigned` for those "
    "made or known to be relevant (default: K)",
    "max_grade": "grade j is the relevance (2^j - 1) / 2^MAX_GRADE; higher grades are cut to it",
    "depth": "look at the first DEPTH items only; what is below is as if absent",
    "limit": "characters after which nothing counts",
}
# The measure behind each distance, with its options from those of the distance.
ACTUAL: Mapping[str, tuple[str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "precision": ("p", lambda options: {"k": options["k"]}),
    "rbp": ("rbp", lambda options: {"p": options["psi"]}),
    "ndcg": ("ndcg", lambda options: {"k": options["k"], "gain": "exponential"}),
    "err": ("err", lambda options: {"k": options["depth"]}),
    "map": ("ap", lambda options: {"k": options["k"]}),
}
SHARES = """\
--shares draws each share of the judgments of QRELS at random (a larger share holds the smaller ones) and
prints the distance by it, as MEASURE(25%). Beside these it prints `difference`, the absolute difference of
the runs' means in the measure itself by all judgments, as in figure 2 of the paper."""


def commands() -> list[Command]:
    """List the command med."""
    return [
        Command(
            "med",
            "Maximized effectiveness difference of runs, two by two",
            "med rbp bm25.run neural.run",
            commands={
                name: Command(
                    name,
                    f"MED, the {told} that any relevance of the items could give",
                    f"med {name} bm25.run neural.run --top 10"
                    + (" --lengths lengths.txt" if name == "u" else ""),
                    f"{PAIR}\n{SHARES if name in ACTUAL else ''}\nSource: Tan & Clarke, TKDE 27(11), 2015.",
                    partial(_configure, name, function),
                    partial(_med, name, function),
                )
                for name, (function, told) in MED.items()
            },
        ),
    ]


def _configure(name: str, function: Callable[..., float], parser: ArgumentParser) -> None:
    parser.add_argument("--qrels", metavar="QRELS", help="known relevance; ungraded items may be anything")
    if name == "u":
        parser.add_argument(
            "--lengths", metavar="FILE", required=True, help="lines `docno characters`, for all ranked items"
        )
    if name in ACTUAL:
        parser.add_argument(
            "--shares",
            type=_shares,
            metavar="PERCENT,...",
            help="shares of the judgments to know, such as 0,25,75,100; needs --qrels",
        )
        if name != "map":
            parser.add_argument("--seed", type=int, default=0, help="of the draw (default: 0)")
    add_measure_options(parser, options_of(function), MED_OPTIONS)
    add_pair_options(parser)


def _shares(text: str) -> tuple[float, ...]:
    try:
        shares = tuple(float(word) for word in text.split(","))
    except ValueError:
        shares = (-1.0,)
    if not all(0 <= share <= 100 for share in shares):
        raise ArgumentTypeError(f"{text!r} is not a list of percentages, such as 0,25,75,100")
    return tuple(dict.fromkeys(shares))


def _med(name: str, function: Callable[..., float], arguments: Namespace) -> Iterator[Line]:
    options = given(arguments, options_of(function))
    inputs: list[Any] = [numbers_of(arguments.lengths, "docno characters")] if name == "u" else []
    function([], [], *inputs, None, **options)  # only to check the options
    shares = getattr(arguments, "shares", None)
    if shares and not arguments.qrels:
        raise ValueError("--shares goes with --qrels: without it no judgment is known")
    grades = grades_of(arguments.qrels) if arguments.qrels else {}
    pairs = pairs_of(arguments)
    weights = weights_of(arguments, pairs)
    label = called(f"med_{name}", options)
    known = {label: grades}
    if shares:
        known = {
            f"{label}({share:g}%)": keep_judgments(grades, share / 100, seed=arguments.seed)
            for share in shares
        }
    for pair in pairs:
        _tell_of_unjudged(grades, pair.topics, arguments.qrels)
        for told, own in known.items():
            value_of = partial(_value, function, inputs, own, options)
            values = value_by_topic(pair, f"MED-{name}", value_of)
            yield from pair_lines(pair, told, values, arguments, weights)
        if shares:
            yield Line(pair.name, "all", "difference", _difference(name, options, pair, grades, weights))


def _value(
    function: Callable[..., float],
    inputs: Sequence[Any],
    grades: Grades,
    options: Mapping[str, Any],
    topic: str,
    first: Sequence[str],
    second: Sequence[str],
) -> float:
    return function(first, second, *inputs, grades.get(topic), **options)


def _difference(
    name: str,
    options: Mapping[str, Any],
    pair: RunPair,
    grades: Grades,
    weights: Mapping[str, float] | None,
) -> float:
    """Absolute difference of two runs' means in the measure itself; items without a grade count as 0."""
    measure, translate = ACTUAL[name]
    own = translate(options)
    track = MEASURES[measure].track
    if track:
        own = track(grades) | own

    def mean(rankings: Mapping[str, Sequence[str]]) -> float:
        values = {
            topic: MEASURES[measure].of(rankings[topic], grades[topic], **own)
            for topic in pair.topics
            if topic in grades
        }
        return weighted_mean(values, weights)

    return abs(mean(pair.first) - mean(pair.second))


def _tell_of_unjudged(grades: Grades, common: Sequence[str], path: str | None) -> None:
    unjudged = sum(topic not in grades for topic in common)
    if path and unjudged == len(common):
        raise ValueError(f"{path} has none of the runs' topics")
    if path and unjudged:
        note(f"{path} has no grades for {unjudged:,} of {len(common):,} topics; there nothing is known")
