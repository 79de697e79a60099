"""Settings of campaigns on Prolific: defaults, labels and validation."""

import json
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from math import ceil, sqrt
from typing import Any

DEFAULTS: Mapping[str, Any] = {
    "title": "Which of two results is better?",
    "description": "Compare search results in pairs and say which one you would rather have been given.",
    "duration_minutes": 60,
    "devices": ["desktop", "tablet", "mobile"],
    "filters": "",
    "fee_percent": "33.3",
    "workspace": "",
    "project": "",
}
LABELS: Mapping[str, tuple[str, str]] = {
    "title": ("Title of the study", "What participants see in the list."),
    "description": ("Description", "Plain text, or the HTML that Prolific takes."),
    "duration_minutes": ("Minutes that somebody has", "Prolific takes the place back afterwards."),
    "devices": ("Devices", "Of desktop, tablet and mobile, with commas."),
    "filters": (
        "Further filters",
        "JSON as Prolific's API takes it, a list of objects with filter_id; empty: everybody.",
    ),
    "fee_percent": ("Prolific's fee, in percent", "Of rewards and bonuses; see your account's contract."),
    "workspace": ("Workspace", "Its id at Prolific; empty: the account's only one."),
    "project": ("Project", "The id of a project in the workspace; empty: the usual one."),
}
DEVICES = {"desktop", "tablet", "mobile"}


def problems(terms: Mapping[str, Any]) -> dict[str, str]:
    """Validate the settings of a campaign; return an error sentence by field."""
    found: dict[str, str] = {}
    for field, most in (("title", 120), ("description", 5000)):
        if not 1 <= len(str(terms[field]).strip()) <= most:
            found[field] = f"Write a {field}, of {most:,} characters at most."
    minutes = terms["duration_minutes"]
    if not isinstance(minutes, int) or not 5 <= minutes <= 7 * 24 * 60:
        found["duration_minutes"] = "People have between 5 minutes and 7 days."
    devices = terms["devices"]
    if not isinstance(devices, list) or not devices or not DEVICES.issuperset(devices):
        found["devices"] = "Name one or several of desktop, tablet and mobile."
    try:
        filters_of(terms)
    except ValueError:
        found["filters"] = "The filters are JSON: a list of objects, each with a filter_id."
    try:
        if not 0 <= Decimal(str(terms["fee_percent"])) <= 200:
            raise InvalidOperation
    except InvalidOperation:
        found["fee_percent"] = "The fee is a percentage of the reward, from 0 to 200."
    return found


def least_allowed(minutes: int) -> int:
    """Minutes that Prolific lets people have at least, for a study that is expected to take so many.

    Source: https://participant-help.prolific.co/hc/en-gb/articles/360022342534-Timed-Out-Submissions.
    """
    return ceil(2 + minutes + 2 * sqrt(minutes))


def filters_of(terms: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Parse the further filters. Raises ValueError."""
    if not str(terms["filters"]).strip():
        return []
    found = json.loads(terms["filters"])
    if not isinstance(found, list) or not all(isinstance(one, dict) and "filter_id" in one for one in found):
        raise ValueError("a list of objects with filter_id is wanted")
    return found
