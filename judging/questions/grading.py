"""Grading: the items that a task of grading asks about, its challenges, and the collected grades."""

import random
from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean, median, median_low
from typing import NamedTuple

from django.db import transaction
from django.db.models import F, Q

from collection import audit_log
from collection.changes import raise_revisions
from collection.models import Grade, Item, Placement, Study
from judging.models import Judgment, Question, Task
from judging.questions import asking
from judging.questions.challenges import PER_TOPIC, count
from judging.questions.wording import GRADES_WORDINGS
from judging.secret_random import secret_random
from judging.tasks.grade import RELEVANT, USUAL, Average
from judging.tasks.grade import GradeTask as Grading

CHUNK = 1000
# Known grades from which challenges are made: at most the first, at least the second. What lies between is
# open to argument.
CLEAR = {"0-1": (0, 1), "0-2": (0, 2), "0-4": (0, 3), "0-100": (25, 75)}


class Collected(NamedTuple):
    """The collected grade of an item: the average of its assessors' answers."""

    grade: float
    assessors: int


def tasks_of(study: Study) -> list[Task]:
    """The study's tasks of grading, in order."""
    return list(Task.objects.filter(study=study, kind=Grading.name).select_related("study"))


def came_first(study: Study) -> bool:
    """Tell whether a study's tournaments waited for grades, or still do."""
    return any(task.settings_of_kind.grades_first for task in tasks_of(study))


def usual(study: Study) -> Task:
    """A new task of grading with the default settings of a study; not stored."""
    image = study.kind == Study.Kind.IMAGE
    scale = "0-100" if image else "0-4"
    return Task(
        study=study,
        kind=Grading.name,
        scale=scale,
        wording=GRADES_WORDINGS[study.case if study.case == Study.Case.ANSWERS else study.kind],
        settings={"guidelines": USUAL[scale], "grades_first": True},
    )


def put_first(task: Task) -> None:
    """Make room for a new task at position 1; call in a transaction, then store the task."""
    others = Task.objects.filter(study=task.study_id)
    if others.filter(position=0).exists():
        # Positions are not negative and stand once: all move back, the last first.
        for other in others.order_by("-position"):
            Task.objects.filter(pk=other.pk).update(position=F("position") + 1)
    task.position = 0


def pool(task: Task) -> dict[int, list[int]]:
    """Ids of the items that a task asks about, by topic: those that a run ranks at the task's depth or above.

    Items without content are left out, unless no item has any.
    """
    placed = Placement.objects.filter(run__study=task.study_id, rank__lte=task.settings_of_kind.depth)
    rows = placed.order_by("topic_id", "item_id").values_list("topic_id", "item_id").distinct()
    shown = rows.exclude(item__text="", item__image="")
    found: dict[int, list[int]] = defaultdict(list)
    for topic, item in shown if shown.exists() else rows:
        found[topic].append(item)
    return dict(found)


@transaction.atomic
def ask(task: Task) -> int:
    """Want each item of the pool graded by `assessors` people; make challenges first if there are none.

    Returns how many items are asked about. A repeat only adds what is missing.
    """
    if not count(task):
        make_challenges(task)
    ask_more(task)
    return Question.objects.filter(task=task, wanted__gt=0).count()


@transaction.atomic
def ask_more(task: Task) -> int:
    """Ask about the items of a task's pool that are not asked about yet, for example of new runs.

    Returns how many; a repeat asks about none.
    """
    new, each = not_asked(task), task.settings_of_kind.assessors
    for topic, items in sorted(new.items()):
        # Batches are drawn in the order of storing: that of the items would be the order of loading.
        random.Random(f"{task.study.seed}:grading:{task.pk}:{topic}").shuffle(items)
        asking.store(task, [asking.Asked(topic, (item,), each) for item in items], "wanted")
    return sum(map(len, new.values()))


@transaction.atomic
def extend(study_id: int, task_id: int) -> int:
    """Ask about what was loaded since a study was opened, unless it is closed, and log that; return how many
    items.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.opened_at is None or study.closed_at:
        return 0
    items = ask_more(Task.objects.select_related("study").get(pk=task_id, study=study, kind=Grading.name))
    if items:
        audit_log.note(
            study_id, audit_log.What.SETTINGS, about="grading", after={"items asked about since": items}
        )
    return items


def not_asked(task: Task) -> dict[int, list[int]]:
    """Ids of the items of a task's pool that it does not ask about yet, by topic.

    Items with a known answer, in challenges or examples, are left out.
    """
    known = Question.objects.filter(task=task)
    done = set(known.filter(Q(wanted__gt=0) | Q(expected__isnull=False)).values_list("key", flat=True))
    # Of examples the answer is told in the instructions.
    done |= {str(item) for one in task.examples for item in one["subjects"]}
    left = {topic: [item for item in items if str(item) not in done] for topic, items in pool(task).items()}
    return {topic: items for topic, items in left.items() if items}


def make_challenges(task: Task) -> int:
    """Make challenges of items with clear known grades: as many low as high ones, at most ten a topic.

    Only if all known grades lie on the task's scale; grades from 0 to 4 make none on 0 to 100, where all of
    them would be low. Returns how many were made.
    """
    made = []
    for topic, (low, high) in sorted(clear(task).items()):
        chooser = secret_random(task.study.seed, "graded challenges", task.pk, topic)
        each = min(len(low), len(high), PER_TOPIC // 2)
        ends = [chooser.sample(end, each) for end in (low, high)]
        # Low and high in turn, since a batch draws neighbours: nobody passes by always giving one grade.
        made += [(topic, item, grade) for both in zip(*ends, strict=True) for item, grade in both]
    rows = [
        asking.Asked(topic, (item,), {"scale": task.scale, "grade": grade}) for topic, item, grade in made
    ]
    _in_turn(task, asking.store(task, rows, "expected"))
    return len(rows)


def _in_turn(task: Task, questions: Sequence[Question]) -> None:
    """Set the draw keys of each topic's challenges to the given order."""
    of_topic: dict[int, list[Question]] = defaultdict(list)
    for question in questions:
        of_topic[question.topic_id].append(question)
    for topic, own in of_topic.items():
        chooser = secret_random(task.study.seed, "order of challenges", task.pk, topic)
        for place, question in enumerate(own):
            question.draw_key = (place + chooser.random()) / len(own)
    Question.objects.bulk_update(questions, ["draw_key"], batch_size=CHUNK)


def clear(task: Task) -> dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]]:
    """Items with clear known grades, by topic: the low ones and the high ones, with the grades."""
    grades = Grade.objects.filter(item__topic__study=task.study_id)
    shown = grades.exclude(item__text="", item__image="")
    rows = (shown if shown.exists() else grades).order_by("item_id")
    known = list(rows.values_list("item__topic_id", "item_id", "value"))
    values = {value for *_, value in known}
    last = max(Grading.scales[task.scale])
    off = any(not 0 <= value <= last for value in values)
    if off or (task.scale in RELEVANT and any(value % 1 for value in values)):
        return {}
    least, most = CLEAR[task.scale]
    found: dict[int, tuple[list[tuple[int, float]], list[tuple[int, float]]]] = defaultdict(lambda: ([], []))
    for topic, item, value in known:
        if value <= least or value >= most:
            found[topic][value >= most].append((item, value))
    return dict(found)


def collected(task: Task) -> dict[int, Collected]:
    """Collected grades of a task, by item: averages of the answers of kept batches, without challenges.

    The median of an even number of answers is the lower middle one of named grades, so that it is a grade,
    and the mean of the middle two on 0 to 100. Derived from the ledger alone.
    """
    given: dict[int, list[int]] = defaultdict(list)
    rows = Judgment.objects.settled().filter(assignment__task=task)
    for key, value in rows.order_by().values_list("question__key", "value").iterator(2000):
        given[int(key)].append(value)
    return {item: Collected(_average(task, values), len(values)) for item, values in sorted(given.items())}


def _average(task: Task, values: list[int]) -> float:
    if task.settings_of_kind.average == Average.MEAN:
        return fmean(values)
    return float((median_low if task.scale in RELEVANT else median)(values))


@transaction.atomic
def adopt(task: Task) -> int:
    """Replace the study's known grades by the collected ones; return how many they are."""
    found = collected(task)
    Grade.objects.bulk_create(
        [Grade(item_id=item, value=one.grade) for item, one in found.items()],
        update_conflicts=True,
        unique_fields=["item"],
        update_fields=["value"],
        batch_size=CHUNK,
    )
    topics = (
        Item.objects.filter(pk__in=found).values_list("topic_id", flat=True).distinct().order_by("topic_id")
    )
    raise_revisions(list(topics), settled=False)
    audit_log.note(task.study_id, audit_log.What.GRADED, after={"grades": len(found)})
    return len(found)
