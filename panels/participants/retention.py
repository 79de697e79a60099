"""Disposing: places that are over and paid are forgotten at the panel, after their figures were noted here.

What a panel lists of a campaign grows with all that was ever done in it, and so does the work of comparing
with it; disposal ends that. Where a panel has nothing to dispose of, nothing is done.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from panels.base import PANELS
from panels.calls import effects
from panels.models import Call, Campaign, Payment, Place
from panels.models.calls import UNSETTLED

# Of a campaign in one go: calls to a panel are few in a second, and others matter more.
AT_ONCE = 50


def due(campaign: Campaign, now: datetime, days: int) -> QuerySet[Place]:
    """Finished places past retention: paid at least so many days ago, or withdrawn or not taken and over for
    as long, with nothing owed and no call about them under way.
    """
    latest = now - timedelta(days=days)
    over = [Place.State.SETTLED, Place.State.EXPIRED]
    waiting = Payment.objects.filter(entry__place=OuterRef("pk")).filter(
        Q(state__in=[Payment.State.DUE, Payment.State.REVIEW]) | Q(paid_at__gt=latest)
    )
    about = Call.objects.filter(Q(place=OuterRef("pk")) | Q(entry__place=OuterRef("pk")))
    # A place whose figures the panel would not tell, or that it would not forget, is left to it.
    busy = about.filter(Q(state__in=UNSETTLED) | Q(op__in=["total", "dispose"]))
    found = campaign.slots.filter(state__in=over, disposed_at=None, published_at__lte=latest)
    ended = found.filter(Q(state=Place.State.SETTLED) | Q(expires_at__lte=latest))
    return ended.exclude(outside="").exclude(Exists(waiting)).exclude(Exists(busy))


def dispose_due(now: datetime | None = None, days: int | None = None) -> int:
    """Queue the disposal of due places, 50 of a campaign; return how many.

    days: PANEL_DISPOSE_DAYS by default; 0 leaves all of them at the panel.
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
