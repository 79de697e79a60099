"""Answering, submitting, failing, running out of time, being excluded: what the ledger holds afterwards."""

import pytest

from collection.models import Study, Topic
from judging import ledger
from judging.batches import answering, declines
from judging.batches.answering import JudgingError, NotAsked, Over, Unfinished
from judging.models import Assessor, Assignment, Decline, Judgment, Question, QuestionRole
from judging.verdicts import decisions
from tests.judging import twins
from tests.makers import (
    Choice,
    answer,
    finish,
    invite,
    lean_given,
    make_study,
    open_study,
    pairs_of,
    record,
    run_out,
    sit,
    taken_by_rows,
)
from tournament import services
from tournament.models import Round

pytestmark = pytest.mark.django_db
A, B, TIE = Choice.A, Choice.B, Choice.TIE


@pytest.fixture(scope="module")
def opened(module_data):
    """Open, with 2 x 10 pairs and 2 x 10 challenges."""
    return open_study(make_study(topics=2)).pk


@pytest.fixture
def study(db, opened):
    return Study.objects.get(pk=opened)


@pytest.fixture
def assignment(study):
    return answering.arrive(invite(study).pk)


@pytest.fixture
def question(assignment):
    """The first question of the batch that is no challenge."""
    return assignment.batch.filter(role=QuestionRole.COUNTS).first().question_id


def rows(question) -> list[tuple[int, int]]:
    """What the ledger holds about a question: (revision, lean), oldest first."""
    rows = Judgment.objects.filter(question=question).order_by("pk")
    return [(judgment.revision, lean_given(judgment)) for judgment in rows]


def counted(question) -> list[int]:
    return [lean_given(judgment) for judgment in Judgment.objects.counting().filter(question=question)]


def counters(study) -> dict[str, tuple[int, int]]:
    """Each topic's revision and settled."""
    return {t.name: (t.revision, t.settled) for t in Topic.objects.filter(study=study)}


# One answer


def test_an_answer_is_stored_with_its_seconds_and_counts_at_once(assignment, question):
    stored = record(assignment.pk, question, A, seconds=2.5, nonce="n1")
    assert stored.added
    assert stored.judgment.seconds == 2.5
    assert counted(question) == [A]


def test_a_post_that_is_repeated_stores_nothing_and_returns_the_row(assignment, question):
    stored = record(assignment.pk, question, A, nonce="n1")
    again = record(assignment.pk, question, A, nonce="n1")
    assert (again.judgment, again.added) == (stored.judgment, False)
    assert rows(question) == [(0, A)]


def test_the_same_choice_again_stores_nothing(assignment, question):
    """A double click, or a form without a nonce sent twice."""
    record(assignment.pk, question, TIE)
    assert not record(assignment.pk, question, TIE).added
    assert not record(assignment.pk, question, TIE, nonce="n2").added
    assert rows(question) == [(0, TIE)]


def test_a_correction_is_a_further_row_and_the_last_one_counts(assignment, question):
    for nonce, choice in (("n1", A), ("n2", B), ("n3", A)):
        assert record(assignment.pk, question, choice, nonce=nonce).added
    assert rows(question) == [(0, A), (1, B), (2, A)]
    assert counted(question) == [A]


def test_an_old_post_that_arrives_after_a_correction_does_not_undo_it(assignment, question):
    """The first post was stored, its answer was lost, the assessor chose anew, the browser tried again."""
    old = record(assignment.pk, question, A, nonce="n1")
    record(assignment.pk, question, B, nonce="n2")
    late = record(assignment.pk, question, A, nonce="n1")
    assert (late.judgment, late.added) == (old.judgment, False)
    assert rows(question) == [(0, A), (1, B)]
    assert counted(question) == [B]


def test_a_nonce_of_another_question_is_refused(assignment, question):
    record(assignment.pk, question, A, nonce="n1")
    other = assignment.batch.exclude(question=question).first().question_id
    with pytest.raises(JudgingError, match="already used for another question"):
        record(assignment.pk, other, A, nonce="n1")


def test_a_question_of_somebody_elses_batch_is_refused(study, assignment):
    other = answering.arrive(invite(study).pk)
    with pytest.raises(NotAsked, match="not part of your batch"):
        record(assignment.pk, pairs_of(other).pop(), A)
    assert not Judgment.objects.exists()


def test_a_tie_is_refused_where_the_study_allows_none(study, assignment, question):
    study.tasks.update(scale="2")
    with pytest.raises(JudgingError, match="choose one of the two"):
        record(assignment.pk, question, TIE)
    assert record(assignment.pk, question, A).added


def test_after_the_deadline_no_answer_is_taken_but_a_repeat_is_told_it_was(assignment, question):
    stored = record(assignment.pk, question, A, nonce="n1")
    run_out(assignment)
    with pytest.raises(Over, match="time for this batch has run out"):
        record(assignment.pk, question, B, nonce="n2")
    assert record(assignment.pk, question, A, nonce="n1").judgment == stored.judgment


def test_an_answer_raises_no_counter_of_its_topic_but_is_seen_as_provisional(study, assignment, question):
    """Anyone who judges the same topic would wait for its row."""
    before, topic = counters(study), Question.objects.get(pk=question).topic_id
    for n, choice in enumerate((A, B), 1):
        record(assignment.pk, question, choice)
        assert Judgment.objects.provisional().filter(topic=topic).count() == n
    assert counters(study) == before


def test_a_challenge_counts_nowhere(assignment):
    for place in assignment.batch.filter(role=QuestionRole.CHALLENGE):
        record(assignment.pk, place.question_id, A)
    assert Judgment.objects.count() == 3
    assert not Judgment.objects.counting().exists()


# Submitting


def test_a_batch_that_is_complete_is_not_taken_after_its_time(assignment):
    answer(assignment)
    run_out(assignment)
    with pytest.raises(Over, match="has run out"):
        twins.submit(assignment.pk)


def test_an_unfinished_batch_is_not_taken(assignment):
    answer(assignment, most=12)
    with pytest.raises(Unfinished, match="1 of 13 questions have no answer yet"):
        answering.submit(assignment.pk)
    assert Assignment.objects.get().state == Assignment.State.WORKING


def test_a_batch_with_right_challenges_is_kept_and_settles_its_topics(study, assignment):
    answer(assignment)
    assert not Judgment.objects.settled().exists()
    verdict = answering.submit(assignment.pk)
    assert (verdict.state, verdict.challenges_wrong) == (Assignment.State.KEPT, 0)
    assert verdict.submitted_at is not None
    assert Judgment.objects.settled().count() == 10
    touched = Topic.objects.filter(questions__in=pairs_of(assignment)).distinct()
    assert {topic.settled for topic in touched} == {1}


def test_submitting_twice_gives_the_same_verdict_and_changes_nothing(study, assignment):
    answer(assignment)
    first = answering.submit(assignment.pk)
    before = counters(study)
    again = answering.submit(assignment.pk)
    assert (again.submitted_at, again.state) == (first.submitted_at, first.state)
    assert counters(study) == before


def test_after_submission_nothing_is_taken(assignment, question):
    answer(assignment)
    answering.submit(assignment.pk)
    with pytest.raises(Over, match="already sent"):
        record(assignment.pk, question, B, nonce="new")
    assert len(rows(question)) == 1


def test_wrong_challenges_are_allowed_as_far_as_the_study_says(study):
    study.tasks.update(wrong_allowed=1)
    assert sit(invite(study), wrong=1).state == Assignment.State.KEPT
    assert sit(invite(study), wrong=2).state == Assignment.State.DISCARDED


def test_a_corrected_challenge_is_judged_by_its_last_answer(study, assignment):
    answer(assignment, wrong=1)
    for place in assignment.batch.filter(role=QuestionRole.CHALLENGE).select_related("question"):
        record(assignment.pk, place.question_id, place.question.expected, nonce=f"c{place.pk}")
    assert answering.submit(assignment.pk).challenges_wrong == 0


# Failing: invariant 3


@pytest.fixture
def failed(study):
    """Somebody who kept one batch (all of t1), after which t1 ended, and failed the next (all of t2)."""
    assessor = invite(study)
    later = Question.objects.filter(topic__name="t2", wanted=1)
    pks = list(later.values_list("pk", flat=True))
    later.update(wanted=0)
    sit(assessor)
    Question.objects.filter(pk__in=pks).update(wanted=1)
    services.catch_up()
    assert study.topics.filter(items__top_rank=1).values_list("name", flat=True)[0] == "t1"
    sit(assessor, wrong=1)
    services.catch_up()
    return Assessor.objects.get(pk=assessor.pk)


def test_somebody_who_fails_counts_nowhere_not_even_with_earlier_batches(failed):
    assert Judgment.objects.filter(role=QuestionRole.COUNTS).count() == 20
    assert not Judgment.objects.counting().exists()
    assert not any(
        ledger.settled(topic.pk, topic.study.tasks.get().pk) or ledger.counting(topic.pk)
        for topic in Topic.objects.all()
    )


def test_somebody_who_fails_leaves_every_question_open_for_others(failed):
    asked = Question.objects.filter(wanted=1)
    assert {question.taken for question in asked} == {0}
    assert len({question for _ in range(2) for question in pairs_of(sit(invite(failed.study)))}) == len(asked)


def test_somebody_who_fails_is_not_asked_again(failed):
    assert failed.excluded_why == "1 of 3 challenges wrong"
    with pytest.raises(answering.Excluded, match="nothing to judge for you at the moment"):
        answering.arrive(failed.pk)


def test_somebody_who_fails_has_handed_in_both_batches_and_can_be_paid(failed):
    states = {a.state for a in failed.assignments.filter(submitted_at__isnull=False)}
    assert states == {Assignment.State.DISCARDED}
    assert failed.assignments.count() == 2


def test_rounds_that_rested_on_a_failed_assessor_are_taken_back(study, failed):
    """t1's tournament had ended with their first batch."""
    assert not study.topics.filter(items__top_rank__isnull=False).exists()
    assert list(Round.objects.values_list("complete", "answered")) == [(False, 0)] * 2


def test_others_finish_what_a_failed_assessor_began(study, failed):
    finish(study)
    assert {j.assignment.assessor_id for j in Judgment.objects.settled()}.isdisjoint({failed.pk})
    assert set(study.topics.filter(items__top_rank=1).values_list("items__docno", flat=True)) >= {
        "t1-a",
        "t2-a",
    }


# Exclusion


def test_an_organizer_excludes_somebody_and_their_answers_go(study):
    assessor = invite(study)
    held = pairs_of(sit(assessor))
    decisions.exclude(assessor.pk, "answers in two seconds")
    assert not Judgment.objects.counting().exists()
    assert Question.objects.filter(pk__in=held, taken=0).count() == 10
    assert Assignment.objects.get().state == Assignment.State.DISCARDED


def test_excluding_twice_changes_nothing(study):
    assessor = invite(study)
    sit(assessor)
    decisions.exclude(assessor.pk, "first reason")
    before = counters(study), list(Question.objects.values_list("pk", "taken"))
    decisions.exclude(assessor.pk, "second reason")
    assert (counters(study), list(Question.objects.values_list("pk", "taken"))) == before
    assert Assessor.objects.get(pk=assessor.pk).excluded_why == "first reason"


def test_a_long_reason_is_cut_not_refused(study):
    assessor = invite(study)
    decisions.exclude(assessor.pk, "x" * 500)
    assert Assessor.objects.get(pk=assessor.pk).excluded_why == "x" * 200


def test_somebody_who_is_excluded_in_the_middle_holds_nothing_any_more_and_hands_in_nothing(
    study, assignment
):
    """The open batch closes with the exclusion; letting them back in gives them another one."""
    answer(assignment, most=5)
    decisions.exclude(assignment.assessor_id, "why")
    assert not Judgment.objects.counting().exists()
    assert not taken_by_rows(study)
    assert not Question.objects.exclude(taken=0).exists()
    stored = Judgment.objects.count()
    with pytest.raises(answering.Over):
        answer(assignment)
    with pytest.raises(answering.Over):
        answering.submit(assignment.pk)
    assert Judgment.objects.count() == stored
    decided = assignment.decisions.values_list("what", "why")
    assert list(decided) == [("lapsed", "excluded")]
    decisions.readmit(assignment.assessor_id, "a mistake")
    assert not Judgment.objects.counting().exists()
    assert answering.arrive(assignment.assessor_id) != assignment


# Time runs out


def test_a_batch_that_ran_out_gives_its_questions_back_and_its_answers_stop_counting(study, assignment):
    """One in which nobody came to a challenge: nothing speaks for its answers."""
    for place in assignment.batch.filter(role=QuestionRole.COUNTS)[:6]:
        record(assignment.pk, place.question_id, Choice.A)
    assert Judgment.objects.counting().exists()
    before = counters(study)["t1"]
    run_out(assignment)
    assert answering.release_overdue() == 1
    assert answering.release_overdue() == 0
    assert Assignment.objects.get().state == Assignment.State.LAPSED
    assert not Judgment.objects.counting().exists()
    assert not Question.objects.exclude(taken=0).exists()
    assert counters(study)["t1"] == (before[0] + 1, before[1])


def test_somebody_who_comes_back_after_the_deadline_gets_other_questions(study, assignment):
    run_out(assignment)
    fresh = answering.arrive(assignment.assessor_id)
    assert fresh != assignment
    assert not pairs_of(fresh) & pairs_of(assignment)
    with pytest.raises(Over):
        answering.submit(assignment.pk)


def test_an_arrival_takes_over_what_ran_out_when_nothing_else_is_left(study):
    gone = [answering.arrive(invite(study).pk) for _ in range(2)]
    with pytest.raises(answering.NothingLeft):
        answering.arrive(invite(study).pk)
    run_out(gone[1])
    assert pairs_of(answering.arrive(invite(study).pk)) == pairs_of(gone[1])


def test_release_can_be_held_to_one_study(study, assignment):
    run_out(assignment)
    assert answering.release_overdue(study_id=study.pk + 1) == 0
    assert answering.release_overdue(study_id=study.pk) == 1


def test_an_older_window_of_a_batch_takes_nothing(assignment):
    Assignment.objects.filter(pk=assignment.pk).update(visit=2)
    question = assignment.batch.get(position=1).question_id
    attempts = (
        lambda: answering.answer(assignment.pk, 1, 1, kind="pair", visit=1),
        lambda: answering.record(assignment.pk, question, 1, visit=1),
        lambda: declines.decline(assignment.pk, 1, "other", "no picture", visit=1),
        lambda: answering.submit(assignment.pk, visit=1),
    )
    for attempt in attempts:
        with pytest.raises(answering.Elsewhere):
            attempt()
    assert not Judgment.objects.exists()
    assert not Decline.objects.exists()
    assert Assignment.objects.get(pk=assignment.pk).state == "working"
