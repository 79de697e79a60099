"""Pace of judging: how many answers people gave on each day, and who is at it."""

from collections import Counter
from datetime import date, datetime, timedelta

from django.core.cache import cache
from django.db.models import Count, Max
from django.db.models.functions import TruncDate
from django.utils import timezone

from collection.models import Study
from judging.models import Assessor, Assignment, Judgment, JudgmentQuerySet
from judging.recorded import PANEL

KEPT_SECONDS = 30 * 86400
# Answers are counted each time from here on: one that was being stored may have an earlier number.
LATEST = timedelta(minutes=5)
# Days over which a pace is taken.
RECENT = 7


def per_day(study: Study) -> dict[date, int]:
    """Answers that people gave on each day (UTC), challenges and corrections left out; of all batches, those
    too that were discarded later. Days without any are left out.

    Three queries. What was counted once is kept, so the cost grows with what came since.
    """
    key = f"pace:{study.pk}"
    upto, before = cache.get(key) or (0, Counter[date]())
    own = Judgment.objects.filter(topic__study=study, challenge=False, revision=0, pk__gt=upto)
    own = own.exclude(assignment__assessor__panel=PANEL)
    older = own.filter(created_at__lt=timezone.now() - LATEST)
    last = older.aggregate(last=Max("pk"))["last"]
    if last is not None:
        before = before + Counter(_counted(older.filter(pk__lte=last)))
        upto = last
        cache.set(key, (upto, before), timeout=KEPT_SECONDS)
    return dict(before + Counter(_counted(own.filter(pk__gt=upto))))


def _counted(judgments: JudgmentQuerySet) -> dict[date, int]:
    rows = judgments.order_by().annotate(day=TruncDate("created_at"))
    return dict(rows.values_list("day").annotate(n=Count("pk")))


def recent(days: dict[date, int], today: date | None = None) -> float:
    """Answers a day over the last seven days, or since the first answer if that is later; today counts as a
    whole day once there are others. 0 if nobody answered.
    """
    today = today or timezone.now().date()
    if not days:
        return 0.0
    first = max(min(days), today - timedelta(days=RECENT - 1))
    span = max(1, (today - first).days + 1)
    return sum(n for day, n in days.items() if first <= day <= today) / span


def last_answer(study: Study) -> datetime | None:
    """When somebody answered last, other than from a file. One query; of the latest rows alone."""
    latest = Judgment.objects.filter(topic__study=study).exclude(assignment__assessor__panel=PANEL)
    return latest.order_by("-pk").values_list("created_at", flat=True).first()


def came_since(study: Study, since: datetime) -> int:
    """How many people began or sent a batch since a moment. One query."""
    people = Assessor.objects.filter(study=study).exclude(panel=PANEL)
    batches = Assignment.objects.filter(assessor__in=people, opened_at__gte=since)
    return batches.aggregate(n=Count("assessor", distinct=True))["n"]
