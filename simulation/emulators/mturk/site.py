"""The worker's site of the MTurk emulator: HITs on offer, the frame that shows one, and what takes the form.

/mturk/                                asks who you are
/mturk/WORKER/                         what is on offer to her, what she has accepted
/mturk/WORKER/preview/HIT              the requester's page in a frame, without an assignment
/mturk/WORKER/accept/HIT  (POST)       "next" instead of a HIT takes the oldest on offer
/mturk/WORKER/task/ASSIGNMENT          the requester's page in a frame
/mturk/WORKER/return/ASSIGNMENT  (POST)
/mturk/WORKER/profile  (POST, JSON)    country, subdivision, approved, percent, adult, masters
/mturk/externalSubmit  (POST)          from the requester's page, in the worker's browser

Programs get the same as JSON by `Accept: application/json`. The real site knows a worker by her login; this
one by the address, and at externalSubmit by the field workerId, if the form has one.
"""

import html
import json
import re
from typing import Any
from urllib.parse import urlencode, urlsplit

from simulation.emulators.emulator_base import Emulator, Refusal
from simulation.emulators.http_server import EmulatedReply, Request, as_json, as_page, button, see
from simulation.emulators.mturk import work as assignments
from simulation.emulators.mturk.hits import OFFERED
from simulation.emulators.mturk.qualifications import PROFILE, lets_in, profile

ROOT = "/mturk/"
SUBMIT = "/mturk/externalSubmit"
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
WORKER = re.compile(r"A[A-Z0-9]{1,63}")


def answer(m: Emulator, request: Request) -> EmulatedReply:
    """Answer a request to the worker's site. Raises Refusal."""
    try:
        return _answer(m, request)
    except assignments.WorkRefused as refused:
        raise Refusal(_no(m, request, str(refused))) from None


def _no(m: Emulator, request: Request, why: str, status: int = 403) -> EmulatedReply:
    if request.wants_json:
        return as_json({"error": why}, status)
    # In a requester's frame the real site shows nothing of this, by the same header.
    return as_page(
        m.title, "Not possible", f"<p>{html.escape(why)}</p>", status, **{"X-Frame-Options": "SAMEORIGIN"}
    )


def _answer(m: Emulator, request: Request) -> EmulatedReply:
    if request.path == SUBMIT:
        return _submit(m, request)
    worker, _, rest = request.path.removeprefix(ROOT).partition("/")
    what, _, which = rest.partition("/")
    if request.method == "GET" and not worker:
        return _door(m, request)
    if not WORKER.fullmatch(worker):
        return _no(m, request, "No such page: a worker's id is A with capital letters and digits.", 404)
    match request.method, what:
        case "GET", "":
            return _offers(m, request, worker)
        case "GET", "preview":
            hit = _hit(m, which)
            if not lets_in(m, worker, _terms(m, hit).get("QualificationRequirements", []), "preview"):
                raise assignments.WorkRefused("You do not have the qualifications to see this HIT.")
            return _framed(m, request, worker, hit, None)
        case "POST", "accept":
            return _accept(m, request, worker, which)
        case "GET", "task":
            task = assignments.held_by(m, worker, which)
            return _framed(m, request, worker, _hit(m, task["hit"]), task)
        case "POST", "return":
            assignments.give_back(m, worker, which)
            return as_json({"returned": which}) if request.wants_json else see(f"{ROOT}{worker}/")
        case "POST", "profile":
            return _profile(m, request, worker)
    return _no(m, request, "No such page.", 404)


def _hit(m: Emulator, id: str) -> dict[str, Any]:
    hit = m.row("SELECT * FROM hit WHERE id = ? AND deleted = 0 AND gone = 0", id)
    if hit is None:
        raise assignments.WorkRefused("There is no such HIT.")
    return hit


def _terms(m: Emulator, hit: dict[str, Any]) -> dict[str, Any]:
    terms: dict[str, Any] = json.loads(
        m.rows("SELECT terms FROM hit_type WHERE id = ?", hit["type"])[0]["terms"]
    )
    return terms


def _door(m: Emulator, request: Request) -> EmulatedReply:
    if WORKER.fullmatch(request.one("worker")):
        return see(f"{ROOT}{request.one('worker')}/")
    body = (
        '<form method="get"><label>Worker id <input name="worker" required pattern="A[A-Z0-9]+" '
        'value="AWORKER1"></label> <button>Show the HITs</button></form>'
    )
    return as_page(m.title, "Who are you?", body)


def _open_to(m: Emulator, worker: str, action: str) -> list[dict[str, Any]]:
    """HITs with a place left, oldest first, that a worker has not done and may accept or discover."""
    done = {
        row["hit"]
        for row in m.rows("SELECT hit FROM assignment WHERE worker = ? AND state != 'Free'", worker)
    }
    return [
        hit
        for hit in m.rows(OFFERED, m.now)
        if hit["id"] not in done
        and lets_in(m, worker, _terms(m, hit).get("QualificationRequirements", []), action)
    ]


def _offers(m: Emulator, request: Request, worker: str) -> EmulatedReply:
    mine = m.rows("SELECT * FROM assignment WHERE worker = ? AND state = 'Accepted' ORDER BY number", worker)
    hits = [
        {
            "HITId": hit["id"],
            "Title": _terms(m, hit)["Title"],
            "Reward": _terms(m, hit)["Reward"],
            "qualified": lets_in(m, worker, _terms(m, hit).get("QualificationRequirements", []), "accept"),
        }
        for hit in _open_to(m, worker, "discover")
    ]
    if request.wants_json:
        tasks = [
            {"assignmentId": row["id"], "hitId": row["hit"], "deadline": row["deadline"]} for row in mine
        ]
        return as_json({"hits": hits, "accepted": tasks, "profile": profile(m, worker)})
    base = f"{ROOT}{worker}"
    accepted = "".join(
        f"<p><a href='{base}/task/{row['id']}'>Go on with {row['id']}</a> "
        + button(f"{base}/return/{row['id']}", "Return it")
        for row in mine
    )
    offers = "".join(
        f"<tr><td>{html.escape(hit['Title'])}</td><td>${html.escape(hit['Reward'])}</td>"
        f"<td><a href='{base}/preview/{hit['HITId']}'>Preview</a></td><td>"
        + (button(f"{base}/accept/{hit['HITId']}", "Accept") if hit["qualified"] else "Not qualified")
        for hit in hits[:50]
    )
    table = (
        f"<table><tr><th>HIT<th>Reward<td><td></tr>{offers}</table>" if hits else "<p>No HITs for you.</p>"
    )
    return as_page(m.title, f"HITs for {worker}", f"{accepted}<p>{len(hits)} on offer.</p>{table}")


def _accept(m: Emulator, request: Request, worker: str, which: str) -> EmulatedReply:
    if which == "next":
        offers = _open_to(m, worker, "accept")
        if not offers:
            raise assignments.WorkRefused("There are no HITs for you.")
        hit = offers[0]
    else:
        hit = _hit(m, which)
    terms = _terms(m, hit)
    if not lets_in(m, worker, terms.get("QualificationRequirements", []), "accept"):
        raise assignments.WorkRefused("You do not have the qualifications for this HIT.")
    task = assignments.accept(m, worker, hit, terms["AssignmentDurationInSeconds"])
    if request.wants_json:
        return _framed(m, request, worker, hit, task)
    return see(f"{ROOT}{worker}/task/{task['id']}")


def frame_url(m: Emulator, request: Request, hit: dict[str, Any], task: dict[str, Any] | None) -> str:
    """The requester's address with what the real site appends; in a preview nobody is named."""
    given = {"assignmentId": task["id"] if task else PREVIEW, "hitId": hit["id"]}
    if task:
        given |= {"workerId": task["worker"]}
        given |= {"turkSubmitTo": request.origin + ("/" if m.switch("turk_submit_to_slash") else "")}
    return f"{hit['url']}{'&' if urlsplit(hit['url']).query else '?'}{urlencode(given)}"


def _framed(
    m: Emulator, request: Request, worker: str, hit: dict[str, Any], task: dict[str, Any] | None
) -> EmulatedReply:
    url = frame_url(m, request, hit, task)
    if request.wants_json:
        told: dict[str, Any] = {
            "frame": url,
            "hitId": hit["id"],
            "assignmentId": task["id"] if task else PREVIEW,
        }
        if task:
            told |= {
                "deadline": task["deadline"],
                "accepted": task["accepted"],
                "submit": request.origin + SUBMIT,
            }
        return as_json(told)
    base = f"{ROOT}{worker}"
    does = (
        button(f"{base}/return/{task['id']}", "Return")
        if task
        else button(f"{base}/accept/{hit['id']}", "Accept")
    )
    sandbox = html.escape(m.switch("frame_sandbox"))
    body = (
        f'<p>{does} <a href="{base}/">All HITs</a></p><iframe name="task" title="The requester\'s page" '
        f'sandbox="{sandbox}" src="{html.escape(url)}"></iframe>'
    )
    return as_page(m.title, _terms(m, hit)["Title"], body)


def _profile(m: Emulator, request: Request, worker: str) -> EmulatedReply:
    asked = request.json()
    if not isinstance(asked, dict) or {*asked} - {*PROFILE}:
        return _no(m, request, f"A profile has {', '.join(PROFILE)}.", 400)
    now = {**profile(m, worker), **asked}
    m.db.execute("INSERT OR REPLACE INTO worker VALUES (?, ?)", [worker, json.dumps(now)])
    return as_json(now)


def _submit(m: Emulator, request: Request) -> EmulatedReply:
    fields = request.form() if request.method == "POST" else {}
    id = fields.get("assignmentId", [""])[0]
    if not id:
        raise assignments.WorkRefused("The form has no assignmentId.")
    worker = fields.get("workerId", [""])[0]
    task = assignments.held_by(m, worker, id)
    terms = _terms(m, m.rows("SELECT * FROM hit WHERE id = ?", task["hit"])[0])
    assignments.submit(m, worker, id, fields, terms["AutoApprovalDelayInSeconds"])
    if request.wants_json:
        return as_json({"submitted": id})
    return as_page(m.title, "Sent", "<p>The HIT has been submitted. Thank you.</p>")
