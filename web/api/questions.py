"""Shapes of questions in the API: what an assessor's page shows, and no more."""

import html
from datetime import datetime
from typing import Annotated, Any, Literal

from django.urls import reverse
from django.utils.html import strip_tags
from ninja import Field, Schema
from pydantic import StringConstraints

from collection.models import Study
from judging.models import Decline, Task
from judging.questions import texts
from judging.tasks.grade import GradeTask
from judging.tasks.pair import Pair
from web.judging_page import offers, sitting

Word = Annotated[str, StringConstraints(max_length=40, pattern=r"^[A-Za-z0-9-]*$")]
# As the columns that hold them.
Small = Annotated[int, Field(ge=0, lt=2**15)]
Key = Annotated[int, Field(ge=1, lt=10**18)]


class OfferShape(Schema):
    """The batch that you can start now, and what you agree to by starting it."""

    task: int = Field(description="send it back to agree")
    version: int = Field(description="of the texts; send it back to agree")
    kind: str = Field(description="pair, grade, pick or pages")
    wording: str
    instructions: str
    guidelines: str
    consent: str
    asked_by: str
    contact: str
    questions: int
    has_known_answers: bool = Field(description="some questions have answers that are known")
    about_minutes: int = Field(description="that it is expected to take, by what it shows")
    minutes: int = Field(description="until it closes by itself")


class Desk(Schema):
    """Your state in a study: a batch is open, one is offered, or there is none now."""

    state: Literal["open", "offered", "rest"]
    sitting: int | None = Field(description="the open batch")
    why: str | None = Field(description="why there is none")
    offer: OfferShape | None


class Agreed(Schema):
    """What you have read and agree to: `task` and `version` of the offer."""

    task: Key
    version: Small
    warned: bool = Field(False, description="you have read the warning that a sitting was refused with")


class ItemShape(Schema):
    """An item in its place, as its reader sees it."""

    text: str = Field(description="without markup; empty where a picture is shown")
    html: str = Field(description="as its page sets it")
    picture: str | None = Field(description="path of the picture, for as long as the batch is open")
    width: int | None
    height: int | None
    description: str = Field(description="what the picture shows, in words; empty where nobody wrote it")
    row: int | None = Field(None, description="of a result page, from 1 on")


class PlaceShape(Schema):
    """One place of a question: an item, or a result page's items from top to bottom."""

    place: str = Field(description="such as left")
    items: list[ItemShape]


class QuestionShape(Schema):
    """A question at its position of the batch."""

    position: int
    topic: str
    description: str = Field(description="of the topic: what a good item should have; mostly empty")
    earlier: str = Field(description="the conversation before the topic, without markup; mostly empty")
    places: list[PlaceShape] = Field(description="from left to right")
    choice: str | None = Field(description="the answer that you gave")
    cannot: str | None = Field(description="why you said that you cannot judge it")


class SittingShape(Schema):
    """A batch: its questions while it is open, none afterwards."""

    sitting: int
    state: Literal["open", "over"]
    kind: str
    wording: str
    choices: list[str] = Field(
        description="what `choice` may be; empty for picks: the number of the best place, and with a worst "
        "one both, such as 3-5"
    )
    reasons: list[str] = Field(description="why a question may be impossible to judge")
    deadline: datetime
    questions: list[QuestionShape]


class Given(Schema):
    """An answer. With the same nonce nothing is added; another choice with another nonce is a correction."""

    position: Small
    choice: Word
    nonce: Annotated[str, StringConstraints(min_length=1, max_length=40, pattern=r"^[A-Za-z0-9-]+$")]
    seconds: Annotated[float, Field(ge=0, le=86400)] | None = Field(None, description="spent on it")


class Cannot(Schema):
    """A decline: the question cannot be judged, and why."""

    position: Small
    reason: Literal[tuple(Decline.Reason.values)]  # type: ignore[valid-type]
    note: Annotated[str, StringConstraints(max_length=300)] = ""


class Stored(Schema):
    """The request was stored."""

    stored: Literal[True] = True


class Closed(Schema):
    """The batch is closed. Whether it was kept is not disclosed."""

    submitted: Literal[True] = True


def offered(study: Study, offer: offers.Offer) -> dict[str, Any]:
    """An offer as its shape has it."""
    task = offer.task
    own = ("version", "kind", "wording", "instructions", "consent")
    return {name: getattr(task, name) for name in own} | {
        "task": task.pk,
        "guidelines": texts.guidelines(task),
        "asked_by": study.asked_by,
        "contact": study.contact,
        "questions": offer.questions,
        "has_known_answers": offer.challenged,
        "about_minutes": offer.minutes,
        "minutes": offer.limit,
    }


def choices(task: Task) -> list[str]:
    """The answers that a task takes, as forms post them; empty if they are numbers of places."""
    if isinstance(task.way, Pair):
        return [word for word, _ in task.way.buttons(task.scale)]
    if isinstance(task.way, GradeTask):
        return [str(value) for value in task.way.scales[task.scale]]
    return []


def question(asked: sitting.AskedQuestion) -> dict[str, Any]:
    """A question as its shape has it."""
    return {
        "position": asked.position,
        "topic": asked.topic,
        "description": asked.description,
        "earlier": _text(asked.earlier),
        "places": [{"place": side.name, "items": _items(side)} for side in asked.sides],
        "choice": asked.chosen or None,
        "cannot": asked.cannot or None,
    }


def _items(side: sitting.Side | sitting.Page) -> list[dict[str, Any]]:
    if isinstance(side, sitting.Page):
        return [_item(cell) | {"row": n} for n, row in enumerate(side.rows, 1) for cell in row]
    return [_item(side)]


def _text(shown: str) -> str:
    """What the page shows, without its markup."""
    return html.unescape(strip_tags(shown)).strip()


def _item(side: sitting.Side) -> dict[str, Any]:
    # From what the page shows, not from the file: whatever is hidden there stays so here.
    return {
        "text": _text(side.text),
        "html": str(side.text),
        "picture": reverse("image", args=[side.picture]) if side.picture else None,
        "width": side.width,
        "height": side.height,
        "description": side.description,
    }
