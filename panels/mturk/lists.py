"""Lists of Mechanical Turk: what happened to calls in doubt, and who has worked on what. Only reads."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from defusedxml.ElementTree import fromstring

from panels.base import Books, Done, Looked, Participation, Refused, Stray, Unavailable
from panels.models import Call, Campaign, Place
from panels.models.calls import UNSETTLED
from panels.mturk.client import ERRORS, client, outcome_of, rows
from panels.mturk.external_names import annotation, excluded_name, prefix, published, reference

PlaceState = Place.State
ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)
STATUSES = {"Submitted": "submitted", "Approved": "approved", "Rejected": "rejected"}


def look_for_hit(call: Call, reads: Any) -> Done | Looked:
    wanted = annotation(call)
    found = [hit for hit in rows(reads, "list_hits", "HITs") if hit.get("RequesterAnnotation") == wanted]
    if not found:
        return Looked.ABSENT
    # If there are ever two, the older one is ours. The other one is a stray and is withdrawn.
    done = published(min(found, key=lambda hit: hit["CreationTime"]))
    return done if isinstance(done, Done) else Looked.UNCLEAR


def look_for_bonus(call: Call, reads: Any) -> Done | Looked:
    assert call.entry is not None
    listed = rows(reads, "list_bonus_payments", "BonusPayments", AssignmentId=call.entry.outside)
    wanted = reference(call)
    if any(wanted in paid.get("Reason", "") for paid in listed):
        return Done({"how": "bonus sent"})
    return Looked.ABSENT


def look_for_qualification(call: Call, reads: Any) -> Done | Looked:
    name = excluded_name(call.campaign)
    asked = {"Query": name, "MustBeRequestable": False, "MustBeOwnedByCaller": True}
    for one in rows(reads, "list_qualification_types", "QualificationTypes", **asked):
        if one["Name"] == name:
            return Done({"excluded": one["QualificationTypeId"]})
    return Looked.ABSENT


LOOKING = {"publish": look_for_hit, "bonus": look_for_bonus, "qualify": look_for_qualification}


def look(call: Call) -> Done | Looked:
    """Search Mechanical Turk for a call in doubt, on all pages."""
    looking = LOOKING.get(call.op)
    try:
        return looking(call, client(call.campaign.environment, once=False)) if looking else Looked.UNCLEAR
    except ERRORS:
        return Looked.UNCLEAR


def survey(campaign: Campaign) -> Iterable[Participation]:
    """Yield the participations of a campaign's places that are not settled.

    Makes one request for each hundred reviewable HITs, and one for each HIT that may have been submitted: not
    for those that somebody works on, which are not reviewable.
    """
    if not campaign.outside:
        return
    places = campaign.slots.filter(disposed_at=None).exclude(outside="")
    places = places.exclude(state__in=[PlaceState.SETTLED, PlaceState.REFUSED])
    waiting = dict(places.values_list("outside", "state"))
    try:
        reads = client(campaign.environment, once=False)
        # First HITs submitted on our page, then others that were submitted without it.
        sent = {hit for hit, state in waiting.items() if state == PlaceState.SUBMITTED}
        yield from _seen_of(reads, sent)
        over = (
            hit["HITId"]
            for hit in rows(reads, "list_reviewable_hits", "HITs", HITTypeId=campaign.outside, MaxResults=100)
            if hit["HITId"] in waiting.keys() - sent and not _untouched(hit)
        )
        yield from _seen_of(reads, over)
    except ERRORS as error:
        raise unavailable(error) from error


def _seen_of(reads: Any, hits: Iterable[str]) -> Iterator[Participation]:
    for hit_id in hits:
        for listed in _assignments(reads, hit_id, *STATUSES):
            yield _seen(listed)


def _untouched(hit: Mapping[str, Any]) -> bool:
    """Return True if a HIT ended and nobody submitted it."""
    return bool(hit.get("NumberOfAssignmentsAvailable", 0) >= hit.get("MaxAssignments", 1))


def _assignments(reads: Any, hit_id: str, *statuses: str) -> Iterator[dict[str, Any]]:
    asked = {"HITId": hit_id, "AssignmentStatuses": [*statuses]}
    return rows(reads, "list_assignments_for_hit", "Assignments", **asked)


def strays(campaign: Campaign) -> Iterable[Stray]:
    """Return the campaign's HITs that no place here has.

    Reads all HITs of the account, because the API cannot filter by annotation.
    """
    known = set(campaign.slots.exclude(outside="").values_list("outside", flat=True))
    # A call in doubt still searches for its own HIT.
    open_calls = campaign.calls.filter(op="publish", state__in=UNSETTLED)
    spared = {annotation(call) for call in open_calls}
    try:
        reads = client(campaign.environment, once=False)
        found = [
            hit
            for hit in rows(reads, "list_hits", "HITs")
            if hit.get("RequesterAnnotation", "").startswith(prefix(campaign))
            and hit["HITId"] not in known
            and hit["RequesterAnnotation"] not in spared
            and not (hit["HITStatus"] == "Reviewable" and _untouched(hit))
        ]
    except ERRORS as error:
        raise unavailable(error) from error
    return [Stray(hit["HITId"], not _untouched(hit)) for hit in found]


def balance(campaign: Campaign) -> Decimal:
    """Return the balance of the account. Raises Unavailable."""
    try:
        found = client(campaign.environment, once=False).get_account_balance()
        return Decimal(str(found["AvailableBalance"]))
    except KeyError as error:
        raise Unavailable("The reply names no balance.") from error
    except ERRORS as error:
        raise unavailable(error) from error


def books(campaign: Campaign) -> Books:
    """Return what a campaign's HITs have cost. Raises Unavailable.

    Makes two requests for each HIT that was worked on and is not disposed of; the others were recorded.
    """
    worked = campaign.slots.exclude(outside="").filter(entries__isnull=False, disposed_at=None)
    gone = campaign.slots.exclude(disposed_at=None).values_list("books", flat=True)
    found = [read_books(noted) for noted in gone if noted is not None]
    try:
        reads = client(campaign.environment, once=False)
        found += [
            books_of_hit(reads, campaign.reward, hit)
            for hit in worked.values_list("outside", flat=True).distinct()
        ]
    except ERRORS as error:
        raise unavailable(error) from error
    return Books(
        sum((one.rewards for one in found), Decimal(0)),
        sum(one.approved for one in found),
        sum((one.bonuses for one in found), Decimal(0)),
        sum(one.bonused or 0 for one in found),
    )


def books_of_hit(reads: Any, reward: Decimal, hit_id: str) -> Books:
    """Return what a HIT has cost. Makes two requests."""
    approved = sum(1 for _ in _assignments(reads, hit_id, "Approved"))
    paid = [
        Decimal(bonus["BonusAmount"])
        for bonus in rows(reads, "list_bonus_payments", "BonusPayments", HITId=hit_id)
    ]
    return Books(reward * approved, approved, sum(paid, Decimal(0)), len(paid))


def read_books(noted: Mapping[str, str]) -> Books:
    """Parse the books of a place as recorded before it was disposed of."""
    return Books(
        Decimal(noted["rewards"]), int(noted["approved"]), Decimal(noted["bonuses"]), int(noted["bonused"])
    )


def unavailable(error: Exception) -> Unavailable:
    """Convert a client error to Unavailable."""
    said = outcome_of(error)
    message = str(error) if isinstance(said, Done) else said.message
    return Unavailable(message, permanent=isinstance(said, Refused) and said.closes)


def _seen(listed: Mapping[str, Any]) -> Participation:
    return Participation(
        outside=listed["AssignmentId"],
        place=listed["HITId"],
        person=listed["WorkerId"],
        status=STATUSES[listed["AssignmentStatus"]],
        accepted_at=listed.get("AcceptTime"),
        submitted_at=listed.get("SubmitTime"),
        approved_at=listed.get("ApprovalTime"),
        receipt=receipt_in(listed.get("Answer", "")),
    )


def receipt_in(answer: str) -> str:
    """Return the receipt in a form's answer as Mechanical Turk returns it; "" if it has none."""
    try:
        root = fromstring(answer)
    except Exception:  # after any error it is no answer of our form
        return ""
    for one in root.iter(f"{ANSWERS}Answer"):
        if one.findtext(f"{ANSWERS}QuestionIdentifier") == "receipt":
            return one.findtext(f"{ANSWERS}FreeText") or ""
    return ""
