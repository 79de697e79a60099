"""Disposal of places that are over and paid: the panel deletes them after their costs are recorded here.

A panel's list grows with everything that was ever done in a campaign, and so does the time to compare it;
disposal limits that. Panels without the call "dispose" are skipped.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from panels.base import PANELS
from panels.calls import effects
from panels.models import Call, Campaign, Payment, Place
from panels.models.calls import UNSETTLED

# Places of a campaign at once: calls to a panel are rate limited, and other calls matter more.
AT_ONCE = 50


def due(campaign: Campaign, now: datetime, days: int) -> QuerySet[Place]:
    """Return finished places past their retention time.

    They were paid at least `days` days ago, or were withdrawn or never taken and ended that long ago. Nothing
    is owed for them, and no call about them is unsettled.
    """
    latest = now - timedelta(days=days)
    over = [Place.State.SETTLED, Place.State.EXPIRED]
    waiting = Payment.objects.filter(entry__place=OuterRef("pk")).filter(
        Q(state__in=[Payment.State.DUE, Payment.State.REVIEW]) | Q(paid_at__gt=latest)
    )
    about = Call.objects.filter(Q(place=OuterRef("pk")) | Q(entry__place=OuterRef("pk")))
    # A place is tried once: if the panel refused to tell its costs or to delete it, it is left alone.
    busy = about.filter(Q(state__in=UNSETTLED) | Q(op__in=["total", "dispose"]))
    found = campaign.slots.filter(state__in=over, disposed_at=None, published_at__lte=latest)
    ended = found.filter(Q(state=Place.State.SETTLED) | Q(expires_at__lte=latest))
    return ended.exclude(outside="").exclude(Exists(waiting)).exclude(Exists(busy))


def dispose_due(now: datetime | None = None, days: int | None = None) -> int:
    """Store calls to dispose of the places that are due, 50 for each campaign; return how many.

    days: PANEL_DISPOSE_DAYS by default; 0 disposes of nothing.
    """
    now, days = now or timezone.now(), settings.PANEL_DISPOSE_DAYS if days is None else days
    if days <= 0:
        return 0
    intended = 0
    panels = [name for name, panel in PANELS.items() if "dispose" in getattr(panel, "repeats", {})]
    with_some = Place.objects.filter(campaign=OuterRef("pk"), disposed_at=None).exclude(outside="")
    for campaign in Campaign.objects.filter(Exists(with_some), panel__in=panels).order_by("pk"):
        for place in due(campaign, now, days).order_by("number")[:AT_ONCE]:
            key = effects.key_of(campaign, place.number, place.attempt, "total")
            effects.intend(campaign, "total", key, place=place)
            intended += 1
    return intended
