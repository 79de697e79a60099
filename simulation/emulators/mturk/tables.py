"""The MTurk emulator's tables, switches, ids, pages of a list, and tokens that are dead after a day."""

import secrets
import string
from collections.abc import Callable
from typing import Any

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.mturk.wire import trouble

DAY = 24 * 3600
SCHEMA = """
CREATE TABLE IF NOT EXISTS hit_type (
    id TEXT PRIMARY KEY, group_id TEXT NOT NULL, terms TEXT NOT NULL UNIQUE, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS hit (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL, question TEXT NOT NULL,
    url TEXT NOT NULL, annotation TEXT, places INTEGER NOT NULL, at REAL NOT NULL, expires REAL NOT NULL,
    touched REAL NOT NULL, deleted INTEGER NOT NULL DEFAULT 0, gone INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS assignment (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hit TEXT NOT NULL, worker TEXT NOT NULL,
    state TEXT NOT NULL, accepted REAL NOT NULL, deadline REAL NOT NULL, submitted REAL, auto REAL,
    approved REAL, rejected REAL, answer TEXT, feedback TEXT);
CREATE INDEX IF NOT EXISTS assignment_hit ON assignment (hit, state);
CREATE INDEX IF NOT EXISTS assignment_state ON assignment (state);
CREATE TABLE IF NOT EXISTS event (
    number INTEGER PRIMARY KEY, at REAL NOT NULL, assignment TEXT NOT NULL, worker TEXT NOT NULL,
    what TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS token (
    operation TEXT NOT NULL, token TEXT NOT NULL, id TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (operation, token));
CREATE TABLE IF NOT EXISTS bonus (
    number INTEGER PRIMARY KEY, assignment TEXT NOT NULL, hit TEXT NOT NULL, worker TEXT NOT NULL,
    amount INTEGER NOT NULL, reason TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS posting (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, amount INTEGER NOT NULL, hit TEXT NOT NULL,
    assignment TEXT NOT NULL, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS qualification_type (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, terms TEXT NOT NULL,
    at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS qualification (
    type TEXT NOT NULL, worker TEXT NOT NULL, value INTEGER NOT NULL, at REAL NOT NULL,
    status TEXT NOT NULL, notices INTEGER NOT NULL, PRIMARY KEY (type, worker));
CREATE TABLE IF NOT EXISTS worker (id TEXT PRIMARY KEY, profile TEXT NOT NULL);
"""
# What nobody has verified of the real service, with the value that seems likeliest.
SWITCHES: dict[str, Any] = {
    "closed": 0,  # 403 or 410: every call is answered by a page of that status
    "turk_error_code": True,  # whether errors carry TurkErrorCode
    "already_exists_code": "HITAlreadyExists",  # or HitAlreadyExists
    "already_exists_names_hit": True,  # whether its message holds the HIT's id
    "repeat_expire_raises": True,
    "list_hits_delay": 0,  # seconds until ListHITs shows a new HIT
    "rate_limit": 0,  # requests a second above which it throttles; 0 is none
    "fee_rounding": "up",  # or half_up, down
    "creation_needs_funds": True,
    "opening_balance": "10000.00",
    "empty_output": "{}",  # the body of replies without members
    "submit_needs_extra_field": False,
    "turk_submit_to_slash": False,
    "frame_sandbox": "allow-scripts allow-forms allow-same-origin",
    "plain_http": "loopback",  # ExternalURLs without TLS: loopback, or never as on the real one
}
LETTERS = string.ascii_uppercase + string.digits


def new_id() -> str:
    """An id as MTurk makes them: 30 capital letters and digits."""
    return "3" + "".join(secrets.choice(LETTERS) for _ in range(29))


def used(m: Emulator, operation: str, token: str | None, id: str) -> str | None:
    """What this token stands for already, or None after noting that it stands for `id` for a day."""
    if token is None:
        return None
    known = m.row("SELECT * FROM token WHERE operation = ? AND token = ?", operation, token)
    if known and known["at"] > m.now - DAY:
        return str(known["id"])
    m.db.execute("INSERT OR REPLACE INTO token VALUES (?, ?, ?, ?)", [operation, token, id, m.now])
    return None


def page(
    m: Emulator,
    asked: dict[str, Any],
    name: str,
    rows: list[dict[str, Any]],
    show: Callable[[dict[str, Any]], dict[str, Any]],
) -> dict[str, Any]:
    """A page of a list. Each page that is not empty has a token, the last one too, as on the real service.

    `rows` have a `number` that rises; the token stands for the last one shown.
    """
    after = asked.get("NextToken", "p0")
    if not after.startswith("p") or not after[1:].isdigit():
        raise trouble(m, "InvalidParameterValue", "NextToken is not one that this service has given")
    shown = [row for row in rows if row["number"] > int(after[1:])][: asked.get("MaxResults", 10)]
    reply: dict[str, Any] = {"NumResults": len(shown), name: [show(row) for row in shown]}
    if shown:
        reply["NextToken"] = f"p{shown[-1]['number']}"
    return reply
