"""Pages that wait for a figure, in Chromium: it arrives without a reload, and without scripts by one."""

import pytest
from django.conf import settings
from django.core.cache import cache
from playwright.sync_api import Page, expect

from scoring.analysis import head_to_head, system_maps
from tests.judging.organizing import logged_in
from tests.scoring.test_leaderboard_pages import judge, with_runs

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
ANSWER = "These runs are rankings, not single answers"


@pytest.fixture
def waits(monkeypatch, live_server):
    """A study whose figures no job computes, and a function that opens a page of it."""
    for module in (head_to_head, system_maps):
        monkeypatch.setattr(module, "AT_ONCE", 0)
    monkeypatch.setattr("web.shared.waiting_pages.nudge_at_most_every", lambda *_: None)
    study = with_runs(topics=4, runs=3)
    judge(study)

    def opened(page: Page, path: str) -> None:
        cookie = logged_in("alice").cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/{path}")

    return study, opened


def test_a_figure_arrives_by_itself_and_the_page_stays(page, waits):
    study, opened = waits
    opened(page, "duels/")
    expect(page.get_by_text("The strengths are being computed.")).to_be_visible()
    expect(page.locator(".waiting svg.empty")).to_be_visible()
    page.evaluate("window.stayed = true")
    # How far it is comes first.
    kind, lease = head_to_head.STRENGTHS, ("lease", study, (study.persistence,))
    cache.set(kind._key(*lease), (1, 4), timeout=60)
    expect(page.get_by_text("1 of 4 topics done.")).to_be_visible()
    cache.delete(kind._key(*lease))
    kind.compute(study, study.persistence)
    expect(page.get_by_text(ANSWER)).to_be_visible()
    expect(page.locator("[data-arrived]")).to_have_text("The figures are here.")
    assert page.locator("[data-waits]").count() == 0
    assert page.evaluate("window.stayed") is True


def test_the_keyboard_stays_in_the_part_that_arrives(page, waits):
    study, opened = waits
    opened(page, "map/")
    page.get_by_label("Distance").focus()
    system_maps.MAPS.compute(study, "rbo")
    expect(page.get_by_role("heading", name="Each run and the run nearest to it")).to_be_visible()
    expect(page.locator("#bench")).to_be_focused()


def test_without_scripts_the_page_reloads(browser, waits):
    study, opened = waits
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    opened(page, "duels/")
    expect(page.get_by_text("The strengths are being computed.")).to_be_visible()
    head_to_head.STRENGTHS.compute(study, study.persistence)
    expect(page.get_by_text(ANSWER)).to_be_visible()
    context.close()
