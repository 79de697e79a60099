"""Overdue batches: conditions for those whose time is over or whose assessor seems to have left."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from judging.models import OPEN, Assignment, Decision, Decline, Judgment

# Minutes in which a first answer must come to a batch of somebody who joined by the open link.
FIRST_MINUTES = 10
WORKING = Assignment.State.WORKING


def day_of(now: datetime) -> datetime:
    """When the day began that a moment is in, by the server's time zone (UTC)."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def late(batch: str = "pk", path: str = "", *, away: bool = True) -> Q:
    """The condition of open batches that are to be closed, or given back in part: their time is over;
    somebody who joined by the open link took them and gave no answer in the first minutes; or there was no
    sign of life for as long as their task allows.

    batch: the field that holds the batch's id; path: what leads to the batch. away: False leaves out the last
    kind, for those who have just come back. Anyone who has much to read is waited for
    (`Assignment.patience`). One query for the minutes that are waited for.
    """
    now = timezone.now()
    signs = [~Exists(model.objects.filter(assignment=OuterRef(batch))) for model in (Judgment, Decline)]
    unsaid = Q(*signs)
    found = Q(**{f"{path}state__in": OPEN, f"{path}deadline__lte": now})
    waits = Assignment.objects.filter(state__in=OPEN).order_by()
    for idle, patience in waits.values_list("task__idle_minutes", "patience").distinct():
        own = Q(**{f"{path}task__idle_minutes": idle, f"{path}patience": patience})
        first = now - timedelta(minutes=max(FIRST_MINUTES, patience))
        came = {f"{path}state": WORKING, f"{path}assessor__by_link": True, f"{path}opened_at__lte": first}
        found |= own & unsaid & Q(**came)
        if away:
            found |= own & quiet(now - timedelta(minutes=max(idle, patience)), batch, path)
    # Said once more for all of them together, so that only open batches are looked at.
    return Q(**{f"{path}state__in": OPEN}) & found


def quiet(since: datetime, batch: str = "pk", path: str = "") -> Q:
    """The condition of batches that are being judged without a sign of life since then: neither begun nor
    answered nor resumed nor reopened, and of no question was it said that it cannot be judged. `batch` and
    `path` as in `late`.
    """
    answers = Judgment.objects.filter(assignment=OuterRef(batch), created_at__gt=since)
    came = [Decision.What.RESUMED, Decision.What.REOPENED]
    returns = Decision.objects.filter(assignment=OuterRef(batch), what__in=came, created_at__gt=since)
    declined = Decline.objects.filter(assignment=OuterRef(batch), created_at__gt=since)
    opened = {f"{path}state": WORKING, f"{path}opened_at__lte": since}
    return Q(~Exists(answers), ~Exists(declined), ~Exists(returns), **opened)


def begun(assignment_id: int) -> bool:
    """Whether anything was said of a question of this batch: an answer, or that it cannot be judged."""
    return any(model.objects.filter(assignment=assignment_id).exists() for model in (Judgment, Decline))
