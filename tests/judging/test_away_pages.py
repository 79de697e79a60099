"""What assessors read who were away: what is left, what went to others, and that their time is up."""

import pytest

from collection.models import Item
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, Judgment, Question, QuestionRole, Withdrawal
from tests.judging.studies import invite, make_study
from tests.judging.test_assessor_pages import queries
from tests.judging.visiting import JSON, Visitor, begin, form, send, side_of_known, text_of
from tests.makers import lose_questions, run_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def study():
    """20 pairs in batches of ten; others get what somebody leaves first."""
    return make_study(idle_minutes=20)


@pytest.fixture
def address(study):
    return f"/i/{invite(study).reference}/"


@pytest.fixture
def batch(visitor, address):
    """A batch of ten pairs and three challenges, with the first three questions answered."""
    assignment = begin(visitor, address)
    answer_some(visitor, assignment, 3)
    return assignment


def answer_some(visitor, assignment, n: int) -> None:
    for place in assignment.batch.all()[:n]:
        visitor.post("/answer/", form(assignment, place, side_of_known(place)))


def lose_some(batch) -> set[int]:
    """Let another person take some pairs; returns the positions that are gone."""
    batch.task.study.tasks.update(batch_size=4, batch_challenges=0)
    lose_questions(batch, invite(batch.task.study))
    gone = Withdrawal.objects.values("question")
    return set(batch.batch.filter(question__in=gone).values_list("position", flat=True))


def come_back_after(visitor, batch, address, others: int):
    """Be released, let another person take some pairs, and open the page."""
    study = batch.task.study
    study.tasks.update(batch_size=others, batch_challenges=0)
    sittings.release(batch.pk)
    answering.arrive(invite(study).pk)
    return visitor.get(address)


def test_somebody_who_was_away_is_told_what_has_gone_and_what_is_left(visitor, batch, address):
    waiting = [place.question_id for place in batch.batch.filter(position__gt=3, role=QuestionRole.COUNTS)]
    sittings.release(batch.pk)
    Question.objects.filter(pk__in=waiting[:4]).update(wanted=0)
    page = text_of(visitor.get(address))
    gone = Withdrawal.objects.count()
    assert gone >= 4
    assert f"You were away. {gone} of your questions have gone to others. {10 - gone} are left." in page
    assert "What you answered before is kept." in page
    again = visitor.get(address)
    assert f"4 of {13 - gone}" in text_of(again)
    assert "Welcome back" not in text_of(again)


def test_somebody_who_lost_nothing_goes_straight_on(visitor, batch, address):
    sittings.release(batch.pk)
    assert "4 of 13" in text_of(visitor.get(address))
    assert Assignment.objects.get().state == "working"


def test_programs_that_only_look_whether_there_is_a_page_resume_nothing(visitor, batch, address):
    sittings.release(batch.pk)
    assert visitor.head(address).status_code == 200
    assert Assignment.objects.get().state == "idle"


def test_where_nothing_is_left_the_answers_can_be_sent(visitor, batch, address):
    """The other person takes all twenty pairs but those that were answered."""
    answer_some(visitor, batch, 13)
    page = text_of(come_back_after(visitor, batch, address, 20))
    assert "All 13 questions are done" in page
    send(visitor, batch)
    assert Assignment.objects.get(pk=batch.pk).state == "kept"


def test_what_has_gone_is_neither_shown_nor_taken(visitor, batch, address):
    gone = lose_some(batch)
    html = visitor.get(address).content.decode()
    for place in batch.batch.all():
        assert (f'data-position="{place.position}"' in html) == (place.position not in gone)
    lost = batch.batch.get(position=min(gone))
    before = Judgment.objects.count()
    refused = visitor.post("/answer/", form(batch, lost))
    assert refused.status_code == 409
    assert "this question went to somebody else. Go on with those that are left." in text_of(refused)
    assert f'href="{address}"' in refused.content.decode()
    told = visitor.post("/answer/", form(batch, lost), headers=JSON)
    assert told.json()["code"] == "gone"
    assert Judgment.objects.count() == before


def test_back_and_again_go_past_what_has_gone(visitor, batch, address):
    """Positions have gaps then; numbers have none."""
    gone = lose_some(batch)
    left = [place.position for place in batch.batch.all() if place.position not in gone]
    for number, position in enumerate(left, 1):
        page = visitor.get(f"{address}?at={position}")
        assert f"{number} of {len(left)}" in text_of(page)
        if number > 1:
            assert f'href="?at={left[number - 2]}" aria-keyshortcuts="Backspace"' in page.content.decode()
    first = visitor.get(f"{address}?at={min(gone)}")
    assert "4 of" in text_of(first)  # a position that is gone leads to the first without an answer


def test_answers_to_what_is_left_make_a_batch_that_can_be_sent(visitor, batch, address):
    gone = lose_some(batch)
    for place in batch.batch.exclude(position__in=gone):
        assert visitor.post("/answer/", form(batch, place, side_of_known(place))).status_code == 303
    assert send(visitor, batch, **JSON).json()["submitted"]
    assert "answers were received" in text_of(visitor.get(address))
    assert Assignment.objects.get(pk=batch.pk).state == "kept"


def test_an_answer_from_a_page_left_open_goes_on(visitor, batch):
    sittings.release(batch.pk)
    place = batch.batch.all()[3]
    assert visitor.post("/answer/", form(batch, place), headers=JSON).json() == {"stored": True}
    assert Assignment.objects.get().state == "working"


def judged_in_time(visitor, batch, *, wrong: bool) -> None:
    """Answer all but the last question, challenges rightly or wrongly, and let time run out."""
    for place in list(batch.batch.all())[:-1]:
        side = side_of_known(place)
        if wrong and place.role == "challenge":
            side = "right" if side == "left" else "left"
        visitor.post("/answer/", form(batch, place, side))
    run_out(batch)


@pytest.mark.parametrize("swept", [False, True])
def test_somebody_who_ran_out_of_time_is_thanked_for_what_they_answered(visitor, batch, address, swept):
    judged_in_time(visitor, batch, wrong=False)
    if swept:
        answering.release_overdue()
    page = text_of(visitor.get(address))
    assert "Time is up. The 12 answers you gave in time were received." in page
    assert "Answers 12 Time in view about 1 minute Begun" in page
    assert " Sent " not in page
    assert "Judge another batch" in page
    assert "Write to lab@example.org" in page
    assert Assignment.objects.get(pk=batch.pk).state == "kept"
    assert begin(visitor, address) != batch


def test_somebody_who_failed_by_then_reads_the_same(visitor, batch, address):
    judged_in_time(visitor, batch, wrong=True)
    page = text_of(visitor.get(address))
    assert "Time is up. The 12 answers you gave in time were received." in page
    assert "Judge another batch" not in page
    assert Assessor.objects.get(assignments=batch).excluded_at is not None


def test_a_batch_that_nothing_vouches_for_is_not_said_to_be_received(visitor, address):
    batch = begin(visitor, address)
    first = batch.batch.filter(role=QuestionRole.COUNTS).first()
    visitor.post("/answer/", form(batch, first))
    run_out(batch)
    assert "its answers do not count" in text_of(visitor.get(address))


def test_the_instructions_say_how_long_one_may_be_away(visitor, address):
    assert "After 20 minutes without an answer" in text_of(visitor.get(address))


def test_only_who_was_away_costs_more_queries(visitor, batch, address):
    """Two for a page of a batch in the usual case, and two more where questions went to others."""
    usual = queries(visitor.get, address)
    lose_some(batch)
    assert (usual, queries(visitor.get, address)) == (2, 4)


def test_a_text_that_is_changed_in_the_middle_changes_no_batch(visitor, batch, address):
    """By its organizers: the page shows it from then on, and what was answered stays answered."""
    batch.task.study.tasks.update(wording="Which one would you rather read?")
    Item.objects.update(text="Mended.")
    page = text_of(visitor.get(address))
    assert "Which one would you rather read?" in page
    assert "Mended." in page
    assert "4 of 13" in page
    answer_some(visitor, batch, 13)
    send(visitor, batch)
    assert Assignment.objects.get(pk=batch.pk).state == "kept"
