"""What people are told of how often others answered alike, where the study tells it."""

import pytest

from judging.batches import answering
from judging.models import Question, QuestionRole
from judging.people.own_record import agreement_with_others
from judging.tasks.pair import lean_of
from tests.judging.studies import invite, make_study
from tests.judging.visiting import Visitor, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return make_study(pairs=3, challenges=2, batch_pairs=3, batch_challenges=1, tell_agreement=True)


def judge(study, *leans: int, wrong: bool = False):
    """A sent batch: these leans on the pairs in the order of loading, and known answers as they are known."""
    Question.objects.filter(study=study, expected__isnull=True).update(wanted=9)
    batch = answering.arrive(invite(study).pk)
    pairs = iter(leans)
    for place in batch.batch.order_by("question").select_related("question"):
        known = place.role == QuestionRole.CHALLENGE
        lean = (-1 if wrong else 1) * int(place.expected or 0) if known else next(pairs)
        answering.record(batch.pk, place.question_id, lean_of(lean, place.shown))
    return answering.submit(batch.pk)


def test_a_question_is_alike_where_half_or_more_of_the_others_said_the_same(study):
    for leans in ((1, 1, 0), (1, -1, 0), (-1, -1, 0)):
        judge(study, *leans)
    own = judge(study, 1, 1, 1)
    # 2 of 3 said 1; 1 of 3 said 1; all said 0.
    assert agreement_with_others(own) == (3, 1)


def test_how_strong_a_preference_is_does_not_matter(study):
    study.tasks.update(scale="5")
    judge(study, 2, -2, 1)
    assert agreement_with_others(judge(study, 1, -1, -1)) == (3, 2)


def test_challenges_and_what_counts_nowhere_are_left_out(study):
    judge(study, 1, 1, 1, wrong=True)
    own = judge(study, 1, 1, 1)
    assert agreement_with_others(own) == (0, 0)


@pytest.mark.parametrize("wrong", [False, True])
def test_it_is_told_after_the_batch_whatever_became_of_it(study, wrong):
    judge(study, 1, 1, 1)
    own = judge(study, 1, 1, -1, wrong=wrong)
    page = text_of(Visitor().get(f"/i/{own.assessor.reference}/"))
    assert "Others answered 3 of these questions too. On 2 of them, half or more answered as you did." in page


def test_a_study_that_does_not_tell_it_says_nothing(study):
    study.tasks.update(tell_agreement=False)
    judge(study, 1, 1, 1)
    own = judge(study, 1, 1, 1)
    assert "Others answered" not in text_of(Visitor().get(f"/i/{own.assessor.reference}/"))
