"""Commands `hoeffding`, `overlap` and `map`: compare runs with each other, without judgments."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefir.measures.hoeffding import Run, hoeffding, mean_hoeffding
from prefir.measures.rbo import overlaps, rbo
from prefir.measures.scores import Line
from prefir.measures.system_map import (
    STABILITY_FORMS,
    Distances,
    SystemMap,
    distance_matrix,
    stability,
    system_map,
    weighted_distances,
)

from .commands import Command, add_output_options, add_ties_option, called
from .files import families_of, names_of, numbers_of, refuse_twice, run_of
from .map_svg import map_svg
from .output import note, steps
from .run_pairs import PAIR, Rankings, add_pair_options, pair_lines, pairs_of, value_by_topic, weights_of

WITHOUT_N = """\
Without -n there are, in each topic, the items that the two runs list, so that values of different pairs of
runs do not compare."""


def commands() -> list[Command]:
    """List the commands hoeffding, overlap and map."""
    return [
        Command(
            "hoeffding",
            "Expected weighted Hoeffding distance of two runs",
            "hoeffding bm25.run neural.run -q 1 -n 1000000 -k 20",
            f"{PAIR}\n{WITHOUT_N}\nSource: Sun, Lebanon & Collins-Thompson, WWW 2010.",
            _configure_hoeffding,
            _hoeffding,
        ),
        Command(
            "overlap",
            "The share of their first items that two runs have in common, at each depth, and their RBO",
            "overlap bm25.run neural.run -k 10",
            f"{PAIR}\noverlap@d is the share of the first d items, for d from 1 to K; rbo, rank-biased\n"
            "overlap, looks to --depth. Source: Webber, Moffat & Zobel, TOIS 28(4), 2010.",
            _configure_overlap,
            _overlap,
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


def _configure_hoeffding(parser: ArgumentParser) -> None:
    _add_distance_options(parser)
    add_pair_options(parser)


def _add_distance_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "-q", type=float, default=1.0, help="weights t^-Q; 0 weighs all ranks alike (default: 1)"
    )
    parser.add_argument(
        "--floor",
        type=float,
        default=0.0,
        help="weights max(t^-Q - FLOOR, 0): ranks where nothing is left weigh nothing (default: 0)",
    )
    parser.add_argument("-n", type=int, help="how many items there are (default: in each topic those listed)")
    parser.add_argument("-k", type=int, help="look at the first K items only (default: all)")


def _distance_options(arguments: Namespace) -> dict[str, Any]:
    """Options of the distance. Raises ValueError for bad ones, before any file is read."""
    options = {"n": arguments.n, "q": arguments.q, "floor": arguments.floor}
    mean_hoeffding({}, {}, depth=arguments.k)
    hoeffding(["any"], [], **options)
    return options


def _hoeffding(arguments: Namespace) -> Iterator[Line]:
    options = _distance_options(arguments)
    pairs = pairs_of(arguments)
    weights = weights_of(arguments, pairs)
    label = called("hoeffding", {"k": arguments.k})
    for pair in pairs:
        values = value_by_topic(
            pair, "Hoeffding", lambda _, a, b: hoeffding(a[: arguments.k], b[: arguments.k], **options)
        )
        yield from pair_lines(pair, label, values, arguments, weights)


def _configure_overlap(parser: ArgumentParser) -> None:
    parser.add_argument("-k", type=int, default=10, help="the deepest overlap printed (default: %(default)s)")
    parser.add_argument("-p", type=float, default=0.95, help="persistence of RBO (default: %(default)s)")
    parser.add_argument("--depth", type=int, default=1000, help="depth of RBO (default: %(default)s)")
    parser.add_argument(
        "--truncated", dest="normalize", action="store_false", help="RBO times 1 - p, not renormalised"
    )
    add_pair_options(parser)


def _overlap(arguments: Namespace) -> Iterator[Line]:
    overlaps([], [], depth=arguments.k)  # only to check the options
    options = {name: getattr(arguments, name) for name in ("p", "depth", "normalize")}
    rbo([], [], **options)
    pairs = pairs_of(arguments)
    weights = weights_of(arguments, pairs)
    for pair in pairs:
        shares = {
            topic: overlaps(pair.first[topic], pair.second[topic], depth=arguments.k).tolist()
            for topic in steps(pair.topics, "Overlap")
        }
        for place in range(arguments.k):
            own = {topic: each[place] for topic, each in shares.items()}
            yield from pair_lines(pair, f"overlap@{place + 1}", own, arguments, weights)
        values = value_by_topic(pair, "RBO", lambda _, a, b: rbo(a, b, **options))
        yield from pair_lines(pair, "rbo", values, arguments, weights)


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
    parser.add_argument(
        "--families",
        metavar="FILE",
        help="lines `run family variant`, as of an engine and how it was asked, or its day: families have a "
        "colour and a line through them, variants a sign",
    )
    parser.add_argument(
        "--topic-weights", metavar="FILE", help="lines `topic weight`: topics weigh so (default: alike)"
    )
    _add_distance_options(parser)
    add_ties_option(parser)
    add_output_options(parser)


def _map(arguments: Namespace) -> Iterator[Line]:
    if len(arguments.files) < 2:
        raise ValueError("a map needs two runs or more")
    if not 0 <= arguments.seed < 2**32:
        raise ValueError(f"seed is {arguments.seed}; it must lie between 0 and 2^32 - 1")
    options = _distance_options(arguments)
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
    by_topic = np.stack([_distances(runs, topic, options) for topic in steps(topics, "Distances")])
    weights = numbers_of(arguments.topic_weights, "topic weight") if arguments.topic_weights else None
    distances = weighted_distances(tuple(runs), tuple(topics), by_topic, weights)
    spread = stability(distances, form=arguments.stability)
    plan = system_map(distances, metric=not arguments.non_metric, seed=arguments.seed)
    families = families_of(arguments.families, distances.systems) if arguments.families else None
    told = "sum of variances" if arguments.stability == "variance" else "standard deviation"
    drawing = map_svg(plan, distances.systems, spread, families=families, spread=told)
    Path(arguments.output).write_text(drawing, encoding="utf-8")
    note(f"wrote {arguments.output}")
    return _map_lines(distances, plan, spread, arguments.per_topic)


def _distances(runs: Mapping[str, Rankings], topic: str, options: Mapping[str, Any]) -> NDArray[np.float64]:
    own: dict[str, Run] = {name: {topic: rankings[topic]} for name, rankings in runs.items()}
    return distance_matrix(own, **options).matrix


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
