"""Expected weighted Hoeffding distance: published values, all consistent orders, the kernel, refusals."""

from math import isnan

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.measures.hoeffding import hoeffding, hoeffding_matrix, hoeffding_pairs, mean_hoeffding

from . import plain_hoeffding as plain

short = st.lists(st.sampled_from("abcdef"), unique=True)
long = st.lists(st.integers(0, 40), unique=True, max_size=30)
powers = st.sampled_from([0.0, 0.5, 1.0, 2.0, 3.0])

TABLE_1 = ["2", "3", "4", "5", "1|3", "1|4", "1|5"]
TABLE_2 = ["1|2|3|5|4", "2|1|3|4|5", "1|4|2", "1", "2|1", "5", "5|4|3|2|1"]


@pytest.mark.parametrize(
    ("n", "q", "lists", "printed"),
    [
        (5, 1, TABLE_1, [0.6500, 0.7786, 0.8357, 0.8571, 0.3048, 0.3810, 0.4095]),
        (5, 2, TABLE_1, [0.7539, 0.8589, 0.8901, 0.8988, 0.2049, 0.2464, 0.2581]),
        (5, 3, TABLE_2, [0.0117, 0.7464, 0.1268, 0.1064, 0.7726, 0.9395, 1]),
        (10**7, 3, TABLE_2, [0.0699, 0.6683, 0.1981, 0.2692, 0.7543, 0.9852, 0.8748]),
    ],
)
def test_the_values_of_sun_lebanon_and_collins_thompson(n, q, lists, printed):
    """WWW 2010, tables 1 and 2: distances from 1|2|3|4|5."""
    values = [hoeffding("12345", ranking.split("|"), n=n, q=q) for ranking in lists]
    assert [round(value, 4) for value in values] == printed


@settings(max_examples=60)
@given(short, short, st.integers(0, 6), powers, st.booleans())
def test_the_closed_form_is_the_mean_over_all_consistent_orders(a, b, unlisted, q, normalize):
    n = min(6, len({*a, *b}) + unlisted) or 1
    value = hoeffding(a, b, n=n, q=q, normalize=normalize)
    assert value == pytest.approx(plain.hoeffding(a, b, n, q, normalize), abs=1e-12)


def test_the_closed_form_holds_for_six_items_pair_by_pair():
    """Every pair of whole rankings, one after the other."""
    pairs = [
        (one, other) for one in plain.orders("abc", "abcdef") for other in plain.orders("dcea", "abcdef")
    ]
    mean = sum(plain.moved(one, other, 1.5) for one, other in pairs) / len(pairs)
    assert hoeffding("abc", "dcea", n=6, q=1.5, normalize=False) == pytest.approx(mean, abs=1e-12)


@given(long, long, st.integers(0, 1000), powers)
def test_the_kernel_agrees_and_both_are_symmetric_and_in_bounds(a, b, unlisted, q):
    n = len({*a, *b}) + unlisted or 1
    value = hoeffding(list(map(str, a)), list(map(str, b)), n=n, q=q)
    assert 0 <= value <= 1
    assert value == hoeffding(list(map(str, b)), list(map(str, a)), n=n, q=q)
    left, right = (np.array([[*codes, *[-1] * (31 - len(codes))]]) for codes in (a, b))
    assert hoeffding_pairs(left, right, n=n, q=q) == pytest.approx([value], abs=1e-12)
    assert hoeffding_pairs(right, left, n=n, q=q) == pytest.approx([value], abs=1e-12)


@given(st.permutations("abcdef"), st.permutations("abcdef"), st.permutations("abcdef"), powers)
def test_whole_rankings_keep_the_triangle_inequality(a, b, c, q):
    assert hoeffding(a, c, q=q) <= hoeffding(a, b, q=q) + hoeffding(b, c, q=q) + 1e-12
    assert hoeffding(a, a, q=q) == 0


@pytest.mark.parametrize("n", [300, 600, 300_000])
def test_sums_beyond_the_listed_ranks_are_those_of_the_plain_sum(n):
    """A one-item list against nothing known: n items at their ranks, each against a uniform rank, so a
    weight t^-q counts for the t (n - t) pairs of ranks around it, in both orders, over n."""
    t = np.arange(1, n)
    expected = 2 * (t * (n - t) * t**-1.5).sum() / n
    assert hoeffding("a", "", n=n, q=1.5, normalize=False) == pytest.approx(expected, rel=1e-9)


def test_n_is_the_union_unless_told():
    assert hoeffding("abc", "cde") == hoeffding("abc", "cde", n=5)


def test_of_one_item_the_distance_is_0_and_of_none_absent():
    assert hoeffding("a", "a") == hoeffding("", "a") == 0
    assert isnan(hoeffding("", ""))


def test_an_open_list_is_not_at_0_from_itself():
    assert hoeffding("ab", "ab", n=4) > 0
    assert hoeffding("abc", "abc", n=4) == 0  # the fourth can only be the fourth


def test_the_matrix_holds_the_distance_of_each_two_lists():
    lists = np.array([[0, 1, 2], [2, 1, -1], [3, -1, -1]], dtype=np.int32)
    matrix = hoeffding_matrix(lists, n=6, q=2)
    assert matrix[0, 1] == matrix[1, 0] == pytest.approx(hoeffding("012", "21", n=6, q=2))
    assert matrix[1, 2] == pytest.approx(hoeffding("21", "3", n=6, q=2))
    assert not matrix.diagonal().any()


def test_the_mean_is_over_the_topics_of_both_runs():
    one = {"t1": ["a", "b", "c"], "t2": ["a", "b"], "t3": [], "only": ["a"]}
    other = {"t2": ["b", "a"], "t1": ["a", "b", "d"], "t3": []}
    result = mean_hoeffding(one, other, depth=2)
    assert list(result.by_topic) == ["t1", "t2", "t3"]
    assert isnan(result.by_topic.pop("t3"))
    assert result.by_topic == {"t1": 0, "t2": 1}
    assert result.mean == 0.5
    assert isnan(mean_hoeffding({"t1": ["a"]}, {"t2": ["a"]}).mean)


@pytest.mark.parametrize(
    ("a", "b", "options", "says"),
    [
        ("aba", "ab", {}, "'a' is in a ranking more than once"),
        ("ab", "cd", {"n": 3}, "the lists hold 4 items"),
        ("", "", {"n": 0}, "n is 0"),
        ("ab", "ba", {"q": -1.0}, "q is -1"),
        ("ab", "ba", {"q": float("nan")}, "q is nan"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_sentence(a, b, options, says):
    with pytest.raises(ValueError, match=says):
        hoeffding(a, b, **options)


@pytest.mark.parametrize(
    ("a", "b", "n", "says"),
    [
        ([[0, 1], [2, 2]], [[0, 1], [0, 1]], 5, "pair 1: a code is in a list more than once"),
        ([[0, 1], [0, 1]], [[0, 1], [2, 2]], 5, "pair 1: a code is in a list more than once"),
        ([[-1, 1]], [[0, 1]], 5, "pair 0: a code follows -1"),
        ([[0, 1]], [[2, 3]], 3, "pair 0: the lists hold more than the 3 items"),
        ([[0, 1]], [[2, 3], [0, 1]], 5, "1 lists on one side and 2 on the other"),
        ([0, 1], [0, 1], 5, "shape"),
        ([[0.5]], [[0.5]], 5, "integer codes"),
        ([[2**31]], [[0]], 5, "above the largest code"),
        ([[0]], [[0]], 0, "n is 0"),
    ],
)
def test_coded_lists_are_checked_too(a, b, n, says):
    with pytest.raises(ValueError, match=says):
        hoeffding_pairs(a, b, n=n)


def test_the_mean_names_the_topic_in_trouble():
    with pytest.raises(ValueError, match="topic 't1': 'a' is in a ranking more than once"):
        mean_hoeffding({"t1": ["a", "a"]}, {"t1": ["a"]})
    with pytest.raises(ValueError, match="depth is 0"):
        mean_hoeffding({}, {}, depth=0)


@settings(max_examples=40)
@given(short, short, powers, st.sampled_from([0.0, 0.1, 0.3]))
def test_floored_and_own_weights_are_the_means_over_all_consistent_orders(a, b, q, floor):
    """Weights max(t^-q - floor, 0), given either way."""
    n = len({*a, *b}) or 1
    weights = [max(t**-q - floor, 0.0) for t in range(1, n + 2)]
    slow = plain.weighted_hoeffding(a, b, n, weights)
    for options in ({"q": q, "floor": floor}, {"weights": weights}):
        assert hoeffding(a, b, n=n, **options) == pytest.approx(slow, abs=1e-12)
        codes = [np.array([["abcdef".index(item) for item in ranking]], int) for ranking in (a, b)]
        assert hoeffding_pairs(*codes, n=n, **options)[0] == pytest.approx(slow, abs=1e-12)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"floor": 1}, "floor is 1"),
        ({"floor": -0.1}, "floor is -0.1"),
        ({"weights": [1]}, "weights must be at least 0, of each rank from 1 to 2"),
        ({"weights": [1, -1]}, "weights must be at least 0"),
        ({"weights": [0, 0]}, "all weights are 0"),
    ],
)
def test_weights_out_of_their_range_are_refused(options, says):
    with pytest.raises(ValueError, match=says):
        hoeffding("ab", "ba", n=3, **options)


def test_topics_weigh_in_the_mean_as_often_as_they_are_asked():
    first, second = {"t1": "ab", "t2": "ab"}, {"t1": "ab", "t2": "ba"}
    assert mean_hoeffding(first, second, topic_weights={"t1": 3, "t2": 1}).mean == 0.25
    assert isnan(mean_hoeffding(first, second, topic_weights={"t1": 0, "t2": 0}).mean)
    with pytest.raises(ValueError, match="topic 't2' needs a weight of at least 0"):
        mean_hoeffding(first, second, topic_weights={"t1": 3})
