"""Lists of Prolific: what happened to calls in doubt, and who has taken part. Only reads."""

from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.utils.dateparse import parse_datetime

from panels.amounts import CENT
from panels.base import Books, Charges, Done, Looked, Participation, Stray, WrongAccount
from panels.models import Call, Campaign, Payment
from panels.models.calls import UNSETTLED
from panels.prolific.account import workspace_of
from panels.prolific.client import ERRORS, ask, rows, unavailable
from panels.prolific.external_names import annotation, group_name, minor, new_codes, prefix

OPEN = ("RESERVED", "ACTIVE")
STATUSES = {
    "RESERVED": "active",
    "ACTIVE": "active",
    "PROCESSING": "submitted",
    "AWAITING REVIEW": "submitted",
    "APPROVED": "approved",
    "REJECTED": "rejected",
    # Paid another amount than the reward, by hand at Prolific: needs a review.
    "PARTIALLY APPROVED": "rejected",
    "SCREENED OUT": "rejected",
    "RETURNED": "returned",
    "TIMED OUT": "timed out",
}


def normal(status: Any) -> str:
    """Normalize a status: Prolific writes TIMED-OUT, TIMED_OUT and TIMED OUT."""
    return str(status).upper().replace("-", " ").replace("_", " ")


def submissions(campaign: Campaign) -> Iterator[dict[str, Any]]:
    """Yield all submissions of a campaign's study. Raises one of ERRORS."""
    return rows(f"/studies/{campaign.outside}/submissions/")


def find_group(campaign: Campaign, workspace: str) -> str:
    """Find the study's group in a workspace: its id, or "". Raises one of ERRORS."""
    wanted = group_name(campaign)
    found = [one for one in rows("/participant-groups/", workspace_id=workspace) if one.get("name") == wanted]
    return str(found[0]["id"]) if found else ""


def look_for_group(call: Call) -> Done | Looked:
    try:
        workspace, project = workspace_of(call.campaign)
    except WrongAccount:
        return Looked.UNCLEAR
    found = find_group(call.campaign, workspace)
    codes = call.campaign.refs.get("codes") or new_codes()
    return Done({"group": found, "codes": codes, "project": project}) if found else Looked.ABSENT


def look_for_study(call: Call) -> Done | Looked:
    wanted = annotation(call)
    found = [one for one in rows("/studies/") if one.get("internal_name") == wanted]
    # If there are ever two, the first one is ours. The other one is a draft that nobody sees.
    return Done({"outside": found[0]["id"]}) if found else Looked.ABSENT


def look_for_bonus(call: Call) -> Done | Looked:
    entry, payment = call.entry, call.payment
    assert entry is not None
    assert payment is not None
    listed = Counter(map(int, ask("GET", f"/submissions/{entry.outside}/").get("bonus_payments") or []))
    listed.subtract(paid_before(payment))
    return Done({"how": "bonus sent"}) if listed[minor(payment.amount)] > 0 else Looked.ABSENT


def paid_before(payment: Payment) -> list[int]:
    """Return the other paid bonuses for the same work, in minor units."""
    others = Payment.objects.filter(entry=payment.entry, kind=Payment.Kind.BONUS, state=Payment.State.PAID)
    return [minor(amount) for amount in others.exclude(pk=payment.pk).values_list("amount", flat=True)]


LOOKING = {"group": look_for_group, "draft": look_for_study, "pay_bonus": look_for_bonus}


def look(call: Call) -> Done | Looked:
    """Search Prolific for a call in doubt, on all pages."""
    looking = LOOKING.get(call.op)
    try:
        return looking(call) if looking else Looked.UNCLEAR
    except ERRORS:
        return Looked.UNCLEAR


def survey(campaign: Campaign) -> Iterable[Participation]:
    """Yield the participations of a campaign. Makes one request for each hundred submissions."""
    if not campaign.outside:
        return
    try:
        for one in submissions(campaign):
            status = STATUSES.get(normal(one.get("status")))
            if status is not None:
                yield Participation(
                    outside=str(one["id"]),
                    place="",
                    person=str(one.get("participant_id") or one.get("participant")),
                    status=status,
                    accepted_at=_time(one.get("started_at")),
                    submitted_at=_time(one.get("completed_at")),
                )
    except ERRORS as error:
        raise unavailable(error) from error


def _time(text: Any) -> datetime | None:
    return parse_datetime(str(text)) if text else None


def strays(campaign: Campaign) -> Iterable[Stray]:
    """Return the campaign's studies at Prolific that it does not have here; reads all of the account.

    Drafts and ended studies are left out: nobody can take a place in them.
    """
    open_calls = campaign.calls.filter(op="draft", state__in=UNSETTLED)
    spared = {annotation(call) for call in open_calls}
    try:
        return [
            Stray(str(one["id"]), bool(one.get("number_of_submissions") or one.get("places_taken")))
            for one in rows("/studies/")
            if str(one.get("internal_name", "")).startswith(prefix(campaign))
            and one["id"] != campaign.outside
            and one["internal_name"] not in spared
            and normal(one.get("status")) in ("ACTIVE", "PAUSED", "SCHEDULED", "PUBLISHING")
        ]
    except ERRORS as error:
        raise unavailable(error) from error


def books(campaign: Campaign) -> Books | None:
    """Return what a campaign has paid: approved submissions by its list, bonuses by the study's cost."""
    if not campaign.outside:
        return None
    try:
        approved = sum(STATUSES.get(normal(one.get("status"))) == "approved" for one in submissions(campaign))
        cost = ask("GET", f"/studies/{campaign.outside}/cost/")
    except ERRORS as error:
        raise unavailable(error) from error
    return Books(campaign.reward * approved, approved, _cost(cost, "bonuses", "rewards"), None)


def charges(campaign: Campaign) -> Charges | None:
    """Return what a campaign has cost; None before it has a study. Raises Unavailable."""
    if not campaign.outside:
        return None
    try:
        cost = ask("GET", f"/studies/{campaign.outside}/cost/")
    except ERRORS as error:
        raise unavailable(error) from error
    return Charges(_of_both(cost, "rewards"), _of_both(cost, "fees") + _of_both(cost, "tax"))


def _of_both(cost: dict[str, Any], kind: str) -> Decimal:
    return _cost(cost, "rewards", kind) + _cost(cost, "bonuses", kind)


def _cost(cost: dict[str, Any], of: str, kind: str) -> Decimal:
    """Return a part of a study's cost, which comes in the subunit of its currency."""
    amount = ((cost.get(of) or {}).get(kind) or {}).get("amount") or 0
    return (Decimal(str(amount)) * CENT).quantize(CENT)
