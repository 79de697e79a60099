"""The leaderboard by groups of topics: over one of them, and which of them turn the order."""

import hashlib
from typing import Any

from django.core.cache import cache
from django.http import HttpRequest
from django.template.loader import render_to_string

from collection.models import Study
from scoring.analysis.topic_filter import group_choices, topics_in
from scoring.analysis.topic_groups import TURNS
from scoring.board import leaderboard, standings
from scoring.models import Standing
from web.coordinator.chosen_group import chosen
from web.coordinator.group_sentences import answer
from web.live import live_board
from web.shared import waiting_pages

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


def board_over(study: Study, standing: Standing, view: live_board.View, group: str) -> str:
    """Return the HTML of the board over one group, as of a standing. No query once cached."""
    digest = hashlib.sha256(group.encode()).hexdigest()[:16]
    key = f"group-board:{study.pk}:{leaderboard.stamp(standing)}:{digest}"
    stored = cache.get(key)
    if stored is None:
        stored = standings.computed(study, topics_in(study, group))
        cache.set(key, stored, BOARD_SECONDS)
    own = Standing(study=study, number=standing.number, version=standing.version, board=stored)
    return render_to_string("coordinator/_board.html", live_board.told(study, own, view, group=group))


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
        if names.keys() >= {*one.runs}
    ]
