"""Questions that assessors cannot judge: what is stored, who gets them next, and when they are set aside."""

import pytest
from django.db import connection, transaction
from django.db.utils import IntegrityError
from django.utils import timezone

from collection.models import Topic
from judging import (
    answering,
    asking,
    deciding,
    declining,
    drawing,
    grading,
    rebuilding,
    sealing,
    setting_aside,
    sittings,
    statements,
    verifying,
)
from judging.models import (
    Assessor,
    Assignment,
    Decision,
    Declined,
    Judgment,
    Question,
    Task,
    Withdrawn,
)
from tests.makers import (
    Choice,
    add_run,
    finish,
    invite,
    later,
    make_study,
    open_study,
    pairs_of,
    places,
    record,
    run_out,
    taken_by_rows,
)
from tournament import services
from tournament.models import Tournament

pytestmark = pytest.mark.django_db
State, What, Reason = Assignment.State, Decision.What, Declined.Reason


@pytest.fixture
def study():
    """One topic of ten pairs, each judged once; batches of six pairs and three challenges."""
    return open_study(make_study(batch_pairs=6, batch_challenges=3, wrong_allowed=1))


@pytest.fixture
def batch(study):
    return answering.arrive(invite(study).pk)


def place_of(batch, *, challenge: bool = False, n: int = 0):
    return list(batch.batch.filter(challenge=challenge).select_related("question"))[n]


def say(batch, place, reason: str = "broken", note: str = "") -> bool:
    return declining.decline(batch.pk, place.position, reason, note)


def taken() -> dict[int, int]:
    return dict(Question.objects.filter(taken__gt=0).values_list("pk", "taken"))


def answer_rest(batch, *, wrong: int = 0) -> None:
    for place in asking.without_answer(batch.pk):
        choice = Choice.A
        if place.challenge:
            choice = Choice(int(place.expected or 0) * (-1 if wrong else 1))
            wrong = max(0, wrong - 1)
        record(batch.pk, place.question_id, choice)


def agrees(study) -> None:
    """What is stored follows from batches, answers and decisions."""
    assert taken() == taken_by_rows(study)
    assert rebuilding.rebuild(study) == 0
    assert verifying.verify(study).problems == []


def decline_by_three(study, question: Question) -> None:
    """Let people come until three were given a question, and said that they cannot judge it."""
    while Declined.objects.filter(question=question).count() < declining.ENOUGH:
        batch = answering.arrive(invite(study).pk)
        # A challenge may stand in its place.
        for place in batch.batch.filter(question=question):
            assert say(batch, place)
        sittings.release(batch.pk)


def test_what_was_said_is_stored_and_the_question_goes_to_others_once(study, batch):
    place = place_of(batch)
    assert say(batch, place, "offensive", "blood")
    assert not say(batch, place, "alike")
    row = Declined.objects.get()
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


def test_a_question_with_an_answer_keeps_it(study, batch):
    place = place_of(batch)
    record(batch.pk, place.question_id, Choice.A)
    with pytest.raises(answering.JudgingError, match="You have answered"):
        say(batch, place)
    assert not Declined.objects.exists()
    agrees(study)


@pytest.mark.parametrize("challenge", [False, True])
def test_while_nobody_else_has_it_it_can_be_answered_after_all(study, batch, challenge):
    """The answer counts, and what was said before stays on record."""
    place = place_of(batch, challenge=challenge)
    say(batch, place)
    answering.answer(batch.pk, place.position, 1, kind="pair")
    assert Judgment.objects.get().question_id == place.question_id
    assert Declined.objects.count() == 1
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
        declining.decline(batch.pk, 99, "broken")
    run_out(batch)
    with pytest.raises(answering.Over):
        say(batch, place_of(batch))


def test_whoever_was_away_comes_back_with_it(study, batch):
    first, second = place_of(batch), place_of(batch, n=1)
    say(batch, first)
    sittings.release(batch.pk)
    assert taken() == {}
    say(batch, second)
    assert Assignment.objects.get(pk=batch.pk).state == State.WORKING
    assert not Withdrawn.objects.exists()
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


def test_whoever_cannot_judge_any_challenge_has_no_batch_kept(study, batch):
    for n in range(3):
        say(batch, place_of(batch, challenge=True, n=n))
    answer_rest(batch)
    assert answering.submit(batch.pk).state == State.LAPSED
    assert Decision.objects.get(assignment=batch).why == "no challenge answered rightly"
    assert not Judgment.objects.counting().exists()
    agrees(study)


def test_one_challenge_answered_rightly_vouches_for_a_batch_and_a_wrong_one_does_not(study, batch):
    for n in range(2):
        say(batch, place_of(batch, challenge=True, n=n))
    answer_rest(batch, wrong=1)
    assert answering.submit(batch.pk).state == State.LAPSED
    again = answering.arrive(invite(study).pk)
    for n in range(2):
        say(again, place_of(again, challenge=True, n=n))
    answer_rest(again)
    assert answering.submit(again.pk).state == State.KEPT
    agrees(study)


def test_after_three_people_it_is_set_aside_and_asked_of_nobody(study, batch):
    question = place_of(batch).question
    say(batch, place_of(batch))
    assert declining.set_aside_hopeless() == 0
    decline_by_three(study, question)
    assert declining.set_aside_hopeless() == 1
    assert declining.set_aside_hopeless() == 0
    decision = Decision.objects.get(question=question)
    assert (decision.what, decision.by, decision.why) == (What.SET_ASIDE, None, "3 people could not judge it")
    assert question not in asking.open_questions(study)
    assert question.pk not in pairs_of(answering.arrive(invite(study).pk))
    with pytest.raises(answering.Gone):
        answering.answer(batch.pk, place_of(batch).position, 1, kind="pair")
    agrees(study)


def test_what_is_set_aside_is_neither_counted_nor_given_by_the_written_statements(study):
    """As for the plain form: six of ten pairs are left for a batch of six, then none."""
    task = asking.task_of(study)
    Task.objects.filter(pk=task.pk).update(batch_challenges=0)
    task.refresh_from_db()
    pairs = list(Question.objects.filter(wanted=1).order_by("pk"))
    for question in pairs[:4]:
        setting_aside.set_aside(question.pk, "for a test")
    person = invite(study)
    assert statements.open_batch(person.pk, timezone.now())
    assert pairs_of(Assignment.objects.get(assessor=person)) == {question.pk for question in pairs[4:]}
    assert drawing.at_hand(task, invite(study)) == (0, 0)
    assert statements.idle_by_link(study.pk, person.pk, 100)[2] == 0


@pytest.mark.parametrize("case", ["excluded", "answered"])
def test_people_who_are_excluded_or_answered_after_all_do_not_count(study, case):
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    batch = Declined.objects.earliest("pk").assignment
    if case == "excluded":
        deciding.exclude(batch.assessor_id, "for a test")
    else:
        place = batch.batch.get(question=question)
        answering.answer(batch.pk, place.position, 1, kind="pair")
    assert declining.set_aside_hopeless() == 0


def test_it_is_asked_again_and_takes_three_more(study):
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    declining.set_aside_hopeless()
    assert setting_aside.ask_again(question.pk, "the text was mended")
    assert setting_aside.ask_again(question.pk, "pressed twice")
    assert [d.what for d in Decision.objects.filter(question=question).order_by("pk")] == [
        What.SET_ASIDE,
        What.ASKED_AGAIN,
    ]
    assert question in asking.open_questions(study)
    assert declining.set_aside_hopeless() == 0
    agrees(study)


def test_a_challenge_that_three_could_not_judge_is_set_aside_and_stays_so(study):
    challenge = Question.objects.filter(expected__isnull=False).earliest("pk")
    Question.objects.filter(expected__isnull=False).exclude(pk=challenge.pk).update(expected=None)
    study.tasks.update(batch_challenges=1, wrong_allowed=0, batch_size=1)
    decline_by_three(study, challenge)
    assert declining.set_aside_hopeless() == 1
    assert not setting_aside.ask_again(challenge.pk, "no")
    challenge.refresh_from_db()
    assert challenge.set_aside_at is not None
    agrees(study)


@pytest.mark.parametrize("mode", ["crowd", "dedicated"])
def test_a_tournament_goes_on_without_it_and_ends(mode):
    """The pair counts as a tie, as the rules say that are played on the same answers and a tie."""
    study = make_study(items=4, mode=mode, k=2, batch_pairs=3, batch_challenges=0)
    open_study(study)
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    declining.set_aside_hopeless()
    finish(study)
    tournament = Tournament.objects.get()
    assert tournament.finished
    assert not Judgment.objects.filter(question=question).exists()
    topic = Topic.objects.select_related("study").get()
    given = dict(services.ledger.settled(topic.pk, study.plan.task_id))
    tied = services.replayed(study.plan, tournament, topic, {**given, question.subject_ids: [0]})
    assert tied.finished
    assert len(places(study)) == sum(map(len, tied.top))
    assert {item for place in tied.top for item in place} == set(
        Topic.objects.get().items.filter(top_rank__isnull=False).values_list("pk", flat=True)
    )
    rebuilt = places(study)
    services.rebuild(study.pk)
    assert places(study) == rebuilt
    agrees(study)


def test_a_finished_tournament_is_taken_up_when_the_pair_is_asked_again(study):
    question = Question.objects.filter(wanted=1).earliest("pk")
    setting_aside.set_aside(question.pk, "a picture is lost")
    finish(study)
    assert Topic.objects.get().asked == 9
    setting_aside.ask_again(question.pk, "it was found")
    services.catch_up()
    assert not Tournament.objects.get().finished
    assert Topic.objects.get().asked == 10
    finish(study)
    assert Judgment.objects.settled().filter(question=question).count() == 1


def test_grades_are_collected_without_it():
    study = make_study(items=3, junk=0)
    add_run(study, "run", {"t1": ["t1-a", "t1-b", "t1-c"]})
    task = Task.objects.create(
        study=study, position=0, kind="grade", scale="0-4", batch_size=3, batch_challenges=0, assessors=1
    )
    open_study(study)
    question = Question.objects.filter(task=task).earliest("pk")
    decline_by_three(study, question)
    declining.set_aside_hopeless()
    batch = answering.arrive(invite(study).pk)
    assert batch.task == task
    for place in batch.batch.all():
        answering.answer(batch.pk, place.position, 3, kind="grade")
    answering.submit(batch.pk)
    assert len(grading.collected(task)) == 2
    grading.ask(task)
    assert answering.arrive(invite(study).pk).task.kind == "pair"


def test_whoever_could_not_judge_most_is_named(study):
    idle, busy = invite(study), invite(study)
    for person, wrong in ((idle, 6), (busy, 3)):
        batch = answering.arrive(person.pk)
        for n in range(wrong):
            say(batch, place_of(batch, n=n))
        answer_rest(batch)
        answering.submit(batch.pk)
    [found] = declining.mostly(study.pk)
    assert (found, found.declined_n, found.answered_n) == (idle, 6, 3)


def test_rows_are_only_ever_added(study, batch):
    say(batch, place_of(batch))
    for sql in ("UPDATE judging_declined SET reason = 'alike'", "DELETE FROM judging_declined"):
        with pytest.raises(IntegrityError, match="only ever added"), transaction.atomic():
            connection.cursor().execute(sql)


def test_what_was_said_is_sealed_with_its_batch(study, batch):
    say(batch, place_of(batch), "alike", "twins")
    answer_rest(batch)
    answering.submit(batch.pk)
    sealing.seal()
    assert verifying.verify(study).problems == []
    Declined.objects.create(assignment=batch, question=place_of(batch, n=1).question, reason="broken")
    [problem] = verifying.verify(study).problems[:1]
    assert f"Batch {batch.pk} was changed since seal 1" in problem
    assert '"declined":{' in problem
    assert '"note":"twins"' in problem
