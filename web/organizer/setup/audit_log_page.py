"""The page of a study's trail: who steered it, how and when; and the trail as CSV."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from collection.models import Action, Study
from judging.people import person_names
from web.shared.access import for_organizers
from web.shared.csv_files import csv_file
from web.shared.view_choices import choice_of

A_PAGE = 200
# How the trail, which is sealed, names somebody: "assessor 25", "sentences of assessor 25".
ASSESSOR = re.compile(r"\bassessor (\d+)$")
# Values of campaigns whose names say little by themselves.
WORDS = {
    "each": "a place costs",
    "floor": "least pay of an hour",
    "hash": "checksum of the terms",
    "hourly": "pay of an hour",
    "reward": "pay of a place",
    "topped_up": "publishes by itself",
}


@dataclass(frozen=True)
class Change:
    """A value that an action changed: its name, and its old and new value in words ("" for none)."""

    name: str
    before: str
    after: str

    @property
    def called(self) -> str:
        """Its name in words."""
        return WORDS.get(self.name) or self.name.replace("_", " ")


class TrailLine(NamedTuple):
    """A line: the action, or the latest of some alike in a row, how many they are, and the first of them.

    about: what it was about, with an assessor's name on pages; person: the id of that assessor, 0 of none.
    loaded: of a file that was loaded, what was
    found in it. files: of several files of a kind that one person
    loaded in a row, (name, what was found, SHA-256) of each, the latest first; of_kind: what they are.
    """

    action: Action
    about: str
    person: int
    renamed: str
    loaded: str
    changes: list[Change]
    times: int
    first: Action
    files: list[tuple[str, str, str]]
    of_kind: str


@for_organizers
@require_safe
def trail(request: HttpRequest, study: Study) -> HttpResponse:
    """List the actions of a study's trail, latest first, 200 a page; `?who=` and `?what=` choose some."""
    actions = Action.objects.filter(study=study)
    people, kinds = _known(actions)
    who, what = choice_of(request.GET, "who", people), choice_of(request.GET, "what", kinds)
    page = Paginator(_chosen(actions, who, what), A_PAGE).get_page(request.GET.get("page"))
    filters = urlencode({name: value for name, value in (("who", who), ("what", what)) if value})
    context = {
        "study": study,
        "page": page,
        "lines": list(_lines(study, list(page.object_list))),
        "filters": filters,
    }
    context |= {"people": people, "kinds": kinds, "who": who, "what": what, "year": timezone.now().year}
    return render(request, "organizer/trail.html", context)


@for_organizers
@require_safe
def trail_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download the trail as CSV, oldest first, a row for each value that changed; chosen as on the page."""
    actions = Action.objects.filter(study=study)
    people, kinds = _known(actions)
    found = _chosen(
        actions, choice_of(request.GET, "who", people), choice_of(request.GET, "what", kinds)
    ).order_by("pk")
    steered = found.filter(about__contains="assessor ").values_list("about", flat=True)
    rows = _rows(found.iterator(), _names(study, steered))
    return csv_file(rows, f"{study.slug}-trail")


def _rows(actions: Iterable[Action], names: Mapping[int, str]) -> Iterator[list[Any]]:
    yield ["time", "person", "now_called", "action", "about", "changed", "before", "after", "about_person"]
    for action in actions:
        found = ASSESSOR.search(action.about)
        whom = names.get(int(found[1]), "") if found else ""
        did = [action.created_at.isoformat(), action.actor, _renamed(action)]
        did += [action.get_what_display(), action.about]
        for change in changes(action) or [Change("", "", "")]:
            yield [*did, change.name, change.before, change.after, whom]


def _names(study: Study, abouts: Iterable[str]) -> dict[int, str]:
    """Name the assessors that actions were about as pages do: one query, none if there are none."""
    people = {int(found[1]) for about in abouts if (found := ASSESSOR.search(about))}
    return person_names.names(study, people, labels=True)


def _known(actions: QuerySet[Action]) -> tuple[list[str], dict[str, str]]:
    """Return who did something, and the kinds of what was done with their titles."""
    known = set(actions.order_by().values_list("actor", "what").distinct())
    done = {what for _, what in known}
    people = sorted({actor for actor, _ in known})
    return people, {kind.value: kind.label for kind in Action.What if kind in done}


def _chosen(actions: QuerySet[Action], who: str, what: str) -> QuerySet[Action]:
    asked = {name: value for name, value in (("actor", who), ("what", what)) if value}
    return actions.filter(**asked).select_related("by").order_by("-pk")


def _lines(study: Study, actions: list[Action]) -> Iterator[TrailLine]:
    """Yield the lines of some actions; those that follow each other and are alike share one."""
    names = _names(study, (action.about for action in actions))
    for _, alike in groupby(actions, _alike):
        latest, *others = alike
        loaded = [one for one in (latest, *others) if one.what == Action.What.LOADED]
        loads = [(one.about, one.after or {}) for one in loaded]
        files = [
            (name, study.words.counted_in(what.get("what", "")), what.get("sha256", ""))
            for name, what in loads
        ]
        whom = ASSESSOR.search(latest.about)
        kind = loads[0][1].get("kind", "") if loads else ""
        of_kind = study.words.runs if kind in ("run", "grid") else f"files of {kind}"
        yield TrailLine(
            action=latest,
            about=ASSESSOR.sub(lambda found: names[int(found[1])], latest.about),
            person=int(whom[1]) if whom else 0,
            renamed=_renamed(latest),
            loaded=files[0][1] if files else "",
            changes=changes(latest),
            times=1 + len(others),
            first=others[-1] if others else latest,
            files=files if others else [],
            of_kind=of_kind,
        )


def _alike(action: Action) -> tuple[Any, ...]:
    """Return what actions in a row share if they stand in one line: all of it; of loaded files, the kind."""
    if action.what == Action.What.LOADED and action.after:
        return action.actor, action.what, action.after.get("kind", "")
    return action.actor, action.what, action.about, action.before, action.after


def changes(action: Action) -> list[Change]:
    """Return the values that an action changed, one per name; not those that read the same as before."""
    before, after = action.before or {}, action.after or {}
    told = [Change(name, _said(before.get(name)), _said(after.get(name))) for name in {**before, **after}]
    return [change for change in told if change.before != change.after]


def _renamed(action: Action) -> str:
    """Return the account's present username if it changed since the action, else ""."""
    return action.by.username if action.by and action.by.username != action.actor else ""


def _said(value: Any) -> str:
    """Say a value in words, "" for none; those of campaigns are kept as text."""
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_said(one) or 'none'}".replace("_", " ") for name, one in value.items())
    if isinstance(value, list):
        return ", ".join(map(_said, value))
    if isinstance(value, bool) or value in ("True", "False"):
        return "yes" if str(value) == "True" else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)
