"""Recorded judgments and challenges from files, written into a study: all records or none.

Besides `judging.answering` this alone writes to the ledger. Cost grows with the records; queries with the
records by the thousand. `progress(done, total)` counts records.
"""

from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Study
from collection.writing import CHUNK, Progress, chunks, items_of, topics_of
from judging import asking, challenges
from judging.models import Assessor, Assignment, Decision, Judgment, Question, Slot, Task
from judging.tasks.pair import lean_of
from prefir.formats import PreferenceRecord
from prefir.formats.problems import Problems

PANEL = "import"


@transaction.atomic
def add_judgments(
    study: Study,
    records: Sequence[PreferenceRecord],
    progress: Progress,
    *,
    source: str,
    digest: str,
    sides_known: bool = False,
) -> str:
    """Add recorded judgments to the ledger, each under its assessor's label and with its source.

    They count like any other: a tournament that wants one of their pairs does not ask it again.
    A label that judges one pair several times stands for several people, numbered.
    `sides_known`: the first item of a record was on the left.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    task = asking.task_of(study)
    items = items_of(study, ((r.topic, docno) for r in records for docno in (r.a, r.b)))
    topics = topics_of(study)
    pairs = [_pair(items[r.topic, r.a], items[r.topic, r.b]) for r in records]
    questions, again = _questions(task, pairs, [topics[r.topic] for r in records])
    labels = _one_label_a_person(records, pairs)
    assignments = _assignments(task, sorted(set(labels)), source, digest)
    rows = (
        _judgment(
            record,
            pair,
            items,
            sides_known,
            assignment_id=assignments[label],
            question_id=questions[pair],
            topic_id=topics[record.topic],
        )
        for record, pair, label in zip(records, pairs, labels, strict=True)
    )
    for start, chunk in chunks(list(rows)):
        Judgment.objects.bulk_create(chunk)
        progress(start + len(chunk), len(records))
    # Last, because from here until the transaction ends nobody can draw these questions.
    asking.count_as_taken(again)
    touched = {topics[r.topic] for r in records}
    raise_revisions(touched, settled=True)
    return f"{len(records):,} judgments of {len(questions):,} pairs for {len(touched):,} topics"


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)


def _judgment(
    record: PreferenceRecord,
    pair: tuple[int, int],
    items: dict[tuple[str, str], int],
    sides_known: bool,
    **ids: int,
) -> Judgment:
    """Make a record's judgment: in terms of its sides if the file gives them, else of the pair."""
    shown = ("01" if items[record.topic, record.a] == pair[0] else "10") if sides_known else ""
    lean = _lean(record, pair, items) * (record.strength or 1)
    return Judgment(value=lean_of(lean, shown), shown=shown, **ids)


def _lean(record: PreferenceRecord, pair: tuple[int, int], items: dict[tuple[str, str], int]) -> int:
    if record.winner is None:
        return 0
    return 1 if items[record.topic, record.winner] == pair[0] else -1


def _questions(
    task: Task, pairs: list[tuple[int, int]], topic_ids: list[int]
) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    """Return the question of each pair, and how often the file judges each of those that existed before.

    New questions are made with their recorded judgments counted as taken.
    """
    times = Counter(pairs)
    topic_of = dict(zip(pairs, topic_ids, strict=True))
    stored = Question.objects.filter(task=task).values_list("key", "pk")
    old: dict[tuple[int, int], int] = {}
    for key, pk in stored.iterator(CHUNK):
        first, second = map(int, key.split())
        if (first, second) in times:
            old[first, second] = pk
    # In the order in which a tournament makes its own, so that the two never deadlock.
    fresh = [asking.Asked(topic_of[pair], pair, times[pair]) for pair in sorted(times.keys() - old.keys())]
    made = asking.store(task, fresh, "taken")
    new = {asked.subjects: question.pk for asked, question in zip(fresh, made, strict=True)}
    return old | new, {pk: times[pair] for pair, pk in old.items()}  # type: ignore[return-value]


def _one_label_a_person(records: Sequence[PreferenceRecord], pairs: list[tuple[int, int]]) -> list[str]:
    """Label each record; the second judgment of a pair under one label gets `label (2)`, and so on."""
    times: Counter[tuple[str, tuple[int, int]]] = Counter()
    labels = []
    for record, pair in zip(records, pairs, strict=True):
        label = record.assessor or "recorded"
        times[label, pair] += 1
        n = times[label, pair]
        labels.append(label if n == 1 else f"{label} ({n})")
    return labels


def _assignments(task: Task, labels: list[str], source: str, digest: str) -> dict[str, int]:
    """Make one kept assignment for each label of a file; return their ids by label."""
    now = timezone.now()
    assessors = Assessor.objects.bulk_create(
        [
            Assessor(study_id=task.study_id, panel=PANEL, reference=f"{digest[:16]}:{number}", label=label)
            for number, label in enumerate(labels, 1)
        ],
        batch_size=CHUNK,
    )
    slots = Slot.objects.bulk_create(
        [Slot(study_id=task.study_id, panel=PANEL, source=source[:200]) for _ in labels], batch_size=CHUNK
    )
    rows = Assignment.objects.bulk_create(
        [
            Assignment(
                slot=slot,
                assessor=assessor,
                task=task,
                state=Assignment.State.KEPT,
                opened_at=now,
                deadline=now,
                submitted_at=now,
            )
            for slot, assessor in zip(slots, assessors, strict=True)
        ],
        batch_size=CHUNK,
    )
    Decision.objects.bulk_create(
        [
            Decision(what=Decision.What.KEPT, assignment=row, why=f"recorded in {source}"[:200])
            for row in rows
        ],
        batch_size=CHUNK,
    )
    return {label: row.pk for label, row in zip(labels, rows, strict=True)}


@transaction.atomic
def add_challenges(study: Study, records: Sequence[PreferenceRecord], *, source: str) -> str:
    """Give pairs a known answer. Raises BadFile for those that may have no other now."""
    # Locked until the commit: opening the study waits, or is over.
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    items = items_of(study, ((r.topic, docno) for r in records for docno in (r.a, r.b)))
    topics = topics_of(study)
    rows = []
    for record in records:
        pair = _pair(items[record.topic, record.a], items[record.topic, record.b])
        rows.append((topics[record.topic], *pair, _lean(record, pair, items)))
    if study.opened_at:
        stands = challenges.standing(study, rows)
        problems = Problems(source)
        for record, row in zip(records, rows, strict=True):
            if row in stands:
                problems.add(record.line, stands[row])
        problems.settle()
    challenges.set_challenges(study, rows)
    return f"{len(records):,} challenges for {len({r.topic for r in records}):,} topics"
