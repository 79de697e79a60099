"""The page of a study's challenges, and setting one aside, through Django's test client."""

import random
import re
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.utils import timezone

from collection.models import Item, Study
from judging import running_totals
from judging.batches import answering
from judging.models import Assessor, Assignment, Decision, Judgment, Question, QuestionRole
from judging.questions import grading
from judging.tasks import KINDS
from judging.verdicts import decisions, question_set_aside
from judging.verdicts.challenge_failures import Rate, rates, with_shown
from tests.judging.organizing import account, queries, staff_of, text
from tests.judging.studies import give_pictures, make_study
from tests.makers import Choice, invite, sit
from web.organizer.questions import challenge_list

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/challenges/"
State = Assignment.State


@pytest.fixture
def study():
    return staff_of(make_study(batch_pairs=2, batch_challenges=2, pairs=24, challenges=6))


def challenged(batch: Assignment) -> list[Question]:
    """The challenges of a batch, in its order."""
    return [
        place.question for place in batch.batch.filter(role=QuestionRole.CHALLENGE).select_related("question")
    ]


def by_rows(study) -> dict[int, Rate]:
    """The slow, obvious version of the rates: every challenge of every batch, one by one."""
    found: dict[int, list[int]] = {}
    for batch in Assignment.objects.filter(assessor__study=study):
        for place in batch.batch.filter(role=QuestionRole.CHALLENGE):
            mine = found.setdefault(place.question_id, [0, 0, 0])
            last = (
                Judgment.objects.filter(assignment=batch, question=place.question).order_by("revision").last()
            )
            mine[0] += 1
            if last is not None:
                mine[1] += 1
                mine[2] += not KINDS["pair"].is_right(last.value, last.shown, place.expected)
    return {pk: Rate(*numbers) for pk, numbers in found.items()}


def test_rates_are_those_of_the_last_answers_whatever_became_of_the_batch(study):
    """Kept, failed, excluded, still open with a corrected answer, and shown without an answer."""
    sit(invite(study))
    for wrong in (1, 2):
        sit(invite(study), wrong=wrong)
    out = sit(invite(study))
    decisions.exclude(out.assessor_id, "for a test")
    open_batch = answering.arrive(invite(study).pk)
    place = open_batch.batch.filter(role=QuestionRole.CHALLENGE).first()
    for value in (1, -1, 1, 0):
        answering.record(open_batch.pk, place.question_id, value)
    found = with_shown(rates(study), by_rows(study))
    assert found == by_rows(study)
    assert sum(rate.wrong for rate in found.values()) == 4
    assert sum(rate.shown - rate.answers for rate in found.values()) == 1


def test_rates_that_are_kept_and_added_to_are_those_of_all_rows(study, monkeypatch):
    """Answers and corrections, right and wrong, looked at after each; all but the last minutes' are kept."""
    monkeypatch.setattr(running_totals, "LATEST", timedelta(0))
    chance = random.Random(5)
    batches = [answering.arrive(invite(study).pk) for _ in range(3)]
    places = [
        (batch, place) for batch in batches for place in batch.batch.filter(role=QuestionRole.CHALLENGE)
    ]
    for _ in range(40):
        batch, place = chance.choice(places)
        answering.record(batch.pk, place.question_id, chance.choice((-1, 0, 1)))
        found = by_rows(study)
        assert with_shown(rates(study), found) == found
    kept_upto, _ = cache.get(f"challenges:{study.pk}")
    assert kept_upto > 0


def test_an_answer_with_an_earlier_number_and_a_later_time_is_counted(study, monkeypatch):
    """Two are stored at the same moment, and the moment until which rates are kept lies between them."""
    batch = answering.arrive(invite(study).pk)
    one, other = batch.batch.filter(role=QuestionRole.CHALLENGE)[:2]
    begun = timezone.now()
    for place, later in ((one, 1), (other, 0)):
        monkeypatch.setattr(timezone, "now", lambda later=later: begun + timedelta(seconds=later))
        answering.record(batch.pk, place.question_id, 1)
    for seconds in (0.5, 0.5, 600):
        monkeypatch.setattr(
            timezone, "now", lambda s=seconds: begun + running_totals.LATEST + timedelta(seconds=s)
        )
        assert sum(rate.answers for rate in rates(study).values()) == 2


def test_those_answered_wrong_most_come_first_with_their_share(alice, study):
    """The wrong one of the failed batch leads; what is never wrong follows."""
    failed = sit(invite(study), wrong=1)
    bad = challenged(failed)[0]
    page = alice.get(ADDRESS)
    assert page.context["cards"][0].question == bad
    shares = [card.rate.share for card in page.context["cards"]]
    assert shares == sorted(shares, reverse=True)
    n = rates(study)[bad.pk]
    assert f"{n.wrong} of {n.answers}" in text(page)


def test_how_often_each_was_shown_stands_there_where_it_says_more_than_the_answers(alice, study):
    sit(invite(study), wrong=1)
    assert "Shown" not in text(alice.get(ADDRESS))
    batch = answering.arrive(invite(study).pk)
    page = alice.get(ADDRESS)
    waiting = {question.pk for question in challenged(batch)}
    card = next(card for card in page.context["cards"] if card.question.pk in waiting)
    assert card.rate.shown == card.rate.answers + 1
    assert "Wrong Shown" in text(page)


def test_the_known_answer_is_marked_in_the_row(alice, study):
    page = alice.get(ADDRESS)
    rows = re.findall(r'<summary class="line">(.*?)</summary>', page.content.decode(), re.S)
    for card, row in zip(page.context["cards"], rows, strict=True):
        marked = re.findall(r"✓</span> <bdi>([^<]*)</bdi>", row)
        assert marked == [begins for side, begins in card.lines if side.better]
        assert len(marked) == 1
    grade = grading.usual(study)
    grading.put_first(grade)
    grade.save()
    item = Item.objects.first()
    known = {"scale": "0-4", "grade": 3.0}
    Question.objects.create(
        study=study, task=grade, topic=item.topic, key=str(item.pk), expected=known, draw_key=1
    ).subjects.create(position=0, item=item)
    assert "Known answer: grade 3" in text(alice.get(ADDRESS))


def test_the_page_says_first_what_is_to_be_looked_at_and_folds_each_question(alice, study):
    number = Question.objects.filter(expected__isnull=False, set_aside_at=None).count()
    said = f"{number} challenges: questions with a known answer, mixed into batches."
    assert f"No challenge is answered yet. {said}" in text(alice.get(ADDRESS))
    sit(invite(study), wrong=1)
    page = alice.get(ADDRESS)
    told = (
        "1 of 2 answers to challenges is wrong, by an excluded person. 2 answers are of excluded people. "
        "None was answered wrong by half of its people, of 5 or more: fewer say little of a known answer."
    )
    assert f"{told} {said}" in text(page)
    html = page.content.decode()
    assert html.count('<summary class="line">') == len(page.context["cards"])


@pytest.mark.parametrize(
    ("answers", "wrong", "alarms"), [(2, 1, False), (4, 4, False), (5, 2, False), (5, 3, True)]
)
def test_a_known_answer_is_doubted_from_five_answers_on(alice, study, monkeypatch, answers, wrong, alarms):
    own = Question.objects.filter(expected__isnull=False).first()
    monkeypatch.setattr(challenge_list, "rates", lambda _: {own.pk: Rate(0, answers, wrong)})
    page = alice.get(ADDRESS)
    said = (
        "1 challenge was answered wrong by half of its people or more, of 5 or more: check its known answer."
    )
    assert (said in text(page)) == alarms
    assert ('class="num look"' in page.content.decode()) == alarms
    assert f"{wrong} of {answers} wrong" in text(page)


def test_the_list_is_there_whatever_was_answered(alice, study):
    batch = sit(invite(study))
    page = alice.get(ADDRESS)
    assert "All 2 answers to challenges are right." in text(page)
    assert "What to do with one that many answer wrong" in text(page)
    question_set_aside.set_aside(challenged(batch)[0].pk, "both are right", by=account("alice"))
    said = "All 2 answers to challenges are right. 6 challenges, 5 asked and 1 set aside: questions"
    assert said in text(alice.get(ADDRESS))


def test_a_challenge_says_who_answered_what_and_the_list_can_be_narrowed(alice, study):
    failed, kept = sit(invite(study), wrong=1), sit(invite(study))
    bad = challenged(failed)[0]
    page = alice.get(ADDRESS)
    cards = {card.question.pk: card for card in page.context["cards"]}
    (own,) = [one for one in cards[bad.pk].given if one.person == failed.assessor_id]
    known = next(side.name for side in cards[bad.pk].sides if side.better)
    assert (own.right, own.excluded, own.said != known) == (False, True, True)
    answered = {(pk, one.person) for pk, card in cards.items() for one in card.given}
    batches = {batch.assessor_id: challenged(batch) for batch in (failed, kept)}
    assert answered == {(one.pk, person) for person, every in batches.items() for one in every}
    wrong = alice.get(ADDRESS, {"which": "wrong"}).context["cards"]
    assert [card.question for card in wrong] == [bad]
    unanswered = alice.get(ADDRESS, {"which": "open"}).context["cards"]
    assert {card.question.pk for card in unanswered} == cards.keys() - {pk for pk, _ in answered}


def test_each_line_says_what_is_compared(alice, study):
    Item.objects.filter(topic__study=study).update(text="One & two" + " and more" * 19)
    begins = [words for _, words in alice.get(ADDRESS).context["cards"][0].lines]
    assert begins == ["One & two" + " and more" * 8 + " and …"] * 2


def test_the_known_answer_is_marked_at_its_side(alice, study):
    """All of these know the first item; turned round, the second."""
    question = Question.objects.filter(expected__isnull=False).first()
    for expected, side in ((1, 0), (-2, 1)):
        Question.objects.filter(pk=question.pk).update(expected=expected)
        cards = {card.question.pk: card for card in alice.get(ADDRESS).context["cards"]}
        assert [one.better for one in cards[question.pk].sides] == [side == 0, side == 1]
    assert text(alice.get(ADDRESS)).count("known to be better") == 6


def test_texts_are_set_and_pictures_shown(alice, study):
    Study.objects.filter(pk=study.pk).update(markup="markdown")
    Item.objects.filter(topic__study=study).update(text="**bold** <script>alert(1)</script>")
    page = alice.get(ADDRESS).content.decode()
    assert "<strong>bold</strong>" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    give_pictures(study)
    page = alice.get(ADDRESS).content.decode()
    shown = re.findall(r'<img src="(/[^"]+)"', page)
    # Each in its row, in small, and below it.
    assert len(shown) == 2 * 12
    assert alice.get(shown[0]).status_code == 200


def test_setting_aside_says_first_what_it_does_and_then_does_just_that(alice, study):
    earlier = invite(study)
    kept = sit(earlier)
    failed = sit(earlier, wrong=1)
    bad = challenged(failed)[0]
    address = f"{ADDRESS}{bad.pk}/"
    assert "1 person would be let back in, and 2 batches kept again" in text(alice.get(address))
    assert not Decision.objects.filter(question=bad).exists()
    page = alice.post(address, {"why": "both are right"}, follow=True)
    assert "1 person let back in, 2 batches kept again." in text(page)
    states = Assignment.objects.filter(pk__in=[kept.pk, failed.pk]).values_list("state", flat=True)
    assert set(states) == {State.KEPT}
    decided = bad.decisions.get()
    assert (decided.by, decided.why) == (account("alice"), "both are right")
    assert "by alice," in text(alice.get(ADDRESS))
    assert "set a question aside" in text(alice.get("/studies/garden/trail/"))
    assert bad.pk not in [card.question.pk for card in alice.get(ADDRESS).context["cards"]]
    # Shown again, and sent again, it decides nothing new.
    assert "Set aside by alice" in text(alice.get(address))
    alice.post(address, {"why": "again"})
    assert bad.decisions.count() == 1


def test_setting_aside_needs_a_reason(alice, study):
    question = Question.objects.filter(expected__isnull=False).first()
    assert "Say why, in a few words." in text(alice.post(f"{ADDRESS}{question.pk}/", {"why": " "}))
    question.refresh_from_db()
    assert question.set_aside_at is None


def test_a_question_that_is_no_challenge_cannot_be_set_aside_here(alice, study):
    question = Question.objects.filter(expected__isnull=True).first()
    assert alice.post(f"{ADDRESS}{question.pk}/", {"why": "x"}).status_code == 404


def test_what_setting_aside_would_do_is_what_it_does(study):
    """Each challenge in turn, on people who failed by one or by two, once or twice, with earlier batches, let
    back in, or excluded by a person: the forecast is compared with the states before and after.
    """
    for wrongs in ((1,), (2,), (0, 1), (0, 2)):
        assessor = invite(study)
        for wrong in wrongs:
            sit(assessor, wrong=wrong)
    slipped = invite(study)
    for _ in range(2):
        sit(slipped, wrong=1)
        decisions.readmit(slipped.pk, "one slip")
    seen = invite(study)
    sit(seen, wrong=1)
    decisions.readmit(seen.pk, "one slip")
    decisions.exclude(seen.pk, "a second look", by=account("alice"))

    def now() -> tuple[int, int]:
        return (
            Assessor.objects.filter(excluded_at=None).count(),
            Assignment.objects.filter(state=State.KEPT).count(),
        )

    found = []
    for question in Question.objects.filter(expected__isnull=False):
        forecast, before = question_set_aside.would_restore(question.pk), now()
        question_set_aside.set_aside(question.pk, "for a test")
        after = now()
        assert forecast == (after[0] - before[0], after[1] - before[1])
        found.append(forecast)
    assert sum(people for people, _ in found) == 4
    assert sum(batches for _, batches in found) > 4


def test_the_page_is_long_and_its_queries_do_not_grow(alice, study):
    few = queries(alice, ADDRESS)
    for _ in range(4):
        sit(invite(study), wrong=1)
    Question.objects.filter(wanted=1).update(expected=Choice.A.value, draw_key=0.5)
    page = alice.get(ADDRESS)
    assert "1 to 20 of" in text(page)
    question_set_aside.set_aside(page.context["cards"][0].question.pk, "for a test")
    # One more names those who answered.
    assert queries(alice, ADDRESS) == few + 1
    assert few <= 15
