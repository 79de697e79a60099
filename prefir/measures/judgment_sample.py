"""Samples of judgments: keep a share of the grades, as if the others had not been made."""

from collections.abc import Mapping
from random import Random


def keep_judgments(
    grades: Mapping[str, Mapping[str, float]], share: float, *, seed: int = 0
) -> dict[str, dict[str, float]]:
    """Keep a share of all judgments, drawn at random: topic -> docno -> grade, in the order given.

    share: from 0 to 1, of the judgments of all topics together, rounded to a whole number. With one seed a
    larger share holds the smaller ones. A topic without a judgment left stays, empty.
    Raises ValueError for another share. Time grows with the judgments.
    Source: Tan & Clarke, TKDE 27(11), 2015, figure 2: 0, 25, 75 and 100 % of the judgments.
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share}; it must lie between 0 and 1")
    every = [(topic, docno) for topic, levels in grades.items() for docno in levels]
    Random(seed).shuffle(every)
    kept = set(every[: round(share * len(every))])
    return {
        topic: {docno: grade for docno, grade in levels.items() if (topic, docno) in kept}
        for topic, levels in grades.items()
    }
