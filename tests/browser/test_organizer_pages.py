"""The organizer's pages in Chromium: wide and on a phone, light and dark, with and without JavaScript."""

import json

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import expect

from collection.models import Import, Membership, Study
from judging.batches import answering
from judging.models import Question
from panels import local
from tests.browser.accessibility import assert_accessible
from tests.browser.navigation import follow
from tests.judging.organizing import judge_batch
from tests.judging.studies import make_study
from tests.makers import study_with
from tests.servers import wait_until

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long password"
ADDRESSES = [
    *("/login/", "/", "/studies/new/", "/no-such-page/"),
    *("/studies/pilot/", "/studies/pilot/files/?kind=run", "/studies/pilot/people/", "/studies/pilot/files/"),
    *("/studies/garden/", "/studies/garden/settings/", "/studies/garden/people/", "/studies/garden/files/"),
    *("/studies/garden/preview/", "/studies/garden/preview/?show=texts", "/studies/garden/examples/"),
    *("/studies/garden/trail/", "/studies/garden/grading/", "/studies/pilot/grading/"),
    "/account/",
    "/studies/garden/progress/?more=50&of=judgments&accuracy=85&pay=12",
    *("/studies/garden/progress/", "/studies/pilot/start/", "/studies/garden/send/", "/studies/pilot/send/"),
    "/studies/garden/result-pages/",
    "the import that was refused",
    "the exclusion",
    "/studies/garden/disagreements/",
    *("/studies/garden/challenges/", "the challenge to set aside"),
    *("the person who failed", "letting them back in"),
]


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def studies():
    """Alice's: an empty one, and one that is judged, with a refused file and people in every state."""
    alice = User.objects.create_user("alice", password=PASSWORD, is_staff=True)
    pilot = study_with(name="Pilot of a study with a rather long name", slug="pilot")
    garden = make_study(batch_pairs=5)
    for study in (pilot, garden):
        Membership.objects.create(study=study, user=alice, role=Membership.Role.ORGANIZER)
    people = local.invite(garden, ["Ada", "Grace", "Katherine", ""])
    judge_batch(people[0])
    answering.arrive(people[1].pk)
    judge_batch(people[2], fail=True)
    problems = [f'q.qrels, line {n}: the grade "x" is not a finite number' for n in range(1, 300)]
    Import.objects.create(study=pilot, kind="qrels", name="q.qrels", state="refused", problems=problems)
    return pilot, garden


def log_in(page, live_server):
    """By a cookie: the form is tried below."""
    client = Client()
    client.force_login(User.objects.get(username="alice"))
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])
    page.goto(f"{live_server.url}/")


def log_in_by_the_form(page, live_server):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()


def look(page, live_server, address: str) -> None:
    """Open a page; some can only be named once their rows exist."""
    if address == "the import that was refused":
        address = f"/studies/pilot/load/{Import.objects.get().pk}/"
    elif address == "the exclusion":
        address = (
            f"/studies/garden/people/{Study.objects.get(slug='garden').assessors.earliest('pk').pk}/exclude/"
        )
    elif address == "the challenge to set aside":
        challenge = Question.objects.filter(expected__isnull=False).earliest("pk")
        address = f"/studies/garden/challenges/{challenge.pk}/"
    elif address in ("the person who failed", "letting them back in"):
        failed = Study.objects.get(slug="garden").assessors.get(excluded_at__isnull=False)
        address = f"/studies/garden/people/{failed.pk}/{'readmit/' if 'back' in address else ''}"
    page.goto(f"{live_server.url}{address}")


def test_no_page_breaks_a_rule_of_accessibility_and_each_fits_its_window(page, live_server, studies):
    """axe's rules, best practices too, at both widths and in both schemes; nothing scrolls sideways."""
    log_in(page, live_server)
    told = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    for address in ADDRESSES:
        for width, scheme in ((1280, "light"), (390, "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            look(page, live_server, address)
            assert_accessible(page, schemes=[scheme])
    assert [text for text in told if "404" not in text] == []


def test_on_a_phone_the_head_of_a_page_is_low_and_its_pages_unfold(page, live_server, studies):
    log_in(page, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    for last in ("challenges/", "people/", "files/", "progress/", "leaderboard/"):
        page.goto(f"{live_server.url}/studies/garden/{last}")
        page.wait_for_selector(".pulse-line")
        assert page.locator("main").bounding_box()["y"] <= 120
    page.goto(f"{live_server.url}/studies/garden/challenges/")
    expect(page.get_by_role("link", name="Disagreements")).to_be_hidden()
    page.get_by_role("button", name="Trust").press("Enter")
    assert_accessible(page)
    follow(page.get_by_role("link", name="Disagreements"))
    expect(page).to_have_url(f"{live_server.url}/studies/garden/disagreements/")


def test_a_line_of_a_list_has_the_width_of_a_phone(page, live_server, studies):
    log_in(page, live_server)
    page.set_viewport_size({"width": 390, "height": 844})
    for last in ("challenges/", "examples/"):
        page.goto(f"{live_server.url}/studies/garden/{last}")
        words = page.locator(":is(.asked, .examples) .line:not(.heads) > :not(.num)")
        assert words.count() > 0
        assert {one.bounding_box()["width"] > 300 for one in words.all()} == {True}, last


def test_nothing_in_the_head_of_a_page_moves_sideways_from_page_to_page(page, live_server, studies):
    log_in(page, live_server)
    for width in (390, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        lefts = set()
        for last in ("", "settings/", "files/", "people/", "send/", "leaderboard/", "progress/", "report/"):
            page.goto(f"{live_server.url}/studies/pilot/{last}")
            for one in (".wordmark", ".sections", "h1"):
                lefts.add((one, page.locator(one).first.bounding_box()["x"]))
        assert len(lefts) == 3


def test_what_is_wrong_stands_apart_from_the_form_below_it(page, live_server, studies):
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/new/")
    follow(page.get_by_role("button", name="Make the study"))
    box, form = page.locator(".bad").bounding_box(), page.locator(".bad + form").bounding_box()
    assert form["y"] - box["y"] - box["height"] >= 16


def test_of_a_long_pulse_no_phrase_is_cut(page, live_server, studies):
    log_in(page, live_server)
    said = [
        "0 of 8 topics done",
        "Making the first round",
        "10 judging now",
        "188 a minute",
        "ends in 9 minutes",
    ]
    for width in (390, 1100, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        page.goto(f"{live_server.url}/studies/garden/send/")
        expect(page.locator(".pulse-line .parts")).to_be_visible()
        whole = page.evaluate(
            """(said) => {
              const parts = document.querySelector(".pulse-line .parts");
              parts.replaceChildren(...[...said, ...said].map((one) => {
                const span = document.createElement("span");
                span.textContent = one;
                return span;
              }));
              const box = parts.parentElement.getBoundingClientRect();
              const rows = [...parts.children].map((one) => one.getBoundingClientRect());
              const shown = rows.filter((one) => one.width && one.top < box.bottom - 2);
              const end = Math.max(...shown.map((one) => one.right));
              return end <= box.right + 1 && end > box.right - 2;
            }""",
            said,
        )
        assert whole, width
        # Nor do words lie over the pages' names, however long what is wrong is.
        apart = page.evaluate(
            """() => {
              const said = document.createElement("span");
              said.className = "trouble";
              said.innerHTML = "<span></span> <a href=''>Invite people</a>";
              said.firstChild.textContent = "Many questions wait, and nobody has judged here yet. ".repeat(4);
              const parts = document.querySelector(".pulse-line .parts");
              parts.before(said);
              const box = (one) => one.getBoundingClientRect();
              const [pulse, shown] = [parts.parentElement, parts].map(box);
              const [link, first] = [said.lastChild, parts.firstElementChild].map(box);
              const tabs = [...document.querySelectorAll(".work-head .tabs a")].map(box);
              const beside = tabs.filter((one) => one.width && one.top < pulse.bottom - 2);
              const seen = first.top < shown.bottom - 2;
              return {
                over: beside.some((one) => one.right > pulse.left),
                cut: link.right > innerWidth || (seen && first.right > pulse.right + 1),
                lines: link.height > 24,
              };
            }"""
        )
        assert not apart.pop("lines"), width
        assert width == 390 or apart == {"over": False, "cut": False}, width


def test_a_file_is_loaded_and_its_page_changes_by_itself(page, live_server, studies, tmp_path):
    path = tmp_path / "topics.tsv"
    path.write_text("".join(f"t{n}\tTopic {n}?\n" for n in range(300)))
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/pilot/files/?kind=topics")
    page.locator("details.kind[open] input[type=file]").set_input_files(path)
    follow(page.locator("details.kind[open]").get_by_role("button", name="Load the file"))
    page.evaluate("window.same = true")
    expect(page.get_by_text("Loaded: 300 topics.")).to_be_visible()
    assert page.evaluate("window.same")
    page.get_by_role("link", name="Back to the checklist").click()
    expect(page.get_by_text("300 topics loaded.")).to_be_visible()


def test_without_javascript_a_file_is_loaded_too(browser, live_server, studies, tmp_path):
    """The page of an import loads itself again."""
    path = tmp_path / "topics.tsv"
    path.write_text("t1\tOne?\nno tab\n")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/pilot/files/?kind=topics")
    page.locator("details.kind[open] input[type=file]").set_input_files(path)
    page.locator("details.kind[open]").get_by_role("button", name="Load the file").click()
    expect(page.get_by_text("topics.tsv, line 2: expected an id")).to_be_visible()
    context.close()


def test_times_are_the_readers_and_name_their_zone(browser, live_server, studies):
    Study.objects.filter(slug="garden").update(opened_at="2026-07-01T22:30:00Z")
    # One clock, of 24 hours, in whole times and in short ones.
    for javascript, locale, expected in (
        (True, "en-GB", "2 Jul 2026, 07:30 GMT+9"),
        (True, "en-US", "Jul 2, 2026, 07:30 GMT+9"),
        (False, "en-GB", "1 Jul 2026, 22:30 UTC"),
    ):
        context = browser.new_context(java_script_enabled=javascript, timezone_id="Asia/Tokyo", locale=locale)
        page = context.new_page()
        log_in(page, live_server)
        page.goto(f"{live_server.url}/studies/garden/")
        expect(page.get_by_text("Open since").first).to_contain_text(expected)
        context.close()


def test_a_link_is_copied_by_its_button(browser, live_server, studies):
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/garden/people/")
    page.get_by_role("link", name="Copy link 1 · Ada").click()
    expect(page.get_by_role("link", name="Copied 1 · Ada")).to_be_visible()
    ada = Study.objects.get(slug="garden").assessors.earliest("pk")
    assert page.evaluate("navigator.clipboard.readText()") == f"{live_server.url}/i/{ada.reference}/"
    context.close()


def test_a_study_that_needs_its_organizer_is_listed_first_once_its_pulse_comes(page, live_server, studies):
    Study.objects.filter(slug="garden").update(judgments_most=1)
    log_in(page, live_server)
    expect(page.locator("[data-needs]").get_by_role("link", name="Change the limits")).to_be_visible()
    expect(page.get_by_role("heading", name="Needs you")).to_be_visible()
    # What to do stands below who leads, however long its progress is.
    gap = page.locator("[data-needs] .pulse-line").evaluate(
        """line => {
            line.querySelector(".parts").textContent = "some words of progress ".repeat(5);
            const said = document.createElement("strong");
            said.textContent = "a leads";
            line.querySelector(".trouble").before(said);
            const under = line.querySelector(".trouble").getBoundingClientRect();
            return under.top - said.getBoundingClientRect().bottom;
        }"""
    )
    assert 0 <= gap < 12
    expect(page.get_by_role("heading", name="Open")).to_be_hidden()


def test_a_whole_study_is_made_with_the_keyboard_alone(page, live_server, studies):
    """From logging in to the checklist of a new study; every step by Tab, typing and Enter."""
    log_in_by_the_form(page, live_server)
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    for _ in range(12):
        if page.evaluate("document.activeElement.textContent") == "New study":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="New study")).to_be_visible()
    for _ in range(12):
        if page.evaluate("document.activeElement.name") == "name":
            break
        page.keyboard.press("Tab")
    page.keyboard.type("By keyboard")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Files")).to_be_visible()
    page.goto(f"{live_server.url}/studies/by-keyboard/")
    expect(page.get_by_role("heading", name="Next: load your files")).to_be_visible()


def focus(page, name: str) -> None:
    """Tab to a control by the keyboard alone."""
    for _ in range(80):
        page.keyboard.press("Tab")
        here = page.evaluate("document.activeElement.innerText || document.activeElement.name || ''")
        if " ".join(here.split()) == name:
            return
    raise AssertionError(f"{name} is not reached by Tab")


def test_from_files_to_the_first_judgment_by_the_keyboard_in_six_steps(page, live_server, studies, tmp_path):
    """Own data in CSV and JSON, one bad file among them; each step is reached by Tab and Enter."""
    passages = [
        {"docno": f"d{n}", "topic": f"q{n % 2}", "text": f"Passage {n}, in other words {n}."}
        for n in range(12)
    ]
    (tmp_path / "topics.csv").write_text('\ufeffqid,query\r\nq0,"Which, of both?"\r\nq1,What next?\r\n')
    (tmp_path / "passages.json").write_text(json.dumps(passages))
    (tmp_path / "a.run").write_text(
        "".join(f"q{n % 2} Q0 d{n} {n // 2 + 1} {9 - n / 2} a\n" for n in range(12))
    )
    (tmp_path / "bad.run").write_text("q7 Q0 d1 1 1.0 bad\n" * 2)
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/new/")
    page.get_by_label("Name", exact=True).focus()
    page.keyboard.type("Own data")
    focus(page, "Make the study")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Files")).to_be_visible()
    expect(page.get_by_text("Check the files")).to_be_hidden()
    page.locator("#files").set_input_files(sorted(tmp_path.glob("*.*")))
    page.locator("#files").focus()
    focus(page, "Check the files")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Fix 1 file")).to_be_visible()
    focus(page, "Remove bad.run")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Load all 3")).to_be_visible()
    focus(page, "Load all 3")
    page.keyboard.press("Enter")
    expect(page.get_by_text("run a: 12 placements for 2 topics")).to_be_visible()
    focus(page, "5. Open")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Open for judging")).to_be_visible()
    focus(page, "Open for judging")
    page.keyboard.press("Enter")
    expect(page.get_by_text("the first rounds of 2 topics are being asked")).to_be_visible()
    made = Study.objects.get(name="Own data")
    # A job asks them, after the page has answered.
    wait_until(Question.objects.filter(study=made, wanted__gt=0).exists, what="the first rounds are asked")


@pytest.mark.parametrize("width", [1280, 1600])
def test_no_column_of_the_table_of_people_is_cut_on_a_laptop(page, live_server, studies, width):
    page.set_viewport_size({"width": width, "height": 800})
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/garden/people/")
    assert page.locator(".folk").evaluate("one => one.scrollWidth - one.clientWidth") <= 0
