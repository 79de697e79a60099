"""Versions of texts: what a task's assessors read and agreed to stays on record after later changes.

Before judging is opened a task's texts are drafts. At opening they are put on record as version 1; from then
on each change is another version, with who made it, when, and what it changes. A batch names the version
that its assessor saw (`Assignment.version`). Anyone who agreed to an older consent is asked again, at their
next batch.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count

from collection import audit_log
from collection.models import Study
from collection.study import lifecycle
from judging.models import Assignment, Task, TextVersion

OF_TASK = ("wording", "instructions", "consent", "guidelines", "examples")
# Who asks is a part of what people agree to.
OF_STUDY = ("asked_by", "contact")
AGREED_TO = ("consent", *OF_STUDY)
NAMES = {
    "wording": "Question to the assessor",
    "instructions": "Instructions",
    "consent": "Consent",
    "guidelines": "What the grades mean",
    "examples": "Examples and practice",
    "asked_by": lifecycle.ASKED_BY,
    "contact": lifecycle.CONTACT,
}


class SeenText(NamedTuple):
    """The texts that somebody had before them when they agreed: whose task, and which version."""

    task: int
    version: int

    def holds(self, task: int, version: int, consent_version: int) -> bool:
        """Whether this lets a batch of a task begin: its texts, and the consent that it has now."""
        return self.task == task and consent_version <= self.version <= version


# Of a form that names no texts: no batch begins by it.
NO_TEXTS = SeenText(0, 0)


class NotRead(Exception):
    """Somebody is to read, and agree to, other texts than those that they had before them."""


def agreed(latest: Assignment | None, task: Task) -> bool:
    """Whether somebody's latest batch shows that they read what this task asks and agree to."""
    if latest is None or latest.task_id != task.pk:
        return False
    # Before versions were kept, texts stood still once judging was open.
    return (latest.version or 1) >= task.consent_version


def texts_of(task: Task) -> dict[str, Any]:
    """A task's texts as they are now, with those of its study."""
    own = {name: guidelines(task) if name == "guidelines" else getattr(task, name) for name in OF_TASK}
    return own | {name: getattr(task.study, name) for name in OF_STUDY}


def guidelines(task: Task) -> str:
    """The text beside each question of a task; "" for kinds without guidelines."""
    return getattr(task.settings_of_kind, "guidelines", "")


@transaction.atomic
def put_on_record(study_id: int) -> None:
    """Store the current version of each task's texts where it is not yet."""
    known = set(TextVersion.objects.filter(task__study=study_id).values_list("task_id", "number"))
    for task in Task.objects.filter(study=study_id).select_related("study"):
        if (task.pk, task.version) not in known:
            _store(task, "")


@transaction.atomic
def renew(study_id: int, change: str) -> list[Task]:
    """Make a new version of each task whose texts, or whose study's, are not those on record, and tell
    the trail. Call in the transaction that changed them, after `put_on_record`. Returns the tasks.
    """
    renewed = []
    stored = TextVersion.objects.filter(task__study=study_id)
    before = {(version.task_id, version.number): version for version in stored}
    for task in Task.objects.filter(study=study_id).select_related("study"):
        was, now = before[task.pk, task.version], texts_of(task)
        changed = [name for name in now if getattr(was, name) != now[name]]
        if not changed:
            continue
        task.version += 1
        if not {*AGREED_TO}.isdisjoint(changed):
            task.consent_version = task.version
        task.save(update_fields=["version", "consent_version"])
        _store(task, change)
        audit_log.note(
            study_id,
            audit_log.What.TEXTS,
            about=f"{task.kind}, version {task.version}: {change}",
            before={NAMES[name]: getattr(was, name) for name in changed},
            after={NAMES[name]: now[name] for name in changed},
        )
        renewed.append(task)
    return renewed


@transaction.atomic
def set_requester(study_id: int, asked_by: str, contact: str) -> None:
    """Fill in who asks and whom to write to: before opening as a draft, later as another version.

    Raises CannotSteer where judging is open and both were said already.
    """
    opened = Study.objects.select_for_update(no_key=True).get(pk=study_id).opened_at
    if opened:
        put_on_record(study_id)
    lifecycle.set_requester(study_id, asked_by, contact)
    if opened:
        renew(study_id, "Who asks, and whom to write to, were missing.")


def _store(task: Task, change: str) -> None:
    TextVersion.objects.create(
        task=task,
        number=task.version,
        by_id=audit_log.account_id(),
        actor=audit_log.actor(),
        change=change,
        **texts_of(task),
    )


class Version(NamedTuple):
    """A version on record, and how many batches show it."""

    text: TextVersion
    batches: int


def versions(task: Task) -> list[Version]:
    """The versions of a task's texts, the latest first."""
    shown = Assignment.objects.filter(task=task).exclude(version=None).order_by()
    times = dict(shown.values_list("version").annotate(n=Count("pk")))
    stored = TextVersion.objects.filter(task=task).order_by("-number")
    return [Version(one, times.get(one.number, 0)) for one in stored]


def lines(study: Study) -> Iterator[dict[str, Any]]:
    """Yield every version of a study's texts, and then every batch with the version that it showed.

    Three queries, the batches read in pieces.
    """
    stored = TextVersion.objects.filter(task__study=study).select_related("task")
    for one in stored.order_by("task__position", "number"):
        own = {name: getattr(one, name) for name in (*OF_TASK, *OF_STUDY)}
        told = {"number": one.number, "by": one.actor, "change": one.change, "created_at": one.created_at}
        yield {"kind": "texts", "task": one.task_id, "asks": one.task.kind, **told, **own}
    seen = Assignment.objects.filter(assessor__study=study).exclude(version=None).order_by("pk")
    fields = ("pk", "task_id", "version", "consented_at", "assessor__panel", "assessor__label", "assessor_id")
    for pk, task, version, consented, *person in seen.values_list(*fields).iterator(2000):
        yield {
            "kind": "batch",
            "batch": pk,
            "task": task,
            "version": version,
            "consented_on": consented.date().isoformat() if consented else None,
            "person": person,
        }
