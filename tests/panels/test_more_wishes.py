"""The mail that invited people ask for where nothing waits for them: one, once there is more."""

import pytest

from collection.study import lifecycle
from judging.batches import answering
from judging.models import Question
from judging.verdicts import decisions
from panels import jobs
from panels.local import addresses
from panels.models import Address, Mail
from tests.judging.visiting import Visitor, text_of
from tests.makers import invite
from tests.panels.mailing import load, mail_to

pytestmark = pytest.mark.django_db
ADA, BOB = "ada@example.org", "bob@example.net"
OFFER = "Write to me when there is more"


@pytest.fixture
def waiting(study, office):
    """Ada and Bob, who were invited, and for whom there is nothing."""
    load(study, f"{ADA}, Ada\n{BOB}, Bob")
    mail_to(study)
    jobs.sweep_mails()
    nothing()
    office.mails.clear()
    return [one.assessor for one in Address.objects.order_by("pk")]


def nothing():
    Question.objects.update(wanted=0)


def more():
    Question.objects.update(wanted=5)


def asks(assessor, **ticked) -> str:
    """The page after somebody has pressed Save."""
    visitor, page = Visitor(), f"/i/{assessor.reference}/"
    assert visitor.post(page, {"action": "write"} | ticked).status_code == 303
    return visitor.get(page).content.decode()


def test_one_mail_goes_to_those_who_asked_once_there_is_more(waiting, office):
    ada, _ = waiting
    page = Visitor().get(f"/i/{ada.reference}/")
    assert OFFER in text_of(page)
    assert b"checked" not in page.content
    assert "checked" in asks(ada, write="on")
    jobs.sweep_wishes()
    assert office.to == []
    more()
    for _ in range(2):
        jobs.sweep_wishes()
    assert office.to == [ADA]
    said = office.mails[0][1].get_payload(decode=True).decode()
    assert "Hello Ada," in said
    assert f"/i/{ada.reference}/" in said
    nothing()
    # It is asked for anew, for the next time.
    assert "checked" not in Visitor().get(f"/i/{ada.reference}/").content.decode()


def test_none_goes_where_it_is_taken_back_or_of_no_use(waiting, office, study):
    ada, bob = waiting
    asks(ada, write="on")
    asks(bob, write="on")
    asks(ada)
    decisions.exclude(bob.pk, "spam")
    more()
    jobs.sweep_wishes()
    lifecycle.pause(study.pk)
    asks(ada, write="on")
    jobs.sweep_wishes()
    assert office.to == []


def test_a_mail_that_waits_is_dropped_once_they_have_begun_by_themselves(waiting, office, monkeypatch):
    ada, _ = waiting
    asks(ada, write="on")
    more()
    monkeypatch.setattr("panels.local.mails.send_due", lambda *_: 0)
    jobs.sweep_wishes()
    monkeypatch.undo()
    answering.arrive(ada.pk)
    jobs.sweep_mails()
    assert office.to == []
    assert Mail.objects.get(kind="more").state == Mail.State.DROPPED


def test_it_is_offered_to_nobody_whom_no_mail_reaches(waiting, study, settings):
    ada, bob = waiting
    stranger = invite(study)
    addresses.forget(study, Address.objects.filter(assessor=bob))
    for assessor in (stranger, bob):
        assert OFFER not in asks(assessor, write="on")
    settings.DEFAULT_FROM_EMAIL = ""
    assert OFFER not in asks(ada, write="on")
    assert not Address.objects.filter(more_wished=True).exists()
