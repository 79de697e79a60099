"""Every kind of process is killed with kill -9 while people judge a study to its end.

Nothing that was acknowledged is lost, nothing is stored twice or asked too often, and what is derived equals a
rebuild. `python -m bench.kills` does the same a hundred times by chance.
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
    """A deployment with all of compose's services. Its PostgreSQL is that of the run: nobody else may be on it."""
    connections.close_all()
    stack = new_stack()
    stack.launch("standings")
    yield stack
    connections.close_all()


def test_whatever_is_killed_each_acknowledged_answer_is_stored_once_and_a_rebuild_gives_the_same(killable):
    made = material.make(killable, material.Size(topics=4, items=12, runs=2))
    outcome = kills.survive(killable, made.link, ORDER, rate=0, back=0)
    assert outcome.struck.total() == len(ORDER)
    assert outcome.found == Found(lost=0, double=0, other=0, strange=0, above=0, surplus=0, miscounted=0)
    assert (outcome.unfinished, outcome.behind, outcome.differ) == (0, 0, [])
    assert outcome.answers > len(ORDER) * kills.GOES_ON


def test_a_score_that_a_rebuild_would_not_give_is_seen(killable):
    """The comparison is known to be able to fail."""
    material.make(killable, material.Size(topics=1, items=8, runs=1))
    killable.python(
        "from tests.makers import finish; from collection.models import Study; finish(Study.objects.get())"
    )
    before = kills.derived(killable)
    killable.python("from scoring.models import Score; Score.objects.update(value=0.5)")
    changed = kills.derived(killable)
    assert [name for name in before if before[name] != changed[name]] == ["scores"]
