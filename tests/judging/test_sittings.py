"""Sittings that stop and go on: who is away, what others get, who comes back, and when time is up."""

import pytest
from django.utils import timezone

from collection.models import Action
from judging.audit import derived_state, hash_chain, verification
from judging.batches import answering, sittings
from judging.models import Assessor, Assignment, Decision, Judgment, Question, QuestionRole, Withdrawal
from judging.verdicts import decisions
from tests.judging.organizing import account
from tests.makers import (
    Choice,
    invite,
    later,
    lose_questions,
    make_study,
    open_study,
    pairs_of,
    record,
    run_out,
    sit,
    taken_by_rows,
)

pytestmark = pytest.mark.django_db
State, What = Assignment.State, Decision.What


@pytest.fixture
def study():
    """One topic of ten pairs, each judged once; batches of six pairs and three challenges."""
    return open_study(make_study(batch_pairs=6, batch_challenges=3, wrong_allowed=1))


@pytest.fixture
def batch(study):
    """A batch of somebody who was invited."""
    return answering.arrive(invite(study).pk)


def pairs(batch, n: int) -> list[int]:
    """The first n pairs of a batch that are no challenges."""
    return [place.question_id for place in batch.batch.filter(role=QuestionRole.COUNTS)[:n]]


def give(batch, n: int) -> None:
    """Answer the first n pairs."""
    for question in pairs(batch, n):
        record(batch.pk, question, Choice.A)


def check(batch, *, right: int = 0, wrong: int = 0) -> None:
    """Answer so many challenges rightly and so many wrongly."""
    challenges = list(batch.batch.filter(role=QuestionRole.CHALLENGE).select_related("question"))
    for number, place in enumerate(challenges[: right + wrong]):
        known = int(place.question.expected)
        record(batch.pk, place.question_id, Choice(known if number < right else -known))


def state(batch) -> str:
    return Assignment.objects.get(pk=batch.pk).state


def decided(batch) -> list[tuple[str, str]]:
    return list(Decision.objects.filter(assignment=batch).order_by("pk").values_list("what", "why"))


def taken() -> dict[int, int]:
    return dict(Question.objects.filter(taken__gt=0).values_list("pk", "taken"))


def agrees(study) -> None:
    """What is stored follows from batches, answers and decisions."""
    assert taken() == taken_by_rows(study)
    assert derived_state.rebuild(study) == 0
    assert verification.verify(study).problems == []


def test_after_a_while_without_an_answer_what_is_not_answered_goes_to_others(study, batch):
    give(batch, 2)
    with later(minutes=14):
        assert answering.release_overdue() == 0
    with later(minutes=16):
        assert answering.release_overdue() == 1
        assert answering.release_overdue() == 0
    assert state(batch) == State.IDLE
    assert decided(batch) == [(What.IDLE, "no answer for 15 minutes")]
    assert set(taken()) == set(pairs(batch, 2))
    assert {j.question_id for j in Judgment.objects.counting()} == set(pairs(batch, 2))
    assert Judgment.objects.provisional().count() == 2
    agrees(study)


def test_every_answer_and_every_return_is_a_sign_of_life(study, batch):
    with later(minutes=14):
        give(batch, 1)
    with later(minutes=28):
        assert answering.release_overdue() == 0
    with later(minutes=30):
        assert answering.release_overdue() == 1
        sittings.resume(batch.pk)
    with later(minutes=44):
        assert answering.release_overdue() == 0
    with later(minutes=46):
        assert answering.release_overdue() == 1


def test_the_study_says_how_long_is_a_while(study, batch):
    study.tasks.update(idle_minutes=2)
    with later(minutes=3):
        assert answering.release_overdue() == 1


def test_somebody_who_comes_back_goes_on_with_what_is_still_free(study, batch):
    give(batch, 2)
    sittings.release(batch.pk)
    assert answering.arrive(batch.assessor_id) == batch
    assert state(batch) == State.WORKING
    assert set(taken()) == pairs_of(batch)
    assert not Withdrawal.objects.exists()
    assert decided(batch)[-1] == (What.RESUMED, "0 of 7 questions with others")
    agrees(study)


def test_what_others_got_meanwhile_is_withdrawn_and_needs_no_answer(study, batch):
    """The other person is given some of those that the first had not answered."""
    give(batch, 2)
    # Of ten pairs three others are as old, and the tenth is the youngest: one of the four is the first's.
    study.tasks.update(batch_size=4, batch_challenges=0)
    other = lose_questions(batch, invite(study))
    lost = pairs_of(batch) & pairs_of(other)
    gone = set(Withdrawal.objects.values_list("question_id", flat=True))
    assert gone & pairs_of(batch) == lost
    assert lost
    batch.refresh_from_db()
    assert batch.withdrawn == len(gone)
    with pytest.raises(answering.Gone, match="went to somebody else"):
        record(batch.pk, lost.pop(), Choice.A)
    for question in pairs_of(batch) - gone:
        record(batch.pk, question, Choice.A)
    missing = batch.batch.filter(role=QuestionRole.CHALLENGE).exclude(question__in=gone).count()
    with pytest.raises(answering.Unfinished, match=f"{missing} of {9 - len(gone)} questions"):
        answering.submit(batch.pk)
    agrees(study)


def test_challenges_go_in_the_same_share_as_other_questions(study, batch):
    """Else what is left would tell which they are: half of the pairs go, and one of three challenges."""
    kept = pairs(batch, 3)
    sittings.release(batch.pk)
    Question.objects.filter(pk__in=pairs_of(batch) - set(kept)).update(wanted=0)
    sittings.resume(batch.pk)
    gone = Withdrawal.objects.values_list("question_id", flat=True)
    assert batch.batch.filter(role=QuestionRole.CHALLENGE, question__in=gone).count() == 1
    assert batch.batch.filter(role=QuestionRole.COUNTS, question__in=gone).count() == 3


def test_where_no_pair_is_left_challenges_go_too_once_one_was_answered(study, batch):
    give(batch, 2)
    check(batch, right=1)
    sittings.release(batch.pk)
    Question.objects.update(wanted=0)
    sittings.resume(batch.pk)
    assert answering.submit(batch.pk).state == State.KEPT
    assert Judgment.objects.settled().count() == 2
    agrees(study)


def test_one_challenge_stays_where_none_was_answered(study, batch):
    """Answers that nothing vouches for are worth nothing."""
    give(batch, 2)
    sittings.release(batch.pk)
    Question.objects.update(wanted=0)
    sittings.resume(batch.pk)
    with pytest.raises(answering.Unfinished, match="1 of 3 questions"):
        answering.submit(batch.pk)
    check(batch, wrong=1)
    answering.submit(batch.pk)
    assert decided(batch)[-1] == (What.LAPSED, "no challenge answered rightly")
    assert not Judgment.objects.counting().exists()
    agrees(study)


@pytest.mark.parametrize("away", [False, True])
@pytest.mark.parametrize(
    ("pairs", "right", "wrong", "what", "why"),
    [
        (4, 1, 0, What.KEPT, "answered in time: 5 of 9; 0 of 1 challenges wrong"),
        (4, 1, 1, What.KEPT, "answered in time: 6 of 9; 1 of 2 challenges wrong"),
        (4, 0, 1, What.LAPSED, "answered in time: 5 of 9"),
        (4, 0, 0, What.LAPSED, "answered in time: 4 of 9"),
        (4, 1, 2, What.DISCARDED, "answered in time: 7 of 9; 2 of 3 challenges wrong"),
        (0, 1, 0, What.LAPSED, "answered in time: 1 of 9"),
        (6, 3, 0, What.KEPT, "answered in time: 9 of 9; 0 of 3 challenges wrong"),
        (0, 0, 0, What.LAPSED, ""),
    ],
)
def test_when_time_is_up_the_answers_are_judged_by_their_challenges(
    study, batch, away, pairs, right, wrong, what, why
):
    give(batch, pairs)
    check(batch, right=right, wrong=wrong)
    if away:
        sittings.release(batch.pk)
    run_out(batch)
    assert answering.release_overdue() == 1
    assert decided(batch)[-1] == (what, why)
    assert Judgment.objects.settled().count() == (pairs if what == What.KEPT else 0)
    assert sum(taken().values()) == (pairs if what == What.KEPT else 0)
    failed = Assessor.objects.get(pk=batch.assessor_id).excluded_at is not None
    assert failed == (what == What.DISCARDED)
    with pytest.raises(answering.Over):
        answering.submit(batch.pk)
    agrees(study)


def test_without_challenges_all_that_was_answered_in_time_is_kept():
    study = open_study(make_study(batch_pairs=6, batch_challenges=0))
    batch = answering.arrive(invite(study).pk)
    give(batch, 3)
    run_out(batch)
    answering.release_overdue()
    assert state(batch) == State.KEPT
    agrees(study)


def test_what_was_kept_in_time_goes_and_comes_back_with_its_assessor(study, batch):
    give(batch, 4)
    check(batch, right=1)
    run_out(batch)
    answering.release_overdue()
    decisions.exclude(batch.assessor_id, "for a test")
    assert taken() == {}
    decisions.readmit(batch.assessor_id, "a mistake")
    assert sum(taken().values()) == 4
    agrees(study)


def test_excluding_somebody_who_is_away_gives_their_answers_back(study, batch):
    give(batch, 2)
    sittings.release(batch.pk)
    decisions.exclude(batch.assessor_id, "for a test")
    assert (state(batch), taken()) == (State.LAPSED, {})
    agrees(study)


def test_an_organizer_releases_one_person_and_the_trail_says_so(study, batch):
    alice = account("alice")
    assert sittings.release(batch.pk, by=alice)
    assert not sittings.release(batch.pk, by=alice)
    found = Decision.objects.get(assignment=batch)
    assert (found.what, found.why, found.by) == (What.IDLE, "released by an organizer", alice)
    action = Action.objects.get(what=Action.What.RELEASED)
    assert action.about == f"assessor {batch.assessor_id}"
    assert taken() == {}


def test_an_organizer_releases_all_who_gave_no_sign_for_some_minutes(study, batch):
    study.tasks.update(batch_size=1, batch_challenges=0)
    silent = answering.arrive(invite(study).pk)
    with later(minutes=4):
        give(batch, 1)
    with later(minutes=6):
        assert sittings.release_away(study.pk) == 1
        assert sittings.release_away(study.pk) == 0
    assert (state(silent), state(batch)) == (State.IDLE, State.WORKING)
    assert Action.objects.get(what=Action.What.RELEASED).after["batches"] == 1


def test_an_answer_that_comes_while_its_batch_is_about_to_be_idle_keeps_it(study, batch, monkeypatch):
    """Found quiet, and answered before its row is locked."""
    close = sittings._close_if_late

    def answered_first(pk, **more):
        give(batch, 1)
        return close(pk, **more)

    monkeypatch.setattr(sittings, "_close_if_late", answered_first)
    with later(minutes=16):
        assert answering.release_overdue() == 0
    assert state(batch) == State.WORKING


def test_seals_hold_which_questions_were_withdrawn(study, batch):
    """A row that is added behind the product's back is found by `manage.py verify`."""
    lose_questions(batch, invite(study))
    decisions.close_open(study.pk)
    hash_chain.seal()
    assert verification.verify(study).problems == []
    gone = Withdrawal.objects.values("question")
    still = batch.batch.exclude(question__in=gone).first()
    Withdrawal.objects.create(assignment=batch, question_id=still.question_id)
    (problem,) = [one for one in verification.verify(study).problems if one.startswith("Batch")]
    assert problem.startswith(f"Batch {batch.pk} was changed since seal")


def test_rebuilding_finds_a_wrong_state_and_a_wrong_count_of_withdrawn_questions(study, batch):
    give(batch, 1)
    other = lose_questions(batch, invite(study))
    sittings.release(other.pk)
    before = list(Assignment.objects.order_by("pk").values_list("state", "withdrawn"))
    assert before[0][1] > 0
    Assignment.objects.filter(pk=batch.pk).update(withdrawn=0)
    Assignment.objects.filter(pk=other.pk).update(state=State.WORKING)
    assert derived_state.rebuild(study) == 2
    assert list(Assignment.objects.order_by("pk").values_list("state", "withdrawn")) == before


def test_a_batch_that_was_sent_has_its_time_and_one_that_was_not_has_none(study, batch):
    sent = sit(invite(study))
    assert sent.submitted_at <= timezone.now()
    give(batch, 1)
    check(batch, right=1)
    run_out(batch)
    answering.release_overdue()
    batch.refresh_from_db()
    assert (batch.state, batch.submitted_at) == (State.KEPT, None)
