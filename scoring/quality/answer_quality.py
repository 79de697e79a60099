"""Answer quality of a study, from its ledger: position bias, ties, time and consistency, for organizers.

What the figures are: `scoring.compute.answer_stats`. Here they are computed; pages show those that
`scoring.quality.trust` keeps.
"""

import json
from collections.abc import Iterator
from itertools import accumulate, islice
from math import nan
from typing import Any

from django.db.models import TextField
from django.db.models.functions import Cast

from collection.models import Item, Study
from judging.assessor_names import Namer
from judging.models import COUNTING, Assessor, Assignment, Judgment, Question, QuestionRole, Task
from judging.questions.reading_time import least_of, sizes
from judging.tasks import KINDS
from scoring.compute import child_process
from scoring.compute.answer_columns import AGAIN, CHALLENGE, COUNTS, WITHDRAWN, LedgerRows, Meaning, of_ledger
from scoring.compute.answer_stats import AnswerFigures, AnswerReport, AnswerShare, report

CHUNK = 10_000
ABOUT: dict[str, int] = {
    QuestionRole.COUNTS: COUNTS,
    QuestionRole.CHALLENGE: CHALLENGE,
    QuestionRole.REPEAT: AGAIN,
}


def quality(study: Study) -> AnswerReport:
    """All figures of a study. Five queries; time and memory grow with its answers, and with the items of the
    topics that have any. A million answers take some ten seconds, most of them reading.
    """
    return child_process.call(of_ledger, report, ledger_rows(study))


def ledger_rows(study: Study) -> LedgerRows:
    """Read a study's ledger by columns; left out are rows of files that are not loaded. Five queries."""
    tasks = {task.pk: task for task in Task.objects.filter(study=study)}
    loaded = Assignment.objects.filter(task__study=study).exclude(state=Assignment.State.LOADING)
    found, task_of = LedgerRows(), dict[int, int]()
    fields = ("pk", "assessor_id", "task_id", "state", "assessor__excluded_at")
    for pk, assessor, task, state, excluded in loaded.order_by("pk").values_list(*fields).iterator(CHUNK):
        task_of[pk] = task
        found.batches.append(pk)
        found.assessors.append(assessor)
        found.counting.append(state in COUNTING and excluded is None)
    _read_judgments(study, tasks, task_of, found)
    _read_questions(study, tasks, found)
    return found


def _read_judgments(study: Study, tasks: dict[int, Task], task_of: dict[int, int], found: LedgerRows) -> None:
    judgments = Judgment.objects.filter(topic__study=study).annotate(given=Cast("value", TextField()))
    fields = ("pk", "assignment_id", "question_id", "revision", "given", "shown", "role", "seconds")
    rows = judgments.order_by().values_list(*fields).iterator(CHUNK)
    meanings = _Meanings(tasks, found.meanings)
    while chunk := list(islice(rows, CHUNK)):
        known = [row for row in chunk if row[1] in task_of]
        if not known:
            continue
        pks, batches, questions, revisions, values, shown, roles, seconds = zip(*known, strict=True)
        found.row.extend(pks)
        found.batch.extend(batches)
        found.question.extend(questions)
        found.revision.extend(revisions)
        said = zip(map(task_of.__getitem__, batches), values, shown, strict=True)
        found.meaning.extend(map(meanings.__getitem__, said))
        found.about.extend(map(ABOUT.__getitem__, roles))
        found.seconds.extend(nan if one is None else one for one in seconds)


class _Meanings(dict[tuple[int, str | None, str], int]):
    """The place of each meaning among all, by task, value as text, and how the question was shown."""

    def __init__(self, tasks: dict[int, Task], every: list[Meaning]) -> None:
        self._tasks, self._every = tasks, every

    def __missing__(self, key: tuple[int, str | None, str]) -> int:
        task, text, shown = key
        value = None if text is None else json.loads(text)
        self[key] = WITHDRAWN if value is None else len(self._every)
        if value is not None:
            self._every.append(_meaning(self._tasks[task], value, shown))
        return self[key]


def _meaning(task: Task, value: Any, shown: str) -> Meaning:
    given = list(KINDS[task.kind].leans(value, shown))
    leans = tuple((lean.first, lean.second, (lean.lean > 0) - (lean.lean < 0)) for lean in given)
    own = Meaning(task.pk, task.scale, tuple(map(int, shown)), None, None, value, leans=leans)
    if task.kind in ("pair", "pages"):
        side = (value > 0) - (value < 0)
        return own._replace(side=side, label=leans[0][2], strength=given[0].lean)
    if task.kind == "pick":
        place = value[0]
        return own._replace(place=place, label=int(shown[place]) if shown else place, names=True)
    return own


def _read_questions(study: Study, tasks: dict[int, Task], found: LedgerRows) -> None:
    """Read what the questions of these rows say, and which items they show."""
    of_study = Judgment.objects.filter(topic__study=study)
    known = sizes(study, Item.objects.filter(topic__in=of_study.values("topic")))
    asked = Question.every.filter(pk__in=of_study.values("question")).order_by("pk")
    about_items = {pk for pk, task in tasks.items() if KINDS[task.kind].about == "item"}
    many = []
    for pk, topic, task, key in asked.values_list("pk", "topic_id", "task_id", "key").iterator(CHUNK):
        subjects = list(map(int, key.split()))
        found.questions.append(pk)
        found.topics.append(topic)
        found.subjects.extend(subjects)
        found.least.append(least_of(subjects, known) if task in about_items else 0.0)
        many.append(len(subjects))
    found.ends.extend(accumulate(many))


def lines(study: Study, names: Namer) -> Iterator[dict[str, Any]]:
    """The figures as flat rows: of all answers, of each task, of each person, of challenges, of batches that
    do not count. `group` says of which; `name` is the task's kind, or the person as `names` (those of a
    release) calls them.
    """
    found = quality(study)
    yield _flat("all", "", found.all)
    kinds = dict(Task.objects.filter(study=study).values_list("pk", "kind"))
    for task, own in found.tasks.items():
        yield _flat("task", kinds[task], own)
    people = Assessor.objects.filter(study=study).order_by("pk")
    for pk, panel, label in people.values_list("pk", "panel", "label"):
        if pk in found.people:
            yield _flat("assessor", names(panel, label, pk), found.people[pk])
    yield _flat("challenges", "", found.challenges)
    yield _flat("discarded", "", found.discarded)


def _flat(group: str, name: str, own: AnswerFigures) -> dict[str, Any]:
    row: dict[str, Any] = {"group": group, "name": name}
    for key, value in vars(own).items():
        if isinstance(value, AnswerShare):
            row |= {f"{key}_{part}": number for part, number in vars(value).items() if part != "share"}
            row[key] = value.share
        elif key == "picks":
            row[key] = {str(size): list(counts) for size, counts in value.items()}
        else:
            row[key] = value
    return row
