"""The crowd strategy: rounds of random pairings that reduce the pool, then a final of all pairs."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import Any

from .pairings import draw_pairs
from .state import LedgerReader, Pair, Place, RoundState, State, check_settings
from .strategy import Forecast, Settings, SettingsError, Strategy


class Crowd(Strategy):
    """Strategy for many assessors with a few pairs each: `play`."""

    name = "crowd"
    title = "Crowd: rounds of random pairings, then a final of all pairs"
    defaults = {"k": 5, "final_size": 9, "pairings": 7, "judgments_per_pair": 1}
    limits = {"k": (1, 1000), "final_size": (2, 1000), "pairings": (1, 1000), "judgments_per_pair": (1, 100)}
    eliminates = True

    def check(self, settings: Settings) -> None:
        """Also refuse a final that is smaller than the top k."""
        super().check(settings)
        full = self.complete(settings)
        if full["final_size"] < full["k"]:
            raise SettingsError(
                "final_size", f"The final has to hold at least the {full['k']} items that it is to find (k)."
            )

    def play(
        self,
        pool: Iterable[int],
        answers: Mapping[Any, Sequence[Any]],
        settings: Settings,
        *,
        seed: str,
        aside: Collection[Any] = (),
    ) -> State:
        """Replay the tournament by the rules of the function `play`."""
        return play(pool, answers, **self.complete(settings), seed=seed, aside=aside)

    def first_pairs(self, size: int, settings: Settings) -> int:
        """Pairs of the first round."""
        full = self.complete(settings)
        return round_pairs(size, full["final_size"], full["pairings"])

    def forecast(self, sizes: Iterable[int], settings: Settings) -> Forecast:
        """Forecast `about` as if half of a pool stays in each round, `most` as if as many stay as can."""
        full = self.complete(settings)
        final_size, pairings, per_pair = full["final_size"], full["pairings"], full["judgments_per_pair"]
        pools = list(sizes)
        return Forecast(
            least=per_pair * sum(round_pairs(size, final_size, pairings) for size in pools),
            about=per_pair * sum(_halving_pairs(size, final_size, pairings) for size in pools),
            most=per_pair * sum(most_pairs(size, final_size, pairings) for size in pools),
        )

    def most_left(
        self, pool_size: int, *, round_size: int | None, answered: int, played: int, settings: Settings
    ) -> int:
        """Most judgments of the last round's open pairs and of all rounds that can follow it."""
        full = self.complete(settings)
        size = pool_size if round_size is None else round_size
        done = 0 if round_size is None else answered
        return (most_pairs(size, full["final_size"], full["pairings"]) - done) * full["judgments_per_pair"]

    def meets_again(self, sizes: Iterable[int], settings: Settings) -> bool:
        """True if a pool is too large to begin with the final: every round asks its pairs afresh."""
        return any(size > self.complete(settings)["final_size"] for size in sizes)


def play(
    pool: Iterable[int],
    answers: Mapping[Pair, Sequence[int]],
    *,
    k: int = 5,
    final_size: int = 9,
    pairings: int = 7,
    judgments_per_pair: int = 1,
    seed: str,
    aside: Collection[Pair] = (),
) -> State:
    """Replay a crowd tournament of random pairings and a final of all pairs.

    pool: items in any order; repeats count once. answers: pair -> its `Choice`s in ledger order.
    k: length of the top; final_size (F): a pool no larger is compared exhaustively; pairings (P):
    how many others each item meets in a round of a larger pool (one item P + 1 when n * P is odd).

    Each round asks its pairs afresh, and takes the next `judgments_per_pair` answers of each that no
    earlier round took; the majority wins, equal numbers win nothing for either. Answers that no
    round takes are ignored. A pair in `aside`, which nobody can judge, is not waited for: the answers
    that it has decide it, and without any it wins nothing for either. The result depends on nothing
    but the arguments, and more answers at the end of a pair's list never change a round that was
    complete, save of a pair in `aside`.

    After a round the items with more than floor(P / 2) wins stay (of fewer meetings, where the pool
    has too few items for P: more than half of those). If nobody has so many, the items with the
    most wins stay; if those are all of them, nothing more can be learned and the tournament ends
    with this one shared place. So the pool shrinks with every round, and every tournament ends.

    The top holds places by wins in the last round until it has k items, all of a tied last place
    included. It holds survivors only: fewer than k if fewer reached the final.

    Raises ValueError for a setting below 1, a pair not written (smaller, larger), or an answer that
    is no `Choice`. Cost O(pairs of all rounds), about n P in all if half of the pool
    is eliminated in each round; 112 items: 1 ms, and 6 ms the first time, when the pairings are drawn.
    """
    check_settings(k=k, final_size=final_size, pairings=pairings, judgments_per_pair=judgments_per_pair)
    ledger = LedgerReader(answers, judgments_per_pair, aside)
    contenders = tuple(sorted(set(pool)))
    rounds: list[RoundState] = []

    def state(top: tuple[Place, ...] | None) -> State:
        return State(tuple(rounds), top, judgments_per_pair)

    while len(contenders) > 1:
        number, final = len(rounds) + 1, len(contenders) <= final_size
        if final:
            pairs = tuple(combinations(contenders, 2))
        else:
            pairs = draw_pairs(contenders, pairings, f"{seed}:{number}")
        leans, open_pairs = ledger.take(pairs)
        wins = None if open_pairs else _count_wins(contenders, leans)
        rounds.append(
            RoundState(number, "final" if final else "reduction", contenders, pairs, wins, open_pairs)
        )
        if wins is None:
            return state(None)
        staying = contenders if final else _survivors(wins, min(pairings, len(contenders) - 1))
        if staying == contenders:
            return state(_places(wins, k))
        contenders = staying
    return state((contenders,) if contenders else ())


def _count_wins(pool: tuple[int, ...], leans: Mapping[Pair, int]) -> dict[int, int]:
    wins = dict.fromkeys(pool, 0)
    for (first, second), lean in leans.items():
        if lean:
            wins[first if lean > 0 else second] += 1
    return wins


def _survivors(wins: Mapping[int, int], meetings: int) -> tuple[int, ...]:
    """Items that won more than half of their meetings; if there are none, those with the most wins."""
    needed = min(meetings // 2 + 1, max(wins.values()))
    return tuple(item for item, won in wins.items() if won >= needed)


def _places(wins: Mapping[int, int], k: int) -> tuple[Place, ...]:
    """Group items by wins, best first, in whole places until there are k items or none are left."""
    by_wins: dict[int, list[int]] = {}
    for item, won in wins.items():
        by_wins.setdefault(won, []).append(item)
    places: list[Place] = []
    for won in sorted(by_wins, reverse=True):
        if sum(map(len, places)) >= k:
            break
        places.append(tuple(by_wins[won]))
    return tuple(places)


def round_pairs(size: int, final_size: int, pairings: int) -> int:
    """Pairs of one round among `size` items: all of them in the final, and where P is size - 1 or more."""
    if size <= final_size or pairings >= size - 1:
        return comb(size, 2)
    return (size * pairings + 1) // 2


def most_staying(size: int, final_size: int, pairings: int) -> int:
    """The most items that can stay after a round of decided pairs among `size` > F items.

    Each of them needs more than half of its meetings, and every pair gives one win.
    """
    return min(
        round_pairs(size, final_size, pairings) // (min(pairings, size - 1) // 2 + 1),
        size - 1,
    )


def most_pairs(size: int, final_size: int, pairings: int) -> int:
    """The most pairs of all rounds from a pool of `size` items on, if every pair is decided.

    O(size) the first time; remembered for all sizes up to the next power of two.
    """
    return _most_table(2 << size.bit_length(), final_size, pairings)[size]


@lru_cache(maxsize=64)
def _most_table(largest: int, final_size: int, pairings: int) -> tuple[int, ...]:
    """`most_pairs` of every size up to `largest`."""
    most, highest = [0, 0], [0, 0]
    for size in range(2, largest + 1):
        pairs = round_pairs(size, final_size, pairings)
        if size > final_size:
            # A smaller pool may need more: all pairs of a large final exceed a round of a few each.
            pairs += highest[most_staying(size, final_size, pairings)]
        most.append(pairs)
        highest.append(max(highest[-1], pairs))
    return tuple(most)


def _halving_pairs(size: int, final_size: int, pairings: int) -> int:
    """Pairs of all rounds if half of the items stay in each, or as many as can where that is fewer."""
    pairs = 0
    while size > final_size:
        pairs += round_pairs(size, final_size, pairings)
        size = min((size + 1) // 2, most_staying(size, final_size, pairings))
    return pairs + round_pairs(size, final_size, pairings)
