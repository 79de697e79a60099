"""Challenges that too many good people fail are set aside by themselves; careless people stay out."""

import pytest

from collection.models import Action
from judging.batches import answering
from judging.jobs import release_overdue
from judging.models import Assessor, Assignment, Decision, Question
from judging.verdicts import doubtful_challenges
from tests.judging.studies import invite, make_study
from tests.judging.visiting import side_of_known

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    """Every batch has the same three challenges."""
    study = make_study(pairs=20, challenges=3)
    study.tasks.update(batch_size=2, batch_challenges=3)
    return study


def challenges() -> list[int]:
    return list(Question.objects.filter(expected__isnull=False).order_by("pk").values_list("pk", flat=True))


def judge(study, *wrong: int) -> Assignment:
    """Somebody judges a batch, with these challenges wrong."""
    batch = answering.arrive(invite(study).pk)
    for place in batch.batch.all():
        value = 1 if side_of_known(place) == "left" else -1
        if place.question_id in wrong:
            value = -value
        answering.answer(batch.pk, place.position, value, kind="pair")
    answering.submit(batch.pk)
    batch.refresh_from_db()
    return batch


def states() -> list[str]:
    return list(Assignment.objects.order_by("pk").values_list("state", flat=True))


def test_where_half_of_five_good_people_fail_it_is_set_aside_and_they_are_restored(study):
    bad, _, _ = challenges()
    for wrong in ([bad], [bad], [], [], [bad]):
        judge(study, *wrong)
    assert states() == ["discarded", "discarded", "kept", "kept", "discarded"]
    assert Assessor.objects.exclude(excluded_at=None).count() == 3
    release_overdue()
    assert states() == ["kept"] * 5
    assert not Assessor.objects.exclude(excluded_at=None).exists()
    [decision] = Decision.objects.filter(what="set aside")
    assert (decision.question_id, decision.by) == (bad, None)
    assert decision.why == "3 of 5 people who had all other challenges right failed it"
    assert Action.objects.get(what="set aside").after["why"] == decision.why
    assert doubtful_challenges.set_aside_doubtful() == 0


@pytest.mark.parametrize("good", [[1, 1], [1, 0, 0, 0], [1, 1, 0, 0, 0, 0]])
def test_fewer_people_and_smaller_shares_leave_it(study, good):
    bad, _, _ = challenges()
    for fails in good:
        judge(study, *([bad] if fails else []))
    assert doubtful_challenges.set_aside_doubtful() == 0


def test_careless_people_say_nothing_about_a_challenge(study):
    """Anyone who had another one wrong too is not counted, however many they are, and stays out."""
    bad, other, _ = challenges()
    for _ in range(4):
        judge(study, bad, other)
    judge(study, bad)
    judge(study)
    assert doubtful_challenges.of_good_people(bad).answers == 2
    assert doubtful_challenges.set_aside_doubtful() == 0
    assert Assessor.objects.exclude(excluded_at=None).count() == 5


def test_of_a_bad_challenge_only_those_who_failed_it_alone_are_let_back_in(study):
    bad, other, _ = challenges()
    for _ in range(3):
        judge(study, bad)
    careless = judge(study, bad, other)
    judge(study)
    judge(study)
    assert doubtful_challenges.set_aside_doubtful() == 1
    careless.refresh_from_db()
    assert careless.state == "discarded"
    assert list(Assessor.objects.exclude(excluded_at=None)) == [careless.assessor]


def test_a_sweep_with_nothing_to_do_asks_little(study, django_assert_num_queries):
    judge(study)
    with django_assert_num_queries(1):
        assert doubtful_challenges.set_aside_doubtful() == 0
    judge(study, challenges()[0])
    with django_assert_num_queries(3):
        assert doubtful_challenges.set_aside_doubtful() == 0
