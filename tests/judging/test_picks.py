"""Picks as a kind of task: values, preferences, orders, challenges, and how they are asked and answered."""

import random
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from collection.models import Grade, Item, Study
from judging import ledger
from judging.batches import answering, sql_statements
from judging.batches.layout import Challenge, Open, laid_out
from judging.models import Assignment, BatchQuestion, Judgment, Question, QuestionRole
from judging.questions import asking, grids
from judging.tasks import KINDS, BadAnswer
from judging.verdicts import challenge_failures
from tests.judging.picking import answer, pick_study, shown, sit
from tests.judging.visiting import Visitor, form
from tests.makers import add_items, invite, open_study

PICK = KINDS["pick"]


# Values


@pytest.mark.parametrize(("word", "value"), [("1", [0]), ("9", [8]), ("3-1", [2, 0])])
def test_a_value_is_spelt_as_the_form_gave_it(word, value):
    assert PICK.parse({"choice": word}) == value
    assert PICK.word(value) == word


@pytest.mark.parametrize(
    "form", [{}, {"choice": "0"}, {"choice": "10"}, {"choice": "1-"}, {"best": "1"}, {"choice": "left"}]
)
def test_what_names_no_item_is_refused(form):
    with pytest.raises(BadAnswer, match="number of an item"):
        PICK.parse(form)


def test_without_scripts_the_best_and_the_worst_are_two_fields():
    assert PICK.parse({"best": "4", "worst": "2"}) == [3, 1]


@pytest.mark.parametrize(
    ("value", "scale", "said"),
    [
        ([0, 1], "best", "the best alone"),
        ([0], "best-worst", "Choose both"),
        ([3, 3], "best-worst", "two different items"),
        ([9], "best", "number of an item"),
        ([True], "best", "number of an item"),
        (1, "best", "number of an item"),
    ],
)
def test_a_value_that_a_scale_does_not_take_is_refused(value, scale, said):
    with pytest.raises(BadAnswer, match=said):
        PICK.check(value, scale)


@pytest.mark.parametrize("subjects", [(1,), (2, 1), (1, 1), tuple(range(10))])
def test_a_grid_has_two_to_nine_items_in_ascending_order(subjects):
    with pytest.raises(ValueError, match="2 to 9 different subjects"):
        PICK.check_subjects(subjects)


# Preferences


def slow_preferences(value, order):
    """Every ordered pair of positions, by the words: the best over all others, all others over the worst."""
    best = int(order[value[0]])
    worst = int(order[value[1]]) if len(value) > 1 else None
    return {
        (a, b)
        for a in range(len(order))
        for b in range(len(order))
        if a != b and (a == best or b == worst) and a != worst and b != best
    }


@pytest.mark.parametrize("size", range(2, 10))
def test_preferences_are_those_of_the_obvious_version(size):
    chooser = random.Random(size)
    for _ in range(50):
        order = PICK.arranged(size, chooser)
        value = chooser.sample(range(size), chooser.choice([1, 2]))
        found = [(lean.first, lean.second) for lean in PICK.leans(value, order)]
        assert {lean.lean for lean in PICK.leans(value, order)} == {1}
        assert len(found) == (size - 1 if len(value) == 1 else 2 * size - 3)
        assert set(found) == slow_preferences(value, order)


# Orders


def test_every_item_stands_at_every_place_about_as_often():
    """Of 3,000 grids of six each place has an item 500 times; seven standard deviations are 143."""
    places = laid_out(PICK, [Open(n, 6) for n in range(3000)], random.Random(1))
    times = Counter((place.shown[at], at) for place in places for at in range(6))
    assert len(times) == 36
    assert all(357 < n < 643 for n in times.values())


@pytest.mark.parametrize("size", [2, 3, 6, 9])
def test_the_right_answers_of_challenges_stand_at_every_place_equally_often(size):
    known = [Challenge(pk, {"best": pk % size, "of": size}) for pk in range(4 * size)]
    places = laid_out(PICK, known, random.Random(3))
    assert all(sorted(place.shown) == [str(n) for n in range(size)] for place in places)
    at = Counter(place.shown.index(str(place.expected["best"])) for place in places)
    assert at == dict.fromkeys(range(size), 4)


def test_a_challenge_is_right_if_its_best_is_the_known_one():
    known = {"best": 2, "of": 3}
    assert PICK.is_right([0], "201", known)
    assert PICK.is_right([0, 1], "201", known)
    assert not PICK.is_right([1], "201", known)
    assert challenge_failures.better("pick", known) == {2}


# Challenges


def graded(best: int, junk: int, middle: int = 0):
    study, task = pick_study(items=middle, junk=0)
    topic = study.topics.get()
    add_items(topic, {f"good{n}": 2.0 for n in range(best)} | {f"bad{n}": 0.0 for n in range(junk)})
    return study, task, topic


@pytest.mark.django_db
@pytest.mark.parametrize(("best", "junk", "pool"), [(3, 8, 12), (1, 4, 12), (2, 3, 3), (1, 2, 9), (1, 1, 1)])
def test_challenges_have_one_good_item_and_the_sizes_that_are_asked(best, junk, pool):
    _, task, topic = graded(best, junk)
    made = grids.from_grades(task, {topic.pk: range(pool)}, grid_size=4, k=3)
    rows = Question.objects.filter(task=task, expected__isnull=False)
    assert made == rows.count() == grids.possible(best, junk, pool, grid_size=4, k=3)
    values = dict(Grade.objects.values_list("item_id", "value"))
    asked = grids.sizes(pool, 4, 3)
    for question in rows:
        top = question.subject_ids[question.expected["best"]]
        assert values[top] == 2
        assert [values[item] for item in question.subject_ids if item != top] == [0] * (
            question.expected["of"] - 1
        )
        assert len(question.subject_ids) == question.expected["of"]
        assert question.expected["of"] in asked
    assert grids.from_grades(task, {topic.pk: range(pool)}, grid_size=4, k=3) == 0


@pytest.mark.django_db
@pytest.mark.parametrize("written", [True, False])
def test_challenges_have_as_many_items_as_the_questions_that_they_stand_in_for(monkeypatch, written):
    """Twelve grids of four are open, and each topic has challenges of four, three and two items too."""
    study, task = pick_study(items=4, junk=8, topics=12, batch_size=5, batch_challenges=3)
    open_study(study)
    sizes = {len(question.subject_ids) for question in Question.objects.filter(task=task, wanted=0)}
    assert sizes == {4, 3, 2}
    if not written:
        monkeypatch.setattr(sql_statements, "open_batch", lambda *_: False)
    for _ in range(6):
        person = invite(study)
        if written:
            assert sql_statements.open_batch(person.pk, timezone.now())
        else:
            answering.begin(person.pk)
        batch = BatchQuestion.objects.filter(assessor=person)
        assert batch.filter(role=QuestionRole.CHALLENGE).count() == 3
        assert {len(place.shown) for place in batch} == {4}
        Question.objects.filter(task=task).update(taken=0)


# Asking and answering


@pytest.fixture
def opened(db):
    study, _ = pick_study()
    return open_study(study)


def test_an_answer_that_names_no_item_of_the_grid_is_refused_by_both_forms(opened):
    assignment = answering.arrive(invite(opened).pk)
    place = assignment.batch.first()
    assert len(place.shown) == 4
    for value in ([4], [8]):
        with pytest.raises(answering.JudgingError, match="so many items"):
            answering.answer(assignment.pk, place.position, value, kind="pick")
        with pytest.raises(answering.JudgingError, match="so many items"):
            answering.record(assignment.pk, place.question_id, value, kind="pick")
    assert not Judgment.objects.exists()
    answering.answer(assignment.pk, place.position, [3], kind="pick")
    assert Judgment.objects.get().value == [3]


def test_the_page_takes_a_pick_as_it_takes_a_pair(opened):
    visitor, assessor = Visitor(), invite(opened)
    assignment = answering.arrive(assessor.pk)
    place = assignment.batch.first()
    html = visitor.get(f"/i/{assessor.reference}/").content.decode()
    texts = [html.index(f"Text of {item.docno}<") for item in shown(place)]
    assert texts == sorted(texts)
    assert "DOCNO" not in html
    visitor.post("/answer/", form(assignment, place, "2", kind="pick"))
    assert Judgment.objects.get().value == [1]


def test_each_preference_is_traced_to_its_one_judgment(opened):
    assignment = sit(invite(opened))
    assert assignment.state == "kept"
    topic = opened.topics.get()
    found = ledger.counting(topic.pk)
    answers = Judgment.objects.filter(role=QuestionRole.COUNTS)
    assert {one.judgment for one in found} == set(answers.values_list("pk", flat=True))
    docnos = dict(Item.objects.values_list("pk", "docno"))
    for judgment in answers:
        place = BatchQuestion.objects.get(assignment=assignment, question=judgment.question)
        names = [item.docno for item in shown(place)]
        mine = [one for one in found if one.judgment == judgment.pk]
        assert {docnos[one.first if one.lean > 0 else one.second] for one in mine} == {min(names)}
        assert sorted(docnos[one.second if one.lean > 0 else one.first] for one in mine) == sorted(names)[1:]


def test_somebody_who_misses_the_known_best_counts_nowhere(opened):
    assignment = answering.arrive(invite(opened).pk)
    answer(assignment, wrong=True)
    assert answering.submit(assignment.pk).state == Assignment.State.DISCARDED
    assert ledger.counting(opened.topics.get().pk) == []


def test_files_of_pairs_are_of_a_task_of_their_own(opened):
    assert asking.task_of(opened).kind == "pick"
    assert asking.task_of_pairs(opened).kind == "pair"
    assert asking.task_of(Study.objects.get()).kind == "pick"


def test_a_plan_of_picks_plays_in_a_task_of_picks(opened):
    plan = opened.plan
    plan.task = asking.task_of_pairs(opened)
    with pytest.raises(ValidationError, match="asks picks"):
        plan.save()
