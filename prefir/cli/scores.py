"""Commands that score runs: one for each measure of the table that compares rankings with judgments."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from prefir.entry.reader import GRADES
from prefir.formats import BadFile
from prefir.measures.delta import delta_gains
from prefir.measures.graph import PreferenceGraph
from prefir.measures.measure import Inputs, Measure
from prefir.measures.measure_names import name_measure, options_of
from prefir.measures.registry import MEASURES
from prefir.measures.scores import Line, Scores, score
from prefir.measures.tops import top_items

from .commands import (
    Command,
    add_measure_options,
    add_output_options,
    add_present_only_option,
    add_ties_option,
    given,
)
from .files import Runs, grades_of, preferences_of, runs_of, tell_what_is_left_out
from .output import note, steps

FROM_GRADES = """\
QRELS: `topic 0 docno grade`. RUN: `topic Q0 docno rank score tag`. Both may be gzipped."""
FROM_PREFERENCES = """\
PREFS: `topic a b winner`, winner a, b or tie, or `topic preferred other`. RUN: `topic Q0 docno rank score
tag`. Both may be gzipped. With --from-qrels all files named are runs, and grades give the preferences."""
LINES = """\
One line for each run: run, topic, measure and value, with tabs between. The topic `all` stands for the mean
over the judged topics for which the measure has a value. A topic that the run lacks counts as an empty
ranking, usually 0; --present-only leaves it out. A run has its tag as its name; runs with one
tag are told apart by their paths."""

# The names under which ceilings are printed, where runs have theirs.
REACHED, BOUND = "(ceiling)", "(ceiling, at most)"
CEILINGS = f"""\
also print the best value that any ranking of the judged items could have, as the run `{REACHED}`, or as
`{BOUND}` where it is only a bound"""

DELTAS = """\
QRELS are preferences, as PREFS of `prefir pgc`; the grade of an item is its gain from them, how often it was
preferred less how often another was, from 0 for the topic's lowest to 1 for its highest: delta(MEASURE)"""

TRUNCATED = "RBO truncated, times 1 - p, instead of divided by the sum of its weights"


def names() -> list[str]:
    """List the measures that score many runs; each has a command."""
    return [name for name, measure in MEASURES.items() if measure.rows]


def check(measure: Measure, options: Mapping[str, Any]) -> None:
    """Raise ValueError for an option out of its range: before files are read, and without a topic's name."""
    measure.function([], PreferenceGraph() if measure.inputs is Inputs.GRAPH else {}, **options)


def score_runs(
    measure: Measure,
    judged: Mapping[str, Any],
    runs: Runs,
    options: dict[str, Any],
    prepare: Callable[[Any], Any] = lambda each: each,
    *,
    present_only: bool = False,
) -> Scores:
    """Score all runs by a measure, topic by topic with a progress bar; runs have the names that are shown.

    prepare: from a topic's judgments to what the measure takes. present_only: as in `score`.
    Raises ValueError, naming the topic.
    """
    label = name_measure(measure, options)
    _refuse_above(options.get("max_grade"), judged)
    if measure.track:
        options = measure.track(judged) | {
            name: value for name, value in options.items() if value is not None
        }
    parts = []
    topics = [topic for topic in judged if not present_only or runs.rankings.having(topic).any()]
    for topic in steps(topics, measure.title):
        try:
            of_topic = {topic: prepare(judged[topic])}
            parts.append(score(measure.name, of_topic, runs.rankings, present_only=present_only, **options))
        except ValueError as error:
            raise ValueError(f"topic {topic}: {error}") from error
    values = np.concatenate([part.values for part in parts])
    absent = int(np.isnan(values).all(axis=1).sum())
    if absent:
        why = "preferred" if measure.inputs is Inputs.GRAPH else "graded above 0"
        note(f"{label}: {absent:,} of {len(topics):,} topics have no value, as nothing in them is {why}")
    return Scores(label, tuple(topics), tuple(runs.names[run] for run in runs.rankings.runs), values)


def _refuse_above(highest: float | None, judged: Mapping[str, Mapping[str, float]]) -> None:
    """Raise ValueError for a grade above `highest`, naming the docno, which the rows form does not know."""
    if highest is None:
        return
    for topic, grades in judged.items():
        for docno, grade in grades.items():
            if grade > highest:
                raise ValueError(
                    f"topic {topic}: the grade of {docno} is {grade}, above --max-grade {highest}"
                )


def derived(without_zero: bool) -> Callable[[Mapping[str, float]], PreferenceGraph]:
    """Make a function from a topic's grades to the graph of the preferences that they imply."""
    return partial(PreferenceGraph.derived, with_zero=not without_zero)


def command(name: str) -> Command:
    """Make the command of a measure. Raises KeyError where no measure of runs has the name."""
    measure = MEASURES[name]
    if measure.rows is None:
        raise KeyError(name)
    graph = measure.inputs is Inputs.GRAPH
    return Command(
        measure.name,
        f"{measure.title} of runs against {'preferences' if graph else 'grades'}",
        f"{measure.name} {'judgments.pref' if graph else 'qrels.txt'} bm25.run neural.run --per-topic",
        f"{FROM_PREFERENCES if graph else FROM_GRADES}\n{LINES}\nSource: {measure.source}.",
        partial(_configure, measure),
        partial(_run, measure),
    )


def _configure(measure: Measure, parser: ArgumentParser) -> None:
    options = options_of(measure)
    told = {}
    if measure.inputs is Inputs.GRAPH:
        parser.usage = f"{parser.prog} [options] PREFS RUN [RUN ...]\n       "
        parser.usage += f"{parser.prog} [options] --from-qrels QRELS [--without-zero] RUN [RUN ...]"
        parser.add_argument("files", nargs="+", metavar="FILE", help="PREFS and runs, or runs only")
        parser.add_argument("--from-qrels", metavar="QRELS", help="derive the preferences from these grades")
        parser.add_argument("--without-zero", action="store_true", help="leave out items graded 0 or below")
    else:
        parser.add_argument("qrels", metavar="QRELS")
        parser.add_argument("files", nargs="+", metavar="RUN")
        parser.add_argument("--deltas", action="store_true", help=DELTAS)
    if measure.name == "compatibility":
        options = {name: each for name, each in options.items() if name not in ("normalize", "nrbo")}
        parser.add_argument(
            "--no-normalize",
            dest="nrbo",
            action="store_false",
            help="RBO with the ideal ranking itself, not divided by the ideal ranking's own (NRBO)",
        )
        parser.add_argument(
            "--truncated", dest="normalize", action="store_false", help=f"without NRBO, and {TRUNCATED}"
        )
        parser.add_argument(
            "--top",
            type=int,
            metavar="K",
            help="only the K best items of each topic, with those equal to the last",
        )
    elif measure.name == "pgc":
        told["normalize"] = TRUNCATED
    elif measure.name == "err":
        told["max_grade"] = "the highest grade that there can be (default: the highest in QRELS)"
    add_measure_options(parser, options, told)
    add_present_only_option(parser)
    parser.add_argument("--ceilings", action="store_true", help=CEILINGS)
    add_ties_option(parser)
    add_output_options(parser)


def _run(measure: Measure, arguments: Namespace) -> Iterator[Line]:
    options = given(arguments, options_of(measure))
    if measure.name == "compatibility" and not options["normalize"]:
        options["nrbo"] = False
    check(measure, options)
    top = getattr(arguments, "top", None)
    top_items({}, 1 if top is None else top)  # only to check it
    judged: Mapping[str, Any]
    graphs: Mapping[str, PreferenceGraph] = {}
    path, files, prepare = None, arguments.files, lambda each: each
    if measure.inputs is not Inputs.GRAPH:
        path = arguments.qrels
        judged = _deltas(path) if arguments.deltas else grades_of(path)
        if top is not None:
            judged = {topic: top_items(levels, top) for topic, levels in judged.items()}
    elif arguments.from_qrels:
        path, prepare = arguments.from_qrels, derived(arguments.without_zero)
        judged = grades_of(path)
    elif arguments.without_zero:
        raise ValueError("--without-zero goes with --from-qrels: a file of preferences has no grades")
    elif len(files) < 2:
        raise ValueError("give a file of preferences and at least one run, or --from-qrels QRELS and a run")
    else:
        path, *files = files
        try:
            judged = graphs = preferences_of(path).graphs()
        except BadFile as error:
            if GRADES in str(error):
                raise ValueError(f"{path}: {GRADES}; write --from-qrels {path}") from error
            raise
    items: Mapping[str, Any] = {topic: graph.nodes for topic, graph in graphs.items()} if graphs else judged
    runs = runs_of(files, arguments.ties, items)
    tell_what_is_left_out(judged, path, runs, present_only=arguments.present_only)
    scores = score_runs(measure, judged, runs, options, prepare, present_only=arguments.present_only)
    if getattr(arguments, "deltas", False):
        scores = replace(scores, measure=f"delta({scores.measure})")
    yield from scores.lines(per_topic=arguments.per_topic)
    if arguments.ceilings:
        yield from ceilings(measure, judged, scores, options, prepare).lines(per_topic=arguments.per_topic)


def _deltas(path: str) -> dict[str, dict[str, float]]:
    """Gains of the items from a file of preferences; notes the topics in which none has any."""
    gains = {topic: delta_gains(graph) for topic, graph in preferences_of(path).graphs().items()}
    there = {topic: own for topic, own in gains.items() if any(own.values())}
    if not there:
        raise ValueError(
            f"{path} prefers no item of a topic to another on the whole, so that none has a gain"
        )
    if len(there) < len(gains):
        note(f"left out {len(gains) - len(there):,} of {len(gains):,} topics, in which no item has a gain")
    return there


def ceilings(
    measure: Measure,
    judged: Mapping[str, Any],
    scores: Scores,
    options: dict[str, Any],
    prepare: Callable[[Any], Any] = lambda each: each,
) -> Scores:
    """Compute the measure's ceiling on each topic that is scored, as the scores of one more run."""
    if measure.track:
        options = measure.track(judged) | {name: each for name, each in options.items() if each is not None}
    from prefir.measures.ceilings import measure_ceiling

    found = [measure_ceiling(measure.name, prepare(judged[topic]), **options) for topic in scores.topics]
    name = REACHED if all(one.exact for one in found) else BOUND
    return Scores(scores.measure, scores.topics, (name,), np.array([[one.value] for one in found]))
