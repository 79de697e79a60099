"""Going from page to page: a click alone does not wait for the page that it leads to."""

from playwright.sync_api import Locator


def follow(link: Locator, *, key: str = "") -> None:
    """Click a link or a button, or press a key on it, and wait for the page that it leads to."""
    with link.page.expect_navigation():
        if key:
            link.press(key)
        else:
            link.click()
