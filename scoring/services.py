"""Rescoring topics: from the ledger's preferences and levels to a score for every run."""

from math import isnan

from django.db import transaction
from django.db.models import F, Q

from collection.changes import raise_revisions
from collection.levels import levels as levels_of
from collection.models import Placement, Run, Study, Topic
from judging import ledger
from judging.models import Choice
from prefir.measures import PreferenceGraph, Rankings, compatibility_rows_ps, pgc_rows_ps
from scoring.models import Score, Scored

PERSISTENCES = Study.PERSISTENCES


def rescore(topic_id: int) -> bool:
    """Bring a topic's scores up to its revision; return whether anything was written.

    The revision is read before the judgments: what arrives in between is met again under a higher
    one. Nothing is locked while the scores are computed; of two that were, the newer one is written.
    Cost grows with the topic's judgments and, times the runs, with the depth of RBO. Eight queries.
    """
    topic = Topic.objects.select_related("study").get(pk=topic_id)
    scored = Scored.objects.filter(topic_id=topic_id).first()
    if scored is None:
        # Another process may make the row in this moment: that is no error, not even in the server's log.
        Scored.objects.bulk_create([Scored(topic_id=topic_id)], ignore_conflicts=True)
        scored = Scored.objects.get(topic_id=topic_id)
    if scored.revision >= topic.revision:
        return False
    preferences = ledger.preferences(topic_id)
    scores = _scores(topic, preferences)
    with transaction.atomic():
        newer = Scored.objects.filter(topic_id=topic_id, revision__lt=topic.revision).update(
            revision=topic.revision, judgments=len(preferences)
        )
        if newer:
            Score.objects.bulk_create(
                scores,
                update_conflicts=True,
                unique_fields=["topic", "run", "p"],
                update_fields=["pgc", "compatibility"],
                batch_size=500,
            )
    return bool(newer)


def scores_of(topic: Topic) -> list[Score]:
    """What the ledger says about a topic's runs now, computed and not stored. Five queries."""
    return _scores(topic, ledger.preferences(topic.pk))


def graph_of(preferences: list[tuple[str, str, Choice]]) -> PreferenceGraph:
    """The preference graph of a topic's answers; a tie gives no edge, but its items are nodes."""
    edges, ties = [], []
    for a, b, choice in preferences:
        if choice == Choice.TIE:
            ties.append((a, b))
        else:
            edges.append((a, b) if choice == Choice.A else (b, a))
    return PreferenceGraph(edges, ties=ties)


def _scores(topic: Topic, preferences: list[tuple[str, str, Choice]]) -> list[Score]:
    """A score for every run of the study and every persistence; absent where nothing was judged.

    A run that ranks nothing for the topic scores 0 there, as trec_eval -c has it.
    """
    runs = list(Run.objects.filter(study_id=topic.study_id).order_by("pk").values_list("pk", flat=True))
    if not runs:
        return []
    docnos: dict[str, list[str]] = {str(run_id): [] for run_id in runs}
    placements = Placement.objects.filter(topic=topic).order_by("run_id", "rank")
    for run_id, docno in placements.values_list("run_id", "item__docno"):
        docnos[str(run_id)].append(docno)
    graph = graph_of(preferences)
    leveled = levels_of(topic.pk) if preferences else {}
    judged = {topic.name: (*graph.nodes, *leveled)}
    rankings = Rankings({run: {topic.name: own} for run, own in docnos.items()}, judged=judged)
    graphed = pgc_rows_ps(rankings.rows(topic.name, graph.nodes), graph, PERSISTENCES)
    rows = rankings.rows(topic.name, tuple(leveled))
    compatible = compatibility_rows_ps(rows, list(leveled.values()), PERSISTENCES)
    return [
        Score(topic=topic, run_id=run_id, p=p, pgc=_present(by_graph), compatibility=_present(by_levels))
        for run_id, graph_values, level_values in zip(
            runs, graphed.tolist(), compatible.tolist(), strict=True
        )
        for p, by_graph, by_levels in zip(PERSISTENCES, graph_values, level_values, strict=True)
    ]


def _present(value: float) -> float | None:
    """A database has no nan: absent values are stored as null. Rounding may leave 1 + 1e-16."""
    return None if isnan(value) else min(1.0, max(0.0, value))


def behind() -> list[int]:
    """Topics whose scores are older than their judgments. One query."""
    rows = Topic.objects.filter(Q(scored=None, revision__gt=0) | Q(scored__revision__lt=F("revision")))
    return list(rows.order_by("pk").values_list("pk", flat=True))


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
