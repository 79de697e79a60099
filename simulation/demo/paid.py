"""The paid demonstration: a study offered to simulated workers of an emulated marketplace, by a campaign.

It is made only where the server uses an emulator of Mechanical Turk, as with `make run`.
"""

import json
from dataclasses import replace
from decimal import Decimal

from django.conf import settings
from django.db import transaction
from django.urls import reverse

from collection.models import Study
from panels import money
from panels.models import Campaign
from panels.recruitment import campaigns
from panels.terms import terms_hash
from simulation.demo.material import TEXT, read_truth
from simulation.demo.studies import PASSAGES
from simulation.turkers import Judge, text_of

# Nobody judges it in advance: it is judged for pay.
PAID = replace(PASSAGES, slug="paid", name="Everyday questions, for pay", batches=0, because="")
REWARD, CAP = Decimal("2.00"), Decimal("150.00")
PLACES, FIRST = 60, 10
# Workers of the emulator have no history.
TERMS = {"title": "Which passage answers the question better?", "approved_least": 0, "approved_percent": 0}
# Qualities nearer than this are a tie to simulated workers.
ALIKE = 0.2


def wanted() -> bool:
    """Whether this server is set to an emulated marketplace."""
    return settings.MTURK_MODE == "emulator" and bool(settings.MTURK_EMULATOR_URL)


def campaign_of(study: Study | None) -> Campaign | None:
    """The demonstration's campaign, if it is made."""
    return Campaign.objects.filter(study=study, environment="emulator").first() if study else None


@transaction.atomic
def offer(study: Study) -> Campaign:
    """Make the campaign, arm it on its estimate and publish the first places; once."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    if there := campaign_of(study):
        return there
    made = campaigns.new(
        study, "mturk", environment="emulator", reward=REWARD, places=PLACES, minutes=10, terms=TERMS
    )
    money.set_cap(made, CAP)
    made = campaigns.arm(made.pk, terms_hash(made))
    campaigns.publish(made.pk, FIRST)
    return made


def address_of(campaign: Campaign) -> str:
    """The path of the campaign's page."""
    return reverse("campaign", args=[campaign.study.slug, campaign.pk])


def judge() -> Judge:
    """What simulated workers prefer: the passage of higher true quality, which they know by its text."""
    truth = read_truth(TEXT)
    quality = {}
    for line in (TEXT / "items.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        quality[text_of(item["text"])] = truth[item["topic"]][item["docno"]]

    def prefer(one: str, other: str) -> int:
        gap = quality.get(one, 0.0) - quality.get(other, 0.0)
        return 0 if abs(gap) < ALIKE else 1 if gap > 0 else -1

    return prefer
