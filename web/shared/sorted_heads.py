"""Heads of a table that sort its rows: a link each, which sorts by the column or reverses the order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.http import QueryDict

from web.shared.view_choices import choice_of

# A column's key in the query, its title, and whether it sorts descending at first.
Column = tuple[str, str, bool]


@dataclass(frozen=True)
class Head:
    """A column head; order: its `aria-sort`, "" where the rows are sorted by another column."""

    title: str
    address: str
    order: str


def sort_of(asked: QueryDict, keys: Sequence[str]) -> tuple[str, bool]:
    """Return the column by which a query sorts, and whether it does so descending; the first key if none."""
    known = {f"{way}{key}" for key in keys for way in ("", "-")}
    sort = choice_of(asked, "sort", known, keys[0])
    return sort.removeprefix("-"), sort.startswith("-")


def heads(columns: Sequence[Column], sort: str, down: bool, address: Callable[[str], str]) -> list[Head]:
    """Return the heads of a table that is sorted by one of its columns. address: of a value of `sort`."""
    made = []
    for key, title, largest in columns:
        here = key == sort
        falls = not down if here else largest
        order = ("descending" if down else "ascending") if here else ""
        made.append(Head(title, address(f"-{key}" if falls else key), order))
    return made


def without(asked: QueryDict, *names: str) -> Callable[[str], str]:
    """Return what makes the address of a sort of the present query without its page and some other names."""
    kept = asked.copy()
    for name in ("page", "sort", *names):
        kept.pop(name, None)

    def address(sort: str) -> str:
        kept["sort"] = sort
        return f"?{kept.urlencode()}"

    return address
