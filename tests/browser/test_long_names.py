"""Names of 200 characters without a blank fit a phone and a window at 400 %, on every page."""

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from judging.batches import answering
from tests.browser.batches import ready
from tests.browser.test_organizer_pages import log_in
from tests.makers import invite
from tests.web.hostile_names import make_hostile_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"
PHONE = {"width": 390, "height": 844}
# A laptop's window of 1,280 by 1,024 at 400 %.
AT_400_PERCENT = {"width": 320, "height": 256}
# What the keyboard reaches, but a part of the page that stays where it is covers.
COVERED = """() => {
  const stays = (one) => one && (
    ["sticky", "fixed"].includes(getComputedStyle(one).position) ? one : stays(one.parentElement));
  return [...document.querySelectorAll("a[href], button, input, select, summary, textarea")].filter((one) => {
    one.focus();
    const box = one.getClientRects()[0];
    if (document.activeElement !== one || !box || box.top < 0 || box.left < 0) return false;
    const across = box.left + Math.min(box.width / 2, 20);
    const met = stays(document.elementFromPoint(across, box.top + box.height / 2));
    return met && !met.contains(one);
  }).map((one) => one.innerText || one.name);
}"""


@pytest.fixture
def study():
    return make_hostile_study()


@pytest.fixture
def phone(page):
    page.set_viewport_size(PHONE)
    # Some rules are for fingers alone.
    page.context.new_cdp_session(page).send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    return page


def test_pages_of_a_study_fit_a_phone_and_a_window_at_400_percent(phone, live_server, study):
    log_in(phone, live_server)
    home = f"{live_server.url}/studies/{study.slug}/"
    met, waiting, wide, covered = {}, [home], [], {}
    while waiting:
        link = waiting.pop()
        # One page of each kind.
        kind = "".join("0" if letter.isdigit() else letter for letter in urlsplit(link).path)
        if kind in met or not kind.endswith("/"):
            continue
        met[kind] = phone.goto(link).status
        if phone.evaluate(TOO_WIDE):
            wide.append(link)
        phone.set_viewport_size(AT_400_PERCENT)
        if phone.evaluate(TOO_WIDE):
            wide.append(f"{link} at 400 %")
        if found := phone.evaluate(COVERED):
            covered[link] = found
        phone.set_viewport_size(PHONE)
        links = phone.evaluate("[...document.links].map((link) => link.href.split('#')[0])")
        waiting += [link for link in links if link.startswith(home)]
    assert len(met) > 40
    assert set(met.values()) == {200}
    assert wide == []
    assert covered == {}


def test_a_question_is_as_wide_as_a_phone(phone, live_server, study):
    person = invite(study)
    home = f"{live_server.url}/i/{person.reference}/"
    phone.goto(home)
    expect(phone.get_by_role("button", name="I agree")).to_be_visible()
    assert not phone.evaluate(TOO_WIDE)
    answering.arrive(person.pk)
    phone.goto(home)
    ready(phone, 1)
    assert not phone.evaluate(TOO_WIDE)
