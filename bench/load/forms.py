"""Reading the assessor's pages as far as a client must: forms with their hidden fields and buttons, sides."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import unescape

from bench.load.material import JUNK

FORM = re.compile(r"<form\b([^>]*)>(.*?)</form>", re.DOTALL)
INPUT = re.compile(r"<input\b([^>]*)>")
BUTTON = re.compile(r"<button\b([^>]*)>")
BODY = re.compile(r"<body\b([^>]*)>")
ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
PICTURE = re.compile(r'<img\b[^>]*?\bsrc="([^"]*)"')
SIDE = 'class="side '  # each of two; the first one stands left


@dataclass(frozen=True, slots=True)
class Form:
    """A form's hidden fields, and its buttons as (name, value)."""

    fields: Mapping[str, str]
    buttons: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a batch: its form, the pictures of each side, and the sides that are plainly wrong."""

    form: Form
    pictures: list[list[str]]
    junk: list[bool]


@dataclass(frozen=True, slots=True)
class Sitting:
    """A batch as its page shows it: where answers and the whole batch are sent, and what with."""

    answer: str
    submit: str
    submission: Form
    questions: list[Question]


def sitting(page: str) -> Sitting | None:
    """The batch on a page; None if it shows none."""
    body = _attributes(BODY.search(page))
    if "answer" not in body:
        return None
    questions, submission, end = [], Form({}, []), 0
    for found in FORM.finditer(page):
        action = _attributes(found)["action"] if "action=" in found[1] else ""
        if action == body["answer"]:
            sides = page[end : found.start()].split(SIDE)[1:]
            questions.append(
                Question(
                    form(found[2]),
                    [[unescape(address) for address in PICTURE.findall(side)] for side in sides],
                    [JUNK in side for side in sides],
                )
            )
        elif action == body["submit"]:
            submission = form(found[2])
        end = found.end()
    return Sitting(body["answer"], body["submit"], submission, questions)


def beginning(page: str) -> Mapping[str, str] | None:
    """The hidden fields of a page's form that takes a batch; None if it has no such form."""
    for found in FORM.finditer(page):
        fields = form(found[2]).fields
        if fields.get("action") == "begin":
            return fields
    return None


def form(html: str) -> Form:
    """The hidden fields and the buttons of a form."""
    inputs = [_attributes(found) for found in INPUT.finditer(html)]
    buttons = [_attributes(found) for found in BUTTON.finditer(html)]
    return Form(
        {one["name"]: one.get("value", "") for one in inputs if one.get("type") == "hidden"},
        [(one["name"], one["value"]) for one in buttons if "name" in one and "value" in one],
    )


def _attributes(tag: re.Match[str] | None) -> dict[str, str]:
    """A tag's attributes, those that begin with data- without it."""
    found = ATTRIBUTE.findall(tag[1]) if tag else []
    return {name.removeprefix("data-"): unescape(value) for name, value in found}
