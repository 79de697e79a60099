"""A participant of Prolific in Chromium: from the link, through 13 questions, back there with the code."""

import re

import pytest
from playwright.sync_api import expect

from judging.models import Assignment, Judgment, Task
from panels.models import Entry, Payment
from tests.browser.batches import KEYS
from tests.judging.studies import make_study
from tests.panels.at_prolific import pid, published
from tests.panels.at_turk import collect
from tests.panels.conftest import point_prolific_at
from tests.panels.emulated import prolific

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def market(tmp_path, settings, live_server):
    with prolific(tmp_path / "state") as running:
        point_prolific_at(running, settings)
        settings.PUBLIC_URL = live_server.url.replace("localhost", "127.0.0.1")
        yield running


def test_3_one_participant_from_link_to_code(market, page):
    study = make_study()
    Task.objects.filter(study=study).update(batch_size=10, batch_challenges=3)
    campaign = published(study)
    page.goto(f"{market.url}/prolific/{pid(7)}/")
    page.get_by_role("button", name="Take part").click()
    expect(page.get_by_text("2.00 USD")).to_be_visible()
    assert pid(7) not in page.url  # the address of the page says nothing of who they are
    page.get_by_role("button", name="I agree, start judging").click()
    for position in range(1, 14):
        page.wait_for_function("at => document.body?.dataset.ready === at", arg=str(position))
        place = Assignment.objects.get().batch.get(position=position)
        with page.expect_response("**/answer/"):
            page.keyboard.press(KEYS["left" if place.shown == "01" or place.role == "counts" else "right"])
    page.wait_for_function("at => document.body?.dataset.ready === at", arg="14")
    with page.expect_response("**/submit/"):
        page.keyboard.press("Enter")
    code = campaign.refs["codes"]["completed"]
    expect(page.get_by_text(code)).to_be_visible()
    page.get_by_role("link", name="Go back to the panel").click()
    expect(page).to_have_url(re.compile(rf"{re.escape(market.url)}/submissions/complete\?cc={code}"))
    expect(page.get_by_text("awaiting review")).to_be_visible()
    collect(campaign)
    assert Judgment.objects.settled().count() == 10
    assert (Entry.objects.get().state, Payment.objects.get().state) == ("confirmed", "paid")
    assert market.show("books")["rewards"] == "2.00"
