"""Webhooks of the Prolific emulator: secrets, subscriptions, and events that are signed and sent.

Triggers of the database write an event for each change of a status (tables.py).
"""

import hashlib
import hmac
import time
from base64 import b64encode
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit
from urllib.request import Request as Sent
from urllib.request import urlopen

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import EmulatedReply, Request, as_json
from simulation.emulators.prolific.api import body_of, listed, operation, refuse
from simulation.emulators.prolific.tables import new_id
from simulation.emulators.prolific.workspaces import workspaces

EVENT_TYPES = ("submission.status.change", "study.status.change")
TIMEOUT = 5.0  # seconds


def _workspace(m: Emulator, given: dict[str, Any]) -> str:
    named = str(given.get("workspace_id") or "")
    if named not in workspaces(m):
        raise refuse(400, "Bad request", {"workspace_id": ["Workspace does not exist."]})
    return named


@operation("POST", "/hooks/secrets/")
def create_secret(m: Emulator, request: Request) -> Any:
    workspace, id, value = _workspace(m, body_of(request)), new_id(), new_id() + new_id()
    m.db.execute("INSERT OR REPLACE INTO hook_secret VALUES (?, ?, ?)", [workspace, id, value])
    return {"id": id, "value": value, "workspace_id": workspace}, 201


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {
        **{name: row[name] for name in ("id", "event_type", "target_url")},
        "is_enabled": bool(row["confirmed"]),
        "workspace_id": row["workspace"],
    }


@operation("GET", "/hooks/subscriptions/")
def list_subscriptions(m: Emulator, request: Request) -> Any:
    wanted = request.one("workspace_id")
    rows = m.rows("SELECT * FROM hook WHERE ? IN ('', workspace) ORDER BY number", wanted)
    return listed(m, request, [_shown(row) for row in rows])


@operation("POST", "/hooks/subscriptions/")
def create_subscription(m: Emulator, request: Request) -> EmulatedReply:
    given = body_of(request)
    workspace, address = _workspace(m, given), urlsplit(str(given.get("target_url")))
    if given.get("event_type") not in EVENT_TYPES:
        raise refuse(400, "Bad request", {"event_type": ["Not a valid choice."]})
    if address.scheme != "https" and address.hostname != "127.0.0.1":
        raise refuse(400, "Bad request", {"target_url": ["The address has to begin with https://."]})
    if m.row("SELECT 1 FROM hook_secret WHERE workspace = ?", workspace) is None:
        raise refuse(400, "Bad request", "Create a secret for the workspace first.")
    id, token = new_id(), new_id()
    m.db.execute(
        "INSERT INTO hook (id, event_type, target_url, workspace, token) VALUES (?, ?, ?, ?, ?)",
        [id, given["event_type"], given["target_url"], workspace, token],
    )
    row = m.row("SELECT * FROM hook WHERE id = ?", id)
    assert row is not None
    return as_json({"results": [_shown(row)]}, 201, **{"X-Hook-Secret": token})


@operation("POST", "/hooks/subscriptions/ID/")
def confirm_subscription(m: Emulator, request: Request, id: str) -> Any:
    row = m.row("SELECT * FROM hook WHERE id = ?", id)
    if row is None:
        raise refuse(404, "Not found", "Subscription does not exist.")
    if body_of(request).get("secret") != row["token"]:
        raise refuse(400, "Bad request", {"secret": ["This is not the secret of the subscription."]})
    m.db.execute("UPDATE hook SET confirmed = 1 WHERE id = ?", [id])
    return _shown({**row, "confirmed": 1})


@operation("DELETE", "/hooks/subscriptions/ID/")
def delete_subscription(m: Emulator, request: Request, id: str) -> Any:
    m.db.execute("DELETE FROM hook WHERE id = ?", [id])
    return None, 204


def take_events(m: Emulator) -> list[tuple[str, bytes, str, str]]:
    """Take the events that are to be sent: address, body, secret and id of each."""
    found = m.rows(
        "SELECT target_url, body, value, hook.id || '-' || event.number AS id FROM event "
        "JOIN hook ON hook.event_type = event.event_type AND confirmed "
        "JOIN hook_secret ON hook_secret.workspace = hook.workspace ORDER BY event.number"
    )
    m.db.execute("DELETE FROM event")
    return [(row["target_url"], row["body"].encode(), row["value"], row["id"]) for row in found]


def send(address: str, body: bytes, secret: str, id: str) -> None:
    """Send an event, signed. One that is not taken is lost, as one may be that Prolific gives up."""
    sent = str(int(time.time()))
    signature = b64encode(hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest())
    headers = {
        "Content-Type": "application/json",
        "X-Prolific-Request-Timestamp": sent,
        "X-Prolific-Request-Signature": signature.decode(),
        "X-Event-ID": id,
    }
    try:
        with urlopen(Sent(address, body, headers, method="POST"), timeout=TIMEOUT):  # noqa: S310
            pass
    except (URLError, OSError):
        return
