"""Staging: rows written in pieces, hidden until all of them are there, and removed if they never are.

SQLite has one write lock for all studies, and anyone who waits for it looks again up to ten times a second.
So each piece is a short transaction, and after some of them the lock is left alone long enough for everybody
who waits to find it free. PostgreSQL locks single rows: there is nothing to wait for.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TypeVar

from django.db import connection, models, transaction
from django.utils import timezone

from collection.models import Import, Item, Run

T = TypeVar("T")
P = TypeVar("P")
# Seconds that the lock is held at a time and, from the second turn on, left alone.
TURN, REST = 0.1, 0.12
LEAST, MOST = 50, 5000  # records of a piece
# By a plan of the first pieces, when the table was empty, PostgreSQL would read all of it for each later one.
PLANNED_ANEW = "SET LOCAL plan_cache_mode = force_custom_plan"


class GivenUp(Exception):
    """Raised in an import that a sweep took for dead: what it wrote is being removed."""


class Pieces:
    """Writer of records in short transactions; their size follows from how long the last one took.

    row: the import that writes. Each piece is a sign of its life, and none is written once it was given up.
    first, least: records of the first piece, and of the smallest, where one record stands for many rows.
    """

    def __init__(self, row: Import | None = None, *, first: int = 500, least: int = LEAST) -> None:
        self._row = row
        self._size, self._least = first, least
        self._held = 0.0
        self._alone = connection.vendor != "sqlite" or connection.in_atomic_block

    def write(
        self,
        records: Iterable[T],
        store: Callable[[P], object],
        told: Callable[[int], object] = lambda count: None,
        *,
        prepare: Callable[[Sequence[T]], P] = lambda piece: piece,  # type: ignore[assignment,return-value]
    ) -> None:
        """Pass all records to `store`, a piece at a time, each in a transaction of its own.

        `prepare` makes of a piece what is passed, before the transaction begins: what it takes holds up
        nobody. `told` is called after each with how many it were.
        """
        rest = iter(records)
        while piece := list(islice(rest, self._size)):
            ready = prepare(piece)
            took = self._turn(lambda ready=ready: store(ready))  # type: ignore[misc]
            if took > TURN:
                self._size = max(self._least, self._size // 2)
            elif took < TURN / 3 and len(piece) == self._size:
                self._size = min(MOST, self._size * 2)
            told(len(piece))

    def _turn(self, do: Callable[[], object]) -> float:
        if self._held >= TURN:
            # At least half of the time is others', however slow a busy machine makes the pieces.
            pause, self._held = max(REST, self._held), 0.0
            time.sleep(pause)
        with transaction.atomic():
            started = time.monotonic()
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute(PLANNED_ANEW)
            if self._row is not None and not still_running(self._row):
                raise GivenUp
            do()
        took = time.monotonic() - started
        if not self._alone:
            self._held += took
        return took


def still_running(row: Import) -> bool:
    """Give a sign of an import's life; False if a sweep has given it up. Locks its row until the commit."""
    own = Import.objects.filter(pk=row.pk, state=Import.State.RUNNING, attempts=row.attempts)
    return bool(own.update(alive_at=timezone.now()))


def remove_hidden(row: Import) -> None:
    """Remove in pieces what a running import has written: before it is closed, or what it hid would be seen.

    May be repeated.
    """
    remove_replaced(row.study_id)
    _in_pieces(Item.every.filter(loaded_by=row), Pieces())


def remove_replaced(study_id: int) -> None:
    """Remove in pieces the runs of a study that nobody is shown; only while none of it is being written.

    Those that people were asked about stay: what they saw is in the ledger.
    """
    for run in Run.every.filter(study=study_id, shown=False):
        if not _protected(run):
            _remove(run, Pieces())


def _protected(run: Run) -> bool:
    """Whether another room holds on to a run."""
    return any(
        relation.related_model._base_manager.filter(**{relation.field.name: run}).exists()
        for relation in Run._meta.get_fields(include_hidden=True)
        if isinstance(relation, models.ManyToOneRel) and relation.on_delete is models.PROTECT
    )


def _remove(run: Run, pieces: Pieces) -> None:
    """Delete a run after all that goes with it: placements, and what other rooms know of it."""
    for relation in Run._meta.related_objects:
        if relation.on_delete is models.CASCADE:
            own = relation.related_model._base_manager.filter(**{relation.field.name: run})
            _in_pieces(own, pieces)
    pieces.write([run], lambda _: run.delete())


def _in_pieces(rows: "models.QuerySet[models.Model]", pieces: Pieces) -> None:
    keys = rows.order_by("pk").values_list("pk", flat=True)
    while found := list(keys[: 4 * MOST]):
        pieces.write(found, lambda some: rows.filter(pk__gte=some[0], pk__lte=some[-1]).delete())
