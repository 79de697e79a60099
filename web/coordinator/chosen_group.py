"""Group of topics that a query chooses, for the pages that compare over one group."""

from typing import Any

from django.http import HttpRequest

from collection.models import Study
from scoring.analysis import topic_filter
from web.shared.view_choices import choice_of


def groups_told(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the groups that can be chosen, and the one that the request asks for, "" for all topics."""
    return chosen(request, topic_filter.group_choices(study))


def chosen(request: HttpRequest, choices: list[tuple[str, str]]) -> dict[str, Any]:
    """As `groups_told`, of these choices; group_label: how the choice is called."""
    known = dict(choices)
    group = choice_of(request.GET, "group", known, said="all topics")
    return {"group_choices": choices, "group": group, "group_label": known.get(group, "")}


def group_query(group: str) -> dict[str, str]:
    """Return a group as a parameter of a query; nothing for all topics."""
    return {"group": group} if group else {}
