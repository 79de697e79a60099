"""Nobody begins a batch by a form that does not say which texts they agreed to."""

import pytest

from judging.models import Assignment
from tests.judging.studies import invite, make_study
from tests.judging.test_desk_pages import seated
from tests.judging.visiting import Visitor, agreeing, begin, text_of
from tests.panels.campaigning import Sent, link_address, running

pytestmark = pytest.mark.django_db
SAID = "You have not begun yet."


@pytest.fixture
def study():
    return make_study()


def by_link(study):
    return Visitor(), f"/i/{invite(study).reference}/"


def by_account(study):
    return seated(study), f"/desk/{study.slug}/judge/?topic={study.topics.latest('pk').pk}"


def by_panel(study):
    person = Sent(link_address(running(study)))
    return person.client, person.home


@pytest.mark.parametrize("way", [by_link, by_account, by_panel])
@pytest.mark.parametrize("named", [{}, {"task": "1"}, {"task": "x", "version": "1"}])
def test_they_are_sent_back_to_the_page_that_shows_them_and_it_says_so(study, way, named):
    browser, address = way(study)
    reply = browser.post(address, {"action": "begin"} | named)
    assert reply.status_code == 303
    assert not Assignment.objects.exists()
    page = text_of(browser.get(reply["Location"]))
    assert SAID in page
    assert "I agree, start judging" in page
    assert SAID not in text_of(browser.get(address))
    assert browser.post(address, agreeing(study)).status_code == 303
    assert Assignment.objects.filter(version=1).count() == 1


def test_an_open_batch_goes_on_without_them(study):
    browser, address = by_link(study)
    batch = begin(browser, address)
    assert browser.post(address, {"action": "begin"})["Location"] == address
    assert Assignment.objects.get() == batch
