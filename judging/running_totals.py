"""Running totals of judgments: a total is cached, and only newer rows are added to it."""

from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar

from django.core.cache import cache
from django.db.models import Max
from django.utils import timezone

from judging.models import JudgmentQuerySet

T = TypeVar("T")
KEPT_SECONDS = 30 * 86400
# Judgments are added each time from here on: one that was being stored may have an earlier number.
LATEST = timedelta(minutes=5)


def added_up(key: str, judgments: JudgmentQuerySet, nothing: T, add: Callable[[T, JudgmentQuerySet], T]) -> T:
    """The total of these judgments, cached under `key`.

    `add` returns a total with more rows in it, and leaves the one that it is given as it is; it is called
    twice at most. Cost grows with what came since the last call.
    """
    upto, total = cache.get(key) or (0, nothing)
    since = judgments.filter(pk__gt=upto)
    last = since.filter(created_at__lt=timezone.now() - LATEST).aggregate(last=Max("pk"))["last"]
    if last is not None:
        # Every row up to there: one with an earlier number may have a later time.
        upto, total = last, add(total, since.filter(pk__lte=last))
        cache.set(key, (upto, total), timeout=KEPT_SECONDS)
    return add(total, judgments.filter(pk__gt=upto))
