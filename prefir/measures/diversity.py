"""Compatibility where items answer subtopics: similarity to the most diverse ranking of a run's own."""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence

from .compatibility import refuse_truncated
from .rbo import ABSENT, ceiling, rank_of, shared_depths, weigh

Subtopics = Mapping[str, Collection[Hashable]]


def ideal_from_subtopics(run: Sequence[str], subtopics: Subtopics) -> tuple[str, ...]:
    """Ideal ranking for a run where items answer subtopics: each time, an item that answers most of those
    subtopics that were answered least so far.

    subtopics: docno -> the subtopics that it answers; items without any are left out. A subtopic all of whose
    items are ranked is no longer asked for. Equal items stand in the run's order, then those that the run
    lacks, by docno. Raises ValueError where the run repeats a docno.
    Source: Clarke, Smucker & Vtyurina, CIKM 2020.
    Time grows with the items squared, times their subtopics.
    """
    rank = rank_of(run)
    left = {docno: frozenset(own) for docno, own in sorted(subtopics.items()) if own}
    waiting = sorted(left, key=lambda docno: rank.get(docno, len(rank)))
    available, answered = Counter(one for own in left.values() for one in own), Counter[Hashable]()
    ideal: list[str] = []
    while waiting:
        open_ones = {one: answered[one] for one in available if answered[one] < available[one]}
        least = min(open_ones.values())
        asked = {one for one, times in open_ones.items() if times == least}
        # The first of equals is taken.
        best = max(waiting, key=lambda docno: len(left[docno] & asked))
        waiting.remove(best)
        ideal.append(best)
        answered.update(left[best])
    return tuple(ideal)


def diversity_compatibility(
    run: Sequence[str],
    subtopics: Subtopics,
    *,
    p: float = 0.95,
    depth: int = 1000,
    normalize: bool = True,
    nrbo: bool = True,
) -> float:
    """RBO of the run with its ideal ranking by subtopics, divided by that ranking's RBO with itself (NRBO).

    run (n,): distinct docnos, best first. subtopics: as of `ideal_from_subtopics`. Options as of
    `compatibility`; the authors' program has no NRBO, and ends at the longer ranking's end and at depth 100.
    Returns a float in [0, 1]; `ABSENT` (nan) where no item answers a subtopic.
    Raises ValueError as `compatibility` does.
    Source: Clarke, Smucker & Vtyurina, CIKM 2020.
    """
    refuse_truncated(nrbo, normalize)
    ideal = ideal_from_subtopics(run, subtopics)
    if not ideal:
        return ABSENT
    (value,) = weigh(shared_depths(rank_of(run), ideal), (p,), depth=depth, normalize=normalize)
    return min(1.0, value / ceiling(len(ideal), (p,), depth, normalize)[0]) if nrbo else value
