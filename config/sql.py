"""SQL statements that are written by hand: running them, and making objects of their rows.

An ORM spends more time building such a statement than the database spends on it. So what is done at every
request of many people is written once and only filled in; rooms keep such texts beside the rule that they
carry out, or in a module of their own.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import cache
from typing import Any, Generic, TypeVar

from django.db import connection, models

M = TypeVar("M", bound=models.Model)

MOST_COLUMNS = 8
# What stands for {name} in a text, on PostgreSQL and on SQLite. Locks are missing on SQLite, which does not
# need them: there one transaction writes at a time.
PARTS: dict[str, tuple[Any, Any]] = {
    # Rows that are given as one list (`listed`), and the columns of each by their place, as texts.
    "given": ("json_array_elements(CAST(%s AS json)) one", "json_each(%s) one"),
    "column": (
        [f"(one.value ->> {place})" for place in range(MOST_COLUMNS)],
        [f"json_extract(one.value, '$[{place}]')" for place in range(MOST_COLUMNS)],
    ),
    "as_json": ("AS jsonb", "AS text"),
    "no": ("false", "0"),
    "yes": ("true", "1"),
    "json": ("CAST(%s AS jsonb)", "%s"),
    # Of a task, a setting that is a text, by its name; "" where it has none.
    "task_setting": (
        "COALESCE(task.settings ->> CAST(%s AS text), '')",
        "COALESCE(json_extract(task.settings, '$.' || %s), '')",
    ),
    "number": ("CAST(%s AS double precision)", "%s"),
    "lock": ("FOR NO KEY UPDATE", ""),
    "lock_assignment": ("FOR NO KEY UPDATE OF assignment", ""),
    "lock_assessor": ("FOR NO KEY UPDATE OF assessor", ""),
    # In this order, which everybody keeps.
    "lock_both": ("FOR NO KEY UPDATE OF assessor, assignment", ""),
    # One of a list of ids, given as `ids` makes it.
    "among": ("= ANY(CAST(%s AS bigint[]))", "IN (SELECT value FROM json_each(%s))"),
    # Anyone who arrives at the same moment takes the next questions instead of waiting for these.
    "lock_free": ("FOR NO KEY UPDATE OF question SKIP LOCKED", ""),
}

LOCK_ROWS = "SELECT id FROM {table} WHERE id {among} ORDER BY id {lock}"


def execute(statement: str, values: Sequence[Any], **lists: int) -> list[tuple[Any, ...]]:
    """Execute a statement with its parts filled in; `lists`: how many values each {list} has."""
    text = _filled(statement, connection.vendor, tuple(lists.items()))
    with connection.cursor() as cursor:
        cursor.execute(text, values)
        return cursor.fetchall() if cursor.description else []


@cache
def _filled(statement: str, vendor: str, lists: tuple[tuple[str, int], ...]) -> str:
    chosen = {name: texts[vendor != "postgresql"] for name, texts in PARTS.items()}
    return statement.format(**chosen, **{name: ", ".join(["%s"] * length) for name, length in lists})


def moment(value: datetime) -> Any:
    """A time as the database takes it."""
    return connection.ops.adapt_datetimefield_value(value)


def ids(values: Iterable[int]) -> Any:
    """Ids for {among}: one parameter for any number of them, so that the statement stays the same."""
    found = list(values)
    return found if connection.vendor == "postgresql" else json.dumps(found)


def lock_rows(model: type[models.Model], values: Iterable[int]) -> None:
    """Lock rows by rising id until the transaction ends, for a change by the next statement. PostgreSQL only.

    A statement of its own: where one statement locks and changes a row, PostgreSQL reaches it a second time
    through its version from before the statement, and waits there for those who wait for the row itself.
    """
    if connection.features.has_select_for_update:
        execute(LOCK_ROWS.replace("{table}", model._meta.db_table), [ids(sorted(values))])


def listed(rows: Iterable[Sequence[Any]]) -> str:
    """Rows for {given}: one parameter, made before the statement runs and takes a lock."""
    return json.dumps(list(rows), ensure_ascii=False, separators=(",", ":"))


class ModelColumns(Generic[M]):
    """All columns of a model's table, for the text of a statement, and objects made of what it returns.

    text: the columns, of the table that the statement calls `alias`. number: how many they are.
    """

    def __init__(self, model: type[M], alias: str) -> None:
        self.model = model
        self.names = [field.attname for field in model._meta.concrete_fields]
        self.text = ", ".join(f'{alias}."{field.column}"' for field in model._meta.concrete_fields)
        self.number = len(self.names)
        self._converters: dict[str, list[tuple[int, Any, list[Callable[..., Any]]]]] = {}

    def read(self, row: Sequence[Any], start: int = 0) -> M | None:
        """Make the object whose columns begin at `start` of a row; None where an outer join found none."""
        values = list(row[start : start + self.number])
        if values[self.names.index(self.model._meta.pk.attname)] is None:
            return None
        for place, column, converters in self._converters_here():
            for convert in converters:
                values[place] = convert(values[place], column, connection)
        return self.model.from_db(connection.alias, self.names, values)

    def _converters_here(self) -> list[tuple[int, Any, list[Callable[..., Any]]]]:
        """Each column that the ORM would convert, with how, on this database."""
        known = self._converters.get(connection.vendor)
        if known is None:
            columns = [field.cached_col for field in self.model._meta.concrete_fields]
            every = [
                (
                    place,
                    column,
                    connection.ops.get_db_converters(column) + column.get_db_converters(connection),
                )
                for place, column in enumerate(columns)
            ]
            known = self._converters[connection.vendor] = [one for one in every if one[2]]
        return known
