"""A HIT in Chromium: our page in a frame of the marketplace's, from another origin, with cookies blocked
there; from accepting it to its being paid.
"""

import pytest
from playwright.sync_api import Frame, expect

from judging.models import Assignment, Judgment, Task
from panels.models import Entry, Payment
from tests.browser.batches import KEYS
from tests.judging.studies import make_study
from tests.panels.at_turk import collect, published
from tests.panels.conftest import point_at
from tests.panels.emulated import mturk

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def market(tmp_path, settings, live_server):
    with mturk(tmp_path / "state") as running:
        point_at(running, settings)
        # Another host than the emulator's site, as for a browser that keeps them apart.
        settings.PUBLIC_URL = live_server.url.replace("localhost", "127.0.0.1")
        yield running


def framed(page) -> Frame:
    """The frame that shows our page."""
    return next(one for one in page.frames if one.name == "task")


def test_3_one_hit_of_13_in_a_frame_without_cookies(market, page):
    study = make_study()
    Task.objects.filter(study=study).update(batch_size=10, batch_challenges=3)
    campaign = published(study)
    refused: list[str] = []
    page.on("console", lambda said: refused.append(said.text) if said.type == "error" else None)
    page.goto(f"{market.site}/mturk/ACHROMIUM/")
    page.get_by_role("button", name="Accept").first.click()
    frame = page.frame_locator("iframe[name=task]")
    expect(frame.get_by_text("2.00 USD")).to_be_visible()
    inside = framed(page)
    assert page.url.startswith(market.site)
    assert inside.url.startswith("http://127.0.0.1")
    frame.get_by_role("button", name="I agree, start judging").click()
    for position in range(1, 14):
        inside.wait_for_function("at => document.body?.dataset.ready === at", arg=str(position))
        if position == 7:
            # Loaded again in the middle: it goes on there.
            page.reload()
            expect(frame.locator("body[data-ready='7']")).to_be_attached()
            inside = framed(page)
            # Keys go to the page around it until the frame is clicked once.
            frame.get_by_role("heading").first.click()
            inside.wait_for_function("at => document.body?.dataset.ready === at", arg=str(position))
        place = Assignment.objects.get().batch.get(position=position)
        key = KEYS["left" if place.shown == "01" or place.role == "counts" else "right"]
        with page.expect_response("**/answer/"):
            inside.locator("body").press(key)
    inside.wait_for_function("at => document.body?.dataset.ready === at", arg="14")
    with page.expect_response("**/submit/"):
        inside.locator("body").press("Enter")
    frame.get_by_role("button", name="Send to the panel").click()
    expect(frame.get_by_text("The HIT has been submitted")).to_be_visible()
    assert page.context.cookies("http://127.0.0.1") == []
    assert [said for said in refused if "Refused" in said or "policy" in said.lower()] == []
    collect(campaign)
    assert Judgment.objects.settled().count() == 10
    assert (Entry.objects.get().state, Payment.objects.get().state) == ("confirmed", "paid")
