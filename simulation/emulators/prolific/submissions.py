"""Submissions of the Prolific emulator: taken, completed, returned, timed out, approved."""

import json
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific import studies
from simulation.emulators.prolific.api import body_of, listed, operation, refuse, when
from simulation.emulators.prolific.tables import new_id

DAY = 24 * 3600
OPEN = ("RESERVED", "ACTIVE")


class NotTaken(Exception):
    """The participants' site says no, and why."""


def catch_up(m: Emulator) -> None:
    """Time out what was not completed, and approve what was not looked at."""
    late = m.rows("SELECT id, study FROM submission WHERE status = 'ACTIVE' AND deadline <= ?", m.now)
    for one in late:
        m.db.execute("UPDATE submission SET status = 'TIMED-OUT' WHERE id = ?", [one["id"]])
        studies.settle(m, one["study"])
    m.db.execute(
        "UPDATE submission SET status = 'APPROVED', approved = completed + ? "
        "WHERE status = 'AWAITING REVIEW' AND completed <= ?",
        [m.switch("approval_days") * DAY, m.now - m.switch("approval_days") * DAY],
    )


def submission_of(m: Emulator, id: str) -> dict[str, Any]:
    """A submission's row. Raises Refusal."""
    row = m.row("SELECT * FROM submission WHERE id = ?", id)
    if row is None:
        raise refuse(404, "Not found", "Submission does not exist.")
    return row


def status(m: Emulator, row: dict[str, Any]) -> str:
    """A submission's status as it is spelled."""
    now = str(row["status"])
    if now == "AWAITING REVIEW" and row["completed"] > m.now - m.switch("processing"):
        now = "PROCESSING"
    return now.replace(" ", "_").replace("-", "_") if m.switch("spelling") == "underscores" else now


def shown(m: Emulator, row: dict[str, Any]) -> dict[str, Any]:
    """A submission as the API shows it."""
    paid = m.rows(
        "SELECT amount FROM bonus WHERE submission = ? AND at <= ? ORDER BY number",
        *(row["id"], m.now - m.switch("pay_delay")),
    )
    return _changed(m, row) | {
        "parent_study_id": None,
        "bonus_payments": [one["amount"] for one in paid],
        "return_requested": None,
    }


def _changed(m: Emulator, row: dict[str, Any]) -> dict[str, Any]:
    """A submission as the API shows it after a transition."""
    return {
        "id": row["id"],
        "study_id": row["study"],
        "participant": row["participant"],
        "status": status(m, row),
        "started_at": when(row["started"]),
        "completed_at": when(row["completed"]),
        "entered_code": row["code"],
    }


def _short(m: Emulator, row: dict[str, Any]) -> dict[str, Any]:
    """A submission as the API lists it."""
    return {
        "id": row["id"],
        "participant_id": row["participant"],
        "status": status(m, row),
        "started_at": when(row["started"]),
        "completed_at": when(row["completed"]),
        "has_siblings": False,
        "study_code": row["code"],
        "return_requested": None,
    }


def may_take(m: Emulator, study: dict[str, Any], participant: str) -> bool:
    """Whether somebody is offered a study."""
    before = "SELECT status FROM submission WHERE study = ? AND participant = ?"
    again = ("RETURNED",) if m.switch("may_retake") else ()
    if any(row["status"] not in again for row in m.rows(before, study["id"], participant)):
        return False
    for filter_ in json.loads(study["terms"]).get("filters") or []:
        if filter_["filter_id"] == "participant_group_blocklist":
            for group in filter_.get("selected_values", []):
                sql = "SELECT 1 FROM member WHERE participant_group = ? AND participant = ?"
                if m.row(sql, group, participant):
                    return False
    return study["status"] == "ACTIVE" and studies.taken(m, study) < study["places"]


def take(m: Emulator, study: dict[str, Any], participant: str) -> dict[str, Any]:
    """Give somebody a place. Raises NotTaken."""
    if not may_take(m, study, participant):
        raise NotTaken("This study is not open to you.")
    id = new_id()
    minutes = json.loads(study["terms"])["maximum_allowed_time"]
    m.db.execute(
        "INSERT INTO submission (id, study, participant, status, started, deadline) "
        "VALUES (?, ?, ?, 'ACTIVE', ?, ?)",
        [id, study["id"], participant, m.now, m.now + 60 * minutes],
    )
    studies.settle(m, study["id"])
    return submission_of(m, id)


def give_back(m: Emulator, participant: str, id: str) -> None:
    """Return a place. Raises NotTaken."""
    row = m.row("SELECT * FROM submission WHERE id = ? AND participant = ?", id, participant)
    if row is None or row["status"] not in (*OPEN, "AWAITING REVIEW"):
        raise NotTaken("There is nothing to return.")
    m.db.execute("UPDATE submission SET status = 'RETURNED' WHERE id = ?", [id])
    studies.settle(m, row["study"])


def complete(m: Emulator, participant: str, code: str) -> dict[str, Any]:
    """Note that somebody came back with a code. Raises NotTaken."""
    marks = "SELECT * FROM submission WHERE participant = ? AND status IN ('RESERVED', 'ACTIVE')"
    rows = m.rows(f"{marks} ORDER BY number", participant)
    known = [row for row in rows if any(one["code"] == code for one in _codes(m, row))]
    if not rows:
        raise NotTaken("You have no study open.")
    row = (known or rows)[0]
    actions = [a["action"] for one in _codes(m, row) if one["code"] == code for a in one["actions"]]
    approves = "AUTOMATICALLY_APPROVE" in actions
    m.db.execute(
        "UPDATE submission SET status = ?, completed = ?, code = ?, approved = ? WHERE id = ?",
        ["APPROVED" if approves else "AWAITING REVIEW", m.now, code, m.now if approves else None, row["id"]],
    )
    studies.settle(m, row["study"])
    return submission_of(m, row["id"])


def _codes(m: Emulator, row: dict[str, Any]) -> list[dict[str, Any]]:
    codes: list[dict[str, Any]] = json.loads(studies.study_of(m, row["study"])["terms"])["completion_codes"]
    return codes


@operation("GET", "/studies/ID/submissions/")
def list_study_submissions(m: Emulator, request: Request, study: str) -> Any:
    studies.study_of(m, study)
    rows = m.rows("SELECT * FROM submission WHERE study = ? ORDER BY number", study)
    return listed(m, request, [_short(m, one) for one in rows])


@operation("GET", "/submissions/ID/")
def show_submission(m: Emulator, request: Request, id: str) -> Any:
    return shown(m, submission_of(m, id))


@operation("POST", "/submissions/ID/transition/")
def transition_submission(m: Emulator, request: Request, id: str) -> Any:
    given, row = body_of(request), submission_of(m, id)
    match given.get("action"):
        case "APPROVE":
            if row["status"] in OPEN:
                raise refuse(400, "Bad request", "The participant has not completed this submission yet.")
            if row["status"] == "AWAITING REVIEW":
                _approve(m, row)
            elif row["status"] not in ("APPROVED", "REJECTED"):
                raise refuse(400, "Bad request", f"A submission that is {row['status']} cannot be approved.")
        case "COMPLETE":
            if row["status"] in OPEN:
                sql = "UPDATE submission SET status = 'AWAITING REVIEW', completed = ?, code = ? WHERE id = ?"
                m.db.execute(sql, [m.now, given.get("completion_code"), id])
        case "REJECT":
            if len(str(given.get("message", ""))) < 100 or not given.get("rejection_category"):
                raise refuse(400, "Bad request", "A message of 100 characters and a category are required.")
            if row["status"] == "AWAITING REVIEW":
                m.db.execute("UPDATE submission SET status = 'REJECTED' WHERE id = ?", [id])
        case other:
            raise refuse(400, "Bad request", {"action": [f'"{other}" is not a valid choice.']})
    return _changed(m, submission_of(m, id))


def _approve(m: Emulator, row: dict[str, Any]) -> None:
    sql = "UPDATE submission SET status = 'APPROVED', approved = ? WHERE id = ?"
    m.db.execute(sql, [m.now, row["id"]])
