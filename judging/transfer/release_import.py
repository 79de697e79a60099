"""Restoring the ledger of a release into a new study: its rows as `judging.transfer.release_export` tells
them.

Besides `judging.batches.answering` and `judging.transfer.judgment_import` this alone adds to the ledger, and
only to a study that nobody has judged in. Everybody is known by their pseudonym, as a label of recorded
judgments is. Call in one transaction. Cost grows with the rows; memory with the study's items, questions and
batches.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

from django.utils import timezone

from collection.models import Item, Run, Study, Topic
from judging import paradata
from judging.audit import derived_state
from judging.models import (
    FROM_FILES,
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Subject,
    Task,
    Withdrawal,
    question_key,
)
from judging.tasks import KINDS, TaskKind, aspects
from judging.tasks.grade import GradeTask
from judging.tasks.pick import Pick
from judging.transfer.release_export import TASK

CHUNK = 2000
NOON = 12
Row = Mapping[str, Any]
T = TypeVar("T")


class Restored:
    """Writes the rows of one release, and maps its numbers to ids here.

    Rows that name something unknown raise KeyError; rows with a wrong value raise the database's error.
    """

    def __init__(self, study: Study, source: str) -> None:
        self._study, self._source = study, source[:200]
        self.tasks: dict[int, Task] = {}
        self._people: dict[str, int] = {}
        self._batches: dict[int, Assignment] = {}
        self._people_of: dict[int, int] = {}
        self._questions: dict[int, tuple[int, int]] = {}
        self._compared: dict[int, int] = {}  # how many a question compares
        self._repeats: set[int] = set()

    def add_tasks(self, rows: Iterable[Row]) -> None:
        """Add tasks with their texts."""
        for row in rows:
            task = Task(study=self._study, **{name: row[name] for name in TASK})
            own = task.way.settings.model_fields() if task.kind in KINDS else ()
            # Releases of before lack what tasks of a kind are set since.
            task.settings = {name: row[name] for name in own if name in row}
            task.full_clean(exclude=["study"])
            task.save()
            self.tasks[task.position] = task

    def add_assessors(self, rows: Iterable[Row]) -> None:
        """Add assessors by pseudonym; exclusions follow from the decisions."""
        for some in _chunks(rows):
            made = Assessor.objects.bulk_create(
                Assessor(
                    study=self._study,
                    panel=FROM_FILES,
                    reference=row["assessor"][:200],
                    label=row["assessor"],
                )
                for row in some
            )
            self._people.update(zip((row["assessor"] for row in some), (one.pk for one in made), strict=True))

    def add_questions(self, rows: Iterable[Row]) -> None:
        """Add questions with what they compare, and their known answers."""
        topics = dict(Topic.objects.filter(study=self._study).values_list("name", "pk"))
        items = {
            (topic, docno): pk
            for topic, docno, pk in Item.objects.filter(topic__study=self._study).values_list(
                "topic__name", "docno", "pk"
            )
        }
        runs = dict(Run.objects.filter(study=self._study).values_list("name", "pk"))
        for some in _chunks(rows):
            made, subjects = [], []
            for row in some:
                of_runs = row["about"] == "runs"
                about = [runs[n] if of_runs else items[row["topic"], n] for n in row["compared"]]
                kind = KINDS[self.tasks[row["task"]].kind]
                kind.check_subjects(about)
                _check_expected(kind, row, len(about))
                self._compared[row["question"]] = len(about)
                subjects.append(("run_id" if of_runs else "item_id", about))
                made.append(
                    Question(
                        study=self._study,
                        topic_id=topics[row["topic"]],
                        task=self.tasks[row["task"]],
                        key=question_key(tuple(about)),
                        expected=row["expected"],
                        draw_key=row["draw_key"],
                        again=row["asked_again"],
                    )
                )
            Question.every.bulk_create(made)
            Subject.objects.bulk_create(
                Subject(question=question, position=position, **{name: pk})
                for question, (name, about) in zip(made, subjects, strict=True)
                for position, pk in enumerate(about)
            )
            for row, question in zip(some, made, strict=True):
                self._questions[row["question"]] = (question.pk, question.topic_id)
                if question.again:
                    self._repeats.add(row["question"])

    def add_batches(self, rows: Iterable[Row]) -> None:
        """Add batches, which take answers until `finish`."""
        now = timezone.now()
        for some in _chunks(rows):
            made = Assignment.objects.bulk_create(
                Assignment(
                    source=self._source,
                    assessor_id=self._people[row["assessor"]],
                    task=self.tasks[row["task"]],
                    state=Assignment.State.LOADING,
                    opened_at=_noon(row["opened"]) or now,
                    deadline=_noon(row["opened"]) or now,
                    submitted_at=_noon(row["submitted"]),
                )
                for row in some
            )
            for row, one in zip(some, made, strict=True):
                self._batches[row["batch"]] = one
                self._people_of[one.pk] = one.assessor_id

    def _role(self, row: Row) -> QuestionRole:
        if not row["challenge"]:
            return QuestionRole.COUNTS
        return QuestionRole.REPEAT if row["question"] in self._repeats else QuestionRole.CHALLENGE

    def add_asked(self, rows: Iterable[Row]) -> None:
        """Add the questions of each batch, in order."""
        for some in _chunks(rows):
            BatchQuestion.objects.bulk_create(
                BatchQuestion(
                    assignment=self._batches[row["batch"]],
                    assessor_id=self._people_of[self._batches[row["batch"]].pk],
                    question_id=self._questions[row["question"]][0],
                    position=row["position"],
                    shown=self._shown(row),
                    role=self._role(row),
                    expected=row["expected"],
                )
                for row in some
            )

    def add_judgments(self, rows: Iterable[Row]) -> None:
        """Add the answers to the ledger."""
        for some in _chunks(rows):
            made = [
                Judgment(
                    assignment=self._batches[row["batch"]],
                    question_id=self._questions[row["question"]][0],
                    topic_id=self._questions[row["question"]][1],
                    revision=_whole(row, "revision"),
                    value=self._value(row),
                    shown=self._shown(row),
                    role=self._role(row),
                    seconds=row["seconds"],
                    away=row["away"],
                    seen=self._seen(row),
                    paradata=self._paradata(row),
                    details=self._details(row),
                )
                for row in some
            ]
            Judgment.objects.bulk_create(made)

    def add_unanswered(self, rows: Iterable[Row]) -> None:
        """Add withdrawals and declines."""
        for some in _chunks(rows):
            declined, withdrawn = [], []
            for row in some:
                place = {
                    "assignment": self._batches[row["batch"]],
                    "question_id": self._questions[row["question"]][0],
                }
                if row["what"] == "declined":
                    # 0 of a question that had no answer, as of all in releases of before.
                    revision = _whole({"revision": 0, **row}, "revision")
                    declined.append(Decline(**place, reason=row["reason"], revision=revision))
                else:
                    withdrawn.append(Withdrawal(**place))
            Decline.objects.bulk_create(declined)
            Withdrawal.objects.bulk_create(withdrawn)

    def add_decisions(self, rows: Iterable[Row]) -> None:
        """Add the decisions, in the release's order."""
        for some in _chunks(rows):
            Decision.objects.bulk_create(
                Decision(
                    what=row["what"],
                    assignment=self._batches[row["batch"]] if "batch" in row else None,
                    assessor_id=self._people[row["assessor"]] if "assessor" in row else None,
                    question_id=self._questions[row["question"]][0] if "question" in row else None,
                    why=f"in {self._source}, by a {row['by']}"[:200],
                )
                for row in some
            )

    def _value(self, row: Row) -> Any:
        """An answer that the task's kind accepts, on any of its scales; None withdraws an earlier one."""
        kind, value = KINDS[self._batches[row["batch"]].task.kind], row["value"]
        if value is None and row["revision"]:
            return None
        if not kind.scales_for(value) or kind.places_needed(value) > self._compared[row["question"]]:
            raise ValueError(f"question {row['question']}: {value!r} is no answer to it")
        return value

    def _shown(self, row: Row) -> str:
        """The order on the page: empty, or one place for each subject of the question."""
        shown = row["shown"]
        places = [str(place) for place in range(self._compared[row["question"]])]
        if shown != "" and (not isinstance(shown, str) or sorted(shown) != places):
            raise ValueError(
                f"question {row['question']}: shown is {shown!r}, of {len(places)} that are compared"
            )
        return str(shown)

    def _seen(self, row: Row) -> str | None:
        """Percentages that were in view, one for each subject shown; old releases have none."""
        seen = row.get("seen")
        if seen is None:
            return None
        shares = seen.split() if isinstance(seen, str) else []
        if not shares or not all(share.isdecimal() and int(share) <= 100 for share in shares):
            raise ValueError(
                f"question {row['question']}: seen is {seen!r}, not percents with blanks between"
            )
        return str(seen)

    def _paradata(self, row: Row) -> dict[str, Any] | None:
        """How the answer was given; old releases do not tell."""
        try:
            return paradata.restored(row.get("paradata"))
        except ValueError as error:
            raise ValueError(f"question {row['question']}: {error}") from error

    def _details(self, row: Row) -> dict[str, Any] | None:
        """What was said of aspects and reasons that the task asks; sentences stay where they were written."""
        try:
            return aspects.restored(row.get("details"), self._batches[row["batch"]].task.settings_of_kind)
        except ValueError as error:
            raise ValueError(f"question {row['question']}: {error}") from error

    def finish(self) -> None:
        """Set the states of batches, assessors and questions that follow from the decisions."""
        derived_state.rebuild(self._study)


def _check_expected(kind: TaskKind, row: Row, subjects: int) -> None:
    expected = row["expected"]
    if expected is None:
        return
    if kind.name == Pick.name:
        good = type(expected["best"]) is int and 0 <= expected["best"] < expected["of"] == subjects
    elif kind.name == GradeTask.name:
        good = expected["scale"] in kind.scales_for(expected["grade"])
    else:
        good = bool(kind.scales_for(expected))
    if not good:
        raise ValueError(f"question {row['question']} cannot expect {expected!r}")


def _whole(row: Row, name: str) -> int:
    value = row[name]
    if type(value) is not int:
        raise ValueError(f"question {row['question']}: {name} is {value!r}, not a whole number")
    return value


def _chunks(rows: Iterable[T]) -> Iterator[list[T]]:
    rest = iter(rows)
    while some := list(islice(rest, CHUNK)):
        yield some


def _noon(day: str | None) -> datetime | None:
    if day is None:
        return None
    return datetime.strptime(day, "%Y-%m-%d").replace(hour=NOON, tzinfo=UTC)
