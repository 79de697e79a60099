"""The open link: how many may join, what they may hold without judging, and what comes back when."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.batches import answering, drawing, overdue, sittings
from judging.models import Assessor, Assignment, Judgment, Question, QuestionRole
from judging.questions import asking
from judging.verdicts import decisions
from panels import local
from tests.judging.studies import make_study
from tests.judging.visiting import Visitor, agreeing, begin, form, text_of
from tests.makers import invite
from web.shared import throttles

pytestmark = pytest.mark.django_db
JOIN = "/join/open-to-all/"


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def study():
    """30 pairs less those that are challenges, in batches of 5."""
    return make_study(join_token="open-to-all", pairs=21, challenges=9, batch_pairs=5, batch_challenges=1)


@pytest.fixture
def minute(monkeypatch):
    """Time stands still: no minute of counting ends in a test."""
    monkeypatch.setattr(throttles.time, "time", lambda: 6_000_000.0)


def join(visitor, address="192.0.2.1"):
    return visitor.post(JOIN, REMOTE_ADDR=address)


def taken() -> int:
    return sum(Question.objects.values_list("taken", flat=True))


def early(assignment) -> None:
    """Let the first minutes of a batch be over."""
    moment = timezone.now() - timedelta(minutes=overdue.FIRST_MINUTES)
    Assignment.objects.filter(pk=assignment.pk).update(opened_at=moment)


def test_so_many_join_in_a_minute_from_one_address_and_four_times_as_many_in_all(
    visitor, study, settings, minute
):
    settings.JOINS_A_MINUTE = 2
    assert [join(visitor).status_code for _ in range(3)] == [303, 303, 429]
    refused = join(visitor)
    assert refused["Retry-After"] == "60"
    assert "look again in a minute" in text_of(refused)
    others = [join(visitor, f"192.0.2.{n}").status_code for n in range(2, 9)]
    assert others == [303] * 6 + [429]
    assert Assessor.objects.filter(by_link=True).count() == 8
    begin(visitor, f"/i/{invite(study).reference}/")  # anyone who has a link of their own is not held up


def test_idle_batches_of_the_link_hold_no_more_than_is_left_for_others(visitor, study):
    """The starving of a study: join, begin, answer nothing, again and again."""
    for _ in range(16):
        home = join(visitor)["Location"]
        page = visitor.post(home, agreeing(home))
    assert "The questions are with others" in text_of(page)
    assert taken() == 15  # the third was given when 10 were held and 11 left
    # Nor are they offered, by the link or at an address of one's own; a look again joins nobody.
    for address in (JOIN, home):
        offered = visitor.get(address)
        assert "The questions are with others" in text_of(offered)
        assert "<form" not in offered.content.decode()
    assert (
        begin(visitor, f"/i/{invite(study).reference}/").batch.filter(role=QuestionRole.COUNTS).count() == 5
    )


def test_idle_batches_of_the_link_are_limited_in_number(visitor, study, settings):
    settings.LINK_SITTINGS = 1
    first = begin(visitor, join(visitor)["Location"])
    second = join(visitor)["Location"]
    assert "The questions are with others" in text_of(visitor.post(second, agreeing(second)))
    visitor.post("/answer/", form(first, first.batch.first()))
    begin(visitor, second)


def test_a_batch_of_the_link_without_an_answer_lapses_early(study):
    idle, begun = (answering.arrive(local.join("open-to-all").pk) for _ in range(2))
    invited = answering.arrive(invite(study).pk)
    place = begun.batch.first()
    answering.answer(begun.pk, place.position, 1, kind="pair")
    for batch in (idle, begun, invited):
        early(batch)
    assert answering.release_overdue() == 1
    assert answering.release_overdue() == 0
    states = [Assignment.objects.get(pk=batch.pk).state for batch in (idle, begun, invited)]
    assert states == ["lapsed", "working", "working"]
    assert taken() == 10
    assert idle.decisions.get().why == "no answer in the first minutes"


def test_somebody_who_read_for_long_is_told_kindly_and_begins_a_fresh_batch(visitor, study):
    home = join(visitor)["Location"]
    batch = begin(visitor, home)
    early(batch)
    answering.release_overdue()
    refused = visitor.post("/answer/", form(batch, batch.batch.first()))
    assert refused.status_code == 409
    assert not Judgment.objects.exists()
    assert "No answer came in its first minutes." in text_of(visitor.get(home))
    assert begin(visitor, home) != batch
    # Why a batch is closed is said of each by itself.
    decisions.close_open(study.pk)
    page = text_of(visitor.get(home))
    assert "The organizers closed it." in page
    assert "No answer came" not in page


def test_what_an_idle_batch_held_is_given_to_who_arrives_before_any_sweep(study):
    """And the page offers it, since it asks by the same condition."""
    Question.objects.filter(
        pk__in=list(Question.objects.filter(wanted=1).values_list("pk", flat=True))[1:]
    ).update(wanted=0)
    early(answering.arrive(local.join("open-to-all").pk))
    other = invite(study)
    assert drawing.at_hand(asking.task_of(study), other)[0] == 1
    assert answering.arrive(other.pk).batch.filter(role=QuestionRole.COUNTS).count() == 1


def test_an_answer_that_comes_while_its_batch_is_about_to_lapse_keeps_it(study, monkeypatch):
    """Found idle, and answered before its row is locked."""
    batch = answering.arrive(local.join("open-to-all").pk)
    early(batch)
    lock = sittings._close_if_late

    def answered_first(pk, **more):
        answering.answer(batch.pk, 1, 1, kind="pair")
        return lock(pk, **more)

    monkeypatch.setattr(sittings, "_close_if_late", answered_first)
    assert answering.release_overdue() == 0
    assert Assignment.objects.get().state == "working"


def test_excluding_somebody_who_starves_a_study_gives_everything_back(study):
    for _ in range(4):
        answering.arrive(local.join("open-to-all").pk)
    assert taken() == 18  # three batches of 5, and half of the other 6
    for assessor in Assessor.objects.all():
        decisions.exclude(assessor.pk, "bots")
    assert taken() == 0


def test_in_a_small_study_the_second_who_joins_finds_questions_too(visitor):
    """Fifteen pairs in batches of fifteen: eight for the first, half of the other seven for the second."""
    make_study(join_token="open-to-all", pairs=15, challenges=0, batch_pairs=15, batch_challenges=0)
    assert "Questions 8 Time" in text_of(visitor.get(JOIN))
    sizes = []
    for offered in (8, 4):
        home = join(visitor)["Location"]
        assert f"A batch is {offered} questions" in text_of(visitor.get(home))
        sizes.append(begin(visitor, home).batch.count())
    assert sizes == [8, 4]
    third = text_of(visitor.post(join(visitor)["Location"], {"action": "begin"}))
    assert "The questions are with others" in third
    assert "free again in 10 minutes at most" in third


def test_who_has_judged_before_gets_a_full_batch(visitor):
    make_study(join_token="open-to-all", pairs=15, challenges=0, batch_pairs=5, batch_challenges=0)
    home = join(visitor)["Location"]
    first = begin(visitor, home)
    assert first.batch.count() == 5
    for place in first.batch.all():
        answering.answer(first.pk, place.position, 1, kind="pair")
    answering.submit(first.pk)
    Question.objects.filter(taken=0).update(wanted=0)
    left = list(Question.objects.filter(taken=0)[:5].values_list("pk", flat=True))
    Question.objects.filter(pk__in=left).update(wanted=1)
    assert begin(visitor, home).batch.count() == 5


def test_the_wait_ends_when_the_first_idle_batch_closes(visitor, study):
    for minutes in (6, 2):
        batch = answering.arrive(local.join("open-to-all").pk)
        moment = timezone.now() - timedelta(minutes=minutes)
        Assignment.objects.filter(pk=batch.pk).update(opened_at=moment)
    assert sittings.next_release(study) == 4
