"""Assignments of the MTurk emulator: accepted, returned, abandoned, submitted, approved, rejected.

A place that comes back keeps its assignment id, and the next worker gets the same one.
"""

import re
from typing import Any
from xml.etree import ElementTree  # builds; what comes in is read with defusedxml

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.mturk.hits import found, shown, status
from simulation.emulators.mturk.money import need_funds, post, price
from simulation.emulators.mturk.tables import DAY, new_id, page
from simulation.emulators.mturk.wire import operation, trouble

ANSWERS = (
    "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
)
RESERVED = ("assignmentId", "hitId", "workerId", "turkSubmitTo")
NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class WorkRefused(Exception):
    """The worker's site says no, and why."""


def note(m: Emulator, work: dict[str, Any], what: str, at: float | None = None) -> None:
    """Keep what happened to an assignment: the API never tells, tests want to know."""
    m.db.execute(
        "INSERT INTO event (at, assignment, worker, what) VALUES (?, ?, ?, ?)",
        [m.now if at is None else at, work["id"], work["worker"], what],
    )


def accept(m: Emulator, worker: str, hit: dict[str, Any], duration: int) -> dict[str, Any]:
    """Give a worker a place of a HIT; the same one again if she has it. Raises WorkRefused."""
    hers = m.row(
        "SELECT * FROM assignment WHERE hit = ? AND worker = ? AND state != 'Free'", hit["id"], worker
    )
    if hers and hers["state"] == "Accepted":
        return hers
    if hers:
        raise WorkRefused("You have already done this HIT.")
    if status(m, hit) != "Assignable":
        raise WorkRefused("There are no more of this HIT.")
    free = m.row("SELECT id FROM assignment WHERE hit = ? AND state = 'Free' ORDER BY number", hit["id"])
    id = free["id"] if free else new_id()
    if free:
        m.db.execute("DELETE FROM assignment WHERE id = ?", [id])
    m.db.execute(
        "INSERT INTO assignment (id, hit, worker, state, accepted, deadline) VALUES (?, ?, ?, ?, ?, ?)",
        [id, hit["id"], worker, "Accepted", m.now, m.now + duration],
    )
    work = held_by(m, worker, id)
    note(m, work, "accepted")
    touch(m, hit["id"])
    return work


def touch(m: Emulator, hit: str) -> None:
    """Note that something happened to a HIT, for the 120 days."""
    m.db.execute("UPDATE hit SET touched = ? WHERE id = ?", [m.now, hit])


def held_by(m: Emulator, worker: str, id: str) -> dict[str, Any]:
    """An assignment that a worker, or anybody for "", may still finish. Raises WorkRefused."""
    work = m.row("SELECT * FROM assignment WHERE id = ? AND state = 'Accepted'", id)
    if work is None or worker not in ("", work["worker"]):
        raise WorkRefused("This assignment is not yours: it was returned, ran out of time or is sent.")
    return work


def give_back(m: Emulator, worker: str, id: str) -> None:
    """Return an assignment. Raises WorkRefused."""
    work = held_by(m, worker, id)
    m.db.execute("UPDATE assignment SET state = 'Free' WHERE id = ?", [id])
    note(m, work, "returned")
    touch(m, work["hit"])


def submit(m: Emulator, worker: str, id: str, fields: dict[str, list[str]], auto: int) -> dict[str, Any]:
    """Take the form that a worker's browser sends. Raises WorkRefused."""
    work = held_by(m, worker, id)
    own = {name: values[0] for name, values in fields.items() if name not in RESERVED}
    if m.switch("submit_needs_extra_field") and not own:
        raise WorkRefused("The form has no field beside assignmentId.")
    m.db.execute(
        "UPDATE assignment SET state = 'Submitted', submitted = ?, auto = ?, answer = ? WHERE id = ?",
        [m.now, m.now + auto, answers(own), id],
    )
    note(m, work, "submitted")
    touch(m, work["hit"])
    catch_up(m)  # with no delay at all it is approved at once
    return work


def answers(fields: dict[str, str]) -> str:
    """A form's fields as QuestionFormAnswers; of a name that comes twice the first is kept."""
    ElementTree.register_namespace("", ANSWERS)
    root = ElementTree.Element(f"{{{ANSWERS}}}QuestionFormAnswers")
    for name, value in fields.items():
        part = ElementTree.SubElement(root, f"{{{ANSWERS}}}Answer")
        ElementTree.SubElement(part, f"{{{ANSWERS}}}QuestionIdentifier").text = NOT_XML.sub("", name)
        ElementTree.SubElement(part, f"{{{ANSWERS}}}FreeText").text = NOT_XML.sub("", value)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def catch_up(m: Emulator) -> None:
    """Take back what ran out of time, and approve what nobody has looked at."""
    for work in m.rows("SELECT * FROM assignment WHERE state = 'Accepted' AND deadline <= ?", m.now):
        m.db.execute("UPDATE assignment SET state = 'Free' WHERE id = ?", [work["id"]])
        note(m, work, "abandoned", work["deadline"])
    for work in m.rows("SELECT * FROM assignment WHERE state = 'Submitted' AND auto <= ?", m.now):
        approve(m, work, work["auto"], "approved by itself")


def approve(m: Emulator, work: dict[str, Any], at: float, how: str) -> None:
    """Pay the reward and the fee."""
    hit = m.rows("SELECT * FROM hit WHERE id = ?", work["hit"])[0]
    reward, fee = price(m, hit["type"], hit["places"])
    m.db.execute(
        "UPDATE assignment SET state = 'Approved', approved = ?, rejected = NULL WHERE id = ?",
        [at, work["id"]],
    )
    post(m, "reward", reward, hit["id"], work["id"], at)
    post(m, "fee", fee, hit["id"], work["id"], at)
    note(m, work, how, at)
    touch(m, hit["id"])


def known(m: Emulator, id: str) -> dict[str, Any]:
    """An assignment of a HIT that the service still knows."""
    work = m.row(
        "SELECT assignment.* FROM assignment JOIN hit ON hit.id = hit WHERE assignment.id = ? AND gone = 0",
        id,
    )
    if work is None:
        raise trouble(m, "AssignmentDoesNotExist", f"Assignment {id} does not exist.")
    return work


def wrong_state(m: Emulator, states: str) -> Exception:
    """The service's answer to an assignment in another state than the operation needs."""
    message = f"This operation can be called with a status of: {states}"
    return trouble(m, "InvalidAssignmentState", message)


@operation
def approve_assignment(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    work = known(m, asked["AssignmentId"])
    if work["state"] in ("Free", "Accepted"):
        raise wrong_state(m, "null")
    lately = (work["rejected"] or 0) > m.now - 30 * DAY
    if work["state"] == "Approved" or (
        work["state"] == "Rejected" and not (asked.get("OverrideRejection") and lately)
    ):
        raise wrong_state(m, "Submitted")
    hit = found(m, work["hit"])
    if work["state"] == "Rejected" and hit["deleted"]:
        raise trouble(m, "InvalidHITState", "This HIT is currently in the state 'Disposed'.")
    need_funds(m, sum(price(m, hit["type"], hit["places"])))
    _feedback(m, work, asked)
    approve(m, work, m.now, "approved")
    return {}


@operation
def reject_assignment(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    work = known(m, asked["AssignmentId"])
    if work["state"] != "Submitted":
        raise wrong_state(m, "null" if work["state"] in ("Free", "Accepted") else "Submitted")
    _feedback(m, work, asked)
    m.db.execute("UPDATE assignment SET state = 'Rejected', rejected = ? WHERE id = ?", [m.now, work["id"]])
    note(m, work, "rejected")
    touch(m, work["hit"])
    return {}


def _feedback(m: Emulator, work: dict[str, Any], asked: dict[str, Any]) -> None:
    text = asked.get("RequesterFeedback")
    if text is not None and (len(text) > 1024 or NOT_XML.search(text)):
        raise trouble(m, "AWS.ParameterOutOfRange", "RequesterFeedback must have at most 1024 characters")
    m.db.execute("UPDATE assignment SET feedback = ? WHERE id = ?", [text, work["id"]])


@operation
def get_assignment(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    work = known(m, asked["AssignmentId"])
    if work["state"] in ("Free", "Accepted"):
        raise wrong_state(m, "Reviewable,Approved,Rejected")
    return {"Assignment": _shown(work), "HIT": shown(m, found(m, work["hit"]))}


@operation
def list_assignments_for_hit(m: Emulator, asked: dict[str, Any]) -> dict[str, Any]:
    hit = found(m, asked["HITId"])
    wanted = asked.get("AssignmentStatuses") or ["Submitted", "Approved", "Rejected"]
    rows = m.rows("SELECT * FROM assignment WHERE hit = ? ORDER BY number", hit["id"])
    return page(m, asked, "Assignments", [row for row in rows if row["state"] in wanted], _shown)


def _shown(work: dict[str, Any]) -> dict[str, Any]:
    reply = {
        "AssignmentId": work["id"],
        "WorkerId": work["worker"],
        "HITId": work["hit"],
        "AssignmentStatus": work["state"],
        "AutoApprovalTime": work["auto"],
        "AcceptTime": work["accepted"],
        "SubmitTime": work["submitted"],
        "ApprovalTime": work["approved"],
        "RejectionTime": work["rejected"],
        "Deadline": work["deadline"],
        "Answer": work["answer"],
        "RequesterFeedback": work["feedback"],
    }
    return {name: value for name, value in reply.items() if value is not None}
