"""Grades: how good one item is by itself, on two, three or five named grades or from 0 to 100.

A value is the grade as it was given, a whole number. It says nothing of any other item, and so implies no
preference; what many assessors gave is put together by `judging.questions.grading`.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from judging.tasks.base import BadAnswer, Lean, TaskKind, register
from judging.tasks.settings import Settings, number, setting

# Scales whose grades have names: from this grade on an item is relevant; "related" is not.
RELEVANT = {"0-1": 1, "0-2": 2, "0-4": 2}
# How far from the known grade an answer to a challenge may be.
TOLERANCE = {"0-1": 0, "0-2": 1, "0-4": 1, "0-100": 25}
OUT_OF_RANGE = {
    "0-1": _("A grade is 0 or 1."),
    "0-2": _("A grade is a whole number from 0 to 2."),
    "0-4": _("A grade is a whole number from 0 to 4."),
    "0-100": _("A grade is a whole number from 0 to 100."),
}
MEANING = re.compile(r"\s*(\d{1,3}(?:\s*[-–]\s*\d{1,3})?)\s*[:.)=]\s+(.+?)\s*")
LINE = re.compile(r"\s*([0-4])\s*[.)=]?\s+([^:]+?)\s*(?::\s*(.*?))?\s*")
USUAL = {
    "0-1": gettext_noop("""\
1 Relevant: answers the question, or a part of it.
0 Not relevant: does not answer it."""),
    # The first assessment that Clarke et al. propose where the top is what counts (conclusion).
    "0-2": gettext_noop("""\
2 Answers it: says what was asked.
1 Related: gives related information, and does not answer the question.
0 Not relevant: has nothing to do with the question."""),
    "0-4": gettext_noop("""\
4 Perfectly relevant: answers the question fully and says nothing else that matters.
3 Highly relevant: answers the question, but less clearly or among other things.
2 Relevant: answers a part of the question.
1 Related: is about the subject, and does not answer the question.
0 Not relevant: has nothing to do with the question."""),
    "0-100": gettext_noop("""\
100: nobody who asks this could wish for a better one.

75: good; small things are missing or in the way.

50: usable, if there is nothing better.

25: has something to do with it, and does not help.

0: has nothing to do with it."""),
}


class Level(NamedTuple):
    """A named grade as the guidelines explain it."""

    value: int
    name: str
    told: str


class Average(models.TextChoices):
    """How the answers about an item become one grade."""

    MEDIAN = "median", "The median: one odd answer moves it little"
    MEAN = "mean", "The mean: every answer moves it"


@dataclass(frozen=True)
class GradeSettings(Settings):
    """Settings of grading.

    guidelines: shown beside each item. depth: items that a run ranks at this rank or above are graded.
    assessors: answers wanted for each item. average: how they become one grade. grades_first: tournaments
    begin when the grades are the study's.
    """

    guidelines: str = setting(models.TextField(blank=True))
    depth: int = number(10, 1, 1000)
    assessors: int = number(1, 1, 5)
    average: str = setting(models.CharField(choices=Average, default=Average.MEDIAN))
    grades_first: bool = setting(models.BooleanField(default=False))


@register
class GradeTask(TaskKind):
    """One item of a topic, with the study's guidelines in view."""

    name = "grade"
    template = "assessor/_grade.html"
    keys = "assessor/_grade_keys.html"
    scales = {"0-4": range(5), "0-2": range(3), "0-1": range(2), "0-100": range(101)}
    places = ("item",)
    orders = ("0",)
    repeatable = False
    settings = GradeSettings

    def parse(self, form: Mapping[str, Any]) -> int:
        text = str(form.get("choice", "")).strip()
        if not re.fullmatch("[0-9]{1,3}", text):
            raise BadAnswer(_("A grade is a whole number. Choose one, or load the page again."))
        return int(text)

    def word(self, value: int) -> str:
        return str(value)

    def check(self, value: Any, scale: str) -> None:
        if type(value) is not int or value not in self.scales[scale]:
            raise BadAnswer(OUT_OF_RANGE[scale])

    def leans(self, value: int, shown: str) -> Iterable[Lean]:
        """Derive nothing: a grade is about one item alone."""
        return ()

    def is_right(self, value: int, shown: str, expected: Mapping[str, Any]) -> bool:
        """Tell whether a grade is near the known one, which is stored as {"scale": ..., "grade": ...}.

        Of 0 to 4 and 0 to 2 it is right within 1, on the same side of relevant; of 0 to 100 within 25.
        """
        scale, known = expected["scale"], expected["grade"]
        near = abs(value - known) <= TOLERANCE[scale]
        relevant = RELEVANT.get(scale, 0)
        return near and (value >= relevant) == (known >= relevant)

    def order_of_challenge(self, expected: Any, turn: int) -> str:
        return "0"

    def named(self, scale: str) -> bool:
        """Whether each grade of a scale has a name and a button."""
        return scale in RELEVANT

    def checked(self, stored: Mapping[str, Any], scale: str) -> GradeSettings:
        """Check too that guidelines of named grades, if there are any, name each once; the usual ones of
        another scale become those of this one.
        """
        found = GradeSettings.checked(stored)
        if found.guidelines.strip() in USUAL.values():
            found = replace(found, guidelines=USUAL[scale])
        if self.named(scale):
            try:
                self.levels(scale, found.guidelines)
            except ValueError as error:
                raise ValidationError({"guidelines": str(error)}) from error
        return found

    def usual(self, scale: str) -> str:
        """The guidelines of a study that has none of its own."""
        return USUAL[scale]

    def told(self, guidelines: str) -> str:
        """The guidelines of 0 to 100, a text; the usual ones if empty."""
        return guidelines.strip() or USUAL["0-100"]

    def meanings(self, guidelines: str) -> list[tuple[str, str]]:
        """The grades that guidelines of 0 to 100 tell in a line each, with what they mean; empty if any line
        is another.
        """
        lines = [MEANING.fullmatch(line) for line in self.told(guidelines).splitlines() if line.strip()]
        found = [(match[1], match[2]) for match in lines if match]
        return found if len(found) == len(lines) else []

    def levels(self, scale: str, guidelines: str) -> list[Level]:
        """Read the guidelines of named grades, a line a grade, as levels from 0 up; the usual ones if empty.

        Raises ValueError for a line that is none, and for a grade that is missing, told twice or not on the
        scale.
        """
        values = self.scales[scale]
        each = f"Give each grade from 0 to {values[-1]} one."
        found: dict[int, Level] = {}
        for line in filter(str.strip, (guidelines.strip() or USUAL[scale]).splitlines()):
            match = LINE.fullmatch(line)
            if not match:
                raise ValueError(
                    f'"{line.strip()[:60]}" is no grade. Write a line as "2 Highly relevant: what it means".'
                )
            level = Level(int(match[1]), match[2], match[3] or "")
            if level.value not in values:
                raise ValueError(f"The grade {level.value} is not on this scale. {each}")
            if level.value in found:
                raise ValueError(f"The grade {level.value} has two lines. {each}")
            found[level.value] = level
        if missing := [str(value) for value in values if value not in found]:
            raise ValueError(f"No line begins with {', '.join(missing)}. {each}")
        return [found[value] for value in values]
