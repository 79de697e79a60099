"""Deleting a study for good: its rows in every room, its pictures and its waiting files.

First nobody sees it any more (`begin`), then a job takes it away (`carry_out`), table by table and in short
transactions: a stop at any moment loses nothing but time, since anyone who goes on finds what is left.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from graphlib import TopologicalSorter

from django.apps import apps
from django.core.files.storage import default_storage
from django.db import IntegrityError, models, transaction
from django.db.models import Q
from django.dispatch import Signal
from django.utils import timezone

from collection import audit_log
from collection.material import pictures
from collection.models import Deletion, Import, Item, Study
from collection.study.lifecycle import CannotSteer, close
from collection.upload.staging import Pieces
from config.sql import execute, ids
from config.task_queue import sweep_each

Progress = Callable[[str, int], None]
# Sent when a study's last row is gone, with study_id, inside the transaction in which even rows that are only
# ever added may go: rooms drop what they kept for it alone.
study_deleted = Signal()
# What a process of another study may add meanwhile, such as a score that was being computed, is met by
# another round; more of them than this mean that somebody still works for the study.
ROUNDS = 5
DELETE = "DELETE FROM {table} WHERE {key} {{among}}"


@transaction.atomic
def begin(study_id: int) -> Deletion:
    """Hide a study; `carry_out` deletes it. This cannot be undone.

    Raises CannotSteer while people judge or files are being loaded. Other obstacles, such as panels that owe
    money, are the caller's to check.
    """
    study = Study.objects.select_for_update().get(pk=study_id)
    if study.judging_is_open:
        raise CannotSteer("Judging is open. End judging first: people may be in the middle of a batch.")
    if Import.objects.unfinished().filter(study=study).exists():
        raise CannotSteer("Files are being loaded into this study. Wait until they are read.")
    if Import.objects.unfinished().filter(kind="study", options__study=str(study.pk)).exists():
        raise CannotSteer("A copy of this study is being made. Wait until it is whole.")
    close(study.pk)  # its closing date may be all that has closed it
    Study.objects.filter(pk=study.pk).update(deleting_since=timezone.now(), join_token=None)
    deletion, _ = Deletion.objects.get_or_create(
        study=study.pk,
        defaults={
            "name": study.name,
            "slug": study.slug,
            "by_id": audit_log.account_id(),
            "actor": audit_log.actor(),
        },
    )
    return deletion


def unfinished() -> list[int]:
    """Ids of studies that are being deleted."""
    return list(Study.objects.filter(deleting_since__isnull=False).values_list("pk", flat=True))


def sweep() -> None:
    """Continue every deletion that was begun. Raises SweepFailed after the others if one fails."""
    sweep_each("deleting study", unfinished(), carry_out)


def carry_out(study_id: int, progress: Progress = lambda what, rows: None) -> None:
    """Delete all rows of a study that `begin` took out of sight, and the files they name. May be repeated.

    `progress` is told what was deleted and how many of it. Cost grows with its rows: some seconds for each
    100,000. Nothing of another study is locked for longer than a piece takes. Raises LookupError for a study
    that nobody chose to delete.
    """
    if not Study.objects.filter(pk=study_id, deleting_since__isnull=False).exists():
        raise LookupError(f"Study {study_id} is not being deleted.")
    for _ in range(ROUNDS):
        try:
            _remove_files(study_id)
            for model, paths in tables():
                _delete(study_id, model, paths, progress)
            with transaction.atomic():
                own = Deletion.objects.filter(study=study_id)
                own.update(going_on=True)
                Study.objects.filter(pk=study_id, deleting_since__isnull=False).delete()
                study_deleted.send(sender=Study, study_id=study_id)
                own.update(going_on=False, finished_at=timezone.now())
            return
        except (IntegrityError, models.ProtectedError):
            continue
    raise RuntimeError(f"Study {study_id} is still being worked on; deleting it goes on later.")


@cache
def tables() -> list[tuple[type[models.Model], tuple[str, ...]]]:
    """Models of all rooms whose rows belong to a study, each before those that it refers to, with the paths
    of lookups by which a row's study is found; Study itself is not among them.

    A row belongs to a study by the shortest path of keys that are never empty; where there is none, by any
    of those that may be.
    """
    paths: dict[type[models.Model], tuple[str, ...]] = {Study: ("pk",)}
    every = apps.get_models(include_auto_created=True)
    for may_be_empty in (False, True):
        while True:
            found = {
                model: by
                for model in every
                if model not in paths and (by := _paths(model, paths, may_be_empty))
            }
            if not found:
                break
            paths |= found
    order = TopologicalSorter(
        {model: [other for other in paths if _refers(other, model)] for model in paths}
    ).static_order()
    return [(model, paths[model]) for model in order if model is not Study]


def _paths(
    model: type[models.Model], known: dict[type[models.Model], tuple[str, ...]], may_be_empty: bool
) -> tuple[str, ...]:
    """Lookups from a model to Study over those that are known: the shortest one, or all that may be empty."""
    by = [
        field.name if known[field.related_model] == ("pk",) else f"{field.name}__{path}"
        for field in _keys_of(model)
        if field.related_model in known and field.null == may_be_empty
        for path in known[field.related_model]
    ]
    return tuple(by) if may_be_empty else tuple(sorted(by, key=lambda path: path.count("__"))[:1])


def _keys_of(model: type[models.Model]) -> list["models.ForeignKey[models.Model]"]:
    return [field for field in model._meta.concrete_fields if isinstance(field, models.ForeignKey)]


def _refers(model: type[models.Model], other: type[models.Model]) -> bool:
    return model is not other and any(field.related_model is other for field in _keys_of(model))


def _delete(study_id: int, model: type[models.Model], paths: Sequence[str], progress: Progress) -> None:
    """Delete a model's rows of a study in pieces, and count them in its record."""
    own = Q()
    for path in paths:
        own |= Q(**{path: study_id})
    key = model._meta.pk
    rows = list(model._base_manager.filter(own).order_by().values_list("pk", flat=True))
    named = str(model._meta.verbose_name_plural)
    statement = DELETE.format(table=model._meta.db_table, key=key.column)
    Pieces().write(
        rows,
        lambda piece: _take(study_id, named, statement, piece),
        lambda count: progress(named, count),
    )


def _take(study_id: int, named: str, statement: str, piece: Iterable[int]) -> None:
    """Delete some rows while the triggers allow it; call in a transaction."""
    keys = list(piece)
    deletion = Deletion.objects.select_for_update().get(study=study_id)
    Deletion.objects.filter(pk=deletion.pk).update(going_on=True)
    execute(statement, [ids(keys)])
    rows = deletion.rows | {named: deletion.rows.get(named, 0) + len(keys)}
    Deletion.objects.filter(pk=deletion.pk).update(going_on=False, rows=rows)


def _remove_files(study_id: int) -> None:
    """Remove a study's pictures and recordings, except those that a copy shows, and its waiting files."""
    items = Item.every.exclude(image="")
    names = set(items.filter(topic__study=study_id).order_by().values_list("image", flat=True))
    if names:
        # Few studies have files in common: only copies do.
        kinds = (Study.Kind.IMAGE, *Study.RECORDED)
        others = items.exclude(topic__study=study_id).filter(topic__study__kind__in=kinds)
        for name in others.order_by().values_list("image", flat=True).iterator(5000):
            names.discard(name)
    for name in names:
        pictures.remove(name)
    for name in Import.objects.filter(study=study_id).exclude(file="").values_list("file", flat=True):
        default_storage.delete(name)
