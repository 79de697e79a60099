"""Practice: questions with a known answer on the judging page, with feedback at once; nothing is stored.

What was answered stands in the address alone, so that it works without scripts and without cookies.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils import timezone
from markupsafe import Markup

from collection.models import Item, Study
from judging.examples import AS_PRACTICE, IN_INSTRUCTIONS, Example, examples_of, items_of
from judging.models import Task
from judging.statements import ShownQuestion
from judging.tasks import KINDS, BadAnswer
from judging.tasks.grade import Grade
from judging.tasks.pair import lean_of
from judging.tasks.pick import Pick
from web import tokens
from web.assessor.sitting import Asked, Sitting, as_shown, usual_seconds
from web.assessor.trial import shown_items, with_own_pictures


class Feedback(NamedTuple):
    """What is told about an answer; words are "" before there is one."""

    right: bool
    words: str
    next: str  # address
    skip: str  # address
    last: bool


@dataclass(frozen=True)
class Practice(Sitting):
    """One practice question as a batch of which nothing is stored."""

    number: int
    of: int
    feedback: Feedback

    @property
    def practice(self) -> Feedback:
        """What the judging page tells about it."""
        return self.feedback

    @property
    def total(self) -> int:
        return self.of

    @property
    def shown(self) -> int:
        return self.number

    @property
    def answered(self) -> int:
        return self.number - (not self.feedback.words)


class Told(NamedTuple):
    """An example as the instructions show it: its question, the place of the better or best item, and why."""

    asked: Asked
    better: str  # "" for a grade
    why: str


def number_of(task: Task) -> int:
    """How many practice questions a task has. No query."""
    return len(examples_of(task, AS_PRACTICE)) if task.examples else 0


def told(task: Task, study: Study) -> list[Told]:
    """The examples that the instructions show. One query, none where there are none."""
    examples = examples_of(task, IN_INSTRUCTIONS) if task.examples else []
    items = items_of(examples) if examples else {}
    found = []
    for number, one in enumerate(examples, 1):
        if any(pk not in items for pk in one.subjects):
            continue
        asked, order = _asked(one, number, items, task, study)
        better, why = "", one.why
        if task.kind == Grade.name:
            why = f"grade {one.expected['grade']:g}, because {one.why}"
        elif task.kind == Pick.name:
            better = task.way.places[order.index(str(one.expected["best"]))]
        else:
            better = "left" if lean_of(one.expected, order) > 0 else "right"
        found.append(Told(asked, better, why))
    return found


def page(task: Task, study: Study, home: str, number: int, answer: str) -> Practice | None:
    """A practice question, with feedback where it was answered; None where there is none of this number.

    home: the assessor's own page. One query.
    """
    examples = examples_of(task, AS_PRACTICE)
    if not 1 <= number <= len(examples):
        return None
    example, items = examples[number - 1], items_of(examples)
    if any(pk not in items for pk in example.subjects):
        return None
    asked, order = _asked(example, number, items, task, study)
    here, done = _address(home, task, number), f"{home}?practised=1"
    last = number == len(examples)
    right, words = _feedback(task, example, order, answer)
    feedback = Feedback(right, words, done if last else _address(home, task, number + 1), done, last)
    if words:
        asked = replace(asked, chosen=answer)
    usual = usual_seconds(study, task)
    deadline = timezone.now() + timedelta(minutes=task.minutes)
    token = tokens.sign_trial(here)
    return Practice(token, task, [asked], asked.position, deadline, usual, number, len(examples), feedback)


def _address(home: str, task: Task, number: int) -> str:
    return f"{home}?{urlencode({'practice': number, 'task': task.pk})}"


def _asked(
    example: Example, number: int, items: dict[int, Item], task: Task, study: Study
) -> tuple[Asked, str]:
    """An example as its page shows it, and the order of its subjects there: the better side alternates."""
    order = task.way.order_of_challenge(example.expected, number)
    rows = shown_items([items[pk] for pk in example.subjects], order)
    question = ShownQuestion(number, items[example.subjects[0]].topic.text, rows, None)
    asked = as_shown(question, number, study, task.way)
    return with_own_pictures(asked, question), order


def _feedback(task: Task, example: Example, order: str, answer: str) -> tuple[bool, str]:
    """Whether an answer is right, and what is said of it; no words for no answer, or one that cannot be."""
    kind = KINDS[task.kind]
    try:
        value = kind.parse({"choice": answer})
        kind.check(value, task.scale)
    except BadAnswer:
        return False, ""
    if kind.places_needed(value) > len(order):
        return False, ""
    right = kind.is_right(value, order, example.expected)
    if task.kind == Grade.name:
        usual = f"most people give it {example.expected['grade']:g}, because {example.why}."
        return right, f"Yes: {usual}" if right else usual[0].upper() + usual[1:]
    if right:
        return True, f"Yes, because {example.why}."
    if task.kind == Pick.name:
        best = kind.places[order.index(str(example.expected["best"]))]
        return False, f"Most people find number {best} the best, because {example.why}."
    if lean_of(value, order) == 0:
        wide, stacked = ("left", "upper") if lean_of(example.expected, order) > 0 else ("right", "lower")
        words = Markup(
            'Most people find the <span class="wide">{}</span><span class="stacked">{}</span> one better, '
            "because {}."
        )
        return False, words.format(wide, stacked, example.why)
    return False, f"Most people find the other one better, because {example.why}."
