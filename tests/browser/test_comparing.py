"""Pages that compare runs in Chromium: by keyboard, on a phone, light and dark, with long names; axe finds
nothing.
"""

import re
from itertools import product

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from collection.models import Item, Run, Topic
from scoring import jobs
from tests.browser.accessibility import assert_accessible
from tests.browser.navigation import follow
from tests.judging.organizing import account
from tests.makers import add_run, finish
from tests.scoring.test_leaderboard_pages import with_runs

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study(page, live_server):
    """Judged to its end; sixteen runs, most with names that nothing breaks. Bob, a coordinator, reads."""
    study = with_runs(topics=3, runs=3)
    finish(study)
    rankings = {
        topic.name: list(topic.items.order_by("-docno").values_list("docno", flat=True))
        for topic in Topic.objects.all()
    }
    for n in range(13):
        turned = {topic: docnos[n % 4 :] for topic, docnos in rankings.items()}
        add_run(study, f"a_very_long_name_of_a_run_without_any_blank_{n}", turned)
    jobs.sweep()
    client = Client()
    client.force_login(account("bob"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    return study


def test_axe_finds_nothing_and_only_tables_scroll(page, live_server, study):
    chosen, topic = "compare/?topics=all&measure=compatibility", Topic.objects.first().pk
    for address, width in product(
        ("compare/", "pairs/", "measures/", "topics/?sort=apart", "topics/?topic={topic}", chosen),
        (1280, 390),
    ):
        page.set_viewport_size({"width": width, "height": 844})
        page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/{address.format(topic=topic)}")
        assert_accessible(page)


def test_the_nearest_run_of_each_is_named_in_one_line(page, live_server, study):
    """One long name takes no room from the others. One run is far from all others, so that bars are drawn."""
    backwards = {
        topic.name: list(topic.items.order_by("docno").values_list("docno", flat=True))
        for topic in Topic.objects.all()
    }
    add_run(study, "backwards", backwards)
    Run.objects.filter(name="run-0").update(name="a_very_long_name_of_a_run_without_any_blank")
    for place, run in enumerate(Run.objects.order_by("pk")[1:]):
        Run.objects.filter(pk=run.pk).update(name=f"hybrid-convex-{place:02}")
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/map/")
    rows = page.get_by_role("region", name="Each run and the run nearest to it").locator("tbody tr")
    rows.locator(".plot").first.wait_for()
    heights = rows.evaluate_all("rows => rows.map(row => row.offsetHeight)")
    assert sorted(heights)[-3] < 36  # that run, and the one whose nearest it is


def test_in_the_dark_what_is_not_told_apart_is_no_brighter_than_what_is(page, live_server, study):
    page.emulate_media(color_scheme="dark")
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/pairs/")
    brightness = """side => {
        const made = (strong) => {
            const one = document.querySelector(".key").appendChild(document.createElement("i"));
            one.className = `swatch ${side} ${strong}`;
            const style = getComputedStyle(one);
            const said = style.backgroundImage === "none" ? style.backgroundColor : style.backgroundImage;
            // Of a hatched cell the half that is hatched, and the half that is ground.
            const colours = [...said.matchAll(/color\\(srgb ([^)/]+)\\)|rgb\\(([^)]+)\\)/g)].map((found) =>
                found[1] ? found[1].split(" ").map((part) => 255 * part) : found[2].split(",").map(Number));
            return colours.flat().reduce((sum, part) => sum + part, 0) / colours.length;
        };
        return [made(""), ...["", "s2", "s3", "s4"].map((strong) => made(`${strong} unsure`))];
    }"""
    for side in ("up", "down"):
        palest, *hatched = page.evaluate(brightness, side)
        assert 0 < max(hatched) <= palest


def test_words_stand_apart_from_what_is_below_and_beside_them(page, live_server, study):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/studies/{study.slug}/topics/")
    state, below = page.locator(".live-state").bounding_box(), page.locator(".verdict").first.bounding_box()
    assert below["y"] - state["y"] - state["height"] >= 8
    page.set_viewport_size({"width": 1280, "height": 844})
    page.goto(f"{live_server.url}/studies/{study.slug}/data/items/{Item.objects.earliest('pk').pk}/")
    rule, said = page.locator(".sheet-of").bounding_box(), page.locator(".sheet-of .set").bounding_box()
    assert said["x"] - rule["x"] <= 20


def test_two_runs_are_chosen_and_a_topic_is_opened_by_keyboard_alone(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/")
    follow(page.get_by_role("link", name="Two runs"), key="Enter")
    page.get_by_label("Run", exact=True).focus()
    page.keyboard.type("run-0")
    page.keyboard.press("Tab")
    page.keyboard.type("run-2")
    page.get_by_role("search", name="Measure and topics").get_by_role("button", name="Show").press("Enter")
    page.get_by_role("heading", name="run-0 against run-2").wait_for()
    runs = dict(Run.objects.values_list("name", "pk"))
    assert f"a={runs['run-0']}&b={runs['run-2']}" in page.url
    page.locator("summary", has_text="Both scores").press("Enter")
    page.get_by_role("region", name="Differences by topic").get_by_role("link").first.press("Enter")
    page.wait_for_url(re.compile(rf"/topics/\d+/\?run={runs['run-0']}&run={runs['run-2']}&"))
    assert page.get_by_label("Run", exact=True).input_value() == str(runs["run-0"])


def test_a_topic_opens_beside_the_scores_and_esc_leads_back(page, live_server, study):
    """Its state stands in the address, so that the way back opens it again."""
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/topics/?sort=hard")
    link = page.get_by_role("link", name="t2", exact=True)
    link.press("Enter")
    drawer = page.locator(".drawer")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    # Beside the table, whether the runs are folded or not, and nothing moves.
    for _ in range(2):
        expect(drawer).to_be_visible()
        box = drawer.bounding_box()
        assert box is not None
        assert (0 < box["y"] < 300, page.evaluate("scrollY")) == (True, 0)
        page.evaluate("document.querySelector('.rail').toggleAttribute('open')")
    opened = page.url
    assert opened.endswith(f"?sort=hard&topic={Topic.objects.get(name='t2').pk}")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(link).to_be_focused()
    assert "topic=" not in page.url
    page.go_back()
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    assert page.url == opened
    page.set_viewport_size({"width": 390, "height": 844})
    assert_accessible(page, "drawer")
    drawer.get_by_role("link", name="Close").press("Enter")
    expect(link).to_be_focused()


def test_a_cell_opens_its_topic_with_its_run_by_pointer_and_by_keyboard(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/topics/?columns=name&sort=name")
    run, topic = Run.objects.order_by("name").last(), Topic.objects.get(name="t2")
    row = page.locator("tbody tr").filter(has=page.get_by_role("link", name="t2", exact=True))
    cell, drawer = row.locator("td").last, page.locator(".drawer")
    cell.click()
    shown = drawer.locator("tbody tr").first
    expect(shown.locator("strong")).to_have_text(run.name)
    assert page.url.endswith(f"topic={topic.pk}&of={run.pk}")
    expect(cell).to_have_attribute("aria-current", "true")
    page.reload()
    expect(shown.locator("strong")).to_have_text(run.name)
    expect(cell).to_have_attribute("aria-current", "true")
    page.keyboard.press("Escape")
    expect(drawer).to_have_count(0)
    expect(page.locator("td[aria-current]")).to_have_count(0)
    assert "of=" not in page.url
    cell.press("ArrowLeft")
    beside = row.locator("td").nth(-2)
    expect(beside).to_be_focused()
    beside.press("Enter")
    expect(shown.locator("strong")).not_to_have_text(run.name)
    page.keyboard.press("Escape")
    expect(beside).to_be_focused()


def test_a_cell_keeps_its_colour_when_the_focus_has_left(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/topics/")
    cell = page.locator(".dense tbody tr").first.locator("td").last
    colour = "cell => getComputedStyle(cell).color"
    before = cell.evaluate(colour)
    cell.focus()
    page.locator("h1").click()
    assert cell.evaluate(colour) == before


def test_all_pairs_stand_whole_on_the_page_below_heads_as_high_as_their_names(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/pairs/")
    sheet = page.locator(".sheet:has(.dense)")
    assert sheet.evaluate("sheet => sheet.scrollHeight - sheet.clientHeight") == 0
    sheet.locator("thead .said-run").evaluate_all(
        "names => names.forEach((name) => (name.textContent = 'bm25'))"
    )
    assert sheet.locator("thead").bounding_box()["height"] < 100


def test_a_pair_of_a_round_takes_one_line(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/topics/{Topic.objects.first().pk}/")
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 844})
        pairs = page.locator(".pairs li")
        assert pairs.count() > 3
        assert pairs.evaluate_all("all => Math.max(...all.map((one) => one.offsetHeight))") < 40


def test_two_texts_of_a_pair_take_the_width_of_the_page(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/topics/{Topic.objects.first().pk}/")
    page.goto(live_server.url + page.locator(".pairs a").first.get_attribute("href"))
    assert page.locator(".bench > .sides").bounding_box()["width"] > 1200
    lines = page.locator(".subject .text").first.evaluate(
        "text => parseFloat(getComputedStyle(text).maxHeight) / parseFloat(getComputedStyle(text).lineHeight)"
    )
    assert lines >= 20


def test_a_drawer_says_at_once_that_it_loads(page, live_server, study):
    """With the topic's text and a way back; one that was closed meanwhile stays closed."""
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/topics/")
    held = []
    page.route("**/*part=drawer*", lambda route: held.append(route))
    link = page.get_by_role("link", name="t2", exact=True)
    with page.expect_request("**/*part=drawer*"):
        link.press("Enter")
    drawer = page.locator(".drawer")
    expect(drawer).to_have_attribute("aria-busy", "true")
    expect(drawer.get_by_role("heading", level=2)).to_be_focused()
    expect(drawer.get_by_role("heading", level=2)).to_have_text(Topic.objects.get(name="t2").text)
    assert_accessible(page, "loading drawer")
    page.keyboard.press("Escape")
    expect(link).to_be_focused()
    with page.expect_response("**/*part=drawer*"):
        held[0].continue_()
    expect(drawer).to_have_count(0)
    with page.expect_request("**/*part=drawer*"):
        link.press("Enter")
    expect(drawer).to_have_attribute("aria-busy", "true")
    at = drawer.bounding_box()
    held[1].continue_()
    expect(drawer.get_by_role("heading", name="Preference graph")).to_be_visible()
    expect(drawer).to_have_count(1)
    expect(drawer).not_to_have_attribute("aria-busy", "true")
    assert drawer.bounding_box() == at


@pytest.mark.parametrize("path", ["topics", "pairs"])
def test_cells_and_heads_are_large_enough_for_a_finger(page, live_server, study, path):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/{path}/")
    page.locator(".dense").evaluate("table => table.classList.replace('few', 'many')")
    boxes = page.locator(".dense :is(td:has(> a), th[scope=col] > a)").evaluate_all(
        "all => all.filter((one) => one.offsetWidth).map((one) => one.getBoundingClientRect().toJSON())"
    )
    assert len(boxes) > 5
    assert all(min(box["width"], box["height"]) >= 24 for box in boxes)


def test_arrow_keys_go_from_cell_to_cell_and_each_says_what_it_is_of(page, live_server, study):
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/pairs/")
    names = page.locator(".dense thead a").evaluate_all("all => all.map((one) => one.title)")
    rows = page.locator(".dense tbody tr")
    rows.nth(0).locator("td:has(a)").nth(0).locator("a").focus()
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
    cell = rows.nth(1).locator("td:not(.figure)").nth(2)
    expect(cell.locator("a")).to_be_focused()
    said = cell.locator(".number").evaluate("one => getComputedStyle(one, '::before').content")
    assert said.strip('"') == f"{names[1]}, {names[2]}: "
    expect(page.locator(".dense .lit")).to_have_count(2)
    # One stop of the Tab key: the next one is beyond the table.
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('td')")
    page.keyboard.press("Shift+Tab")
    expect(cell.locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/leaderboard/compare/?**")
