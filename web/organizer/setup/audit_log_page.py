"""Page of the audit log: who changed what in a study, and when."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Action, Study
from web.shared.access import for_organizers

A_PAGE = 50


@dataclass(frozen=True)
class Change:
    """A changed value: its name, and its words before and after ("" if there was none)."""

    name: str
    before: str
    after: str


@for_organizers
@require_safe
def trail(request: HttpRequest, study: Study) -> HttpResponse:
    """List the actions on a study, latest first."""
    actions = Action.objects.filter(study=study).select_related("by").order_by("-pk")
    page = Paginator(actions, A_PAGE).get_page(request.GET.get("page"))
    lines = [(action, _renamed(action), changes(action)) for action in page.object_list]
    context = {"study": study, "tab": "study", "page": page, "lines": lines}
    return render(request, "organizer/trail.html", context)


def changes(action: Action) -> list[Change]:
    """The changed values of an action, by name."""
    before, after = action.before or {}, action.after or {}
    return [Change(name, _said(before.get(name)), _said(after.get(name))) for name in {**before, **after}]


def _renamed(action: Action) -> str:
    """The account's present name, if it was renamed since."""
    return action.by.username if action.by and action.by.username != action.actor else ""


def _said(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
