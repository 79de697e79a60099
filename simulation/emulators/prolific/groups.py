"""Participant groups of the Prolific emulator, with which studies keep people out."""

from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific.api import body_of, listed, operation, refuse, when
from simulation.emulators.prolific.tables import PROJECT, new_id


def _group(m: Emulator, id: str) -> dict[str, Any]:
    row = m.row("SELECT id, name, project AS project_id FROM participant_group WHERE id = ?", id)
    if row is None:
        raise refuse(404, "Not found", "Participant group does not exist.")
    return row


@operation("POST", "/participant-groups/")
def create_group(m: Emulator, request: Request) -> Any:
    given = body_of(request)
    if not given.get("name"):
        raise refuse(400, "Bad request", {"name": ["This field is required."]})
    id = new_id()
    m.db.execute(
        "INSERT INTO participant_group (id, name, project) VALUES (?, ?, ?)",
        [id, str(given["name"]), str(given.get("project_id") or PROJECT)],
    )
    return _group(m, id), 201


@operation("GET", "/participant-groups/")
def list_groups(m: Emulator, request: Request) -> Any:
    rows = m.rows("SELECT id, name, project AS project_id FROM participant_group ORDER BY number")
    wanted = request.one("project_id")
    return listed(m, request, [row for row in rows if not wanted or row["project_id"] == wanted])


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
