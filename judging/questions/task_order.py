"""The order of a study's tasks: which is asked first, before and after judging was opened."""

from django.db import transaction

from collection import audit_log
from collection.models import Study
from judging.models import Task


@transaction.atomic
def move(study_id: int, task_id: int, *, earlier: bool) -> bool:
    """Ask a task one place earlier or later among its study's; whether that changed anything.

    Batches that were begun stay as they are.
    """
    Study.objects.select_for_update().get(pk=study_id)
    tasks = list(Task.objects.filter(study=study_id))
    at = next((n for n, task in enumerate(tasks) if task.pk == task_id), None)
    if at is None:
        return False
    to = at - 1 if earlier else at + 1
    if not 0 <= to < len(tasks):
        return False
    moved, other = tasks[at], tasks[to]
    before = ", ".join(task.kind for task in tasks)
    # A position stands once: the moved task waits behind all others.
    for task, position in (
        (moved, tasks[-1].position + 1),
        (other, moved.position),
        (moved, other.position),
    ):
        Task.objects.filter(pk=task.pk).update(position=position)
    tasks[at], tasks[to] = other, moved
    after = ", ".join(task.kind for task in tasks)
    audit_log.note(
        study_id,
        audit_log.What.SETTINGS,
        about="which task is asked first",
        before={"order": before},
        after={"order": after},
    )
    return True
