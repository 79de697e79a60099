"""The axis of differences: round ends, and no two labels in one place."""

import pytest

from web.coordinator.difference_axis import DifferenceAxis


@pytest.mark.parametrize(
    ("values", "low", "high", "ends"),
    [
        ([-0.332, 0.012], -0.4, 0.1, ("−0.4", "")),  # near 0, where it would meet that label
        ([-0.404, 0.131], -0.5, 0.2, ("−0.5", "")),
        ([-0.83, 0.91, float("inf")], -1.0, 1.0, ("−1", "+1")),
        ([0.02, 0.043], 0.0, 0.05, ("", "+0.05")),
        ([-37.0, 41.0], -40.0, 60.0, ("−40", "+60")),
        ([], -1.0, 1.0, ("−1", "+1")),
    ],
)
def test_an_axis_has_round_ends_that_hold_every_value(values, low, high, ends):
    axis = DifferenceAxis.of(values)
    assert (axis.low, axis.high) == (pytest.approx(low), pytest.approx(high))
    assert axis.ends == ends
