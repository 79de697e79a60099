"""Intervals near 1 from few topics hold the truth: the simulation of bench/coverage_near_bounds, in short."""

import pytest

from bench.coverage_near_bounds import CASES, held, marked, mean_held


@pytest.mark.parametrize("case", CASES[::2], ids=lambda case: f"{case.name}, {case.judgments}")
@pytest.mark.parametrize(("chance", "topics"), [(0.9, 20), (0.95, 10), (0.98, 5)])
def test_win_rates_and_strengths_are_held(case, chance, topics):
    """Of 250 studies; by chance a share of .95 is below .915 once in 100 times."""
    found = held(case, chance, topics, 250)
    assert min(found.win_rate, found.best, found.others) > 0.915
    # Where all of few topics are won as a rule, most intervals have no upper end.
    assert (found.open > 0.3) == (
        (chance, topics) == (0.98, 5) or (chance, topics, case.judgments) == (0.95, 10, 1)
    )


@pytest.mark.parametrize("correlation", [0.1, 0.3])
@pytest.mark.parametrize(("chance", "topics"), [(0.9, 20), (0.95, 10), (0.98, 5)])
def test_means_of_scores_are_held(chance, topics, correlation):
    assert mean_held(chance, correlation, topics, 4000) > 0.93


def test_cells_outside_what_is_promised_are_marked():
    assert [marked(share) for share in (0.929, 0.93, 0.97, 0.971)] == ["0.929 <", "0.930", "0.970", "0.971 >"]
