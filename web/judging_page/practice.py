"""Practice questions: known answers on the judging page with immediate feedback; nothing is stored.

The answer is in the address alone, so that it works without scripts and cookies.
"""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from django.utils import timezone
from django.utils.translation import gettext as _
from markupsafe import Markup, escape

from collection.models import Item, Study
from judging.batches.examples import AS_PRACTICE, IN_INSTRUCTIONS, Example, examples_of, items_of
from judging.batches.sql_statements import ShownQuestion
from judging.models import Task
from judging.tasks import KINDS, BadAnswer
from judging.tasks.base import TaskKind
from judging.tasks.grade import GradeTask
from judging.tasks.pair import lean_of
from judging.tasks.pick import Pick
from web.judging_page.sitting import AskedQuestion, Sitting, as_shown
from web.judging_page.trial import shown_items, with_own_pictures
from web.shared import tokens
from web.shared.typesetting import phrase


class Feedback(NamedTuple):
    """Feedback on an answer; "" before there is one."""

    right: bool
    words: str
    next: str  # address
    skip: str  # address
    last: bool


@dataclass(frozen=True)
class Practice(Sitting):
    """One practice question, shaped like a batch that is not stored."""

    number: int
    of: int
    feedback: Feedback

    @property
    def practice(self) -> Feedback:
        """What the judging page says about it."""
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


class PracticeExample(NamedTuple):
    """An example in the instructions: its question, the place of the better or best item or the grade, and
    why.
    """

    asked: AskedQuestion
    better: str  # "" for a grade
    grade: str  # "" for two items
    why: Markup


def number_of(task: Task) -> int:
    """Number of practice questions of a task."""
    return len(examples_of(task, AS_PRACTICE)) if task.examples else 0


def told(task: Task, study: Study) -> list[PracticeExample]:
    """The examples in the instructions."""
    examples = examples_of(task, IN_INSTRUCTIONS) if task.examples else []
    items = items_of(examples) if examples else {}
    found = []
    for number, one in enumerate(examples, 1):
        if any(pk not in items for pk in one.subjects):
            continue
        asked, order = _asked(one, number, items, task, study)
        grade = f"{one.expected['grade']:g}" if task.kind == GradeTask.name else ""
        better = _better(task.way, one, order)
        found.append(PracticeExample(asked, better, grade, phrase(one.why)))
    return found


def page(task: Task, study: Study, home: str, number: int, answer: str) -> Practice | None:
    """A practice question, with feedback if it was answered; None if there is none with this number.

    home: the assessor's own page.
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
        asked = replace(asked, chosen=answer, better=_better(task.way, example, order))
    deadline = timezone.now() + timedelta(minutes=task.minutes)
    token = tokens.sign_trial(here)
    return Practice(token, task, [asked], asked.position, deadline, number, len(examples), feedback)


def _address(home: str, task: Task, number: int) -> str:
    return f"{home}?{urlencode({'practice': number, 'task': task.pk})}"


def _asked(
    example: Example, number: int, items: dict[int, Item], task: Task, study: Study
) -> tuple[AskedQuestion, str]:
    """An example as its page shows it, and the order of its subjects: the better side alternates."""
    order = task.way.order_of_challenge(example.expected, number)
    rows = shown_items([items[pk] for pk in example.subjects], order)
    topic = items[example.subjects[0]].topic
    question = ShownQuestion(number, topic.text, rows, None, topic.earlier, topic.description)
    asked = as_shown(question, number, study, task)
    return with_own_pictures(asked, question), order


def _better(kind: TaskKind, example: Example, order: str) -> str:
    """The place of the better or best item; "" where a grade is asked."""
    if kind.name == GradeTask.name:
        return ""
    if kind.name == Pick.name:
        return kind.places[order.index(str(example.expected["best"]))]
    return "left" if lean_of(example.expected, order) > 0 else "right"


def _feedback(task: Task, example: Example, order: str, answer: str) -> tuple[bool, str]:
    """Whether an answer is right, and the feedback; "" without a valid answer."""
    kind = KINDS[task.kind]
    try:
        value = kind.parse({"choice": answer})
        kind.check(value, task.scale)
    except BadAnswer:
        return False, ""
    if kind.places_needed(value) > len(order):
        return False, ""
    right = kind.is_right(value, order, example.expected)
    why = {"why": phrase(example.why)}
    if task.kind == GradeTask.name:
        grade = f"{example.expected['grade']:g}"
        if right:
            return True, _filled(_("Yes: most people give it {grade}, because {why}."), grade=grade, **why)
        said = _filled(_("Most people give it {grade}, because {why}."), grade=grade, **why)
        return False, _filled(_("You chose: {answer}."), answer=answer) + " " + said
    if right:
        return True, _filled(_("Yes, because {why}."), **why)
    if task.kind == Pick.name:
        best = _better(kind, example, order)
        said = _filled(_("Most people find number {best} the best, because {why}."), best=best, **why)
        return False, _filled(_("You chose: {answer}."), answer=answer[0]) + " " + said
    left = _better(kind, example, order) == "left"
    found = _by_place(
        _("Most people find the left one better") if left else _("Most people find the right one better"),
        _("Most people find the upper one better") if left else _("Most people find the lower one better"),
    )
    places = {"left": (_("Left"), _("Upper")), "tie": (_("Tie"), _("Tie")), "right": (_("Right"), _("Lower"))}
    chose = _filled(_("You chose: {answer}."), answer=_by_place(*places[answer.split("-")[-1]]))
    return False, chose + " " + _filled(_("{found}, because {why}."), found=found, **why)


def _by_place(wide: str, stacked: str) -> Markup:
    """Words for sides that stand beside each other, and for those that are stacked."""
    return Markup('<span class="wide">{}</span><span class="stacked">{}</span>').format(wide, stacked)


def _filled(sentence: str, **parts: str) -> Markup:
    """Fill a sentence with escaped parts."""
    return escape(sentence).format(**parts)
