"""Agreement of assessors: published examples, plain versions, missing answers, and what is refused."""

from functools import partial
from math import isnan, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.measures.agreement import (
    Judgment,
    NoAgreement,
    agreement_by_assessor,
    agreement_by_topic,
    both_ways,
    explain_absence,
    fleiss_kappa,
    krippendorff_alpha,
    label_units,
    merge_strength,
    raw_agreement,
)
from prefir.measures.consistency import (
    PositionBias,
    Transitivity,
    position_bias,
    repeat_consistency,
    transitivity,
)

from .plain_images import plain_alpha, plain_fleiss, plain_raw_agreement, plain_transitivity

LEVELS = ["nominal", "ordinal", "interval"]
# Two to five options; the last has uneven steps, which the interval level must heed.
options = st.sampled_from([[-1, 1], [-1, 0, 1], [-2, -1, 1, 2], [-2, -1, 0, 1, 2], [0, 1, 10]])
tables = st.tuples(options, st.integers(2, 4)).flatmap(
    lambda drawn: st.lists(
        st.lists(st.sampled_from(drawn[0]), min_size=drawn[1], max_size=drawn[1]), max_size=8
    )
)
ragged = options.flatmap(
    lambda labels: st.lists(st.lists(st.sampled_from([None, *labels]), max_size=5), max_size=8)
)

# Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011: four observers of twelve units.
OBSERVERS = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]


def krippendorff_units():
    return [[None if label == "." else int(label) for label in unit] for unit in zip(*OBSERVERS, strict=True)]


# Subjects and categories of the worked example on Wikipedia's page on Fleiss' kappa: 14 raters.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_of_krippendorffs_own_example(level, alpha):
    assert round(krippendorff_alpha(krippendorff_units(), level=level), 3) == alpha


def test_kappa_of_the_worked_example():
    units = [[*"".join(name * times for name, times in zip("abcde", row, strict=True))] for row in FLEISS]
    assert round(fleiss_kappa(units), 3) == 0.210
    assert round(raw_agreement(units), 3) == 0.378


@given(tables)
def test_kappa_agrees_with_the_plain_version(units):
    assert fleiss_kappa(units) == pytest.approx(plain_fleiss(units), nan_ok=True)


@given(ragged)
def test_raw_agreement_agrees_with_the_plain_version(units):
    assert raw_agreement(units) == pytest.approx(plain_raw_agreement(units), nan_ok=True)


@given(ragged, st.sampled_from(LEVELS))
def test_alpha_agrees_with_the_matrix_of_coincidences(units, level):
    """The definition's matrix; the library sums squares instead and never makes it."""
    assert krippendorff_alpha(units, level=level) == pytest.approx(plain_alpha(units, level), nan_ok=True)


@given(tables, st.sampled_from(LEVELS), st.randoms())
def test_order_of_units_and_labels_and_the_scale_do_not_matter(units, level, random):
    mixed = [random.sample(unit, len(unit)) for unit in random.sample(units, len(units))]
    larger = [[7 + 3 * label for label in unit] for unit in units]
    alpha = krippendorff_alpha(units, level=level)
    assert krippendorff_alpha(mixed, level=level) == pytest.approx(alpha, nan_ok=True)
    assert krippendorff_alpha(larger, level=level) == pytest.approx(alpha, nan_ok=True)
    assert fleiss_kappa(mixed) == pytest.approx(fleiss_kappa(units), nan_ok=True)


def test_perfect_agreement_is_one_whatever_the_level():
    units = [[2, 2], [-1, -1], [0, 0]]
    assert fleiss_kappa(units) == raw_agreement(units) == 1
    assert [krippendorff_alpha(units, level=level) for level in LEVELS] == [1, 1, 1]


@pytest.mark.parametrize("units", [[], [[1, 1], [1, 1]]])
def test_without_units_or_without_any_difference_there_is_no_chance_to_compare_with(units):
    assert isnan(fleiss_kappa(units))
    assert all(isnan(krippendorff_alpha(units, level=level)) for level in LEVELS)


@pytest.mark.parametrize(
    ("units", "why"),
    [
        ([], NoAgreement.NOTHING_SHARED),
        ([[1], [-1, None]], NoAgreement.NOTHING_SHARED),
        ([[1, 1], [1, 1], [-1]], NoAgreement.ALL_SAME),
        ([[1, 1], [1, -1]], None),
    ],
)
def test_why_there_is_no_agreement_beyond_chance_is_said(units, why):
    assert explain_absence(units) is why
    assert isnan(krippendorff_alpha(units)) == (why is not None)


def test_missing_answers_are_none_or_nan_and_lone_labels_say_nothing():
    with_holes = [[1, None, 1], [1, -1, None], [5, None, None], []]
    assert raw_agreement(with_holes) == 1 / 2
    assert isnan(raw_agreement([[1], []]))
    array = np.array([[1, nan, 1], [1, -1, nan], [5, nan, nan], [nan, nan, nan]])
    for level in LEVELS:
        alpha = krippendorff_alpha([[1, 1], [1, -1]], level=level)
        assert krippendorff_alpha(with_holes, level=level) == krippendorff_alpha(array, level=level) == alpha


def test_very_large_and_very_small_labels_keep_their_alpha():
    units = [[0, 1], [1, 1], [2, 3]]
    for scale in (1e-200, 1e200):
        scaled = [[scale * label for label in unit] for unit in units]
        expected = krippendorff_alpha(units, level="interval")
        assert krippendorff_alpha(scaled, level="interval") == pytest.approx(expected)


def test_strong_and_weak_preference_merged():
    assert merge_strength([-2, -1.0, 0, 1, 2, 0.5, None, nan]) == [-1, -1, 0, 1, 1, 1, None, None]


def judged(topic, left, right, **choices):
    return [Judgment(topic, left, right, choice, assessor) for assessor, choice in choices.items()]


def test_units_turn_pairs_to_the_way_they_were_judged_first():
    judgments = [*judged("t", "b", "a", ann=-2, bob=1), *judged("t", "a", "b", cy=2, ann=-1)]
    judgments += judged("u", "a", "b", ann=0)
    assert label_units(judgments) == {
        ("t", "b", "a"): {"ann": -2, "bob": 1, "cy": -2},
        ("u", "a", "b"): {"ann": 0},
    }
    assert label_units(judgments, merge=True)["t", "b", "a"] == {"ann": -1, "bob": 1, "cy": -1}


def test_agreement_of_each_topic_and_of_each_assessor():
    judgments = [
        *judged("t", "a", "b", ann=-2, bob=-1, cy=-1),
        *judged("t", "c", "a", ann=1, bob=1, cy=0),
        *judged("u", "a", "b", ann=1, bob=1),
        *judged("u", "b", "c", ann=-1, bob=-1, dee=1),
        *judged("v", "b", "c", eve=1),
    ]
    topics = agreement_by_topic(judgments, raw_agreement, merge=True)
    assert topics == pytest.approx({"t": (1 + 1 / 3) / 2, "u": (1 + 1 / 3) / 2, "v": nan}, nan_ok=True)
    assert agreement_by_topic(judgments, raw_agreement)["t"] == pytest.approx(1 / 3)
    ordinal = agreement_by_topic(judgments, partial(krippendorff_alpha, level="ordinal"))
    assert ordinal["t"] == krippendorff_alpha([[-2, -1, -1], [1, 1, 0]], level="ordinal")
    assert agreement_by_topic(judgments)["t"] == krippendorff_alpha([[-2, -1, -1], [1, 1, 0]])
    assert agreement_by_assessor(judgments, merge=True) == pytest.approx(
        {"ann": 3 / 4, "bob": 3 / 4, "cy": 1 / 2, "dee": 0, "eve": nan}, nan_ok=True
    )
    assert agreement_by_assessor(judgments)["ann"] == pytest.approx(2 / 4)


def test_position_bias_is_an_exact_test_without_the_ties():
    """By hand: 1 or fewer, or 5 or more, of 6 tosses: 14 of 64."""
    result = position_bias([-2, -1, -1, -1, -1, 0, 0, 1])
    assert result == PositionBias(5, 1, 2, 5 / 6, pytest.approx(14 / 64))
    assert position_bias([-1, 1]).p_value == 1
    nothing = position_bias([0])
    assert isnan(nothing.share)
    assert nothing.p_value == 1


def test_repeats_are_the_same_assessors_and_may_be_swapped():
    judgments = [
        *judged("t", "a", "b", ann=-2, bob=1),
        *judged("t", "b", "a", ann=1, bob=1),  # ann: the same side, weaker; bob: now the other
        *judged("t", "a", "c", ann=0),
        *judged("t", "a", "c", ann=0),
        *judged("t", "c", "a", ann=0),
        *judged("t", "b", "c", ann=1),
        *judged("t", "b", "c", ann=-1),
        *judged("u", "a", "b", ann=1),  # another topic: no repeat
        *judged("t", "a", "d", cy=1),
    ]
    result = repeat_consistency(judgments)
    assert (result.repeated, result.same, result.swapped_repeated, result.swapped_same) == (4, 1, 3, 1)
    merged = repeat_consistency(judgments, merge=True)
    assert (merged.share, merged.swapped_share) == (2 / 4, 2 / 3)
    assert isnan(repeat_consistency([]).share)
    assert isnan(repeat_consistency([]).swapped_share)


pairs = st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")).filter(lambda pair: pair[0] < pair[1])
majorities = st.dictionaries(pairs, st.sampled_from([-1, 0, 1]))


@given(majorities, st.sets(pairs))
def test_transitivity_agrees_with_the_rules_tried_on_every_triple(preferences, swapped):
    turned = {
        pair[::-1] if pair in swapped else pair: -said if pair in swapped else said
        for pair, said in preferences.items()
    }
    result = transitivity(turned)
    expected = plain_transitivity(preferences)
    assert {kind: getattr(result, kind) for kind in expected} == expected


def test_transitivity_of_each_kind_by_hand():
    chain = {("a", "b"): -2, ("b", "c"): -1, ("a", "c"): -1}
    cycle = chain | {("a", "c"): 1}
    assert transitivity(chain) == Transitivity(asym=(1, 1))
    assert transitivity(cycle) == Transitivity(asym=(0, 1))
    assert transitivity(chain | {("b", "c"): 0}) == Transitivity(s2a=(1, 1))
    assert transitivity(chain | {("a", "c"): 0}) == Transitivity(s2a=(0, 1))
    assert transitivity(chain | {("a", "b"): 0, ("b", "c"): 0}) == Transitivity(s2s=(0, 1))
    assert transitivity(dict.fromkeys(chain, 0)) == Transitivity(s2s=(1, 1))
    assert transitivity({}) == Transitivity()


def test_transitivity_of_topics_adds_up():
    total = sum([Transitivity((1, 2), (3, 4), (0, 1)), Transitivity((1, 1), (0, 3), (2, 3))], Transitivity())
    assert total == Transitivity((2, 3), (3, 7), (2, 4))
    assert [total.share(kind) for kind in ("asym", "s2a", "s2s", "all")] == [2 / 3, 3 / 7, 2 / 4, 7 / 14]
    assert isnan(Transitivity().share("asym"))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: fleiss_kappa([[1, 2], [1]]), "unit 1 has 1 labels, unit 0 has 2; Fleiss' kappa needs"),
        (lambda: fleiss_kappa([[1], [1]]), "unit 0 has 1 labels"),
        (lambda: krippendorff_alpha([], level="ratio"), "no level 'ratio'; there are nominal, ordinal"),
        (lambda: krippendorff_alpha([["a", "b"]], level="ordinal"), "the label 'a' is not a finite number"),
        (lambda: krippendorff_alpha([[1, float("inf")]], level="interval"), "label inf is not a finite"),
        (lambda: label_units(judged("t", "a", "a", ann=1)), "'t': 'a' cannot be compared with itself"),
        (lambda: label_units(judged("t", "a", "b", ann=nan)), "choice between 'a' and 'b' is nan"),
        (lambda: repeat_consistency(judged("t", "a", "a", ann=1)), "'a' cannot be compared with itself"),
        (lambda: position_bias([nan]), "a choice is not a number"),
        (lambda: transitivity({("a", "a"): 1}), "'a' cannot be compared with itself"),
        (lambda: transitivity({("a", "b"): nan}), "'a' against 'b' is not a number"),
        (lambda: transitivity({("a", "b"): 1, ("b", "a"): 0}), "differ by which stands first"),
        (lambda: Transitivity().share("none"), "no kind 'none' of triple; there are asym, s2a, s2s, all"),
    ],
)
def test_bad_input_is_refused_with_a_sentence(call, says):
    with pytest.raises(ValueError, match=says):
        call()


@given(tables, st.lists(st.booleans(), min_size=8, max_size=8))
def test_alpha_and_kappa_of_both_ways_do_not_depend_on_which_item_is_named_first(units, turned):
    named = [[-label if turn else label for label in unit] for unit, turn in zip(units, turned, strict=False)]
    for statistic in (
        fleiss_kappa,
        raw_agreement,
        *(partial(krippendorff_alpha, level=level) for level in LEVELS),
    ):
        given_so, given_other = statistic(both_ways(units)), statistic(both_ways(named))
        assert given_so == pytest.approx(given_other, nan_ok=True)
    assert raw_agreement(both_ways(units)) == pytest.approx(raw_agreement(units), nan_ok=True)


def test_alpha_of_pairs_named_one_way_changes_with_the_way():
    """Why `both_ways`: the same answers, with the last two pairs named the other way."""
    one, other = [[1, 1], [1, 1], [1, -1]], [[1, 1], [-1, -1], [-1, 1]]
    assert (krippendorff_alpha(one), krippendorff_alpha(other)) == pytest.approx((0, 4 / 9))
    assert plain_alpha([*one, *other], "nominal") != pytest.approx(0)
    for units in (one, other):
        turned = [[-label for label in unit] for unit in units]
        assert krippendorff_alpha(both_ways(units)) == pytest.approx(
            plain_alpha([*units, *turned], "nominal")
        )


def test_missing_answers_stay_missing_when_units_are_turned():
    assert both_ways([[1, None], [0]]) == [[1, None], [0], [-1, None], [0]]
