"""Synchronization of exclusions with panels: excluded people get no further places there.

Here an exclusion holds from its decision on. This module decides nothing: it compares.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from panels.base import PANELS, Marketplace, marketplace
from panels.calls import effects
from panels.calls.effects import key_of
from panels.models import Campaign, Entry, PanelExclusion

State = PanelExclusion.State


def tell(campaign: Campaign) -> int:
    """Store the calls that bring a panel's exclusions in line with the study's; return how many."""
    if "exclude" not in marketplace(campaign.panel).repeats:
        return 0
    rows = Entry.objects.filter(campaign=campaign, assessor__isnull=False)
    people = dict(rows.values_list("person_id", "assessor__excluded_at"))
    known = dict(PanelExclusion.objects.filter(campaign=campaign).values_list("person_id", "state"))
    out = [pk for pk, at in people.items() if at and known.get(pk) in (None, State.LIFTED, State.LIFTING)]
    back = [pk for pk, at in people.items() if not at and known.get(pk) in (State.DECIDED, State.EFFECTIVE)]
    for pk in out:
        _change(campaign, pk, State.DECIDED, "exclude")
    for pk in back:
        _change(campaign, pk, State.LIFTING, "readmit")
    return len(out) + len(back)


def tell_closed() -> None:
    """Store the same calls for closed campaigns: who was excluded or let back in since is told to the panel
    all the same, where its group or qualification outlives the campaign.
    """
    told = PanelExclusion.objects.filter(campaign=OuterRef("campaign"), person=OuterRef("person"))
    out = Exists(told.filter(state__in=[State.DECIDED, State.EFFECTIVE]))
    came = Entry.objects.filter(campaign__state=Campaign.State.CLOSED, assessor__isnull=False)
    differ = came.filter(Q(out, assessor__excluded_at=None) | Q(~out, assessor__excluded_at__isnull=False))
    able = [name for name, one in PANELS.items() if isinstance(one, Marketplace) and "exclude" in one.repeats]
    for campaign in Campaign.objects.filter(pk__in=differ.values("campaign"), panel__in=able).order_by("pk"):
        if not marketplace(campaign.panel).refusal(campaign):
            tell(campaign)


@transaction.atomic
def _change(campaign: Campaign, person_id: int, state: str, op: str) -> None:
    PanelExclusion.objects.get_or_create(
        campaign=campaign,
        person_id=person_id,
        defaults={"study_id": campaign.study_id, "state": State.LIFTED},
    )
    row = PanelExclusion.objects.select_for_update().get(campaign=campaign, person=person_id)
    if row.state == state:
        return
    row.state, row.changes = state, row.changes + 1
    row.save(update_fields=["state", "changes"])
    effects.intend(campaign, op, key_of(campaign, op, person_id, row.changes), exclusion=row)
