"""Explanation of a topic's scores: its preference graph, and the breakdown of each run's score. Cached."""

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from django.core.cache import cache

from collection.material.levels import levels_and_grades
from collection.models import Item, Run, Study, Topic
from judging import ledger
from judging.aspect_answers import aspect_answers
from judging.models import Judgment
from scoring.board import standings
from scoring.compute import child_process
from scoring.compute.graph_layout import Picture, picture
from scoring.compute.score_breakdown import Parts, parts
from scoring.scores import rankings
from scoring.scores.topic_scores import graph_of

if TYPE_CHECKING:
    from prefir.measures import PreferenceGraph

KEPT_SECONDS = 3600
# Depths whose parts are shown one by one; those below are summed.
DEPTHS = 10


def graph_picture(study: Study, topic: Topic, part: int = 1, aspect: str = "") -> Picture:
    """The part `part` of the topic's preference graph, or of that by an aspect.

    Time grows with the topic's judgments.
    """

    def compute() -> Picture:
        rows = Item.objects.filter(topic=topic, top_rank__isnull=False)
        places = dict(rows.values_list("docno", "top_rank"))
        return child_process.call(picture, _graph(study, topic, aspect), places, part)

    found: Picture = _kept(study, ("graph", topic.pk, topic.revision, part, aspect), compute)
    return found


def run_parts(study: Study, topic: Topic, runs: Sequence[Run], measure: str, p: float) -> list[Parts]:
    """Breakdown of these runs' scores on the topic, by one of `score_breakdown.WITH_PARTS`."""

    def compute() -> list[Parts]:
        graph, (levels, grades) = _graph(study, topic), levels_and_grades(topic.pk)
        ranked = rankings.of_topic(topic.pk, {run.pk: run.created_at for run in runs})
        own = [ranked[str(run.pk)] for run in runs]
        return child_process.call(parts, graph, levels, grades, own, measure, p, DEPTHS)

    known = [(run.pk, run.created_at) for run in runs]
    found: list[Parts] = _kept(study, ("parts", topic.pk, topic.revision, known, measure, p), compute)
    return found


def _graph(study: Study, topic: Topic, aspect: str = "") -> "PreferenceGraph":
    """The preference graph that scores are made from, or of what the same people said of an aspect."""
    if not aspect:
        return graph_of(ledger.given(topic.pk).scored(kept_only=study.kept_only))
    rows = Judgment.objects.settled() if study.kept_only else Judgment.objects.counting()
    said = (one for one, _ in aspect_answers(rows.filter(topic=topic, details__isnull=False)))
    told = (one for one in said if aspect in one.aspects)
    return graph_of([one.preference._replace(lean=one.aspects[aspect]) for one in told])


def _kept(study: Study, asked: tuple[Any, ...], compute: Callable[[], Any]) -> Any:
    told = repr((standings.version(study), asked)).encode()
    key = f"why:{hashlib.sha256(told).hexdigest()}"
    found = cache.get(key)
    if found is None:
        found = compute()
        cache.set(key, found, timeout=KEPT_SECONDS)
    return found
