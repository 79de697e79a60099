"""Intervals hold the truth about as often as they say, finished and unfinished topics mixed."""

import pytest

from bench import coverage
from bench.coverage import Situation
from tests.public_data import needs_data

pytestmark = [*needs_data, pytest.mark.slow]


@pytest.fixture(scope="module")
def played():
    return coverage.bank(coverage.grades_of(coverage.QRELS), times=1)


def test_intervals_and_order_with_unfinished_topics(played):
    """200 studies of 60 topics. Six intervals of each study depend on the same topics, so their share may be
    off by some hundredths.
    """
    pgc, compatibility = coverage.covered(played, Situation("mixed", 60, (0.4, 0.3, 0.15)), 200)
    assert 0.92 <= pgc.held <= 0.98
    assert 0.92 <= compatibility.held <= 0.98
    assert compatibility.mixed < 0.8  # over all whole topics, whatever their ideal rests on
    assert min(pgc.ranks, compatibility.ranks) >= 0.95
    assert min(pgc.tau, compatibility.tau) >= 0.95


def test_intervals_of_five_topics(played):
    """Where percentiles of a bootstrap hold the truth 84 times in 100."""
    for one in coverage.covered(played, Situation("few", 5, (1.0, 0.0, 0.0)), 200):
        assert 0.92 <= one.held <= 0.98
