"""The page of bias, consistency and time, through Django's test client."""

import pytest
from django.core.cache import cache

from judging import answering
from judging.models import BatchQuestion
from scoring.answer_quality import quality
from tests.judging.organizing import queries, staff_of, text
from tests.judging.studies import invite, make_study

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/quality/"


@pytest.fixture
def study():
    return staff_of(make_study(pairs=20, challenges=0, batch_pairs=10, batch_challenges=0))


def judge(study, value=None) -> int:
    """A batch by somebody new, who always gives this answer, or left and right in turn."""
    batch = answering.arrive(invite(study).pk)
    for n, place in enumerate(BatchQuestion.objects.filter(assignment=batch)):
        answering.record(batch.pk, place.question_id, value or (1, -1)[n % 2], seconds=float(n))
    answering.submit(batch.pk)
    return batch.assessor_id


def test_without_answers_the_page_says_when_to_come_back(alice, study):
    assert "There are no answers that count yet" in text(alice.get(ADDRESS))
    assert '<a href="/studies/garden/quality/">' in alice.get("/studies/garden/people/").content.decode()


def test_who_favours_a_side_stands_first_and_is_marked(alice, study):
    even, left = judge(study), judge(study, 1)
    page = text(alice.get(ADDRESS))
    assert "20 answers of 2 people count. 1 of 2 favour a side more than chance explains" in page
    # Of all: 15 of 20, with Wilson's interval 0.531 to 0.888, rounded outwards; p by the binomial test.
    assert "75 % (53–89) of 20 0.0414" in page
    # Ten of ten: 0.722 to 1.
    assert "100 % (72–100) of 10 favours a side 0.0020" in page
    links = alice.get(ADDRESS).content.decode().partition('id="people"')[2]
    assert links.index(f"/people/{left}/") < links.index(f"/people/{even}/")


def test_even_sides_are_said_to_be(alice, study):
    judge(study)
    assert "Nobody of 1 favours a side more than chance explains." in text(alice.get(ADDRESS))


def test_the_figures_are_kept_for_a_minute_and_then_computed_anew(alice, study):
    judge(study)
    first = queries(alice, ADDRESS)
    judge(study)
    assert "10 answers of 1 person count" in text(alice.get(ADDRESS))
    assert queries(alice, ADDRESS) == first - 4
    cache.clear()
    assert f"{quality(study).all.answers} answers of 2 people count" in text(alice.get(ADDRESS))


def test_times_of_thirds_and_too_fast_ones_stand_there(alice, study):
    """Seconds 0 to 9 in this order; of the texts (21 letters or so) a tenth takes less than 0.2 s: one."""
    judge(study)
    page = text(alice.get(ADDRESS))
    assert "10 2.3 4.5 6.8 1.5 8.0 10 % (1–41) of 10" in page
