"""Open batches: how far each is, and when its assessor was last active."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.utils import timezone

from collection.models import Study
from judging.batches.sittings import AWAY_MINUTES
from judging.models import OPEN, Assignment, BatchQuestion, Decision, Judgment
from judging.people import person_names


@dataclass(frozen=True)
class Present:
    """An open batch.

    asked: its questions, without reassigned ones. last: the newest answer, return or opening. away: its
    unanswered questions are with others. quiet: inactive for so long that it may be released. name: of its
    assessor, where a page asked for it.
    """

    assessor_id: int
    answered: int
    asked: int
    last: datetime
    until: datetime
    away: bool
    quiet: bool
    name: str = ""

    @property
    def minutes(self) -> int:
        """Whole minutes since the last activity."""
        return max(0, int((timezone.now() - self.last).total_seconds() // 60))


def named(study: Study, *, labels: bool) -> list[Present]:
    """Open batches of a study, with the names of their assessors (`judging.people.person_names`)."""
    found = present(Assignment.objects.filter(assessor__study=study))
    names = person_names.names(study, [one.assessor_id for one in found], labels=labels)
    return [replace(one, name=names[one.assessor_id]) for one in found]


def present(batches: QuerySet[Assignment]) -> list[Present]:
    """Those of these batches that are open, by the assessor's number."""
    here = {"assignment": OuterRef("pk")}
    answers = Judgment.objects.filter(**here)
    first = answers.first_rows().order_by().values("assignment").annotate(n=Count("pk"))
    places = BatchQuestion.objects.filter(**here).order_by().values("assignment").annotate(n=Count("pk"))
    returns = Decision.objects.filter(what=Decision.What.RESUMED, **here)
    rows = batches.filter(state__in=OPEN).annotate(
        answered=Subquery(first.values("n")),
        asked=Subquery(places.values("n")),
        last=Subquery(answers.order_by("-pk").values("created_at")[:1]),
        back=Subquery(returns.order_by("-pk").values("created_at")[:1]),
    )
    fields = (
        "assessor_id",
        "state",
        "withdrawn",
        "opened_at",
        "deadline",
    )
    long_ago = timezone.now() - timedelta(minutes=AWAY_MINUTES)
    found = []
    for person, state, gone, opened, until, answered, asked, last, back in rows.order_by(
        "assessor_id"
    ).values_list(*fields, "answered", "asked", "last", "back"):
        sign = max(moment for moment in (opened, last, back) if moment)
        away = state == Assignment.State.IDLE
        quiet = not away and sign <= long_ago
        left = (asked or 0) - gone
        found.append(Present(person, answered or 0, left, sign, until, away, quiet))
    return found
