"""Recorded judgments and challenges from files, written into a study: all records or none.

The ledger's second door beside `judging.answering`. Cost grows with the records; queries with the records
by the thousand. `progress(done, total)` counts records.
"""

from collections import Counter
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Study
from collection.writing import CHUNK, Progress, chunks, items_of, topics_of
from judging import asking
from judging.models import Assessor, Assignment, Choice, Judgment, Question, Slot
from prefir.formats import PreferenceRecord

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
    `sides_known`: the first item of a record stood left.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    items = items_of(study, ((r.topic, docno) for r in records for docno in (r.a, r.b)))
    topics = topics_of(study)
    pairs = [_pair(items[r.topic, r.a], items[r.topic, r.b]) for r in records]
    questions, again = _questions(study, pairs, [topics[r.topic] for r in records])
    labels = _one_label_a_person(records, pairs)
    assignments = _assignments(study, sorted(set(labels)), source, digest)
    rows = (
        Judgment(
            assignment_id=assignments[label],
            question_id=questions[pair],
            choice=_choice(record, pair, items),
            strength=record.strength or 1,
            a_left=items[record.topic, record.a] == pair[0] if sides_known else None,
        )
        for record, pair, label in zip(records, pairs, labels, strict=True)
    )
    for start, chunk in chunks(list(rows)):
        Judgment.objects.bulk_create(chunk)
        progress(start + len(chunk), len(records))
    # Last, because nobody can draw these questions from here until the transaction ends.
    asking.count_as_taken(again)
    touched = {topics[r.topic] for r in records}
    raise_revisions(touched, settled=True)
    return f"{len(records):,} judgments of {len(questions):,} pairs for {len(touched):,} topics"


def _pair(first: int, second: int) -> tuple[int, int]:
    return (first, second) if first < second else (second, first)


def _choice(record: PreferenceRecord, pair: tuple[int, int], items: dict[tuple[str, str], int]) -> Choice:
    if record.winner is None:
        return Choice.TIE
    return Choice.A if items[record.topic, record.winner] == pair[0] else Choice.B


def _questions(
    study: Study, pairs: list[tuple[int, int]], topic_ids: list[int]
) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
    """The question of each pair; and how often each of those that were there before was judged now.

    New ones are made with their recorded judgments counted as taken.
    """
    times = Counter(pairs)
    topic_of = dict(zip(pairs, topic_ids, strict=True))
    stored = Question.objects.filter(topic__study=study).values_list("item_a_id", "item_b_id", "pk")
    old = {(a, b): pk for a, b, pk in stored.iterator(CHUNK) if (a, b) in times}
    fresh = [
        Question(topic_id=topic_of[a, b], item_a_id=a, item_b_id=b, taken=times[a, b])
        # In the order in which a tournament makes its own: neither then waits for the other in a circle.
        for a, b in sorted(times.keys() - old.keys())
    ]
    Question.objects.bulk_create(fresh, batch_size=CHUNK)
    made = {(q.item_a_id, q.item_b_id): q.pk for q in fresh}
    return old | made, {pk: times[pair] for pair, pk in old.items()}


def _one_label_a_person(records: Sequence[PreferenceRecord], pairs: list[tuple[int, int]]) -> list[str]:
    """Each record's label; the second judgment of a pair under one label gets `label (2)`, and so on."""
    times: Counter[tuple[str, tuple[int, int]]] = Counter()
    labels = []
    for record, pair in zip(records, pairs, strict=True):
        label = record.assessor or "recorded"
        times[label, pair] += 1
        n = times[label, pair]
        labels.append(label if n == 1 else f"{label} ({n})")
    return labels


def _assignments(study: Study, labels: list[str], source: str, digest: str) -> dict[str, int]:
    """One kept assignment for each label of a file."""
    now = timezone.now()
    assessors = Assessor.objects.bulk_create(
        [
            Assessor(study=study, panel=PANEL, reference=f"{digest[:16]}:{number}", label=label)
            for number, label in enumerate(labels, 1)
        ],
        batch_size=CHUNK,
    )
    slots = Slot.objects.bulk_create(
        [Slot(study=study, panel=PANEL, source=source[:200]) for _ in labels], batch_size=CHUNK
    )
    rows = Assignment.objects.bulk_create(
        [
            Assignment(
                slot=slot,
                assessor=assessor,
                state=Assignment.State.KEPT,
                opened_at=now,
                deadline=now,
                submitted_at=now,
            )
            for slot, assessor in zip(slots, assessors, strict=True)
        ],
        batch_size=CHUNK,
    )
    return {label: row.pk for label, row in zip(labels, rows, strict=True)}


@transaction.atomic
def add_challenges(study: Study, records: Sequence[PreferenceRecord]) -> str:
    """Give pairs a known answer."""
    items = items_of(study, ((r.topic, docno) for r in records for docno in (r.a, r.b)))
    topics = topics_of(study)
    challenges = []
    for record in records:
        pair = _pair(items[record.topic, record.a], items[record.topic, record.b])
        challenges.append((topics[record.topic], *pair, _choice(record, pair, items)))
    asking.set_challenges(study, challenges)
    return f"{len(records):,} challenges for {len({r.topic for r in records}):,} topics"
