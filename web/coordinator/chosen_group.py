"""Group of topics that a query chooses, for the pages that compare over one group."""

from typing import Any

from django.http import HttpRequest

from collection.models import Study
from scoring.analysis import topic_filter


def groups_told(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the groups that can be chosen, and the one that the request asks for, "" for all topics."""
    choices = topic_filter.group_choices(study)
    asked = request.GET.get("group", "")
    return {"group_choices": choices, "group": asked if asked in dict(choices) else ""}


def group_query(group: str) -> dict[str, str]:
    """Return a group as a parameter of a query; nothing for all topics."""
    return {"group": group} if group else {}
