"""Picks: the best of up to nine items shown as a grid, and on one scale the worst too.

A value is a list of places on the page, counted from 0: [best], or [best, worst]. One answer implies several
preferences: the best is better than every other item, and every other one is better than the worst. Nothing
follows about those in between.
"""

import random
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from judging.tasks.base import BadAnswer, Lean, TaskKind, register

LEAST, MOST = 2, 9
# The least common multiple of 2 to 9: in so many turns every place of any grid has its turn equally often.
TURNS = 2520


@register
class Pick(TaskKind):
    """Two to nine items of a topic in a grid; their ids ascend.

    A known answer is stored as {"best": position, "of": number of items}.
    """

    name = "pick"
    template = "assessor/_pick.html"
    keys = "assessor/_pick_keys.html"
    WITH_WORST = "best-worst"
    scales = {"best": 1, WITH_WORST: 2}
    places = tuple(str(place) for place in range(1, MOST + 1))
    orders = ()

    @property
    def turns(self) -> int:
        return TURNS

    def check_subjects(self, subjects: Sequence[int]) -> None:
        if not LEAST <= len(subjects) <= MOST or list(subjects) != sorted(set(subjects)):
            raise ValueError(
                f"A pick has {LEAST} to {MOST} different subjects in ascending order, not {subjects}."
            )

    def asks_worst(self, scale: str) -> bool:
        """Whether an answer on this scale names the worst item too."""
        return scale == self.WITH_WORST

    def parse(self, form: Mapping[str, Any]) -> list[int]:
        # Without scripts the best and the worst are two fields.
        text = str(form.get("choice") or "-".join(str(form.get(part, "")) for part in ("best", "worst")))
        if not re.fullmatch("[1-9](-[1-9])?", text):
            raise BadAnswer(_("An answer is the number of an item. Choose one, or load the page again."))
        return [int(number) - 1 for number in text.split("-")]

    def word(self, value: Sequence[int]) -> str:
        return "-".join(str(place + 1) for place in value)

    def check(self, value: Any, scale: str) -> None:
        places = value if isinstance(value, list) else []
        if not places or not all(type(place) is int and 0 <= place < MOST for place in places):
            raise BadAnswer(_("An answer is the number of an item. Load the page again."))
        if len(places) != self.scales[scale]:
            raise BadAnswer(
                _("This study asks for the best and the worst. Choose both.")
                if self.asks_worst(scale)
                else _("This study asks for the best alone. Load the page again.")
            )
        if len(set(places)) < len(places):
            raise BadAnswer(_("The best and the worst are two different items. Choose again."))

    def places_needed(self, value: Sequence[int]) -> int:
        return max(value) + 1

    def leans(self, value: Sequence[int], shown: str) -> Iterable[Lean]:
        """Derive the preferences over all items that were shown; g - 1 of them, or 2g - 3 with the worst."""
        at = [int(position) for position in shown] or list(range(max(value) + 1))
        best, *worst = (at[place] for place in value)
        found = [Lean(best, other, 1) for other in sorted(at) if other != best]
        for last in worst:
            found += [Lean(other, last, 1) for other in sorted(at) if other not in (best, last)]
        return found

    def known_leans(self, expected: Mapping[str, int]) -> Iterable[Lean]:
        best = expected["best"]
        return [Lean(best, other, 1) for other in range(expected["of"]) if other != best]

    def is_right(self, value: Sequence[int], shown: str, expected: Mapping[str, int]) -> bool:
        """Tell whether the best is the known one; any other may be called the worst."""
        return int(shown[value[0]]) == expected["best"] if shown else value[0] == expected["best"]

    def arranged(self, subjects: int, chooser: random.Random) -> str:
        """Choose the order of a grid: any is as likely."""
        return "".join(map(str, chooser.sample(range(subjects), subjects)))

    def order_of_challenge(self, expected: Mapping[str, int], turn: int) -> str:
        """Put the best at each place in turn, the others in any order around it."""
        best, of = expected["best"], expected["of"]
        others = [position for position in range(of) if position != best]
        random.Random(f"{turn}:{best}").shuffle(others)
        others.insert(turn % of, best)
        return "".join(map(str, others))
