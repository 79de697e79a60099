"""The page of a study's trail: who steered it, how and when."""

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
    """A value that an action changed: its name, and its old and new value in words ("" for none)."""

    name: str
    before: str
    after: str


@for_organizers
@require_safe
def trail(request: HttpRequest, study: Study) -> HttpResponse:
    """List the actions of a study's trail, latest first, 50 a page."""
    actions = Action.objects.filter(study=study).select_related("by").order_by("-pk")
    page = Paginator(actions, A_PAGE).get_page(request.GET.get("page"))
    lines = [(action, _renamed(action), changes(action)) for action in page.object_list]
    context = {"study": study, "page": page, "lines": lines}
    return render(request, "organizer/trail.html", context)


def changes(action: Action) -> list[Change]:
    """Return the values that an action changed, one per name; not those that read the same as before."""
    before, after = action.before or {}, action.after or {}
    told = [Change(name, _said(before.get(name)), _said(after.get(name))) for name in {**before, **after}]
    return [change for change in told if change.before != change.after]


def _renamed(action: Action) -> str:
    """Return the account's present username if it changed since the action, else ""."""
    return action.by.username if action.by and action.by.username != action.actor else ""


def _said(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
