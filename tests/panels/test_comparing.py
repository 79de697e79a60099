"""*Sync with the panel now* on a campaign's page: a job does it, and the page says how far it is and what
came of it.
"""

import re

import pytest
from django.urls import reverse

from collection.models import Membership
from config import task_queue
from panels import jobs
from panels.base import Unavailable, marketplace
from panels.participants import participations
from tests.judging.organizing import logged_in
from tests.judging.visiting import text_of
from tests.panels.at_turk import Turker, published, shift

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def alice(study):
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    return client


@pytest.fixture
def campaign(study, market):
    """A HIT that was sent at the marketplace, and not seen here yet."""
    made = published(study)
    Turker(market).do()
    return made


@pytest.fixture
def asked(monkeypatch):
    """The jobs that a page asks for, which are not done."""
    found = []
    monkeypatch.setattr(task_queue._gatherer, "add", lambda task, pk, seconds: found.append((task.name, pk)))
    return found


def page_of(campaign) -> str:
    return reverse("campaign", args=["garden", campaign.pk])


def counts(alice, campaign) -> str:
    return text_of(alice.get(reverse("campaign-counts", args=["garden", campaign.pk])))


def press(alice, campaign, capture) -> str:
    with capture(execute=True):
        return text_of(alice.post(page_of(campaign), {"action": "collect"}, follow=True))


def test_page_answers_at_once_says_that_it_goes_on_and_then_what_was_found(
    campaign, alice, asked, settings, django_capture_on_commit_callbacks
):
    settings.GATHER_SECONDS = 0.1
    assert "Comparing with the panel since" in press(alice, campaign, django_capture_on_commit_callbacks)
    assert asked == [("panels.jobs.compare", campaign.pk)]
    said = press(alice, campaign, django_capture_on_commit_callbacks)
    assert "It is being compared already" in said
    assert len(asked) == 1
    assert campaign.entries.get().state == "done"
    jobs.compare([campaign.pk])
    assert re.search(
        r"Compared as you asked, \d\d \w+, \d\d:\d\d UTC: 1 change found\.", counts(alice, campaign)
    )
    assert "Comparing" not in counts(alice, campaign)
    assert campaign.entries.get().state == "confirmed"


def test_how_far_it_is_stands_on_the_page(campaign, alice, monkeypatch):
    told = []

    def survey(_):
        seen = list(real(campaign))
        for _ in range(60):
            yield from seen
            told.append(counts(alice, campaign))

    real = marketplace("mturk").survey
    monkeypatch.setattr(marketplace("mturk"), "survey", survey)
    participations.ask(campaign)
    participations.answer(campaign)
    assert "0 lines of its list read" in told[0]
    assert "25 lines of its list read" in told[30]
    assert "50 lines of its list read" in told[55]


def test_panel_that_cannot_be_asked_and_a_fault_end_it_with_a_sentence(campaign, alice, monkeypatch):
    for error, said in (
        (Unavailable("It is down."), "could not be asked: It is down."),
        (KeyError(), "log says"),
    ):

        def survey(_, error=error):
            raise error

        monkeypatch.setattr(marketplace("mturk"), "survey", survey)
        assert participations.ask(campaign)
        jobs.compare([campaign.pk])
        assert said in counts(alice, campaign)


def test_job_that_was_lost_with_its_process_can_be_asked_for_again(campaign, monkeypatch):
    assert participations.ask(campaign)
    assert not participations.ask(campaign)
    shift(monkeypatch, minutes=11)
    assert participations.ask(campaign)
