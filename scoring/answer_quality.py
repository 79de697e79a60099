"""Answer quality of a study, from its ledger: position bias, ties, time and consistency, for organizers.

What the figures are: `scoring.answer_figures`. Nothing is stored; they are computed when somebody asks.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from collection.models import Item, Study
from judging.models import COUNTING, Assessor, Assignment, Judgment, Task
from judging.naming import Namer
from judging.reading_time import least_of, sizes
from judging.tasks import KINDS
from scoring import apart
from scoring.answer_figures import AGAIN, CHALLENGE, COUNTS, DISCARDED, Answer, Figures, Report, Share, report

CHUNK = 2000
LOADING = Assignment.State.LOADING


@dataclass(slots=True)
class _Given:
    """A question of a batch as it was answered: the last revision, and the seconds of all."""

    revision: int
    value: Any
    seconds: float | None
    shown: str
    challenge: bool
    rank: int
    again: bool


def quality(study: Study) -> Report:
    """All figures of a study. Four queries; time and memory grow with its answers, and with the items of the
    topics that have any. 100,000 answers take some seconds, most of them reading.
    """
    return apart.call(report, list(answers(study)))


def answers(study: Study) -> Iterator[Answer]:
    """A study's answers as they count now, corrections applied; those of files that are not loaded left out,
    and of questions asked again in batches that do not count.

    In the order in which questions were first answered. Four queries.
    """
    tasks = {task.pk: task for task in Task.objects.filter(study=study)}
    batches = Assignment.objects.filter(task__study=study).exclude(state=LOADING)
    of_batch = {
        pk: (assessor, task, state in COUNTING and excluded is None)
        for pk, assessor, task, state, excluded in batches.values_list(
            "pk", "assessor_id", "task_id", "state", "assessor__excluded_at"
        ).iterator(CHUNK)
    }
    given: dict[tuple[int, int], _Given] = {}
    about: dict[int, tuple[int, tuple[int, ...]]] = {}
    told: Counter[int] = Counter()
    rows = Judgment.objects.filter(topic__study=study).order_by("pk")
    fields = ("assignment_id", "question_id", "topic_id", "question__key", "revision", "value", "shown")
    for batch, question, topic, key, revision, value, shown, challenge, again, seconds in rows.values_list(
        *fields, "challenge", "question__again", "seconds"
    ).iterator(CHUNK):
        if batch not in of_batch:
            continue
        if question not in about:
            about[question] = (topic, tuple(map(int, key.split())))
        one = given.get((batch, question))
        if one is None:
            one = _Given(-1, None, None, shown, challenge, told[batch], again)
            given[batch, question] = one
            told[batch] += 1
        if seconds is not None:
            one.seconds = (one.seconds or 0) + seconds
        # Of several revisions the highest is the answer, wherever its row stands.
        if revision > one.revision:
            one.revision, one.value = revision, value
    topics = Judgment.objects.filter(topic__study=study).values("topic")
    known = sizes(study, Item.objects.filter(topic__in=topics))
    for (batch, question), one in given.items():
        assessor, task, counts = of_batch[batch]
        if one.again and not counts:
            continue
        topic, subjects = about[question]
        yield _answer(tasks[task], assessor, question, topic, subjects, one, counts, told[batch], known)


def _answer(
    task: Task,
    assessor: int,
    question: int,
    topic: int,
    subjects: tuple[int, ...],
    one: _Given,
    counts: bool,
    of: int,
    known: dict[int, tuple[int, int]],
) -> Answer:
    kind = KINDS[task.kind]
    given = list(kind.leans(one.value, one.shown))
    leans = [
        (subjects[lean.first], subjects[lean.second], (lean.lean > 0) - (lean.lean < 0)) for lean in given
    ]
    side = place = strength = None
    label: Any = one.value
    if task.kind in ("pair", "pages"):
        side = (one.value > 0) - (one.value < 0)
        label, strength = leans[0][2], given[0].lean
    elif task.kind == "pick":
        place = one.value[0]
        label = subjects[int(one.shown[place])] if one.shown else subjects[place]
    group = AGAIN if one.again else CHALLENGE if one.challenge else COUNTS if counts else DISCARDED
    return Answer(
        about=group,
        task=task.pk,
        scale=task.scale,
        assessor=assessor,
        question=question,
        topic=topic,
        subjects=tuple(subjects[int(at)] for at in one.shown),
        side=side,
        place=place,
        label=label,
        leans=tuple(leans),
        seconds=one.seconds,
        least=least_of(subjects, known) if kind.about == "item" else 0.0,
        third=one.rank * 3 // of if of >= 3 else None,
        strength=strength,
    )


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


def _flat(group: str, name: str, own: Figures) -> dict[str, Any]:
    row: dict[str, Any] = {"group": group, "name": name}
    for key, value in vars(own).items():
        if isinstance(value, Share):
            row |= {f"{key}_{part}": number for part, number in vars(value).items() if part != "share"}
            row[key] = value.share
        elif key == "picks":
            row[key] = {str(size): list(counts) for size, counts in value.items()}
        else:
            row[key] = value
    return row
