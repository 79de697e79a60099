"""Example of a question as people saw it: a real one of the study, its texts shortened."""

import base64
from dataclasses import dataclass
from html import unescape
from pathlib import PurePath

from django.utils.html import strip_tags

from collection.material.pictures import is_picture
from collection.models import Item, Study
from judging.models import Judgment, Question, Task
from judging.tasks.pair import Pair
from prefir.formats.conversations import plain_turns
from web.shared import tokens
from web.shared.svg_text import clean, shortened
from web.shared.task_words import SCALES
from web.shared.typesetting import typeset

# How many questions are looked at for one with texts, and how many of its items are shown.
LOOKED_AT, MOST_SIDES = 20, 3
# Characters of a text that are read; widths of topic and text, in letters of average width.
READ, TOPIC, TEXT, TEXT_OF_THREE = 2000, 75.0, 170.0, 110.0
# Larger pictures are not put into a PDF.
MOST_BYTES = 2**20
KINDS = {"png": "png", "jpg": "jpeg", "jpeg": "jpeg", "gif": "gif", "webp": "webp"}
SAID = {
    "definitely-left": "Definitely left",
    "left": "Left",
    "tie": "Tie",
    "right": "Right",
    "definitely-right": "Definitely right",
}


@dataclass(frozen=True)
class ExampleSide:
    """An item in its place: the beginning of its text, or what its picture shows; and the item itself if it
    has a picture.
    """

    text: str
    pictured: Item | None

    @property
    def token(self) -> str:
        """Token for the picture, for members of the study."""
        assert self.pictured is not None
        return tokens.sign_image(self.pictured.pk)

    @property
    def data(self) -> str:
        """The picture itself as an address, for paper; "" if it is large, or none that paper can show."""
        assert self.pictured is not None
        kind = KINDS.get(PurePath(self.pictured.image.name or "").suffix[1:].lower())
        try:
            if kind is None or self.pictured.image.size > MOST_BYTES:
                return ""
            with self.pictured.image.open() as file:
                return f"data:image/{kind};base64,{base64.b64encode(file.read()).decode()}"
        except OSError:
            return ""


@dataclass(frozen=True)
class Example:
    """A question: its wording, its topic, its items."""

    wording: str
    topic: str
    sides: list[ExampleSide]

    @property
    def texts(self) -> list[str]:
        return [side.text for side in self.sides]

    @property
    def heads(self) -> list[str]:
        """What each item is called: the sides of a pair, else numbers."""
        return ["Left", "Right"] if len(self.sides) == 2 else [f"{n}" for n in range(1, len(self.sides) + 1)]


def answers_offered(task: Task) -> list[str]:
    """Return the answers that a task offers, in their order on the page."""
    if isinstance(task.way, Pair):
        graded = task.way.graded(task.scale)
        words = [word for word, _ in task.way.buttons(task.scale)]
        return [f"Slightly {word}" if graded and word in ("left", "right") else SAID[word] for word in words]
    return [SCALES.get((task.kind, task.scale), task.scale).capitalize()]


def example_of(study: Study, task: Task) -> Example | None:
    """Return a question of a task that was answered, one with texts if there is any; None without any."""
    found = _question(task)
    if found is None:
        return None
    items = [subject.item for subject in found.subjects.all() if subject.item][:MOST_SIDES]
    most = TEXT if len(items) < MOST_SIDES else TEXT_OF_THREE
    topic = clean(plain_turns(found.topic.text) or found.topic.name)
    sides = [
        ExampleSide(
            shortened(_text(study, item), most, 1.0),
            item if is_picture(item.image.name) and not item.text else None,
        )
        for item in items
    ]
    return Example(shortened(clean(task.wording), TOPIC, 1.0), shortened(topic, TOPIC, 1.0), sides)


def _question(task: Task) -> Question | None:
    answered = Judgment.objects.filter(question__task=task, question__expected__isnull=True)
    ids = list(answered.order_by("pk").values_list("question", flat=True)[:LOOKED_AT])
    known = Question.objects.filter(pk__in=ids).select_related("topic").order_by("pk")
    found = [
        one
        for one in known.prefetch_related("subjects__item")
        if any(part.item for part in one.subjects.all())
    ]
    full = (one for one in found if all(part.item and part.item.text for part in one.subjects.all()))
    return next(full, next(iter(found), None))


def _text(study: Study, item: Item) -> str:
    """The beginning of an item's text, or what stands for a picture."""
    text = plain_turns(item.text[:READ])
    if study.markup != Study.Markup.PLAIN:
        text = unescape(strip_tags(typeset(text, study.set_as)))
    return clean(text) or clean(item.description or item.docno)
