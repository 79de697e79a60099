"""Calls to Mechanical Turk: one request each, and how its responses are interpreted."""

from collections.abc import Callable

from django.utils import timezone

from panels.base import Done, Doubt, Later, Outcome, Refused
from panels.models import Call, Person
from panels.mturk import terms as own_terms
from panels.mturk.client import ERRORS, ClientError, client, message_of, outcome_of, says
from panels.mturk.external_names import (
    HIT_IN_MESSAGE,
    address,
    annotation,
    excluded_name,
    named,
    published,
    reference,
    token,
)
from panels.mturk.lists import books_of_hit, look_for_bonus, look_for_hit, look_for_qualification
from panels.participants import people

# Messages of the service for a token that it has seen before.
REPEATED = ("already been processed", "unique request token")
# Attempts to approve a listed assignment that the service says does not exist, before a person has to look.
UNKNOWN = 5


class Forgotten(Exception):
    """The worker's id was destroyed, so no call about them can be made."""


def whom(person: Person) -> str:
    """Return the worker id of a person. Raises Forgotten."""
    if not (found := people.raw(person)):
        raise Forgotten("The marketplace's id of this person was destroyed, so it cannot be told.")
    return found


def qualify(call: Call) -> Outcome:
    made = {
        "Name": excluded_name(call.campaign),
        "Description": "Has no further questions in this study.",
        "QualificationTypeStatus": "Active",
    }
    try:
        answer = client(call.campaign.environment, once=True).create_qualification_type(**made)
    except ClientError as error:
        if not says(error, "already created"):
            raise
        # Created by an earlier campaign of the study, or by this call, whose response was lost.
        found = look_for_qualification(call, client(call.campaign.environment, once=False))
        return found if isinstance(found, Done) else Doubt(message_of(error))
    return named(answer, "QualificationType", "QualificationTypeId", "excluded")


def prepare(call: Call) -> Outcome:
    campaign, terms = call.campaign, call.campaign.terms
    answer = client(campaign.environment, once=True).create_hit_type(
        AutoApprovalDelayInSeconds=terms["approval_hours"] * 3600,
        AssignmentDurationInSeconds=terms["duration_minutes"] * 60,
        Reward=own_terms.dollars(campaign.reward),
        Title=terms["title"],
        Keywords=terms["keywords"],
        Description=terms["description"],
        QualificationRequirements=own_terms.qualifications(
            terms, campaign.environment, campaign.refs["excluded"]
        ),
    )
    if not answer.get("HITTypeId"):
        return Doubt("The reply names no HIT type.")
    return Done({"outside": answer["HITTypeId"]})


def publish(call: Call) -> Outcome:
    campaign, place = call.campaign, call.place
    assert place is not None
    try:
        answer = client(campaign.environment, once=True).create_hit_with_hit_type(
            HITTypeId=campaign.outside,
            MaxAssignments=1,
            LifetimeInSeconds=campaign.terms["lifetime_hours"] * 3600,
            Question=own_terms.external_question(address(place)),
            RequesterAnnotation=annotation(call),
            UniqueRequestToken=token(call),
        )
    except ClientError as error:
        if says(error, "hitalreadyexists", "already exists", *REPEATED):
            return _already(call, error)
        raise
    return published(answer.get("HIT") or {})


def _already(call: Call, error: ClientError) -> Outcome:
    """Return the HIT that was already created under this token, if its annotation says that it is ours."""
    named = HIT_IN_MESSAGE.findall(message_of(error))
    reads = client(call.campaign.environment, once=False)
    for hit_id in named:
        try:
            hit = reads.get_hit(HITId=hit_id).get("HIT") or {}
        except ClientError:
            continue
        if hit.get("RequesterAnnotation") == annotation(call):
            return published(hit)
    found = look_for_hit(call, reads)
    return found if isinstance(found, Done) else Doubt(message_of(error))


def approve(call: Call) -> Outcome:
    assert call.entry is not None
    named = call.entry.outside
    try:
        client(call.campaign.environment, once=True).approve_assignment(
            AssignmentId=named, OverrideRejection=False
        )
    except ClientError as error:
        if says(error, "status of: submitted"):
            return _approved_before(call, named)
        unknown = says(error, "does not exist") and call.attempts < UNKNOWN
        if unknown or says(error, "status of: null"):
            return Later(message_of(error), 60.0)
        raise
    return Done({"how": "approved"})


def _approved_before(call: Call, named: str) -> Outcome:
    reads = client(call.campaign.environment, once=False)
    status = reads.get_assignment(AssignmentId=named).get("Assignment", {}).get("AssignmentStatus")
    if status == "Approved":
        return Done({"how": "approved before"})
    if status == "Rejected":
        return Refused("It was rejected at Mechanical Turk by hand: reverse that there.")
    return Later(f"It is {status}.", 60.0)


def bonus(call: Call) -> Outcome:
    entry, payment = call.entry, call.payment
    assert entry is not None
    assert payment is not None
    try:
        client(call.campaign.environment, once=True).send_bonus(
            WorkerId=whom(entry.person),
            AssignmentId=entry.outside,
            BonusAmount=own_terms.dollars(payment.amount),
            Reason=f"{payment.reason} ({reference(call)})",
            UniqueRequestToken=token(call),
        )
    except ClientError as error:
        if not says(error, "alreadyexists", *REPEATED):
            raise
        # Sent by this call, whose response was lost: it is in the list, now or in a moment.
        found = look_for_bonus(call, client(call.campaign.environment, once=False))
        return found if isinstance(found, Done) else Doubt(message_of(error))
    return Done({"how": "bonus sent"})


def exclude(call: Call) -> Outcome:
    assert call.exclusion is not None
    client(call.campaign.environment, once=True).associate_qualification_with_worker(
        QualificationTypeId=call.campaign.refs["excluded"],
        WorkerId=whom(call.exclusion.person),
        IntegerValue=1,
        SendNotification=False,
    )
    return Done()


def readmit(call: Call) -> Outcome:
    assert call.exclusion is not None
    about = {
        "QualificationTypeId": call.campaign.refs["excluded"],
        "WorkerId": whom(call.exclusion.person),
    }
    try:
        client(call.campaign.environment, once=True).disassociate_qualification_from_worker(
            **about, Reason="Let back in."
        )
    except ClientError as error:
        # Refused because it was already done: by this call, whose response was lost, or by hand.
        said = outcome_of(error)
        if not isinstance(said, Refused) or said.closes or _has(call, about):
            raise
    return Done()


def _has(call: Call, about: dict[str, str]) -> bool:
    """Return True if a worker has a qualification."""
    try:
        found = client(call.campaign.environment, once=False).get_qualification_score(**about)
    except ClientError as error:
        if says(error, "does not exist"):
            return False
        raise
    return bool(found.get("Qualification", {}).get("Status") == "Granted")


def expire(call: Call) -> Outcome:
    assert call.place is not None
    if not call.place.outside:
        return Later("It is not known yet whether it was published.", 60.0)
    return _expire(call, call.place.outside)


def withdraw(call: Call) -> Outcome:
    return _expire(call, str(call.request["outside"]))


def _expire(call: Call, hit_id: str) -> Outcome:
    try:
        client(call.campaign.environment, once=True).update_expiration_for_hit(
            HITId=hit_id, ExpireAt=timezone.now()
        )
    except ClientError as error:
        if says(error, "does not exist", "disposed"):
            return Done({"pending": 0})
        if not says(error, *REPEATED):
            raise
    hit = client(call.campaign.environment, once=False).get_hit(HITId=hit_id).get("HIT") or {}
    # A worker who has accepted it may still submit it.
    return Done({"pending": int(hit.get("NumberOfAssignmentsPending", 0))})


def total(call: Call) -> Outcome:
    assert call.place is not None
    reads = client(call.campaign.environment, once=False)
    found = books_of_hit(reads, call.campaign.reward, call.place.outside)
    written = {name: str(value) for name, value in found._asdict().items()}
    return Done(written, then=("dispose", written))


def dispose(call: Call) -> Outcome:
    assert call.place is not None
    try:
        client(call.campaign.environment, once=True).delete_hit(HITId=call.place.outside)
    except ClientError as error:
        if says(error, "in the state 'disposed'", "does not exist"):
            return Done()
        if says(error, "invalidhitstate", "status of:", "neither approved nor rejected"):
            return Later(message_of(error), 3600.0)  # somebody still works on it, or is not paid yet
        raise
    return Done()


CALLS: dict[str, Callable[[Call], Outcome]] = {
    "qualify": qualify,
    "prepare": prepare,
    "publish": publish,
    "approve": approve,
    "bonus": bonus,
    "exclude": exclude,
    "readmit": readmit,
    "expire": expire,
    "total": total,
    "dispose": dispose,
    "withdraw": withdraw,
}


def perform(call: Call) -> Outcome:
    """Make a call; every error is turned into an outcome."""
    try:
        return CALLS[call.op](call)
    except Forgotten as error:
        return Refused(str(error))
    except ERRORS as error:
        return outcome_of(error)
