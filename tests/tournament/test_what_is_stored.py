"""What advancing a tournament writes: everything where a round changed, and else only how far it has come."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import Question, Task
from judging.verdicts import decisions
from tests.makers import invite, make_study, open_study, sit
from tournament import services
from tournament.models import Round, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """One topic of 8 items, whose first round has 12 pairs; batches of 4."""
    study = make_study(
        items=8, final_size=4, pairings=3, batch_pairs=4, batch_challenges=0, judgments_per_pair=1
    )
    open_study(study)
    services.catch_up()
    return study


def tables_written() -> set[str]:
    """Tables that catching up changes."""
    with CaptureQueriesContext(connection) as captured:
        services.catch_up()
    texts = [query["sql"] for query in captured]
    found = (re.match(r'\s*(?:UPDATE|INSERT INTO|DELETE FROM) "?(\w+)', text) for text in texts)
    return {match[1] for match in found if match}


def test_a_verdict_that_ends_no_round_writes_how_far_it_is_and_nothing_else(study):
    for answered in (4, 8):
        sit(invite(study))
        assert tables_written() == {"tournament_tournament", "tournament_round"}
        assert Round.objects.get().answered == answered
    sit(invite(study))
    assert {"judging_question", "tournament_pairing"} <= tables_written()
    assert [(row.number, row.complete) for row in Round.objects.all()] == [(1, True), (2, False)]


def test_a_verdict_that_is_taken_back_within_a_round_lowers_how_far_it_is(study):
    judge = invite(study)
    sit(judge)
    services.catch_up()
    decisions.exclude(judge.pk, "slept")
    assert tables_written() == {"tournament_tournament", "tournament_round"}
    assert Round.objects.get().answered == 0


def test_a_rebuild_writes_everything_again_whatever_the_digest_says(study):
    before = dict(Question.objects.values_list("pk", "wanted"))
    Question.objects.update(wanted=0)
    Tournament.objects.update(seen=-1)
    services.catch_up()
    assert not Question.objects.filter(wanted__gt=0).exists()  # taken for stored
    services.rebuild(study.pk)
    assert dict(Question.objects.values_list("pk", "wanted")) == before


def test_another_task_of_the_plan_is_asked_though_its_rounds_are_the_same(study):
    """A digest of rounds alone would take them for asked."""
    task = Task.objects.create(study=study, position=2, kind="pair", scale="3")
    study.plan.task = task
    study.plan.save()
    Tournament.objects.update(seen=-1)
    services.catch_up()
    assert Question.objects.filter(task=task, wanted__gt=0).count() == 12
