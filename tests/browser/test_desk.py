"""The desk of an assessor with an account in Chromium: by keyboard alone from login to a corrected answer;
axe on every page at both widths and in both colours.
"""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from collection.credentials import accounts
from collection.models import Item, Membership, Study
from collection.study import lifecycle
from judging.models import AnswerNote, Assignment, Judgment, Task
from judging.tasks.pair import NAMES
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready
from tests.browser.navigation import follow
from tests.judging.studies import make_study
from tests.judging.test_desk_answers import judged
from tests.judging.test_desk_pages import seated

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long password"


@pytest.fixture
def study():
    """Without challenges, as for assessors who are trusted."""
    made = make_study()
    Task.objects.filter(study=made).update(batch_challenges=0, batch_size=3)
    dora = accounts.make_account("dora").account
    accounts.set_password(dora.pk, PASSWORD)
    lifecycle.set_member(made.pk, dora.pk, Membership.Role.ASSESSOR)
    return made


def log_in(page: Page, live_server) -> None:
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").focus()
    page.keyboard.type("dora")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Your topics")).to_be_visible()


def to(page: Page, role: Any, name: str, nth: int = 0) -> None:
    """Go to something by the tab key, as one does without a mouse, and press it."""
    wanted = page.get_by_role(role, name=name).nth(nth)
    expect(wanted).to_be_visible()
    for _ in range(60):
        if wanted.evaluate("node => node === document.activeElement"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not lead to {name}")


def judge(page: Page, choice: str = "ArrowLeft", *, send: bool = True) -> None:
    for position in (1, 2, 3):
        ready(page, position)
        press(page, choice)
    ready(page, 4)
    if send:
        finish(page)


def finish(page: Page) -> None:
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def test_from_the_login_to_a_corrected_answer_by_keyboard_alone(page, live_server, study):
    log_in(page, live_server)
    to(page, "link", "Judge", 1)
    expect(page.get_by_role("heading", name="What you agree to")).to_be_visible()
    to(page, "button", "I agree, start judging")
    ready(page, 1)
    page.keyboard.press("u")
    page.keyboard.press("Enter")
    judge(page, send=False)
    marks = page.locator("[data-uncertain]")
    expect(marks.nth(0)).to_be_visible()
    expect(marks.nth(1)).to_be_hidden()
    finish(page)
    batch = Assignment.objects.get()
    assert set(batch.batch.values_list("question__topic__name", flat=True)) == {"drought"}
    to(page, "link", "Your answers")
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    to(page, "button", "Change", 1)
    ready(page, 2)
    press(page, "ArrowRight")
    ready(page, 4)
    expect(page.get_by_text("You have sent these answers before")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    batch.refresh_from_db()
    assert batch.state == "kept"
    place = batch.batch.get(position=2)
    given = Judgment.objects.filter(assignment=batch, question=place.question_id).order_by("revision")
    assert [NAMES[one.value] for one in given] == ["left", "right"]
    to(page, "link", "Your topics")
    expect(page.get_by_text("3 answered by you")).to_be_visible()


def enter(page: Page) -> None:
    """Press Enter once its key is promised; sooner it would be taken for a press out of habit."""
    expect(page.locator("[data-enter] kbd")).to_be_visible()
    page.keyboard.press("Enter")


def test_enter_goes_on_from_batch_to_batch_and_nothing_is_said_twice(page, live_server, study):
    log_in(page, live_server)
    enter(page)
    to(page, "button", "I agree, start judging")
    for _ in range(2):
        judge(page)
        expect(page.get_by_role("button", name="Judge another batch")).to_contain_text("Enter")
        expect(page.get_by_text("A batch is")).to_have_count(0)
        # The number to quote is there for people with an account too; their answers have a link below.
        expect(page.get_by_role("heading", name="Your receipt")).to_have_count(1)
        expect(page.get_by_role("link", name="Read your answers")).to_have_count(0)
        enter(page)
    ready(page, 1)
    assert Assignment.objects.count() == 3


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_is_accessible(page, live_server, study, width):
    page.set_viewport_size({"width": width, "height": 844})
    log_in(page, live_server)

    assert_accessible(page, "queue")
    follow(page.get_by_role("link", name="Begin with it"))
    assert_accessible(page, "instructions")
    follow(page.get_by_role("button", name="I agree, start judging"))
    judge(page)
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert_accessible(page, "thanks")
    follow(page.get_by_role("link", name="Your answers"))
    assert_accessible(page, "answers")
    follow(page.get_by_role("button", name="Change").first)
    ready(page, 1)
    assert_accessible(page, "reopened")
    page.goto(f"{live_server.url}/desk/garden/")
    assert_accessible(page, "queue while a batch is open")
    page.goto(f"{live_server.url}/desk/garden/answers/")
    assert_accessible(page, "answers while a batch is open")
    other = make_study(name="Second", slug="second")
    lifecycle.set_member(other.pk, Assignment.objects.get().assessor.user_id, Membership.Role.ASSESSOR)
    page.goto(f"{live_server.url}/desk/")
    assert_accessible(page, "studies")


LISTS = "- one\n    - within\n- two\n\n1. first\n2. second"


def test_lists_in_texts_keep_their_marks_where_the_page_has_lists_of_its_own(page, live_server, study):
    Study.objects.update(markup="markdown")
    Task.objects.update(instructions=LISTS)
    Item.objects.update(text=LISTS)
    dora = seated(study)
    log_in(page, live_server)
    follow(page.get_by_role("link", name="Begin with it"))
    assert marks(page) == {("ul", "disc", "0px"), ("ul", "circle", "0px"), ("ol", "decimal", "0px")}
    judged(dora, study)
    for address in ("answers/", f"answers/{Assignment.objects.get().pk}/1/"):
        page.goto(f"{live_server.url}/desk/garden/{address}")
        assert marks(page) == {("ul", "disc", "0px"), ("ul", "circle", "0px"), ("ol", "decimal", "0px")}


def marks(page: Page) -> set[tuple[str, ...]]:
    """How items of lists in texts are marked, and their lines and room above: kind of list, mark, both."""
    found = page.locator(".set li").evaluate_all("""items => items.map(item => {
        const {listStyleType, borderTopWidth, paddingTop, marginTop} = getComputedStyle(item);
        const kind = item.parentNode.localName;
        return [kind, listStyleType, [...new Set([borderTopWidth, paddingTop, marginTop])].join(' ')];
    })""")
    return set(map(tuple, found))


def test_a_note_in_the_list_is_saved_in_its_place(page, live_server, study):
    dora = seated(study)
    batch = judged(dora, study)
    log_in(page, live_server)
    page.goto(f"{live_server.url}/desk/garden/answers/")
    page.get_by_text("Add a note").nth(1).click()
    page.locator("textarea").nth(1).fill("ask Erik")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Your note is kept.")).to_be_visible()
    expect(page.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(page.locator(".own-note summary").nth(1)).to_have_text("ask Erik")
    assert AnswerNote.objects.get().question == batch.batch.get(position=2).question
