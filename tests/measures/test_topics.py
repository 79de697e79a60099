"""Figures of topics: against numpy's own functions, topic by topic, and by hand."""

from math import inf, isnan, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures.topics import topic_figures

cells = st.one_of(st.just(nan), st.sampled_from([0, 0.25, 0.5, 1]), st.floats(0, 1, width=32))
tables = st.integers(1, 5).flatmap(
    lambda runs: st.lists(st.lists(cells, min_size=runs, max_size=runs), min_size=1, max_size=7)
)


def plain_agreement(table, topic):
    """numpy's correlation of a topic with the means over the others, run by run."""
    pairs = []
    for run, value in enumerate(table[topic]):
        others = [row[run] for i, row in enumerate(table) if i != topic and not isnan(row[run])]
        if others and not isnan(value):
            pairs.append((value, sum(others) / len(others)))
    if len(pairs) < 3:
        return nan
    one, two = np.array(pairs).T
    if ((one - one.mean()) ** 2).sum() * ((two - two.mean()) ** 2).sum() <= 1e-20:
        return nan
    return np.corrcoef(one, two)[0, 1]


@settings(max_examples=80)
@given(tables)
def test_figures_are_numpys_topic_by_topic(table):
    found = topic_figures(table)
    for topic, row in enumerate(table):
        there = [value for value in row if not isnan(value)]
        mean = np.mean(there) if there else nan
        spread = np.std(there, ddof=1) if len(there) > 1 else nan
        assert found.means[topic] == pytest.approx(mean, nan_ok=True)
        assert found.spreads[topic] == pytest.approx(spread, abs=1e-9, nan_ok=True)
        assert found.agreements[topic] == pytest.approx(plain_agreement(table, topic), abs=1e-5, nan_ok=True)


def test_a_topic_that_ranks_the_runs_the_other_way_round_disagrees():
    found = topic_figures([[0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.9, 0.5, 0.1]])
    assert found.agreements[2] == pytest.approx(-1)
    assert found.agreements[0] < 0 < found.means[0]
    assert found.means == pytest.approx([0.2, 0.4, 0.5])
    assert found.spreads == pytest.approx([0.1, 0.2, 0.4])


def test_a_topic_alone_and_one_without_spread_agree_with_nothing():
    assert isnan(topic_figures([[0.1, 0.2, 0.3]]).agreements[0])
    assert isnan(topic_figures([[0.5, 0.5, 0.5], [0.1, 0.2, 0.3]]).agreements[0])
    assert len(topic_figures(np.zeros((0, 3))).means) == 0


def test_other_tables_are_refused():
    for table in ([1, 2], [[inf, 1]]):
        with pytest.raises(ValueError, match="must be"):
            topic_figures(table)
