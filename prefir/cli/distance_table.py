"""The command `distances`: all pairs of runs by several distances, and how these go together."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from prefir.measures.matrices import DISTANCES, DistanceTotals, topic_distances
from prefir.measures.rankings import Rankings
from prefir.measures.scores import Line
from prefir.measures.significance import rank_correlation

from .commands import Command, add_ties_option
from .files import families_of, names_of, refuse_twice, run_of
from .output import note, steps

DESCRIPTION = f"""\
RUN: `topic Q0 docno rank score tag`, gzipped or not. Distances: {", ".join(DISTANCES)}, over the
first K items; with @K, as med-ndcg@5, over the first K for that one. Lines: run, topic, measure and value,
with tabs between; the run is `RUN1|RUN2`, the topic `all` the mean over topics that both have. Of the run
`all`: tau(D1,D2), Kendall's tau-b of the pairs of runs by two distances. -o draws the first distance against
the second, a point for each pair of runs; with --families bars of the first, of the pairs within each family,
in the colours of their variants. Source: Tan & Clarke, TKDE 27(11), 2015, figures 1, 3."""


def commands() -> list[Command]:
    """List the command distances."""
    return [
        Command(
            "distances",
            "All pairs of runs by several distances, and how these go together",
            "distances *.run --distance med-ndcg,rbo -k 20 -o scatter.svg",
            DESCRIPTION,
            _configure,
            _distances,
        )
    ]


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", metavar="RUN")
    parser.add_argument(
        "--distance",
        default="med-ndcg,med-rbp,rbo",
        metavar="D,...",
        help="distances, with commas between (default: %(default)s)",
    )
    parser.add_argument("-k", type=int, default=20, help="look at the first K items (default: %(default)s)")
    parser.add_argument("-o", "--output", metavar="FILE.svg", help="the drawing to write")
    parser.add_argument(
        "--families",
        metavar="FILE",
        help="lines `run family variant`, as of a group and the kind of its queries: -o draws bars",
    )
    add_ties_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON list of objects instead of lines")


def _distances(arguments: Namespace) -> Iterator[Line]:
    if len(arguments.files) < 2:
        raise ValueError("there is nothing to compare: give two runs or more")
    kinds = {word: _kind(word, arguments.k) for word in dict.fromkeys(arguments.distance.split(","))}
    if arguments.families and not arguments.output:
        raise ValueError("--families goes with -o: it says which bars are drawn together")
    if arguments.output:
        two = arguments.families or len(kinds) > 1
        if not two or Path(arguments.output).suffix.lower() != ".svg":
            raise ValueError("-o takes the name of an .svg file, and two distances to draw")
    refuse_twice(arguments.files)
    read = {path: run_of(path, arguments.ties) for path in steps(arguments.files, "Reading runs")}
    names = names_of({path: run.tag for path, run in read.items()})
    deepest = max(depth for _, depth in kinds.values())
    runs = Rankings(
        {
            names[path]: {topic: ranking[:deepest] for topic, ranking in run.rankings.items()}
            for path, run in read.items()
        }
    )
    pairs = list(combinations(range(len(read)), 2))
    values = {}
    for word, (kind, depth) in kinds.items():
        means = _means(runs, kind, depth)
        values[word] = [float(means[pair]) for pair in pairs]
    alone = sum(np.isnan(value) for value in next(iter(values.values())))
    if alone:
        note(f"{alone:,} of {len(pairs):,} pairs of runs have no topic in common")
    called = [f"{runs.runs[i]}|{runs.runs[j]}" for i, j in pairs]
    if arguments.output:
        families = families_of(arguments.families, runs.runs) if arguments.families else None
        _draw(arguments.output, called, pairs, values, families)
    return _lines(called, values)


def _kind(word: str, k: int) -> tuple[str, int]:
    """Name of a distance and its depth, of a word such as `med-ndcg@5`. Raises ValueError."""
    name, at, cut = word.partition("@")
    if name not in DISTANCES:
        raise ValueError(f"there is no distance {name!r}; there are {', '.join(DISTANCES)}")
    if at and not cut.isdecimal():
        raise ValueError(f"{word!r} is no distance: write a whole number after @")
    depth = int(cut) if at else k
    if depth < 1:
        raise ValueError(f"k is {depth}; it must be at least 1")
    return name, depth


def _means(runs: Rankings, kind: str, depth: int) -> NDArray[np.float64]:
    totals = DistanceTotals.of(len(runs.runs))
    for topic in steps(runs.topics, DISTANCES[kind].title):
        totals.add(topic_distances(runs.rows(topic)[:, :depth], kind))
    return totals.means


def _draw(
    path: str,
    names: list[str],
    pairs: list[tuple[int, int]],
    values: Mapping[str, list[float]],
    families: list[tuple[str, str]] | None,
) -> None:
    """Draw bars of the first distance within each family, or else the first against the second."""
    from prefir.plots import Look, pair_bars, scatter

    (x, xs), *others = values.items()
    try:
        if families:
            own = [
                (families[i][0], name, " and ".join(sorted((families[i][1], families[j][1]))), value)
                for name, (i, j), value in zip(names, pairs, xs, strict=True)
                if families[i][0] == families[j][0]
            ]
            groups, called, kinds, apart = (
                (list(column) for column in zip(*own, strict=True)) if own else ([],) * 4
            )
            drawing = pair_bars(groups, called, kinds, apart, of=x, look=Look(height=480))
        else:
            y, ys = others[0]
            drawing = scatter(names, xs, ys, x=x, y=y, look=Look(), named=[])
    except ModuleNotFoundError as error:
        raise ValueError(f"-o needs {error.name}, which is not installed") from error
    Path(path).write_bytes(drawing)
    note(f"wrote {path}")


def _lines(names: list[str], values: Mapping[str, list[float]]) -> Iterator[Line]:
    for word, own in values.items():
        for name, value in zip(names, own, strict=True):
            if value == value:
                yield Line(name, "all", word, value)
    for (one, first), (other, second) in combinations(values.items(), 2):
        yield Line("all", "all", f"tau({one},{other})", rank_correlation(first, second))
