"""Questions that three people could not judge: they are set aside, and what goes on without them."""

import pytest
from django.utils import timezone

from collection.models import Topic
from judging.batches import answering, declines, drawing, sql_statements
from judging.models import (
    Assignment,
    Decision,
    Decline,
    Judgment,
    Question,
    Task,
)
from judging.questions import asking, grading
from judging.verdicts import decisions, question_set_aside
from tests.judging.declined import agrees, decline_by_three, place_of, say, ten_pairs
from tests.makers import (
    add_run,
    finish,
    invite,
    make_study,
    open_study,
    pairs_of,
    places,
)
from tournament import services
from tournament.models import Tournament

pytestmark = pytest.mark.django_db
State, What, Reason = Assignment.State, Decision.What, Decline.Reason


@pytest.fixture
def study():
    return ten_pairs()


@pytest.fixture
def batch(study):
    return answering.arrive(invite(study).pk)


def test_after_three_people_it_is_set_aside_and_asked_of_nobody(study, batch):
    question = place_of(batch).question
    say(batch, place_of(batch))
    assert declines.set_aside_unanswerable() == 0
    decline_by_three(study, question)
    assert declines.set_aside_unanswerable() == 1
    assert declines.set_aside_unanswerable() == 0
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
        question_set_aside.set_aside(question.pk, "for a test")
    person = invite(study)
    assert sql_statements.open_batch(person.pk, timezone.now())
    assert pairs_of(Assignment.objects.get(assessor=person)) == {question.pk for question in pairs[4:]}
    assert drawing.at_hand(task, invite(study)) == (0, 0)
    assert sql_statements.idle_by_link(study.pk, person.pk, 100)[2] == 0


@pytest.mark.parametrize("case", ["excluded", "answered"])
def test_people_who_are_excluded_or_answered_after_all_do_not_count(study, case):
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    batch = Decline.objects.earliest("pk").assignment
    if case == "excluded":
        decisions.exclude(batch.assessor_id, "for a test")
    else:
        place = batch.batch.get(question=question)
        answering.answer(batch.pk, place.position, 1, kind="pair")
    assert declines.set_aside_unanswerable() == 0


def test_it_is_asked_again_and_takes_three_more(study):
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    declines.set_aside_unanswerable()
    assert question_set_aside.ask_again(question.pk, "the text was mended")
    assert question_set_aside.ask_again(question.pk, "pressed twice")
    assert [d.what for d in Decision.objects.filter(question=question).order_by("pk")] == [
        What.SET_ASIDE,
        What.ASKED_AGAIN,
    ]
    assert question in asking.open_questions(study)
    assert declines.set_aside_unanswerable() == 0
    agrees(study)


def test_a_challenge_that_three_could_not_judge_is_set_aside_and_stays_so(study):
    challenge = Question.objects.filter(expected__isnull=False).earliest("pk")
    Question.objects.filter(expected__isnull=False).exclude(pk=challenge.pk).update(expected=None)
    study.tasks.update(batch_challenges=1, wrong_allowed=0, batch_size=1)
    decline_by_three(study, challenge)
    assert declines.set_aside_unanswerable() == 1
    assert not question_set_aside.ask_again(challenge.pk, "no")
    challenge.refresh_from_db()
    assert challenge.set_aside_at is not None
    agrees(study)


@pytest.mark.parametrize("mode", ["crowd", "dedicated", "heap"])
def test_a_tournament_goes_on_without_it_and_ends(mode):
    """The pair counts as a tie, as the rules say that are played on the same answers and a tie."""
    study = make_study(items=4, mode=mode, k=2, batch_pairs=3, batch_challenges=0)
    open_study(study)
    question = Question.objects.filter(wanted=1).earliest("pk")
    decline_by_three(study, question)
    declines.set_aside_unanswerable()
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
    question_set_aside.set_aside(question.pk, "a picture is lost")
    finish(study)
    assert Topic.objects.get().asked == 9
    question_set_aside.ask_again(question.pk, "it was found")
    services.catch_up()
    assert not Tournament.objects.get().finished
    assert Topic.objects.get().asked == 10
    finish(study)
    assert Judgment.objects.settled().filter(question=question).count() == 1


def test_grades_are_collected_without_it():
    study = make_study(items=3, junk=0)
    add_run(study, "run", {"t1": ["t1-a", "t1-b", "t1-c"]})
    task = Task.objects.create(
        study=study, position=0, kind="grade", scale="0-4", batch_size=3, batch_challenges=0
    )
    open_study(study)
    question = Question.objects.filter(task=task).earliest("pk")
    decline_by_three(study, question)
    declines.set_aside_unanswerable()
    batch = answering.arrive(invite(study).pk)
    assert batch.task == task
    for place in batch.batch.all():
        answering.answer(batch.pk, place.position, 3, kind="grade")
    answering.submit(batch.pk)
    assert len(grading.collected(task)) == 2
    grading.ask(task)
    assert answering.arrive(invite(study).pk).task.kind == "pair"
