"""Commands `med`, `hoeffding` and `map`: compare runs with each other, with few judgments or none."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prefir.measures import med
from prefir.measures.hoeffding import Run, hoeffding, mean_hoeffding
from prefir.measures.scores import Line, Scores
from prefir.measures.system_map import (
    STABILITY_FORMS,
    Distances,
    SystemMap,
    distance_matrix,
    stability,
    system_map,
)

from .commands import (
    Command,
    add_measure_options,
    add_output_options,
    add_ties_option,
    called,
    given,
    options_of,
)
from .files import Grades, grades_of, names_of, refuse_twice, run_of
from .map_svg import map_svg
from .output import note, steps

Rankings = Mapping[str, Sequence[str]]

PAIR = """\
RUN1, RUN2: `topic Q0 docno rank score tag`, gzipped or not. One line: run, topic, measure and value, with
tabs between; the run is `RUN1|RUN2` by their tags, the topic `all` the mean over topics that both have."""
WITHOUT_N = """\
Without -n there are, in each topic, the items that the two runs list, so that values of different pairs of
runs do not compare."""
MED: Mapping[str, tuple[Callable[..., float], str]] = {
    "precision": (med.med_precision, "maximized difference in precision at k"),
    "rbp": (med.med_rbp, "maximized difference in rank-biased precision"),
    "ndcg": (med.med_ndcg, "maximized difference in nDCG at k"),
    "err": (med.med_err, "maximized difference in expected reciprocal rank"),
    "map": (med.med_map, "maximized difference in average precision at k"),
}
MED_OPTIONS = {
    "relevant": "how many relevant items average precision is divided by: a number, or `assigned` for those "
    "made or known to be relevant (default: K)",
    "max_grade": "grade j is the relevance (2^j - 1) / 2^MAX_GRADE; higher grades are cut to it",
    "depth": "look at the first DEPTH items only; what is below is as if absent",
}


def commands() -> list[Command]:
    """List the commands med, hoeffding and map."""
    return [
        Command(
            "med",
            "Maximized effectiveness difference of two runs",
            "med rbp bm25.run neural.run",
            commands={
                name: Command(
                    name,
                    f"MED, the {told} that any relevance of the items could give",
                    f"med {name} bm25.run neural.run --qrels qrels.txt --per-topic",
                    f"{PAIR}\nSource: Tan & Clarke, TKDE 27(11), 2015.",
                    partial(_configure_med, function),
                    partial(_med, name, function),
                )
                for name, (function, told) in MED.items()
            },
        ),
        Command(
            "hoeffding",
            "Expected weighted Hoeffding distance of two runs",
            "hoeffding bm25.run neural.run -q 1 -n 1000000 -k 20",
            f"{PAIR}\n{WITHOUT_N}\nSource: Sun, Lebanon & Collins-Thompson, WWW 2010.",
            _configure_hoeffding,
            _hoeffding,
        ),
        Command(
            "map",
            "A map of runs by their Hoeffding distances, as SVG",
            "map *.run -o map.svg -k 20",
            "RUN: `topic Q0 docno rank score tag`, gzipped or not; topics that some run lacks are left out.\n"
            "Lines: x, y and stability (how much its distances vary over topics) of each run;\n"
            "the mean distance of each two runs; and the stress of the map, as of the run `all`.\n"
            "Source: Sun, Lebanon & Collins-Thompson, WWW 2010.",
            _configure_map,
            _map,
        ),
    ]


def _configure_pair(parser: ArgumentParser) -> None:
    parser.add_argument("first", metavar="RUN1")
    parser.add_argument("second", metavar="RUN2")


def _configure_med(function: Callable[..., float], parser: ArgumentParser) -> None:
    _configure_pair(parser)
    parser.add_argument("--qrels", metavar="QRELS", help="known relevance; ungraded items may be anything")
    add_measure_options(parser, options_of(function), MED_OPTIONS)
    add_ties_option(parser)
    add_output_options(parser)


def _med(name: str, function: Callable[..., float], arguments: Namespace) -> Iterator[Line]:
    options = given(arguments, options_of(function))
    function([], [], None, **options)  # only to check the options
    grades = grades_of(arguments.qrels) if arguments.qrels else {}
    pair, first, second = _pair(arguments)
    common = _common(first, second, pair)
    _tell_of_unjudged(grades, common, arguments.qrels)
    values = []
    for topic in steps(common, f"MED-{name}"):
        try:
            values.append(function(first[topic], second[topic], grades.get(topic), **options))
        except ValueError as error:
            raise ValueError(f"topic {topic}: {error}") from error
    table = np.array(values).reshape(-1, 1)
    label = called(f"med_{name}", options)
    return Scores(label, tuple(common), (pair,), table).lines(per_topic=arguments.per_topic)


def _configure_hoeffding(parser: ArgumentParser) -> None:
    _configure_pair(parser)
    _add_distance_options(parser)
    add_ties_option(parser)
    add_output_options(parser)


def _add_distance_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-q", type=float, default=1.0, help="weights t^-Q; 0 weighs all ranks alike (default: 1)"
    )
    parser.add_argument("-n", type=int, help="how many items there are (default: in each topic those listed)")
    parser.add_argument("-k", type=int, help="look at the first K items only (default: all)")


def _check_distance(arguments: Namespace) -> None:
    """Raise ValueError for bad options before any file is read."""
    mean_hoeffding({}, {}, depth=arguments.k)
    hoeffding(["any"], [], n=arguments.n, q=arguments.q)


def _hoeffding(arguments: Namespace) -> Iterator[Line]:
    options = {"depth": arguments.k, "n": arguments.n, "q": arguments.q}
    _check_distance(arguments)
    pair, first, second = _pair(arguments)
    common = _common(first, second, pair)
    label = called("hoeffding", {"k": arguments.k})
    values = [
        mean_hoeffding({topic: first[topic]}, {topic: second[topic]}, **options).mean
        for topic in steps(common, "Hoeffding")
    ]
    table = np.array(values).reshape(-1, 1)
    return Scores(label, tuple(common), (pair,), table).lines(per_topic=arguments.per_topic)


def _configure_map(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="RUN")
    parser.add_argument("-o", "--output", required=True, metavar="MAP.svg", help="the drawing to write")
    parser.add_argument("--non-metric", action="store_true", help="show the order of distances only")
    parser.add_argument("--seed", type=int, default=0, help="of the random starts (default: 0)")
    parser.add_argument(
        "--stability",
        choices=STABILITY_FORMS,
        default="deviation",
        help="the circles and their figure: the root of the mean variance, or the sum of variances as in "
        "equation 14 (default: %(default)s)",
    )
    _add_distance_options(parser)
    add_ties_option(parser)
    add_output_options(parser)


def _map(arguments: Namespace) -> Iterator[Line]:
    if len(arguments.files) < 2:
        raise ValueError("a map needs two runs or more")
    if not 0 <= arguments.seed < 2**32:
        raise ValueError(f"seed is {arguments.seed}; it must lie between 0 and 2^32 - 1")
    _check_distance(arguments)
    if not Path(arguments.output).absolute().parent.is_dir():
        raise ValueError(f"{arguments.output} cannot be written: there is no such folder")
    if not Path(arguments.output).is_dir() and Path(arguments.output).suffix.lower() != ".svg":
        raise ValueError(f"{arguments.output} does not end in .svg, so no map is written over it")
    refuse_twice(arguments.files)
    tags, cut = {}, {}
    for path in steps(arguments.files, "Reading runs"):
        tags[path], rankings = run_of(path, arguments.ties)
        # Cut while reading, so that the rest of a long run is not kept in memory.
        cut[path] = {topic: ranking[: arguments.k] for topic, ranking in rankings.items()}
    names = names_of(tags)
    runs = {names[path]: rankings for path, rankings in cut.items()}
    every = list(dict.fromkeys(topic for run in runs.values() for topic in run))
    topics = [topic for topic in every if all(topic in run for run in runs.values())]
    if not topics:
        raise ValueError("there is no topic that all the runs have")
    if len(topics) < len(every):
        note(f"left out {len(every) - len(topics):,} of {len(every):,} topics, which some run lacks")
    by_topic = np.stack([_distances(runs, topic, arguments) for topic in steps(topics, "Distances")])
    distances = Distances(tuple(runs), tuple(topics), by_topic.mean(axis=0), by_topic)
    spread = stability(distances, form=arguments.stability)
    plan = system_map(distances, metric=not arguments.non_metric, seed=arguments.seed)
    Path(arguments.output).write_text(map_svg(plan, distances.systems, spread), encoding="utf-8")
    note(f"wrote {arguments.output}")
    return _map_lines(distances, plan, spread, arguments.per_topic)


def _distances(runs: Mapping[str, Rankings], topic: str, arguments: Namespace) -> NDArray[np.float64]:
    own: dict[str, Run] = {name: {topic: rankings[topic]} for name, rankings in runs.items()}
    return distance_matrix(own, n=arguments.n, q=arguments.q).matrix


def _map_lines(
    distances: Distances, plan: SystemMap, spread: Sequence[float], per_topic: bool
) -> Iterator[Line]:
    for system, (x, y), stable in zip(distances.systems, plan.points, spread, strict=True):
        yield Line(system, "all", "x", x)
        yield Line(system, "all", "y", y)
        yield Line(system, "all", "stability", stable)
    for (i, one), (j, other) in combinations(enumerate(distances.systems), 2):
        if per_topic:
            for topic, apart in zip(distances.topics, distances.by_topic[:, i, j].tolist(), strict=True):
                yield Line(f"{one}|{other}", str(topic), "hoeffding", apart)
        yield Line(f"{one}|{other}", "all", "hoeffding", float(distances.matrix[i, j]))
    yield Line("all", "all", "stress", plan.stress)


def _pair(arguments: Namespace) -> tuple[str, Rankings, Rankings]:
    """Read two runs: a name for the pair, and their rankings. A run may be compared with itself."""
    first, second = run_of(arguments.first, arguments.ties), run_of(arguments.second, arguments.ties)
    names = [first.tag, second.tag]
    if first.tag == second.tag:
        names = [arguments.first, arguments.second]
    return "|".join(names), first.rankings, second.rankings


def _common(first: Rankings, second: Rankings, pair: str) -> list[str]:
    """Topics that both runs have; notes how many are left out. Raises ValueError where there are none."""
    common = [topic for topic in first if topic in second]
    if not common:
        raise ValueError(f"{pair}: the runs have no topic in common")
    alone = len(first) + len(second) - 2 * len(common)
    if alone:
        note(f"{pair}: left out {alone:,} topic{'s' * (alone > 1)} that only one of the runs has")
    return common


def _tell_of_unjudged(grades: Grades, common: Sequence[str], path: str | None) -> None:
    unjudged = sum(topic not in grades for topic in common)
    if path and unjudged == len(common):
        raise ValueError(f"{path} has none of the runs' topics")
    if path and unjudged:
        note(f"{path} has no grades for {unjudged:,} of {len(common):,} topics; there nothing is known")
