"""How people answer, on the page of trust: sides, time, and each person, through Django's test client."""

import re
from html import unescape

import pytest
from django.urls import reverse
from django.utils.html import strip_tags

from collection import cached_results
from collection.models import Membership
from judging.batches import answering
from judging.models import Assessor, BatchQuestion
from scoring.quality import trust
from scoring.quality.trust import TRUST
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import invite, make_study
from tests.scoring.test_leaderboard_pages import judge as judge_runs
from tests.scoring.test_leaderboard_pages import with_runs
from web.coordinator.answers import trust_line

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/leaderboard/trust/"


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


def test_without_answers_the_page_says_what_will_be_there(alice, study):
    assert "There are no judgments that count yet." in text(alice.get(ADDRESS))
    assert f'<a href="{ADDRESS}">' in alice.get("/studies/garden/people/").content.decode()


def test_who_favours_a_side_is_marked_and_stands_first_if_sorted_so(alice, study):
    even, left = judge(study), judge(study, 1)
    page = text(alice.get(ADDRESS))
    assert "1 of 2 favours a side more than chance explains" in page
    assert "; 100 % for the left, which chance does not explain" in page.partition("2 · somebody ▲")[2]
    # Of all: 15 of 20, with Wilson's interval 0.531 to 0.888, rounded outwards; p by the binomial test.
    assert "75 % (53–89) of 20 0.0414" in page
    # Ten of ten: 0.722 to 1.
    assert "100 % (72–100)" in page
    links = alice.get(ADDRESS + "?sort=left").content.decode().partition('id="people"')[2]
    assert links.index(f"/people/{left}/") < links.index(f"/people/{even}/")


def test_even_sides_are_said_to_be(alice, study):
    judge(study)
    page = text(alice.get(ADDRESS))
    assert "none favours a side" in page
    assert "for the left, which" not in page


def test_many_answers_are_left_to_a_job_and_the_page_shows_what_it_found_last(alice, study, monkeypatch):
    monkeypatch.setattr(trust, "AT_ONCE", 0)
    judge(study)
    first = alice.get(ADDRESS)
    assert "The figures are being computed." in text(first)
    assert first["Retry-After"] == "3"
    TRUST.compute(study)
    assert "10 answers of 1 person that count" in text(alice.get(ADDRESS))
    judge(study)
    older = text(alice.get(ADDRESS))
    assert "10 answers of 1 person that count" in older
    assert "Judgments have changed since" in older
    TRUST.compute(study)
    assert "20 answers of 2 people that count" in text(alice.get(ADDRESS))


def test_figures_are_shown_though_the_cache_takes_nothing(alice, study, monkeypatch):
    """As where Redis is down: nobody waits for what will never be kept."""
    judge(study)
    monkeypatch.setattr(cached_results.cache, "set", lambda *given, **more: None)
    assert "10 answers of 1 person that count" in text(alice.get(ADDRESS))


def test_times_of_thirds_and_too_fast_ones_stand_there(alice, study):
    """Seconds 0 to 9 in this order; of the texts (21 letters or so) a tenth takes less than 0.2 s: one."""
    judge(study)
    page = text(alice.get(ADDRESS))
    assert "10 0 2.3 4.5 6.8 1.5 8.0 10 % (1–41) of 10" in page


def hasty(study) -> int:
    """A batch by somebody new who answers at once; the texts take a second to read."""
    batch = answering.arrive(invite(study).pk)
    for place in BatchQuestion.objects.filter(assignment=batch):
        answering.record(batch.pk, place.question_id, 1, seconds=0.0)
    answering.submit(batch.pk)
    return batch.assessor_id


def test_answers_faster_than_a_reader_are_told_here_and_under_progress(alice):
    study = staff_of(make_study(pairs=30, challenges=0, batch_pairs=10, batch_challenges=0))
    for _ in range(3):
        hasty(study)
    said = "100 % of the answers came faster than a reader could be."
    assert said in text(alice.get(ADDRESS))
    assert said in text(alice.get("/studies/garden/progress/"))


def test_people_have_the_numbers_of_the_list_of_people(alice):
    """Those of the open link are all called alike."""
    study = staff_of(make_study(pairs=30, challenges=0, batch_pairs=10, batch_challenges=0))
    for _ in range(2):
        judge(study)
    Assessor.objects.update(label="joined by the open link")
    for page in (alice.get(ADDRESS), alice.get("/studies/garden/people/")):
        for number in (1, 2):
            assert f"{number} · joined by the open link" in text(page)
    answering.arrive(invite(study).pk)
    Assessor.objects.update(label="joined by the open link")
    assert "3 · joined by the open link" in text(alice.get("/studies/garden/progress/"))
    assert "3 · joined by the open link" in text(alice.get("/studies/garden/close/"))


def test_the_leaderboards_line_says_what_the_page_says_to_members_alone(alice, monkeypatch):
    study = with_runs(topics=3, runs=3)
    judge_runs(study, 3)
    board, address = (reverse(name, args=[study.slug]) for name in ("leaderboard", "leaderboard-trust"))
    assert f'data-live="{address}"' in alice.get(board).content.decode()
    line = alice.get(address)
    told = " ".join(unescape(strip_tags(line.content.decode())).split())
    page = text(alice.get(reverse("trust", args=[study.slug])))
    said = r"Can the judgments be trusted\? (?:With doubt: )?"
    said += r"(?:(\d+ %) say the same, α ([-−]?[\d.]+); )?([\d,]+) doubtful"
    raw, alpha, doubtful = re.fullmatch(said, told).groups()
    assert (f"α is {alpha}" if alpha else "It cannot be told yet") in page
    assert raw is None or raw in page
    assert "With doubt: " not in told or "With doubt: " in page
    assert ("othing speaks against" if doubtful == "0" else f"{doubtful} of ") in page
    assert alice.get(address, headers={"If-None-Match": line["ETag"]}).status_code == 304
    Membership.objects.create(study=study, user=account("vera"), role=Membership.Role.VIEWER)
    assert address not in logged_in("vera").get(board).content.decode()
    monkeypatch.setattr(trust_line, "objections", lambda *found: ["answers agree too little"])
    assert '<strong class="look">With doubt: ' in alice.get(address).content.decode()
