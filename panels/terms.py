"""Hash of a campaign's terms, which arming confirms."""

import hashlib
import json

from panels.amounts import CENT
from panels.models import Campaign


def terms_hash(campaign: Campaign) -> str:
    """Return the hash of everything that a campaign offers; if it changes, it has to be armed again."""
    said = {
        "panel": campaign.panel,
        "environment": campaign.environment,
        "reward": str(campaign.reward.quantize(CENT)),
        "hourly": str(campaign.hourly.quantize(CENT)),
        "currency": campaign.currency,
        "places": campaign.places,
        "minutes": campaign.minutes,
        "terms": campaign.terms,
    }
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
