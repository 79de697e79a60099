"""Pace of calls to a panel: so many a second for the whole installation, no matter who makes them."""

import time
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from panels.models import Campaign
from panels.models.calls import Pace


def turn(campaign: Campaign, longest: float) -> float:
    """Seconds until a call may be made to a campaign's panel. That moment is then taken, unless it is farther
    off than `longest` seconds. One short transaction.
    """
    apart = timedelta(seconds=1 / settings.PANEL_CALLS_A_SECOND)
    about = {"panel": campaign.panel, "environment": campaign.environment}
    Pace.objects.get_or_create(**about, defaults={"free_at": timezone.now()})
    with transaction.atomic():
        pace = Pace.objects.select_for_update().get(**about)
        now = timezone.now()
        at = max(pace.free_at, now)
        if at - now <= timedelta(seconds=longest):
            pace.free_at = at + apart
            pace.save(update_fields=["free_at"])
    return max(0.0, (at - now).total_seconds())


def pause(seconds: float) -> None:
    """Wait for one's turn."""
    if seconds > 0:
        time.sleep(seconds)
