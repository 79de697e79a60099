"""Pairs: which of two items is better, strictly or with a tie, on two to five levels.

A value is a lean as the page showed it: 1 for the item on the left, -1 for the one on the right, 0 for
neither; 2 and -2 where the assessor chose definitely. So on four and five levels 1 says slightly.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

from django.utils.translation import gettext_lazy as _

from judging.tasks.aspects import AspectSettings
from judging.tasks.base import BadAnswer, Lean, TaskKind, register
from judging.tasks.settings import Settings

LEFT, TIE, RIGHT = 1, 0, -1
# In the order in which the page shows them.
WORDS = {"definitely-left": 2 * LEFT, "left": LEFT, "tie": TIE, "right": RIGHT, "definitely-right": 2 * RIGHT}
NAMES = {value: word for word, value in WORDS.items()}


class Key(NamedTuple):
    """A key of the keyboard: as it is printed, and as `aria-keyshortcuts` spells it."""

    cap: str
    shortcut: str


KEYS = {
    "left": [Key("←", "ArrowLeft")],
    "tie": [Key("T", "T"), Key("0", "0")],
    "right": [Key("→", "ArrowRight")],
}


@register
class Pair(TaskKind):
    """Two items of a topic side by side; the one with the smaller id is the first."""

    name = "pair"
    template = "assessor/_pair.html"
    keys = "assessor/_pair_keys.html"
    scales = {"2": (-1, 1), "3": (-1, 0, 1), "4": (-2, -1, 1, 2), "5": (-2, -1, 0, 1, 2)}
    places = ("left", "right")
    orders = ("01", "10")
    settings: ClassVar[type[Settings]] = AspectSettings

    def allows_tie(self, scale: str) -> bool:
        return TIE in self.scales[scale]

    def graded(self, scale: str) -> bool:
        """Whether an answer on this scale says how much better an item is: definitely or slightly."""
        return 2 * LEFT in self.scales[scale]

    def buttons(self, scale: str) -> list[tuple[str, Sequence[Key]]]:
        """The answers of a scale from left to right, and the keys that give each, as its button says.

        Levels are also counted by digits. What the keys do is in `static/js/judge/pair.js`.
        """
        words = [word for word, value in WORDS.items() if value in self.scales[scale]]
        digits = [[Key(str(n), str(n))] if self.graded(scale) else [] for n in range(1, len(words) + 1)]
        return [(word, digit + KEYS.get(word, [])) for word, digit in zip(words, digits, strict=True)]

    def parse(self, form: Mapping[str, Any]) -> int:
        value = WORDS.get(form.get("choice", ""))
        if value is None:
            raise BadAnswer(_("An answer is left, right or tie. Load the page again."))
        return value

    def word(self, value: int) -> str:
        return NAMES[value]

    def check(self, value: Any, scale: str) -> None:
        if type(value) is not int or not -2 <= value <= 2:
            raise BadAnswer(_("An answer is left, right or tie. Load the page again."))
        if value not in self.scales[scale]:
            raise BadAnswer(
                _("This study asks you to choose one of the two.")
                if value == TIE
                else _("This study does not ask how much better one is. Load the page again.")
            )

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
