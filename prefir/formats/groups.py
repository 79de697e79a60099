"""Reader of groups of topics: a table with a column of ids, in which every other column is a group."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .answer_columns import GROUP, TOPIC
from .headers import ALIASES, EXTRAS, plain_name
from .ids import Known, groups_problem, quoted, topic_problem
from .lines import Source
from .problems import Problems
from .tables import table_rows

# What tables of topics have besides: texts, and the counts of the study's own list of topics.
NO_GROUPS = {
    *ALIASES["topics"]["text"],
    *EXTRAS["description"],
    *EXTRAS["weight"],
    *("earlier", "items", "graded", "nothing_to_show", "runs"),
}
_OF_OTHERS = {name for columns in ALIASES.values() for names in columns.values() for name in names}


class GroupsRecord(NamedTuple):
    """Groups of a topic, column -> group; "" in a column takes the topic out of its group there."""

    topic: str
    groups: Mapping[str, str]
    line: int = 0


def read_groups(
    name: str, source: Source, known: Known, *, columns: Mapping[str, str] | None = None
) -> list[GroupsRecord]:
    """Read groups from a table of any kind, in file order. Raises BadFile naming every bad row.

    columns: what each column is; by default the first with a name of ids, and all others but `NO_GROUPS`.
    """
    problems = Problems(name)
    table = table_rows(problems, source, lambda names, rows: _roles(names) if columns is None else columns)
    own = next((one for one, what in table.columns.items() if what == TOPIC), None) if table else None
    grouped = [one for one, what in table.columns.items() if what == GROUP] if table else []
    if table is None or own is None or not grouped:
        reason = "its first line names no column of ids, or nothing beside it; begin with one such as"
        raise problems.stop(f"{reason} topic,category")
    records: list[GroupsRecord] = []
    first: dict[str, int] = {}
    for place, row in table.rows:
        topic = str(row.get(own, "")).strip()
        groups = {" ".join(column.split()): _cell(row.get(column)) for column in grouped}
        reason_found = topic_problem(topic, known) or groups_problem(
            {column: group for column, group in groups.items() if group}
        )
        if not reason_found and (earlier := first.setdefault(topic, place)) != place:
            reason_found = f"topic {quoted(topic)} was already given on line {earlier}"
        if reason_found:
            problems.add(place, reason_found)
        else:
            records.append(GroupsRecord(topic, groups, place))
    problems.settle()
    if not records:
        raise problems.stop("there is no row under the header")
    return records


def has_groups(names: Sequence[str]) -> bool:
    """Whether a table with these columns has ids of topics and, by their names, groups, and nothing else."""
    given = {plain_name(name) for name in names}
    ids, groups = {*ALIASES["topics"]["topic"]}, {*EXTRAS["group"]}
    return bool(given & ids) and bool(given & groups) and not given & (_OF_OTHERS - ids - groups)


def _roles(names: Sequence[str]) -> dict[str, str]:
    plain = {name: plain_name(name) for name in names}
    ids = next((own for alias in ALIASES["topics"]["topic"] for own in names if plain[own] == alias), None)
    if ids is None:
        return {}
    return {ids: TOPIC} | {own: GROUP for own in names if own != ids and plain[own] not in NO_GROUPS}


def _cell(value: Any) -> str:
    return "" if value is None else " ".join(str(value).split())
