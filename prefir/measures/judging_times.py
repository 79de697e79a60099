"""Times of judgments under two ways of asking, compared topic by topic."""

from collections.abc import Mapping, Sequence
from math import isnan
from statistics import median

from .rbo import ABSENT
from .run_tests import RunComparison, compare_runs

Pair = tuple[str, str, str]
"""A topic and two items."""


def compare_times(
    first: Mapping[Pair, Sequence[float]], second: Mapping[Pair, Sequence[float]]
) -> dict[str, RunComparison]:
    """Compare the seconds that the same pairs took under two ways of asking, for each topic.

    first, second: (topic, a, b) -> seconds of the pair's judgments, nan where unknown; a and b in either
    order. A pair's time is the median of its judgments. Returns topic -> `compare_runs` over the pairs that
    have a time under both, first less second, so that t_p is of the paired two-tailed t-test.
    Source: Xie et al., SIGIR 2020, 3.2 and figure 2 (strict against weak preferences).
    """
    one, two = _medians(first), _medians(second)
    topics: dict[str, list[tuple[float, float]]] = {}
    for pair, seconds in one.items():
        if pair in two:
            topics.setdefault(pair[0], []).append((seconds, two[pair]))
    return {topic: compare_runs([a for a, _ in both], [b for _, b in both]) for topic, both in topics.items()}


def _medians(times: Mapping[Pair, Sequence[float]]) -> dict[Pair, float]:
    found = {}
    for (topic, a, b), seconds in times.items():
        known = [value for value in seconds if not isnan(value)]
        found[topic, min(a, b), max(a, b)] = median(known) if known else ABSENT
    return {pair: value for pair, value in found.items() if not isnan(value)}
