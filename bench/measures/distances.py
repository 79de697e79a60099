"""Distances between rankings without judgments: MED of each measure, and weighted Hoeffding distance."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from prefir.measures.hoeffding import hoeffding_matrix, hoeffding_pairs
from prefir.measures.med import med_err, med_map, med_ndcg_pairs, med_rbp_pairs
from prefir.measures.rankings import Rankings

from . import inputs
from .timing import HEADER, Call, Case, Table, lines

NOTE = """Pairs of the track's runs on a topic, drawn with replacement; nothing is known to be relevant. No
peer on PyPI has these. MED-MAP and MED-ERR are searches, whose time depends on the pair: "mean" is of
{searched} pairs, "slowest" of the one that takes longest, time after time. Tan & Clarke give a second for
MED-MAP@100 and a dozen milliseconds for MED-ERR. The Hoeffding distance is of lists of one topic, among n =
10 million items; `hoeffding_matrix` takes {lists:,} lists, each with each other, and `hoeffding_pairs` rows
of item numbers, {chunk:,} pairs a call."""
CHUNK = 100_000


def cases(size: inputs.Size) -> Iterator[Case]:
    """Many pairs by the closed forms, and some by the searches."""
    track = inputs.track(size)
    rankings = Rankings(track.runs)
    rng = np.random.default_rng(10)
    # Items are numbered through all topics, as the pairs of different topics need it.
    depth = min(100, size.depth)
    tables, start = [], 0
    for topic in track.grades:
        rows = rankings.rows(topic)[:, :depth]
        tables.append(rows + start)
        start += int(rows.max()) + 1
    lists = np.stack(tables)  # (topics, runs, ranks)
    topics = rng.integers(0, len(lists), size.pairs)
    runs = rng.integers(0, size.runs, (2, size.pairs))
    first, second = (lists[topics, side, :20] for side in runs)
    pairs = f"{size.pairs:,} pairs of top 20"
    yield Case(
        f"MED-RBP, {pairs}",
        Call("`med_rbp_pairs` of item numbers", lambda: med_rbp_pairs(first, second)),
        within=5,
    )
    yield Case(
        f"MED-nDCG@20, {pairs}",
        Call("`med_ndcg_pairs` of item numbers", lambda: med_ndcg_pairs(first, second)),
        within=5,
    )
    some = [
        (track.runs[f"run-{a:02}"][topic], track.runs[f"run-{b:02}"][topic])
        for topic, a, b in zip(
            (list(track.grades)[at] for at in topics[: size.searched_pairs]),
            *runs[:, : size.searched_pairs],
            strict=True,
        )
    ]
    yield from searches(
        "MED-MAP@100", "`med_map` of 100 docnos", lambda a, b: med_map(a[:100], b[:100]), some, 0.5
    )
    yield from searches(
        "MED-ERR", "`med_err` of 30 docnos", lambda a, b: med_err(a[:30], b[:30]), some, 0.012
    )
    yield from hoeffding_cases(size, lists[0], rng)


def searches(
    name: str, timed: str, measure: Callable[..., float], pairs: list[Any], within: float
) -> Iterator[Case]:
    """The mean time of the pairs, and the time of the slowest."""
    from time import perf_counter

    def every() -> list[float]:
        return [measure(a, b) for a, b in pairs]

    def alone(pair: Any) -> float:
        started = perf_counter()
        measure(*pair)
        return perf_counter() - started

    every()
    slowest = max(pairs, key=lambda pair: min(alone(pair), alone(pair)))
    yield Case(f"{name}, a pair, mean", Call(timed, every), within=within, each=len(pairs))
    yield Case(f"{name}, the slowest pair, repeated", Call(timed, lambda: measure(*slowest)), within=within)


def hoeffding_cases(size: inputs.Size, lists: Any, rng: np.random.Generator) -> Iterator[Case]:
    """As many pairs, by a matrix of all lists and row by row."""
    count = lists_for(size.pairs)
    # One topic has too few runs: others are those with some neighbours in other order and some items new.
    many = lists[rng.integers(0, len(lists), count)].astype(np.int64)
    many = np.where(rng.random(many.shape) < 0.1, many + rng.integers(1, 9, many.shape) * 10**6, many)
    many = np.take_along_axis(many, np.argsort(np.arange(many.shape[1]) + rng.normal(0, 10, many.shape)), 1)
    many = many.astype(np.int32)
    left, right = (side[: size.pairs] for side in np.triu_indices(count, 1))
    n = 10_000_000
    told = f"Hoeffding distance, {left.size:,} pairs of top {many.shape[1]}"
    yield Case(
        told, Call("`hoeffding_matrix` of item numbers", lambda: hoeffding_matrix(many, n=n)), within=10
    )

    def by_rows() -> None:
        for at in range(0, left.size, CHUNK):
            hoeffding_pairs(many[left[at : at + CHUNK]], many[right[at : at + CHUNK]], n=n)

    yield Case(told, Call("`hoeffding_pairs` of item numbers", by_rows), within=10)


def lists_for(pairs: int) -> int:
    """How many lists have so many pairs."""
    return int((2 * pairs) ** 0.5) + 1


def tables(size: inputs.Size, report: Callable[[str], None]) -> Iterator[Table]:
    """The one table."""
    note = NOTE.format(searched=size.searched_pairs, lists=lists_for(size.pairs), chunk=CHUNK)
    yield Table("Distances between rankings", note, HEADER, lines(cases(size), report))
