"""Outbox of calls to panels: each is stored before it is made, and recovered after a crash.

    waiting -> calling
    calling -> done | refused | waiting (later) | doubt
    doubt   -> waiting (it may be repeated) | done (found) | refused (proved absent; asked under another key)

Every arrow is one conditional update: a process that finds the row changed leaves it alone. No transaction is
open during a request to a panel. A process that dies during a request leaves the call claimed. When the claim
has run out, the call is in doubt, as is one whose response was lost. The effects of a response
(`panels.calls.effects`) are stored in the transaction that settles the call. A call that fails is postponed,
and the others continue.
"""

import logging
import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from panels.base import Done, Doubt, Later, Looked, Outcome, Refused, Repeat, marketplace
from panels.calls import call_rate, effects
from panels.models import Call, Campaign

logger = logging.getLogger(__name__)
State = Call.State

# Longer than a call with all its timeouts. After it, the process that made the call is considered dead.
CLAIM = timedelta(seconds=settings.PANEL_CLAIM_SECONDS)
# How long a call is repeated under the same token. Panels forget tokens after 24 hours.
TOKEN_IS_KNOWN = timedelta(hours=20)
TOKEN_IS_FORGOTTEN = timedelta(hours=25)
# Two searches without a result, at least this far apart, prove that a call has not happened.
BETWEEN_LOOKS = timedelta(minutes=10)
LOOKS = 2
LONGEST_WAIT = 3600.0
WAITING_OUT_LOUD = 5.0


def due(campaigns: QuerySet[Campaign] | None = None) -> QuerySet[Call]:
    """Return the calls that can be made or searched for now, oldest first."""
    found: QuerySet[Call] = Call.objects.due([State.WAITING, State.DOUBT], [State.CALLING])
    return found if campaigns is None else found.filter(campaign__in=campaigns)


def make(call_id: int) -> bool:
    """Make a call that is due, or search the panel for one in doubt.

    Returns False if another process has it, or it has to wait. A call makes one request; a search reads all
    pages.
    """
    now = timezone.now()
    died = Call.objects.due((), [State.CALLING]).filter(pk=call_id)
    if died.postpone(State.DOUBT, timedelta(0), doubts=F("doubts") + 1):
        logger.warning("Call %s was begun and not ended: it is in doubt.", call_id)
    call = Call.objects.select_related("campaign", "place", "entry", "payment", "exclusion").get(pk=call_id)
    if call.state not in (State.WAITING, State.DOUBT):
        return False
    if call.state == State.DOUBT and not _may_repeat(call, now):
        return _look(call)
    return _perform(call)


def _may_repeat(call: Call, now: datetime) -> bool:
    """Return True if a call in doubt can simply be made again."""
    how = marketplace(call.campaign.panel).repeats[call.op]
    young = call.first_sent_at is None or now - call.first_sent_at < TOKEN_IS_KNOWN
    return how is Repeat.SAFE or (how is Repeat.TOKEN and young)


def _perform(call: Call) -> bool:
    panel = marketplace(call.campaign.panel)
    wait = call_rate.turn(call.campaign, WAITING_OUT_LOUD)
    if wait > WAITING_OUT_LOUD:
        later = timezone.now() + timedelta(seconds=wait)
        Call.objects.filter(pk=call.pk, state=call.state).update(not_before=later)
        return False
    call_rate.pause(wait)
    ready = Call.objects.due([call.state]).filter(pk=call.pk, attempts=call.attempts)
    sent_first = Coalesce("first_sent_at", timezone.now())
    if ready.claim(State.CALLING, CLAIM, first_sent_at=sent_first) is None:
        return False
    call.attempts += 1
    try:
        outcome = panel.refusal(call.campaign)
        said: Outcome = Refused(outcome, closes=True) if outcome else panel.perform(call)
    except Exception as error:  # after any error the request may have gone out
        logger.exception("Call %s failed.", call.pk)
        said = Doubt(f"{type(error).__name__}: {error}")
    settle(call, said)
    return True


@transaction.atomic
def settle(call: Call, said: Outcome, *, how: str = "") -> bool:
    """Store a panel's response to a call and its effects; return False if the call is already settled."""
    stored = Call.objects.select_for_update(no_key=True).get(pk=call.pk)
    if stored.state in (State.DONE, State.REFUSED):
        return False
    now = timezone.now()
    stored.claimed_until = None
    match said:
        case Done(answer, then):
            doubted = "made after a lost reply" if stored.doubts else ""
            _close(stored, State.DONE, how or doubted, now)
            stored.answer, stored.error = dict(answer), ""
            stored.save()
            if then is not None:
                _go_on(stored, *then)
            else:
                effects.done(stored)
        case Refused(message, closes):
            _close(stored, State.REFUSED, how, now)
            stored.error = message[:500]
            stored.save()
            effects.refused(stored, closes)
        case Later(message, seconds):
            stored.state, stored.error = State.WAITING, message[:500]
            stored.not_before = now + timedelta(seconds=seconds or _backoff(stored.attempts))
            stored.save()
        case Doubt(message):
            stored.state, stored.error = State.DOUBT, message[:500]
            stored.doubts += 1
            stored.not_before = now + timedelta(seconds=_backoff(stored.doubts))
            stored.save()
    return True


def _close(call: Call, state: str, how: str, now: datetime) -> None:
    call.state, call.settled_how, call.settled_at = state, how[:100], now


def _go_on(call: Call, op: str, request: Mapping[str, Any]) -> None:
    """Store the next of several calls that belong together."""
    about = {"place": call.place, "entry": call.entry, "payment": call.payment, "exclusion": call.exclusion}
    effects.intend(call.campaign, op, f"{call.key}:{op}", request=request, **about)


def _backoff(times: int) -> float:
    """Return the seconds until the next attempt: exponential, with random jitter."""
    return min(LONGEST_WAIT, 2.0 ** min(times, 12)) * random.uniform(0.5, 1.0)


def _look(call: Call) -> bool:
    """Search the panel for a call in doubt; store it again only once it is proved not to have happened."""
    panel, now = marketplace(call.campaign.panel), timezone.now()
    mine = Call.objects.filter(pk=call.pk, state=State.DOUBT, not_before__lte=now, looks=call.looks)
    # Postponed first: a second worker then leaves it alone, and a crash only delays it.
    if not mine.update(not_before=now + CLAIM):
        return False
    try:
        found = panel.look(call)
    except Exception as error:
        logger.exception("Looking for call %s failed.", call.pk)
        Call.objects.filter(pk=call.pk, state=State.DOUBT).update(error=str(error)[:500])
        return True
    if isinstance(found, Done):
        return settle(call, found, how="found in what the panel lists")
    looked = Call.objects.filter(pk=call.pk, state=State.DOUBT)
    now = timezone.now()
    if found is Looked.UNCLEAR:
        looked.update(not_before=now + timedelta(seconds=_backoff(call.looks + 4)))
        return True
    apart = call.looked_at is None or now - call.looked_at >= BETWEEN_LOOKS
    looks = call.looks + 1 if apart else call.looks
    looked.update(
        looks=looks,
        looked_at=now if apart else call.looked_at,
        not_before=now + BETWEEN_LOOKS + timedelta(seconds=1),
    )
    how = panel.repeats[call.op]
    old = call.first_sent_at is not None and now - call.first_sent_at >= TOKEN_IS_FORGOTTEN
    if looks >= LOOKS and (how is Repeat.LOOK or old):
        _ask_anew(call)
    return True


@transaction.atomic
def _ask_anew(call: Call) -> None:
    """Settle a call that was proved not to have happened, and store it again under another key."""
    stored = Call.objects.select_for_update(no_key=True).get(pk=call.pk)
    if stored.state != State.DOUBT:
        return
    _close(stored, State.REFUSED, f"proved absent by {LOOKS} looks, asked anew", timezone.now())
    stored.save()
    effects.ask_anew(stored)
