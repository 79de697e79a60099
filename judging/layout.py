"""The layout of a batch: positions, sides, and where challenges stand among the other questions."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from judging.tasks import TaskKind


class Challenge(NamedTuple):
    """A question with a known answer, as it was drawn for a batch."""

    question_id: int
    expected: Any


class Frame(NamedTuple):
    """What stands at a position: an open question, by its number, or a challenge in its place or beside."""

    number: int
    challenge: bool


class Place(NamedTuple):
    """A question in its place: the order of its subjects, and for a challenge the known answer."""

    question_id: int
    shown: str
    challenge: bool
    expected: Any


def framed(free: int, size: int, challenges: int, chooser: random.Random) -> list[Frame]:
    """Choose where challenges stand in a batch that is drawn from so many open questions, in their order.

    As many questions are looked at as the batch has positions, and challenges of the same topics stand in
    for some of them, any being as likely: so neither topics nor positions tell which. Only at the end of a
    study, where too few are open, a challenge is put beside one of its topic.
    """
    beside = min(free, size) + challenges - free
    instead = set(chooser.sample(range(free), challenges - beside))
    frames = [Frame(number, number in instead) for number in range(free)]
    for _ in range(beside):
        at = chooser.randrange(len(frames))
        frames.insert(at + chooser.randint(0, 1), Frame(frames[at].number, challenge=True))
    return frames


def laid_out(kind: TaskKind, batch: Sequence[int | Challenge], chooser: random.Random) -> list[Place]:
    """Choose the sides of a batch's questions, given in their order as ids, and of its challenges.

    Every order of the subjects is shown equally often. So is every place of the right answers, whose turns
    are as many as the orders: otherwise always pressing one key would sometimes pass.
    """
    known = sum(isinstance(one, Challenge) for one in batch)
    orders = iter(balanced(kind.orders, len(batch) - known, chooser))
    turns = iter(balanced(range(len(kind.orders)), known, chooser))
    return [
        Place(one.question_id, kind.order_of_challenge(one.expected, next(turns)), True, one.expected)
        if isinstance(one, Challenge)
        else Place(one, next(orders), False, None)
        for one in batch
    ]


def balanced(values: Sequence[Any], n: int, chooser: random.Random) -> list[Any]:
    """Return n of the values in random order, each equally often; a remainder is chosen at random."""
    turn = chooser.randrange(len(values))
    found = [values[(turn + i) % len(values)] for i in range(n)]
    chooser.shuffle(found)
    return found
