"""Planning: the published bounds, and the same pools and bounds as the tournament itself has."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import dedicated_judgments, pool_size
from prefir.rules import bound, initial_pool
from tests.public_data import DATA

CAST = DATA / "cast2019"
grades = st.dictionaries(st.integers(0, 30), st.sampled_from([-1, 0, 1, 2, 2.5, 4]))


@pytest.mark.data
@pytest.mark.skipif(not CAST.is_dir(), reason="needs the public data in ../shared/data")
@pytest.mark.parametrize(("k", "judgments"), [(3, 3456), (5, 5429), (10, 10691)])
def test_the_bounds_on_cast_2019_are_as_published(k, judgments):
    """Clarke, Vtyurina & Smucker 2021, table 2; pools are made anew for each k."""
    topics: dict[str, dict[str, int]] = {}
    for line in (CAST / "2019qrels.txt").open():
        topic, _, docno, grade = line.split()
        topics.setdefault(topic, {})[docno] = int(grade)
    sizes = [pool_size(topic, k=k) for topic in topics.values()]
    assert dedicated_judgments(sizes, k=k) == judgments


@given(grades, st.integers(1, 12))
def test_pools_are_as_large_as_the_tournaments(grades, k):
    """Two rooms that do not know each other count the same."""
    assert pool_size(grades, k=k) == len(initial_pool(grades, k))


@given(st.lists(st.integers(0, 200)), st.integers(1, 12))
def test_bounds_are_the_tournaments(sizes, k):
    assert dedicated_judgments(sizes, k=k) == bound(sizes, k)


def test_one_item_needs_one_judgment_and_eight_need_a_knock_out_and_two_climbs():
    """By hand: 1; and 8 + 2 * 3 for the top 3 of 8."""
    assert dedicated_judgments([1], k=1) == 1
    assert dedicated_judgments([8], k=3) == 14


def test_what_cannot_be_planned_is_refused():
    with pytest.raises(ValueError, match="k is 0"):
        pool_size({"a": 1}, k=0)
    with pytest.raises(ValueError, match="k is 0"):
        dedicated_judgments([1], k=0)
    with pytest.raises(ValueError, match="a pool has -1 items"):
        dedicated_judgments([3, -1], k=1)
    with pytest.raises(ValueError, match="grade of 'a' is not a number"):
        pool_size({"a": float("nan")}, k=1)
