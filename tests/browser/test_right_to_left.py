"""Assessors' pages in a pseudo-language from right to left, 40 % longer, in Chromium: see tests/pseudo.py."""

import pytest

from collection.models import Item, Study, Topic
from judging.batches import answering
from judging.models import Task
from tests.browser.accessibility import assert_accessible
from tests.browser.batches import press, ready, stored
from tests.judging import paged, picking, studies
from tests.judging.test_grading import graded_study
from tests.makers import invite
from tests.pseudo import LANGUAGE, LATIN, spoken
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

# Every text of a page, also what is hidden and what is only read out; keys keep their names.
SAID = """() => {
    const found = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode;
        if (!text.parentElement.closest("script, noscript, kbd")) found.push(text.data);
    }
    for (const one of document.querySelectorAll("*")) {
        for (const name of ["aria-label", "aria-valuetext", "alt", "title", "placeholder"]) {
            if (one.hasAttribute(name)) found.push(one.getAttribute(name));
        }
    }
    const sentences = JSON.parse(document.querySelector("#sentences")?.textContent ?? "{}");
    for (const said of Object.values(sentences)) found.push(said.replace(/[{][a-z]+[}]/g, ""));
    return found.map(said => said.trim()).filter(Boolean);
}"""
# What is cut off, out of its button, beyond the window's side, or over what stands beside it.
FAULTS = """() => {
    const found = [];
    // What is only read out takes no room, but widens what scrolls.
    for (const one of document.querySelectorAll(".unseen")) one.style.display = "none";
    const name = one => `${one.localName}.${one.className} ${one.textContent.trim().slice(0, 30)}`;
    // The first line of a text that waits in its tab is cut on purpose.
    const unseen = ".unseen, .unseen *, .line, .begins";
    const shown = one => one.checkVisibility({visibilityProperty: true}) && !one.closest(unseen);
    const flows = one => !["absolute", "fixed", "sticky"].includes(getComputedStyle(one).position)
        && !/^(inline|none|contents)$/.test(getComputedStyle(one).display);
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    const all = [...document.body.querySelectorAll("*")].filter(shown);
    for (const one of all) {
        const style = getComputedStyle(one), box = one.getBoundingClientRect();
        const wide = one.scrollWidth > one.clientWidth + 1 && style.clipPath === "none";
        if (/hidden|clip/.test(style.overflowX) && wide && !one.matches(".frame, .frame *"))
            found.push(`cut off: ${name(one)}`);
        if (box.width && (box.left < -1 || box.right > innerWidth + 1) && !one.closest(".frame"))
            found.push(`beyond the side: ${name(one)}`);
        for (const node of one.childNodes) {
            if (node.nodeType !== 3 || !node.data.trim()) continue;
            const range = new Range();
            range.selectNodeContents(node);
            const boxes = "button, .button, .help, .facts, .far, dialog";
            const control = one.closest(boxes)?.getBoundingClientRect();
            for (const rect of range.getClientRects()) {
                const out = box => rect.left < box.left - 1 || rect.right > box.right + 1;
                if (out({left: 0, right: innerWidth})) found.push(`beyond the side: ${name(one)}`);
                if (control && out(control)) found.push(`out of its box: ${name(one)}`);
            }
        }
        const children = [...one.children].filter(child => shown(child) && flows(child));
        children.forEach((a, n) => children.slice(n + 1).forEach(b => {
            if (over(a.getBoundingClientRect(), b.getBoundingClientRect()))
                found.push(`over each other: ${name(a)} | ${name(b)}`);
        }));
    }
    if (document.documentElement.scrollWidth > innerWidth) found.push("the page is wider than the window");
    for (const one of document.querySelectorAll(".unseen")) one.style.display = "";
    return [...new Set(found)];
}"""
ARABIC = "تحتاج الصبّار إلى القليل من الماء، وهي تعيش في الصحراء (15) منذ زمن. " * 12
CHINESE = "仙人掌需要很少的水。" * 40
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


@pytest.fixture
def told(live_server, settings, tmp_path):
    """A function: gives a study texts in Arabic and Chinese; returns the address of somebody's pages."""
    settings.MEDIA_ROOT = tmp_path / "media"

    def tell(study, *, pictures=False, begun=True):
        Study.objects.update(language=LANGUAGE, name="研究 12", asked_by="实验室", contact="花园")
        Topic.objects.update(text="ما النبات الذي يعيش في الصحراء؟")
        Task.objects.update(wording="أيهما أفضل؟")
        if pictures:
            studies.give_pictures(study)
        else:
            for item in Item.objects.all():
                item.text = f"{CHINESE if item.pk % 2 else ARABIC}{item.pk}"
                item.save()
        assessor = invite(study)
        if begun:
            answering.arrive(assessor.pk)
        return f"{live_server.url}/i/{assessor.reference}/"

    with spoken(tmp_path / "locale"):
        yield tell


def pairs(tell, scale="3", *, pictures=False):
    study = studies.make_study(kind="image" if pictures else "text", pairs=20)
    Task.objects.update(scale=scale)
    return tell(study, pictures=pictures)


def grades(tell, scale="0-4", *, pictures=False):
    study, _ = graded_study(grades_first=True, scale=scale)
    Study.objects.update(kind="image" if pictures else "text")
    services.start(study.pk)
    return tell(study, pictures=pictures)


def picks(tell, scale="best-worst", *, pictures=False):
    study, _ = picking.pick_study(scale=scale, kind="image" if pictures else "text")
    services.start(study.pk)
    services.catch_up()
    return tell(study, pictures=pictures)


def pages(tell, scale="5", *, pictures=False):
    kind = {"kind": Study.Kind.IMAGE, "runs": paged.GRIDS} if pictures else {}
    study, task = paged.paged_study(topics=3, scale=scale, **kind)
    paged.ask_all(task)
    return tell(study, pictures=pictures)


KINDS = {
    "pair": lambda tell: pairs(tell),
    "pair of five levels": lambda tell: pairs(tell, "5"),
    "pair of pictures": lambda tell: pairs(tell, "4", pictures=True),
    "grade": lambda tell: grades(tell),
    "grade of a picture": lambda tell: grades(tell, "0-100", pictures=True),
    "pick": lambda tell: picks(tell),
    "pick of pictures": lambda tell: picks(tell, pictures=True),
    "result pages": lambda tell: pages(tell),
    "result pages of pictures": lambda tell: pages(tell, pictures=True),
}


def look(page, state: str) -> None:
    """Nothing is untranslated, cut off, beyond the window or over something else, and axe finds nothing."""
    assert page.locator("html").get_attribute("dir") == "rtl"
    assert not [said for said in page.evaluate(SAID) if LATIN.search(said)], state
    assert page.evaluate(FAULTS) == [], state
    assert_accessible(page, state, schemes=["light"])


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("kind", KINDS)
def test_longer_texts_from_right_to_left_have_their_place(page, told, kind, size):
    """A question, what is said of it in dialogs, and an answer given."""
    page.set_viewport_size(size)
    page.goto(KINDS[kind](told))
    page.wait_for_selector("body.heard")
    look(page, kind)
    for key in ("?", "i", "x"):
        page.keyboard.press(key)
        page.wait_for_selector("dialog[open]")
        look(page, f"{kind}: {key}")
        page.keyboard.press("Escape")


@pytest.mark.parametrize("kind", ["pair", "pair of pictures", "result pages", "result pages of pictures"])
def test_left_is_left_in_every_language(page, told, kind):
    page.set_viewport_size(WIDE)
    page.goto(KINDS[kind](told))
    ready(page, 1)
    for one, other in ((".side.left", ".side.right"), (".choice[value$=left]", ".choice[value$=right]")):
        left = [box.bounding_box() for box in page.locator(f"{one}:visible").all()]
        right = [box.bounding_box() for box in page.locator(f"{other}:visible").all()]
        # Parts of a scale share a line.
        assert max(box["x"] + box["width"] for box in left) <= min(box["x"] for box in right) + 1
    press(page, "ArrowLeft")
    ready(page, 2)
    press(page, "ArrowRight")
    ready(page, 3)
    assert stored() == {1: "left", 2: "right"}
