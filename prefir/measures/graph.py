"""The preference graph: a directed multigraph with an edge for each judgment that prefers an item."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import isnan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from prefir.extras import require


class Edges(NamedTuple):
    """Distinct edges by node number, source[i] -> target[i] times[i] times; nodes in docno order."""

    docnos: tuple[str, ...]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    times: NDArray[np.int32]


class Packed(NamedTuple):
    """A graph for the compiled code: nodes in docno order, and the array described in `kernels.greedy`."""

    docnos: tuple[str, ...]
    graph: NDArray[np.int32]


class PreferenceGraph:
    """Directed multigraph of a topic's items: u -> v once for each judgment that prefers u to v.

    A tie adds no edge but makes its two items nodes; so does naming an item in `items`. A node stays as
    long as a judgment or `items` names it: adding a judgment and removing it leaves no trace. Edges may
    repeat and may run both ways between two items; an item is never preferred to itself.
    Memory grows with nodes and distinct edges; adding or removing a judgment takes constant time.
    """

    def __init__(
        self,
        judgments: Iterable[tuple[str, str]] = (),
        *,
        ties: Iterable[tuple[str, str]] = (),
        items: Iterable[str] = (),
    ) -> None:
        """judgments: (preferred, other) pairs; ties: pairs in either order; items: further nodes."""
        self._rows: dict[str, dict[str, int]] = {}  # preferred -> other -> how often
        self._levels: list[list[str]] = []  # of a derived graph whose edges were not needed so far
        self._ties: dict[tuple[str, str], int] = {}
        self._named: dict[str, int] = {}  # how often a judgment or `items` names a node
        self._packed: Packed | None = None
        for preferred, other in judgments:
            self.add(preferred, other)
        for a, b in ties:
            self.add_tie(a, b)
        for item in items:
            self._name(item, 1)

    @classmethod
    def derived(cls, grades: Mapping[str, float], *, with_zero: bool = False) -> Self:
        """Derive preferences from grades: one edge for every pair of items with different grades.

        grades: docno -> grade. Items at 0 or below are left out or, `with_zero`, stand below all others.
        Where no grade is above 0 the graph is empty, so that PGC is absent as compatibility is. Time and
        memory grow with the items; the edges, up to n(n - 1)/2, are made only when they are needed.
        Raises ValueError where a grade is not a number.
        """
        graph = cls()
        levels: dict[float, list[str]] = {}
        for item, grade in grades.items():
            if isnan(grade):
                raise ValueError(f"the grade of {item!r} is not a number")
            if grade > 0 or with_zero:
                levels.setdefault(max(grade, 0), []).append(item)
        if not any(grade > 0 for grade in levels):
            return graph
        graph._levels = [levels[grade] for grade in sorted(levels, reverse=True)]
        items = sum(map(len, graph._levels))
        for level in graph._levels:
            graph._named.update(dict.fromkeys(level, 1 + items - len(level)))
        return graph

    @classmethod
    def combined(
        cls, judgments: Iterable[tuple[str, str]], grades: Mapping[str, float], *, with_zero: bool = False
    ) -> Self:
        """Combine grades and judgments: the edges of `derived`, and one more for each judgment."""
        graph = cls.derived(grades, with_zero=with_zero)
        for preferred, other in judgments:
            graph.add(preferred, other)
        return graph

    def add(self, preferred: str, other: str) -> None:
        """Add one judgment that prefers an item to another."""
        self._refuse_same(preferred, other)
        row = self._below.setdefault(preferred, {})
        row[other] = row.get(other, 0) + 1
        self._name(preferred, 1)
        self._name(other, 1)

    def remove(self, preferred: str, other: str) -> None:
        """Remove one judgment that prefers an item to another. Raises ValueError where there is none."""
        if not self.times(preferred, other):
            raise ValueError(f"no judgment prefers {preferred!r} to {other!r}, so none can be removed")
        row = self._below[preferred]
        row[other] -= 1
        if not row[other]:
            del row[other]
        self._name(preferred, -1)
        self._name(other, -1)

    def add_tie(self, a: str, b: str) -> None:
        """Add one judgment that two items are equal: they become nodes without an edge."""
        self._refuse_same(a, b)
        pair = (min(a, b), max(a, b))
        self._ties[pair] = self._ties.get(pair, 0) + 1
        self._name(a, 1)
        self._name(b, 1)

    def remove_tie(self, a: str, b: str) -> None:
        """Remove one judgment that two items are equal. Raises ValueError where there is none."""
        pair = (min(a, b), max(a, b))
        if pair not in self._ties:
            raise ValueError(f"no judgment says that {a!r} and {b!r} are equal, so none can be removed")
        self._ties[pair] -= 1
        if not self._ties[pair]:
            del self._ties[pair]
        self._name(a, -1)
        self._name(b, -1)

    @property
    def nodes(self) -> tuple[str, ...]:
        """All items of the graph, including those without an edge, in docno order."""
        return tuple(sorted(self._named))

    @property
    def edge_count(self) -> int:
        """Number of judgments that prefer one item to another; repeated ones count each time."""
        return sum(sum(row.values()) for row in self._below.values())

    def edges(self) -> Iterator[tuple[str, str, int]]:
        """Iterate over the distinct edges: (preferred, other, how often), in no particular order."""
        for preferred, row in self._below.items():
            for other, times in row.items():
                yield preferred, other, times

    def times(self, preferred: str, other: str) -> int:
        """Number of judgments that prefer the first item to the second."""
        return self._below.get(preferred, {}).get(other, 0)

    def ties(self) -> Iterator[tuple[str, str, int]]:
        """Iterate over the tied pairs: (a, b, how often), a before b in docno order."""
        for (a, b), times in self._ties.items():
            yield a, b, times

    @classmethod
    def from_networkx(cls, graph: Any) -> Self:
        """Make a preference graph from a networkx graph, such as a `MultiDiGraph`: u -> v prefers u to v.

        Parallel edges count each time. Where the graph is not a multigraph, an edge's `weight`, a whole
        number, is how often it counts. Nodes without edges stay nodes. Raises ValueError for undirected
        graphs and self-loops.
        """
        if not graph.is_directed():
            raise ValueError("preferences have a direction; the graph is undirected")
        made = cls(items=(node for node in graph if not graph.degree(node)))
        for u, v, data in graph.edges(data=True):
            times = 1 if graph.is_multigraph() else data.get("weight", 1)
            if times < 1 or times % 1:
                raise ValueError(
                    f"the weight of {u!r} -> {v!r} is {times}; it must count judgments, 1 or more"
                )
            for _ in range(int(times)):
                made.add(u, v)
        return made

    def to_networkx(self) -> Any:
        """Make a networkx `MultiDiGraph`: an edge u -> v for each judgment that prefers u, without ties."""
        require("networkx")
        from networkx import MultiDiGraph

        graph = MultiDiGraph()
        graph.add_nodes_from(self.nodes)
        graph.add_edges_from(edge for *edge, times in self.edges() for _ in range(times))
        return graph

    def numbered(self) -> Edges:
        """Number the distinct edges: arrays (edges,), by preferred item. Time grows with nodes and edges."""
        docnos = self.nodes
        number = dict(zip(docnos, range(len(docnos)), strict=True))
        if self._levels:
            return Edges(docnos, *_between([[number[item] for item in level] for level in self._levels]))
        rows = self._below.values()
        lengths = np.fromiter(map(len, rows), np.int32, len(rows))
        count = int(lengths.sum())
        return Edges(
            docnos,
            np.fromiter(map(number.__getitem__, self._below), np.int32, len(rows)).repeat(lengths),
            np.fromiter(map(number.__getitem__, chain.from_iterable(rows)), np.int32, count),
            np.fromiter(chain.from_iterable(row.values() for row in rows), np.int32, count),
        )

    def numbered_ties(self) -> NDArray[np.int64]:
        """Number the tied pairs: (pairs, 3) of two nodes, in docno order, and how often they tied."""
        number = {docno: place for place, docno in enumerate(self.nodes)}
        return np.array([(number[a], number[b], n) for a, b, n in self.ties()], np.int64).reshape(-1, 3)

    def packed(self) -> Packed:
        """Pack the graph for the compiled code; cached until the next change and shared: do not alter it."""
        if self._packed is None:
            from .kernels.greedy import pack

            docnos, source, target, times = self.numbered()
            self._packed = Packed(docnos, pack(len(docnos), source, target, times))
        return self._packed

    def __eq__(self, other: object) -> bool:
        """Compare nodes and judgments."""
        if not isinstance(other, PreferenceGraph):
            return NotImplemented
        return (
            self._named.keys() == other._named.keys()
            and self._ties == other._ties
            and sorted(self.edges()) == sorted(other.edges())
        )

    __hash__ = None  # type: ignore[assignment]  # a graph changes, so it cannot be a key

    def __repr__(self) -> str:
        return f"<PreferenceGraph: {len(self._named)} items, {self.edge_count} edges>"

    @property
    def _below(self) -> dict[str, dict[str, int]]:
        """Edges as preferred -> other -> how often; may be changed in place."""
        if self._levels:
            order = [item for level in self._levels for item in level]
            start = 0
            for level in self._levels:
                start += len(level)
                # One row at a time: a dictionary filled in C, not edge by edge.
                self._rows.update((item, dict.fromkeys(order[start:], 1)) for item in level)
            self._levels = []
        return self._rows

    def _name(self, item: str, change: int) -> None:
        self._packed = None
        named = self._named.get(item, 0) + change
        if named:
            self._named[item] = named
            return
        del self._named[item]
        self._below.pop(item, None)

    @staticmethod
    def _refuse_same(a: str, b: str) -> None:
        if a == b:
            raise ValueError(f"{a!r} cannot be compared with itself")


def require_graph(graph: Any, *, first: str = "the run comes") -> None:
    """Raise TypeError where something else stands in the graph's place, as when arguments are swapped."""
    if not isinstance(graph, PreferenceGraph):
        raise TypeError(f"{first} first, then the graph; a {type(graph).__name__} is no PreferenceGraph")


def _between(levels: list[list[int]]) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Edges from each level's nodes to those of all lower levels: source, target and times, each (edges,)."""
    order = np.array([node for level in levels for node in level], np.int32)
    ends = np.cumsum([len(level) for level in levels])
    lower = [order[end:] for end in ends]
    source = [np.repeat(level, len(rest)) for level, rest in zip(levels, lower, strict=True)]
    target = [np.tile(rest, len(level)) for level, rest in zip(levels, lower, strict=True)]
    joined = np.concatenate(source).astype(np.int32), np.concatenate(target).astype(np.int32)
    return *joined, np.ones(len(joined[0]), np.int32)
