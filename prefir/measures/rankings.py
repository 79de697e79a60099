"""Rankings of many runs and topics as numbers, so that compiled loops can score all runs at once."""

import struct
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import count, repeat
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .rbo import rank_of, refuse_unordered

Docno = Hashable


class Rankings:
    """Rankings of many runs for many topics; docnos are numbered within each topic.

    Built at once from run -> topic -> docnos, best first, or run by run with `add`, so that only one
    run's text need be in memory: a ranking takes 4 bytes an item, and each topic's docnos are kept once.
    With `judged`, topic -> items, only these items are kept, which takes a third of the time and is enough
    for measures whose grades or graphs are known beforehand.
    """

    def __init__(
        self,
        runs: Mapping[str, Mapping[str, Sequence[Docno]]] | None = None,
        *,
        judged: Mapping[str, Iterable[Docno]] | None = None,
    ) -> None:
        self._runs: dict[str, int] = {}
        self._numbers: dict[str, dict[Docno, int]] = {}
        self._rows: dict[str, dict[int, NDArray[np.int32]]] = {}
        self._judged = judged
        self._judged_only = judged is not None
        for run, rankings in (runs or {}).items():
            self.add(run, rankings)

    def add(self, run: str, rankings: Mapping[str, Sequence[Docno]]) -> None:
        """Add a run: topic -> distinct docnos, best first; a ranking may be empty.

        Raises ValueError, and adds nothing, where the run was added before or a ranking repeats a docno.
        Time grows with the items.
        """
        if run in self._runs:
            raise ValueError(f"the run {run!r} is there already")
        for ranking in rankings.values():
            refuse_unordered(ranking)
            if len(set(ranking)) < len(ranking):
                rank_of(ranking)  # raises the error that names the docno
        self._add(run, rankings)

    def add_scores(self, run: str, scores: Mapping[str, Mapping[Any, float]]) -> None:
        """Add a run as topic -> docno -> score; rankings are made by `ranked`.

        Raises ValueError, and adds nothing, where the run was added before or a score is not a number.
        """
        if run in self._runs:
            raise ValueError(f"the run {run!r} is there already")
        if not self._judged_only:
            self._add(run, {topic: ranked(scored) for topic, scored in scores.items()})
            return
        self.add_places(
            run, {topic: _places(scored, self._judged_numbers(topic)) for topic, scored in scores.items()}
        )

    def add_places(self, run: str, rows: Mapping[str, NDArray[np.int32]]) -> None:
        """Add a run as topic -> places of its items among the `judged` ones, best first; -1 for others.

        They are trusted. Raises ValueError, and adds nothing, where the run was added before.
        """
        if run in self._runs:
            raise ValueError(f"the run {run!r} is there already")
        number = self._runs[run] = len(self._runs)
        for topic, row in rows.items():
            self._rows.setdefault(topic, {})[number] = row

    def _add(self, run: str, rankings: Mapping[str, Sequence[Docno]]) -> None:
        number = self._runs[run] = len(self._runs)
        for topic, ranking in rankings.items():
            # Either way the whole ranking is one pass in C.
            if self._judged_only:
                codes = map(self._judged_numbers(topic).get, ranking, repeat(-1))
            else:
                # A dictionary that numbers keys as they come.
                numbers = self._numbers.setdefault(topic, defaultdict(count().__next__))
                codes = map(numbers.__getitem__, ranking)
            self._rows.setdefault(topic, {})[number] = np.fromiter(codes, np.int32, len(ranking))

    def _judged_numbers(self, topic: str) -> dict[Docno, int]:
        """Numbers of a topic's judged items, made when they are first needed."""
        if topic not in self._numbers:
            items = (self._judged or {}).get(topic, ())
            self._numbers[topic] = dict(zip(dict.fromkeys(items), count()))
        return self._numbers[topic]

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs, in the order in which they were added."""
        return tuple(self._runs)

    @property
    def topics(self) -> tuple[str, ...]:
        """Topics that some run has, in the order in which they were added."""
        return tuple(self._rows)

    def having(self, topic: str) -> NDArray[np.bool_]:
        """Which runs have a ranking for the topic, even an empty one: bool (runs,)."""
        there = np.zeros(len(self._runs), np.bool_)
        there[list(self._rows.get(topic, ()))] = True
        return there

    def lengths(self, topic: str) -> NDArray[np.int64]:
        """Number of items in each run's ranking for the topic, 0 where it has none: (runs,)."""
        found = np.zeros(len(self._runs), np.int64)
        for run, row in self._rows.get(topic, {}).items():
            found[run] = len(row)
        return found

    def rows(self, topic: str, items: Sequence[Docno] | None = None) -> NDArray[np.int32]:
        """A topic's rankings (runs, longest ranking) as positions in `items`; -1 for others and at the end.

        Without `items` the numbers are the topic's own, from 0 in the order in which docnos were added.
        Where only `judged` items are kept, raises ValueError for other items and without `items`.
        Time grows with the rankings plus the items.
        """
        if items is None and self._judged_only:
            raise ValueError("only the judged items have numbers; name the items that are asked for")
        rankings = self._rows.get(topic, {})
        table = np.full((len(self._runs), max(map(len, rankings.values()), default=0)), -1, np.int32)
        if not rankings:
            return table
        position = None
        numbers = self._judged_numbers(topic) if self._judged_only else self._numbers.get(topic, {})
        # Usually `items` are the judged items themselves, whose numbers are their positions already.
        if items is not None and not (self._judged_only and tuple(numbers) == tuple(items)):
            position = np.full(len(numbers) + 1, -1, np.int32)  # the last is read by -1
            for place, docno in enumerate(items):
                number = numbers.get(docno)  # [] would give a new docno a number
                if number is not None:
                    position[number] = place
                elif self._judged_only:
                    raise ValueError(
                        f"{docno!r} is not among the items of {topic!r} that these rankings were made for"
                    )
        for run, row in rankings.items():
            table[run, : len(row)] = row if position is None else position.take(row)
        return table

    def ranking(self, run: str, topic: str) -> list[Docno]:
        """Docnos of one ranking, best first. Time grows with the topic's docnos.

        Raises KeyError where there is none, and ValueError where only judged items are kept.
        """
        if self._judged_only:
            raise ValueError("only the judged items of a ranking are kept")
        docnos = list(self._numbers[topic])
        return [docnos[number] for number in self._rows[topic][self._runs[run]]]

    def __repr__(self) -> str:
        return f"<Rankings: {len(self._runs)} runs, {len(self._rows)} topics>"


def ranked(scores: Mapping[Any, float]) -> list[Any]:
    """Sort docnos by falling score, equal scores by falling docno, as trec_eval does.

    Raises ValueError where a score is not a number. Time grows with n log n, or with n where the scores
    are sorted already.
    """
    if _falling(_values(scores)):
        return list(scores)  # most files are sorted
    # Two stable sorts, so that no (score, docno) pairs are built and compared.
    return sorted(sorted(scores, reverse=True), key=scores.__getitem__, reverse=True)


def _values(scores: Mapping[Any, float]) -> NDArray[np.float64]:
    try:
        # Half the time of np.array for Python floats.
        values = np.frombuffer(struct.pack(f"{len(scores)}d", *scores.values()), np.float64)
    except struct.error:
        odd = next(docno for docno, score in scores.items() if not isinstance(score, Real))
        raise ValueError(f"the score of {odd!r} is not a number") from None
    if not _falling(values) and np.isnan(values).any():
        odd = list(scores)[int(np.isnan(values).argmax())]
        raise ValueError(f"the score of {odd!r} is not a number")
    return values


def _falling(values: NDArray[np.float64]) -> bool:
    """Whether each value is below the one before; False with nan among them."""
    return values.size > 1 and bool((values[1:] < values[:-1]).all())


def _places(scores: Mapping[Any, float], numbers: Mapping[Docno, int]) -> NDArray[np.int32]:
    """`ranked` with each docno as its number, or -1; the values of `numbers` count from 0."""
    values = -_values(scores)
    if not _falling(-values):
        values.sort()
        if (values[1:] == values[:-1]).any():
            return np.fromiter(map(numbers.get, ranked(scores), repeat(-1)), np.int32, len(scores))
    # Without equal scores an item's rank is that of its score, so only judged items are looked up.
    row = np.full(len(scores), -1, np.int32)
    found = np.fromiter(map(scores.get, numbers, repeat(np.nan)), np.float64, len(numbers))
    here = (found == found).nonzero()[0]
    row[values.searchsorted(-found[here])] = here
    return row
