"""Rescoring topics: from the ledger's preferences and levels to a score for every run."""

from math import isnan
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count, F, Q

from collection.changes import raise_revisions
from collection.levels import levels as levels_of
from collection.models import Import, Item, Placement, Run, Study, Topic
from judging import ledger
from judging.ledger import Preference
from judging.models import Judgment
from scoring import apart, measured
from scoring.measured import Evidence, options
from scoring.models import Score, Scored

if TYPE_CHECKING:
    from prefir.measures import PreferenceGraph

PERSISTENCES = Study.PERSISTENCES


def rescore(topic_id: int) -> bool:
    """Bring a topic's scores up to date; return whether anything was written.

    Revision and provisional rows are read before the judgments: what arrives in between raises one of them,
    so the next call scores it. Nothing is locked while scores are computed: of two concurrent calls the
    newer wins. Only values that changed are written. Cost grows with the topic's judgments and, times the
    runs, with the depth of RBO.
    """
    topic = Topic.objects.select_related("study").get(pk=topic_id)
    scored = Scored.objects.filter(topic_id=topic_id).first()
    if scored is None:
        # Another process may make the row at this moment: no error then, not even in the database's log.
        Scored.objects.bulk_create([Scored(topic_id=topic_id)], ignore_conflicts=True)
        scored = Scored.objects.get(topic_id=topic_id)
    provisional = Judgment.objects.provisional().filter(topic=topic_id).count()
    if (scored.revision, scored.provisional) >= (topic.revision, provisional):
        return False
    preferences = ledger.counting(topic_id)
    scores = _scores(topic, preferences)
    with transaction.atomic():
        older = Q(revision__lt=topic.revision) | Q(revision=topic.revision, provisional__lt=provisional)
        newer = Scored.objects.filter(older, topic_id=topic_id).update(
            revision=topic.revision,
            provisional=provisional,
            judgments=len({found.judgment for found in preferences}),
        )
        if newer:
            Score.objects.bulk_create(
                _changed(topic, scores),
                update_conflicts=True,
                unique_fields=["topic", "run", "measure", "options"],
                update_fields=["value"],
                batch_size=500,
            )
    return bool(newer)


def _changed(topic: Topic, scores: list[Score]) -> list[Score]:
    """Scores that differ from the stored ones."""
    stored = Score.objects.filter(topic=topic).values_list("run_id", "measure", "options", "value")
    values = {(run, measure, option): value for run, measure, option, value in stored}
    return [
        score
        for score in scores
        if values.get((score.run_id, score.measure, score.options), ...) != score.value
    ]


def scores_of(topic: Topic) -> list[Score]:
    """Compute the scores of a topic's runs from the ledger, without storing them. Five queries."""
    return _scores(topic, ledger.counting(topic.pk))


def graph_of(preferences: list[Preference]) -> "PreferenceGraph":
    """Build the preference graph of a topic's items, by docno; a tie gives nodes, but no edge."""
    from prefir.measures import PreferenceGraph

    ids = {item for found in preferences for item in (found.first, found.second)}
    docnos = dict(Item.objects.filter(pk__in=ids).values_list("pk", "docno")) if ids else {}
    edges, ties = [], []
    for found in preferences:
        first, second = docnos[found.first], docnos[found.second]
        if found.lean:
            edges.append((first, second) if found.lean > 0 else (second, first))
        else:
            ties.append((first, second))
    return PreferenceGraph(edges, ties=ties)


def _scores(topic: Topic, preferences: list[Preference]) -> list[Score]:
    """Score every run of the study by every measure and persistence; absent if nothing was judged.

    A run that ranks nothing for the topic scores 0 there, as in trec_eval -c.
    """
    from prefir.measures import Rankings

    runs = list(Run.objects.filter(study_id=topic.study_id).order_by("pk").values_list("pk", flat=True))
    if not runs:
        return []
    docnos: dict[str, list[str]] = {str(run_id): [] for run_id in runs}
    placements = Placement.objects.filter(topic=topic).order_by("run_id", "rank")
    for run_id, docno in placements.values_list("run_id", "item__docno"):
        docnos[str(run_id)].append(docno)
    graph = graph_of(preferences)
    levels = levels_of(topic.pk) if preferences else {}
    judged = {topic.name: (*graph.nodes, *levels)}
    rankings = Rankings({run: {topic.name: own} for run, own in docnos.items()}, judged=judged)
    values = apart.call(measured.values, Evidence(topic.name, graph, levels, rankings), PERSISTENCES)
    return [
        Score(topic=topic, run_id=run_id, measure=name, options=options(p), value=_present(value))
        for name, rows in values.items()
        for run_id, row in zip(runs, rows, strict=True)
        for p, value in zip(PERSISTENCES, row, strict=True)
    ]


def _present(value: float) -> float | None:
    """Turn nan, which databases lack, into None."""
    return None if isnan(value) else value


def behind() -> list[int]:
    """Topics whose scores are older than their judgments, in order. Three queries.

    Cost grows with the topics and with the answers that wait for a verdict, not with the ledger.
    """
    rows = Topic.objects.filter(Q(scored=None, revision__gt=0) | Q(scored__revision__lt=F("revision")))
    # A run concerns every topic: several of them are scored together, once the last is loaded.
    rows = rows.exclude(study__in=Import.objects.unfinished().values("study_id"))
    found = set(rows.values_list("pk", flat=True))
    waiting = Judgment.objects.provisional().values_list("topic_id").annotate(n=Count("pk")).order_by()
    now = dict(waiting)
    then = Scored.objects.filter(topic__in=now).values_list("topic_id", "provisional")
    return sorted(found | (now.keys() - {topic for topic, n in then if n >= now[topic]}))


def rebuild(study_id: int) -> int:
    """Drop every score of a study and compute them again from the ledger; return how many topics."""
    topics = list(Topic.objects.filter(study_id=study_id).order_by("pk").values_list("pk", flat=True))
    Score.objects.filter(topic__study_id=study_id).delete()
    Scored.objects.filter(topic__study_id=study_id).delete()
    with transaction.atomic():
        raise_revisions(topics, settled=False)
    for topic_id in topics:
        rescore(topic_id)
    return len(topics)
