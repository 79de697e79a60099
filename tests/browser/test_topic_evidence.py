"""The page of a topic in Chromium: light and dark, wide and narrow, by keyboard, with long names; axe finds
nothing.
"""

import re

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from collection.models import Run, Topic
from scoring import jobs
from tests.browser.accessibility import assert_accessible
from tests.judging.organizing import account
from tests.makers import add_items, add_run, finish, whim
from tests.scoring.test_leaderboard_pages import with_runs

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# What makes a page scroll sideways, if anything does.
WIDE = """document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("main *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth).map((one) => one.outerHTML.slice(0, 80))"""
LONG = "a_very_long_name_of_a_run_without_any_blank"


@pytest.fixture
def topic(page, live_server):
    """Judged by whim to its end, one docno unbreakable; four runs. Bob, a coordinator, reads."""
    study = with_runs(topics=1, runs=3)
    topic = Topic.objects.get()
    add_items(topic, {"d" * 90: 0.0})
    add_run(study, LONG, {topic.name: ["d" * 90, f"{topic.name}-b", f"{topic.name}-a"]})
    finish(study, choose=whim)
    jobs.sweep()
    client = Client()
    client.force_login(account("bob"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    return topic


@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing_and_only_tables_scroll(page, live_server, topic, width):
    page.set_viewport_size({"width": width, "height": 844})
    of = f"{live_server.url}/studies/{topic.study.slug}"
    asked = "&".join(f"run={pk}" for pk in Run.objects.order_by("-pk").values_list("pk", flat=True)[:3])
    first, second = topic.items.order_by("pk")[:2]
    for address in (
        f"/topics/{topic.pk}/?{asked}",
        f"/topics/{topic.pk}/judgments/",
        f"/topics/{topic.pk}/judgments/?a={first.pk}&b={second.pk}",
        f"/data/items/{first.pk}/",
    ):
        page.goto(of + address)
        page.evaluate("for (const fold of document.querySelectorAll('.bench details')) fold.open = true")
        page.wait_for_load_state("networkidle")
        assert_accessible(page)
        wide = page.evaluate(WIDE)
        assert not wide, f"{address} is too wide: {wide}"
    assert page.evaluate("[...document.images].every((image) => image.naturalWidth > 0)")


@pytest.mark.parametrize("width", [1280, 390])
def test_each_candidate_shows_its_first_words_and_its_whole_docno(page, live_server, topic, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{live_server.url}/studies/{topic.study.slug}/topics/{topic.pk}/")
    items = page.get_by_role("region", name="Candidates", exact=True).locator(".item")
    assert items.count() >= 5
    for item in items.all():
        assert item.locator(".text").bounding_box()["width"] >= 150
        docno = item.locator(".docno")
        assert docno.bounding_box()["width"] > 20
        assert docno.evaluate("(one) => one.scrollWidth <= one.clientWidth || !one.clientWidth")


@pytest.mark.parametrize(
    "address",
    [
        "#graph",
        "#ideal",
        "#rounds",
        "#runs",
        "?part=1#graph",
        "?run=#ideal",
        "?whole=round-1#round-1",
        "?page=1#runs",
    ],
)
def test_a_fold_opens_when_an_address_points_into_it(page, live_server, topic, address):
    page.goto(f"{live_server.url}/studies/{topic.study.slug}/topics/{topic.pk}/{address}")
    expect(page.locator(":target")).to_be_visible()
    assert page.locator(".bench details.fold[open]").count() == 1


def test_the_drawing_is_there_and_runs_are_chosen_by_keyboard(page, live_server, topic):
    page.goto(f"{live_server.url}/studies/{topic.study.slug}/topics/{topic.pk}/")
    page.locator("summary", has_text="Preference graph").press("Enter")
    drawing = page.get_by_role("img", name="Preference graph")
    drawing.scroll_into_view_if_needed()
    page.wait_for_function("[...document.images].some((i) => i.alt.includes('graph') && i.naturalWidth > 0)")
    page.locator("summary", has_text="beside the ideal ranking").press("Enter")
    page.get_by_label("Run", exact=True).focus()
    page.keyboard.type(LONG[:12])
    page.get_by_role("button", name="Show").press("Enter")
    page.get_by_role("heading", name=f"{LONG} 0.").wait_for()
    assert page.url.endswith("#ideal")
    # From an item of the run to its place in the ideal ranking.
    page.get_by_role("link", name="ideal 1", exact=True).first.press("Enter")
    expect(page.locator("td:target")).to_have_count(1)


def test_a_pairs_judgments_and_an_item_are_opened_from_the_rounds(page, live_server, topic):
    page.goto(f"{live_server.url}/studies/{topic.study.slug}/topics/{topic.pk}/#rounds")
    page.get_by_role("link", name="Judgments of ").first.press("Enter")
    page.get_by_role("heading", name="Judgments of ").wait_for()
    link = page.get_by_role("region", name="Judgments").get_by_role("link").first
    docno = page.locator("tr[data-judgment] th").first.get_attribute("title")
    link.press("Enter")
    page.get_by_role("heading", name=docno).wait_for()
    assert f"Text of {docno}" in page.inner_text("main")


def test_judgments_of_one_day_say_it_once(page, live_server, topic):
    page.goto(f"{live_server.url}/studies/{topic.study.slug}/topics/{topic.pk}/judgments/")
    expect(page.locator("[data-day]")).to_have_text(re.compile(r"^All on \w+ \w+$"))
    times = page.locator("[data-days] time").all_text_contents()
    assert times
    assert all(re.fullmatch(r"\d\d:\d\d", said) for said in times)

    def with_another_day(route):
        answer = route.fetch()
        body = re.sub(
            r'(<time datetime=")[\d-]+(T[^"]*" data-short)', r"\g<1>2001-02-03\2", answer.text(), count=1
        )
        route.fulfill(response=answer, body=body)

    page.route("**/judgments/", with_another_day)
    page.reload()
    expect(page.locator("[data-days] time").first).to_have_text(re.compile(r"^\w+ \w+, \d\d:\d\d$"))
    expect(page.locator("[data-day]")).to_be_hidden()
