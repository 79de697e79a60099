"""Top items of topics: where their grades stand below the best, and how far two assessments share them."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

Levels = Mapping[str, Mapping[Any, float]]


def top_items(levels: Mapping[Any, float], k: int, *, above: float = 0) -> dict[Any, float]:
    """Items of the k highest levels, best first, with all that are equal to the last of them.

    levels: docno -> level or grade; only those `above` this one count, so that the top of a tournament can be
    told from the grades that stand below it. Equal items are in the order given. Fewer than k where fewer are
    above.
    Raises ValueError where k is below 1. Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, 4.3: ties at
    rank k are kept.
    """
    if k < 1:
        raise ValueError(f"k is {k}; it must be at least 1")
    best = sorted(
        (item for item, level in levels.items() if level > above), key=levels.__getitem__, reverse=True
    )
    return {item: levels[item] for item in best if levels[item] >= levels[best[min(k, len(best)) - 1]]}


def steps_below_best(items: Mapping[str, Iterable[Any]], grades: Levels) -> dict[float, int]:
    """Count items by how far their grades are below the highest grade of their topic.

    items: topic -> docnos, such as a pool or the top of an assessment. grades: topic -> docno -> grade. An
    item without a grade counts as 0. Returns difference -> items, smallest difference first. A topic that has
    no grade is left out.
    Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, figures 5 and 8.
    """
    counts: Counter[float] = Counter()
    for topic, own in items.items():
        if grades.get(topic):
            best = max(grades[topic].values())
            counts.update(best - grades[topic].get(item, 0) for item in own)
    return dict(sorted(counts.items()))


@dataclass(frozen=True, slots=True)
class TopComparison:
    """How far two assessments share their top items.

    topics: that both have. same: the best item of the first is the best of the second. within: it is among
    the second's first k, `same` included. outside: it is not. by_topic: topic -> "same", "within" or
    "outside".
    """

    topics: int
    same: int
    within: int
    outside: int
    by_topic: dict[str, str]


def compare_tops(first: Levels, second: Levels, *, k: int = 5, above: float = 0) -> TopComparison:
    """Compare the best items of one assessment with the first k of another, topic by topic.

    first, second: topic -> docno -> level or grade; of the second those `above` this one count, of the first
    those above 0. Of several best items of the first any may be found. Topics that the second lacks, or in
    which the first has no best item, are left out; where the second has none, the first's is outside.
    Raises ValueError where k is below 1.
    Source: Clarke, Vtyurina & Smucker, TOIS 39(3), 2021, figure 7.
    """
    found = {}
    top_items({}, k)  # only to check k
    for topic, levels in first.items():
        best = top_items(levels, 1)
        if best and topic in second:
            same, within = (best.keys() & top_items(second[topic], n, above=above) for n in (1, k))
            found[topic] = "same" if same else "within" if within else "outside"
    counts = Counter(found.values())
    return TopComparison(
        len(found), counts["same"], counts["same"] + counts["within"], counts["outside"], found
    )
