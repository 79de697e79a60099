"""What a tournament is made of: choices, rounds and states, and the reading of answers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

Pair = tuple[int, int]
"""Two items, the smaller key first."""

Place = tuple[int, ...]
"""Items that share a place, ascending."""


class Choice(IntEnum):
    """An answer to a pair: which of the two, the smaller key being the first, was preferred."""

    TIE = 0
    FIRST = 1
    SECOND = 2


_LEAN: Mapping[int, int] = {Choice.TIE: 0, Choice.FIRST: 1, Choice.SECOND: -1}


@dataclass(frozen=True)
class Round:
    """One round: its questions, and its result once all of them are answered.

    kind: "reduction" (random pairings), "final" (all pairs), "match" (a wave of the dedicated mode).
    pool: the items that meet in this round, ascending. pairs: who meets whom, ascending, none twice.
    wins: item -> pairs it won, for every item of the pool; None while a pair is open.
    open_pairs: the pairs that still lack judgments.
    """

    number: int  # from 1
    kind: Literal["reduction", "final", "match"]
    pool: tuple[int, ...]
    pairs: tuple[Pair, ...]
    wins: Mapping[int, int] | None
    open_pairs: tuple[Pair, ...]

    @property
    def complete(self) -> bool:
        """Whether every pair has all its judgments."""
        return not self.open_pairs

    @property
    def answered(self) -> int:
        """How many of the pairs have all their judgments."""
        return len(self.pairs) - len(self.open_pairs)


@dataclass(frozen=True)
class State:
    """A tournament as far as the answers carry it: only the last round may be incomplete.

    top: places, best first, once finished; else None. Empty for an empty pool.
    """

    rounds: tuple[Round, ...]
    top: tuple[Place, ...] | None
    judgments_per_pair: int = 1

    @property
    def finished(self) -> bool:
        """Whether nothing is left to ask."""
        return self.top is not None

    @property
    def open_pairs(self) -> tuple[Pair, ...]:
        """The pairs of the current round that still lack judgments."""
        return self.rounds[-1].open_pairs if self.rounds else ()

    def wanted(self) -> dict[Pair, int]:
        """Pair -> judgments asked for over all rounds so far, answered or not.

        What a pair still lacks is this less the judgments it has (never below 0).
        """
        asked = Counter(pair for round_ in self.rounds for pair in round_.pairs)
        return {pair: times * self.judgments_per_pair for pair, times in asked.items()}


class LedgerReader:
    """Hands out the judgments of each pair in ledger order, each of them once."""

    def __init__(self, answers: Mapping[Pair, Sequence[int]], judgments_per_pair: int) -> None:
        """answers: pair -> `Choice`s. Raises ValueError for a pair not written (smaller, larger)."""
        for first, second in answers:
            if first >= second:
                raise ValueError(
                    f"The pair ({first}, {second}) must be written with the smaller key first, "
                    "and its choices turned round with it."
                )
        self._answers = answers
        self._per_pair = judgments_per_pair
        self._taken: dict[Pair, int] = {}

    def take(self, pairs: Iterable[Pair]) -> tuple[dict[Pair, int], tuple[Pair, ...]]:
        """Give the next judgments of each pair: (lean of each answered pair, pairs still open).

        A lean is above 0 if the majority prefers the first item, below 0 the second, 0 for a tie.
        """
        leans: dict[Pair, int] = {}
        open_pairs = []
        for pair in pairs:
            start = self._taken.get(pair, 0)
            stop = self._taken[pair] = start + self._per_pair
            choices = self._answers.get(pair, ())[start:stop]
            if len(choices) < self._per_pair:
                open_pairs.append(pair)
                continue
            try:
                leans[pair] = sum([_LEAN[choice] for choice in choices])
            except KeyError as error:
                raise ValueError(
                    f"The answer {error} to the pair {pair} is none of 0 (tie), 1 (first), 2 (second)."
                ) from error
        return leans, tuple(open_pairs)


def check_settings(**settings: int) -> None:
    """Raise ValueError, naming the setting, if any is below 1."""
    for name, value in settings.items():
        if value < 1:
            raise ValueError(f"{name} is {value}; it must be at least 1.")
