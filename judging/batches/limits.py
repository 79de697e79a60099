"""Limits of a study: batches a person, batches a day, judgments in all, a closing date; and paused people.

Limits apply when a batch would be drawn; an open batch may always be finished. The SQL twin of `reached` is
part of `sql_statements.arrival.ARRIVING`. People who arrive at the same moment may exceed the limits of a day
and of judgments by a batch each; the limit of a person is exact.
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
    """The reason why an open study gives somebody no batch now."""

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
    """How much of a limit is used; `limit` is the name of its setting."""

    name: str
    used: int
    most: int

    @property
    def reached(self) -> bool:
        return self.used >= self.most


def reached(study: Study, assessor: Assessor | None = None) -> Why | None:
    """The limit that keeps an assessor, or somebody new, from a batch now; None if there is none.

    The closing date is `study.is_past`. Excluded assessors get the same answer by the same queries.
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
    """Count the batches that a person was given; those that lapsed do not count."""
    return Assignment.objects.filter(assessor=assessor).exclude(state=Assignment.State.LAPSED).count()


def batches_of_the_day(study: Study, now: datetime | None = None) -> int:
    """Count the batches that were begun today; those that lapsed do not count."""
    began = day_of(now or timezone.now())
    given = Assignment.objects.filter(assessor__study=study, source="", opened_at__gte=began)
    return given.exclude(state=Assignment.State.LAPSED).count()


def judgments(study: Study) -> int:
    """Count the questions that are answered and count, or are being judged, once for each person.

    Challenges are left out.
    """
    return Question.objects.filter(topic__study=study).aggregate(n=Sum("taken"))["n"] or 0


def used(study: Study) -> list[Use]:
    """How much of each of the study's limits is used, over all people."""
    found = []
    if study.batches_a_day is not None:
        found.append(Use("Batches today", batches_of_the_day(study), study.batches_a_day))
    if study.judgments_most is not None:
        found.append(Use("Judgments", judgments(study), study.judgments_most))
    return found
