"""MED of average precision: the searches against each other, and values by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures.med import med_map

rankings = st.permutations(range(14)).map(lambda items: items[:12])
known = st.dictionaries(st.integers(0, 15), st.integers(0, 1), max_size=4)
denominators = st.sampled_from([None, 1, 12, "assigned"])


def test_an_item_that_moves_from_first_to_second_by_hand():
    """Relevant alone, a is at precision 1 and 1/2; by the number relevant, by 10, and by k."""
    assert med_map("abc", "bac", relevant="assigned") == 0.5
    assert med_map("abc", "bac", k=3, relevant=10) == pytest.approx(0.05)
    assert med_map("abc", "bac", k=3) == pytest.approx(0.5 / 3)


def test_rankings_of_k_without_a_shared_item_are_as_far_apart_as_can_be():
    """All k relevant items on one side: average precision 1 and 0."""
    assert med_map("abcd", "wxyz", k=4) == 1
    assert med_map("abc", "bcd", k=3) < 1


def test_more_than_one_relevant_item_by_hand():
    """Known at rank 1 of both; with b, precisions 1 + 2/2 against 1 + 2/3. With c too: equal."""
    assert med_map("abc", "acb", {"a": 1}, k=3) == pytest.approx((2 - 5 / 3) / 3)
    assert med_map("abc", "acb", {"a": 1}, relevant="assigned") == pytest.approx((2 - 5 / 3) / 2)


def test_of_the_assigned_one_first_item_that_the_other_lacks_is_the_whole_difference():
    assert med_map("abc", "bcd", relevant="assigned") == 1
    assert med_map("abc", "bcd", relevant=3) < 1


def test_known_relevant_items_of_neither_ranking_are_among_the_assigned():
    """One of three relevant items found at rank 1 or at rank 2: a third of 1 - 1/2."""
    grades = {"x": 1, "y": 2, "b": 0}
    assert med_map("ab", "ba", grades, relevant="assigned") == pytest.approx(0.5 / 3)


def test_an_item_below_k_is_absent():
    grades = {"a": 0, "b": 0}
    assert med_map("abc", "cba", grades, k=2) == med_map("ab", "cb", grades, k=2) == 0.5


def test_where_nothing_can_be_relevant_there_is_no_difference():
    assert med_map("ab", "ba", {"a": 0, "b": 0}) == 0
    assert med_map("", "") == 0


@settings(max_examples=30)
@given(rankings, rankings, known, denominators)
def test_tabu_search_finds_what_trying_all_finds(a, b, grades, relevant):
    tried = med_map(a, b, grades, relevant=relevant, exact=30)
    found = med_map(a, b, grades, relevant=relevant, exact=0)
    assert found == pytest.approx(tried, abs=1e-12)


@settings(max_examples=8)
@given(st.permutations(range(120)), st.randoms(use_true_random=False), denominators)
def test_on_long_rankings_every_seed_finds_the_same(items, random, relevant):
    """Neighbours change places, as between two versions of a system; seeds start and go elsewhere."""
    other = sorted(items, key=lambda item: items.index(item) + random.gauss(0, 3))
    values = [med_map(items, other, relevant=relevant, seed=seed) for seed in range(3)]
    assert values == pytest.approx([values[0]] * 3, abs=1e-9)
    assert values[0] == med_map(items, other, relevant=relevant)
    assert values[0] == med_map(other, items, relevant=relevant)


@settings(max_examples=20)
@given(st.permutations(range(30)), st.permutations(range(30)))
def test_the_value_is_at_least_that_of_any_single_item(a, b):
    best = max(abs(1 / (a.index(item) + 1) - 1 / (b.index(item) + 1)) for item in a)
    assert best <= med_map(a, b, relevant="assigned") + 1e-12 <= 1 + 1e-12


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"k": 0}, "k is 0; it must be at least 1"),
        ({"relevant": 0}, "relevant is 0; it must be at least 1"),
        ({"relevant": "all"}, "relevant is 'all'; it must be a number or 'assigned'"),
        ({"exact": 31}, "exact is 31; it must lie between 0 and 30"),
        ({"seed": -1}, "seed is -1; it must lie between 0"),
        ({"grades": {"a": float("nan")}}, "the grade of 'a' is not a number"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(options, says):
    with pytest.raises(ValueError, match=says):
        med_map("ab", "ba", **options)
