"""Processes are killed with kill -9 during a paid campaign: no HIT twice, everybody paid once, to the cent.

`python -m bench.chaos` does the same with 173 topics, 60 workers and 100 kills; docs/panels.md has its table.
"""

from decimal import Decimal

import pytest

from bench import chaos
from simulation.turkers import Became, Habits

pytestmark = [pytest.mark.services, pytest.mark.slow]

KILLS = ("worker", "web", "PostgreSQL", "beat", "Redis")
# Nobody leaves a place: its time, a quarter of an hour, would have to pass before the campaign can be closed.
HABITS = Habits(careless=0.2, returns=0.0, leaves=0.0, doubles=0.3, reloads=0.2)


def test_whatever_is_killed_each_hit_is_made_once_and_each_submission_paid_once(tmp_path):
    with chaos.deployed(tmp_path) as (stack, market):
        chaos.make_study(stack, 8)
        outcome = chaos.survive(stack, market, KILLS, workers=6, pause=0.3, habits=HABITS)
    assert outcome.wrong == []
    assert outcome.struck.total() >= 3  # fewer than all only where the round was judged before
    assert outcome.became[Became.SUBMITTED] == outcome.submitted > outcome.pairings / 10
    assert outcome.spent == outcome.submitted * Decimal("2.40") <= outcome.highest <= outcome.cap
    # Answers were lost, and found again.
    assert sum(n for *_, n in outcome.doubted) > 0
