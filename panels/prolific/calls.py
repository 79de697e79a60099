"""Calls to Prolific, and how its responses are interpreted.

A call that reads before it writes sets the wanted total state (number of places, published, stopped) and
never adds to the present one, so a repeat changes nothing.
"""

from collections.abc import Callable
from typing import Any

from panels.base import Done, Doubt, Later, Outcome, Refused, WrongAccount
from panels.models import Call, Campaign, Entry
from panels.models.calls import UNSETTLED
from panels.models.entries import HOLDING
from panels.participants import people
from panels.prolific.account import workspace_of
from panels.prolific.campaign_settings import filters_of
from panels.prolific.client import ERRORS, CallFailed, ask, outcome_of
from panels.prolific.external_names import CODES, address, annotation, group_name, minor, new_codes
from panels.prolific.lists import OPEN, find_group, normal, submissions

UNPUBLISHED = "UNPUBLISHED"
OVER = ("AWAITING REVIEW", "COMPLETED")


def group(call: Call) -> Outcome:
    """Find the participant group of a study's excluded people, or create it."""
    campaign = call.campaign
    workspace, project = workspace_of(campaign)
    kept = {"codes": campaign.refs.get("codes") or new_codes(), "project": project}
    if there := find_group(campaign, workspace):
        return Done({"group": there, **kept})
    body = {"name": group_name(campaign), "workspace_id": workspace}
    made = ask("POST", "/participant-groups/", body).get("id")
    return Done({"group": made, **kept}) if made else Doubt("The reply names no participant group.")


def draft(call: Call) -> Outcome:
    """Create the study, unpublished: nobody sees it."""
    campaign, terms = call.campaign, call.campaign.terms
    body: dict[str, Any] = {
        "name": terms["title"],
        "internal_name": annotation(call),
        "description": terms["description"],
        "external_study_url": address(campaign),
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": campaign.refs["codes"][outcome],
                "code_type": kind,
                "actor": "participant",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
            for outcome, kind in CODES.items()
        ],
        "total_available_places": 1,  # until it is published
        "estimated_completion_time": campaign.minutes,
        "maximum_allowed_time": terms["duration_minutes"],
        "reward": minor(campaign.reward),
        "device_compatibility": terms["devices"],
        "filters": [
            {"filter_id": "participant_group_blocklist", "selected_values": [campaign.refs["group"]]},
            *filters_of(terms),
        ],
    }
    if project := campaign.refs.get("project") or terms["project"]:
        body["project"] = project
    made = ask("POST", "/studies/", body).get("id")
    return Done({"outside": made}) if made else Doubt("The reply names no study.")


def _study(campaign: Campaign) -> dict[str, Any]:
    return ask("GET", f"/studies/{campaign.outside}/")


def publish(call: Call) -> Outcome:
    """Set the total number of places, and publish the study."""
    campaign, places = call.campaign, int(call.request["places"])
    path = f"/studies/{campaign.outside}/"
    study = _study(campaign)
    status = normal(study.get("status"))
    there = int(study.get("total_available_places", 0))
    if there < places or (status == UNPUBLISHED and there != places):
        ask("PATCH", path, {"total_available_places": places})
    if status == UNPUBLISHED:
        ask("POST", f"{path}transition/", {"action": "PUBLISH"})
    return Done()


def expire(call: Call) -> Outcome:
    """Stop the study; done once everybody who has taken a place there has arrived here."""
    campaign = call.campaign
    status = normal(_study(campaign).get("status"))
    if status not in (*OVER, UNPUBLISHED):
        ask("POST", f"/studies/{campaign.outside}/transition/", {"action": "STOP"})
    here = set(Entry.objects.filter(campaign=campaign, state__in=HOLDING).values_list("outside", flat=True))
    coming = [
        one for one in submissions(campaign) if normal(one.get("status")) in OPEN and one["id"] not in here
    ]
    if coming:
        return Later(f"{len(coming)} have taken a place and are not here yet.", 60.0)
    return Done({"pending": 0})


def withdraw(call: Call) -> Outcome:
    """Stop a study that belongs to no campaign here."""
    named = str(call.request["outside"])
    study = ask("GET", f"/studies/{named}/")
    if normal(study.get("status")) not in (*OVER, UNPUBLISHED):
        ask("POST", f"/studies/{named}/transition/", {"action": "STOP"})
    return Done()


def approve(call: Call) -> Outcome:
    """Approve a submission; there is no call that rejects one."""
    assert call.entry is not None
    path = f"/submissions/{call.entry.outside}/"
    try:
        ask("POST", f"{path}transition/", {"action": "APPROVE"})
    except CallFailed as error:
        if error.status not in (400, 409, 422):
            raise
        status = normal(ask("GET", path).get("status"))
        if status == "APPROVED":
            return Done({"how": "approved before"})
        if status in (*OPEN, "PROCESSING", "AWAITING REVIEW"):
            return Later(error.message, 60.0)  # they have not returned to Prolific yet
        return Refused(f"It is {status.lower()} at Prolific. {error.message}")
    return Done({"how": "approved"})


def bonus(call: Call) -> Outcome:
    """Register a bonus without paying it, the first of two steps; safe to repeat."""
    entry, payment = call.entry, call.payment
    assert entry is not None
    assert payment is not None
    under_way = Call.objects.filter(entry=entry, op="pay_bonus", state__in=UNSETTLED).exclude(payment=payment)
    if under_way.exists():
        # In the panel's list the two could not be told apart.
        return Later("Another bonus for the same work is being paid.", 60.0)
    line = f"{entry.outside},{payment.amount:.2f}"
    body = {"study_id": call.campaign.outside, "csv_bonuses": line}
    made = ask("POST", "/submissions/bonus-payments/", body)
    if not made.get("id"):
        return Doubt("The reply names no payment.")
    if (understood := made.get("amount")) is not None and understood != minor(payment.amount):
        return Refused(f"Prolific understood {understood} in place of {minor(payment.amount)} cents.")
    return Done({"bulk": made["id"]}, then=("pay_bonus", {"bulk": made["id"]}))


def pay_bonus(call: Call) -> Outcome:
    """Pay a registered bonus, the second step; a repeat would pay again."""
    ask("POST", f"/bulk-bonus-payments/{call.request['bulk']}/pay/")
    return Done({"how": "bonus sent"})


def exclude(call: Call) -> Outcome:
    return _members(call, "POST")


def readmit(call: Call) -> Outcome:
    return _members(call, "DELETE")


def _members(call: Call, method: str) -> Outcome:
    assert call.exclusion is not None
    whom = people.raw(call.exclusion.person)
    if not whom:
        return Refused("Prolific's id of this person was destroyed, so it cannot be told.")
    path = f"/participant-groups/{call.campaign.refs['group']}/participants/"
    ask(method, path, {"participant_ids": [whom]})
    return Done()


CALLS: dict[str, Callable[[Call], Outcome]] = {
    "group": group,
    "draft": draft,
    "publish": publish,
    "approve": approve,
    "bonus": bonus,
    "pay_bonus": pay_bonus,
    "exclude": exclude,
    "readmit": readmit,
    "expire": expire,
    "withdraw": withdraw,
}


def perform(call: Call) -> Outcome:
    """Make a call; every error is turned into an outcome."""
    try:
        return CALLS[call.op](call)
    except WrongAccount as error:
        return Refused(str(error), closes=True)
    except ERRORS as error:
        return outcome_of(error)
