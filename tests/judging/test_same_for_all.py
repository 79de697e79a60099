"""Anyone who looks closely gets the same for a challenge and a pair, and whether they passed or failed."""

import re
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from config import task_queue
from judging.batches import answering
from judging.models import Assessor
from tests.judging.studies import invite, make_study
from tests.judging.visiting import JSON, Visitor, agreeing, answer_all, as_anybody, begin, form, send

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor():
    return Visitor()


def seen(do) -> tuple:
    """What somebody gets who looks closely: status, headers, bytes and the statements behind them."""
    with CaptureQueriesContext(connection) as captured:
        response = do()
    # Statements without their values, of which the person's own are some.
    value = r"'[^']*'|\b(s?\d+(_x\d+)?|true|false)\b"
    said = [re.sub(value, "?", query["sql"], flags=re.IGNORECASE) for query in captured]
    return response.status_code, sorted(response.items()), as_anybody(response), said


def test_after_the_last_batch_nobody_sees_whether_it_passed(visitor):
    """Two people judge all there is for them, one fails: where nothing is open, they get the same.

    The one who failed has left questions open; others hold them, so that for the other nothing is open.
    """
    study = make_study(pairs=10, challenges=9, batch_pairs=5, wrong_allowed=0)
    people = [invite(study) for _ in range(2)]
    for person, wrong in zip(people, (False, True), strict=True):
        address = f"/i/{person.reference}/"
        assignment = begin(visitor, address)
        answer_all(visitor, assignment, wrong=wrong)
        send(visitor, assignment)
    assert [p.excluded_at is not None for p in Assessor.objects.order_by("pk")] == [False, True]
    answering.arrive(invite(study).pk)
    looks = []
    for person in people:
        address = f"/i/{person.reference}/"
        get = seen(lambda address=address: visitor.get(address))
        post = seen(lambda address=address: visitor.post(address, agreeing(address)))
        looks.append((get, post))
    passed, failed = looks
    for one, other in zip(failed, passed, strict=True):
        for mine, theirs in zip(one, other, strict=True):
            assert mine == theirs
    assert "Thank you" in passed[0][2].decode()


@pytest.mark.parametrize("headers", [JSON, {}])
def test_an_answer_to_a_challenge_is_taken_as_one_to_a_pair_is(
    visitor, monkeypatch, settings, headers, django_capture_on_commit_callbacks
):
    """Same statements, same reply, same work asked for afterwards: at first, repeated, and corrected."""
    asked_for: list[str] = []
    settings.GATHER_SECONDS = 60
    monkeypatch.setattr(task_queue._gatherer, "add", lambda task, *_: asked_for.append(task.name))
    assignment = begin(visitor, f"/i/{invite(make_study()).reference}/")
    looks = {}
    for place in assignment.batch.all():
        asked_for.clear()
        with django_capture_on_commit_callbacks(execute=True):
            mine = [
                seen(partial(visitor.post, "/answer/", form(assignment, place, side), headers=headers))
                for side in ("left", "left", "right")
            ]
        looks.setdefault(place.role == "challenge", []).append((mine, list(asked_for)))
    assert len(looks[True]) == 3
    first = looks[True][0]
    assert first[1] == ["scoring.jobs.rescore"] * 2
    for look in looks[True] + looks[False]:
        assert look == first
