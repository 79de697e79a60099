"""What every page is held to: axe finds nothing in light or dark, and nothing is wider than the window."""

from collections.abc import Sequence
from typing import Literal

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

Scheme = Literal["light", "dark"]
# In the second scheme: the rules that look at colors. All others look at what is the same in both.
COLORS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}


def assert_accessible(page: Page, state: str = "", schemes: Sequence[Scheme] = ("light", "dark")) -> None:
    """Run axe on the page that is open. What leads there is pressed by `follow` or has been waited for."""
    page.evaluate(Axe().axe_script)
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        rules = {} if scheme == schemes[0] else {"runOnly": COLORS}
        options = {"resultTypes": ["violations"], **rules}
        found = AxeResults(page.evaluate("options => axe.run(options)", options))
        assert found.violations_count == 0, f"{state}, {page.url}, {scheme}: {found.generate_report()}"
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert wide <= 0, f"{state}, {page.url}: {wide} pixels wider than the window"
