"""Decisions: who is excluded and let back in, challenges set aside, batches that a panel confirms."""

from unittest.mock import Mock

import pytest
from django.core.management import call_command
from django.db import DatabaseError, transaction

from collection.models import Item
from judging.batches import answering, panel_confirmation
from judging.models import Assessor, Assignment, Decision, Judgment, Question, QuestionRole
from judging.verdicts import decisions, question_set_aside
from scoring import jobs
from scoring.models import Standing, StoredScores
from tests.judging.organizing import account
from tests.makers import (
    add_run,
    answer,
    invite,
    make_study,
    open_study,
    places,
    record,
    run_out,
    sit,
    taken_by_rows,
)
from tests.scoring import stored
from tournament import services
from tournament.models import Pairing, Round, Tournament

pytestmark = pytest.mark.django_db
State, What = Assignment.State, Decision.What


@pytest.fixture
def study():
    """Two topics of six pairs each, batches of six pairs and two challenges."""
    return open_study(make_study(topics=2, items=4, junk=3, batch_pairs=6, batch_challenges=2))


def decided(**about) -> list[str]:
    return list(Decision.objects.filter(**about).order_by("pk").values_list("what", flat=True))


def taken(study) -> dict[int, int]:
    rows = Question.objects.filter(topic__study=study, taken__gt=0)
    return dict(rows.values_list("pk", "taken"))


def test_every_verdict_is_a_decision_with_its_reason(study):
    kept, failed = sit(invite(study)), sit(invite(study), wrong=1)
    assert decided(assignment=kept) == [What.KEPT]
    assert decided(assignment=failed) == [What.DISCARDED]
    assert decided(assessor=failed.assessor_id) == [What.EXCLUDED]
    why = Decision.objects.get(assessor=failed.assessor_id)
    assert (why.why, why.by) == ("1 of 2 challenges wrong", None)


def test_a_batch_that_runs_out_of_time_is_a_decision(study):
    assignment = answering.arrive(invite(study).pk)
    run_out(assignment)
    answering.release_overdue()
    assert decided(assignment=assignment) == [What.LAPSED]


def test_who_excluded_an_assessor_is_kept(study):
    alice = account("alice")
    assessor = invite(study)
    for _ in range(2):
        decisions.exclude(assessor.pk, "slept", by=alice)
    found = Decision.objects.get(assessor=assessor)
    assert (found.what, found.by, found.why) == (What.EXCLUDED, alice, "slept")


def test_the_database_refuses_to_change_a_decision(study):
    sit(invite(study))
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        Decision.objects.update(why="another")
    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        Decision.objects.all().delete()


def test_letting_back_in_restores_exactly_what_the_exclusion_had_discarded(study):
    assessor = invite(study)
    kept = sit(assessor)
    before = (set(Judgment.objects.settled()), taken(study))
    services.catch_up()
    decisions.exclude(assessor.pk, "for a test")
    assert not Judgment.objects.settled().exists()
    for _ in range(2):
        decisions.readmit(assessor.pk, "a mistake")
    services.catch_up()
    kept.refresh_from_db()
    assert kept.state == State.KEPT
    assert (set(Judgment.objects.settled()), taken(study)) == before
    assert decided(assessor=assessor) == [What.EXCLUDED, What.READMITTED]


def test_letting_back_in_leaves_a_failed_batch_discarded(study):
    """The earlier batch counts again, the one with the wrong challenge does not."""
    assessor = invite(study)
    good, bad = sit(assessor), sit(assessor, wrong=1)
    decisions.readmit(assessor.pk, "one slip")
    assert list(Assignment.objects.order_by("pk").values_list("state", flat=True)) == [
        State.KEPT,
        State.DISCARDED,
    ]
    assert {j.assignment_id for j in Judgment.objects.settled()} == {good.pk}
    assert bad.state == State.DISCARDED
    assert taken(study) == taken_by_rows(study)


def test_what_waits_for_its_panel_while_its_assessor_is_excluded_counts_after_letting_back_in(study):
    assessor = invite(study)
    assignment = answering.arrive(assessor.pk)
    answer(assignment)
    answering.submit(assignment.pk, confirmed=False)
    decisions.exclude(assessor.pk, "for a test")
    assert panel_confirmation.confirm(assignment.pk).state == State.DISCARDED
    assert not Judgment.objects.counting().exists()
    decisions.readmit(assessor.pk, "a mistake")
    assignment.refresh_from_db()
    assert assignment.state == State.KEPT
    assert Judgment.objects.settled().count() == 6


def test_somebody_let_back_in_is_asked_again(study):
    assessor = invite(study)
    decisions.exclude(assessor.pk, "for a test")
    with pytest.raises(answering.Excluded):
        answering.arrive(assessor.pk)
    decisions.readmit(assessor.pk, "a mistake")
    assert answering.arrive(assessor.pk).state == State.WORKING


def test_a_challenge_that_is_set_aside_restores_those_who_failed_by_it(study):
    """Two fail: one by the bad challenge alone, the other by both of the batch."""
    innocent, guilty = sit(invite(study), wrong=1), sit(invite(study), wrong=2)
    bad = innocent.batch.filter(role=QuestionRole.CHALLENGE).order_by("position").first().question
    others = guilty.batch.filter(role=QuestionRole.CHALLENGE, question=bad).exists()
    for _ in range(2):
        question_set_aside.set_aside(bad.pk, "both are right")
    innocent.refresh_from_db()
    guilty.refresh_from_db()
    assert (innocent.state, innocent.challenges_wrong) == (State.KEPT, 0)
    assert Assessor.objects.get(pk=innocent.assessor_id).excluded_at is None
    assert (guilty.state, guilty.challenges_wrong) == (State.DISCARDED, 1 if others else 2)
    assert decided(question=bad) == [What.SET_ASIDE]
    assert taken(study) == taken_by_rows(study)


def test_setting_aside_that_was_cut_short_is_finished_by_a_repeat(study, monkeypatch):
    """The challenge is out, and the process died before anybody was judged again."""
    innocent = sit(invite(study), wrong=1)
    bad = innocent.batch.filter(role=QuestionRole.CHALLENGE).order_by("position").first().question
    with monkeypatch.context() as patched:
        patched.setattr(decisions, "lock_assessor", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            question_set_aside.set_aside(bad.pk, "both are right")
    innocent.refresh_from_db()
    assert innocent.state == State.DISCARDED
    question_set_aside.set_aside(bad.pk, "both are right")
    innocent.refresh_from_db()
    assert innocent.state == State.KEPT
    assert decided(question=bad) == [What.SET_ASIDE]


def test_a_challenge_that_is_set_aside_is_drawn_no_more(study):
    bad = Question.objects.filter(expected__isnull=False).first()
    question_set_aside.set_aside(bad.pk, "both are right")
    Question.objects.filter(wanted=1).update(wanted=100)
    for _ in range(20):
        batch = answering.arrive(invite(study).pk).batch
        assert not batch.filter(question=bad, role=QuestionRole.CHALLENGE).exists()


def test_whom_a_person_excluded_no_challenge_lets_back_in(study):
    failed = sit(invite(study), wrong=1)
    decisions.readmit(failed.assessor_id, "one slip")
    decisions.exclude(failed.assessor_id, "a second look", by=account("alice"))
    bad = failed.batch.filter(role=QuestionRole.CHALLENGE).order_by("position").first().question
    question_set_aside.set_aside(bad.pk, "both are right")
    failed.refresh_from_db()
    assert failed.state == State.DISCARDED
    assert Assessor.objects.get(pk=failed.assessor_id).excluded_at is not None


def test_a_batch_that_its_panel_has_not_confirmed_counts_for_scores_and_not_for_rounds(study):
    assignment = answering.arrive(invite(study).pk)
    answer(assignment)
    for _ in range(2):
        assert answering.submit(assignment.pk, confirmed=False).state == State.SUBMITTED
    assert decided(assignment=assignment) == []
    assert (Judgment.objects.counting().count(), Judgment.objects.settled().count()) == (6, 0)
    with pytest.raises(answering.Over):
        record(assignment.pk, assignment.batch.first().question_id, -1, nonce="late")
    for _ in range(2):
        assert panel_confirmation.confirm(assignment.pk).state == State.KEPT
    assert decided(assignment=assignment) == [What.CONFIRMED, What.KEPT]
    assert Judgment.objects.settled().count() == 6


def derived(study) -> dict[str, object]:
    """Every derived row and column of a study, by what does not change when a row is made anew."""
    return {
        "assessors": list(Assessor.objects.order_by("pk").values_list("pk", "excluded_at", "excluded_why")),
        "batches": list(Assignment.objects.order_by("pk").values_list("pk", "state", "challenges_wrong")),
        "questions": list(
            Question.objects.order_by("pk").values_list("pk", "wanted", "taken", "set_aside_at")
        ),
        "tournaments": list(Tournament.objects.order_by("pk").values_list("topic", "seen", "finished")),
        "rounds": list(
            Round.objects.order_by("tournament__topic", "number").values_list(
                "tournament__topic", "number", "kind", "pool", "wins", "answered", "complete"
            )
        ),
        "pairs": set(Pairing.objects.values_list("round__tournament__topic", "round__number", "question")),
        "top": places(study),
        "scores": stored.rows(),
        "rested on": list(StoredScores.objects.order_by("topic").values_list("topic", "judgments")),
        "board": Standing.objects.order_by("pk").last().board,  # type: ignore[union-attr]
    }


@pytest.mark.slow
def test_a_study_is_rebuilt_from_its_ledger_alone():
    """With people excluded, let back in, failed, too late and still judging, and a challenge set aside:
    every derived row is dropped or spoilt, and all of it comes back.
    """
    shape = {"items": 8, "final_size": 4, "pairings": 3, "batch_pairs": 4, "batch_challenges": 2}
    study = open_study(make_study(topics=2, junk=3, **shape))
    add_run(study, "forwards", {t.name: [f"{t.name}-{c}" for c in "abcdefgh"] for t in study.topics.all()})
    kept, excluded, restored = (sit(invite(study)) for _ in range(3))
    failed, innocent = sit(invite(study), wrong=2), sit(invite(study), wrong=1)
    decisions.exclude(excluded.assessor_id, "for a test")
    decisions.exclude(restored.assessor_id, "for a test")
    services.catch_up()
    decisions.readmit(restored.assessor_id, "a mistake")
    bad = innocent.batch.filter(role=QuestionRole.CHALLENGE).order_by("position").first()
    question_set_aside.set_aside(bad.question_id, "both are right")
    for _ in range(4):
        services.catch_up()
        sit(invite(study))
    services.catch_up()
    late = answering.arrive(invite(study).pk)
    run_out(late)
    answering.release_overdue()
    answer(answering.arrive(invite(study).pk), most=2)
    services.catch_up()
    jobs.sweep()
    before = derived(study)
    states = dict(Assignment.objects.values_list("pk", "state"))
    expected = {kept: "kept", excluded: "discarded", restored: "kept", failed: "discarded", innocent: "kept"}
    assert {batch: states[batch.pk] for batch in expected} == expected
    assert {"lapsed", "working"} < set(states.values())
    assert Round.objects.filter(number=2).exists()

    StoredScores.objects.all().delete()
    Standing.objects.all().delete()
    Round.objects.all().delete()
    Tournament.objects.update(finished=True)
    Item.objects.update(top_rank=3)
    Question.objects.update(wanted=9, taken=7, set_aside_at=None)
    Assessor.objects.update(excluded_at=None, excluded_why="")
    Assignment.objects.filter(submitted_at__isnull=False).update(state=State.KEPT, challenges_wrong=None)
    call_command("rebuild", study.slug)
    assert derived(study) == before
