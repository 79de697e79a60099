"""Answer quality of a study, from its ledger: position bias, ties, time and consistency, for organizers.

What the figures are: `scoring.compute.answer_stats`. Here they are computed; pages show those that
`scoring.quality.trust` keeps.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any

from collection.models import Item, Study
from judging.assessor_names import Namer
from judging.models import COUNTING, Assessor, Assignment, Judgment, QuestionRole, Task
from judging.questions.reading_time import least_of, sizes
from judging.tasks import KINDS
from scoring.compute import child_process
from scoring.compute.answer_stats import (
    AGAIN,
    CHALLENGE,
    COUNTS,
    DISCARDED,
    Answer,
    AnswerFigures,
    AnswerReport,
    AnswerShare,
    report,
)

CHUNK = 2000
LOADING = Assignment.State.LOADING
GROUPS: dict[str, str] = {QuestionRole.CHALLENGE: CHALLENGE, QuestionRole.REPEAT: AGAIN}


@dataclass(slots=True)
class _Given:
    """A question of a batch as it was answered: the last revision, and the seconds of all. value: None where
    the answer was withdrawn.
    """

    revision: int
    value: Any
    seconds: float | None
    shown: str
    role: str
    rank: int


def quality(study: Study) -> AnswerReport:
    """All figures of a study. Five queries; time and memory grow with its answers, and with the items of the
    topics that have any. 100,000 answers take some seconds, most of them reading.
    """
    return child_process.call(report, list(answers(study)))


def answers(study: Study) -> Iterator[Answer]:
    """A study's answers as they count now, corrections applied, and withdrawn ones left out but for
    challenges; also left out are those of files that are not loaded, and of questions asked again in batches
    that do not count.

    Batch after batch, in the order in which they were opened; in each as its questions were first answered.
    Memory beside the answers: the study's batches, one batch, and each question's shared parts.
    """
    tasks = {task.pk: task for task in Task.objects.filter(study=study)}
    batches = Assignment.objects.filter(task__study=study).exclude(state=LOADING)
    of_batch = {
        pk: (assessor, task, state in COUNTING and excluded is None)
        for pk, assessor, task, state, excluded in batches.values_list(
            "pk", "assessor_id", "task_id", "state", "assessor__excluded_at"
        ).iterator(CHUNK)
    }
    topics = Judgment.objects.filter(topic__study=study).values("topic")
    known = sizes(study, Item.objects.filter(topic__in=topics))
    about = _About()
    rows = Judgment.objects.filter(topic__study=study).order_by("assignment_id", "pk")
    fields = ("assignment_id", "question_id", "topic_id", "question__key", "revision", "value", "shown")
    every = rows.values_list(*fields, "role", "seconds").iterator(CHUNK)
    for batch, own in groupby(every, key=itemgetter(0)):
        if batch not in of_batch:
            continue
        assessor, task, counts = of_batch[batch]
        given = _given(own, about)
        for question, one in given.items():
            if one.value is not None and (one.role != QuestionRole.REPEAT or counts):
                yield _answer(tasks[task], assessor, question, about, one, counts, len(given), known)


class _About:
    """What answers to the same question share: its topic, its subjects, and what follows from an answer."""

    def __init__(self) -> None:
        self.asked: dict[int, tuple[int, tuple[int, ...]]] = {}
        self.follows: dict[tuple[int, str, Any], Any] = {}

    def learn(self, question: int, topic: int, key: str) -> None:
        if question not in self.asked:
            self.asked[question] = (topic, tuple(map(int, key.split())))


def _given(rows: Iterable[tuple[Any, ...]], about: _About) -> dict[int, _Given]:
    """The answers of one batch by question, from its rows in the order in which they were written."""
    given: dict[int, _Given] = {}
    for _, question, topic, key, revision, value, shown, role, seconds in rows:
        about.learn(question, topic, key)
        one = given.get(question)
        if one is None:
            one = given[question] = _Given(-1, None, None, shown, role, len(given))
        if seconds is not None:
            one.seconds = (one.seconds or 0) + seconds
        # Of several revisions the highest is the answer, wherever its row stands. Challenges are checked by
        # the last answer that was given.
        if revision > one.revision and not (value is None and role == QuestionRole.CHALLENGE):
            one.revision, one.value = revision, value
    return given


def _answer(
    task: Task,
    assessor: int,
    question: int,
    about: _About,
    one: _Given,
    counts: bool,
    of: int,
    known: dict[int, tuple[int, int]],
) -> Answer:
    topic, subjects = about.asked[question]
    simple = isinstance(one.value, int)
    found = about.follows.get((question, one.shown, one.value)) if simple else None
    if found is None:
        found = _following(task, subjects, one)
        if simple:
            about.follows[question, one.shown, one.value] = found
    stood, side, place, label, leans, strength = found
    group = GROUPS.get(one.role) or (COUNTS if counts else DISCARDED)
    return Answer(
        about=group,
        task=task.pk,
        scale=task.scale,
        assessor=assessor,
        question=question,
        topic=topic,
        subjects=stood,
        side=side,
        place=place,
        label=label,
        leans=leans,
        seconds=one.seconds,
        least=least_of(subjects, known) if KINDS[task.kind].about == "item" else 0.0,
        third=one.rank * 3 // of if of >= 3 else None,
        strength=strength,
    )


def _following(task: Task, subjects: tuple[int, ...], one: _Given) -> tuple[Any, ...]:
    """The subjects as they stood, side, place, label, leans and strength of an answer, as `Answer` says."""
    given = list(KINDS[task.kind].leans(one.value, one.shown))
    leans = tuple(
        (subjects[lean.first], subjects[lean.second], (lean.lean > 0) - (lean.lean < 0)) for lean in given
    )
    stood = tuple(subjects[int(at)] for at in one.shown)
    if task.kind in ("pair", "pages"):
        side = (one.value > 0) - (one.value < 0)
        return stood, side, None, leans[0][2], leans, given[0].lean
    if task.kind == "pick":
        place = one.value[0]
        label = subjects[int(one.shown[place])] if one.shown else subjects[place]
        return stood, None, place, label, leans, None
    return stood, None, None, one.value, leans, None


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
