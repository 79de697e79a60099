"""The leaderboard by groups of topics: over one of them, and which of them turn the order."""

import hashlib
from collections.abc import Mapping
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from collection.models import Study
from scoring.analysis.topic_filter import group_choices, topics_in
from scoring.analysis.topic_groups import TURNS
from scoring.board import leaderboard, standings
from scoring.models import Standing
from web.coordinator.chosen_group import chosen
from web.coordinator.group_sentences import answer, is_too_early
from web.live import live_board
from web.shared import waiting_pages
from web.shared.access import for_viewers
from web.shared.view_choices import persistence_of, whole_of

# Groups that were loaded a moment ago can be chosen after so many seconds; a group's board stays longer.
CHOICES_SECONDS, BOARD_SECONDS = 30, 600
# Between two looks for groups that turn the order.
REST_SECONDS = 30


def groups_told(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return the groups that can be chosen, and the one that the request asks for. No query once cached."""
    key = f"group-choices:{study.pk}"
    choices = cache.get(key)
    if choices is None:
        choices = group_choices(study)
        cache.set(key, choices, CHOICES_SECONDS)
    return chosen(request, choices)


@for_viewers
@require_safe
def group_part(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the board over the group that the request asks for, else over all; 304 while it is the same.

    Its standing is computed once for all who watch it.
    """
    view = live_board.View(persistence_of(request.GET, study), whole_of(request.GET) is False)
    standing, told = standings.current(study), groups_told(request, study)
    headers = {"ETag": board_version(study, standing, told["group"]), "Cache-Control": "no-store"}
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return HttpResponse(status=304, headers=headers)
    part = (
        board_over(study, standing, view, told) if told["group"] else live_board.part(study, standing, view)
    )
    return HttpResponse(part, headers=headers)


def board_version(study: Study, standing: Standing, group: str) -> str:
    """Return the ETag of a board: of its standing, and of the topics of the group if there is one."""
    of = f".{_topics(study, group)[1]}" if group else ""
    return f'"{leaderboard.stamp(standing)}{of}"'


def board_over(study: Study, standing: Standing, view: live_board.View, told: Mapping[str, Any]) -> str:
    """Return the HTML of the board over a group as told by `groups_told`. No query once cached."""
    group = told["group"]
    topics, digest = _topics(study, group)
    key = f"group-board:{study.pk}:{leaderboard.stamp(standing)}:{digest}"
    stored = cache.get(key)
    if stored is None:
        stored = standings.computed(study, topics)
        cache.set(key, stored, BOARD_SECONDS)
    own = Standing(study=study, number=standing.number, version=standing.version, board=stored)
    context = live_board.told(study, own, view, group=group)
    context |= {"group_label": told["group_label"], "all_topics": view.query}
    return render_to_string("coordinator/_group_board.html", context)


def topics_key(study: Study, group: str) -> str:
    """Return under which key the topics of a group are cached."""
    return f"group-topics:{study.pk}:{hashlib.sha256(group.encode()).hexdigest()}"


def _topics(study: Study, group: str) -> tuple[set[int] | None, str]:
    """Return the topics of a group, and a digest of these; cached like the choices."""
    key = topics_key(study, group)
    found: tuple[set[int] | None, str] | None = cache.get(key)
    if found is None:
        topics = topics_in(study, group)
        found = topics, hashlib.sha256(repr(sorted(topics or ())).encode()).hexdigest()[:16]
        cache.set(key, found, CHOICES_SECONDS)
    return found


def turned_told(study: Study, standing: Standing) -> list[tuple[str, str]]:
    """Return for each column of groups in which another run leads than over all: the column, and what to say.

    No query while it is computed for this standing, or was a moment ago.
    """
    found, own = TURNS.latest(study), standing.version.rpartition(".")[0]
    if found is None or not (found.is_younger(REST_SECONDS) or found.version.startswith(f"{own}.")):
        found, _ = waiting_pages.latest_result(TURNS, study, rest=REST_SECONDS)
    if found is None:
        return []
    names = {run["id"]: run["name"] for run in standing.board["runs"]}
    return [
        (one.column, " ".join(answer(one, [names[run] for run in one.runs], study.words)))
        for one in found.value
        if names.keys() >= {*one.runs} and not is_too_early(one)
    ]
