"""Rank correlations and top-k distances: published examples, the definitions' pair loops, refusals."""

from math import isnan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures.correlation import (
    inverse_distance,
    kendall_tau,
    kendall_tau_b,
    spearman,
    tau_ap,
    top_k_footrule,
    top_k_kendall,
)

from . import plain_hoeffding as plain
from .cases import rankings

whole = st.permutations("abcdefg")
scores = st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), max_size=12)

# The example of the R package ircor, by the authors of Urbano & Marrero, ICTIR 2017.
TRUE = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
ESTIMATED = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]


def by_score(values):
    return [str(item) for item in sorted(range(len(values)), key=lambda item: -values[item])]


def test_tau_and_tau_ap_of_the_ircor_example():
    assert kendall_tau(by_score(TRUE), by_score(ESTIMATED)) == pytest.approx(0.2)
    assert round(tau_ap(by_score(ESTIMATED), by_score(TRUE)), 7) == 0.3928571


def test_tau_b_of_the_ircor_example_with_ties():
    assert round(kendall_tau_b(TRUE, [round(value, 1) for value in ESTIMATED]), 7) == 0.2247333


def test_spearman_of_a_textbook_example():
    """IQ and hours of television of ten people: -29/165, as printed in many places."""
    assert spearman("abcdefghij", "aigjhbdcfe") == pytest.approx(-29 / 165)


def test_the_inverse_measure_of_two_disjoint_lists_of_ten():
    """Bar-Ilan et al. divide by 4.03975 for lists of ten."""
    assert round(inverse_distance("abcdefghij", "ABCDEFGHIJ", normalize=False), 5) == 4.03975


@given(whole, whole)
def test_rankings_agree_with_the_pair_loops(a, b):
    places = [a.index(item) for item in "abcdefg"], [b.index(item) for item in "abcdefg"]
    assert kendall_tau(a, b) == pytest.approx(plain.kendall_tau_b(*places))
    assert tau_ap(a, b) == pytest.approx(plain.tau_ap(a, b))
    both = (plain.tau_ap(a, b) + plain.tau_ap(b, a)) / 2
    assert tau_ap(a, b, symmetric=True) == pytest.approx(both)
    squares = sum((one - other) ** 2 for one, other in zip(*places, strict=True))
    assert spearman(a, b) == pytest.approx(1 - 6 * squares / (7 * 48))


@given(scores)
def test_tau_b_agrees_with_the_pair_loop(pairs):
    x, y = [one for one, _ in pairs], [other for _, other in pairs]
    assert kendall_tau_b(x, y) == pytest.approx(plain.kendall_tau_b(x, y), nan_ok=True)


@given(rankings, rankings, st.sampled_from([0, 0.5, 1]))
def test_top_k_distances_agree_with_the_pair_loops(a, b, penalty):
    value = top_k_kendall(a, b, penalty=penalty, normalize=False)
    assert value == pytest.approx(plain.top_k_kendall(a, b, penalty))
    assert top_k_footrule(a, b, normalize=False) == plain.shifted(a, b, False)
    assert inverse_distance(a, b, normalize=False) == pytest.approx(plain.shifted(a, b, True))


@given(rankings, rankings, st.sampled_from([0, 0.5, 1]))
def test_normalised_top_k_distances_are_symmetric_and_in_bounds(a, b, penalty):
    for measure in (lambda x, y: top_k_kendall(x, y, penalty=penalty), top_k_footrule, inverse_distance):
        value = measure(a, b)
        assert isnan(value) or 0 <= value <= 1
        assert value == pytest.approx(measure(b, a), nan_ok=True)


@given(rankings, rankings)
def test_conjoint_rankings_are_compared_on_what_they_share(a, b):
    ours, theirs = [item for item in a if item in b], [item for item in b if item in a]
    for measure in (kendall_tau, tau_ap, spearman):
        assert measure(a, b, conjoint=True) == pytest.approx(measure(ours, theirs), nan_ok=True)


def test_disjoint_lists_are_at_1_and_equal_ones_at_0():
    for measure in (top_k_kendall, top_k_footrule, inverse_distance):
        assert measure("abc", "xyz") == measure("abc", "xy") == 1
        assert measure("abc", "abc") == 0


def test_top_k_kendall_by_hand():
    """abc and acd: b before c in one, c before b in the other; b and d each alone; so 2 of 9."""
    assert top_k_kendall("abc", "acd") == pytest.approx(2 / 9)
    assert top_k_kendall("ab", "xy", penalty=0.5, normalize=False) == 5


def test_a_mistake_at_the_top_costs_tau_ap_more():
    assert tau_ap("bacde", "abcde") < tau_ap("abced", "abcde") < 1
    assert kendall_tau("bacde", "abcde") == kendall_tau("abced", "abcde")


@pytest.mark.parametrize("measure", [kendall_tau, tau_ap, spearman])
def test_reversed_rankings_are_at_minus_1_and_single_items_absent(measure):
    assert measure("abcd", "dcba") == -1
    assert measure("abcd", "abcd") == 1
    assert isnan(measure("a", "a"))
    assert isnan(measure("", ""))
    with pytest.raises(ValueError, match="'d' is in one ranking only"):
        measure("abcd", "abc")
    with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
        measure("aba", "abc")


@pytest.mark.parametrize("measure", [top_k_kendall, top_k_footrule, inverse_distance])
def test_two_empty_lists_have_no_distance_and_repeats_are_refused(measure):
    assert isnan(measure("", ""))
    with pytest.raises(ValueError, match="'a' is in a ranking more than once"):
        measure("abc", "aba")


def test_what_cannot_be_correlated_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match=r"penalty is 1.5"):
        top_k_kendall("ab", "cd", penalty=1.5)
    with pytest.raises(ValueError, match="have shapes"):
        kendall_tau_b([1, 2], [1])
    with pytest.raises(ValueError, match="not finite"):
        kendall_tau_b([1, float("nan")], [1, 2])
