"""Figures and the history's stepper in Chromium: what is drawn is loaded, fits, follows the scheme, and the
slider shows other standings by the keyboard, with scripts and without.
"""

from itertools import product

import pytest
from django.conf import settings
from playwright.sync_api import expect

from scoring.board import standings
from tests.judging.organizing import logged_in
from tests.scoring.test_leaderboard_pages import judge, with_runs

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
DRAWN = "image => image.complete && image.naturalWidth"


@pytest.fixture
def study():
    """Four topics and three runs, with a standing after each of three batches."""
    study = with_runs(topics=4, runs=3)
    for _ in range(3):
        judge(study)
        standings.write(study)
    return study


def opened(context, live_server, study, path: str):
    cookie = logged_in("alice").cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    page = context.new_page()
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/{path}")
    return page


def test_every_figure_is_drawn_in_the_form_that_fits(browser, live_server, study):
    forms = ((1280, "light", 720, False), (1280, "dark", 720, True), (390, "dark", 350, True))
    for path, (width, scheme, drawn, dark) in product(("measures/", "compare/", "map/", "history/"), forms):
        context = browser.new_context(viewport={"width": width, "height": 844}, color_scheme=scheme)
        page = opened(context, live_server, study, path)
        refused: list[str] = []
        page.on("console", lambda message, to=refused: to.append(message.text))
        images = page.locator(".plotted img")
        assert images.count() == (2 if path == "map/" else 1)
        for image in images.all():
            image.scroll_into_view_if_needed()
            page.wait_for_function("image => image.complete", arg=image.element_handle())
            assert image.evaluate(DRAWN) == drawn
            assert ("theme=dark" in image.evaluate("image => image.currentSrc")) == dark
            assert image.bounding_box()["width"] <= width
        if width == 1280 and path in ("compare/", "history/"):
            # Beside the open rail its words can still be read.
            page.locator(".rail:not([open]) summary").click()
            assert images.first.bounding_box()["width"] > 560
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert refused == []
        context.close()


def test_the_slider_shows_other_standings_by_the_keyboard_without_leaving_the_page(
    browser, live_server, study
):
    context = browser.new_context()
    page = opened(context, live_server, study, "history/")
    page.evaluate("window.stayed = true")
    slider = page.get_by_role("slider", name="Standing")
    last = int(slider.get_attribute("max"))
    shown = page.locator("[data-replay]")
    expect(shown).to_contain_text(f"{last} of {last}")
    slider.focus()
    page.keyboard.press("Home")
    expect(shown).to_contain_text(f"1 of {last}")
    page.keyboard.press("ArrowRight")
    expect(shown).to_contain_text(f"2 of {last}")
    expect(slider).to_be_focused()
    assert page.evaluate("window.stayed") is True
    assert "step=2" in page.url
    page.get_by_role("link", name="Previous").click()
    expect(shown).to_contain_text(f"1 of {last}")
    context.close()


def test_without_scripts_the_button_and_the_links_do_the_same(browser, live_server, study):
    context = browser.new_context(java_script_enabled=False)
    page = opened(context, live_server, study, "history/")
    slider = page.get_by_role("slider", name="Standing")
    last = int(slider.get_attribute("max"))
    slider.focus()
    page.keyboard.press("Home")
    page.get_by_role("region", name="Replay").get_by_role("button", name="Show").click()
    expect(page.locator("[data-replay]")).to_contain_text(f"1 of {last}")
    page.get_by_role("link", name="Next").click()
    expect(page.locator("[data-replay]")).to_contain_text(f"2 of {last}")
    context.close()
