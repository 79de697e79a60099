"""Preferences by levels of recall, against a plain loop and values by hand."""

from math import inf, log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures import lexiprecision, lexirecall, recall_paired_preference, reciprocal_rank

from .cases import levels, rankings

thresholds = st.sampled_from([0.5, 1, 2, 4])
WEIGH = {"equal": lambda i: 1, "inverse": lambda i: 1 / i, "dcg": lambda i: 1 / log2(i + 1)}


def signs(a, b, grades, relevant):
    """For each level, which ranking reaches it first: the sign of the difference of ranks."""
    wanted = {docno for docno, grade in grades.items() if grade >= relevant}
    ranks = [[rank for rank, docno in enumerate(run, 1) if docno in wanted] for run in (a, b)]
    first, second = (found + [inf] * (len(wanted) - len(found)) for found in ranks)
    return [(x < y) - (x > y) for x, y in zip(first, second, strict=True)]


@given(rankings, rankings, levels, thresholds, st.sampled_from(sorted(WEIGH)))
def test_values_are_those_of_a_plain_loop(a, b, grades, relevant, weights):
    own = signs(a, b, grades, relevant)
    heavy = [WEIGH[weights](i) for i in range(1, len(own) + 1)]
    expected = sum(s * w for s, w in zip(own, heavy, strict=True)) / sum(heavy) if own else 0
    found = recall_paired_preference(a, b, grades, relevant=relevant, weights=weights)
    assert found == pytest.approx(expected, abs=1e-12)
    differing = [sign for sign in own if sign] or [0]
    assert lexiprecision(a, b, grades, relevant=relevant) == differing[0]
    assert lexirecall(a, b, grades, relevant=relevant) == differing[-1]


@given(rankings, rankings, levels)
def test_the_other_way_round_the_sign_changes(a, b, grades):
    for function in (recall_paired_preference, lexiprecision, lexirecall):
        assert function(a, b, grades) == -function(b, a, grades)


@given(rankings, rankings, levels)
def test_lexicographic_precision_agrees_with_reciprocal_rank_where_that_decides(a, b, grades):
    first, second = reciprocal_rank(a, grades), reciprocal_rank(b, grades)
    if first != second:
        assert lexiprecision(a, b, grades) == (1 if first > second else -1)


def test_small_cases_by_hand():
    grades = {"r": 1, "s": 2, "t": 1}
    # Ranks 1, 4, none against 2, 3, 5.
    a, b = "rxys", "xrsyt"
    assert recall_paired_preference(a, b, grades) == pytest.approx(-1 / 3)
    assert recall_paired_preference(a, b, grades, weights="inverse") == pytest.approx(1 / 11)
    assert (lexiprecision(a, b, grades), lexirecall(a, b, grades)) == (1, -1)
    # Of s alone: ranks 4 and 3.
    assert recall_paired_preference(a, b, grades, relevant=2) == -1
    with pytest.raises(ValueError, match="no weights 'log'; there are equal, inverse, dcg"):
        recall_paired_preference(a, b, grades, weights="log")
    for function in (recall_paired_preference, lexiprecision, lexirecall):
        with pytest.raises(ValueError, match="'r' is in a ranking more than once"):
            function("ab", "rr", grades)
