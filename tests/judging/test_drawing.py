"""Drawing batches: what an assessor is asked, in what order, and what they are never asked."""

from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from judging.batches import answering
from judging.models import Assignment, BatchQuestion, Judgment, Question, QuestionRole, Task
from judging.questions import asking
from judging.questions import challenges as challenges_of
from tests.makers import Choice, answer, invite, make_study, open_study, pairs_of, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Open, with 2 x 10 pairs and 2 x 10 challenges."""
    return open_study(make_study(topics=2))


def test_a_batch_is_ten_pairs_and_three_challenges(study):
    batch = answering.arrive(invite(study).pk).batch
    assert Counter(batch.values_list("role", flat=True)) == {"counts": 10, "challenge": 3}
    assert sorted(batch.values_list("position", flat=True)) == list(range(1, 14))


def test_a_batch_holds_what_is_left_when_that_is_less(study):
    Task.objects.filter(study=study).update(batch_size=12)
    study.save()
    sizes = [len(pairs_of(answering.arrive(invite(study).pk))) for _ in range(2)]
    assert sizes == [12, 8]


def test_when_nothing_is_left_nobody_gets_a_batch(study):
    for _ in range(2):
        answering.arrive(invite(study).pk)
    batches = Assignment.objects.count()
    with pytest.raises(answering.NothingLeft, match="nothing to judge for you"):
        answering.arrive(invite(study).pk)
    assert Assignment.objects.count() == batches


def test_a_study_that_is_not_open_gives_no_batch():
    with pytest.raises(answering.NothingLeft, match="not open"):
        answering.arrive(invite(make_study()).pk)


def test_somebody_who_arrives_again_gets_the_batch_they_have(study):
    assessor = invite(study)
    assert answering.arrive(assessor.pk) == answering.arrive(assessor.pk)
    assert Assignment.objects.count() == 1


def test_the_oldest_open_questions_are_drawn_first_but_for_those_in_whose_place_challenges_stand(study):
    oldest = set(asking.open_questions(study).order_by("pk").values_list("pk", flat=True)[:13])
    assert pairs_of(answering.arrive(invite(study).pk)) < oldest


def test_questions_that_somebody_holds_are_not_given_to_others(study):
    held, others = (pairs_of(answering.arrive(invite(study).pk)) for _ in range(2))
    assert not held & others


def test_a_question_wanted_twice_is_given_to_two_people_and_no_third():
    study = open_study(make_study(judgments_per_pair=2))
    drawn = [pairs_of(answering.arrive(invite(study).pk)) for _ in range(2)]
    assert drawn[0] == drawn[1]
    with pytest.raises(answering.NothingLeft):
        answering.arrive(invite(study).pk)


def test_nobody_is_asked_a_question_twice_even_if_it_is_open_again(study):
    """Every pair is wanted a hundred times, and still one person meets it once."""
    Question.objects.filter(wanted=1).update(wanted=100)
    assessor = invite(study)
    asked = [question for _ in range(2) for question in pairs_of(sit(assessor))]
    assert len(set(asked)) == len(asked) == 20
    with pytest.raises(answering.NothingLeft):
        answering.arrive(assessor.pk)


def test_the_database_refuses_to_ask_a_question_twice(study):
    place = answering.arrive(invite(study).pk).batch.first()
    place.pk, place.position = None, 99
    with pytest.raises(IntegrityError), transaction.atomic():
        place.save(force_insert=True)


def test_a_challenge_is_met_once_and_without_fresh_ones_there_is_no_batch():
    """Two challenges and one in a batch: after two batches nobody could tell attention from noise."""
    study = open_study(make_study(topics=1, items=4, junk=0, batch_pairs=1, batch_challenges=1))
    challenges_of.set_challenges(
        study,
        [
            (q.topic_id, *q.subject_ids, 1)
            for q in Question.objects.filter(topic__study=study).order_by("-pk")[:2]
        ],
    )
    assessor = invite(study)
    met = [sit(assessor).batch.get(role=QuestionRole.CHALLENGE).question_id for _ in range(2)]
    assert len(set(met)) == 2
    with pytest.raises(answering.NothingLeft):
        answering.arrive(assessor.pk)
    assert answering.arrive(invite(study).pk)


def test_a_pair_met_as_a_challenge_is_not_asked_of_the_same_person_later(study):
    assessor = invite(study)
    met = set(sit(assessor).batch.filter(role=QuestionRole.CHALLENGE).values_list("question_id", flat=True))
    Question.objects.exclude(pk__in=met).update(wanted=0)
    Question.objects.filter(pk__in=met).update(wanted=1)
    with pytest.raises(answering.NothingLeft):
        answering.arrive(assessor.pk)
    assert pairs_of(answering.arrive(invite(study).pk)) == met


def test_a_study_without_challenges_has_batches_of_pairs():
    study = open_study(make_study(junk=0))
    assert len(answering.arrive(invite(study).pk).batch.all()) == 10


def test_challenges_stand_anywhere_in_a_batch(study):
    """Over 60 batches a position holds 14 of them on average; that any of the 13 holds none has p < 1e-5."""
    Question.objects.filter(wanted=1).update(wanted=100)
    for _ in range(60):
        answering.arrive(invite(study).pk)
    met = BatchQuestion.objects.filter(role=QuestionRole.CHALLENGE).values_list("position", flat=True)
    assert set(met) == set(range(1, 14))


def test_left_and_right_are_balanced_in_every_batch(study):
    """The item with the smaller id stands left in five of ten pairs, in no fixed order."""
    Question.objects.filter(wanted=1).update(wanted=100)
    batches = [answering.arrive(invite(study).pk).batch.filter(role=QuestionRole.COUNTS) for _ in range(20)]
    orders = [tuple(batch.values_list("shown", flat=True)) for batch in batches]
    assert {order.count("01") for order in orders} == {5}
    assert len(set(orders)) > 10


def test_right_answers_of_challenges_stand_on_both_sides_of_every_batch(study):
    """Anyone who presses one key for all of them is found out, with whatever luck."""
    Question.objects.filter(wanted=1).update(wanted=100)
    on_the_left = set()
    for _ in range(20):
        challenges = (
            answering.arrive(invite(study).pk)
            .batch.filter(role=QuestionRole.CHALLENGE)
            .select_related("question")
        )
        on_the_left.add(sum((c.question.expected == Choice.A) == (c.shown == "01") for c in challenges))
    assert on_the_left == {1, 2}


def test_the_side_on_which_an_item_stood_is_in_the_ledger(study):
    assignment = answering.arrive(invite(study).pk)
    answer(assignment)
    rows = Judgment.objects.filter(question__batches__assignment=assignment)
    assert rows.filter(shown=F("question__batches__shown")).count() == 13


def test_a_batch_taken_holds_its_questions_until_it_lapses(study):
    assert asking.open_questions(study).count() == 20
    assignment = answering.arrive(invite(study).pk)
    assert asking.open_questions(study).count() == 10
    asking.count_as_taken(dict.fromkeys(asking.held_by([assignment.pk]), -1))
    assert asking.open_questions(study).count() == 20


def test_wanting_the_same_pairs_again_changes_nothing(study):
    topic = study.topics.first()
    questions = Question.objects.filter(topic=topic, wanted=1)
    pairs = {q.subject_ids: 1 for q in questions}
    before = list(Question.objects.order_by("pk").values())
    asking.want(asking.task_of(topic.study), topic.pk, pairs)
    assert list(Question.objects.order_by("pk").values()) == before


def test_what_is_not_wanted_any_more_is_not_drawn_and_keeps_its_row(study):
    topic = study.topics.first()
    a, b = Question.objects.filter(topic=topic, wanted=1).first().subject_ids
    asking.want(asking.task_of(topic.study), topic.pk, {(a, b): 2})
    wanted = [(*q.subject_ids, q.wanted) for q in Question.objects.filter(topic=topic)]
    assert [row for row in wanted if row[2]] == [(a, b, 2)]
    assert len(wanted) == 20


def test_challenges_from_grades_pair_the_top_grade_with_grade_0(study):
    for question in Question.objects.filter(expected__isnull=False):
        items = [subject.item for subject in question.subjects.select_related("item__grade")]
        right, wrong = items if question.expected == 1 else reversed(items)
        assert (right.grade.value, wrong.grade.value) == (1, 0)
    assert challenges_of.from_grades(study) == 0  # it has some
