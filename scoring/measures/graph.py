"""The preference graph: a directed multigraph with an edge for each judgment that prefers an item."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import isnan
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray


class Edges(NamedTuple):
    """A graph's distinct edges by number, source[i] -> target[i] times[i] times; nodes in docno order."""

    docnos: tuple[str, ...]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    times: NDArray[np.int32]


class Packed(NamedTuple):
    """A graph for the compiled code: its nodes in docno order, and the rest as `kernels.greedy` says."""

    docnos: tuple[str, ...]
    graph: NDArray[np.int32]


class PreferenceGraph:
    """Directed multigraph of a topic's items: u -> v once for each judgment that prefers u to v.

    A tie gives no edge but makes its two items nodes; so does naming an item in `items`. A node is there
    as long as some judgment, or `items`, names it: adding a judgment and removing it leaves no trace.
    Both directions and repeated edges may coexist; an item is never preferred to itself.
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
        self._below: dict[str, dict[str, int]] = {}  # preferred -> other -> how often
        self._above: dict[str, dict[str, int]] = {}  # other -> preferred -> how often
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
        """The preferences that grades imply: one edge for every pair of items with different grades.

        grades: docno -> grade. Items at 0 or below are left out, or `with_zero` below all others.
        Where no grade is above 0 nothing is preferred and the graph is empty, so that PGC is absent as
        compatibility is. Time and memory grow with the number of edges, up to n(n - 1)/2.
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
        items = [levels[grade] for grade in sorted(levels, reverse=True)]
        order = [item for level in items for item in level]
        start = 0
        for level in items:
            end = start + len(level)
            for item in level:
                # One row at a time: a dictionary filled in C, not edge by edge.
                graph._above[item] = dict.fromkeys(order[:start], 1)
                graph._below[item] = dict.fromkeys(order[end:], 1)
                graph._named[item] = 1 + start + len(order) - end
            start = end
        return graph

    def add(self, preferred: str, other: str) -> None:
        """Add one judgment that prefers an item to another."""
        self._refuse_same(preferred, other)
        below = self._below.setdefault(preferred, {})
        below[other] = below.get(other, 0) + 1
        above = self._above.setdefault(other, {})
        above[preferred] = above.get(preferred, 0) + 1
        self._name(preferred, 1)
        self._name(other, 1)

    def remove(self, preferred: str, other: str) -> None:
        """Take one such judgment back. Raises ValueError where there is none."""
        if not self.times(preferred, other):
            raise ValueError(f"no judgment prefers {preferred!r} to {other!r}, so none can be removed")
        for rows, row, item in ((self._below, preferred, other), (self._above, other, preferred)):
            rows[row][item] -= 1
            if not rows[row][item]:
                del rows[row][item]
        self._name(preferred, -1)
        self._name(other, -1)

    def add_tie(self, a: str, b: str) -> None:
        """Add one judgment that two items are equal: they become nodes, without an edge."""
        self._refuse_same(a, b)
        pair = (min(a, b), max(a, b))
        self._ties[pair] = self._ties.get(pair, 0) + 1
        self._name(a, 1)
        self._name(b, 1)

    def remove_tie(self, a: str, b: str) -> None:
        """Take one such judgment back. Raises ValueError where there is none."""
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
        """All items of the graph, those without an edge too, in docno order."""
        return tuple(sorted(self._named))

    @property
    def edge_count(self) -> int:
        """How many judgments prefer one item to another; repeated ones count each time."""
        return sum(sum(row.values()) for row in self._below.values())

    def edges(self) -> Iterator[tuple[str, str, int]]:
        """Each (preferred, other, how often), in no particular order."""
        for preferred, row in self._below.items():
            for other, times in row.items():
                yield preferred, other, times

    def times(self, preferred: str, other: str) -> int:
        """How many judgments prefer the first item to the second."""
        return self._below.get(preferred, {}).get(other, 0)

    def numbered(self) -> Edges:
        """The distinct edges as arrays (edges,), by preferred item. Time grows with nodes and edges."""
        docnos = self.nodes
        number = dict(zip(docnos, range(len(docnos)), strict=True))
        rows = self._below.values()
        lengths = np.fromiter(map(len, rows), np.int32, len(rows))
        count = int(lengths.sum())
        return Edges(
            docnos,
            np.fromiter(map(number.__getitem__, self._below), np.int32, len(rows)).repeat(lengths),
            np.fromiter(map(number.__getitem__, chain.from_iterable(rows)), np.int32, count),
            np.fromiter(chain.from_iterable(row.values() for row in rows), np.int32, count),
        )

    def packed(self) -> Packed:
        """The graph for the compiled code; kept until the next change, and shared: do not alter it."""
        if self._packed is None:
            from .kernels.greedy import pack

            docnos, source, target, times = self.numbered()
            self._packed = Packed(docnos, pack(len(docnos), source, target, times))
        return self._packed

    def __eq__(self, other: object) -> bool:
        """Equal graphs have the same nodes and the same judgments."""
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

    def _name(self, item: str, change: int) -> None:
        self._packed = None
        named = self._named.get(item, 0) + change
        if named:
            self._named[item] = named
            return
        del self._named[item]
        self._below.pop(item, None)
        self._above.pop(item, None)

    @staticmethod
    def _refuse_same(a: str, b: str) -> None:
        if a == b:
            raise ValueError(f"{a!r} cannot be compared with itself")
