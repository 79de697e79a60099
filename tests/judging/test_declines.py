"""Questions that assessors cannot judge: what is stored, and who gets them next."""

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError

from judging.audit import hash_chain, verification
from judging.batches import answering, declines, sittings
from judging.models import (
    Assessor,
    Assignment,
    Decision,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Withdrawal,
)
from judging.questions import question_holds
from tests.judging.declined import agrees, answer_rest, place_of, say, taken, ten_pairs
from tests.makers import (
    Choice,
    invite,
    later,
    pairs_of,
    record,
    run_out,
)
from tournament.plans import plan_of
from web.live import progress

pytestmark = pytest.mark.django_db
State, What, Reason = Assignment.State, Decision.What, Decline.Reason


@pytest.fixture
def study():
    return ten_pairs()


@pytest.fixture
def batch(study):
    return answering.arrive(invite(study).pk)


def test_pages_of_topics_count_a_question_that_went_to_others_once(study, batch):
    [topic], plan = study.topics.all(), plan_of(study)
    waiting = progress.summary(study).open_questions
    assert say(batch, place_of(batch))
    now = progress.summary(study)
    assert (now.open_questions, now.in_hand) == (waiting + 1, 5)
    assert progress.counts(plan, [topic.pk]) == {topic.pk: (0, 0)}
    answer_rest(batch)
    assert progress.summary(study).in_hand == 5
    assert progress.counts(plan, [topic.pk]) == {topic.pk: (5, 0)}
    [line] = progress.lines(study, [topic])
    assert (line.answered, line.kept) == (5, 0)
    answering.submit(batch.pk)
    assert progress.counts(plan, [topic.pk]) == {topic.pk: (5, 5)}
    assert progress.summary(study).in_hand == 0


def test_what_was_said_is_stored_and_the_question_goes_to_others_once(study, batch):
    place = place_of(batch)
    assert say(batch, place, "offensive", "blood")
    assert not say(batch, place, "offensive", "blood")
    row = Decline.objects.get()
    assert (row.assignment, row.question_id, row.reason, row.note) == (
        batch,
        place.question_id,
        "offensive",
        "blood",
    )
    assert place.question_id not in taken()
    assert len(taken()) == 5
    assert not Judgment.objects.exists()
    agrees(study)
    other = answering.arrive(invite(study).pk)
    assert place.question_id in pairs_of(other)
    agrees(study)


@pytest.mark.parametrize("role", ["counts", "challenge"])
@pytest.mark.parametrize("answered", [False, True], ids=["no answer", "an answer"])
def test_another_reason_is_another_row_and_the_last_one_stands(study, batch, answered, role):
    """Until the batch is sent; what was sealed meanwhile stays as it was."""
    place = place_of(batch, role=role)
    if answered:
        answering.answer(batch.pk, place.position, 1, kind="pair")
    say(batch, place, "offensive", "blood")
    before = taken()
    hash_chain.seal()
    assert say(batch, place, "alike")
    assert not say(batch, place, "alike")
    assert say(batch, place, "alike", "both")
    said = [(row.reason, row.note) for row in Decline.objects.order_by("pk")]
    assert said == [("offensive", "blood"), ("alike", "blood"), ("alike", "both")]
    assert (taken(), Assignment.objects.get(pk=batch.pk).withdrawn) == (before, 1)
    assert question_holds.declined_positions(batch) == {place.position: "alike"}
    agrees(study)
    answer_rest(batch)
    answering.submit(batch.pk)
    hash_chain.seal()
    agrees(study)
    with pytest.raises(answering.Over):
        say(batch, place, "broken")


def test_a_reason_is_changed_so_often_and_no_more(study, batch, monkeypatch):
    monkeypatch.setattr(answering, "MOST_CORRECTIONS", 2)
    for reason in ("broken", "alike", "other"):
        say(batch, place_of(batch), reason)
    with pytest.raises(answering.JudgingError, match="changed too often"):
        say(batch, place_of(batch), "broken")


def test_a_batch_is_whole_without_it(study, batch):
    say(batch, place_of(batch))
    record(batch.pk, place_of(batch, n=1).question_id, Choice.A)
    with pytest.raises(answering.Unfinished, match="7 of 8 questions"):
        answering.submit(batch.pk)
    answer_rest(batch)
    assert answering.submit(batch.pk).state == State.KEPT
    assert Judgment.objects.settled().count() == 5
    agrees(study)


@pytest.mark.parametrize("reason", ["", "no such reason"])
def test_a_reason_is_one_of_those_offered(study, batch, reason):
    with pytest.raises(answering.JudgingError, match="one of the reasons"):
        say(batch, place_of(batch), reason)


@pytest.mark.parametrize("role", ["counts", "challenge"])
def test_while_nobody_else_has_it_it_can_be_answered_after_all(study, batch, role):
    """The answer counts, and what was said before stays on record."""
    place = place_of(batch, role=role)
    say(batch, place)
    answering.answer(batch.pk, place.position, 1, kind="pair")
    assert Judgment.objects.get().question_id == place.question_id
    assert Decline.objects.count() == 1
    agrees(study)
    with pytest.raises(answering.Unfinished, match="8 of 9 questions"):
        answering.submit(batch.pk)


def test_once_somebody_else_has_it_it_cannot(study, batch):
    place = place_of(batch)
    say(batch, place)
    other = answering.arrive(invite(study).pk)
    assert place.question_id in pairs_of(other)
    with pytest.raises(answering.Gone, match="somebody else has it now"):
        answering.answer(batch.pk, place.position, 1, kind="pair")
    assert not Judgment.objects.exists()
    agrees(study)


def test_an_answer_that_was_given_after_all_can_be_corrected(study, batch):
    place = place_of(batch)
    say(batch, place)
    for value in (1, -1):
        answering.answer(batch.pk, place.position, value, kind="pair")
    assert Judgment.objects.count() == 2
    agrees(study)


def test_nothing_is_said_of_a_batch_that_is_over_or_of_a_question_that_is_not_in_it(study, batch):
    with pytest.raises(answering.NotAsked):
        declines.decline(batch.pk, 99, "broken")
    run_out(batch)
    with pytest.raises(answering.Over):
        say(batch, place_of(batch))


def test_somebody_who_was_away_comes_back_with_it(study, batch):
    first, second = place_of(batch), place_of(batch, n=1)
    say(batch, first)
    sittings.release(batch.pk)
    assert taken() == {}
    say(batch, second)
    assert Assignment.objects.get(pk=batch.pk).state == State.WORKING
    assert not Withdrawal.objects.exists()
    agrees(study)


def test_what_went_to_others_meanwhile_is_said_to_have_gone(study, batch):
    place = place_of(batch)
    sittings.release(batch.pk)
    Question.objects.filter(pk=place.question_id).update(wanted=0)
    with pytest.raises(answering.Gone, match="While you were away"):
        say(batch, place)


def test_it_is_a_sign_of_life(study, batch):
    with later(minutes=14):
        say(batch, place_of(batch))
    with later(minutes=28):
        assert answering.release_overdue() == 0
    Assessor.objects.update(by_link=True)
    with later(minutes=30):
        assert answering.release_overdue() == 1
    assert Assignment.objects.get(pk=batch.pk).state == State.IDLE


def test_somebody_who_cannot_judge_any_challenge_has_no_batch_kept(study, batch):
    for n in range(3):
        say(batch, place_of(batch, role=QuestionRole.CHALLENGE, n=n))
    answer_rest(batch)
    assert answering.submit(batch.pk).state == State.LAPSED
    assert Decision.objects.get(assignment=batch).why == "no challenge answered rightly"
    assert not Judgment.objects.counting().exists()
    agrees(study)


def test_one_challenge_answered_rightly_vouches_for_a_batch_and_a_wrong_one_does_not(study, batch):
    for n in range(2):
        say(batch, place_of(batch, role=QuestionRole.CHALLENGE, n=n))
    answer_rest(batch, wrong=1)
    assert answering.submit(batch.pk).state == State.LAPSED
    again = answering.arrive(invite(study).pk)
    for n in range(2):
        say(again, place_of(again, role=QuestionRole.CHALLENGE, n=n))
    answer_rest(again)
    assert answering.submit(again.pk).state == State.KEPT
    agrees(study)


def test_somebody_who_could_not_judge_most_is_named(study):
    idle, busy = invite(study), invite(study)
    for person, wrong in ((idle, 6), (busy, 3)):
        batch = answering.arrive(person.pk)
        for n in range(wrong):
            say(batch, place_of(batch, n=n))
        answer_rest(batch)
        answering.submit(batch.pk)
    [found] = declines.mostly(study.pk)
    assert (found, found.declined_n, found.answered_n) == (idle, 6, 3)


def test_rows_are_only_ever_added(study, batch):
    say(batch, place_of(batch))
    for sql in ("UPDATE judging_decline SET reason = 'alike'", "DELETE FROM judging_decline"):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            connection.cursor().execute(sql)


def test_what_was_said_is_sealed_with_its_batch(study, batch):
    say(batch, place_of(batch), "alike", "twins")
    answer_rest(batch)
    answering.submit(batch.pk)
    hash_chain.seal()
    assert verification.verify(study).problems == []
    Decline.objects.create(assignment=batch, question=place_of(batch, n=1).question, reason="broken")
    [problem] = verification.verify(study).problems[:1]
    assert f"Batch {batch.pk} was changed since seal 1" in problem
    assert '"declined":{' in problem
    assert '"note":"twins"' in problem
