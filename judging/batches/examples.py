"""Examples: questions shown with their answer and the reason, in the instructions or as practice.

They are stored in `Task.examples`, in their order, as part of the task's texts. They are chosen among
questions with a known answer and then never asked, because the instructions give their answer away.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import transaction

from collection.models import Item
from judging.models import Question, Task, question_key
from judging.questions import challenges, grading, grids
from judging.tasks.grade import GradeTask as Grading
from judging.tasks.pair import Pair
from judging.tasks.pick import Pick
from judging.verdicts import question_set_aside

IN_INSTRUCTIONS, AS_PRACTICE = "example", "practice"
# Kinds of tasks that can have examples.
KINDS = (Pair.name, Pick.name, Grading.name)
# Items in a grid as long as it has no challenge.
GRID = 4
# Offered to choose from, and of each topic among them.
MOST, OF_TOPIC, MANY = 24, 4, 1000
LONGEST = 200


class Example(NamedTuple):
    """A question with its answer and the reason `why`: "... because it names the fern". use: where it is
    shown.
    """

    subjects: tuple[int, ...]
    expected: Any
    why: str = ""
    use: str = ""

    @property
    def key(self) -> str:
        """The key that the question has, or would have."""
        return question_key(self.subjects)


def examples_of(task: Task, use: str = "") -> list[Example]:
    """A task's examples, or those of one use."""
    found = [Example(**one | {"subjects": tuple(one["subjects"])}) for one in task.examples]
    return [one for one in found if use in ("", one.use)]


def stored(examples: list[Example]) -> list[dict[str, Any]]:
    """Examples as `Task.examples` holds them."""
    return [one._asdict() | {"subjects": list(one.subjects)} for one in examples]


def candidates(task: Task) -> list[Example]:
    """Candidate examples: the chosen ones first, then each topic's challenges.

    A topic without challenges gets those that its known grades allow.
    """
    known = Question.objects.filter(task=task, expected__isnull=False, set_aside_at=None)
    rows = list(known.order_by("topic_id", "draw_key").values_list("topic_id", "key", "expected")[:MANY])
    possible = (
        ((topic, Example(tuple(map(int, key.split())), expected)) for topic, key, expected in rows)
        if rows
        else _from_grades(task)
    )
    found = {one.key: one for one in examples_of(task)}
    times: dict[int, int] = {}
    for topic, one in possible:
        times[topic] = times.get(topic, 0) + 1
        if times[topic] <= OF_TOPIC and len(found) < MOST:
            found.setdefault(one.key, one)
    return list(found.values())


def _from_grades(task: Task) -> Iterator[tuple[int, Example]]:
    if task.kind == Grading.name:
        for topic, (low, high) in sorted(grading.clear(task).items()):
            for item, grade in [*low[: OF_TOPIC // 2], *high[: OF_TOPIC // 2]]:
                yield topic, Example((item,), {"scale": task.scale, "grade": grade})
        return
    if task.kind == Pick.name:
        for topic, grid, expected in grids.clear_grids(task.study, GRID, OF_TOPIC):
            yield topic, Example(grid, expected)
        return
    for topic, a, b, lean in challenges.of_grades(task.study):
        yield topic, Example((a, b), lean)


@transaction.atomic
def keep_out(task: Task) -> None:
    """Set the examples aside as challenges, because the instructions give their answer. A repeat changes
    nothing.
    """
    keys = [one.key for one in examples_of(task)]
    known = Question.objects.filter(task=task, key__in=keys, expected__isnull=False, set_aside_at=None)
    for pk in known.order_by("pk").values_list("pk", flat=True):
        question_set_aside.set_aside(pk, "shown with its answer, as an example or practice")


def items_of(examples: list[Example]) -> dict[int, Item]:
    """The items of examples by id, with their topics."""
    ids = {pk for one in examples for pk in one.subjects}
    return {item.pk: item for item in Item.objects.filter(pk__in=ids).select_related("topic")}
