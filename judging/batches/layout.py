"""The layout of a batch: positions, sides, and where challenges stand among the other questions."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

from judging.models import QuestionRole
from judging.tasks import TaskKind


class Challenge(NamedTuple):
    """A question with a known answer, as it was drawn for a batch."""

    question_id: int
    expected: Any


class Open(NamedTuple):
    """An open question as it was drawn for a batch, and how many subjects it has."""

    question_id: int
    subjects: int


class Frame(NamedTuple):
    """What stands at a position: the open question with this number, or a challenge in its place or beside
    it.
    """

    number: int
    challenge: bool


class BatchPlace(NamedTuple):
    """A question in its place: the order of its subjects, its role, and for a challenge the known answer.

    question_id: of a repeat, the id of the question that it repeats, until `with_rows` puts its own there.
    """

    question_id: int
    shown: str
    role: QuestionRole
    expected: Any


def framed(free: int, size: int, challenges: int, chooser: random.Random) -> list[Frame]:
    """Choose where challenges stand in a batch drawn from `free` open questions; return the frames in order.

    `free` open questions are looked at, as many as the batch has positions, and challenges of the same topics
    replace some of them, each equally likely: so neither topics nor positions tell which are challenges. Only
    at the end of a study, where too few questions are open, a challenge is put beside one of its topic.
    """
    beside = min(free, size) + challenges - free
    instead = set(chooser.sample(range(free), challenges - beside))
    frames = [Frame(number, number in instead) for number in range(free)]
    for _ in range(beside):
        at = chooser.randrange(len(frames))
        frames.insert(at + chooser.randint(0, 1), Frame(frames[at].number, challenge=True))
    return frames


def laid_out(
    kind: TaskKind, batch: Sequence[Open | Challenge], chooser: random.Random, repeats: int = 0
) -> list[BatchPlace]:
    """Choose the order of the subjects of each question and challenge of a batch, and place the repeats.

    Each order of the subjects is shown equally often; a kind without fixed orders takes any order at random.
    The right answer of challenges stands at each place equally often, in as many turns as the kind says:
    otherwise pressing one key all the time would sometimes pass. repeats: how many open questions are asked
    again, as `with_repeats` says.
    """
    free = [one for one in batch if isinstance(one, Open)]
    if kind.orders:
        orders = iter(balanced(kind.orders, len(free), chooser))
    else:
        orders = iter([kind.arranged(one.subjects, chooser) for one in free])
    turns = iter(balanced(range(kind.turns), len(batch) - len(free), chooser))
    places = [
        BatchPlace(
            one.question_id,
            kind.order_of_challenge(one.expected, next(turns)),
            QuestionRole.CHALLENGE,
            one.expected,
        )
        if isinstance(one, Challenge)
        else BatchPlace(one.question_id, next(orders), QuestionRole.COUNTS, None)
        for one in batch
    ]
    return with_repeats(places, repeats, chooser)


# So many questions stand between a question and its repeat, where the batch has so many.
BETWEEN = 4
# Places for repeats are chosen anew so often where challenges stand in the way.
TRIES = 20


def with_repeats(places: Sequence[BatchPlace], repeats: int, chooser: random.Random) -> list[BatchPlace]:
    """Ask some open questions again, each far behind its first, with its subjects in reverse order.

    First the places of repeats are drawn, each equally likely; then, for each place, one of the questions far
    enough before it. So the last places are no likelier than others, and no question's place tells that it
    will be repeated. In a short batch a third of the batch is far enough.
    """
    asked = [at for at, place in enumerate(places) if place.role == QuestionRole.COUNTS]
    between = min(BETWEEN, max(1, len(places) // 3))
    behind: dict[int, int] = {}
    for _ in range(TRIES):
        if len(behind) < min(repeats, len(asked)):
            behind = _behind(asked, len(places), between, repeats, chooser)
    # Where too few fit, the first of the other questions come again at the end.
    rest = [first for first in asked if first not in behind.values()][: max(0, repeats - len(behind))]
    found = []
    for at, place in enumerate(places):
        found += [place] if at not in behind else [place, _again(places[behind[at]])]
    return found + [_again(places[first]) for first in rest]


def _behind(
    asked: Sequence[int], number: int, between: int, repeats: int, chooser: random.Random
) -> dict[int, int]:
    """Map the place before which a repeat goes in to the place of the question that it repeats.

    Both count places without repeats. Returns fewer than asked for where challenges stand in the way.
    """
    free = range(asked[0] + between, number) if asked else range(0)
    found: dict[int, int] = {}
    # Those with the fewest questions before them choose first.
    for at in sorted(chooser.sample(free, min(repeats, len(free)))):
        early = [first for first in asked if first + between <= at and first not in found.values()]
        if early:
            found[at] = chooser.choice(early)
    return found


def _again(place: BatchPlace) -> BatchPlace:
    return BatchPlace(place.question_id, place.shown[::-1], QuestionRole.REPEAT, None)


def balanced(values: Sequence[Any], n: int, chooser: random.Random) -> list[Any]:
    """Return n of the values in random order, each equally often; a remainder is chosen at random."""
    turn = chooser.randrange(len(values))
    found = [values[(turn + i) % len(values)] for i in range(n)]
    chooser.shuffle(found)
    return found
