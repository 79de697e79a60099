"""Studies of the Prolific emulator: drafted, published, paused, stopped."""

import json
from typing import Any
from urllib.parse import urlsplit

from simulation.emulators.emulator_base import Emulator
from simulation.emulators.http_server import Request
from simulation.emulators.prolific import money
from simulation.emulators.prolific.api import body_of, listed, operation, refuse, when
from simulation.emulators.prolific.tables import PROJECT, new_id
from simulation.emulators.prolific.workspaces import workspace_of

REQUIRED = (
    *("name", "description", "external_study_url", "completion_codes", "total_available_places"),
    *("estimated_completion_time", "reward", "prolific_id_option"),
)
KNOWN = {
    *REQUIRED,
    *("internal_name", "device_compatibility", "peripheral_requirements", "filters", "project"),
    *("maximum_allowed_time", "study_labels", "content_warnings", "metadata"),
}
TYPES = {
    *("COMPLETED", "FAILED_ATTENTION_CHECK", "NO_CONSENT", "INCOMPATIBLE_DEVICE", "FOLLOW_UP_STUDY"),
    *("GIVE_BONUS", "FIXED_SCREENOUT", "OTHER"),
}
ACTIONS = {
    *("AUTOMATICALLY_APPROVE", "MANUALLY_REVIEW", "REQUEST_RETURN", "ADD_TO_PARTICIPANT_GROUP"),
    *("REMOVE_FROM_PARTICIPANT_GROUP", "FIXED_SCREENOUT_PAYMENT"),
}
# What can still be changed once a study was published.
LATER = {"total_available_places", "internal_name"}
# action -> the states in which it can be done, and the state that follows.
TRANSITIONS = {
    "PUBLISH": (("UNPUBLISHED",), "ACTIVE"),
    "PAUSE": (("ACTIVE",), "PAUSED"),
    "START": (("PAUSED",), "ACTIVE"),
    "STOP": (("ACTIVE", "PAUSED", "AWAITING REVIEW"), "AWAITING REVIEW"),
}
TAKEN = ("RESERVED", "ACTIVE", "AWAITING REVIEW", "APPROVED", "REJECTED")


def problems(given: dict[str, Any], *, whole: bool) -> dict[str, list[str]]:
    """What is wrong with the fields of a study, by field."""
    found: dict[str, list[str]] = {}
    if whole:
        found |= {name: ["This field is required."] for name in REQUIRED if given.get(name) in (None, "")}
    found |= {name: ["Unknown field."] for name in given if name not in KNOWN}
    for name in ("reward", "total_available_places", "estimated_completion_time", "maximum_allowed_time"):
        value = given.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            found.setdefault(name, ["A whole number from 1 on is required."])
    expected, allowed = given.get("estimated_completion_time"), given.get("maximum_allowed_time")
    if not found and expected and allowed and allowed < 2 + expected + 2 * expected**0.5:
        found["maximum_allowed_time"] = ["It is too close to the estimated completion time."]
    if given.get("prolific_id_option", "url_parameters") not in (
        "url_parameters",
        "question",
        "not_required",
    ):
        found["prolific_id_option"] = ["Not a valid choice."]
    if "external_study_url" in given and urlsplit(str(given["external_study_url"])).scheme not in (
        "http",
        "https",
    ):
        found["external_study_url"] = ["Enter a valid URL."]
    if wrong := _codes(given.get("completion_codes", [])):
        found.setdefault("completion_codes", [wrong])
    for filter_ in given.get("filters") or []:
        if not isinstance(filter_, dict) or "filter_id" not in filter_:
            found["filters"] = ["Each filter has a filter_id."]
    return found


def _codes(codes: Any) -> str:
    """What is wrong with completion codes, "" if nothing."""
    if not isinstance(codes, list):
        return "Expected a list."
    for one in codes:
        if not isinstance(one, dict) or not one.get("code") or one.get("code_type") not in TYPES:
            return "Each has a code and one of the code types."
        actions = one.get("actions")
        if not isinstance(actions, list) or any(a.get("action") not in ACTIONS for a in actions):
            return "Each has a list of actions."
    if len({one["code"] for one in codes}) < len(codes):
        return "Codes must differ."
    return ""


def _elsewhere(m: Emulator, given: dict[str, Any]) -> dict[str, list[str]]:
    """What of a study is in no workspace, or in another one than its project."""
    own = workspace_of(m, str(given.get("project") or PROJECT))
    if not own:
        return {"project": ["Project does not exist."]}
    groups = [
        group
        for filter_ in given.get("filters") or []
        if str(filter_["filter_id"]).startswith("participant_group")
        for group in filter_.get("selected_values") or []
    ]
    for group in groups:
        row = m.row("SELECT workspace FROM workspace_group WHERE id = ?", group)
        if row is None or row["workspace"] != own:
            return {"filters": [f"Participant group {group} does not exist in this workspace."]}
    return {}


def study_of(m: Emulator, id: str) -> dict[str, Any]:
    """A study's row. Raises Refusal."""
    row = m.row("SELECT * FROM study WHERE id = ?", id)
    if row is None:
        raise refuse(404, "Not found", "Study does not exist.")
    return row


def taken(m: Emulator, study: dict[str, Any]) -> int:
    """How many of its places are taken or were done."""
    marks = ", ".join("?" * len(TAKEN))
    sql = f"SELECT count(*) AS n FROM submission WHERE study = ? AND status IN ({marks})"  # noqa: S608
    return int(m.rows(sql, study["id"], *TAKEN)[0]["n"])


def settle(m: Emulator, id: str) -> None:
    """Let a study whose places ran out await its review, and one with free places be active again."""
    study = study_of(m, id)
    full = taken(m, study) >= study["places"]
    stopped = json.loads(study["terms"]).get("stopped", False)
    now = study["status"]
    if now == "ACTIVE" and full:
        now = "AWAITING REVIEW"
    elif now == "AWAITING REVIEW" and not full and not stopped:
        now = "ACTIVE"
    m.db.execute("UPDATE study SET status = ? WHERE id = ?", [now, id])


def shown(m: Emulator, study: dict[str, Any]) -> dict[str, Any]:
    """A study as the API shows it by itself."""
    terms = json.loads(study["terms"])
    terms.pop("stopped", None)
    own = {name: study[name] for name in ("id", "status", "reward")}
    return {**terms, **own, "total_available_places": study["places"]}


def _short(m: Emulator, study: dict[str, Any]) -> dict[str, Any]:
    """A study as the API lists it."""
    whole, places = shown(m, study), study["places"]
    submitted = m.rows("SELECT count(*) AS n FROM submission WHERE study = ?", study["id"])[0]["n"]
    same = ("id", "name", "internal_name", "status", "reward", "total_available_places")
    return {name: whole[name] for name in same} | {
        "places_taken": taken(m, study),
        "number_of_submissions": submitted,
        "date_created": when(study["created"]),
        "published_at": when(study["published"]),
        "total_cost": money.price(m, study["reward"]) * places,
    }


@operation("POST", "/studies/")
def create_study(m: Emulator, request: Request) -> Any:
    given = body_of(request)
    if wrong := problems(given, whole=True) or _elsewhere(m, given):
        raise refuse(400, "Error creating the study", wrong)
    given.setdefault("internal_name", given["name"])
    minutes = given["estimated_completion_time"]
    given.setdefault("maximum_allowed_time", 2 * minutes + 20)
    id, places, reward = new_id(), given.pop("total_available_places"), given.pop("reward")
    m.db.execute(
        "INSERT INTO study (id, status, terms, places, reward, created) "
        "VALUES (?, 'UNPUBLISHED', ?, ?, ?, ?)",
        [id, json.dumps(given), places, reward, m.now],
    )
    return shown(m, study_of(m, id)), 201


@operation("GET", "/studies/")
def list_studies(m: Emulator, request: Request) -> Any:
    rows = m.rows("SELECT * FROM study WHERE created <= ? ORDER BY number", m.now - m.switch("list_delay"))
    states = request.query.get("state")
    return listed(m, request, [_short(m, one) for one in rows if not states or one["status"] in states])


@operation("GET", "/studies/ID/")
def show_study(m: Emulator, request: Request, id: str) -> Any:
    return shown(m, study_of(m, id))


@operation("PATCH", "/studies/ID/")
def change_study(m: Emulator, request: Request, id: str) -> Any:
    given, study = body_of(request), study_of(m, id)
    if wrong := problems(given, whole=False):
        raise refuse(400, "Error updating the study", wrong)
    terms = json.loads(study["terms"])
    if study["status"] != "UNPUBLISHED" and (fixed := given.keys() - LATER):
        wrong = {name: ["Cannot be changed once the study is published."] for name in fixed}
        raise refuse(400, "Error updating the study", wrong)
    places = given.pop("total_available_places", study["places"])
    if study["status"] != "UNPUBLISHED" and places < study["places"]:
        detail = {"total_available_places": ["The number of places can only be increased."]}
        raise refuse(400, "Error updating the study", detail)
    reward = given.pop("reward", study["reward"])
    if study["status"] != "UNPUBLISHED":
        money.need_funds(m, money.price(m, reward) * (places - study["places"]))
    sql = "UPDATE study SET terms = ?, places = ?, reward = ? WHERE id = ?"
    m.db.execute(sql, [json.dumps(terms | given), places, reward, id])
    settle(m, id)
    return shown(m, study_of(m, id))


@operation("POST", "/studies/ID/transition/")
def transition_study(m: Emulator, request: Request, id: str) -> Any:
    action, study = str(body_of(request).get("action")), study_of(m, id)
    if action not in TRANSITIONS:
        raise refuse(400, "Bad request", {"action": [f'"{action}" is not a valid choice.']})
    states, then = TRANSITIONS[action]
    if study["status"] not in states:
        detail = f"A study that is {study['status']} cannot be moved by {action}."
        raise refuse(400, "Bad request", detail)
    terms = json.loads(study["terms"])
    if action == "PUBLISH":
        money.need_funds(m, money.price(m, study["reward"]) * study["places"])
        m.db.execute("UPDATE study SET published = ? WHERE id = ?", [m.now, id])
    terms["stopped"] = action == "STOP"
    m.db.execute("UPDATE study SET status = ?, terms = ? WHERE id = ?", [then, json.dumps(terms), id])
    settle(m, id)
    return shown(m, study_of(m, id))


@operation("GET", "/studies/ID/cost/")
def study_cost(m: Emulator, request: Request, id: str) -> Any:
    return money.cost(m, study_of(m, id))
