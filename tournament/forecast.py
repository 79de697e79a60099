"""How many pairs a crowd tournament may still come to, before its answers are known."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import comb

from collection.models import Study
from prefir import rules


@dataclass(frozen=True)
class Forecast:
    """Judgments that tournaments will need: `least` is certain, `about` a guess, `most` a bound.

    about: half of a pool stays in each round. most: as many stay as can; only answers that leave
    a pair undecided (ties, or a split vote of an even number) can lead further.
    """

    least: int
    about: int
    most: int


def first_pairs(size: int, study: Study) -> int:
    """Pairs that are asked at once about a pool of `size` items: its first round, or first matches."""
    if study.mode == Study.Mode.DEDICATED:
        # The first wave of a knock-out tree of n leaves: leaves n..2n-1, those with a sibling play.
        return size // 2
    return crowd_pairs(size, study.final_size, study.pairings)


def crowd_pairs(size: int, final_size: int, pairings: int) -> int:
    """Pairs of one round among `size` items: all in the final and where nobody has P others to skip."""
    if size <= final_size or pairings >= size - 1:
        return comb(size, 2)
    return (size * pairings + 1) // 2


def judgments(sizes: Iterable[int], study: Study) -> Forecast:
    """The judgments from the first round to the end, for pools of these sizes."""
    pools = [size for size in sizes if size > 1]
    if study.mode == Study.Mode.DEDICATED:
        most = rules.bound(pools, study.k)
        # Everybody but the best has to lose once.
        least = sum(size - 1 for size in pools)
        found = Forecast(least, (least + most) // 2, most)
    else:
        settings = (study.final_size, study.pairings)
        found = Forecast(
            sum(crowd_pairs(size, *settings) for size in pools),
            sum(_halving(size, *settings) for size in pools),
            sum(most_pairs(size, *settings) for size in pools),
        )
    per_pair = study.judgments_per_pair
    return Forecast(found.least * per_pair, found.about * per_pair, found.most * per_pair)


def most_pairs(size: int, final_size: int, pairings: int) -> int:
    """Pairs of all rounds from a pool of `size` on, when as many items stay as decided answers allow.

    O(size) the first time; remembered for all sizes up to the next power of two.
    """
    return _most_table(2 << size.bit_length(), final_size, pairings)[size]


def most_staying(size: int, final_size: int, pairings: int) -> int:
    """The most items that can stay after a round of decided answers among `size` > F items.

    Each needs more than half of its meetings, and there is one win a pair.
    """
    return crowd_pairs(size, final_size, pairings) // (min(pairings, size - 1) // 2 + 1)


@lru_cache(maxsize=64)
def _most_table(largest: int, final_size: int, pairings: int) -> tuple[int, ...]:
    """`most_pairs` of every size up to `largest`."""
    most, highest = [0, 0], [0, 0]
    for size in range(2, largest + 1):
        pairs = crowd_pairs(size, final_size, pairings)
        if size > final_size:
            # A smaller pool may need more: all pairs of a large final exceed a round of a few each.
            pairs += highest[min(most_staying(size, final_size, pairings), size - 1)]
        most.append(pairs)
        highest.append(max(highest[-1], pairs))
    return tuple(most)


def _halving(size: int, final_size: int, pairings: int) -> int:
    pairs = 0
    while size > final_size:
        pairs += crowd_pairs(size, final_size, pairings)
        size = (size + 1) // 2
    return pairs + crowd_pairs(size, final_size, pairings)
