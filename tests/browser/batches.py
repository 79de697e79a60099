"""Judging in a browser, as tests do it: wait for a question, press a key, read what the ledger holds."""

from collections.abc import Callable

from django.db.models import CharField, QuerySet, Value
from django.db.models.functions import Cast, Concat
from playwright.sync_api import Page, expect

from collection.models import Item
from judging.models import Assignment, Judgment
from judging.tasks.pair import NAMES

KEYS = {"left": "ArrowLeft", "right": "ArrowRight", "tie": "t"}


def ready(page: Page, position: int) -> None:
    """Wait until the question at this position takes an answer; 14 is the page that sends a batch of 13."""
    page.wait_for_function("position => document.body?.dataset.ready === position", arg=str(position))


def tell_all(text: str, items: QuerySet[Item] | None = None) -> None:
    """Give every item, or these, this text and an end of its own: of two that show the same the page asks
    again.
    """
    (Item.objects.all() if items is None else items).update(text=Concat(Value(text), Cast("pk", CharField())))


def look_at_both(page: Page, position: int) -> None:
    """Turn to the other side where one has the whole window, and wait until the question takes an answer."""
    expect(page.locator(f"[data-position='{position}']")).to_be_visible()
    page.wait_for_selector("body.heard")
    page.keyboard.press("s")
    ready(page, position)


def look_at_all(page: Page) -> None:
    """Scroll from item to item of a grid that has more than the window shows."""
    for pick in page.locator(".pick:visible").all():
        pick.scroll_into_view_if_needed()
        # What was in view is told to the page with the next frame.
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def press(page: Page, key: str) -> None:
    """Press a key that answers, and wait until the server has replied."""
    with page.expect_response("**/answer/"):
        page.keyboard.press(key)


def answer_from(page: Page, position: int, last: int = 13, look: Callable[[Page, int], None] = ready) -> None:
    """Answer the questions from one position to another, challenges as expected, others left."""
    batch = {place.position: place for place in Assignment.objects.get().batch.all()}
    for at in range(position, last + 1):
        look(page, at)
        press(page, KEYS["left" if batch[at].shown == "01" or batch[at].role == "counts" else "right"])


def stored() -> dict[int, str]:
    """The answers that stand in the ledger, by position, as the side that was preferred."""
    positions = dict(Assignment.objects.get().batch.values_list("question_id", "position"))
    return {positions[judgment.question_id]: NAMES[judgment.value] for judgment in Judgment.objects.current()}
