"""Answers that are changed to "I cannot judge this": of each kind of question and through each door, what the
ledger keeps, what counts, and that nobody escapes a challenge by it.
"""

from collections.abc import Callable

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from collection.models import Study
from collection.study import lifecycle
from judging import ledger
from judging.audit import hash_chain
from judging.batches import answering, batch_reopen, declines
from judging.models import (
    Assignment,
    BatchQuestion,
    Decline,
    Judgment,
    Question,
    QuestionRole,
)
from judging.people import own_record
from judging.verdicts.challenge_failures import answered, rates
from panels import account as accounts
from scoring import jobs as scoring_jobs
from scoring.scores import topic_scores
from tests.api.programs import Program, make_assessor
from tests.judging import picking
from tests.judging.declined import agrees, answer_rest, place_of, say, taken, ten_pairs
from tests.judging.organizing import account, logged_in, staff_of
from tests.judging.paged import ask_all, paged_study
from tests.judging.studies import make_study
from tests.judging.test_grading import graded_study
from tests.judging.visiting import JSON, Visitor
from tests.makers import Choice, add_run, invite, record, run_out
from tests.scoring.plain_answers import listed
from tests.web.test_release import released, written
from tournament import services
from web.judging_page import sitting
from web.organizer.assessors import answers
from web.release.release_loader import load
from web.shared import tokens

pytestmark = pytest.mark.django_db


def pairs() -> Study:
    study = make_study(batch_pairs=5, batch_challenges=0)
    add_run(study, "r", {"shade": ["DOCNO-shade-oak", "DOCNO-shade-fern"]})
    return study


def picks() -> Study:
    study, _ = picking.pick_study(batch_challenges=0)
    services.start(study.pk)
    services.catch_up()
    return study


def grades() -> Study:
    study, _ = graded_study(grades_first=True)
    services.start(study.pk)
    return study


def pages() -> Study:
    study, task = paged_study(topics=3)
    ask_all(task)
    return study


# Of each kind: a study, and two answers as the page posts them.
ASKED: dict[str, tuple[Callable[[], Study], str, str]] = {
    "pair": (pairs, "left", "right"),
    "pick": (picks, "1", "2"),
    "grade": (grades, "1", "3"),
    "pages": (pages, "left", "tie"),
}


class Door:
    """A way by which somebody answers and declines: the page with its script, without it, or a program."""

    def __init__(self, name: str, batch: Assignment) -> None:
        self.batch, self.kind = batch, batch.task.kind
        self.headers = JSON if name == "script" else {}
        self.program = Program("dora", "judge") if name == "program" else None
        self.sent = 0

    def _send(self, place: BatchQuestion, what: str, fields: dict[str, str]) -> None:
        address = f"/studies/{self.batch.assessor.study.slug}/sittings/{self.batch.pk}/{what}"
        if self.program:
            response = self.program.send(address, {"position": place.position} | fields)
            assert response.json() == {"stored": True}
            return
        path = "/answer/" if what == "answers" else "/cannot/"
        given = {
            "token": tokens.sign_assignment(self.batch.pk),
            "position": place.position,
            "kind": self.kind,
        }
        response = Visitor().post(path, given | fields, headers=self.headers)
        assert response.status_code == (200 if self.headers else 303)

    def answer(self, place: BatchQuestion, choice: str) -> None:
        self.sent += 1
        self._send(place, "answers", {"choice": choice, "nonce": f"n{self.sent}", "seconds": "1.5"})

    def decline(self, place: BatchQuestion, reason: str, note: str = "") -> None:
        self._send(place, "declined", {"reason": reason, "note": note})


def shown(batch: Assignment) -> dict[int, tuple[str, str]]:
    """The answer to each question and why it cannot be judged, as the page of the batch has them."""
    page = sitting.sitting(Assignment.objects.get(pk=batch.pk), batch.assessor.study)
    return {one.position: (one.chosen, one.cannot) for one in page.asked}


def rows(study: Study) -> list[tuple]:
    """The ledger and the declines of a study, without ids."""
    given = Judgment.objects.filter(topic__study=study).order_by("pk")
    said = Decline.objects.filter(question__study=study).order_by("pk")
    return [
        *given.values_list("revision", "value", "shown", "role"),
        *said.values_list("revision", "reason"),
    ]


def ended(study: Study) -> None:
    lifecycle.close(study.pk)
    services.catch_up()
    scoring_jobs.sweep()
    hash_chain.seal()
    study.refresh_from_db()


@pytest.mark.parametrize("door", ["script", "form", "program"])
@pytest.mark.parametrize("kind", ASKED)
def test_an_answer_is_withdrawn_given_again_and_withdrawn_for_good(kind, door, tmp_path):
    make, first, second = ASKED[kind]
    study = staff_of(make())
    make_assessor(study, "dora")
    dora = accounts.seat(study.pk, account("dora").pk)
    batch = answering.arrive(dora.pk)
    at = Door(door, batch)
    place, other, *_ = batch.batch.select_related("question")
    question = Question.objects.filter(pk=place.question_id)
    before = question.get().taken
    own = Judgment.objects.filter(question=question.get()).order_by("revision")
    topic = question.get().topic

    at.answer(place, first)
    topic_scores.rescore(topic.pk)
    at.decline(place, "broken", "torn")
    assert shown(batch)[place.position] == ("", "broken")
    assert question.get().taken == before - 1
    assert not own.current().exists()
    assert ledger.counting(topic.pk) == []
    # The scores see it, as they see an answer.
    assert topic_scores.behind() == [topic.pk]
    at.decline(place, "offensive")
    agrees(study)

    at.answer(place, second)
    assert shown(batch)[place.position] == (second, "")
    assert question.get().taken == before
    at.decline(place, "unknown", "never heard")
    at.answer(other, second)
    assert [row.value is None for row in own] == [False, True, True, False, True]
    assert list(Decline.objects.order_by("pk").values_list("revision", "reason", "note")) == [
        (1, "broken", "torn"),
        (2, "offensive", "torn"),
        (4, "unknown", "never heard"),
    ]
    agrees(study)
    assert own_record.own_record(dora).answers == 1

    # Somebody else is asked it.
    others = answering.arrive(invite(study).pk)
    assert others.batch.filter(question=place.question_id).exists()
    for left in batch.batch.all():
        if not any(shown(batch)[left.position]):
            at.answer(left, first)
    answering.close(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.withdrawn) == ("kept", 1)
    number = batch.batch.count() - 1
    assert len(listed(study)) == number
    told = sitting.receipt(batch)
    assert (told.answers, told.batches, told.all_answers) == (number, 1, number)
    agrees(study)

    run_out(others)
    answering.release_overdue()
    ended(study)
    agrees(study)
    loaded = load(released(study, tmp_path), slug="again")
    assert rows(loaded) == rows(study)
    assert written(loaded) == written(study)
    judged = Question.objects.filter(judgments__isnull=False).distinct().order_by("pk")
    takings = [list(judged.filter(study=one).values_list("taken", flat=True)) for one in (study, loaded)]
    assert takings[0] == takings[1]


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize("right", [True, False])
def test_an_answer_to_a_challenge_counts_for_the_verdict_though_it_is_withdrawn(right, again):
    """In a batch that is open for the first time, and in one that was kept and is opened again."""
    study = ten_pairs()
    study.tasks.update(wrong_allowed=0)
    dora = accounts.seat(study.pk, account("dora").pk)
    batch = answering.arrive(dora.pk)
    challenges = [place_of(batch, role=QuestionRole.CHALLENGE, n=n) for n in range(3)]
    answer_rest(batch)
    if again:
        answering.submit(batch.pk)
        hash_chain.seal()
        batch_reopen.reopen(batch.pk, dora.pk)
    if not right:
        record(batch.pk, challenges[0].question_id, Choice(-challenges[0].expected))
    for place in challenges:
        assert say(batch, place)
    assert shown(batch)[challenges[0].position] == ("", "broken")
    answering.submit(batch.pk)
    batch.refresh_from_db()
    assert (batch.state, batch.challenges_wrong) == (("kept", 0) if right else ("discarded", 1))
    one = challenges[0].question_id
    assert answered([one])[one] == rates(study)[one]
    assert rates(study)[one].wrong == (0 if right else 1)
    agrees(study)


def test_in_a_batch_that_is_opened_again_it_goes_to_others_and_can_be_answered_after_all():
    study = ten_pairs()
    dora = accounts.seat(study.pk, account("dora").pk)
    batch = answering.arrive(dora.pk)
    place, left = place_of(batch), place_of(batch, n=1)
    assert say(batch, left)
    answer_rest(batch)
    answering.submit(batch.pk)
    hash_chain.seal()
    batch_reopen.reopen(batch.pk, dora.pk)
    assert say(batch, place, "alike", "twins")
    assert place.question_id not in taken()
    # What never had an answer is asked no more.
    assert place.position in shown(batch)
    assert left.position not in shown(batch)
    hash_chain.seal()
    agrees(study)
    record(batch.pk, place.question_id, Choice.B)
    assert say(batch, place)
    answering.submit(batch.pk)
    hash_chain.seal()
    agrees(study)
    assert not Judgment.objects.settled().filter(question=place.question_id).exists()
    other = answering.arrive(invite(study).pk)
    assert {place.question_id, left.question_id} <= set(other.batch.values_list("question_id", flat=True))


def test_a_batch_whose_answers_are_all_withdrawn_lapses_when_its_time_is_over():
    study = ten_pairs()
    batch = answering.arrive(invite(study).pk)
    answer_rest(batch)
    for n in range(6):
        assert say(batch, place_of(batch, n=n))
    run_out(batch)
    answering.release_overdue()
    batch.refresh_from_db()
    assert batch.state == "lapsed"
    agrees(study)


def test_an_answer_that_was_changed_too_often_is_not_withdrawn(monkeypatch):
    study = ten_pairs()
    batch = answering.arrive(invite(study).pk)
    place = place_of(batch)
    monkeypatch.setattr(answering, "MOST_CORRECTIONS", 2)
    record(batch.pk, place.question_id, Choice.A)
    assert say(batch, place)
    answering.record(batch.pk, place.question_id, 1)
    with pytest.raises(answering.JudgingError, match="changed too often"):
        say(batch, place)
    agrees(study)


def test_somebody_who_withdrew_most_is_named():
    study = ten_pairs()
    batch = answering.arrive(invite(study).pk)
    answer_rest(batch)
    for n in range(5):
        assert say(batch, place_of(batch, n=n))
    [found] = declines.mostly(study.pk)
    assert (found, found.declined_n, found.answered_n) == (batch.assessor, 5, 4)


@pytest.mark.parametrize(
    "row", [{"revision": 0}, {"revision": 1, "seconds": 2.0}, {"revision": 1, "details": {}}]
)
def test_the_database_takes_no_row_without_a_value_but_one_that_withdraws(row):
    study = ten_pairs()
    batch = answering.arrive(invite(study).pk)
    place = place_of(batch)
    own = {"assignment": batch, "question": place.question, "topic": study.topics.get(), "value": None}
    with pytest.raises(IntegrityError, match="judgment_withdraws_an_answer"), transaction.atomic():
        Judgment.objects.create(**own, **row)


def test_their_assessor_and_the_organizers_read_that_it_was_withdrawn():
    study = staff_of(make_study(batch_pairs=5, batch_challenges=0))
    make_assessor(study, "dora")
    dora = accounts.seat(study.pk, account("dora").pk)
    batch = answering.arrive(dora.pk)
    place = place_of(batch)
    record(batch.pk, place.question_id, Choice.A)
    say(batch, place, "alike", "twins")
    page = logged_in("dora").get(reverse("desk-answer", args=[study.slug, batch.pk, place.position]))
    assert "You cannot judge it:" in page.content.decode()
    found = answers.summary(study, dora)
    assert (found.answers, found.declined) == (0, 1)
    page = logged_in("alice").get(reverse("person", args=[study.slug, dora.pk]))
    assert "They are too much alike</strong> (and took the answer back)" in page.content.decode()
