"""Rate limit of calls to a panel, shared by all processes of the installation."""

import time
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from panels.models import Campaign
from panels.models.calls import Pace


def turn(campaign: Campaign, longest: float) -> float:
    """Return the seconds until a call to a campaign's panel may be made, and reserve that moment.

    It is not reserved if it is more than `longest` seconds away. Uses one short transaction.
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
    """Sleep until the reserved moment."""
    if seconds > 0:
        time.sleep(seconds)
