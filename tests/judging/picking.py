"""Studies that ask picks, and people who pick by a known order, for tests."""

from collections.abc import Callable, Sequence

from collection.models import Item, Study, Topic
from judging.batches import answering
from judging.models import Assessor, Assignment, BatchQuestion, Task
from tests.makers import add_items, invite
from tournament import services
from tournament.models import Plan, Tournament


def pick_study(
    *, items: int = 8, junk: int = 6, topics: int = 1, scale: str = "best", **fields
) -> tuple[Study, Task]:
    """A study whose tournaments ask picks of 4, not open yet: topics of items of grade 1, and junk of 0.

    The item with the smaller docno is the better one.
    """
    chosen = {name: fields.pop(name) for name in ("k", "grid_size", "appearances") if name in fields}
    study = Study.objects.create(
        name="Picked", slug=fields.pop("slug", "picked"), seed="s", kind=fields.pop("kind", "text")
    )
    given = {"batch_size": 4, "batch_challenges": 1} | fields
    task = Task.objects.create(study=study, kind="pick", scale=scale, wording="Which is best?", **given)
    settings = {"k": 3, "grid_size": 4, "appearances": 2} | chosen
    Plan.objects.create(study=study, task=task, strategy="picks", settings=settings, seed="s")
    for n in range(1, topics + 1):
        topic = Topic.objects.create(study=study, name=f"t{n}", text=f"Which one for {n}?")
        add_items(topic, {f"t{n}-{letter}": 1.0 for letter in "abcdefghijklmnopqrstuvwxyz"[:items]})
        add_items(topic, {f"t{n}-junk{i}": 0.0 for i in range(junk)})
    return study, task


def shown(place: BatchQuestion) -> list[Item]:
    """The items of a grid in their order on the page."""
    subjects = [subject.item for subject in place.question.subjects.all() if subject.item]
    return [subjects[int(position)] for position in place.shown]


def by_docno(items: Sequence[Item]) -> list[int]:
    """The places of a grid from the best item to the worst."""
    return sorted(range(len(items)), key=lambda place: items[place].docno)


def answer(
    assignment: Assignment, *, wrong: bool = False, order: Callable[[Sequence[Item]], list[int]] = by_docno
) -> None:
    """Answer a batch by an order of the items; `wrong`: challenges by the other end of it."""
    for place in assignment.batch.select_related("question"):
        places = order(shown(place))
        if wrong and place.role == "challenge":
            places.reverse()
        value = [places[0], places[-1]] if assignment.task.scale == "best-worst" else [places[0]]
        answering.record(assignment.pk, place.question_id, value, kind="pick")


def sit(assessor: Assessor, **how) -> Assignment:
    """Arrive, answer a whole batch and submit it."""
    assignment = answering.arrive(assessor.pk)
    answer(assignment, **how)
    return answering.submit(assignment.pk)


def finish(study: Study, *, most: int = 100) -> int:
    """Let new people pick, a batch each, until every tournament has ended; return how many these were."""
    for people in range(most):
        services.catch_up()
        if not Tournament.objects.filter(topic__study=study, finished=False).exists():
            return people
        sit(invite(study))
    raise AssertionError(f"{study} has not ended after {most} batches")
