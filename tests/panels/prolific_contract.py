"""What Prolific documents of the operations that are used here: addresses, what is sent, what is replied.

Facts from the OpenAPI file of "Prolific API for Data Collectors" as of 15 April 2026, which Prolific
publishes as contract_test/publicapi.yaml in https://github.com/prolific-oss/cli (commit 6e71d85), and from
the pages of https://docs.prolific.com/api-reference. A name with "!" is required. A value is a type, a set
of choices, a list of one kind of value, or an object of such names. Lists of results come in pages, with
`_links` and `meta`, which the file leaves out and Prolific's own client reads.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

TEXT, NUMBER, FLAG, ANYTHING = str, float, bool, object
Shape = Any


class Operation(NamedTuple):
    """An operation: its address below /api/v1, what a request sends (None: nothing), what a reply has."""

    method: str
    path: str
    sends: Shape
    replies: Shape


def texts(names: str) -> dict[str, Shape]:
    return dict.fromkeys(names.split(), TEXT)


def numbers(names: str) -> dict[str, Shape]:
    return dict.fromkeys(names.split(), NUMBER)


def listed(row: Shape) -> Shape:
    return {"results!": [row], "_links": ANYTHING, "meta": ANYTHING}


CODE = {
    "code!": TEXT,
    "code_type!": {
        *("COMPLETED", "FAILED_ATTENTION_CHECK", "FOLLOW_UP_STUDY", "GIVE_BONUS", "INCOMPATIBLE_DEVICE"),
        *("NO_CONSENT", "OTHER", "FIXED_SCREENOUT"),
    },
    "actor": {"participant", "researcher"},
    "actions!": [{"action!": TEXT}],
}
STUDY = {
    **texts("name internal_name description external_study_url project"),
    **numbers("total_available_places estimated_completion_time maximum_allowed_time reward"),
    "prolific_id_option": {"question", "url_parameters", "not_required"},
    "completion_codes": [CODE],
    "device_compatibility": [{"desktop", "tablet", "mobile"}],
    "filters": [{"filter_id!": TEXT, "selected_values": [TEXT], "selected_range": ANYTHING}],
}
STATUS = {"UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "AWAITING REVIEW", "PAUSED", "COMPLETED"}
DETAIL = {**STUDY, "id": TEXT, "status": STATUS}
SHORT = {
    **texts("id! name! internal_name published_at date_created"),
    **numbers("reward total_available_places places_taken number_of_submissions total_cost"),
    "status": STATUS,
}
GROUP = texts("id name workspace_id")
MEMBERS = {"results": [texts("participant_id datetime_created")], "_links": ANYTHING, "meta": ANYTHING}
SUBMISSION = texts("id completed_at entered_code participant started_at! status! study_id!")
SUBSCRIPTION = {**texts("id event_type! target_url! workspace_id!"), "is_enabled": FLAG}
AMOUNT = {"amount": NUMBER, "currency": TEXT}
COSTS = {"rewards": AMOUNT, "fees": AMOUNT, "tax": AMOUNT}
IDS = {"participant_ids": [TEXT]}
# By the names of the emulator's operations.
CONTRACT = {
    "list_workspaces": Operation("GET", "/workspaces/", None, listed(texts("id! title! description"))),
    "list_projects": Operation(
        "GET", "/workspaces/ID/projects/", None, listed(texts("id title description"))
    ),
    "workspace_balance": Operation(
        "GET",
        "/workspaces/ID/balance/",
        None,
        {"currency_code": TEXT, **numbers("total_balance available_balance")},
    ),
    "calculate_study_cost": Operation(
        "POST",
        "/study-cost-calculator/",
        numbers("reward! total_available_places!"),
        {"total_cost!": NUMBER},
    ),
    "list_groups": Operation("GET", "/participant-groups/", None, listed(GROUP)),
    "create_group": Operation(
        "POST",
        "/participant-groups/",
        texts("name! workspace_id organisation_id description"),
        GROUP,
    ),
    "add_members": Operation("POST", "/participant-groups/ID/participants/", IDS, MEMBERS),
    "remove_members": Operation("DELETE", "/participant-groups/ID/participants/", IDS, MEMBERS),
    "list_members": Operation("GET", "/participant-groups/ID/participants/", None, MEMBERS),
    "list_studies": Operation("GET", "/studies/", None, listed(SHORT)),
    "create_study": Operation("POST", "/studies/", STUDY, DETAIL),
    "show_study": Operation("GET", "/studies/ID/", None, DETAIL),
    "change_study": Operation("PATCH", "/studies/ID/", STUDY, DETAIL),
    "transition_study": Operation(
        "POST",
        "/studies/ID/transition/",
        {"action!": {"PUBLISH", "SCHEDULE_PUBLISH", "CANCEL_PUBLISH", "PAUSE", "START", "STOP"}},
        DETAIL,
    ),
    "study_cost": Operation("GET", "/studies/ID/cost/", None, {"rewards": COSTS, "bonuses": COSTS}),
    "list_study_submissions": Operation(
        "GET",
        "/studies/ID/submissions/",
        None,
        listed(
            {
                **texts("id participant_id! status started_at! completed_at study_code return_requested"),
                "has_siblings!": FLAG,
            }
        ),
    ),
    "show_submission": Operation(
        "GET",
        "/submissions/ID/",
        None,
        {**SUBMISSION, **texts("parent_study_id return_requested"), "bonus_payments": [NUMBER]},
    ),
    "transition_submission": Operation(
        "POST",
        "/submissions/ID/transition/",
        {
            "action!": {
                *("APPROVE", "COMPLETE", "REJECT", "RETURN", "START", "SCREEN_OUT", "UNREJECT", "UNRETURN")
            },
            **texts("message rejection_category completion_code"),
        },
        SUBMISSION,
    ),
    "create_bonuses": Operation(
        "POST",
        "/submissions/bonus-payments/",
        texts("study_id csv_bonuses"),
        {**texts("id! study"), **numbers("amount fees vat total_amount!")},
    ),
    "create_secret": Operation(
        "POST", "/hooks/secrets/", texts("workspace_id"), texts("id value workspace_id")
    ),
    "list_subscriptions": Operation("GET", "/hooks/subscriptions/", None, listed(SUBSCRIPTION)),
    "create_subscription": Operation(
        "POST", "/hooks/subscriptions/", texts("event_type! target_url! workspace_id!"), listed(SUBSCRIPTION)
    ),
    "confirm_subscription": Operation("POST", "/hooks/subscriptions/ID/", texts("secret!"), SUBSCRIPTION),
    "delete_subscription": Operation("DELETE", "/hooks/subscriptions/ID/", None, ANYTHING),
    # The reply is a sentence.
    "pay_bonuses": Operation("POST", "/bulk-bonus-payments/ID/pay/", None, TEXT),
}


def differences(log: list[Mapping[str, Any]]) -> list[str]:
    """Say what in an emulator's log differs from the contract, of requests that it served without a fault."""
    found = []
    for row in log:
        if row["operation"] in ("site", "complete") or row["fault"] or not 200 <= row["status"] < 300:
            continue
        if (known := CONTRACT.get(row["operation"])) is None:
            found.append(f"{row['operation']} is not in the contract")
            continue
        if known.sends is None and row["request"]:
            found.append(f"{row['operation']} sends {row['request']}")
        elif known.sends is not None:
            asked = json.loads(row["request"])
            found += [f"{row['operation']} sends {one}" for one in _wrong(asked, known.sends)]
        try:
            reply = json.loads(row["answer"])
        except ValueError:  # the log keeps the beginning of a long one
            continue
        found += [f"{row['operation']} replies {one}" for one in _wrong(reply, known.replies)]
    return found


def _wrong(value: Any, shape: Shape, at: str = "") -> Iterator[str]:
    """Yield where a value is not of a shape. None stands for what is missing, except where it is required."""
    match shape:
        case dict():
            if not isinstance(value, dict):
                yield f"{at or 'no object'}: {value!r}"
                return
            known = {name.rstrip("!"): inner for name, inner in shape.items()}
            needed = {name[:-1] for name in shape if name.endswith("!")}
            yield from (f"{at}{name}, which is unknown" for name in value if name not in known)
            yield from (f"no {at}{name}" for name in needed if value.get(name) is None)
            for name in value.keys() & known.keys():
                if value[name] is not None:
                    yield from _wrong(value[name], known[name], f"{at}{name}.")
        case list():
            if not isinstance(value, list):
                yield f"{at} no list: {value!r}"
                return
            for one in value:
                yield from _wrong(one, shape[0], at)
        case set() if value not in shape:
            yield f"{at} {value!r}"
        case type() if shape is not ANYTHING:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not (number if shape is NUMBER else isinstance(value, shape)):
                yield f"{at} {value!r}"
