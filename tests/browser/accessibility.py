"""What every page is held to: axe finds nothing in light or dark, and nothing is wider than the window."""

from collections.abc import Sequence
from typing import Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Scheme = Literal["light", "dark"]


def assert_accessible(page: Page, state: str = "", schemes: Sequence[Scheme] = ("light", "dark")) -> None:
    """Run axe on the page that is open. What leads there is pressed by `follow` or has been waited for."""
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        found = Axe().run(page)
        assert found.violations_count == 0, f"{state}, {page.url}, {scheme}: {found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{state}, {page.url}: {wide} pixels wider than the window"
