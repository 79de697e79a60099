"""Reconciliation: compares both sides and repairs what a crash, a lost response or a person left undone.

Runs at every start, before anything is published, and periodically. Each step may be repeated.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from config.task_queue import sweep_each
from judging.models import Assignment
from panels import money
from panels.amounts import CENT
from panels.base import PANELS, Marketplace, Unavailable, marketplace
from panels.calls import effects, outbox
from panels.models import Budget, Call, Campaign, Entry, Payment, Place
from panels.models.entries import HOLDING
from panels.participants import arrivals, panel_exclusions, participations
from panels.payments import payouts
from panels.recruitment import campaigns
from panels.terms import terms_hash

logger = logging.getLogger(__name__)
State = Campaign.State
AT_ONCE = 25
# How often the list of a panel is read that sends events, since one may be lost.
SELDOM = timedelta(minutes=15)
UNKNOWN_OFFER = (
    "The panel offers what no place here stands for, as after a backup was restored. It is withdrawn. Look "
    "there what was done since."
)


@dataclass
class ReconciliationReport:
    """What reconciling a campaign did, and problems that a person should look at."""

    done: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def going_on() -> QuerySet[Campaign]:
    """Return the campaigns that are armed and not closed."""
    found = Campaign.objects.exclude(state__in=[State.DRAFT, State.CLOSED]).select_related("study")
    return found.order_by("pk")


def make_calls(campaign_id: int | None = None, *, most: int = AT_ONCE) -> int:
    """Make the due calls of one campaign or of all, at most `most`; return how many were tried."""
    chosen = None if campaign_id is None else Campaign.objects.filter(pk=campaign_id)
    found = list(outbox.due(chosen).values_list("pk", flat=True)[:most])
    sweep_each("calls", found, outbox.make)
    return len(found)


def reconcile(campaign: Campaign, *, survey: bool = True) -> ReconciliationReport:
    """Reconcile a campaign; report what each step did, and what needs a person.

    Calls are stored, not made. survey: whether to read the panel's list.
    """
    report = ReconciliationReport()
    panel = PANELS[campaign.panel]
    if not isinstance(panel, Marketplace):
        report.done["hours owed"] = payouts.owe_batches(campaign)
        report.problems += money.check(money.budget_of(campaign))
        if campaign.state != State.DRAFT and campaign.terms_hash != terms_hash(campaign):
            report.problems.append("The hourly pay was changed: nothing more is owed until it is armed anew.")
        return report
    try:
        if survey and is_first_of_hour(campaign):
            # Before anything is published, because an unknown offer means that a backup was restored.
            report.problems += withdraw_strays(campaign)
            report.problems += compare_charges(campaign)
    except Unavailable as error:
        report.problems.append(f"{panel.title} could not be asked: {error}")
    campaign.refresh_from_db(fields=["troubled"])
    steps: list[tuple[str, Callable[[], int]]] = [
        ("finished", lambda: note_finished(campaign)),
        ("confirmed or returned", lambda: participations.collect(campaign) if survey else 0),
        ("given up", lambda: participations.give_up_late(campaign)),
        ("exclusions", lambda: panel_exclusions.tell(campaign)),
        ("places withdrawn", lambda: expire(campaign)),
        ("places published", lambda: top_up(campaign)),
    ]
    for name, step in steps:
        try:
            report.done[name] = step()
        except Unavailable as error:
            report.problems.append(f"{panel.title} could not be asked: {error}")
        except money.OverCap as error:
            report.problems.append(str(error))
        except campaigns.CannotCampaign as error:
            report.problems.append(str(error))
    report.problems += money.check(Budget.objects.get(pk=money.budget_of(campaign).pk))
    report.problems += _for_people(campaign)
    return report


def note_finished(campaign: Campaign) -> int:
    """Note entries whose submitted batch was not noted before; return how many."""
    sent = Entry.objects.filter(
        campaign=campaign, state=Entry.State.WORKING, assignment__submitted_at__isnull=False
    ).exclude(assignment__state=Assignment.State.LAPSED)
    found = list(sent)
    for entry in found:
        arrivals.finished(entry)
    return len(found)


def expire(campaign: Campaign) -> int:
    """Expire places that nobody took in time, and withdraw those of a stopped campaign.

    Returns how many have expired now; a withdrawal is only stored as a call.
    """
    panel = marketplace(campaign.panel)
    live = Place.objects.filter(campaign=campaign, state=Place.State.LIVE)
    # A person who took it at the last moment may still work on it, and may not have arrived here.
    latest = timezone.now() - arrivals.duration(campaign) - arrivals.GRACE
    nobodys = Q(state=Place.State.LIVE) | Q(state=Place.State.TAKEN) & ~Q(entries__state__in=HOLDING)
    over = list(Place.objects.filter(nobodys, campaign=campaign, expires_at__lte=latest).distinct())
    for place in over:
        if Place.objects.filter(pk=place.pk, state=place.state).update(state=Place.State.EXPIRED):
            money.post_now(campaign, money.release(place))
    if campaign.state != State.STOPPING or not panel.own_places or "expire" not in panel.repeats:
        return len(over)
    withdrawn = campaign.calls.filter(op="expire", state=Call.State.DONE).values("place")
    # Its holder returned it or ran out of time, and it is no longer offered.
    back = list(live.filter(pk__in=withdrawn))
    for place in back:
        if Place.objects.filter(pk=place.pk, state=Place.State.LIVE).update(state=Place.State.EXPIRED):
            money.post_now(campaign, money.release(place))
    for place in live.exclude(outside="").exclude(pk__in=withdrawn):
        effects.withdraw(place)
    return len(over) + len(back)


def is_survey_due(campaign: Campaign) -> bool:
    """Return True if a campaign's list is due to be read: seldom where the panel sends events."""
    panel, before = PANELS[campaign.panel], campaign.surveyed_at
    seldom = isinstance(panel, Marketplace) and panel.sends_events
    return not seldom or before is None or timezone.now() - before >= SELDOM


def is_first_of_hour(campaign: Campaign) -> bool:
    """Return True if the panel's list of a campaign was not read in this hour yet."""
    before = campaign.surveyed_at  # as it was before this reconciliation
    return before is None or timezone.now() - before.replace(minute=0, second=0) >= timedelta(hours=1)


def compare_charges(campaign: Campaign) -> list[str]:
    """Stop publishing where the panel charges a higher fee than is set aside, since the cap would be passed;
    return a sentence about it.
    """
    panel = marketplace(campaign.panel)
    charged = panel.charges(campaign)
    if charged is None:
        return []
    expected = panel.fee(charged.paid, "reward", campaign.terms)
    # The panel may round the fee of each payment up.
    rounded = CENT * Payment.objects.filter(campaign=campaign).count()
    if charged.fees <= expected + rounded:
        return []
    said = (
        f"{panel.title} charged {charged.fees} {campaign.currency} of fees and tax on {charged.paid}, and "
        f"this campaign sets {expected} aside. So that the cap is not passed, close it, and make one with "
        "the account's fee."
    )
    effects.trouble(campaign, said)
    return [said]


def withdraw_strays(campaign: Campaign) -> list[str]:
    """Withdraw the panel's offers for a campaign that match no place here; return sentences about them.

    A new one stops publishing until somebody has looked, because other things done since the backup are
    unknown too. All offers of the account may have to be read.
    """
    said = []
    for stray in marketplace(campaign.panel).strays(campaign):
        key = effects.key_of(campaign, "withdraw", stray.outside)
        if not campaign.calls.filter(key=key).exists():
            effects.trouble(campaign, UNKNOWN_OFFER)
        effects.intend(campaign, "withdraw", key, request={"outside": stray.outside})
        done = "Somebody has taken it: look there whether they are paid." if stray.touched else ""
        said.append(
            f"{stray.outside} was offered and belongs to no place here: it is withdrawn. {done}".strip()
        )
    return said


def top_up(campaign: Campaign) -> int:
    """Publish the places that open questions need, if the campaign does so automatically; return how many."""
    wanted = campaigns.wanted_places(campaign)
    room = campaigns.room(campaign)
    if wanted and room < wanted:
        logger.info("Campaign %s: the cap has room for %s of %s places.", campaign.pk, room, wanted)
    number = min(wanted, room)
    if number:
        campaigns.refuse_beyond_balance(campaign, number)
        campaigns.publish(campaign.pk, number)
    return number


def _for_people(campaign: Campaign) -> list[str]:
    """Return sentences about the differences that a person must resolve by hand."""
    said = []
    if campaign.troubled:
        said.append(f"Publishing has stopped: {campaign.troubled}")
    if review := Payment.objects.filter(campaign=campaign, state=Payment.State.REVIEW).count():
        said.append(f"Payments that wait for you to look at: {review}.")
    doubtful = Call.objects.filter(campaign=campaign, state=Call.State.DOUBT).count()
    if doubtful:
        said.append(f"Calls whose reply was lost, and for which the panel's list is searched: {doubtful}.")
    return said


def compare_books(campaign: Campaign) -> list[str]:
    """Compare our ledger with what the panel says was paid; return a sentence for each difference.

    Raises Unavailable.
    """
    panel = PANELS[campaign.panel]
    books = panel.books(campaign) if isinstance(panel, Marketplace) else None
    if books is None:
        return []
    own = money.sums(campaign)
    said = []
    if own.rewards != books.rewards:
        said.append(f"Rewards: {own.rewards} here, {books.rewards} at {panel.title}.")
    if own.bonuses != books.bonuses:
        said.append(f"Bonuses: {own.bonuses} here, {books.bonuses} at {panel.title}.")
    return said
