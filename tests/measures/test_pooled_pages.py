"""Agreement with page preferences pooled over pairs of runs: against a plain count, and its tests."""

from math import isnan, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from prefir.measures import PagePreference, compare_agreement, pool_page_preferences

runs = st.sampled_from("ABC")
told = st.lists(
    st.tuples(st.sampled_from(["t1", "t2"]), runs, runs, st.sampled_from(["a", "b", None]))
    .filter(lambda one: one[1] != one[2])
    .map(lambda one: PagePreference(one[0], one[1], one[2], {"a": one[1], "b": one[2], None: None}[one[3]]))
)
scores = st.sampled_from([0.0, 0.5, 1.0, nan])
tables = st.fixed_dictionaries(
    dict.fromkeys(["t1", "t2"], st.fixed_dictionaries(dict.fromkeys("ABC", scores)))
)


@given(told, tables)
def test_the_counts_are_those_of_a_plain_loop(preferences, values):
    found = pool_page_preferences(values, preferences)
    agree = disagree = absent = 0
    for topic, a, b, winner in preferences:
        loser = b if winner == a else a
        absent += isnan(values[topic][a]) or isnan(values[topic][b])
        if winner:
            agree += values[topic][winner] > values[topic][loser]
            disagree += values[topic][winner] < values[topic][loser]
    assert (found.agree, found.disagree, found.absent) == (agree, disagree, absent)
    assert found.agree + found.disagree + found.even + found.absent == len(preferences)
    if agree + disagree:
        assert found.share == agree / (agree + disagree)
        assert found.p_value == pytest.approx(binomtest(agree, agree + disagree).pvalue)


def test_table_4_1_of_luos_thesis_has_these_tests_on_its_own_counts():
    """nDCG agrees with 809 of 894 preferences, PGC with 801: neither could be chance."""
    preferences = [PagePreference(str(n), "A", "B", "A") for n in range(894)]
    values = {str(n): {"A": n < 809, "B": n >= 809} for n in range(894)}
    found = pool_page_preferences(values, preferences)
    assert (found.agree, found.disagree) == (809, 85)
    assert found.p_value == pytest.approx(binomtest(809, 894).pvalue, rel=1e-6, abs=1e-300)


def test_topics_count_once_each_in_the_sign_test_and_two_measures_by_what_one_has_alone():
    preferences = [PagePreference(topic, "A", "B", "A") for topic in ("t1", "t1", "t2", "t3")]
    right = {topic: {"A": 1.0, "B": 0.0} for topic in ("t1", "t2", "t3")}
    found = pool_page_preferences(right, preferences)
    assert found.topic_p == 0.25
    other = pool_page_preferences(right | {"t1": {"A": 0.0, "B": 1.0}}, preferences)
    assert (other.agree, other.disagree, other.topic_p) == (2, 2, 1)
    assert compare_agreement(found, other) == 0.5
    assert compare_agreement(found, found) == 1


def test_a_winner_that_is_neither_run_is_refused():
    with pytest.raises(ValueError, match="'C' is neither 'A' nor 'B'"):
        pool_page_preferences({}, [PagePreference("t", "A", "B", "C")])
