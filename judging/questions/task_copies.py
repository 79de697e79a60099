"""Copying how a study asks: its tasks, with their texts."""

from collection.models import Study
from judging.models import Task

# A copy begins with the first version of its texts. Examples name items, and so stay with the original.
OWN = ("id", "study", "version", "consent_version", "examples")


def copy_tasks(original: Study, copy: Study) -> dict[int, Task]:
    """Give a study the tasks of another; return each copy by the key of its original."""
    fields = [field.attname for field in Task._meta.concrete_fields if field.name not in OWN]
    tasks = list(Task.objects.filter(study=original).order_by("position"))
    made = [Task(study=copy, **{name: getattr(task, name) for name in fields}) for task in tasks]
    Task.objects.bulk_create(made)
    return {task.pk: one for task, one in zip(tasks, made, strict=True)}
