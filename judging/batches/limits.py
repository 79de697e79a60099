"""Limits of a study: batches a person, batches a day, a closing date, a stop at so many judgments; and people
who are paused.

Each holds where a batch would be handed out; what was begun may always be finished. The written twin of
`reached` is part of `statements.arriving.ARRIVING`. People who come at the same moment may pass the limits of
a day and of judgments together, by a batch each; a person's own limit is exact.
"""

from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from django.db.models import Sum
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from collection.models import Study
from judging.batches.overdue import day_of
from judging.models import Assessor, Assignment, Question


class Why(StrEnum):
    """Why somebody is given no batch now, though the study is open."""

    PAUSED = "held"
    EACH = "yours"
    DAY = "today"
    ENOUGH = "closed"


SENTENCES = {
    Why.PAUSED: _("You are not given new batches at the moment. Please come back later."),
    Why.EACH: _("You have judged as many batches as one person can judge in this study. Thank you."),
    Why.DAY: _("All batches of today have been given out. Please come back tomorrow."),
    Why.ENOUGH: _("This study has all the judgments that it asked for. Thank you."),
}


class Use(NamedTuple):
    """How much of a limit is used: what it limits, as the settings call it."""

    name: str
    used: int
    most: int

    @property
    def reached(self) -> bool:
        return self.used >= self.most


def reached(study: Study, assessor: Assessor | None = None) -> Why | None:
    """The limit that keeps an assessor, or somebody new, from a batch now; None if none does.

    A query for each limit that the study has, and none without. The closing date is `study.is_past`. For
    those who are excluded by the same queries, and in the same words.
    """
    if assessor is not None and assessor.paused_at is not None:
        return Why.PAUSED
    if study.judgments_most is not None and judgments(study) >= study.judgments_most:
        return Why.ENOUGH
    if assessor is not None and study.batches_each is not None and batches(assessor) >= study.batches_each:
        return Why.EACH
    if study.batches_a_day is not None and batches_of_the_day(study) >= study.batches_a_day:
        return Why.DAY
    return None


def batches(assessor: Assessor) -> int:
    """Count the batches that a person has been given; those that were not finished in time do not count."""
    return Assignment.objects.filter(assessor=assessor).exclude(state=Assignment.State.LAPSED).count()


def batches_of_the_day(study: Study, now: datetime | None = None) -> int:
    """Count the batches that were begun since the day began; those not finished in time do not count."""
    began = day_of(now or timezone.now())
    given = Assignment.objects.filter(assessor__study=study, source="", opened_at__gte=began)
    return given.exclude(state=Assignment.State.LAPSED).count()


def judgments(study: Study) -> int:
    """Count the questions that are answered and count, or are being judged, each once for each person;
    challenges are left out. Cost grows with the study's questions.
    """
    return Question.objects.filter(topic__study=study).aggregate(n=Sum("taken"))["n"] or 0


def used(study: Study) -> list[Use]:
    """How much of the study's limits is used, of all people together. A query for each that it has, at most
    two.
    """
    found = []
    if study.batches_a_day is not None:
        found.append(Use("Batches today", batches_of_the_day(study), study.batches_a_day))
    if study.judgments_most is not None:
        found.append(Use("Judgments", judgments(study), study.judgments_most))
    return found
