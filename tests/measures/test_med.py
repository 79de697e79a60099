"""Maximized effectiveness difference: against every assignment of relevance, and what the paper proves."""

from math import log2, nan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures.med import (
    med_err,
    med_map,
    med_ndcg,
    med_ndcg_pairs,
    med_precision,
    med_precision_pairs,
    med_rbp,
    med_rbp_pairs,
    med_u,
)

from .plain_med import MEASURES, err, largest_difference, rbp

pytestmark = pytest.mark.slow

rankings = st.lists(st.sampled_from("abcdef"), unique=True, max_size=5)
known = st.dictionaries(st.sampled_from("abcdez"), st.sampled_from([-1, 0, 1, 2, 3]), max_size=4)
each_measure = pytest.mark.parametrize("name", MEASURES)
few = settings(max_examples=10)  # of each of ten measures


def med(name, a, b, grades=None):
    measure = MEASURES[name]
    return measure.med(a, b, grades, **measure.options)


@each_measure
@few
@given(rankings, rankings, known)
def test_no_assignment_of_relevance_gives_more_and_one_gives_as_much(name, a, b, grades):
    measure = MEASURES[name]
    most = largest_difference(a, b, grades, measure.grades, measure.effectiveness)
    assert med(name, a, b, grades) == pytest.approx(most, abs=1e-12)


@each_measure
@few
@given(rankings, rankings, known)
def test_swapping_the_rankings_changes_nothing(name, a, b, grades):
    assert med(name, a, b, grades) == med(name, b, a, grades)


@each_measure
@few
@given(rankings, known)
def test_a_ranking_is_at_no_distance_from_itself(name, a, grades):
    assert med(name, a, a, grades) == 0


@each_measure
@few
@given(rankings, rankings)
def test_without_known_relevance_it_lies_between_0_and_what_the_measure_can_reach(name, a, b):
    bound = len("abcdef") if name == "u" else 1
    assert 0 <= med(name, a, b) <= bound


@each_measure
@few
@given(rankings, rankings, rankings, known)
def test_a_detour_over_a_third_ranking_is_never_shorter(name, a, b, c, grades):
    assert med(name, a, c, grades) <= med(name, a, b, grades) + med(name, b, c, grades) + 1e-12


@each_measure
@few
@given(rankings, rankings, known, st.sampled_from("abcdef"), st.integers(0, 2))
def test_knowing_one_more_item_never_brings_the_rankings_apart(name, a, b, grades, docno, grade):
    more = {docno: grade, **grades}
    assert med(name, a, b, more) <= med(name, a, b, grades) + 1e-12


@each_measure
@few
@given(rankings, rankings, st.fixed_dictionaries({docno: st.integers(-1, 3) for docno in "abcdefz"}))
def test_with_all_known_it_is_the_difference_in_effectiveness(name, a, b, grades):
    effectiveness = MEASURES[name].effectiveness
    difference = abs(effectiveness(a, grades) - effectiveness(b, grades))
    assert med(name, a, b, grades) == pytest.approx(difference, abs=1e-12)


def test_med_of_precision_is_one_minus_the_overlap():
    """Tan & Clarke: of full lists, 1 minus the share of k that both have."""
    assert med_precision("abcd", "dxya", k=4) == 0.5
    assert med_precision("abcd", "dcba", k=4) == 0
    assert med_precision("abcdef", "abcdxy", k=4) == 0


@few
@given(st.permutations("abcdefgh"), st.permutations("abcdefgh"), st.integers(1, 8))
def test_med_of_precision_of_full_lists_is_one_minus_the_overlap(a, b, k):
    overlap = len(set(a[:k]) & set(b[:k])) / k
    assert med_precision(a, b, k=k) == pytest.approx(1 - overlap)


@settings(max_examples=25)
@given(rankings, rankings, known, st.floats(0.1, 0.8))
def test_the_tail_of_rbp_is_a_ranking_that_goes_on_unseen(a, b, grades, psi):
    """Each ranking goes on with 200 items of its own, whose relevance is one more thing to assign."""
    tails = [[(name, at) for at in range(200)] for name in "ab"]
    best = 0.0
    for in_a, in_b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        unseen = dict.fromkeys(tails[0], in_a) | dict.fromkeys(tails[1], in_b)
        longer = [*a, *tails[0]], [*b, *tails[1]]
        best = max(best, largest_difference(*longer, {**grades, **unseen}, (0, 1), rbp(psi)))
    assert med_rbp(a, b, grades, psi=psi) == pytest.approx(best, abs=1e-12)


def test_rbp_of_equal_rankings_is_what_may_lie_below_them():
    assert med_rbp("abc", "abc", psi=0.9) == pytest.approx(0.9**3)
    assert med_rbp("abc", "abc") == med_rbp("abc", "abc", psi=0.9)
    assert med_rbp("", "") == med_rbp("abc", "xyz") == med_rbp("", "abc") == 1
    assert med_rbp("abc", "xyz", max_grade=2) == pytest.approx(0.75)


@few
@given(rankings, rankings, rankings, known)
def test_with_the_tail_too_a_detour_is_never_shorter(a, b, c, grades):
    detour = med_rbp(a, b, grades) + med_rbp(b, c, grades)
    assert med_rbp(a, c, grades) <= detour + 1e-12


def test_rbp_and_ndcg_of_two_swapped_items_by_hand():
    """The first item relevant and the second not: weights 1 - psi and (1 - psi) psi, 1 and 1 / log2 3."""
    assert med_rbp("ab", "ba", psi=0.9, tail=False) == pytest.approx(0.1 - 0.09)
    assert med_ndcg("ab", "ba", k=2) == pytest.approx((1 - 1 / log2(3)) / (1 + 1 / log2(3)))


def test_an_item_at_the_last_rank_compared_is_there():
    """The authors' program takes it for absent, which makes this 1 / (1 + 1 / log2 3) = .613."""
    assert med_ndcg("ax", "xa", k=2) == pytest.approx(0.2262943855)


def test_err_of_two_swapped_items_by_hand():
    """The first relevant by 3/4: found at rank 1 or at rank 2."""
    assert med_err("ab", "ba") == 0.375


longer = st.permutations("abcdefghij").map(lambda items: items[:8])


@settings(max_examples=10)
@given(longer, longer, st.integers(0, 3))
def test_err_makes_no_more_shared_items_relevant_than_its_bound(a, b, bound):
    shared = set(a) & set(b)
    most = largest_difference(
        a,
        b,
        {},
        (0, 1),
        err(8, 1),
        allowed=lambda assignment: sum(assignment[docno] for docno in shared) <= bound,
    )
    assert med_err(a, b, bound=bound, max_grade=1) == pytest.approx(most, abs=1e-12)


@few
@given(st.permutations(range(40)), st.permutations(range(40)))
def test_five_bound_items_of_err_are_nearly_all(a, b):
    """What five relevant items of 3/4 leave to the sixth: (1/4)^5 / 6."""
    five, all_of_them = med_err(a, b), med_err(a, b, bound=8)
    assert five <= all_of_them <= five + 0.25**5 / 6


def test_u_of_two_swapped_items_by_hand():
    """Offsets 10 and 40 of 100 against 30 and 40: the short item is worth .9 first and .6 second."""
    value = med_u("ab", "ba", lengths={"a": 10, "b": 30}, limit=100)
    assert value == pytest.approx(0.75 * (0.9 - 0.6))
    assert med_u("ab", "ba", lengths={"a": 10, "b": 30}, limit=100, max_grade=1) == pytest.approx(0.15)


def test_after_the_limit_of_u_nothing_counts():
    lengths = dict.fromkeys("abcx", 66_000)
    assert med_u("abc", "abx", lengths=lengths) == 0
    assert med_u("abc", "xbc", lengths=lengths) == pytest.approx(0.75 * 0.5)


ONE_AND_MANY = [
    (med_precision, med_precision_pairs, {"k": 3}),
    (med_rbp, med_rbp_pairs, {"psi": 0.7}),
    (med_rbp, med_rbp_pairs, {"psi": 0.7, "tail": False, "max_grade": 3}),
    (med_ndcg, med_ndcg_pairs, {"k": 4}),
]
some_pairs = st.lists(st.tuples(rankings, rankings), max_size=4)


@pytest.mark.parametrize(("one", "many", "options"), ONE_AND_MANY)
@few
@given(some_pairs, known)
def test_many_pairs_are_the_single_ones(one, many, options, pairs, grades):
    a, b = [a for a, _ in pairs], [b for _, b in pairs]
    each = [one(*pair, grades, **options) for pair in pairs]
    assert many(a, b, grades, **options).tolist() == pytest.approx(each, abs=1e-12)


def rows_of(rankings, numbers):
    rows = np.full((len(rankings), 6), -1)
    for row, ranking in zip(rows, rankings, strict=True):
        row[: len(ranking)] = [numbers[docno] for docno in ranking]
    return rows


@pytest.mark.parametrize("step", [1, 1_000_000])
@pytest.mark.parametrize(("one", "many", "options"), ONE_AND_MANY)
@few
@given(some_pairs, known)
def test_items_by_number_are_the_items_by_docno(one, many, options, step, pairs, grades):
    """Numbers far apart are as good as near ones, and need no grade table where nothing is known."""
    grades = {} if step > 1 else grades
    numbers = {docno: step * at for at, docno in enumerate("abcdefz")}
    levels = np.full(7, nan)
    for docno, grade in grades.items():
        levels[numbers[docno]] = grade
    a, b = (rows_of(side, numbers) for side in ([a for a, _ in pairs], [b for _, b in pairs]))
    values = many(a, b, levels if grades else None, **options)
    assert values.dtype == np.float64
    each = [one(*pair, grades, **options) for pair in pairs]
    assert values.tolist() == pytest.approx(each, abs=1e-12)


def test_few_items_with_high_numbers_keep_their_grades():
    levels = np.full(900_002, nan)
    levels[900_000] = 2
    a, b = np.array([[900_000, 7]]), np.array([[7, 900_000]])
    assert med_ndcg_pairs(a, b, levels, k=2)[0] == med_ndcg("xy", "yx", {"x": 2}, k=2)
    assert med_ndcg_pairs(a, a + 1, levels, k=2)[0] == med_ndcg("xy", "vw", {"x": 2}, k=2)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: med_precision("aba", "ab"), "'a' is in a ranking more than once"),
        (lambda: med_rbp("ab", "abb"), "'b' is in a ranking more than once"),
        (lambda: med_err("ab", "abb"), "'b' is in a ranking more than once"),
        (lambda: med_map("ab", "abb"), "'b' is in a ranking more than once"),
        (lambda: med_u("ab", "abb", lengths={"a": 1, "b": 1}), "'b' is in a ranking more than once"),
        (lambda: med_ndcg("ab", "ab", {"a": 1, "z": nan}), "the grade of 'z' is not a number"),
        (lambda: med_ndcg("ab", "ab", k=0), "k is 0; it must be at least 1"),
        (lambda: med_precision("ab", "ab", k=0), "k is 0; it must be at least 1"),
        (lambda: med_rbp("ab", "ab", psi=1.0), "psi is 1.0; the persistence must lie between"),
        (lambda: med_rbp("ab", "ab", psi=nan), "psi is nan; the persistence must lie between"),
        (lambda: med_ndcg("ab", "ab", max_grade=0), "max_grade is 0; it must be above 0"),
        (lambda: med_rbp("ab", "ab", max_grade=0), "max_grade is 0; it must be above 0"),
        (lambda: med_err("ab", "ab", depth=0), "depth is 0; it must be at least 1"),
        (lambda: med_err("ab", "ab", bound=-1), "bound is -1; it must be at least 0"),
        (lambda: med_u("ab", "ab", lengths={"a": 1}), "the length of 'b' is None"),
        (lambda: med_u("ab", "ab", lengths={"a": -1, "b": 1}), "the length of 'a' is -1"),
        (lambda: med_u("ab", "ab", lengths={"a": nan, "b": 1}), "the length of 'a' is nan"),
        (lambda: med_u("", "", lengths={}, limit=0), "limit is 0; it must be above 0"),
        (lambda: med_rbp_pairs(["ab"], []), "1 rankings cannot be paired with 0"),
        (lambda: med_rbp_pairs(["ab", "aa"], ["ab", "ab"]), "'a' is in a ranking more than once"),
        (lambda: med_rbp_pairs(np.array([[0], [1]]), np.array([[0], [-2]])), "an item number is below -1"),
        (lambda: med_rbp_pairs(np.array([0, 1]), np.array([0, 1])), "whole numbers .pairs, ranks., not"),
        (
            lambda: med_rbp_pairs(np.array([[0, 1], [2, 2]]), np.array([[0], [1]])),
            "in pair 1 an item is in a",
        ),
        (lambda: med_rbp_pairs(np.array([[0, 3]]), np.array([[1, 2]]), [1.0, 0.0]), "grades of 2 items, but"),
        (lambda: med_rbp_pairs(np.array([[0]]), np.array([[1]]), {"a": 1}), "all by docno or all by item"),
        (lambda: med_rbp_pairs(np.array([[0]]), ["a"]), "all by docno or all by item number"),
        (lambda: med_rbp_pairs(["a"], ["a"], [1.0]), "all by docno or all by item number"),
        (lambda: med_rbp_pairs(np.array([[0]]), np.array([[0]]), [[1.0]]), "one dimension, not 2"),
    ],
)
def test_what_cannot_be_measured_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()
