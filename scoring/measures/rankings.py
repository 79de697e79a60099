"""Many runs' rankings of many topics as numbers, so that all of them are scored by one compiled loop."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .rbo import rank_of

Docno = Hashable


class Rankings:
    """Rankings of many runs for many topics, each docno written as a number that is the topic's own.

    Built at once from run -> topic -> docnos, best first, or run by run with `add`, so that only one
    run's text need be in memory: a ranking takes 4 bytes an item, and each topic's docnos are kept once.
    """

    def __init__(self, runs: Mapping[str, Mapping[str, Sequence[Docno]]] | None = None) -> None:
        self._runs: dict[str, int] = {}
        self._numbers: dict[str, defaultdict[Docno, int]] = {}
        self._rows: dict[str, dict[int, NDArray[np.int32]]] = {}
        for run, rankings in (runs or {}).items():
            self.add(run, rankings)

    def add(self, run: str, rankings: Mapping[str, Sequence[Docno]]) -> None:
        """Add a run: topic -> distinct docnos, best first; an empty ranking is one, too.

        Raises ValueError, with nothing added, where the run is there or a ranking repeats a docno.
        Time grows with the items.
        """
        if run in self._runs:
            raise ValueError(f"the run {run!r} is there already")
        for ranking in rankings.values():
            if len(set(ranking)) < len(ranking):
                rank_of(ranking)  # refuses it, with the docno's name
        number = self._runs[run] = len(self._runs)
        for topic, ranking in rankings.items():
            # A dictionary that numbers what it has not seen: the whole ranking is one pass in C.
            numbers = self._numbers.setdefault(topic, defaultdict(count().__next__))
            row = np.fromiter(map(numbers.__getitem__, ranking), np.int32, len(ranking))
            self._rows.setdefault(topic, {})[number] = row

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in the order in which they came."""
        return tuple(self._runs)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics that some run has, in the order in which they came."""
        return tuple(self._rows)

    def having(self, topic: str) -> NDArray[np.bool_]:
        """Which runs (runs,) rank something, or at least nothing, for a topic."""
        there = np.zeros(len(self._runs), np.bool_)
        there[list(self._rows.get(topic, ()))] = True
        return there

    def rows(self, topic: str, items: Sequence[Docno] | None = None) -> NDArray[np.int32]:
        """A topic's rankings (runs, longest ranking) as positions in `items`; -1 for others and at the end.

        Without `items` the numbers are the topic's own, from 0 in the order in which docnos came.
        Time grows with the rankings plus the items.
        """
        rankings = self._rows.get(topic, {})
        table = np.full((len(self._runs), max(map(len, rankings.values()), default=0)), -1, np.int32)
        position = None
        if items is not None:
            numbers: Mapping[Docno, int] = self._numbers.get(topic, {})
            position = np.full(len(numbers), -1, np.int32)
            for place, docno in enumerate(items):
                number = numbers.get(docno)  # asking for it by [] would number it
                if number is not None:
                    position[number] = place
        for run, row in rankings.items():
            table[run, : len(row)] = row if position is None else position.take(row)
        return table

    def ranking(self, run: str, topic: str) -> list[Docno]:
        """One ranking's docnos, best first. Raises KeyError where there is none. Cost: the topic's docnos."""
        docnos = list(self._numbers[topic])
        return [docnos[number] for number in self._rows[topic][self._runs[run]]]

    def __repr__(self) -> str:
        return f"<Rankings: {len(self._runs)} runs, {len(self._rows)} topics>"
