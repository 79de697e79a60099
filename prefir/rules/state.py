"""Parts of a tournament: pairs, choices, rounds and states, and the reader of answers."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

Pair = tuple[int, int]
"""Two items, the smaller key first."""

Asked = tuple[int, ...]
"""What one question of a round is about: a pair, or a grid of picks, ascending."""

Place = tuple[int, ...]
"""Items that share a place, ascending."""


class Choice(IntEnum):
    """Answer to a pair as a lean: above 0 its first item was preferred, below 0 its second.

    Leans of 2 and -2 count like 1 and -1: a pair is won or lost.
    """

    TIE = 0
    FIRST = 1
    SECOND = -1


_SIGNS: Mapping[int, int] = {-2: -1, -1: -1, 0: 0, 1: 1, 2: 1}


@dataclass(frozen=True)
class RoundState:
    """One round: its questions, and its result once all of them are answered.

    kind: "reduction" (random pairings or grids), "final" (all pairs, or the grid of one place), "match" (a
    wave of the dedicated mode).
    pool: the items that meet in this round, ascending. pairs: who meets whom, ascending, none twice; where
    picks are asked, the grids.
    wins: item -> pairs it won (of picks: preferences), for every item of the pool; None while a pair is open.
    open_pairs: pairs, or grids, that still lack judgments.
    """

    number: int  # from 1
    kind: Literal["reduction", "final", "match"]
    pool: tuple[int, ...]
    pairs: tuple[Asked, ...]
    wins: Mapping[int, int] | None
    open_pairs: tuple[Asked, ...]

    @property
    def complete(self) -> bool:
        """True once every pair has all its judgments."""
        return not self.open_pairs

    @property
    def answered(self) -> int:
        """Number of pairs that have all their judgments."""
        return len(self.pairs) - len(self.open_pairs)


@dataclass(frozen=True)
class State:
    """State of a tournament after the answers so far: only its last round may be incomplete.

    top: places, best first, or None until the tournament is finished. Empty for an empty pool.
    """

    rounds: tuple[RoundState, ...]
    top: tuple[Place, ...] | None
    judgments_per_pair: int = 1

    @property
    def finished(self) -> bool:
        """True if nothing is left to ask."""
        return self.top is not None

    @property
    def open_pairs(self) -> tuple[Asked, ...]:
        """Pairs (or grids) of the current round that still lack judgments."""
        return self.rounds[-1].open_pairs if self.rounds else ()

    def wanted(self) -> dict[Asked, int]:
        """Count the judgments asked for over all rounds so far, answered or not: pair -> number.

        A pair still lacks this number less the judgments that it has (never below 0).
        """
        asked = Counter(pair for round_ in self.rounds for pair in round_.pairs)
        return {pair: times * self.judgments_per_pair for pair, times in asked.items()}


class LedgerReader:
    """Reader that hands out the judgments of each pair in ledger order, each judgment once."""

    def __init__(
        self,
        answers: Mapping[Pair, Sequence[int]],
        judgments_per_pair: int,
        aside: Collection[Pair] = (),
    ) -> None:
        """answers: pair -> `Choice`s; aside: pairs that wait for no further choices.

        Raises ValueError for a pair not written (smaller, larger).
        """
        for first, second in answers:
            if first >= second:
                raise ValueError(
                    f"The pair ({first}, {second}) must be written with the smaller key first, "
                    "and its choices turned round with it."
                )
        self._answers = answers
        self._per_pair = judgments_per_pair
        self._aside = frozenset(aside)
        self._taken: dict[Pair, int] = {}

    def take(self, pairs: Iterable[Pair]) -> tuple[dict[Pair, int], tuple[Pair, ...]]:
        """Take the next judgments of each pair: (lean of each answered pair, pairs still open).

        A lean is above 0 if the majority prefers the first item, below 0 the second, 0 for a tie. A pair that
        is set aside is never open: the answers that it has decide it, and without any it is a tie.
        """
        leans: dict[Pair, int] = {}
        open_pairs = []
        for pair in pairs:
            start = self._taken.get(pair, 0)
            stop = self._taken[pair] = start + self._per_pair
            choices = self._answers.get(pair, ())[start:stop]
            if len(choices) < self._per_pair and pair not in self._aside:
                open_pairs.append(pair)
                continue
            try:
                leans[pair] = sum([_SIGNS[choice] for choice in choices])
            except KeyError as error:
                raise ValueError(
                    f"The answer {error} to the pair {pair} is no lean from -2 (second) to 2 (first)."
                ) from error
        return leans, tuple(open_pairs)


def check_settings(**settings: int) -> None:
    """Raise ValueError, naming the setting, if any is below 1."""
    for name, value in settings.items():
        if value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1.")
