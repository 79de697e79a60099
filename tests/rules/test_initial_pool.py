"""The initial pool: whole grades from the top, grade 0 never."""

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.rules import initial_pool, lowest_grade, pool_size

odd_grades = st.one_of(
    st.integers(-2, 4), st.sampled_from([math.nan, -math.nan, math.inf, -math.inf, 0.0, -0.0, 0.5, 66.7])
)


@pytest.mark.parametrize(
    ("k", "pool"),
    [(1, [7]), (2, [7, 3, 5]), (3, [7, 3, 5]), (4, [7, 3, 5, 1]), (9, [7, 3, 5, 1])],
)
def test_whole_grades_enter_while_the_pool_is_smaller_than_k(k, pool):
    """By hand: grade 4: item 7; grade 3: items 3 and 5; grade 1: item 1; the rest never."""
    assert initial_pool({1: 1, 5: 3, 3: 3, 7: 4, 2: 0, 4: -2, 6: math.nan}, k) == pool


def test_without_a_grade_above_zero_the_pool_is_empty():
    assert initial_pool({}, 5) == initial_pool({1: 0, 2: 0.0, 3: -1}, 5) == []


def test_grades_between_whole_numbers_are_grades_of_their_own():
    assert initial_pool({1: 66.7, 2: 66.6, 3: 0.01}, 2) == [1, 2]


@given(st.dictionaries(st.integers(), st.integers(-1, 4)), st.integers(1, 12))
def test_an_item_is_in_if_fewer_than_k_items_are_graded_above_it(grades, k):
    """The rule said the other way round, item by item."""
    expected = {
        item
        for item, grade in grades.items()
        if grade > 0 and sum(other > grade for other in grades.values()) < k
    }
    assert set(initial_pool(grades, k)) == expected
    assert len(initial_pool(grades, k)) == len(expected)


def pool_by_grades(grades, k):
    """Plain twin: whole grades, one after the other, while the pool is smaller than k."""
    by_grade = {}
    for item, grade in grades.items():
        if grade > 0:
            by_grade.setdefault(grade, []).append(item)
    pool = []
    for grade in sorted(by_grade, reverse=True):
        if len(pool) >= k:
            break
        pool += sorted(by_grade[grade])
    return pool


@given(st.dictionaries(st.integers(-50, 50), odd_grades, max_size=30), st.integers(1, 12))
def test_pool_size_and_lowest_grade_agree_with_the_plain_twin(grades, k):
    pool, counts = pool_by_grades(grades, k), Counter(grades.values())
    assert initial_pool(grades, k) == pool
    assert pool_size(counts, k) == len(pool)
    assert lowest_grade(counts, k) == (grades[pool[-1]] if pool else None)


def test_a_grade_that_no_item_has_is_not_the_lowest():
    assert lowest_grade({4: 1, 3: 0, 2: 0}, 5) == 4
    assert lowest_grade({4: 0}, 5) is None


@pytest.mark.parametrize("call", [initial_pool, lowest_grade, pool_size])
def test_k_below_one_is_refused(call):
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        call({1: 1}, 0)
