"""Rebuilding judging's derived columns: what it costs, and that wrong ones are found batch by batch."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.audit import derived_state
from judging.models import Assignment
from tests.makers import invite, make_study, open_study, sit

pytestmark = pytest.mark.django_db


def statements(study) -> int:
    """How many statements rebuilding takes where nothing is wrong."""
    with CaptureQueriesContext(connection) as queries:
        assert derived_state.rebuild(study) == 0
    return len(queries)


def test_rebuilding_asks_the_database_no_oftener_for_more_batches():
    study = open_study(make_study(topics=3, items=8, junk=4, batch_pairs=3, batch_challenges=2))
    sit(invite(study))
    before = statements(study)
    for wrong in (0, 0, 2, 0):
        sit(invite(study), wrong=wrong)
    assert statements(study) == before


@pytest.mark.parametrize("chunk", [1, 2, 500])
def test_each_batch_gets_back_its_own_state_and_its_own_wrong_challenges(monkeypatch, chunk):
    """Of several pieces, and of several batches in one."""
    monkeypatch.setattr(derived_state, "CHUNK", chunk)
    study = open_study(
        make_study(topics=3, items=8, junk=4, batch_pairs=3, batch_challenges=2, wrong_allowed=1)
    )
    made = {sit(invite(study), wrong=wrong).pk: wrong for wrong in (0, 1, 2, 0, 1)}
    batches = Assignment.objects.order_by("pk").values_list("pk", "challenges_wrong", "state")
    expected = [(pk, wrong, "discarded" if wrong > 1 else "kept") for pk, wrong in made.items()]
    assert list(batches) == expected
    Assignment.objects.update(challenges_wrong=7, state="submitted")
    assert derived_state.rebuild(study) == len(made)
    assert list(batches.all()) == expected
