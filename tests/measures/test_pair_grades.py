"""Strength and time of judgments against grades: by hand, and as numpy has correlations."""

from math import isnan, nan

import numpy as np
import pytest

from prefir.measures import Judgment, correlate_with_grades, grade_heat_map, pair_figures

GRADES = {"t": {"a": 80, "b": 20, "c": 50, "d": 0, "e": 80}}


def judged(*answers):
    return [Judgment("t", left, right, choice, "") for left, right, choice in answers]


def test_a_pair_shown_both_ways_is_one_and_its_strength_leads_to_the_higher_grade():
    answers = judged(("a", "b", -2), ("b", "a", 1), ("a", "b", 1), ("a", "b", 0), ("x", "a", 1))
    found = pair_figures(answers, GRADES, [1, 9, 4, nan, 5])
    assert found == [(20, 80, (2 + 2 + 0 + 1) / 4, 4)]


def test_equal_grades_have_a_time_and_no_strength():
    ((lower, higher, strength, seconds),) = pair_figures(judged(("a", "e", -1)), GRADES, [3.0])
    assert (lower, higher, seconds) == (80, 80, 3)
    assert isnan(strength)
    assert isnan(pair_figures(judged(("a", "b", -1)), GRADES)[0].seconds)


def test_correlations_are_those_of_the_relations_of_the_grades():
    answers = judged(
        ("a", "b", -1), ("a", "c", 0), ("a", "d", -1), ("b", "c", -1), ("b", "d", 0), ("a", "e", 1)
    )
    found = pair_figures(answers, GRADES, [1, 5, 2, 9, 8, 7])
    lower, higher, strength, seconds = np.array(found).T
    relations = {
        "gap": higher - lower,
        "ratio": np.where(lower > 0, higher / np.maximum(lower, 1), nan),
        "sum": higher + lower,
        "lower": lower,
        "higher": higher,
    }
    for of, values in (("strength", strength), ("seconds", seconds)):
        for name, one in correlate_with_grades(found, of=of).items():
            known = ~np.isnan(relations[name]) & ~np.isnan(values)
            assert one.pairs == known.sum()
            expected = np.corrcoef(relations[name][known], values[known])[0, 1]
            assert one.pearson == pytest.approx(expected, abs=1e-12)


def test_too_few_pairs_have_no_correlation():
    assert all(
        isnan(one.pearson) and isnan(one.spearman_p)
        for one in correlate_with_grades(pair_figures(judged(("a", "b", -1)), GRADES)).values()
    )


def test_the_heat_map_has_the_means_by_both_grades():
    found = pair_figures(judged(("a", "b", -1), ("e", "b", 1), ("c", "d", 0), ("a", "e", 1)), GRADES)
    table = grade_heat_map(found, intervals=4)
    assert table.shape == (4, 4)
    assert table[0, 3] == 1  # 20 with 80, twice: 2 and 0
    assert table[0, 2] == 1  # 0 with 50: a tie
    assert np.isnan(table).sum() == 14  # of equal grades there is no strength


@pytest.mark.parametrize("options", [{"of": "colour"}, {"intervals": 0}, {"highest": 50}])
def test_bad_options_of_the_heat_map_are_refused(options):
    with pytest.raises(ValueError, match=r"there is no figure|intervals is 0|is not between 0 and 50"):
        grade_heat_map(pair_figures(judged(("a", "b", -1)), GRADES), **options)
