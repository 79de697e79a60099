"""States of the judging page that come and go, as axe-core sees them: wide and on a phone, light and dark."""

import pytest
from playwright.sync_api import expect

from judging.batches import answering
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, tell_all
from tests.judging.studies import give_pictures, invite, make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.mark.parametrize("width", [1280, 390])
def test_every_state_of_a_pair_is_accessible(browser, live_server, settings, tmp_path, width):
    """Levels, each chosen; instructions and keys over them; time running out; pictures late and missing."""
    settings.MEDIA_ROOT = tmp_path
    study = make_study(instructions="Prefer the plant that lives.\n\n" * 60)
    study.tasks.update(scale="5")
    tell_all("A long passage. " * 300)
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.clock.install()

    def address() -> str:
        assessor = invite(study)
        answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    page.goto(passages := address())
    page.wait_for_selector("body.heard")
    assert_accessible(page, "one side in view on a phone")
    page.keyboard.press("s")
    ready(page, 1)
    assert_accessible(page, "five levels")
    for key, name in (("i", "What you do"), ("?", "Keys")):
        page.keyboard.press(key)
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        assert_accessible(page, name)
        page.keyboard.press("Escape")
    for position, key in enumerate("135", 1):
        ready(page, position)
        press(page, key)
        page.goto(f"{passages}?at={position}")
        ready(page, position)
        assert_accessible(page, f"looking back at {key}")
        page.keyboard.press("Enter")
        expect(page.locator(f"[data-position='{position + 1}']")).to_be_visible()
        # On a phone one side is in view, and an answer is taken once both were.
        page.keyboard.press("s")
    page.clock.run_for(52 * 60_000)
    expect(page.locator(".late:visible")).to_be_visible()
    assert_accessible(page, "time running out")
    give_pictures(study)
    held = []
    page.route("**/image/**", lambda route: held.append(route))
    page.goto(address(), wait_until="commit")
    expect(page.locator(".choice[aria-disabled]:visible")).to_have_count(5)
    assert_accessible(page, "pictures on their way")
    for route in held:
        route.abort()
    expect(page.locator(".missing:visible")).to_have_count(2)
    assert_accessible(page, "pictures missing")
    context.close()
