"""Result pages: which of two runs' pages for a topic is better, on the scales of pairs.

A value is a lean as the page showed it, as for pairs. A challenge shows the cells of two runs, filled with
other items. Its known answer says with which: {"lean": ..., "pages": [ids of items for the first run's cells,
ids for the second's]}.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Q

from judging.tasks.base import Lean, register
from judging.tasks.pair import Pair, lean_of
from judging.tasks.settings import Settings, number


@dataclass(frozen=True)
class PageSettings(Settings):
    """Settings of comparisons of result pages.

    depth: ranks of a list that are shown. rows: rows of a grid that are shown. assessors: answers wanted for
    each question.
    """

    depth: int = number(10, 1, 1000)
    rows: int = number(20, 1, 200)
    assessors: int = number(1, 1, 5)

    def shown(self, path: str = "") -> Q:
        """Return the condition for placements that a page shows. path: prefix of their lookups, such as
        "placements__".
        """
        in_list = Q((f"{path}row", None), (f"{path}rank__lte", self.depth))
        return in_list | Q((f"{path}row__lt", self.rows))


@register
class Pages(Pair):
    """The result pages of two runs side by side; the run with the smaller id is the first, but in a challenge
    the second, so that both can be questions about the same two runs.
    """

    name = "pages"
    template = "assessor/_pages.html"
    keys = "assessor/_pages_keys.html"
    about = "run"
    settings = PageSettings

    def leans(self, value: Any, shown: str) -> Iterable[Lean]:
        """Convert an answer, or a challenge's known answer, to a preference."""
        lean = value["lean"] if isinstance(value, Mapping) else lean_of(value, shown)
        return (Lean(0, 1, lean),)

    def is_right(self, value: int, shown: str, expected: Any) -> bool:
        return super().is_right(value, shown, expected["lean"])

    def order_of_challenge(self, expected: Any, turn: int) -> str:
        return super().order_of_challenge(expected["lean"], turn)
