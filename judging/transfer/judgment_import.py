"""Recorded judgments and challenges from files, written into a study.

Besides `judging.batches.answering` this alone adds to the ledger (by `judging.transfer.bulk_judgments`).
Judgments are written in pieces, for good, under assignments that are being loaded and count nowhere; when all
are there, those are kept in one short transaction. Cost grows with the records; queries with the records by
the thousand; memory with the study's items alone. `progress(done, total)` counts records.
"""

import tempfile
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.db.models import F
from django.utils import timezone

from collection.changes import raise_revisions
from collection.models import Import, Item, Run, Study, Topic
from collection.upload.record_store import (
    CHUNK,
    Finish,
    Progress,
    add_missing,
    chunks,
    stage_missing,
    topics_of,
)
from collection.upload.staging import Pieces, remove_hidden
from judging.models import (
    FROM_FILES,
    Assessor,
    Assignment,
    Decision,
    Judgment,
    Subject,
    Task,
)
from judging.questions import asking, challenges
from judging.tasks.pair import lean_of
from judging.transfer import bulk_judgments
from judging.transfer.spool import Judged, Spool
from prefir.formats import PreferenceRecord
from prefir.formats.problems import Problems

State = Assignment.State


def stage_judgments(
    row: Import,
    records: Iterable[PreferenceRecord],
    progress: Progress,
    *,
    sides_known: bool = False,
    task_of: Callable[[Study], Task] = asking.task_of_pairs,
) -> Finish:
    """Add recorded judgments to the ledger, each under its assessor's label and with its source.

    They count like any other, from the end on: a tournament that wants one of their pairs does not ask it
    again. A label is one person, with a batch for its first answers to pairs, one for its second, and so on.
    `sides_known`: the first item of a record was on the left. task_of: the study's task that they are answers
    in; of result pages, records name runs that the study has. `records` are read to their end before anything
    is written. An import that wrote some before its process died goes on behind them.
    """
    with tempfile.TemporaryDirectory() as folder, Spool(Path(folder)) as spool:
        spool.fill(records)
        pieces = Pieces(row)
        task = task_of(row.study)
        if task.way.about == "run":
            _find_runs(row, spool)
        else:
            _find_items(row, spool, pieces)
        spool.seat(_seats(row, task, spool, pieces))
        pieces.write(
            spool.judged(after=row.written),
            lambda piece: _add(row, task, piece, sides_known),
            lambda _: progress(row.written, spool.count),
        )
        total, pairs, again, touched = spool.count, spool.pairs(), spool.again(), spool.topics()

    def finish() -> str:
        for _, some in chunks(_all_loading(row), asking.CHUNK):
            Decision.objects.bulk_create(
                Decision(what=Decision.What.KEPT, assignment_id=pk, why=f"recorded in {row.name}"[:200])
                for pk in some
            )
            Assignment.objects.filter(pk__in=some).update(state=State.KEPT)
        raise_revisions(touched, settled=True)
        topics = row.study.words.count_topics(len(touched))
        if task.way.about == "run":
            return f"{total:,} preferences between result pages for {topics}"
        more = f"; {again:,} of them by somebody who judged the pair before" if again else ""
        return f"{total:,} judgments of {pairs:,} pairs for {topics}{more}"

    return finish


def undo_judgments(row: Import) -> None:
    """Hide everything of an import that did not finish. May be repeated.

    Its judgments stay in the ledger, under assignments that are never kept; their questions are given back.
    Its items stay if the ledger needs them.
    """
    row.refresh_from_db(fields=["written"])
    left = array("q", islice(_questions_judged(_all_loading(row)), row.written))

    def give_back(piece: Sequence[int]) -> None:
        asking.count_as_taken({question: -n for question, n in Counter(piece).items()})
        Import.objects.filter(pk=row.pk).update(written=F("written") - len(piece))

    # From the last on: what is left if this ends half-way are the first.
    Pieces().write(reversed(left), give_back)
    row.written = 0
    needed = Subject.objects.filter(item__in=Item.every.filter(loaded_by=row)).values("item")
    Item.every.filter(pk__in=needed, loaded_by=row).update(loaded_by=None)
    remove_hidden(row)


def _find_items(row: Import, spool: Spool, pieces: Pieces) -> None:
    """Give the spool the ids of all items that its records name, and add items that the study lacks."""
    rows = Item.every.filter(topic__study=row.study)
    spool.know(rows.values_list("topic__name", "docno", "pk", "topic_id").iterator(CHUNK))
    spool.know(
        (name, docno, pk, topic) for name, docno, topic, pk in add_missing(row, spool.missing(), pieces)
    )
    spool.resolve()


def _find_runs(row: Import, spool: Spool) -> None:
    """Give the spool the ids of the study's runs, for each of its topics."""
    runs = list(Run.objects.filter(study=row.study).values_list("name", "pk"))
    topics = Topic.objects.filter(study=row.study).values_list("name", "pk")
    spool.know((name, run, pk, topic) for name, topic in topics for run, pk in runs)
    spool.resolve()


def _seats(row: Import, task: Task, spool: Spool, pieces: Pieces) -> Iterator[tuple[str, int, int]]:
    """Make an assignment in state "loading" for each seat of the file; yield label, turn and id."""
    made = _loading(row)
    seats: list[tuple[str, int, int]] = []

    def add(piece: Sequence[tuple[int, str, int]]) -> None:
        named = {_reference(row, number): name for number, name, _ in piece}
        _add_people(row, {reference: name for reference, name in named.items() if reference not in made})
        own = [
            _reference(row, number) for number, _, turn in piece if turn > len(made[_reference(row, number)])
        ]
        for reference, pk in zip(own, _add_assignments(row, task, own), strict=True):
            made[reference].append(pk)
        seats.extend((name, turn, made[_reference(row, number)][turn - 1]) for number, name, turn in piece)

    pieces.write(spool.seats(), add)
    return iter(seats)


def _reference(row: Import, number: int) -> str:
    return f"{row.digest[:16]}.{row.pk}:{number}"


def _loading(row: Import) -> defaultdict[str, list[int]]:
    """Assignments of an unfinished import, in order, by their assessor's reference."""
    people = Assessor.objects.filter(
        study=row.study_id, panel=FROM_FILES, reference__startswith=f"{row.digest[:16]}.{row.pk}:"
    )
    found: defaultdict[str, list[int]] = defaultdict(list)
    # In pieces by id: of rows that are so new the database does not know how many they are.
    for _, some in chunks(list(people.order_by("pk").values_list("pk", flat=True)), asking.CHUNK):
        rows = Assignment.objects.filter(assessor__in=some, state=State.LOADING).order_by("pk")
        for reference, pk in rows.values_list("assessor__reference", "pk"):
            found[reference].append(pk)
    return found


def _all_loading(row: Import) -> list[int]:
    return [pk for own in _loading(row).values() for pk in own]


def _questions_judged(assignments: Sequence[int]) -> Iterator[int]:
    """The question of each judgment of these assignments, always in the same order."""
    for _, some in chunks(assignments, asking.CHUNK):
        rows = Judgment.objects.filter(assignment__in=some).order_by("assignment_id", "pk")
        yield from rows.values_list("question_id", flat=True).iterator(CHUNK)


def _add(row: Import, task: Task, piece: Sequence[Judged], sides_known: bool) -> None:
    """Write judgments, count their questions as taken, and note how far the file is written."""
    times = Counter((found.topic, found.first, found.second) for found in piece)
    questions, there = bulk_judgments.questions(task, times)
    bulk_judgments.judge(
        _judgment(found, questions[found.topic, found.first, found.second], sides_known) for found in piece
    )
    row.written = piece[-1].n
    Import.objects.filter(pk=row.pk).update(written=row.written)
    # Last, because from here until the transaction ends nobody can draw these questions.
    bulk_judgments.take({questions[pair]: times[pair] for pair in there})


def _judgment(found: Judged, question: int, sides_known: bool) -> tuple[int, int, int, Any, str]:
    """A record's judgment: by sides if the file gives them, else by the pair."""
    shown = ("10" if found.swapped else "01") if sides_known else ""
    return found.assignment, question, found.topic, lean_of(found.lean, shown), shown


def _add_people(row: Import, people: Mapping[str, str]) -> None:
    """Make an assessor for each label, by reference."""
    Assessor.objects.bulk_create(
        Assessor(study_id=row.study_id, panel=FROM_FILES, reference=reference, label=label)
        for reference, label in people.items()
    )


def _add_assignments(row: Import, task: Task, references: Sequence[str]) -> list[int]:
    """Make an assignment in state "loading" for each assessor, by reference; return their ids."""
    now = timezone.now()
    people = Assessor.objects.filter(study=row.study_id, panel=FROM_FILES, reference__in=set(references))
    known = dict(people.values_list("reference", "pk"))
    made = Assignment.objects.bulk_create(
        Assignment(
            assessor_id=known[reference],
            source=row.name[:200],
            task=task,
            state=State.LOADING,
            opened_at=now,
            deadline=now,
            submitted_at=now,
        )
        for reference in references
    )
    return [one.pk for one in made]


def stage_challenges(row: Import, records: Sequence[PreferenceRecord]) -> Finish:
    """Give pairs a known answer. Finishing raises BadFile for those whose answer is fixed by now."""
    items = stage_missing(row, ((r.topic, docno) for r in records for docno in (r.a, r.b)))

    def finish() -> str:
        # Locked until the commit: opening the study waits, or is over.
        study = Study.objects.select_for_update(no_key=True).get(pk=row.study_id)
        topics = topics_of(study)
        rows = []
        for record in records:
            a, b = items[record.topic, record.a], items[record.topic, record.b]
            lean = 1 if record.winner == record.a else -1
            rows.append((topics[record.topic], min(a, b), max(a, b), lean if a < b else -lean))
        if study.opened_at:
            stands = challenges.standing(study, rows)
            problems = Problems(row.name)
            for record, wanted in zip(records, rows, strict=True):
                if wanted in stands:
                    problems.add(record.line, stands[wanted])
            problems.settle()
        challenges.set_challenges(study, rows)
        topics_told = study.words.count_topics(len({r.topic for r in records}))
        return f"{len(records):,} challenges for {topics_told}"

    return finish
