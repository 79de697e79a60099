"""A leaderboard of many runs: found, sorted, pinned and grouped while it moves; printed on one sheet."""

import re
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from playwright.sync_api import expect

from collection.models import Run, Study, Topic
from scoring.board import standings
from scoring.models import StoredScores
from scoring.scores.score_rows import TopicScores, columns
from scoring.scores.stored_measures import USUAL
from tests.browser.accessibility import assert_accessible
from tests.browser.navigation import follow
from tests.judging.organizing import logged_in, staff_of
from tests.makers import make_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


# Few runs take no search field: these are further ones.
YEWS = [f"yew-{n}" for n in range(4)]


def study_of(names: list[str], topics: int = 3) -> Study:
    """A study of so many topics whose runs are scored: the first named has the highest PGC and the lowest
    compatibility.
    """
    study = staff_of(make_study(topics=topics))
    runs = [Run.objects.create(study=study, name=name) for name in names]
    for place, topic in enumerate(Topic.objects.filter(study=study)):
        rising = [(n + 1 + place / 10) / (len(names) + 1) for n in range(len(names))]
        values = [rising[::-1] if measure == "pgc" else rising for measure, _ in columns(USUAL)]
        scores = TopicScores(columns(USUAL), [run.pk for run in runs], values)
        StoredScores.objects.create(topic=topic, judgments=5, **scores.packed())
    standings.write(study)
    return study


@pytest.fixture
def opened(page, live_server):
    """Open a study's leaderboard, with a query."""

    def show(study: Study, query: str = ""):
        cookie = logged_in("bob").cookies[settings.SESSION_COOKIE_NAME]
        page.context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": live_server.url}])
        page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/{query}")
        expect(page.get_by_role("button", name="Rank")).to_be_visible()
        return page

    return show


def shown(page) -> list[str]:
    """Names of the runs that are shown, in order, yews left out."""
    names = page.locator("[data-board] tbody tr:visible .run a").all_text_contents()
    return [name for name in names if name not in YEWS]


def test_the_question_for_a_baseline_covers_nothing(opened, page, live_server):
    opened(study_of(["of-a-team-with-a-long-name-its-first-run-of-all-runs-1", "elm-1", "elm-2", *YEWS]))
    # An organizer is asked which run is in use; bob, who watches, is not.
    expect(page.locator(".in-use")).to_have_count(0)
    alice = logged_in("alice").cookies[settings.SESSION_COOKIE_NAME]
    page.context.add_cookies([{"name": alice.key, "value": alice.value, "url": live_server.url}])
    page.reload()
    expect(page.locator(".in-use")).to_be_visible()
    for width in (1920, 1440, 1280, 1200, 1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        for part in (".answer", ".far", "[data-board-tools]", "[data-trust]", "[data-board]"):
            covered = page.locator(part).first.evaluate(
                """part => {
                    const asks = document.querySelector(".in-use");
                    const [a, b] = [part, asks].map(one => one.getBoundingClientRect());
                    return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
                }"""
            )
            assert not covered, (part, width)
    # On a phone it comes after the board, and what is said of trust takes its lines alone.
    asks, board = page.locator(".in-use").bounding_box(), page.locator("[data-board-part]").bounding_box()
    assert 0 < asks["y"] - board["y"] - board["height"] < 30
    assert page.locator("[data-trust]").bounding_box()["height"] < 80


def test_runs_are_found_sorted_and_pinned_with_the_keyboard(opened):
    page = opened(study_of(["oak-1", "elm-1", "oak-2", "elm-2", *YEWS]))
    assert shown(page) == ["oak-1", "elm-1", "oak-2", "elm-2"]
    page.get_by_role("button", name="Mean compatibility").press("Enter")
    assert shown(page) == ["elm-2", "oak-2", "elm-1", "oak-1"]
    head = page.get_by_role("columnheader", name="Mean compatibility")
    expect(head).to_have_attribute("aria-sort", "descending")
    expect(page.get_by_role("button", name="Mean compatibility")).to_be_focused()
    page.keyboard.press("Enter")
    assert shown(page) == ["oak-1", "elm-1", "oak-2", "elm-2"]
    page.get_by_role("button", name="Pin oak-2").press("Enter")
    assert shown(page) == ["oak-2", "oak-1", "elm-1", "elm-2"]
    expect(page.get_by_role("button", name="Unpin oak-2")).to_be_focused()
    page.get_by_role("searchbox").fill("elm")
    assert shown(page) == ["oak-2", "elm-1", "elm-2"]
    expect(page.locator("output")).to_have_text("3 of 8 runs")
    asked = parse_qs(urlsplit(page.url).query)
    assert asked.keys() == {"find", "sort", "turned", "pin"}
    assert_accessible(page)
    page.reload()
    expect(page.locator("output")).to_have_text("3 of 8 runs")
    assert shown(page) == ["oak-2", "elm-1", "elm-2"]


def test_closer_looks_are_about_the_runs_that_are_pinned(opened):
    study = study_of(["oak-1", "elm-1", "oak-2", "elm-2", *YEWS])
    pk = dict(Run.objects.values_list("name", "pk"))
    page = opened(study)
    for name in ("oak-2", "elm-1"):
        page.get_by_role("button", name=f"Pin {name}").press("Enter")
    pins = [str(pk["oak-2"]), str(pk["elm-1"])]
    tabs = page.get_by_role("navigation", name="Pages")
    follow(tabs.get_by_role("link", name="Against a baseline"), key="Enter")
    expect(page.locator("select[name=base]")).to_have_value(pins[0])
    follow(page.get_by_role("link", name="Two runs"), key="Enter")
    for name, pin in zip("ab", pins, strict=True):
        expect(page.locator(f"select[name={name}]")).to_have_value(pin)
    follow(page.get_by_role("link", name="For a paper"), key="Enter")
    follow(page.get_by_role("link", name="Nearest runs"), key="Enter")
    for name, pin in zip("ab", pins, strict=True):
        expect(page.locator(f"select[name={name}]")).to_have_value(pin)
    assert_accessible(page)
    expect(page.get_by_role("link", name="Unpin elm-1")).to_be_hidden()
    page.locator(".rail > summary").press("Enter")
    follow(page.get_by_role("link", name="Unpin elm-1"), key="Enter")
    assert parse_qs(urlsplit(page.url).query)["pin"] == pins[:1]
    follow(page.get_by_role("link", name="Pin elm-1"), key="Enter")
    expect(page.locator(".rail .glyph")).to_have_count(2)
    follow(page.get_by_role("link", name="Topics", exact=True), key="Enter")
    page.get_by_role("link", name=study.topics.first().name, exact=True).press("Enter")
    follow(page.get_by_role("link", name="Whole page of this topic"), key="Enter")
    chosen = page.locator("select[name=run]").evaluate_all(
        "all => all.map((one) => one.value).filter(Boolean)"
    )
    assert set(chosen) - {""} == set(pins)


def test_the_best_of_each_group_stays(opened):
    page = opened(study_of(["oak-1", "elm-1", "oak-2", "elm-2", *YEWS]))
    page.get_by_label("Show").select_option("best")
    assert shown(page) == ["oak-1", "elm-1"]


def test_names_without_groups_are_not_grouped(opened):
    page = opened(study_of(["oak", "elm", "ash", "yew", "fir", "box", "bay", "fig"]))
    expect(page.get_by_role("searchbox", name="Find runs")).to_be_visible()
    expect(page.get_by_label("Show")).to_be_hidden()


def test_the_tools_are_the_boards_also_below_a_decision(opened):
    study = study_of(["oak-1", "elm-1", "oak-2", "elm-2", *YEWS])
    Study.objects.filter(pk=study.pk).update(baseline="oak-1")
    page = opened(study)
    page.get_by_role("searchbox").fill("elm")
    assert shown(page) == ["elm-1", "elm-2"]


def test_few_runs_are_not_searched(opened):
    expect(opened(study_of(["oak", "elm"])).get_by_role("searchbox", name="Find runs")).to_be_hidden()


def test_what_is_chosen_stays_while_the_board_moves(opened):
    """A new standing with another order, fetched as a whole: rows, controls and words are as before."""
    study = study_of(["oak-1", "elm-1", "oak-2", "elm-2", *YEWS])
    page = opened(study)
    page.get_by_role("searchbox").fill("oak")
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    assert shown(page) == ["oak-1", "oak-2"]
    page.get_by_role("button", name="Run", exact=True).press("Enter")
    assert shown(page) == ["oak-2", "oak-1"]
    for scored in StoredScores.objects.filter(topic__study=study):
        scored.revision += 1
        scored.judgments += 1
        scored.save()
    standings.write(study)
    expect(page.locator("[data-key=judgments]")).to_have_text("18", timeout=20_000)
    expect(page.get_by_role("button", name="Run", exact=True)).to_be_focused()
    assert shown(page) == ["oak-2", "oak-1"]
    expect(page.get_by_role("searchbox")).to_have_value("oak")


def test_lines_part_runs_whose_ranks_do_not_overlap(opened):
    """Each of six topics orders them alike, and by as much, so each is surely above the next."""
    page = opened(study_of(["oak", "elm", "ash"], topics=6))
    assert page.locator("tr.breaks").count() == 2
    expect(page.get_by_text("No two runs' ranks overlap: all are told apart.")).to_be_visible()


@pytest.mark.parametrize("runs", [4, 40, 60, 120, 300])
def test_a_board_is_printed_on_one_sheet(opened, runs):
    page = opened(study_of([f"team-{n % 7}-run-{n:03}" for n in range(runs)]))
    sheets = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", sheets)) == 1


def study_with_a_decision() -> Study:
    study = study_of([f"team-{n % 7}-run-{n:03}" for n in range(60)])
    study.baseline = "team-6-run-006"
    study.save()
    return study


def test_no_words_of_a_decision_lie_over_others_in_the_report(opened, page):
    opened(study_with_a_decision())
    page.get_by_role("link", name="Report").first.click()
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        note = page.get_by_text("Grey: differences below").bounding_box()
        assert note["y"] + note["height"] <= page.locator(".numbers").bounding_box()["y"]


def test_a_board_with_a_decision_is_printed_on_one_sheet_with_its_address_and_time(opened, page):
    opened(study_with_a_decision())
    expect(page.get_by_text(page.url)).to_be_hidden()
    assert page.locator(".decision").is_visible()
    sheets = page.pdf(format="A4", prefer_css_page_size=True)
    assert len(re.findall(rb"/Type /Page\b", sheets)) == 1
    page.clock.set_fixed_time(datetime(2031, 5, 4, 12, tzinfo=UTC))
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(page.get_by_text(page.url)).to_contain_text("2031")


@pytest.mark.parametrize("runs", [4, 60])
def test_printed_heads_stand_over_their_columns(opened, page, runs):
    opened(study_of([f"team-{n % 7}-run-{n:03}" for n in range(runs)]))
    page.set_viewport_size({"width": 690, "height": 1000})
    page.emulate_media(media="print")
    left = "all => all.map((one) => one.getBoundingClientRect().left)"
    heads = page.locator("thead .measure .sort").evaluate_all(
        """all => all.map((one) => {
          const words = document.createRange();
          words.selectNodeContents(one);
          return words.getBoundingClientRect().left;
        })"""
    )
    assert len(heads) == 2
    assert heads == pytest.approx(page.locator("tbody tr").last.locator(".value").evaluate_all(left), abs=1)
    drawn = page.locator("tbody tr").last.locator("svg").evaluate_all(left)
    assert drawn == pytest.approx(page.locator("thead .axis").evaluate_all(left), abs=1)
    assert page.locator(".board").bounding_box()["width"] <= 690


def test_a_board_of_300_runs_fits_a_phone(opened, page):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(study_of([f"team-{n % 7}-with-a-long-name-{n:03}" for n in range(300)]))
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_heads_and_axes_stay_and_marks_stand_at_their_numbers(opened, page):
    """The axis in the head is in view wherever one scrolls, and a dot at a tick's value stands under it."""
    page.set_viewport_size({"width": 1280, "height": 600})
    opened(study_of([f"team-{n % 7}-run-{n:02}" for n in range(60)]))
    page.evaluate("scrollTo(0, document.querySelector('[data-board]').offsetTop + 400)")
    head = page.locator("thead .axes .plot").first
    assert 0 <= head.bounding_box()["y"] < 120
    ticks = head.locator("span").evaluate_all(
        "all => all.map((one) => [Number(one.textContent), one.getBoundingClientRect().x])"
    )
    dots = page.locator("tbody .plot.leads circle").evaluate_all(
        """all => all.map((dot) => {
          const at = dot.getBoundingClientRect();
          const said = dot.closest("td").previousElementSibling.querySelector(".value");
          return [Number(said.textContent), at.x + at.width / 2];
        })"""
    )
    (first, left), (last, right) = ticks[0], ticks[-1]
    assert len(dots) == 60
    for value, x in dots:
        assert x == pytest.approx(left + (right - left) * (value - first) / (last - first), abs=1)


@pytest.mark.parametrize(("motion", "rows"), [("no-preference", 4), ("reduce", 0)])
def test_rows_move_to_their_places_unless_less_motion_is_asked_for(opened, page, motion, rows):
    page.emulate_media(reduced_motion=motion)
    opened(study_of(["oak-1", "elm-1", "oak-2", "elm-2"]))
    seen = page.evaluate(
        """() => {
          document.querySelector("#sort-compatibility").click();
          const rows = [...document.querySelectorAll("tbody tr")];
          return rows.filter((row) => row.getAnimations().length).length;
        }"""
    )
    assert seen == rows


def test_rows_are_in_sight_below_a_decision(opened, page):
    page.set_viewport_size({"width": 1280, "height": 800})
    opened(study_with_a_decision())
    seen = page.locator("[data-board] tbody tr").evaluate_all(
        "rows => rows.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length"
    )
    assert seen >= 5


def test_on_a_phone_the_first_runs_stand_in_the_first_window(opened, page):
    page.set_viewport_size({"width": 390, "height": 844})
    opened(study_of([f"run{n:02}" for n in range(14)]))
    assert page.locator("[data-board] tbody tr").first.bounding_box()["y"] < 500


def test_where_a_name_is_cut_its_end_stays(opened, page, live_server):
    """In the turned heads of columns, the heads of rows, and the rail."""
    study = study_of([f"a-system-with-a-rather-long-name-of-run-{n:02}" for n in range(14)])
    opened(study)
    page.goto(f"{live_server.url}/studies/{study.slug}/leaderboard/pairs/")
    page.locator(".rail > summary").click()
    cut = page.locator(":is(.dense th, .rail li):has(.end)").evaluate_all(
        """heads => heads.filter((head) => {
            const [a, b] = [head, head.querySelector(".end")].map((one) => one.getBoundingClientRect());
            const across = b.left < a.left - 1 || b.right > a.right + 1;
            return across || b.top < a.top - 1 || b.bottom > a.bottom + 1;
        }).length"""
    )
    assert page.locator(".dense th .end, .rail .end").count() == 3 * 14
    assert cut == 0


def test_on_a_phone_ten_runs_are_shown_and_all_stay_shown_while_the_board_moves(opened):
    study = study_of([f"run{n:02}" for n in range(14)])
    page = opened(study)
    page.set_viewport_size({"width": 390, "height": 844})
    rows = page.locator("[data-board] tbody tr").filter(visible=True)
    expect(rows).to_have_count(10)
    page.get_by_label("Find runs").fill("run1")
    expect(rows).to_have_count(4)
    page.get_by_label("Find runs").fill("")
    page.get_by_label("Show all 14").check()
    expect(rows).to_have_count(14)
    # A further run: the part is exchanged as a whole.
    runs = [*Run.objects.filter(study=study).order_by("pk"), Run.objects.create(study=study, name="new")]
    for stored in StoredScores.objects.filter(topic__study=study):
        values = [[n / len(runs) for n in range(len(runs))] for _ in columns(USUAL)]
        packed = TopicScores(columns(USUAL), [run.pk for run in runs], values).packed()
        StoredScores.objects.filter(pk=stored.pk).update(revision=1, judgments=6, **packed)
    standings.write(study)
    expect(rows).to_have_count(15, timeout=20_000)
    expect(page.get_by_label("Show all 15")).to_be_checked()
