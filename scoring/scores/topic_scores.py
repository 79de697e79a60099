"""Rescore topics: from the ledger's preferences and levels to a score for every run."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from collection.changes import raise_revisions
from collection.material.levels import levels_and_grades
from collection.models import Import, Study, Topic
from config.sql import execute, ids, moment
from config.task_queue import sweep_each
from judging import ledger
from judging.ledger import Preference
from judging.models import Judgment
from scoring.compute import child_process
from scoring.models import StoredScores
from scoring.scores import rankings, stored_measures
from scoring.scores.score_rows import Score, TopicScores
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import Evidence

if TYPE_CHECKING:
    from prefir.measures import PreferenceGraph

PERSISTENCES = Study.PERSISTENCES
Progress = Callable[[int, int], None]


# Written, since an open study asks for them some twenty times a second.
KNOWN = """
SELECT topic.study_id, study.kept_only, study.measures, topic.name, topic.revision,
       scored.revision, scored.provisional
FROM collection_topic topic JOIN collection_study study ON study.id = topic.study_id
LEFT JOIN scoring_storedscores scored ON scored.topic_id = topic.id
WHERE topic.id = %s
"""
RUNS = "SELECT id, created_at FROM collection_run WHERE study_id = %s AND shown ORDER BY id"
DOCNOS = "SELECT id, docno FROM collection_item WHERE id {among}"
STORE = """
INSERT INTO scoring_storedscores
    (topic_id, revision, provisional, judgments, scored_at, columns, runs, numbers, ceilings)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (topic_id) DO UPDATE SET
    revision = excluded.revision, provisional = excluded.provisional, judgments = excluded.judgments,
    scored_at = excluded.scored_at, columns = excluded.columns, runs = excluded.runs,
    numbers = excluded.numbers, ceilings = excluded.ceilings
WHERE (scoring_storedscores.revision, scoring_storedscores.provisional)
    < (excluded.revision, excluded.provisional)
RETURNING topic_id
"""
WAITING = """
UPDATE scoring_storedscores SET provisional = %s WHERE topic_id = %s AND revision = %s AND provisional < %s
RETURNING topic_id
"""


def rescore(topic_id: int) -> bool:
    """Bring a topic's scores up to date; return whether anything was written.

    The revision is read before the answers: what arrives in between raises it or the number of provisional
    rows, so the next call scores it. Where the study counts kept batches only, a larger number of provisional
    rows is stored and nothing else. Nothing is locked while scores are computed: of two concurrent calls the
    newer wins. Reads rows of this topic alone, and writes one. Cost grows with the topic's judgments and,
    times the runs, with the depth of RBO.
    """
    rows = execute(KNOWN, [topic_id])
    if not rows:
        raise Topic.DoesNotExist(f"There is no topic {topic_id}.")
    study_id, kept_only, measures, name, revision, *known = rows[0]
    given = ledger.given(topic_id)
    if known[0] is not None and tuple(known) >= (revision, given.provisional):
        return False
    if kept_only and known[0] == revision:
        return bool(execute(WAITING, [given.provisional, topic_id, revision, given.provisional]))
    scored = given.scored(kept_only=bool(kept_only))
    packed = _scores(study_id, topic_id, name, scored, stored_measures.chosen(measures)).packed()
    judgments = len({found.judgment for found in scored})
    stamps = [revision, given.provisional, judgments, moment(timezone.now())]
    return bool(execute(STORE, [topic_id, *stamps, *packed.values()]))


def scores_of(topic: Topic) -> tuple[int, Iterator[Score]]:
    """Compute a topic's number of judgments and the scores of its runs; stores nothing."""
    scored = ledger.given(topic.pk).scored(kept_only=topic.study.kept_only)
    judgments = len({found.judgment for found in scored})
    measures = stored_measures.chosen(topic.study.measures)
    return judgments, _scores(topic.study_id, topic.pk, topic.name, scored, measures).rows(topic.pk)


def judgments_by(topic: Topic, people: Sequence[int]) -> dict[int, set[int]]:
    """The judgments that each of these assessors gave about a topic, whether they count or not."""
    found: dict[int, set[int]] = {}
    rows = Judgment.objects.filter(topic=topic, assignment__assessor__in=people)
    for judgment, person in rows.values_list("pk", "assignment__assessor"):
        found.setdefault(person, set()).add(judgment)
    return found


def scores_without(
    topic: Topic, left_out: Mapping[int, Collection[int]], measures: Sequence[str]
) -> "dict[int, tuple[int, TopicScores]]":
    """Scores of a topic without some of its judgments: for each key of `left_out`, those without the
    judgments that it names, if any of them counts.

    Returns key -> (number of judgments left out, scores); stores nothing. Top ranks of a tournament stay as
    they are with all judgments.
    """
    scored = ledger.given(topic.pk).scored(kept_only=topic.study.kept_only)
    counting = {found.judgment for found in scored}
    return {
        key: (
            len(own),
            _scores(
                topic.study_id,
                topic.pk,
                topic.name,
                [found for found in scored if found.judgment not in own],
                measures,
            ),
        )
        for key, judgments in left_out.items()
        if (own := counting.intersection(judgments))
    }


def graph_of(preferences: list[Preference]) -> "PreferenceGraph":
    """Build the preference graph of a topic's items, by docno; a tie gives nodes, but no edge."""
    from prefir.measures import PreferenceGraph

    items = {item for found in preferences for item in (found.first, found.second)}
    docnos: dict[int, str] = dict(execute(DOCNOS, [ids(items)])) if items else {}
    edges, ties = [], []
    for found in preferences:
        first, second = docnos[found.first], docnos[found.second]
        if found.lean:
            edges.append((first, second) if found.lean > 0 else (second, first))
        else:
            ties.append((first, second))
    return PreferenceGraph(edges, ties=ties)


def _scores(
    study_id: int, topic_id: int, name: str, preferences: list[Preference], measures: Sequence[str]
) -> TopicScores:
    """Score every run of the study by every measure and persistence; absent if nothing was judged.

    A run that ranks nothing for the topic scores 0 there, as in trec_eval -c.
    """
    runs = dict(execute(RUNS, [study_id]))
    columns = columns_of(measures)
    values, ceilings = [[nan] * len(runs) for _ in columns], [nan] * len(columns)
    if runs and preferences:
        evidence = evidence_of(topic_id, name, preferences, rankings.of_topic(topic_id, runs))
        compute = stored_measures.values_and_ceilings
        values, ceilings = child_process.call(compute, evidence, PERSISTENCES, measures)
    return TopicScores(columns, list(runs), values, ceilings)


def evidence_of(
    topic_id: int, name: str, preferences: list[Preference], ranked: Mapping[str, Sequence[str]]
) -> Evidence:
    """Gather what these rankings of a topic are scored by. ranked: docnos, best first, by name."""
    from prefir.measures import Rankings

    graph, (levels, grades) = graph_of(preferences), levels_and_grades(topic_id)
    bare = Evidence(name, graph, levels, Rankings(), grades)
    rows = Rankings({run: {name: own} for run, own in ranked.items()}, judged={name: bare.judged})
    return replace(bare, rankings=rows)


def _waiting() -> Q:
    return Q(scored=None, revision__gt=0) | Q(scored__revision__lt=F("revision"))


def behind() -> list[int]:
    """Topics whose scores are older than their judgments, in order.

    Cost grows with the topics and with undecided answers, not with the ledger.
    """
    rows = Topic.objects.filter(_waiting())
    # A run concerns every topic: several of them are scored together, once the last is loaded.
    rows = rows.exclude(study__in=Import.objects.unfinished().values("study_id"))
    found = set(rows.values_list("pk", flat=True))
    waiting = Judgment.objects.provisional().values_list("topic_id").annotate(n=Count("pk")).order_by()
    now = dict(waiting)
    then = StoredScores.objects.filter(topic__in=now).values_list("topic_id", "provisional")
    return sorted(found | (now.keys() - {topic for topic, n in then if n >= now[topic]}))


def to_be_scored(study: Study) -> int:
    """Count a study's topics that wait for new scores; answers of open batches do not count."""
    return Topic.objects.filter(_waiting(), study=study).count()


def catch_up(progress: Progress = lambda done, total: None) -> int:
    """Rescore every topic that is behind; return how many there were. Raises SweepFailed if some failed."""
    topics = behind()

    def one(numbered: tuple[int, int]) -> None:
        done, topic_id = numbered
        rescore(topic_id)
        progress(done, len(topics))

    sweep_each("rescoring topic", enumerate(topics, 1), one)
    return len(topics)


@transaction.atomic
def outdate(study_id: int) -> list[int]:
    """Mark every score of a study as out of date; return the topics, in order.

    The old scores stay until `rescore` replaces them: in sweeps, workers, or `rebuild`.
    """
    topics = list(Topic.objects.filter(study_id=study_id).order_by("pk").values_list("pk", flat=True))
    StoredScores.objects.filter(topic__study_id=study_id).update(revision=-1)
    # So that their version tells them from the old ones.
    raise_revisions(topics, settled=False, notify=False)
    return topics


def rescore_each(topics: Sequence[int], progress: Progress = lambda done, total: None) -> None:
    """Rescore these topics, last first, because helping workers start at the other end."""
    for done, topic_id in enumerate(reversed(topics), 1):
        rescore(topic_id)
        progress(done, len(topics))


def rebuild(study_id: int, progress: Progress = lambda done, total: None) -> int:
    """Recompute every score of a study from the ledger; return how many topics."""
    topics = outdate(study_id)
    rescore_each(topics, progress)
    return len(topics)
