"""A batch survives a tunnel and a reload in it: answers are kept, and sent once there is a network again."""

import pytest
from playwright.sync_api import expect

from judging.models import Assignment
from tests.browser.batches import answer_from, press, ready, stored

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
# What waits for the network is tried again after some seconds; here at once.
NOW = "dispatchEvent(new Event('online'))"


@pytest.fixture
def phone(browser):
    """A window that may have a service worker, as the `page` of other tests may not."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, service_workers="allow")
    context.set_default_timeout(90_000)
    yield context.new_page()
    context.close()


def kept(page) -> list[str]:
    """Addresses of the pages that the browser has for a time without a network."""
    return page.evaluate(
        "caches.open('faceoff-batch').then((all) => all.keys()).then((all) => all.map((one) => one.url))"
    )


@pytest.fixture
def away(phone, address):
    """The page of a batch with one answer, whose network has gone."""
    phone.goto(address)
    ready(phone, 1)
    phone.evaluate("navigator.serviceWorker.ready.then(() => true)")
    phone.wait_for_function("caches.match(location.pathname).then(Boolean)")
    press(phone, "ArrowLeft")
    ready(phone, 2)
    phone.context.set_offline(True)
    return phone


def test_answers_without_a_network_outlive_a_reload_and_arrive(away):
    away.keyboard.press("ArrowRight")
    ready(away, 3)
    assert away.reload().headers["x-kept"] == "1"
    ready(away, 3)
    assert away.locator("[data-position='2']").get_attribute("data-choice") == "right"
    away.keyboard.press("t")
    ready(away, 4)
    expect(away.locator(".saving")).to_contain_text("No network")
    assert 3 not in stored()
    away.context.set_offline(False)
    away.evaluate(NOW)
    expect(away.locator(".saving")).to_be_empty()
    assert stored() == {1: "left", 2: "right", 3: "tie"}


def test_a_reload_with_a_network_shows_what_the_server_has(away):
    away.context.set_offline(False)
    assert "x-kept" not in away.reload().headers
    ready(away, 2)
    assert stored() == {1: "left"}


def test_nothing_is_left_in_the_browser_once_the_batch_is_sent(away):
    away.context.set_offline(False)
    answer_from(away, 2)
    ready(away, 14)
    away.keyboard.press("Enter")
    expect(away.get_by_role("heading", name="Thank you")).to_be_visible()
    assert Assignment.objects.get().submitted_at
    assert kept(away) == []
    assert away.evaluate("Object.keys(sessionStorage)") == []
    assert away.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)") == 0
