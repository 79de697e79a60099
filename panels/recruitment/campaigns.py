"""Campaigns, from draft to closed: each step is one transaction, noted in the trail, and safe to repeat.

    draft -> armed -> running -> stopping -> closed

Arming confirms the estimate that was shown. After any later change, publishing waits until the campaign is
armed again. Publishing reserves the money of each place under the budget's lock, and stores a call for it,
which `panels.calls.outbox` makes. Stopping and closing are in `panels.recruitment.closure`.
"""

from collections.abc import Mapping
from decimal import ROUND_UP, Decimal
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max, Sum
from django.utils import timezone

from collection import audit_log
from collection.models import Study
from judging.questions import asking
from judging.questions.expected_time import typical_batch
from panels import money
from panels.base import PANELS, Marketplace, Unavailable, WrongAccount
from panels.calls import effects
from panels.models import Campaign, Entry, Place
from panels.money import Kind
from panels.payments import payouts
from panels.terms import terms_hash

State, PlaceState = Campaign.State, Place.State
# Sizes of the first waves: small enough to look at the results before more is published.
WAVES = (10, 50)
# States of a place whose work has not come back.
OUT = frozenset({PlaceState.RESERVED, PlaceState.LIVE, PlaceState.TAKEN})
# Fields of a campaign that can be changed, besides its terms.
FIELDS = ("name", "reward", "hourly", "currency", "floor", "minutes", "places", "topped_up")


# Upper limits: a week, and more places than any panel has people.
MOST = {"minutes": 7 * 24 * 60, "places": 100_000}


class CannotCampaign(Exception):
    """The reason why something was not done with a campaign, as a sentence that says what to do next."""


def locked(campaign_id: int) -> Campaign:
    """Return a campaign, locked until the transaction ends."""
    return (
        Campaign.objects.select_for_update(no_key=True, of=("self",))
        .select_related("study")
        .get(pk=campaign_id)
    )


@transaction.atomic
def new(study: Study, panel: str, *, environment: str = "", preset: str = "", **given: Any) -> Campaign:
    """Create a draft of a campaign.

    environment: "" for the panel's default. preset: a service with preset settings (`Marketplace.presets`).
    Raises CannotCampaign for an unknown panel, preset or environment, and for settings that are not valid.
    """
    if panel not in PANELS:
        raise CannotCampaign(f"There is no panel {panel!r}. There are: {', '.join(PANELS)}.")
    own = PANELS[panel]
    if not own.offer:
        raise CannotCampaign("People with an account are paid by a campaign of invited people: “local”.")
    worlds = own.environments if isinstance(own, Marketplace) else ("live",)
    environment = environment or (own.environment() if isinstance(own, Marketplace) else "live")
    if environment not in worlds:
        raise CannotCampaign(f"{own.title} has no {environment!r}. It has: {', '.join(worlds)}.")
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    last = Campaign.objects.filter(study=study).aggregate(n=Max("number"))["n"] or 0
    campaign = Campaign(
        study=study, panel=panel, environment=environment, number=last + 1, currency=study.currency
    )
    presets = own.presets if isinstance(own, Marketplace) else {}
    if preset and preset not in presets:
        raise CannotCampaign(f"{own.title} has no preset {preset!r}. It has: {', '.join(presets) or 'none'}.")
    given["name"] = str(given.get("name") or f"{presets.get(preset, own.title)} {last + 1}")
    if isinstance(own, Marketplace):
        campaign.terms = {**own.defaults, **own.starting_terms(preset)}
        if study.currency not in own.currencies:
            campaign.currency = own.currencies[0]
    _allow_time(campaign)
    _set(campaign, given)
    campaign.save()
    audit_log.note(
        study.pk, audit_log.What.CAMPAIGN, about=f"campaign {campaign.number}", after=_said(campaign)
    )
    return campaign


def _allow_time(campaign: Campaign) -> None:
    """Raise the expected minutes and the time limit to those of a typical batch."""
    task = campaign.study.tasks.order_by("position").first()
    if task is None:
        return
    expected = typical_batch(task, campaign.study)
    campaign.minutes = max(campaign.minutes, expected.minutes)
    if "duration_minutes" in campaign.terms:
        campaign.terms["duration_minutes"] = max(campaign.terms["duration_minutes"], expected.limit(task))


@transaction.atomic
def change(campaign_id: int, **given: Any) -> Campaign:
    """Change a campaign's settings; if it was armed, it has to be armed again.

    terms: the ones to replace. Reward, currency and terms of published places cannot change. Raises
    CannotCampaign.
    """
    campaign = locked(campaign_id)
    if campaign.state in (State.STOPPING, State.CLOSED):
        raise CannotCampaign("This campaign is over. Make a new one.")
    before = _said(campaign)
    fixed = {"reward", "currency", "terms"} & given.keys()
    published = campaign.slots.exclude(state=PlaceState.REFUSED).exists()
    changed = [name for name in fixed if given[name] != getattr(campaign, name)]
    if published and changed:
        raise CannotCampaign(
            f"Places with these terms are published, so {', '.join(sorted(changed))} cannot change. "
            "Stop this campaign and make a new one."
        )
    _set(campaign, given)
    campaign.save()
    if (after := _said(campaign)) != before:
        about = f"campaign {campaign.number}"
        audit_log.note(campaign.study_id, audit_log.What.CAMPAIGN, about=about, before=before, after=after)
    return campaign


def _set(campaign: Campaign, given: Mapping[str, Any]) -> None:
    """Validate and set the given fields. Raises CannotCampaign with each problem."""
    unknown = given.keys() - {*FIELDS, "terms"}
    if unknown:
        raise CannotCampaign(f"A campaign has no {', '.join(sorted(unknown))}.")
    own = PANELS[campaign.panel]
    problems = []
    for name in FIELDS:
        if name in given:
            setattr(campaign, name, given[name])
            try:
                Campaign._meta.get_field(name).clean(given[name], campaign)  # type: ignore[union-attr]
            except ValidationError as error:
                problems += [f"{name}: {message}" for message in error.messages]
            if name in MOST and given[name] > MOST[name]:
                problems.append(f"{name}: at most {MOST[name]:,}.")
    if isinstance(own, Marketplace):
        terms = {**campaign.terms, **given.get("terms", {})}
        strange = terms.keys() - own.defaults.keys()
        problems += [f"{own.title} has no setting {name!r}." for name in sorted(strange)]
        problems += own.check_terms({**own.defaults, **terms}).values()
        campaign.terms = terms
        if campaign.currency not in own.currencies:
            problems.append(f"{own.title} pays in {' or '.join(own.currencies)}.")
    elif given.get("terms"):
        problems.append(f"{own.title} have no settings of their own.")
    if campaign.reward < 0 or campaign.hourly < 0 or campaign.floor < 0:
        problems.append("An amount cannot be less than 0.")
    if campaign.places < 1:
        problems.append("At least one place is needed.")
    if problems:
        raise CannotCampaign(" ".join(problems))


def _said(campaign: Campaign) -> dict[str, Any]:
    said = {name: str(getattr(campaign, name)) for name in FIELDS}
    return {**said, "panel": campaign.panel, "environment": campaign.environment, **campaign.terms}


def armable(campaign: Campaign, shown_hash: str, *, typed: str = "", acknowledged: bool = False) -> list[str]:
    """Return why a campaign cannot be armed, in sentences with what to do; [] if it can."""
    said = []
    if campaign.state not in (State.DRAFT, State.ARMED, State.RUNNING):
        said.append("This campaign is over.")
    if shown_hash != terms_hash(campaign):
        said.append("The terms are others than those of the estimate that you saw. Look at it again.")
    if not campaign.study.opened_at:
        said.append(
            "The study is not open for judging yet. Open it first: anyone who comes would find nothing."
        )
    own = PANELS[campaign.panel]
    if isinstance(own, Marketplace):
        said += [why] if (why := own.refusal(campaign)) else []
        said += own.needs(campaign)
        if not campaign.study.says_who_asks:
            said.append("The study does not say who asks and whom to write to: see its settings.")
    if campaign.environment == "production":
        if typed != campaign.name:
            said.append(f"Type the campaign's name, {campaign.name}, to arm it for production.")
        if not acknowledged:
            said.append("Acknowledge that real people will be asked and paid.")
    first = min(WAVES[0], campaign.places) * payouts.cost(campaign)
    budget = money.budget_of(campaign)
    if not isinstance(own, Marketplace):
        said += [] if campaign.hourly else ["Say what an hour pays."]
        said += (
            [] if budget.cap > budget.committed else ["The cap leaves nothing. Set what the study may spend."]
        )
    if campaign.reward and budget.cap - budget.committed < first:
        said.append(
            f"The cap leaves {budget.cap - budget.committed} {campaign.currency}; the first places cost "
            f"{first}. Raise the cap."
        )
    return said


@transaction.atomic
def arm(
    campaign_id: int,
    shown_hash: str,
    *,
    typed: str = "",
    acknowledged: bool = False,
    by: User | AnonymousUser | None = None,
) -> Campaign:
    """Arm a campaign on the estimate with this hash. Raises CannotCampaign with every reason against it."""
    campaign = locked(campaign_id)
    if problems := armable(campaign, shown_hash, typed=typed, acknowledged=acknowledged):
        raise CannotCampaign(" ".join(problems))
    campaign.terms_hash, campaign.armed_at = shown_hash, timezone.now()
    campaign.armed_by = by if isinstance(by, User) else None
    campaign.refs.setdefault("armed first", campaign.armed_at.isoformat())
    if campaign.state == State.DRAFT:
        campaign.state = State.ARMED
    campaign.save(update_fields=["terms_hash", "armed_at", "armed_by", "refs", "state"])
    after = {
        "hash": shown_hash[:12],
        "environment": campaign.environment,
        "each": str(payouts.cost(campaign)),
    }
    audit_log.note(campaign.study_id, audit_log.What.ARMED, about=f"campaign {campaign.number}", after=after)
    return campaign


def next_wave(campaign: Campaign) -> int:
    """Return the suggested number of places of the next wave: 10, then 50, then the rest."""
    published = campaign.slots.exclude(state=PlaceState.REFUSED).count()
    rest = max(0, campaign.places - published)
    waves = [upto - published for upto in (WAVES[0], sum(WAVES)) if published < upto]
    return min(rest, waves[0]) if waves else rest


def refuse_beyond_balance(campaign: Campaign, number: int) -> None:
    """Raise CannotCampaign if the account at the panel cannot pay for so many places, is the wrong one, or is
    charged more for them than the campaign sets aside.

    Asks the panel: call it outside of a transaction, before `publish`. A balance that cannot be read is also
    a reason to refuse, but not in a rehearsal.
    """
    panel = PANELS[campaign.panel]
    if not isinstance(panel, Marketplace) or panel.refusal(campaign):
        return
    try:
        balance, charged = panel.balance(campaign), panel.charge(campaign, number)
    except WrongAccount as error:
        raise CannotCampaign(f"{error} Nothing was published.") from error
    except Unavailable as error:
        if campaign.is_rehearsal:
            return
        raise CannotCampaign(
            f"The account's balance could not be read: {error} Nothing was published."
        ) from error
    needed = payouts.cost(campaign) * number
    if balance is not None and needed > balance:
        raise CannotCampaign(
            f"{number} places cost {needed} {campaign.currency}, and the account has {balance}: fill it, or "
            "publish fewer."
        )
    if charged is not None and charged > needed:
        percent = ((charged / (campaign.reward * number) - 1) * 100).quantize(Decimal("0.1"), ROUND_UP)
        raise CannotCampaign(
            f"{panel.title} charges {charged} {campaign.currency} for {number} places, with fee and tax, and "
            f"the campaign sets {needed} aside. Set its fee to {percent} %"
            f"{' in a new campaign' if campaign.slots.exists() else ''}. Nothing was published."
        )


@transaction.atomic
def publish(campaign_id: int, number: int, *, upon: int | None = None) -> list[Place]:
    """Reserve the money of further places, and ask the panel to offer them; return the places.

    Publishes all of them or none. upon: the number of published places when the page was opened, so that a
    second press of the button does nothing. Raises CannotCampaign if the campaign is not armed, has trouble,
    or would exceed the planned number; and OverCap.
    """
    campaign = locked(campaign_id)
    _refuse_unless_armed(campaign)
    if number < 1:
        raise CannotCampaign("Publish at least one place.")
    upto = campaign.slots.exclude(state=PlaceState.REFUSED).count()
    if upon is not None and upto != upon:
        raise CannotCampaign(
            f"{upto} places are published; there were {upon} when this page was opened, so nothing was "
            "added. Look again, and publish more if you like."
        )
    if upto + number > campaign.places:
        raise CannotCampaign(
            f"{campaign.places} places are planned and {upto} are published: "
            f"{campaign.places - upto} are left."
        )
    last = campaign.slots.aggregate(n=Max("number"))["n"] or 0
    places = Place.objects.bulk_create(
        Place(campaign=campaign, number=last + n) for n in range(1, number + 1)
    )
    cost = payouts.cost(campaign)
    if cost:
        money.post(
            campaign,
            [
                money.AccountEntry(Kind.RESERVE, cost, f"reserve:{place.pk}:{place.attempt}", place=place)
                for place in places
            ],
        )
    campaign.state = State.RUNNING
    campaign.save(update_fields=["state"])
    after = {"places": number, "set aside": f"{cost * number} {campaign.currency}"}
    audit_log.note(
        campaign.study_id, audit_log.What.PUBLISHED, about=f"campaign {campaign.number}", after=after
    )
    if isinstance(PANELS[campaign.panel], Marketplace):
        effects.publish_reserved(campaign)
    return places


def _refuse_unless_armed(campaign: Campaign) -> None:
    if campaign.state in (State.STOPPING, State.CLOSED):
        raise CannotCampaign("This campaign is over. Make a new one.")
    if campaign.state == State.DRAFT or not campaign.terms_hash:
        raise CannotCampaign("This campaign is not armed. Read its estimate, and arm it.")
    if campaign.terms_hash != terms_hash(campaign):
        raise CannotCampaign(
            "The terms have changed since it was armed. Read the estimate again, and arm it anew."
        )
    if campaign.troubled:
        raise CannotCampaign(f"Publishing has stopped: {campaign.troubled} Fix it, and continue with Go on.")
    own = PANELS[campaign.panel]
    if isinstance(own, Marketplace):
        if why := own.refusal(campaign):
            raise CannotCampaign(why)
    elif own.invites_by_name:
        raise CannotCampaign("Invited people need no places: their measured time is owed as they judge.")


@transaction.atomic
def go_on(campaign_id: int) -> None:
    """Note that the problem that had stopped publishing is fixed."""
    campaign = locked(campaign_id)
    if campaign.troubled:
        before = {"troubled": campaign.troubled}
        campaign.troubled = ""
        campaign.save(update_fields=["troubled"])
        about = f"campaign {campaign.number}"
        audit_log.note(
            campaign.study_id, audit_log.What.CAMPAIGN, about=about, before=before, after={"troubled": ""}
        )


def room(campaign: Campaign) -> int:
    """Return for how many places the cap has room."""
    cost, budget = payouts.cost(campaign), money.budget_of(campaign)
    return int((budget.cap - budget.committed) // cost) if cost else campaign.places


def wanted_places(campaign: Campaign) -> int:
    """Return how many further places the open questions need; 0 if the campaign is not topped up, and until
    the first wave came back: somebody wants to look at it first.

    Places that are published and not taken yet, and people who have arrived and not begun, are subtracted.
    """
    if not campaign.topped_up or campaign.state != State.RUNNING or campaign.troubled:
        return 0
    published = campaign.slots.exclude(state=PlaceState.REFUSED).order_by("number")
    if not OUT.isdisjoint(published.values_list("state", flat=True)[: WAVES[0]]):
        return 0
    left = asking.open_questions(campaign.study).values_list("task", "task__batch_size")
    waiting_for = left.annotate(n=Sum(F("wanted") - F("taken")))
    batches = sum(-(-n // size) for _, size, n in waiting_for.order_by())
    waiting = campaign.slots.filter(state__in=[PlaceState.RESERVED, PlaceState.LIVE]).count()
    arrived = Entry.objects.filter(campaign=campaign, state=Entry.State.OPENED).count()
    planned = campaign.places - campaign.slots.exclude(state=PlaceState.REFUSED).count()
    return max(0, min(batches - waiting - arrived, planned))
