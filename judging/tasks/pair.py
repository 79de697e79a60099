"""Pairs: which of two items is better, strictly or with a tie, on two to five levels.

A value is a lean as the page showed it: 1 for the item on the left, -1 for the one on the right, 0 for
neither; 2 and -2 where the assessor chose definitely.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from judging.tasks.base import BadAnswer, Lean, TaskKind, register

LEFT, TIE, RIGHT = 1, 0, -1
WORDS = {"left": LEFT, "tie": TIE, "right": RIGHT}
NAMES = {value: word for word, value in WORDS.items()}


@register
class Pair(TaskKind):
    """Two items of a topic side by side; the one with the smaller id is the first."""

    name = "pair"
    template = "assessor/_pair.html"
    keys = "assessor/_pair_keys.html"
    scales = {"2": (-1, 1), "3": (-1, 0, 1), "4": (-2, -1, 1, 2), "5": (-2, -1, 0, 1, 2)}
    places = ("left", "right")
    orders = ("01", "10")

    def allows_tie(self, scale: str) -> bool:
        return TIE in self.scales[scale]

    def parse(self, form: Mapping[str, Any]) -> int:
        value = WORDS.get(form.get("choice", ""))
        if value is None:
            raise BadAnswer("An answer is left, right or tie. Load the page again.")
        return value

    def word(self, value: int) -> str:
        return NAMES[value]

    def check(self, value: Any, scale: str) -> None:
        if type(value) is not int or not -2 <= value <= 2:
            raise BadAnswer("An answer is left, right or tie. Load the page again.")
        if value not in self.scales[scale]:
            raise BadAnswer("This study asks you to choose one of the two.")

    def leans(self, value: int, shown: str) -> Iterable[Lean]:
        return (Lean(0, 1, lean_of(value, shown)),)

    def is_right(self, value: int, shown: str, expected: int) -> bool:
        return lean_of(value, shown) * expected > 0

    def order_of_challenge(self, expected: int, turn: int) -> str:
        """Put the right answer on the left in even turns, on the right in odd ones."""
        return "01" if (expected > 0) == (turn % 2 == 0) else "10"


def lean_of(value: int, shown: str) -> int:
    """Turn a value as shown into a lean towards the first subject, or back: the same step both ways."""
    return -value if shown == "10" else value
