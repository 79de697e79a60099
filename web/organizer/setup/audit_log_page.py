"""The page of a study's trail: who steered it, how and when."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Action, Study
from web.shared.access import for_organizers
from web.shared.view_choices import choice_of

A_PAGE = 50


@dataclass(frozen=True)
class Change:
    """A value that an action changed: its name, and its old and new value in words ("" for none)."""

    name: str
    before: str
    after: str


class TrailLine(NamedTuple):
    """A line: the action, or the latest of some alike in a row, how many they are, and the first of them."""

    action: Action
    renamed: str
    changes: list[Change]
    times: int
    first: Action


@for_organizers
@require_safe
def trail(request: HttpRequest, study: Study) -> HttpResponse:
    """List the actions of a study's trail, latest first, 50 a page; `?who=` and `?what=` choose some."""
    actions = Action.objects.filter(study=study)
    known = set(actions.order_by().values_list("actor", "what").distinct())
    people = sorted({actor for actor, _ in known})
    kinds = {kind.value: kind.label for kind in Action.What if kind in {what for _, what in known}}
    who, what = choice_of(request.GET, "who", people), choice_of(request.GET, "what", kinds)
    asked = {name: value for name, value in (("actor", who), ("what", what)) if value}
    found = actions.filter(**asked).select_related("by").order_by("-pk")
    page = Paginator(found, A_PAGE).get_page(request.GET.get("page"))
    context = {"study": study, "page": page, "lines": list(_lines(page.object_list))}
    context |= {"people": people, "kinds": kinds, "who": who, "what": what}
    return render(request, "organizer/trail.html", context)


def _lines(actions: Iterable[Action]) -> Iterator[TrailLine]:
    """Yield the lines of some actions; those that follow each other and are alike share one."""
    for _, alike in groupby(actions, lambda one: (one.actor, one.what, one.about, one.before, one.after)):
        latest, *others = alike
        first = others[-1] if others else latest
        yield TrailLine(latest, _renamed(latest), changes(latest), 1 + len(others), first)


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
