"""Every kind of process is killed with kill -9 while people judge a study to its end.

Nothing that was acknowledged is lost, nothing is stored twice or asked too often, and what is derived equals
a rebuild. `python -m bench.kills` does the same a hundred times, by chance.
"""

import pytest
from django.db import connections

from bench import kills
from bench.load import material
from bench.load.check import Found

pytestmark = [pytest.mark.services, pytest.mark.slow]

ORDER = ("PostgreSQL", "one web process", "one PostgreSQL backend", "worker", "Redis", "web", "standings")


@pytest.fixture
def killable(new_stack):
    """A deployment with workers for scores and for standings, over the run's own PostgreSQL."""
    connections.close_all()  # a killed server's would be of no use to the next test
    stack = new_stack()
    stack.launch("standings")
    yield stack
    connections.close_all()


def test_whatever_is_killed_each_acknowledged_answer_is_stored_once_and_a_rebuild_gives_the_same(killable):
    made = material.make(killable, material.Size(topics=8, items=12, runs=2))
    outcome = kills.survive(killable, made.link, ORDER, rate=0, back=0)
    assert outcome.struck.total() == len(ORDER)
    assert outcome.found == Found(lost=0, double=0, other=0, strange=0, above=0, surplus=0, miscounted=0)
    assert (outcome.unfinished, outcome.behind, outcome.differ) == (0, 0, [])
    assert outcome.answers > len(ORDER) * kills.GOES_ON
