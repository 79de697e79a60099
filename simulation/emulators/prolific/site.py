"""The participants' site of the Prolific emulator: studies on offer, and the way back with a code.

/prolific/                                  asks who you are
/prolific/PARTICIPANT/                      what is on offer to them, and what they have open
/prolific/PARTICIPANT/take/STUDY  (POST)    takes a place; "next" takes the oldest on offer
/prolific/PARTICIPANT/go/SUBMISSION         leads to the study's address with the three parameters
/prolific/PARTICIPANT/return/SUBMISSION  (POST)
/submissions/complete?cc=CODE               where a finished participant comes back

Programs get the same as JSON by `Accept: application/json`. The real site knows a participant by their login;
this one by the address, and on the way back by a cookie, or by the parameter `participant`.
"""

import html
import json
import re
from http.cookies import SimpleCookie
from typing import Any

from simulation.emulators.emulator_base import Emulator, Refusal
from simulation.emulators.http_server import EmulatedReply, Request, as_json, as_page, button, see
from simulation.emulators.prolific import studies, submissions

ROOT = "/prolific/"
COMPLETE = "/submissions/complete"
PARTICIPANT = re.compile(r"[0-9a-f]{24}")
COOKIE = "emulated_participant"


def answer(m: Emulator, request: Request) -> EmulatedReply:
    """Answer a request to the participants' site. Raises Refusal."""
    try:
        return _answer(m, request)
    except submissions.NotTaken as refused:
        raise Refusal(_no(m, request, str(refused))) from None


def _no(m: Emulator, request: Request, why: str, status: int = 403) -> EmulatedReply:
    if request.wants_json:
        return as_json({"error": why}, status)
    return as_page(m.title, "Not possible", f"<p>{html.escape(why)}</p>", status)


def _answer(m: Emulator, request: Request) -> EmulatedReply:
    if request.path == COMPLETE:
        return _complete(m, request)
    participant, _, rest = request.path.removeprefix(ROOT).partition("/")
    what, _, which = rest.partition("/")
    if request.method == "GET" and not participant:
        return _door(m, request)
    if not PARTICIPANT.fullmatch(participant):
        return _no(m, request, "No such page: a participant's id is 24 hexadecimal digits.", 404)
    match request.method, what:
        case "GET", "":
            return _offers(m, request, participant)
        case "POST", "take":
            return _take(m, request, participant, which)
        case "GET", "go":
            row = m.row("SELECT * FROM submission WHERE id = ? AND participant = ?", which, participant)
            if row is None or row["status"] not in submissions.OPEN:
                raise submissions.NotTaken("You do not have this study open.")
            return see(address(m, row))
        case "POST", "return":
            submissions.give_back(m, participant, which)
            return as_json({"returned": which}) if request.wants_json else see(f"{ROOT}{participant}/")
    return _no(m, request, "No such page.", 404)


def _door(m: Emulator, request: Request) -> EmulatedReply:
    if PARTICIPANT.fullmatch(request.one("participant")):
        return see(f"{ROOT}{request.one('participant')}/")
    body = (
        '<form method="get"><label>Participant id <input name="participant" required size="26" '
        f'pattern="[0-9a-f]{{24}}" value="{"a" * 23}1"></label> <button>Show the studies</button></form>'
    )
    return as_page(m.title, "Who are you?", body)


def address(m: Emulator, row: dict[str, Any]) -> str:
    """The study's address for a submission, with Prolific's placeholders filled in."""
    template = str(json.loads(studies.study_of(m, row["study"])["terms"])["external_study_url"])
    for name, value in (
        ("PROLIFIC_PID", row["participant"]),
        ("STUDY_ID", row["study"]),
        ("SESSION_ID", row["id"]),
    ):
        template = template.replace(f"{{{{%{name}%}}}}", value)
    return template


def _open_to(m: Emulator, participant: str) -> list[dict[str, Any]]:
    rows = m.rows("SELECT * FROM study WHERE status = 'ACTIVE' ORDER BY number")
    return [study for study in rows if submissions.may_take(m, study, participant)]


def _offers(m: Emulator, request: Request, participant: str) -> EmulatedReply:
    sql = (
        "SELECT * FROM submission WHERE participant = ? AND status IN ('RESERVED', 'ACTIVE') ORDER BY number"
    )
    mine, offers = m.rows(sql, participant), _open_to(m, participant)
    if request.wants_json:
        told = [{"id": one["id"], "name": json.loads(one["terms"])["name"]} for one in offers]
        taken = [{"submission": one["id"], "address": address(m, one)} for one in mine]
        return as_json({"studies": told, "open": taken})
    base = f"{ROOT}{participant}"
    going = "".join(
        f"<p><a href='{base}/go/{one['id']}'>Go on with {one['id']}</a> "
        + button(f"{base}/return/{one['id']}", "Return it")
        for one in mine
    )
    lines = "".join(
        f"<tr><td>{html.escape(json.loads(one['terms'])['name'])}</td>"
        f"<td>{one['reward'] / 100:.2f} {m.switch('currency')}</td><td>"
        + button(f"{base}/take/{one['id']}", "Take part")
        for one in offers
    )
    table = (
        f"<table><tr><th>Study<th>Reward<td></tr>{lines}</table>" if offers else "<p>No studies for you.</p>"
    )
    return as_page(m.title, f"Studies for {participant}", going + table)


def _take(m: Emulator, request: Request, participant: str, which: str) -> EmulatedReply:
    if which == "next":
        offers = _open_to(m, participant)
        if not offers:
            raise submissions.NotTaken("There are no studies for you.")
        study = offers[0]
    else:
        study = studies.study_of(m, which)
    row = submissions.take(m, study, participant)
    if request.wants_json:
        return as_json({"submission": row["id"], "study": study["id"], "address": address(m, row)})
    reply = see(address(m, row))
    cookie = f"{COOKIE}={participant}; Path=/; SameSite=Lax; HttpOnly"
    return reply._replace(headers={**reply.headers, "Set-Cookie": cookie})


def _complete(m: Emulator, request: Request) -> EmulatedReply:
    known = SimpleCookie(request.headers.get("cookie", "")).get(COOKIE)
    participant = request.one("participant") or (known.value if known else "")
    if not PARTICIPANT.fullmatch(participant):
        return _no(m, request, "Log in first: nobody knows who you are.", 401)
    row = submissions.complete(m, participant, request.one("cc"))
    if request.wants_json:
        return as_json({"submission": row["id"], "status": row["status"], "code": row["code"]})
    text = f"<p>Your submission {row['id']} is {row['status'].lower()}. Thank you.</p>"
    return as_page(m.title, "Sent", text)
