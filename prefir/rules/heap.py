"""The heap strategy for dedicated assessors: ties share a place, and each match is played once.

Source: Seifikar, Phan Minh, Arabzadeh, Clarke & Smucker, "A Preference Judgment Tool for Authoritative
Assessment" (JUDGO), SIGIR 2023; ties as in the released program.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from random import Random
from typing import Any

from .pairings import shuffled
from .state import LedgerReader, Pair, Place, RoundState, State, check_settings
from .strategy import Settings
from .waves import Waves


class Heap(Waves):
    """Strategy for a few assessors who may call items equal: `play_heap`."""

    name = "heap"
    title = "Dedicated assessors: a heap in which ties share a place"

    def play(
        self,
        pool: Iterable[int],
        answers: Mapping[Any, Sequence[Any]],
        settings: Settings,
        *,
        seed: str,
        aside: Collection[Any] = (),
    ) -> State:
        """Replay the tournament by the rules of the function `play_heap`."""
        return play_heap(pool, answers, **self.complete(settings), seed=seed, aside=aside)

    def most_matches(self, size: int, k: int) -> int:
        """`heap_bound` of one pool."""
        return heap_bound(size, k)


def heap_bound(size: int, k: int) -> int:
    """Upper bound of the matches of `play_heap` among `size` items while no match is a tie.

    The best costs size - 1 matches. An item plays once in each of the ceil(log2 m) waves of a place among m
    items, so the items under the one that is placed are at most those it beat in all waves so far.
    Raises ValueError for k < 1 or a size below 0.
    """
    check_settings(k=k)
    if size < 0:
        raise ValueError(f"The size is {size}; it must be 0 or more.")
    matches, beaten, line = 0, 0, size
    for placed in range(1, min(k, size) + 1):
        matches += max(0, line - 1)
        waves = max(0, line - 1).bit_length()  # ceil(log2 line) without rounding
        # The winner beat one in each wave; the others lost one.
        line, beaten = min(size - placed, beaten + waves), beaten + max(0, waves - 1)
    return min(matches, comb(size, 2))


@dataclass
class _Node:
    """Items that tied, and the nodes that lost to one of them. Only the first item is shown again."""

    items: list[int]
    below: list["_Node"]


def play_heap(
    pool: Iterable[int],
    answers: Mapping[Pair, Sequence[int]],
    *,
    k: int,
    judgments_per_pair: int = 1,
    seed: str,
    aside: Collection[Pair] = (),
) -> State:
    """Replay a heap: neighbours in a line meet, the winner goes on, until one node is left for each place.

    Arguments, the reading of `answers` and the errors are those of `play`. The line begins in the seeded
    order. Its first two nodes meet, then the next two: the winner goes to the end of the line and
    keeps the loser below it, first of those that it beat. A tie makes one node of both, and from then on the
    first stands for them. The last node is the next place, with all its items; the nodes below it are the
    next line. This goes on until the places hold k items or more.

    A round is a wave: the matches of one pass along the line, played together, so the order in which answers
    arrive changes nothing. No pair is asked twice. Ties are taken to be transitive; the more of them, the
    fewer matches: a pool of equal items takes n - 1, and all share the first place. Without ties at most
    `heap_bound(n, k)` matches, and with answers that agree with an order of the items the top is exactly
    right. Waves of a place among m nodes: ceil(log2 m).
    """
    check_settings(k=k, judgments_per_pair=judgments_per_pair)
    ledger = LedgerReader(answers, judgments_per_pair, aside)
    line = [_Node([item], []) for item in shuffled(tuple(sorted(set(pool))), Random(f"{seed}:0"))]
    rounds: list[RoundState] = []
    top: list[Place] = []
    while line and sum(map(len, top)) < k:
        if len(line) == 1:
            top.append(tuple(sorted(line[0].items)))
            line = line[0].below
            continue
        meetings = list(zip(line[::2], line[1::2], strict=False))
        pairs = tuple(sorted(_pair(one, two) for one, two in meetings))
        leans, open_pairs = ledger.take(pairs)
        players = tuple(sorted(item for pair in pairs for item in pair))
        wins = None
        if not open_pairs:
            wins = dict.fromkeys(players, 0)
            for (first, second), lean in leans.items():
                if lean:
                    wins[first if lean > 0 else second] = 1
        rounds.append(RoundState(len(rounds) + 1, "match", players, pairs, wins, open_pairs))
        if wins is None:
            return State(tuple(rounds), None, judgments_per_pair)
        # A node without a neighbour is the first of the next pass.
        line = line[2 * len(meetings) :] + [_join(one, two, wins) for one, two in meetings]
    return State(tuple(rounds), tuple(top), judgments_per_pair)


def _pair(one: _Node, two: _Node) -> Pair:
    first, second = sorted((one.items[0], two.items[0]))
    return first, second


def _join(one: _Node, two: _Node, wins: Mapping[int, int]) -> _Node:
    """Put the loser of a match below its winner, or make one node of a tie."""
    if wins[one.items[0]]:
        return _Node(one.items, [two, *one.below])
    if wins[two.items[0]]:
        return _Node(two.items, [one, *two.below])
    return _Node(one.items + two.items, one.below + two.below)
