"""Questions asked again within a batch: where they stand, that they count nowhere, and what they tell."""

import random
from collections import Counter

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging import ledger
from judging.audit import derived_state, hash_chain, verification
from judging.batches import answering, declines, sittings, sql_statements
from judging.batches.layout import BETWEEN, Challenge, Open, laid_out
from judging.models import Assignment, BatchQuestion, Judgment, Question, QuestionRole, Task, Withdrawal
from judging.questions import asking
from judging.tasks import KINDS
from judging.transfer import bulk_judgments, judgment_export
from judging.verdicts import challenge_failures, decisions
from scoring.quality.answer_quality import quality
from tests.judging import twins
from tests.makers import invite, make_study, open_study, taken_by_rows

pytestmark = pytest.mark.django_db
REPEATS = 3


@pytest.fixture
def study():
    """One topic of six good items: fifteen pairs, of which a batch has ten, and three challenges."""
    return open_study(make_study(items=6, k=3, repeats=REPEATS))


def batch_of(study) -> Assignment:
    return answering.arrive(invite(study).pk)


def say(batch, value_of) -> Assignment:
    """Answer each place by its number among all, challenges rightly, and submit."""
    for place in batch.batch.select_related("question"):
        value = value_of(place)
        if place.role == "challenge":
            value = next(v for v in (1, -1) if KINDS["pair"].is_right(v, place.shown, place.expected))
        answering.answer(batch.pk, place.position, value, kind="pair")
    return answering.submit(batch.pk)


def always_left(place) -> int:
    return 1


def by_the_items(place) -> int:
    """For the same item each time, wherever it stands."""
    return 1 if place.shown == "01" else -1


def test_each_stands_far_behind_its_first_in_the_opposite_order_and_any_may_be_chosen():
    """400 batches of ten pairs and three challenges, against what is wanted, looked up place by place."""
    chosen, places_of_repeats = Counter(), Counter()
    for n in range(400):
        chooser = random.Random(f"batch:{n}")
        drawn = [*(Open(pk, 2) for pk in range(10)), *(Challenge(100 + k, 1) for k in range(3))]
        chooser.shuffle(drawn)
        places = laid_out(KINDS["pair"], drawn, chooser, REPEATS)
        assert [place.question_id for place in places if place.role != "repeat"] == [
            one.question_id for one in drawn
        ]
        again = [at for at, place in enumerate(places) if place.role == "repeat"]
        assert len(again) == REPEATS
        assert len({places[at].question_id for at in again}) == REPEATS
        for at in again:
            [before] = [
                i
                for i, p in enumerate(places)
                if p.role != "repeat" and p.question_id == places[at].question_id
            ]
            assert places[before].role == "counts"
            assert at - before > BETWEEN
            assert places[at].shown == places[before].shown[::-1]
            assert places[at].expected is None
            chosen[places[before].question_id] += 1
            places_of_repeats[at] += 1
    # 1200 choices among ten questions that stand anywhere: about 120 each.
    assert set(chosen) == set(range(10))
    assert min(chosen.values()) > 60
    assert set(places_of_repeats) == set(range(BETWEEN + 1, 16))


def positions(questions: int, challenges: int, repeats: int, n: int) -> Counter[tuple[int, int]]:
    """How often, of n batches, a question at one position comes again at another, both from 1 on."""
    found: Counter[tuple[int, int]] = Counter()
    for number in range(n):
        chooser = random.Random(number)
        known = (Challenge(100 + k, 1) for k in range(challenges))
        drawn: list[Open | Challenge] = [*(Open(pk, 2) for pk in range(questions)), *known]
        chooser.shuffle(drawn)
        first: dict[int, int] = {}
        for at, place in enumerate(laid_out(KINDS["pair"], drawn, chooser, repeats), 1):
            if place.role == "repeat":
                found[first[place.question_id], at] += 1
            first.setdefault(place.question_id, at)
    return found


@pytest.mark.parametrize("batch", [(5, 0, 2), (5, 1, 2), (10, 3, 1), (10, 3, 3), (20, 3, 3)])
def test_no_position_tells_that_a_question_comes_again(batch):
    """No place of a repeat is twice as likely as if all were equal, and no pair of places is certain."""
    n, repeats = 2000, batch[2]
    found, at = positions(*batch, n=n), Counter()
    for (_, again), times in found.items():
        at[again] += times
    assert at.total() == n * repeats
    assert max(at.values()) / n < 2 * repeats / len(at)
    assert max(found.values()) / n < 0.5


def test_of_a_short_batch_the_first_questions_are_asked_again_at_its_end():
    places = laid_out(KINDS["pair"], [Open(7, 2), Open(8, 2)], random.Random(1), 2)
    assert [place.question_id for place in places[:2]] == [7, 8]
    assert {place.question_id for place in places[2:]} == {7, 8}
    assert len(laid_out(KINDS["pair"], [Open(7, 2)], random.Random(1), 3)) == 2


def test_a_pick_is_asked_again_with_its_grid_the_other_way_round():
    [first, again] = laid_out(KINDS["pick"], [Open(7, 5)], random.Random(1), 1)
    assert again.shown == first.shown[::-1]
    assert sorted(again.shown) == list("01234")


def test_both_ways_of_arriving_answering_and_submitting_draw_and_store_the_same(study):
    person = invite(study)
    for _ in range(2):  # the second time the rows for some repeats are there already
        batch = twins.arrive(person.pk)
        places = list(batch.batch.select_related("question"))
        assert [place.position for place in places] == list(range(1, len(places) + 1))
        again = [place.question for place in places if place.question.again]
        for question in again:
            first = Question.objects.get(topic=question.topic_id, task=question.task_id, key=question.key)
            assert batch.batch.filter(question=first).exists()
            assert [s.item_id for s in question.subjects.all()] == [s.item_id for s in first.subjects.all()]
        for place in places:
            if place.role != "challenge":
                twins.record(batch.pk, place.question_id, 1)
            else:
                twins.record(batch.pk, place.question_id, place.expected)
        assert twins.submit(batch.pk).state == Assignment.State.KEPT
        person = invite(study)


def test_arriving_takes_two_statements_more_and_none_without_repeats(study):
    asked = {}
    for repeats in (0, REPEATS):
        Task.objects.filter(study=study).update(repeats=repeats)
        person = invite(study)
        Question.objects.filter(wanted__gt=0).update(taken=0)
        with CaptureQueriesContext(connection) as queries:
            assert sql_statements.open_batch(person.pk, timezone.now())
        asked[repeats] = len([q for q in queries if "SAVEPOINT" not in q["sql"]])
    assert asked[REPEATS] == asked[0] + 2


def test_their_answers_count_nowhere(study):
    batch = batch_of(study)
    before = {row.pk: row.taken for row in Question.objects.all()}
    assert say(batch, always_left).state == Assignment.State.KEPT
    assert batch.batch.count() == 10 + 3 + REPEATS
    assert Judgment.objects.filter(assignment=batch).count() == 10 + 3 + REPEATS
    topic = Question.objects.first().topic_id
    assert len(ledger.counting(topic)) == 10
    assert Judgment.objects.counting().count() == Judgment.objects.settled().count() == 10
    assert len(list(judgment_export.judgments(study))) == 10
    assert {row.pk: row.taken for row in Question.objects.all()} == before
    assert {pk: n for pk, n in before.items() if n} == taken_by_rows(study)
    assert not Question.every.filter(again=True).exclude(wanted=0, taken=0).exists()
    batch.refresh_from_db()
    assert batch.challenges_wrong == 0
    challenges = challenge_failures.rates(study)
    shown = challenge_failures.with_shown(challenges, challenges)
    assert all(rate.shown == 1 and rate.answers == 1 for rate in shown.values())
    assert len(challenge_failures.rates(study)) == 3


def test_a_wrong_challenge_is_found_as_ever_and_taken_back_with_its_batch(study):
    batch = batch_of(study)
    for place in batch.batch.select_related("question"):
        wrong = place.role == "challenge"
        value = 1 if not wrong or not KINDS["pair"].is_right(1, place.shown, place.expected) else -1
        answering.answer(batch.pk, place.position, value, kind="pair")
    assert answering.submit(batch.pk).state == Assignment.State.DISCARDED
    assert not taken_by_rows(study)
    assert not Question.every.filter(taken__gt=0).exists()
    assert quality(study).all.swapped.every == 0


def test_seals_hold_them_and_rebuilding_finds_nothing_to_mend(study):
    say(batch_of(study), by_the_items)
    hash_chain.seal()
    assert derived_state.rebuild(study) == 0
    assert verification.verify(study).problems == []


@pytest.mark.parametrize(("value_of", "same"), [(always_left, 0), (by_the_items, REPEATS)])
def test_somebody_who_always_goes_left_is_never_consistent_and_somebody_who_goes_by_the_items_always(
    study, value_of, same
):
    """Against the pairs of stored rows about the same items, looked up one by one."""
    say(batch_of(study), value_of)
    rows = list(Judgment.objects.select_related("question"))
    twice = [
        (one, other)
        for one in rows
        for other in rows
        if one.question.again is False and other.question.again and one.question.key == other.question.key
    ]
    alike = [one.value * other.value < 0 for one, other in twice]
    found = quality(study)
    [own] = found.people.values()
    [task] = found.tasks.values()
    for figures in (found.all, own, task):
        assert (figures.swapped.some, figures.swapped.every) == (sum(alike), len(twice)) == (same, REPEATS)
        assert figures.answers == 10


def test_a_repeat_goes_with_its_question_when_that_went_to_others(study):
    batch = batch_of(study)
    sittings.release(batch.pk)
    firsts = Question.objects.filter(batches__assignment=batch, batches__role=QuestionRole.COUNTS)
    again = Question.every.filter(batches__assignment=batch, again=True)
    lost = firsts.filter(key=again.order_by("pk").first().key)
    lost.update(taken=1)
    sittings.resume(batch.pk)
    gone = Withdrawal.objects.filter(assignment=batch).select_related("question")
    repeats = [row.question for row in gone if row.question.again]
    assert [row.key for row in repeats] == [lost.get().key]
    assert any(row.question_id == lost.get().pk for row in gone)


def test_one_that_cannot_be_judged_is_declined_alone_and_sets_nothing_aside(study):
    batch = batch_of(study)
    place = BatchQuestion.objects.filter(assignment=batch, question__again=True).first()
    assert declines.decline(batch.pk, place.position, "broken")
    assert not Question.every.get(pk=place.question_id).taken
    assert declines.questions(study.pk) == 0
    first = Question.objects.get(topic=place.question.topic_id, key=place.question.key, task=batch.task_id)
    assert first.taken == 1
    assert not declines.standing().exists()
    # Answered after all, it still holds nothing.
    answering.answer(batch.pk, place.position, 1, kind="pair")
    assert Question.every.get(pk=place.question_id).taken == 0


def test_excluding_and_letting_back_in_leave_them_alone(study):
    batch = say(batch_of(study), by_the_items)
    decisions.exclude(batch.assessor_id, "for a test")
    assert not Question.every.filter(taken__gt=0).exists()
    decisions.readmit(batch.assessor_id, "a mistake")
    assert taken_by_rows(study) == {q.pk: q.taken for q in Question.every.filter(taken__gt=0)}
    assert not Question.every.filter(taken__gt=0, again=True).exists()


def test_a_batch_has_no_more_repeats_than_questions_and_grades_have_none(study):
    task = asking.task_of(study)
    task.batch_size, task.repeats = 4, 5
    with pytest.raises(ValidationError, match="Of 4 questions in a batch, 5 cannot be asked again"):
        task.clean()
    task.repeats = 4
    task.clean()
    grading = Task(study=study, kind="grade", scale="0-4", batch_challenges=0, repeats=1)
    with pytest.raises(ValidationError, match="Grades are not asked again"):
        grading.clean()


def test_a_file_of_judgments_finds_the_question_and_not_its_repeat(study):
    say(batch_of(study), by_the_items)
    again = Question.every.filter(again=True).first()
    pair = (again.topic_id, *again.subject_ids)
    found, there = bulk_judgments.questions(asking.task_of(study), {pair: 1})
    assert found == {pair: Question.objects.get(topic=again.topic_id, key=again.key).pk}
    assert there == {pair}
