"""The layout of a batch: positions, sides, and where challenges stand among the other questions."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from judging.tasks import TaskKind


class Challenge(NamedTuple):
    """A question with a known answer, as it was drawn for a batch."""

    question_id: int
    expected: Any


class Place(NamedTuple):
    """A question in its place: the order of its subjects, and for a challenge the known answer."""

    question_id: int
    shown: str
    challenge: bool
    expected: Any


def laid_out(
    kind: TaskKind, questions: Sequence[int], challenges: Sequence[Challenge], chooser: random.Random
) -> list[Place]:
    """Lay a batch out: questions in their order, challenges anywhere among them.

    Every order of the subjects is shown equally often. So is every place of the right answers, whose turns
    are as many as the orders: otherwise always pressing one key would sometimes pass.
    """
    orders = balanced(kind.orders, len(questions), chooser)
    batch = [Place(pk, order, False, None) for pk, order in zip(questions, orders, strict=True)]
    turns = balanced(range(len(kind.orders)), len(challenges), chooser)
    for (pk, expected), turn in zip(challenges, turns, strict=True):
        at = chooser.randint(0, len(batch))
        batch.insert(at, Place(pk, kind.order_of_challenge(expected, turn), True, expected))
    return batch


def balanced(values: Sequence[Any], n: int, chooser: random.Random) -> list[Any]:
    """Return n of the values in random order, each equally often; a remainder is chosen at random."""
    turn = chooser.randrange(len(values))
    found = [values[(turn + i) % len(values)] for i in range(n)]
    chooser.shuffle(found)
    return found
