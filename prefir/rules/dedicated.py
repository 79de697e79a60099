"""The strategy for dedicated assessors: single elimination and a heap, with few judgments.

Source: Clarke, Vtyurina & Smucker, "Assessing top-k preferences", TOIS 39(3), 2021.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from random import Random
from typing import Any

from .pairings import shuffled
from .state import LedgerReader, Pair, Place, RoundState, State, check_settings
from .strategy import Settings
from .waves import Waves


class Dedicated(Waves):
    """Strategy for a few assessors who judge whole topics: `play_dedicated`."""

    name = "dedicated"
    title = "Dedicated assessors: single elimination and a heap"

    def play(
        self,
        pool: Iterable[int],
        answers: Mapping[Any, Sequence[Any]],
        settings: Settings,
        *,
        seed: str,
        aside: Collection[Any] = (),
    ) -> State:
        """Replay the tournament by the rules of the function `play_dedicated`."""
        return play_dedicated(pool, answers, **self.complete(settings), seed=seed, aside=aside)

    def most_matches(self, size: int, k: int) -> int:
        """`bound` of one pool."""
        return bound([size], k)


def bound(pool_sizes: Iterable[int], k: int) -> int:
    """Upper bound of the judgments of `play_dedicated`: sum of n + (k - 1) * ceil(log2 n) over pools, n > 0.

    pool_sizes: one per topic, pools built for this k. Raises ValueError for k < 1 or a size below 0.
    """
    check_settings(k=k)
    sizes = list(pool_sizes)
    if any(size < 0 for size in sizes):
        raise ValueError(f"The pool sizes include {min(sizes)}; a size must be 0 or more.")
    # (n - 1).bit_length() is ceil(log2 n) without rounding.
    return sum(size + (k - 1) * (size - 1).bit_length() for size in sizes if size)


def play_dedicated(
    pool: Iterable[int],
    answers: Mapping[Pair, Sequence[int]],
    *,
    k: int,
    judgments_per_pair: int = 1,
    seed: str,
    aside: Collection[Pair] = (),
) -> State:
    """Replay a knock-out that finds the best item, then, replaying only its path, the next, to k items.

    Arguments, the reading of `answers` and the errors are those of `play`. A round is a wave:
    all matches whose two sides are known, played together, so the order in which answers arrive
    changes nothing. Its pool is the items that meet, and a win means going on; of a tie, the item
    that is earlier in the seeded order goes on. So every place of the top holds one item.

    No pair is asked twice: anyone who loses a match waits at that very match until its winner is
    placed, and meets there only items that have not yet come so far. With answers that agree with
    an order of the items the top is exactly right; with any others it still ends, after at most
    `bound([n], k)` pairs. Waves: ceil(log2 n) for the best and at most ceil(log2 n) - 1 for each
    further place. Cost O(n log n + k (log n)^2).
    """
    check_settings(k=k, judgments_per_pair=judgments_per_pair)
    ledger = LedgerReader(answers, judgments_per_pair, aside)
    tree = _Tree(shuffled(tuple(sorted(set(pool))), Random(f"{seed}:0")))
    rounds: list[RoundState] = []
    top: list[Place] = []
    while len(top) < k:
        matches = tree.matches()
        if not matches:
            best = tree.remove_best()
            if best is None:
                break
            top.append((best,))
            continue
        pairs = tuple(sorted(matches))
        leans, open_pairs = ledger.take(pairs)
        players = sorted(item for pair in pairs for item in pair)
        wins = None
        if not open_pairs:
            winners = {tree.decide(matches[pair], pair, leans[pair]) for pair in pairs}
            wins = {item: int(item in winners) for item in players}
        rounds.append(RoundState(len(rounds) + 1, "match", tuple(players), pairs, wins, open_pairs))
        if wins is None:
            return State(tuple(rounds), None, judgments_per_pair)
    return State(tuple(rounds), tuple(top), judgments_per_pair)


class _Tree:
    """Knock-out tree of n leaves as an array: match i is between the winners of 2i and 2i + 1.

    Leaves are n..2n-1, so none is deeper than ceil(log2 n). A node holds an item, or None where
    all of its items have been removed; a node in `undecided` holds nothing that counts.
    """

    def __init__(self, order: Sequence[int]) -> None:
        self._leaf = {item: len(order) + position for position, item in enumerate(order)}
        self._node: list[int | None] = [None] * len(order) + list(order)
        # Children before parents, so that one pass lets items without opponents rise all the way.
        self._undecided = dict.fromkeys(range(len(order) - 1, 0, -1))

    def matches(self) -> dict[Pair, int]:
        """Find the matches that can be played now: pair -> node."""
        found: dict[Pair, int] = {}
        for node in list(self._undecided):
            if 2 * node in self._undecided or 2 * node + 1 in self._undecided:
                continue
            left, right = self._node[2 * node], self._node[2 * node + 1]
            if left is not None and right is not None:
                found[min(left, right), max(left, right)] = node
            else:
                self._node[node] = right if left is None else left
                del self._undecided[node]
        return found

    def decide(self, node: int, pair: Pair, lean: int) -> int:
        """Put the winner of `pair` into its node and return it; of a tie, the item with the earlier leaf."""
        first, second = pair
        ahead = lean > 0 if lean else self._leaf[first] < self._leaf[second]
        winner = first if ahead else second
        self._node[node] = winner
        del self._undecided[node]
        return winner

    def remove_best(self) -> int | None:
        """Remove the item at the root, leave its path undecided, and return it; None if no item is left."""
        best = self._node[1] if len(self._node) > 1 else None
        if best is None:
            return None
        node = self._leaf[best]
        self._node[node] = None
        while node > 1:
            node //= 2
            self._undecided[node] = None
        return best
