"""Pace of assessors: how quickly and how evenly they answer, for their organizers to look closer at some."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from judging.models import Assessor, Assignment, Judgment
from judging.tasks import KINDS

# Of the people of one page; of more, the newest are looked at.
MOST = 1_500


@dataclass(frozen=True)
class Pace:
    """answers: how many were looked at. seconds: the median time from one answer to the next by the server's
    clock, whatever the browser said. side: the answer other than a tie that was given most, and its share in
    percent; ties: theirs.
    """

    answers: int
    seconds: float
    side: str
    share: int
    ties: int


def paces(assessors: Sequence[Assessor]) -> dict[int, Pace]:
    """The pace of each assessor who answered on our pages, by id. One query, of 1,500 batches at most.

    By the batches of these people: answers in the order of the ledger would be read past everybody's.
    """
    batches = Assignment.objects.filter(assessor__in=assessors, slot__source="").order_by("-pk")[:MOST]
    rows = Judgment.objects.filter(assignment__in=batches.values("pk")).order_by("pk")
    fields = ("assignment__assessor", "assignment", "assignment__opened_at", "created_at", "value")
    found = rows.values_list(*fields, "assignment__task__kind")
    seconds: dict[int, list[float]] = defaultdict(list)
    said: dict[int, Counter[str]] = defaultdict(Counter)
    last: dict[int, datetime] = {}
    for assessor, batch, opened, created, value, kind in found:
        seconds[assessor].append((created - last.get(batch, opened)).total_seconds())
        last[batch] = created
        # How sure somebody was of a side is no other side.
        said[assessor][KINDS[kind].word(value).removeprefix("definitely-")] += 1
    return {assessor: _pace(seconds[assessor], said[assessor]) for assessor in said}


def _pace(seconds: list[float], said: Counter[str]) -> Pace:
    answers, ties = said.total(), said.pop("tie", 0)
    side, times = said.most_common(1)[0] if said else ("", 0)
    return Pace(
        answers,
        round(median(seconds), 1),
        side,
        round(100 * times / answers),
        round(100 * ties / answers),
    )
