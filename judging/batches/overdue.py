"""Conditions of overdue batches: past their deadline, or without activity for too long."""

from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from judging.models import OPEN, Assignment, Decision, Decline, Judgment

# Minutes in which a first answer must come to a batch of somebody who joined by the open link.
FIRST_MINUTES = 10
WORKING = Assignment.State.WORKING


def day_of(now: datetime) -> datetime:
    """The start of the day of a moment, in the server's time zone (UTC)."""
    return timezone.localtime(now).replace(hour=0, minute=0, second=0, microsecond=0)


def late(batch: str = "pk", path: str = "", *, away: bool = True) -> Q:
    """Condition of open batches that must be closed or partly given back.

    A batch is late past its deadline; if somebody from the open link gave no answer in the first minutes; or
    without activity for as long as its task allows, longer for much text (`Assignment.patience`). batch: the
    field with the batch's id. path: the lookup prefix of the batch's fields. away: False leaves out the last
    case, for an assessor who has just come back.
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
    """Condition of batches being judged without activity since `since`.

    Activity is to begin, answer, resume, reopen or decline. `batch` and `path` as in `late`.
    """
    answers = Judgment.objects.filter(assignment=OuterRef(batch), created_at__gt=since)
    came = [Decision.What.RESUMED, Decision.What.REOPENED]
    returns = Decision.objects.filter(assignment=OuterRef(batch), what__in=came, created_at__gt=since)
    declined = Decline.objects.filter(assignment=OuterRef(batch), created_at__gt=since)
    opened = {f"{path}state": WORKING, f"{path}opened_at__lte": since}
    return Q(~Exists(answers), ~Exists(declined), ~Exists(returns), **opened)


def begun(assignment_id: int) -> bool:
    """Condition of batches with at least one answer or decline."""
    return any(model.objects.filter(assignment=assignment_id).exists() for model in (Judgment, Decline))
