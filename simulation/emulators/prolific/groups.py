"""Participant groups of the Prolific emulator, with which studies keep people out."""

from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific.api import body_of, listed, operation, refuse, when
from simulation.emulators.prolific.tables import new_id
from simulation.emulators.prolific.workspaces import workspace_of, workspaces


def _group(m: Emulator, id: str) -> dict[str, Any]:
    row = m.row("SELECT id, name, workspace AS workspace_id FROM workspace_group WHERE id = ?", id)
    if row is None:
        raise refuse(404, "Not found", "Participant group does not exist.")
    return row


@operation("POST", "/participant-groups/")
def create_group(m: Emulator, request: Request) -> Any:
    given = body_of(request)
    if not given.get("name"):
        raise refuse(400, "Bad request", {"name": ["This field is required."]})
    # An organisation would do as well, which this account has none of.
    if not given.get("workspace_id"):
        raise refuse(400, "Bad request", {"workspace_id": ["This field is required."]})
    if given["workspace_id"] not in workspaces(m):
        raise refuse(404, "Not found", "Workspace does not exist.")
    id = new_id()
    m.db.execute(
        "INSERT INTO workspace_group (id, name, workspace) VALUES (?, ?, ?)",
        [id, str(given["name"]), str(given["workspace_id"])],
    )
    return _group(m, id), 201


@operation("GET", "/participant-groups/")
def list_groups(m: Emulator, request: Request) -> Any:
    wanted = request.one("workspace_id") or workspace_of(m, request.one("project_id"))
    if not wanted:
        raise refuse(400, "Bad request", "Either a workspace_id or a project_id is required.")
    rows = m.rows("SELECT id, name, workspace AS workspace_id FROM workspace_group ORDER BY number")
    return listed(m, request, [row for row in rows if row["workspace_id"] == wanted])


@operation("GET", "/participant-groups/ID/participants/")
def list_members(m: Emulator, request: Request, id: str) -> Any:
    _group(m, id)
    rows = m.rows("SELECT * FROM member WHERE participant_group = ? ORDER BY at, participant", id)
    told = [{"participant_id": row["participant"], "datetime_created": when(row["at"])} for row in rows]
    return listed(m, request, told)


def _named(request: Request) -> list[str]:
    ids = body_of(request).get("participant_ids")
    if not isinstance(ids, list) or not ids:
        raise refuse(400, "Bad request", {"participant_ids": ["This field is required."]})
    return [str(id) for id in ids]


@operation("POST", "/participant-groups/ID/participants/")
def add_members(m: Emulator, request: Request, id: str) -> Any:
    _group(m, id)
    for one in _named(request):
        m.db.execute("INSERT OR IGNORE INTO member VALUES (?, ?, ?)", [id, one, m.now])
    return list_members(m, request, id)


@operation("DELETE", "/participant-groups/ID/participants/")
def remove_members(m: Emulator, request: Request, id: str) -> Any:
    _group(m, id)
    for one in _named(request):
        sql = "DELETE FROM member WHERE participant_group = ? AND participant = ?"
        m.db.execute(sql, [id, one])
    return list_members(m, request, id)
