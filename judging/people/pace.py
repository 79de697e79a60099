"""Pace of judging: answers by day, and how many people judge."""

from collections import Counter
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, Max, Min, Sum
from django.db.models.functions import TruncHour
from django.utils import timezone

from collection.changes import verdicts_version
from collection.models import Study
from judging.models import FROM_FILES, Assessor, Assignment, Judgment, JudgmentQuerySet, QuestionRole
from judging.running_totals import added_up

# Days over which a pace is taken.
RECENT = 7
KEPT_SECONDS = 3600


def per_hour(study: Study) -> dict[datetime, int]:
    """Answers by hour (UTC), in all batches, also discarded ones; without challenges, repeats and
    corrections, and with what was withdrawn later.

    Hours without answers are left out. Counts are cached, so cost grows with what came since.
    """
    own = Judgment.objects.filter(topic__study=study, role=QuestionRole.COUNTS, revision=0)
    own = own.exclude(assignment__assessor__panel=FROM_FILES)
    nothing: Counter[datetime] = Counter()
    found = added_up(f"pace-hours:{study.pk}", own, nothing, _with)
    return dict(found)


def _with(before: Counter[datetime], judgments: JudgmentQuerySet) -> Counter[datetime]:
    return before + Counter(_counted(judgments))


def _counted(judgments: JudgmentQuerySet) -> dict[datetime, int]:
    rows = judgments.order_by().annotate(hour=TruncHour("created_at"))
    return dict(rows.values_list("hour").annotate(n=Count("pk")))


def per_day(study: Study) -> dict[date, int]:
    """Answers by day (UTC), as `per_hour` counts them."""
    return by_day(per_hour(study))


def by_day(hours: Mapping[datetime, int]) -> dict[date, int]:
    """Add up hours to days; days without answers are left out."""
    days: Counter[date] = Counter()
    for hour, n in hours.items():
        days[hour.date()] += n
    return dict(days)


def recent(days: dict[date, int], today: date | None = None) -> float:
    """Answers a day over the last seven days, or since the first answer; 0 without answers.

    Today counts as a whole day if there are others.
    """
    today = today or timezone.now().date()
    if not days:
        return 0.0
    first = max(min(days), today - timedelta(days=RECENT - 1))
    span = max(1, (today - first).days + 1)
    return sum(n for day, n in days.items() if first <= day <= today) / span


def share_kept(study: Study) -> float:
    """Share of decided batches that were kept, in [0, 1]; 1 while none is decided.

    Cached while no batch is decided.
    """
    key = f"share-kept:{study.pk}:{verdicts_version(study)}"
    return cache.get_or_set(key, lambda: _share_kept(study), KEPT_SECONDS) or 0.0


def _share_kept(study: Study) -> float:
    own = Assignment.objects.filter(assessor__study=study).exclude(assessor__panel=FROM_FILES)
    states = {Assignment.State.KEPT: 0, Assignment.State.DISCARDED: 0}
    rows = own.filter(state__in=states).order_by().values_list("state").annotate(n=Count("pk"))
    states |= dict(rows)
    return states[Assignment.State.KEPT] / sum(states.values()) if any(states.values()) else 1.0


def first_answer(study: Study) -> datetime | None:
    """Time of the first answer that did not come from a file."""
    own = Judgment.objects.filter(topic__study=study).exclude(assignment__assessor__panel=FROM_FILES)
    return own.order_by("pk").values_list("created_at", flat=True).first()


def an_hour(hours: Mapping[datetime, int], first: datetime, last: datetime) -> float:
    """Answers an hour from the first to the last, of the hours that had any; at least a minute counts.

    hours: those of `per_hour`. Time in which nobody judged says nothing about how fast people are.
    """
    judged = min((last - first).total_seconds() / 3600, len(hours))
    return sum(hours.values()) / max(judged, 1 / 60)


def last_answer(study: Study) -> datetime | None:
    """Time of the last answer that did not come from a file."""
    latest = Judgment.objects.filter(topic__study=study).exclude(assignment__assessor__panel=FROM_FILES)
    return latest.order_by("-pk").values_list("created_at", flat=True).first()


class Taken(NamedTuple):
    """What the answers so far took: people, hours in view of all together, and when the last one came."""

    people: int
    hours: float
    first: datetime | None
    last: datetime | None


def taken(study: Study) -> Taken:
    """Sum up what the answers so far took, challenges and corrections included. Cost grows with them."""
    own = Judgment.objects.filter(topic__study=study).exclude(assignment__assessor__panel=FROM_FILES)
    found = own.aggregate(
        people=Count("assignment__assessor", distinct=True),
        seconds=Sum("seconds"),
        first=Min("created_at"),
        last=Max("created_at"),
    )
    return Taken(found["people"], (found["seconds"] or 0) / 3600, found["first"], found["last"])


def came_since(study: Study, since: datetime) -> int:
    """Count the people who began or submitted a batch since a moment."""
    people = Assessor.objects.filter(study=study).exclude(panel=FROM_FILES)
    batches = Assignment.objects.filter(assessor__in=people, opened_at__gte=since)
    return batches.aggregate(n=Count("assessor", distinct=True))["n"]
