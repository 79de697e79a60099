"""Two runs at a time: read them, find the topics that both have, print values with their means."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from prefir.formats import RunRecord
from prefir.measures.rbo import ABSENT
from prefir.measures.scores import Line

from .commands import add_output_options, add_ties_option
from .files import numbers_of, run_of
from .output import note, steps

Rankings = Mapping[str, Sequence[str]]

PAIR = """\
RUN1, RUN2 ...: `topic Q0 docno rank score tag`, gzipped or not. RUN1 is compared with each of the others, as
versions with the first one; with --all-pairs each two runs are. One line for each pair: run, topic, measure
and value, with tabs between; the run is `RUN1|RUN2` by their tags, the topic `all` the mean over topics that
both have."""


@dataclass(frozen=True, slots=True)
class RunPair:
    """Two runs and the topics that both have; name: both names with a bar between."""

    name: str
    first: Rankings
    second: Rankings
    topics: Sequence[str]


def add_pair_options(parser: ArgumentParser, *, ordered: bool = True) -> None:
    """Add the runs, which of them are compared, and what is printed of their topics.

    ordered: whether equal scores are put in an order, by --ties.
    """
    parser.add_argument("first", metavar="RUN1")
    parser.add_argument("second", metavar="RUN2")
    parser.add_argument("files", nargs="*", metavar="RUN", help="further runs")
    parser.add_argument("--all-pairs", action="store_true", help="compare each two runs, not only with RUN1")
    parser.add_argument(
        "--top", type=int, metavar="N", help="list the N topics with the largest values, largest first"
    )
    parser.add_argument(
        "--topic-weights",
        metavar="FILE",
        help="lines `topic weight`: means weigh topics so, as by how often they are asked (default: alike)",
    )
    if ordered:
        add_ties_option(parser)
    add_output_options(parser)


def pairs_of(arguments: Namespace, read: Callable[[str], RunRecord] | None = None) -> list[RunPair]:
    """Read the runs of `add_pair_options` and pair them. A run may be compared with itself.

    read: how a run is read from its path; by default without ties, as --ties says.
    Raises BadFile, ValueError where a pair has no topic in common.
    """
    if arguments.top is not None and arguments.top < 1:
        raise ValueError(f"--top is {arguments.top}; it must be at least 1")
    paths = [arguments.first, arguments.second, *arguments.files]
    runs = [read(path) if read else run_of(path, arguments.ties) for path in paths]
    tags = [run.tag for run in runs]
    names = tags if len(set(tags)) == len(tags) else paths
    rankings = [run.rankings for run in runs]
    every = list(combinations(range(len(runs)), 2))
    chosen = every if arguments.all_pairs else every[: len(runs) - 1]
    return [_pair(f"{names[i]}|{names[j]}", rankings[i], rankings[j]) for i, j in chosen]


def _pair(name: str, first: Rankings, second: Rankings) -> RunPair:
    common = [topic for topic in first if topic in second]
    if not common:
        raise ValueError(f"{name}: the runs have no topic in common")
    alone = len(first) + len(second) - 2 * len(common)
    if alone:
        note(f"{name}: left out {alone:,} topic{'s' * (alone > 1)} that only one of the runs has")
    return RunPair(name, first, second, common)


def weights_of(arguments: Namespace, pairs: Sequence[RunPair]) -> Mapping[str, float] | None:
    """Read the topics' weights, if any. Raises ValueError for one below 0 or missing, and where all are 0."""
    if not arguments.topic_weights:
        return None
    weights = numbers_of(arguments.topic_weights, "topic weight")
    for pair in pairs:
        for topic in pair.topics:
            if not weights.get(topic, -1) >= 0:
                raise ValueError(f"{arguments.topic_weights} has no weight of at least 0 for topic {topic}")
        if not any(weights[topic] for topic in pair.topics):
            raise ValueError(f"{pair.name}: all topics in common have weight 0")
    return weights


def value_by_topic(
    pair: RunPair, told: str, function: Callable[[str, Sequence[str], Sequence[str]], float]
) -> dict[str, float]:
    """Compute a value for each topic with a progress bar. Raises ValueError, naming the topic."""
    values = {}
    for topic in steps(pair.topics, told):
        try:
            values[topic] = function(topic, pair.first[topic], pair.second[topic])
        except ValueError as error:
            raise ValueError(f"topic {topic}: {error}") from error
    return values


def pair_lines(
    pair: RunPair,
    label: str,
    values: Mapping[str, float],
    arguments: Namespace,
    weights: Mapping[str, float] | None,
) -> Iterator[Line]:
    """Iterate over a pair's lines: each topic's or the largest values, if asked for, and the mean."""
    there = {topic: value for topic, value in values.items() if value == value}
    if arguments.top is not None:
        largest = sorted(there, key=there.__getitem__, reverse=True)[: arguments.top]
        shown = {topic: there[topic] for topic in largest}
    else:
        shown = there if arguments.per_topic else {}
    for topic, value in shown.items():
        yield Line(pair.name, topic, label, value)
    yield Line(pair.name, "all", label, weighted_mean(there, weights))


def weighted_mean(values: Mapping[str, float], weights: Mapping[str, float] | None) -> float:
    """Mean over topics, as an exact sum; nan where there is no topic, or no weight."""
    heavy = {topic: 1.0 if weights is None else weights[topic] for topic in values}
    total = fsum(heavy.values())
    return fsum(heavy[topic] * value for topic, value in values.items()) / total if total else ABSENT
