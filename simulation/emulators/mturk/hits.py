"""HIT types and HITs of the MTurk emulator: created, listed, expired, deleted, forgotten after 120 days."""

import json
from typing import Any
from urllib.parse import urlsplit

from defusedxml import ElementTree
from defusedxml.common import DefusedXmlException

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.mturk.money import balance, cents, held
from simulation.emulators.mturk.tables import DAY, new_id, page, used
from simulation.emulators.mturk.wire import operation, trouble

YEAR = 365 * DAY
KEPT = 120 * DAY
EXTERNAL = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd"
# Limits that the service has and its model does not.
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000, "RequesterAnnotation": 255}
RANGES = {
    "AssignmentDurationInSeconds": (30, YEAR),
    "LifetimeInSeconds": (30, YEAR),
    "AutoApprovalDelayInSeconds": (0, 30 * DAY),
    "MaxAssignments": (1, 10**9),
}


def in_range(m: Emulator, asked: dict[str, Any]) -> None:
    """Refuse what is too long, too short, too many."""
    for name, (low, high) in RANGES.items():
        if not low <= asked.get(name, low) <= high:
            raise trouble(m, "AWS.ParameterOutOfRange", f"{name} must be between {low} and {high}")
    for name, most in LENGTHS.items():
        if not len(asked.get(name, "")) <= most:
            raise trouble(m, "AWS.ParameterOutOfRange", f"{name} must have at most {most} characters")
    if not asked.get("RequesterAnnotation", "").isascii():
        raise trouble(m, "InvalidParameterValue", "RequesterAnnotation must be ASCII")


@operation
def create_hit_type(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    in_range(m, asked)
    needs = asked.get("QualificationRequirements", [])
    if cents(asked["Reward"]) < 1 or len(needs) > 10:
        raise trouble(m, "AWS.ParameterOutOfRange", "Reward is at least 0.01; at most 10 requirements")
    for need in needs:
        _check_need(m, need)
    terms = json.dumps({"AutoApprovalDelayInSeconds": 30 * DAY, **asked}, sort_keys=True)
    known = m.row("SELECT id FROM hit_type WHERE terms = ?", terms)
    id = known["id"] if known else new_id()
    if not known:
        m.db.execute("INSERT INTO hit_type VALUES (?, ?, ?, ?)", [id, new_id(), terms, m.now])
    return {"HITTypeId": id}


def _check_need(m: Emulator, need: dict[str, Any]) -> None:
    numbers, places = need.get("IntegerValues", []), need.get("LocaleValues", [])
    comparator, wrong = need["Comparator"], ""
    if need["QualificationTypeId"] == "00000000000000000071":
        if numbers or not 1 <= len(places) <= (30 if comparator in ("In", "NotIn") else 1):
            wrong = "a locale is compared with one LocaleValue, or with at most 30 by In and NotIn"
        elif comparator not in ("EqualTo", "NotEqualTo", "In", "NotIn"):
            wrong = f"a locale cannot be {comparator}"
    elif comparator in ("Exists", "DoesNotExist"):
        wrong = "Exists and DoesNotExist take no values" if numbers or places else ""
    elif places or not 1 <= len(numbers) <= (15 if comparator in ("In", "NotIn") else 1):
        wrong = f"{comparator} takes IntegerValues: one, or at most 15 by In and NotIn"
    known = m.row("SELECT 1 FROM qualification_type WHERE id = ?", need["QualificationTypeId"])
    if not known and not need["QualificationTypeId"].startswith(("0000000000", "2F1QJ", "2ARFP")):
        wrong = wrong or f"QualificationType {need['QualificationTypeId']} does not exist"
    if wrong:
        raise trouble(m, "InvalidParameterValue", f"There is a problem with a requirement: {wrong}.")


def external_url(m: Emulator, question: str) -> str:
    """The address in an ExternalQuestion. Refuses what the service would."""
    if len(question.encode()) > 65535:
        raise trouble(m, "AWS.ParameterOutOfRange", "Question must have at most 65535 bytes")
    try:
        root = ElementTree.fromstring(question)
    except (ElementTree.ParseError, DefusedXmlException) as problem:
        raise trouble(m, "XMLParseError", f"There was an error parsing the XML question: {problem}") from None
    height = root.findtext(f"{{{EXTERNAL}}}FrameHeight") or ""
    url = (root.findtext(f"{{{EXTERNAL}}}ExternalURL") or "").strip()
    if root.tag != f"{{{EXTERNAL}}}ExternalQuestion" or not url or not height.strip().isdigit():
        raise trouble(
            m, "XMLParseError", "The question is no ExternalQuestion with ExternalURL, FrameHeight."
        )
    parts = urlsplit(url)
    near = parts.hostname in ("127.0.0.1", "localhost") and m.switch("plain_http") == "loopback"
    if parts.scheme != "https" and not (parts.scheme == "http" and near):
        raise trouble(m, "InvalidParameterValue", "The ExternalURL must use HTTPS.")
    return url


@operation
def create_hit_with_hit_type(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    in_range(m, asked)
    id, token = new_id(), asked.get("UniqueRequestToken")
    earlier = used(m, "CreateHITWithHITType", token, id)
    if earlier:
        named = f" The HIT is {earlier}." if m.switch("already_exists_names_hit") else ""
        raise trouble(
            m,
            str(m.switch("already_exists_code")),
            f'A HIT with the unique request token "{token}" already exists.{named}',
        )
    if not m.row("SELECT 1 FROM hit_type WHERE id = ?", asked["HITTypeId"]):
        raise trouble(m, "HITTypeDoesNotExist", f"HITType {asked['HITTypeId']} does not exist.")
    url = external_url(m, asked.get("Question", ""))
    m.db.execute(
        "INSERT INTO hit (id, type, question, url, annotation, places, at, expires, touched)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            id,
            asked["HITTypeId"],
            asked["Question"],
            url,
            asked.get("RequesterAnnotation"),
            asked.get("MaxAssignments", 1),
            m.now,
            m.now + asked["LifetimeInSeconds"],
            m.now,
        ],
    )
    if m.switch("creation_needs_funds") and held(m) > balance(m):
        raise trouble(
            m,
            "InsufficientFunds",
            "This Requester has insufficient funds in their account to create this HIT.",
        )
    return {"HIT": shown(m, found(m, id))}


def found(m: Emulator, id: str) -> dict[str, Any]:
    """A HIT that the service still knows."""
    hit = m.row("SELECT * FROM hit WHERE id = ? AND gone = 0", id)
    if hit is None:
        raise trouble(m, "HITDoesNotExist", f"Hit {id} does not exist.")
    return hit


# HITs that are on offer at a time, and those that nobody is at and nobody can take any more.
OFFERED = """
    SELECT * FROM hit WHERE deleted = 0 AND gone = 0 AND expires > ? AND places > (
        SELECT count(*) FROM assignment WHERE assignment.hit = hit.id AND assignment.state != 'Free')
    ORDER BY number
"""
REVIEWABLE = """
    SELECT * FROM hit WHERE deleted = 0 AND gone = 0 AND (expires <= ? OR places <= (
        SELECT count(*) FROM assignment WHERE assignment.hit = hit.id AND assignment.state != 'Free'))
    AND NOT EXISTS (SELECT 1 FROM assignment WHERE assignment.hit = hit.id AND state = 'Accepted')
    ORDER BY number
"""


def counts(m: Emulator, hit: dict[str, Any]) -> dict[str, int]:
    """How many of a HIT's assignments are being done, are still to be had, are finished."""
    by_state = {
        row["state"]: row["n"]
        for row in m.rows(
            "SELECT state, COUNT(*) AS n FROM assignment WHERE hit = ? GROUP BY state", hit["id"]
        )
    }
    pending = by_state.get("Accepted", 0)
    submitted = by_state.get("Submitted", 0)
    completed = by_state.get("Approved", 0) + by_state.get("Rejected", 0)
    return {
        "pending": pending,
        "submitted": submitted,
        "completed": completed,
        "available": hit["places"] - pending - submitted - completed,
    }


def status(m: Emulator, hit: dict[str, Any]) -> str:
    """A HIT's status, which follows from its time and its assignments."""
    if hit["deleted"]:
        return "Disposed"
    now = counts(m, hit)
    if hit["expires"] > m.now and now["available"]:
        return "Assignable"
    return "Unassignable" if now["pending"] else "Reviewable"


def shown(m: Emulator, hit: dict[str, Any]) -> dict[str, Any]:
    """A HIT as replies show it."""
    kind = m.row("SELECT * FROM hit_type WHERE id = ?", hit["type"])
    terms = json.loads(kind["terms"]) if kind else {}
    now = counts(m, hit)
    reply = {
        **terms,
        "HITId": hit["id"],
        "HITTypeId": hit["type"],
        "HITGroupId": kind["group_id"] if kind else "",
        "CreationTime": hit["at"],
        "Question": hit["question"],
        "HITStatus": status(m, hit),
        "MaxAssignments": hit["places"],
        "Expiration": hit["expires"],
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": now["pending"],
        "NumberOfAssignmentsAvailable": now["available"],
        "NumberOfAssignmentsCompleted": now["completed"],
    }
    if hit["annotation"] is not None:
        reply["RequesterAnnotation"] = hit["annotation"]
    return reply


@operation
def get_hit(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    return {"HIT": shown(m, found(m, asked["HITId"]))}


@operation
def list_hits(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    seen = m.now - m.switch("list_hits_delay")
    rows = m.rows("SELECT * FROM hit WHERE deleted = 0 AND gone = 0 AND at <= ? ORDER BY number", seen)
    return page(m, asked, "HITs", rows, lambda hit: shown(m, hit))


@operation
def list_reviewable_hits(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    # Nothing is ever Reviewing: UpdateHITReviewStatus is not emulated.
    if asked.get("Status", "Reviewable") != "Reviewable":
        return page(m, asked, "HITs", [], lambda hit: shown(m, hit))
    rows = [hit for hit in m.rows(REVIEWABLE, m.now) if hit["type"] == asked.get("HITTypeId", hit["type"])]
    return page(m, asked, "HITs", rows, lambda hit: shown(m, hit))


@operation
def update_expiration_for_hit(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    hit, at = found(m, asked["HITId"]), asked["ExpireAt"]
    token = f"{hit['id']}{at}"
    if used(m, "UpdateExpirationForHIT", token, hit["id"]) and m.switch("repeat_expire_raises"):
        raise trouble(
            m, "InvalidParameterValue", f'The idempotency token "{token}" has already been processed.'
        )
    if hit["deleted"]:
        raise trouble(m, "InvalidHITState", "This HIT is currently in the state 'Disposed'.")
    m.db.execute("UPDATE hit SET expires = ? WHERE id = ?", [max(at, m.now), hit["id"]])
    return {}


@operation
def delete_hit(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    hit = found(m, asked["HITId"])
    now = status(m, hit)
    if now != "Reviewable":
        raise trouble(
            m,
            "InvalidHITState",
            f"This HIT is currently in the state '{now}'. "
            "This operation can be called with a status of: Reviewing, Reviewable",
        )
    if counts(m, hit)["submitted"]:
        raise trouble(
            m, "InvalidHITState", "This HIT has assignments that are neither approved nor rejected."
        )
    m.db.execute("UPDATE hit SET deleted = 1, touched = ? WHERE id = ?", [m.now, hit["id"]])
    return {}


def forget(m: Emulator) -> None:
    """Let go of what nobody has touched for 120 days."""
    for hit in m.rows("SELECT * FROM hit WHERE gone = 0 AND touched < ?", m.now - KEPT):
        full = counts(m, hit)["available"] < 1
        since = hit["touched"] if full or hit["deleted"] else max(hit["touched"], hit["expires"])
        if since < m.now - KEPT and status(m, hit) in ("Reviewable", "Disposed"):
            m.db.execute("UPDATE hit SET gone = 1 WHERE id = ?", [hit["id"]])
