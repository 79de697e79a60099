"""Votes that keep coming: at each moment the strengths of all votes at once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import VoteCounts, bradley_terry

# Ties and one-sided records begin and end what can be said of a system.
votes = st.tuples(
    st.integers(0, 3),
    st.permutations(range(4)).map(lambda four: tuple(four[:2])),
    st.sampled_from([(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0), (0.5, 0, 2)]),
).map(lambda one: (one[0], *one[1], *one[2]))


@given(st.lists(st.lists(votes, max_size=6), max_size=6))
def test_after_each_addition_they_are_those_of_all_duels(batches):
    counts, duels = VoteCounts(4), []
    for batch in batches:
        counts.add(batch)
        duels += batch
        found, expected = counts.strengths(), bradley_terry(duels, 4, intervals=False)
        assert found.strengths.tolist() == pytest.approx(expected.strengths.tolist(), abs=1e-9, nan_ok=True)
        assert found.tie == pytest.approx(expected.tie, abs=1e-9)
        assert found.statuses == expected.statuses
        assert [one.tolist() for one in (found.groups, found.sets, found.above, found.records)] == [
            one.tolist() for one in (expected.groups, expected.sets, expected.above, expected.records)
        ]
        assert (found.duels, found.topics) == (expected.duels, expected.topics)


def test_it_can_begin_with_duels_and_refuses_what_bradley_terry_refuses():
    counts = VoteCounts(2, [(0, 0, 1, 3, 1, 0)])
    assert counts.strengths().strengths.tolist() == bradley_terry([(0, 0, 1, 3, 1, 0)], 2).strengths.tolist()
    with pytest.raises(ValueError, match="a system cannot meet itself"):
        counts.add([(0, 1, 1, 1, 0, 0)])
    with pytest.raises(ValueError, match="not below 2"):
        counts.add([(0, 1, 2, 1, 0, 0)])
