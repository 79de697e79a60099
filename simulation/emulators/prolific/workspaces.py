"""Workspaces of the Prolific emulator's account."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific import money
from simulation.emulators.prolific.api import listed, operation, refuse
from simulation.emulators.prolific.tables import WORKSPACES


def workspaces(m: Emulator) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Title and projects of each workspace, by its id."""
    return dict(islice(WORKSPACES.items(), m.switch("workspaces")))


def workspace_of(m: Emulator, project: str) -> str:
    """Id of the workspace that has a project, "" if none has."""
    return next((id for id, (_, projects) in workspaces(m).items() if project in projects), "")


@operation("GET", "/workspaces/")
def list_workspaces(m: Emulator, request: Request) -> Any:
    return listed(m, request, [{"id": id, "title": title} for id, (title, _) in workspaces(m).items()])


@operation("GET", "/workspaces/ID/projects/")
def list_projects(m: Emulator, request: Request, id: str) -> Any:
    if id not in workspaces(m):
        raise refuse(404, "Not found", "Workspace does not exist.")
    return listed(m, request, [{"id": one, "title": f"Project {one[0]}"} for one in workspaces(m)[id][1]])


@operation("GET", "/workspaces/ID/balance/")
def workspace_balance(m: Emulator, request: Request, id: str) -> Any:
    if id not in workspaces(m):
        raise refuse(404, "Not found", "Workspace does not exist.")
    left = money.balance(m)
    return {"currency_code": m.switch("currency"), "total_balance": left, "available_balance": left}
