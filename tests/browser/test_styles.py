"""The page that shows what the desks are made of: in light, dark and high contrast, wide and narrow."""

from itertools import product

import pytest
from django.conf import settings
from playwright.sync_api import Page, expect

from tests.browser.accessibility import assert_accessible
from tests.judging.organizing import logged_in

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

LOOKS = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
    "forced": {"color_scheme": "dark", "forced_colors": "active"},
}


@pytest.fixture
def styles(page: Page, live_server) -> Page:
    cookie = logged_in("bob").cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
    page.goto(f"{live_server.url}/styles/")
    return page


def test_every_component_fits_and_is_drawn_in_every_look(styles, tmp_path):
    """The pictures are in the test's folder, to be looked at (`--basetemp` says where)."""
    for (look, media), width in product(LOOKS.items(), (1280, 390, 320)):
        styles.emulate_media(**media)
        styles.set_viewport_size({"width": width, "height": 844})
        components = styles.locator("[data-component]")
        assert components.count() >= 20
        for component in components.all():
            name = component.get_attribute("data-component")
            wide = component.evaluate("part => part.getBoundingClientRect().right - innerWidth")
            assert wide <= 0, f"{name} at {width}"
            inner = component.evaluate("part => part.scrollWidth - part.clientWidth")
            assert inner <= 0, f"{name} at {width}"
            markup = component.locator("pre[data-copied]").text_content().strip()
            assert markup.startswith("<"), name
            picture = component.screenshot(path=tmp_path / f"{name}-{look}-{width}.png")
            assert len(set(picture)) > 1
        styles.emulate_media(color_scheme="light", contrast="no-preference", forced_colors="none")


def test_every_component_is_accessible_in_light_and_dark(styles):
    for width in (1280, 390):
        styles.set_viewport_size({"width": width, "height": 844})
        assert_accessible(styles)
    styles.emulate_media(contrast="more")
    assert_accessible(styles)


def test_the_face_is_served_from_here_and_figures_are_as_wide_as_each_other(styles):
    loaded = "document.fonts.ready.then((all) => [...all].filter((one) => one.status === 'loaded').length)"
    assert styles.evaluate(loaded) == 1
    widths = styles.locator("dd").first.evaluate(
        """(dd) => ["111", "888"].map((digits) => {
          dd.textContent = digits;
          const range = document.createRange();
          range.selectNodeContents(dd);
          return range.getBoundingClientRect().width;
        })"""
    )
    assert widths[0] == pytest.approx(widths[1])
    expect(styles.locator(".verdict strong")).to_have_css("font-size", "28px")
