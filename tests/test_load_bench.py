"""The parts of bench/load that need no server: it sees what is wrong in a ledger, and counts time rightly."""

import pytest
from django.db import connection
from django.test import Client

from bench import kills
from bench.load import forms
from bench.load.check import Found, check
from bench.load.report import percentiles
from bench.load.seen import Answer, Burst
from bench.load.watching import Watcher, lags, shown_in
from judging.models import Assignment, Judgment, Question
from scoring.scores import topic_scores
from tests import makers
from tests.emptying import unguarded
from tests.scoring import stored

RIGHT = Found(lost=0, double=0, other=0, strange=0, above=0, surplus=0, miscounted=0)
NAMES = {1: "left", 0: "tie", -1: "right"}


class Here:
    """The test's own database as a deployment's."""

    def query(self, sql):
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return cursor.fetchall()


@pytest.fixture
def sent(db):
    """The answers of a batch that was judged and kept, as their sender knows them."""
    makers.sit(makers.invite(makers.open_study(makers.make_study())))
    rows = Judgment.objects.values_list("nonce", "value", "role")
    return [Answer(nonce, NAMES[value], role == "challenge", 0.0, 1.0) for nonce, value, role in rows]


def test_a_ledger_is_right_that_holds_every_answer_once(sent):
    assert len(sent) > 1
    assert check(Here(), sent) == RIGHT
    assert str(RIGHT) == "right"


def test_answers_that_are_lost_other_or_strange_are_seen(sent):
    never = Answer("never-stored", "left", False, 0.0, 1.0)
    assert check(Here(), [*sent, never]).lost == 1
    never.acknowledged = None
    assert check(Here(), [*sent, never]).right
    assert check(Here(), sent[1:]).strange == 1
    sent[0].choice = "tie" if sent[0].choice != "tie" else "left"
    assert check(Here(), sent).other == 1


def test_an_answer_that_is_stored_again_is_seen(sent):
    first = Judgment.objects.first()
    with unguarded():  # the batch is closed
        Judgment.objects.create(
            assignment=first.assignment,
            question=first.question,
            topic=first.topic,
            revision=1,
            value=0,
            nonce="2",
        )
    found = check(Here(), [*sent, Answer("2", "tie", False, 0.0, 1.0)])
    assert (found.double, found.right) == (1, False)


def test_questions_that_were_asked_too_often_are_seen(sent):
    asked = Question.objects.filter(taken=1)
    raised, lowered = asked[:2]
    Question.objects.filter(pk=raised.pk).update(taken=2)
    Question.objects.filter(pk=lowered.pk).update(wanted=0)
    found = check(Here(), sent)
    assert (found.above, found.surplus, found.miscounted) == (2, 1, 1)
    assert str(found) == "2 above, 1 surplus, 1 miscounted"


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (lambda: stored.spoil(0.01), "scores"),
        (lambda: Question.objects.filter(taken=1).update(taken=2), "questions"),
        (lambda: Assignment.objects.update(state="discarded"), "batches"),
    ],
)
def test_what_a_rebuild_would_not_give_is_seen(sent, change, name):
    study = Question.objects.first().study
    makers.add_run(study, "run", {"t1": ["t1-a", "t1-b"]})
    topic_scores.rebuild(study.pk)
    before = kills.derived(Here())
    assert kills.derived(Here()) == before
    change()
    after = kills.derived(Here())
    assert [kind for kind in before if before[kind] != after[kind]] == [name]


def test_a_page_is_read_as_its_browser_would_send_it(db):
    study = makers.open_study(makers.make_study())
    assessor = makers.invite(study)
    client, home = Client(headers={"host": "localhost"}), f"/i/{assessor.reference}/"
    fields = forms.beginning(client.get(home).content.decode())
    assert forms.sitting(client.get(home).content.decode()) is None
    client.post(home, fields)
    batch = forms.sitting(client.get(home).content.decode())
    for question in batch.questions:
        name, choice = question.form.buttons[0]
        reply = client.post(
            batch.answer,
            {**question.form.fields, name: choice, "nonce": str(id(question))},
            headers={"accept": "application/json"},
        )
        assert reply.json() == {"stored": True}
        assert len(question.junk) == len(question.pictures) == 2
    reply = client.post(batch.submit, batch.submission.fields, headers={"accept": "application/json"})
    assert reply.json()["submitted"]


def test_an_answer_before_or_after_the_burst_counts_in_no_rate():
    times = [0.5, 1.5, 2.5, 3.5, None]
    seen = Burst(1.0, 3.0, [Answer(str(n), "left", False, 0.0, at) for n, at in enumerate(times)])
    assert (seen.acknowledged, seen.rate) == (2, 1.0)


def test_the_lag_of_an_answer_is_until_the_number_that_counts_it():
    watcher = Watcher("http://127.0.0.1:1", "/", "")
    watcher.shown = [(9.0, 100), (11.0, 101), (14.0, 103), (15.0, 103)]
    times = (13.0, 10.0, 10.5, 12.0, 13.5, 8.0, None)
    seen = Burst(9.5, 13.6, [Answer(str(at), "left", at == 10.5, 0.0, at) for at in times])
    assert shown_in(seen) == [10.0, 12.0, 13.0, 13.5]
    assert lags(watcher, shown_in(seen)) == ([1.0, 2.0, 1.0], 1)


def test_percentiles_are_times_that_were_measured():
    assert percentiles([n / 1000 for n in range(100, 0, -1)], 0.5, 0.95, 0.99) == "50/95/99"
    assert percentiles([], 0.5) == "–"
