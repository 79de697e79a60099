"""Qualifications of the MTurk emulator: types, who has them, and whom a HIT's requirements let in."""

import json
import operator
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.mturk.money import MASTERS
from simulation.emulators.mturk.tables import new_id, page
from simulation.emulators.mturk.wire import operation, trouble

LOCALE, APPROVED = "00000000000000000071", "00000000000000000040"
PERCENT, ADULT = "000000000000000000L0", "00000000000000000060"
# What a worker is unless told otherwise: one whom the usual requirements let in.
PROFILE = {"country": "US", "subdivision": "CA", "approved": 5000, "percent": 99, "adult": 1, "masters": 0}
# What each action needs of a requirement's ActionsGuarded.
GUARDED = {
    "accept": ("Accept", "PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "preview": ("PreviewAndAccept", "DiscoverPreviewAndAccept"),
    "discover": ("DiscoverPreviewAndAccept",),
}
COMPARE = {
    "LessThan": operator.lt,
    "LessThanOrEqualTo": operator.le,
    "GreaterThan": operator.gt,
    "GreaterThanOrEqualTo": operator.ge,
    "EqualTo": operator.eq,
    "NotEqualTo": operator.ne,
}


@operation
def create_qualification_type(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    if m.row("SELECT 1 FROM qualification_type WHERE name = ?", asked["Name"]):
        raise trouble(
            m,
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name. A QualificationType's name must be "
            "unique among all of the QualificationTypes created by the same user.",
        )
    if len(asked["Name"]) > 200 or len(asked["Description"]) > 2000:
        raise trouble(m, "AWS.ParameterOutOfRange", "Name has at most 200 characters, Description 2000")
    id = new_id()
    m.db.execute(
        "INSERT INTO qualification_type (id, name, terms, at) VALUES (?, ?, ?, ?)",
        [id, asked["Name"], json.dumps(asked), m.now],
    )
    return {"QualificationType": _type(m.rows("SELECT * FROM qualification_type WHERE id = ?", id)[0])}


def _type(row: dict[str, Any]) -> dict[str, Any]:
    terms = json.loads(row["terms"])
    # A type of ours is given, never asked for, unless it has a test or is granted by itself.
    requestable = bool(terms.get("AutoGranted") or terms.get("Test"))
    return {
        **terms,
        "QualificationTypeId": row["id"],
        "CreationTime": row["at"],
        "IsRequestable": requestable,
        "AutoGranted": bool(terms.get("AutoGranted")),
    }


@operation
def list_qualification_types(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    query = asked.get("Query", "").lower()
    rows = [
        row
        for row in m.rows("SELECT * FROM qualification_type ORDER BY number")
        if query in f"{row['name']} {json.loads(row['terms'])['Description']}".lower()
        and (_type(row)["IsRequestable"] or not asked["MustBeRequestable"])
    ]
    return page(m, asked, "QualificationTypes", rows, _type)


def _known(m: Emulator, id: str) -> None:
    if not m.row("SELECT 1 FROM qualification_type WHERE id = ?", id):
        raise trouble(m, "QualificationTypeDoesNotExist", f"QualificationType {id} does not exist.")


@operation
def associate_qualification_with_worker(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    type, worker = asked["QualificationTypeId"], asked["WorkerId"]
    _known(m, type)
    m.db.execute(
        "INSERT INTO qualification VALUES (?, ?, ?, ?, 'Granted', ?) ON CONFLICT DO UPDATE"
        " SET value = excluded.value, at = excluded.at, status = 'Granted',"
        " notices = notices + excluded.notices",
        [type, worker, asked.get("IntegerValue", 1), m.now, int(asked.get("SendNotification", True))],
    )
    return {}


@operation
def disassociate_qualification_from_worker(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    type, worker = asked["QualificationTypeId"], asked["WorkerId"]
    _known(m, type)
    if not _holds(m, type, worker):
        raise trouble(
            m, "InvalidQualificationState", "This operation can be called with a status of: Granted"
        )
    m.db.execute("UPDATE qualification SET status = 'Revoked' WHERE type = ? AND worker = ?", [type, worker])
    return {}


@operation
def get_qualification_score(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    type, worker = asked["QualificationTypeId"], asked["WorkerId"]
    _known(m, type)
    row = m.row("SELECT * FROM qualification WHERE type = ? AND worker = ?", type, worker)
    if not row:
        raise trouble(m, "QualificationDoesNotExist", "You requested a Qualification that does not exist.")
    return {
        "Qualification": {
            "QualificationTypeId": type,
            "WorkerId": worker,
            "GrantTime": row["at"],
            "IntegerValue": row["value"],
            "Status": row["status"],
        }
    }


def _holds(m: Emulator, type: str, worker: str) -> dict[str, Any] | None:
    return m.row(
        "SELECT * FROM qualification WHERE type = ? AND worker = ? AND status = 'Granted'", type, worker
    )


def profile(m: Emulator, worker: str) -> dict[str, Any]:
    """Where a worker lives and what she has done elsewhere."""
    row = m.row("SELECT profile FROM worker WHERE id = ?", worker)
    return {**PROFILE, **(json.loads(row["profile"]) if row else {})}


def lets_in(m: Emulator, worker: str, needs: list[dict[str, Any]], action: str) -> bool:
    """Whether a HIT's requirements let a worker do this: accept, preview or discover."""
    return all(
        _meets(m, worker, need)
        for need in needs
        if need.get("ActionsGuarded", "PreviewAndAccept" if need.get("RequiredToPreview") else "Accept")
        in GUARDED[action]
    )


def _meets(m: Emulator, worker: str, need: dict[str, Any]) -> bool:
    type, comparator = need["QualificationTypeId"], need["Comparator"]
    who = profile(m, worker)
    if type == LOCALE:
        inside = any(
            place["Country"] == who["country"]
            and place.get("Subdivision", who["subdivision"]) == who["subdivision"]
            for place in need["LocaleValues"]
        )
        return inside == (comparator in ("EqualTo", "In"))
    value: int | None
    if type in MASTERS:
        value = 1 if who["masters"] else None
    elif type == PERCENT:
        value = who["percent"] if who["approved"] >= 100 else 100  # nobody is judged on a few
    elif type in (APPROVED, ADULT):
        value = who["approved"] if type == APPROVED else who["adult"]
    else:
        row = _holds(m, type, worker)
        value = row["value"] if row else None
    if comparator in ("Exists", "DoesNotExist"):
        return (value is not None) == (comparator == "Exists")
    numbers = need["IntegerValues"]
    if comparator in ("In", "NotIn"):
        return value is not None and (value in numbers) == (comparator == "In")
    return value is not None and COMPARE[comparator](value, numbers[0])
