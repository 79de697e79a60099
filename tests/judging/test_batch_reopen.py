"""Reopening: who may correct a batch that was kept, and that nothing of it is lost whatever happens then."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from collection.models import Study
from collection.study import lifecycle
from judging.audit import derived_state, hash_chain
from judging.batches import answering, batch_reopen, declines, sittings
from judging.models import Assessor, Assignment, Decision, Judgment, Question, QuestionRole
from judging.verdicts import decisions, question_set_aside
from panels import account as accounts
from tests.emptying import unguarded
from tests.judging.ledgers import said
from tests.judging.organizing import account, judge_batch, staff_of
from tests.makers import (
    Choice,
    invite,
    later,
    make_study,
    open_study,
    record,
    run_out,
    sit,
    taken_by_rows,
)

pytestmark = pytest.mark.django_db
What = Decision.What


@pytest.fixture(scope="module")
def opened(module_data):
    made = make_study(
        topics=2, items=5, junk=3, batch_pairs=4, batch_challenges=2, slug="pilot", idle_minutes=15
    )
    return open_study(staff_of(made)).pk


@pytest.fixture
def study(db, opened):
    return Study.objects.get(pk=opened)


@pytest.fixture
def dora(study):
    return accounts.seat(study.pk, account("dora").pk)


@pytest.fixture
def batch(dora):
    return sit(dora)


def settled(study) -> set[tuple[int, int]]:
    """The answers that decide tournaments: question and revision."""
    rows = Judgment.objects.settled().filter(topic__study=study)
    return set(rows.values_list("question", "revision"))


def holds(study) -> None:
    """What must hold at any moment: counters, states, and the ledger as it was sealed."""
    found = {question.pk: question.taken for question in Question.objects.filter(study=study)}
    rows = taken_by_rows(study)
    assert found == {pk: rows[pk] for pk in found}
    assert derived_state.rebuild(study) == 0
    hash_chain.seal()
    assert "as they were sealed" in said(study)


def place_of(batch, *, role=QuestionRole.COUNTS):
    return batch.batch.filter(role=role).select_related("question").order_by("position").first()


def correct(batch, place, choice=Choice.B) -> None:
    record(batch.pk, place.question_id, choice, nonce=f"again-{place.pk}-{choice}")


def other(place) -> Choice:
    """The wrong answer to a challenge."""
    return Choice(-int(place.question.expected))


def decided(batch) -> list[str]:
    return list(Decision.objects.filter(assignment=batch).order_by("pk").values_list("what", flat=True))


def test_a_correction_is_a_further_row_and_counts_once_it_is_sent_again(study, dora, batch):
    holds(study)
    place, before = place_of(batch), settled(study)
    batch_reopen.reopen(batch.pk, dora.pk)
    holds(study)
    # As of any batch that is being judged: they count, and decide nothing yet.
    assert settled(study) == set()
    assert Judgment.objects.counting().filter(assignment=batch).count() == 4
    correct(batch, place)
    holds(study)
    assert answering.submit(batch.pk).state == "kept"
    holds(study)
    assert settled(study) == before - {(place.question_id, 0)} | {(place.question_id, 1)}
    assert decided(batch) == ["kept", "reopened", "kept"]
    assert Judgment.objects.filter(assignment=batch, question=place.question_id).count() == 2


def test_what_was_sealed_of_the_batch_stays_as_it_was(study, dora, batch):
    """Whether it was sealed before it was reopened, or in the middle of that, or only at its end."""
    batch_reopen.reopen(batch.pk, dora.pk)
    hash_chain.seal()
    correct(batch, place_of(batch))
    answering.submit(batch.pk)
    holds(study)
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place_of(batch), Choice.TIE)
    holds(study)
    batch.refresh_from_db()
    assert batch.submitted_at is None
    assert batch.first_submitted_at < batch.first_deadline < batch.deadline


@pytest.mark.parametrize("late", ["idle", "out of time"])
def test_left_alone_it_is_closed_by_the_answers_it_has_and_never_lapses(study, dora, batch, late):
    place = place_of(batch)
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place)
    if late == "out of time":
        run_out(batch)
        answering.release_overdue()
    else:
        with later(minutes=14):
            assert answering.release_overdue() == 0
        with later(minutes=16):
            assert answering.release_overdue() == 1
    sent = batch.submitted_at
    batch.refresh_from_db()
    assert (batch.state, batch.submitted_at) == ("kept", sent)
    assert (place.question_id, 1) in settled(study)
    assert len(settled(study)) == 4
    holds(study)


def test_idle_minutes_begin_when_it_was_reopened(study, dora, batch):
    Assignment.objects.filter(pk=batch.pk).update(opened_at=batch.opened_at - timedelta(hours=3))
    with later(minutes=30):
        batch_reopen.reopen(batch.pk, dora.pk)
        assert answering.release_overdue() == 0


@pytest.mark.parametrize("how", ["sent", "out of time", "released", "closed"])
def test_challenges_that_are_wrong_now_fail_it_however_it_is_closed(study, dora, batch, how):
    """Else anyone who was kept once could change anything afterwards."""
    batch_reopen.reopen(batch.pk, dora.pk)
    place = place_of(batch, role=QuestionRole.CHALLENGE)
    correct(batch, place, other(place))
    if how == "sent":
        answering.submit(batch.pk)
    elif how == "out of time":
        run_out(batch)
        answering.release_overdue()
    elif how == "released":
        sittings.release(batch.pk)
    else:
        decisions.close_open(study.pk)
    batch.refresh_from_db()
    dora.refresh_from_db()
    assert (batch.state, decided(batch)[-1]) == ("discarded", "discarded")
    assert dora.excluded_at
    assert settled(study) == set()
    holds(study)


@pytest.mark.parametrize("how", ["released", "closed"])
def test_an_organizer_who_ends_it_loses_nothing(study, dora, batch, how):
    before = settled(study)
    batch_reopen.reopen(batch.pk, dora.pk)
    if how == "released":
        assert sittings.release(batch.pk)
    else:
        assert decisions.close_open(study.pk) == 1
    batch.refresh_from_db()
    assert (batch.state, settled(study)) == ("kept", before)
    holds(study)


def test_somebody_who_is_excluded_in_the_middle_and_let_back_in_has_it_again(study, dora, batch):
    place, before = place_of(batch), settled(study)
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place)
    decisions.exclude(dora.pk, "by mistake")
    assert settled(study) == set()
    holds(study)
    with pytest.raises(answering.Over):
        correct(batch, place, Choice.TIE)
    decisions.readmit(dora.pk, "a mistake")
    assert settled(study) == before - {(place.question_id, 0)} | {(place.question_id, 1)}
    holds(study)


def test_somebody_who_is_excluded_after_spoiling_it_does_not_get_it_back(study, dora, batch):
    place = place_of(batch, role=QuestionRole.CHALLENGE)
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place, other(place))
    decisions.exclude(dora.pk, "by mistake")
    decisions.readmit(dora.pk, "a mistake")
    assert settled(study) == set()
    holds(study)


def test_a_challenge_that_is_set_aside_meanwhile_counts_for_no_new_verdict(study, dora, batch):
    place = place_of(batch, role=QuestionRole.CHALLENGE)
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place, other(place))
    question_set_aside.set_aside(place.question_id, "unclear")
    holds(study)
    assert answering.submit(batch.pk).state == "kept"
    holds(study)


def test_what_had_no_answer_is_asked_no_more_and_held_by_nobody(study, dora):
    """Of a batch whose time had run out: the rest is with others."""
    assignment = answering.arrive(dora.pk)
    left = place_of(assignment)
    for place in assignment.batch.exclude(pk=left.pk).select_related("question"):
        record(assignment.pk, place.question_id, Choice(int(place.question.expected or 1)))
    run_out(assignment)
    answering.release_overdue()
    assignment.refresh_from_db()
    assert assignment.state == "kept"
    batch_reopen.reopen(assignment.pk, dora.pk)
    holds(study)
    for nonce in ("fast", None):
        with pytest.raises(answering.Left):
            answering.answer(assignment.pk, left.position, 1, kind="pair", nonce=nonce)
    with pytest.raises(answering.Left):
        declines.decline(assignment.pk, left.position, "broken")
    answering.close(assignment.pk)
    assignment.refresh_from_db()
    assert assignment.state == "kept"
    holds(study)


def test_only_ones_own_kept_batch_is_reopened_and_only_with_an_account(study, dora, batch):
    def refused(pk, assessor) -> None:
        with pytest.raises(batch_reopen.CannotReopen):
            batch_reopen.reopen(pk, assessor.pk)

    erik = accounts.seat(study.pk, account("erik").pk)
    refused(batch.pk, erik)
    linked = invite(study)
    refused(sit(linked).pk, linked)
    failed = judge_batch(erik, fail=True)
    refused(failed.pk, erik)
    batch_reopen.reopen(batch.pk, dora.pk)
    refused(batch.pk, dora)
    assert decided(batch) == ["kept", "reopened"]


def test_not_while_another_batch_is_open_or_the_study_is_shut(study, dora, batch):
    second = answering.arrive(dora.pk)
    with pytest.raises(batch_reopen.CannotReopen):
        batch_reopen.reopen(batch.pk, dora.pk)
    # One whose time is over is none.
    run_out(second)
    batch_reopen.reopen(batch.pk, dora.pk)
    answering.submit(batch.pk)
    lifecycle.pause(study.pk)
    with pytest.raises(batch_reopen.CannotReopen):
        batch_reopen.reopen(batch.pk, dora.pk)


def test_no_other_batch_begins_while_one_is_reopened(study, dora, batch):
    batch_reopen.reopen(batch.pk, dora.pk)
    assert answering.arrive(dora.pk) == batch
    assert not answering.begin(dora.pk)
    assert Assignment.objects.filter(assessor=dora).count() == 1
    assert Assessor.objects.get(pk=dora.pk).latest == batch


def test_the_latest_batch_is_the_open_one_also_if_another_was_taken_later(study, dora, batch):
    from judging.batches import sql_statements

    second = sit(dora)
    assert Assessor.objects.get(pk=dora.pk).latest == second
    assert sql_statements.person(dora.panel, dora.reference).latest == second
    batch_reopen.reopen(batch.pk, dora.pk)
    assert Assessor.objects.get(pk=dora.pk).latest == batch
    assert sql_statements.person(dora.panel, dora.reference).latest == batch


def test_corrections_have_their_limit_over_all_reopenings(study, dora, batch, monkeypatch):
    monkeypatch.setattr(answering, "MOST_CORRECTIONS", 2)
    place = place_of(batch)
    for choice in (Choice.B, Choice.TIE):
        batch_reopen.reopen(batch.pk, dora.pk)
        record(batch.pk, place.question_id, choice)
        answering.submit(batch.pk)
    batch_reopen.reopen(batch.pk, dora.pk)
    with pytest.raises(answering.JudgingError, match="too often"):
        record(batch.pk, place.question_id, Choice.A)


def test_the_database_takes_answers_only_while_it_is_reopened(study, dora, batch):
    place = place_of(batch)
    row = {
        "assignment": batch,
        "question_id": place.question_id,
        "topic_id": place.question.topic_id,
        "value": 0,
    }

    def add(revision):
        with transaction.atomic():
            Judgment.objects.create(revision=revision, shown=place.shown, **row)

    with pytest.raises(IntegrityError):
        add(1)
    batch_reopen.reopen(batch.pk, dora.pk)
    add(1)
    answering.submit(batch.pk)
    with pytest.raises(IntegrityError):
        add(2)


@pytest.mark.parametrize("at", ["now", "while it was open"])
def test_an_answer_slipped_in_after_it_was_closed_again_is_named(study, dora, batch, at):
    """Also one that says that it was given while it was open: then its block would be an earlier one."""
    place = place_of(batch)
    hash_chain.seal()
    batch_reopen.reopen(batch.pk, dora.pk)
    correct(batch, place)
    open_then = Judgment.objects.latest("pk").created_at
    answering.submit(batch.pk)
    holds(study)
    with unguarded():
        row = {"assignment": batch, "question_id": place.question_id, "topic_id": place.question.topic_id}
        added = Judgment.objects.create(revision=2, value=0, shown=place.shown, **row)
        if at != "now":
            Judgment.objects.filter(pk=added.pk).update(created_at=open_then)
    for where in ("no seal", "seal 3"):
        assert f"Judgment {added.pk} was added to batch {batch.pk} after this was closed" in said(study)
        assert where in said(study)
        hash_chain.seal()


def test_an_answer_slipped_in_before_it_was_reopened_is_named(study, dora, batch):
    place = place_of(batch)
    hash_chain.seal()
    with unguarded():
        row = {"assignment": batch, "question_id": place.question_id, "topic_id": place.question.topic_id}
        added = Judgment.objects.create(revision=1, value=0, shown=place.shown, **row)
    hash_chain.seal()
    batch_reopen.reopen(batch.pk, dora.pk)
    answering.submit(batch.pk)
    hash_chain.seal()
    assert f"Judgment {added.pk} was added to batch {batch.pk} after this was closed" in said(study)
