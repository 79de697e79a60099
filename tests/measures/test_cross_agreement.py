"""Agreement of two sets of votes: against a count of all pairs of votes, and Cohen's own example."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from prefir.measures import cross_agreement

votes = st.tuples(*[st.integers(0, 3)] * 3).filter(any)
both = st.lists(st.tuples(votes, votes), min_size=1, max_size=8)


@given(both)
def test_share_and_table_count_each_earlier_vote_with_each_later_one(pairs):
    earlier, later = zip(*pairs, strict=True)
    found = cross_agreement(earlier, later, range(len(pairs)), resamples=0)
    table = np.zeros((3, 3))
    for one, other in pairs:
        listed = [[place for place, n in enumerate(own) for _ in range(n)] for own in (one, other)]
        compared = list(product(*listed))
        for a, b in compared:
            table[a, b] += 0.5 / len(compared)
            table[2 - a, 2 - b] += 0.5 / len(compared)
    assert found.table == pytest.approx(table)
    assert found.share == pytest.approx(np.trace(table) / len(pairs))


def test_kappa_is_cohens():
    """From both sides, by sklearn."""
    random = np.random.default_rng(3)
    earlier = random.integers(0, 3, 60)
    later = np.where(random.random(60) < 0.6, earlier, random.integers(0, 3, 60))
    sides = np.concatenate([earlier, 2 - earlier]), np.concatenate([later, 2 - later])
    found = cross_agreement(np.eye(3)[earlier], np.eye(3)[later], np.arange(60) % 12)
    assert found.kappa == pytest.approx(cohen_kappa_score(*sides))
    assert found.share == pytest.approx(np.mean(earlier == later))
    assert found.share_low < found.share < found.share_high
    assert found.kappa_low < found.kappa < found.kappa_high


def test_which_item_is_first_does_not_matter():
    earlier, later = np.array([[2, 1, 0], [0, 0, 1], [1, 0, 0]]), np.array([[1, 0, 1], [0, 1, 0], [3, 0, 0]])
    turned = earlier.copy(), later.copy()
    for own in turned:
        own[1] = own[1, ::-1]
    one = cross_agreement(earlier, later, [0, 1, 1])
    other = cross_agreement(*turned, [0, 1, 1])
    assert other.table == pytest.approx(one.table)
    assert (other.kappa, other.kappa_low) == pytest.approx((one.kappa, one.kappa_low))


def test_without_variation_or_topics_there_is_no_kappa_and_no_interval():
    found = cross_agreement([[0, 1, 0]] * 2, [[0, 2, 0]] * 2, [7, 7])
    assert (found.pairs, found.share, found.kappa) == (2, 1.0, None)
    assert found.share_low is None
    nothing = cross_agreement([], [], [])
    assert (nothing.pairs, nothing.share, nothing.kappa) == (0, None, None)


def test_a_pair_without_votes_is_refused():
    with pytest.raises(ValueError, match="a vote of either kind"):
        cross_agreement([[0, 0, 0]], [[1, 0, 0]], [0])
    with pytest.raises(ValueError, match="a topic"):
        cross_agreement([[1, 0, 0]], [[1, 0, 0]], [0, 1])
