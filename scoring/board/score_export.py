"""Export scores, and check such a file against the ledger."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from math import isclose

from collection.models import Run, Study, Topic
from prefir.formats import ScoreRecord
from scoring.board import leaderboard
from scoring.scores import score_rows, topic_weights
from scoring.scores.score_rows import Score
from scoring.scores.stored_measures import chosen, options
from scoring.scores.topic_scores import PERSISTENCES, scores_of

CHUNK = 100
# Sums may be rounded differently on another machine; only larger differences count.
TOLERANCE = 1e-9

Progress = Callable[[int, int], None]
Key = tuple[str, str | None, str, float | None]


def scores(study: Study) -> Iterator[ScoreRecord]:
    """Yield every stored score of a study: the means, without a topic, first, then each topic.

    Topics without judgments have rows with empty values. Memory grows with a hundred topics x the runs.
    """
    for p in PERSISTENCES:
        yield from _means(study, p)
    runs = list(Run.objects.filter(study=study).order_by("name"))
    topics = list(Topic.objects.filter(study=study).order_by("name"))
    for start in range(0, len(topics), CHUNK):
        part = topics[start : start + CHUNK]
        stored = score_rows.read(topic.pk for topic in part)
        for topic in part:
            own = stored.get(topic.pk)
            yield from _rows(topic, runs, chosen(study.measures), own.rows(topic.pk) if own else ())


def _means(study: Study, p: float) -> Iterator[ScoreRecord]:
    for row in sorted(leaderboard.board(study, p, every=True).rows, key=lambda row: row.name):
        for measure, mean in row.means.items():
            yield ScoreRecord(row.name, None, measure, p, mean.value)


def _rows(
    topic: Topic, runs: Sequence[Run], measures: Sequence[str], given: Iterable[Score]
) -> Iterator[ScoreRecord]:
    found = {(s.run_id, s.measure, s.options): s.value for s in given}
    for run in runs:
        for p in PERSISTENCES:
            for measure in measures:
                yield ScoreRecord(run.name, topic.name, measure, p, found.get((run.pk, measure, options(p))))


def fresh(study: Study, progress: Progress = lambda done, total: None) -> Iterator[ScoreRecord]:
    """Compute the rows of `scores` from the ledger, in another order, without writing anything."""
    runs = list(Run.objects.filter(study=study).order_by("name"))
    topics = list(Topic.objects.filter(study=study).order_by("name"))
    measures = chosen(study.measures)
    # Each with the weight of its topic, as on the leaderboard.
    values: dict[tuple[str, str, float | None], list[tuple[float, float]]] = {
        key: [] for key in product([run.name for run in runs], measures, PERSISTENCES)
    }
    for done, topic in enumerate(topics, 1):
        judgments, scores = scores_of(topic)
        weight = topic_weights.share(judgments, topic.asked)
        for record in _rows(topic, runs, measures, scores):
            if record.value is not None:
                values[record.run, record.measure, record.p].append((record.value, weight))
            yield record
        progress(done, len(topics))
    for (run, measure, p), present in values.items():
        weights = sum(weight for _, weight in present)
        mean = sum(value * weight for value, weight in present) / weights if present else None
        yield ScoreRecord(run, None, measure, p, mean)


def differences(name: str, given: Iterable[ScoreRecord], now: Iterable[ScoreRecord]) -> Iterator[str]:
    """Yield a sentence for each row of the file `name` that differs from the ledger or is missing."""
    expected = {_key(record): record.value for record in now}
    for record in given:
        where = f"{name}, line {record.line}: {_said(_key(record))}"
        if _key(record) not in expected:
            yield f"{where}: the study has no such score"
            continue
        value = expected.pop(_key(record))
        if not _equal(record.value, value):
            yield f"{where}: the file has {_number(record.value)}, the ledger gives {_number(value)}"
    for key, value in expected.items():
        yield f"{name}: {_said(key)} is missing; the ledger gives {_number(value)}"


def _key(record: ScoreRecord) -> Key:
    return (record.run, record.topic, record.measure, record.p)


def _said(key: Key) -> str:
    run, topic, measure, p = key
    where = f"topic {topic}" if topic else "the mean over topics"
    return f"{measure} of {run} for {where}" + (f" at p = {p:g}" if p is not None else "")


def _number(value: float | None) -> str:
    return "no value" if value is None else repr(value)


def _equal(a: float | None, b: float | None) -> bool:
    if a is None or b is None:
        return a is b
    return isclose(a, b, rel_tol=0, abs_tol=TOLERANCE)
