"""Times under two ways of asking: medians of pairs, and scipy's paired t-test over them."""

from math import nan

import pytest
from scipy.stats import ttest_rel

from prefir.measures import compare_times


def test_pairs_of_a_topic_are_compared_by_their_medians_whichever_way_round():
    strict = {
        ("t", "a", "b"): [3, 9, 4],
        ("t", "c", "a"): [5, nan],
        ("t", "b", "c"): [2, 6],
        ("u", "a", "b"): [1.0],
        ("t", "d", "a"): [nan],
    }
    weak = {("t", "b", "a"): [3], ("t", "a", "c"): [2], ("t", "b", "c"): [3, 3.5], ("t", "a", "d"): [1]}
    found = compare_times(strict, weak)
    assert list(found) == ["t"]
    assert (found["t"].topics, found["t"].wins) == (3, 3)
    assert found["t"].difference == pytest.approx((4 + 5 + 4) / 3 - (3 + 2 + 3.25) / 3)
    assert found["t"].t_p == pytest.approx(ttest_rel([4, 5, 4], [3, 2, 3.25]).pvalue)
