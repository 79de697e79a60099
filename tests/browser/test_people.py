"""The table of people and a person's page in Chromium: by keyboard, on a phone, light and dark, without axe's
complaints.
"""

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from judging.batches import answering, sittings
from judging.people import assessor_stats
from judging.verdicts import pauses
from panels import local
from tests.browser.accessibility import assert_accessible
from tests.judging.organizing import account, judge_batch, staff_of
from tests.judging.studies import make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(page, live_server):
    """People in every state; Alice is logged in."""
    made = staff_of(make_study(batch_pairs=5))
    people = local.invite(made, ["Ada", "Grace", "Katherine with a rather long name", "Dora", "Emmy"])
    judge_batch(people[0])
    answering.arrive(people[1].pk)
    judge_batch(people[2], fail=True)
    sittings.release(answering.arrive(people[3].pk).pk)
    pauses.pause(people[0].pk, "a look at their answers")
    assessor_stats.refresh()
    client = Client()
    client.force_login(account("alice"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    return made


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_and_only_tables_scroll(page, live_server, study, width):
    page.set_viewport_size({"width": width, "height": 844})
    first = study.assessors.earliest("pk")
    for address in ("people/", "people/?state=excluded&sort=-agreement", f"people/{first.pk}/"):
        page.goto(f"{live_server.url}/studies/garden/{address}")
        assert_accessible(page)


def test_on_a_phone_a_person_is_a_block_and_nothing_scrolls_sideways(page, live_server, study):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/studies/garden/people/")
    table = page.get_by_role("region", name="People of this study")
    expect(page.get_by_role("rowheader", name="1 · Ada")).to_be_in_viewport()
    assert table.evaluate("node => node.scrollWidth - node.clientWidth") == 0


def test_on_a_phone_the_first_ten_are_shown_until_all_are_asked_for(page, live_server, study):
    local.invite(study, [f"Friend {n}" for n in range(8)])
    page.goto(f"{live_server.url}/studies/garden/people/")
    shown = page.locator(".first-ten tbody tr").filter(visible=True)
    expect(shown).to_have_count(13)
    expect(page.get_by_label("Show all 13")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(shown).to_have_count(10)
    seconds = page.locator("[data-label=Seconds]").first
    expect(seconds).to_be_hidden()
    page.get_by_label("Show all 13").check()
    page.get_by_label("Show all figures").check()
    expect(shown).to_have_count(13)
    expect(seconds).to_be_visible()


def test_people_are_found_and_sorted_by_the_keyboard(page, live_server, study):
    page.goto(f"{live_server.url}/studies/garden/people/")
    page.get_by_label("Label, number or receipt").focus()
    page.keyboard.type("grace")
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader")).to_have_count(1)
    page.get_by_role("link", name="Show everybody").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("rowheader")).to_have_count(5)
    page.get_by_role("columnheader", name="Batches").get_by_role("link").focus()
    page.keyboard.press("Enter")
    head = page.get_by_role("columnheader", name="Batches")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_role("rowheader").last).to_contain_text("Emmy")


def test_what_is_done_to_those_chosen_is_offered_once_somebody_is_chosen(page, live_server, study):
    page.goto(f"{live_server.url}/studies/garden/people/")
    exclude = page.get_by_role("button", name="Exclude them")
    expect(exclude).to_be_hidden()
    chosen = page.get_by_role("checkbox", name="Choose 2 · Grace")
    chosen.check()
    expect(exclude).to_be_visible()
    chosen.uncheck()
    expect(exclude).to_be_hidden()
