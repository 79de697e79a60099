"""Doubtful judgments of a topic: those that something speaks against. Pure, for `child_process.call`."""

from collections import Counter, defaultdict, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import compress
from math import nan
from typing import NamedTuple

# Others who must all say the opposite of a judgment.
OTHERS = 2
# From so many challenges answered wrongly, and so large a share of those answered, a person fails them.
WRONG, WRONG_SHARE = 2, 0.25

Pair = tuple[int, int]
UNTIMED: tuple[float | None, float] = (None, 0.0)


class Reason(StrEnum):
    """What speaks against a judgment, the strongest first; `doubtful_judgments` defines each."""

    AGAINST = "against"
    REPEAT = "repeat"
    CYCLE = "cycle"
    GRADES = "grades"
    FAST = "fast"
    FAILED = "failed"


REASONS = tuple(Reason)


class Vote(NamedTuple):
    """What a judgment says of two items of a topic: `lean` above 0 prefers the first, below 0 the second."""

    judgment: int
    assessor: int
    first: int
    second: int
    lean: int

    @property
    def order(self) -> Pair:
        """The preferred item and the other; of a tie as they are named."""
        return (self.first, self.second) if self.lean >= 0 else (self.second, self.first)


class Doubt(NamedTuple):
    """A doubtful judgment, and the pair of items by which it is.

    preferred, other: the items; of a tie in no order. others: other people who answered about the pair;
    against: those of them who say the opposite. cycle: items from `other` to `preferred`, each preferred to
    the next by what was taken before; () without. grades: of `preferred` and of `other`, where
    they contradict. seconds: in view; least: below it nobody can have looked.
    """

    judgment: int
    assessor: int
    preferred: int
    other: int
    tie: bool
    reasons: tuple[Reason, ...]
    others: int
    against: int
    cycle: tuple[int, ...]
    grades: tuple[float, float] | None
    seconds: float | None
    least: float

    @property
    def rank(self) -> tuple[int, list[int], int, int, int]:
        """A sort key: most reasons first, then the strongest, most answers against it, shortest cycle."""
        strength = [REASONS.index(reason) for reason in self.reasons]
        return (-len(self.reasons), strength, -self.against, len(self.cycle), self.judgment)


def fails_challenges(wrong: int, answered: int) -> bool:
    """Whether somebody answered two challenges or more wrongly, and a quarter or more of theirs."""
    return wrong >= WRONG and wrong >= WRONG_SHARE * answered


def doubtful_judgments(
    votes: Sequence[Vote],
    *,
    again: Iterable[Vote] = (),
    ideal: Sequence[int] = (),
    grades: Mapping[int, float] | None = None,
    span: float = 0.0,
    times: Mapping[int, tuple[float | None, float]] | None = None,
    failing: Container[int] = (),
) -> list[Doubt]:
    """Find the judgments of a topic that something speaks against, those with most against them first.

    votes: all that count, in ledger order; a pick gives several. again: answers to questions that the same
    people were asked once more. ideal: the judged items, best first, as in the ideal rankings by which runs
    are scored. grades: of items; span: from the lowest to the highest grade of the study. times: by judgment,
    its seconds in view and the least that looking takes. failing: people who
    `fails_challenges`. The reasons:

    AGAINST: it prefers an item, no other person's answer about the pair prefers that item, and two or more
    prefer the other one.
    REPEAT: the same person prefers the other item of the pair in another answer, as when asked again.
    CYCLE: it stands on the losing side of the topic's order by ranked pairs (Tideman, Soc. Choice Welf. 4,
    1987): pairs are taken by their lead, which is how many more answers prefer one item than the other; of
    equal leads those that agree with `ideal` come first, then those that were so judged first. Each is an
    edge from the preferred item; one that would close a cycle with edges already taken is left out, and the
    judgments for it are these. So every other pair of the cycle has at least its lead. A pair on which two
    people or more agree is doubted only if every other pair of its cycle has as large a lead. In a cycle of
    equal leads, the pair that is left out is one that `ideal` puts the other way round.
    GRADES: the grade of the item that it prefers is lower than the other's by more than half of `span`.
    FAST: it was in view for less than the least time.
    FAILED: its assessor is one of `failing`.

    A tie can only be too fast, or of somebody who fails. Time grows with the votes, and with the edges times
    the items.
    """
    # People who answered about each pair, and of these who prefers one item of it to the other.
    people: dict[Pair, set[int]] = defaultdict(set)
    prefer: dict[Pair, set[int]] = defaultdict(set)
    said: dict[tuple[int, Pair], set[Pair]] = defaultdict(set)
    for vote in votes:
        people[_pair(vote)].add(vote.assessor)
        if vote.lean:
            prefer[vote.order].add(vote.assessor)
    for vote in (*votes, *again):
        if vote.lean:
            said[vote.assessor, _pair(vote)].add(vote.order)
    cycles, graded, taken = closing(_edges(votes, ideal)), grades or {}, times or {}
    best: dict[int, Doubt] = {}
    for vote in votes:
        pair, order = _pair(vote), vote.order
        others, with_it, against = (
            len(own) - (vote.assessor in own)
            for own in (people[pair], prefer.get(order, ()), prefer.get(order[::-1], ()))
        )
        # Grades that are not there compare with nothing.
        gap = (graded.get(order[0], nan), graded.get(order[1], nan))
        lower = span > 0 and gap[1] - gap[0] > span / 2
        seconds, least = taken.get(vote.judgment, UNTIMED)
        definite = vote.lean != 0
        # In the order of REASONS.
        holds = (
            definite and not with_it and against >= OTHERS,
            definite and len(said[vote.assessor, pair]) > 1,
            definite and order in cycles,
            definite and lower,
            seconds is not None and seconds < least,
            vote.assessor in failing,
        )
        if not any(holds):
            continue
        doubt = Doubt(
            vote.judgment,
            vote.assessor,
            *order,
            tie=not definite,
            reasons=tuple(compress(REASONS, holds)),
            others=others,
            against=against,
            cycle=cycles.get(order, ()),
            grades=gap if lower else None,
            seconds=seconds,
            least=least,
        )
        if vote.judgment not in best or doubt.rank < best[vote.judgment].rank:
            best[vote.judgment] = doubt
    return sorted(best.values(), key=lambda one: one.rank)


def _pair(vote: Vote) -> Pair:
    return (vote.first, vote.second) if vote.first < vote.second else (vote.second, vote.first)


def _edges(votes: Iterable[Vote], ideal: Sequence[int]) -> list[Pair]:
    """What most answers say of each pair, as (preferred, other), in the order in which pairs are taken."""
    rank = {item: number for number, item in enumerate(ideal)}
    leads: Counter[Pair] = Counter()
    first: dict[Pair, int] = {}
    for place, vote in enumerate(votes):
        if vote.lean:
            preferred, other = vote.order
            leads[preferred, other] += 1
            leads[other, preferred] -= 1
            first.setdefault((preferred, other), place)
    edges = [edge for edge, lead in leads.items() if lead > 0]

    def place_of(edge: Pair) -> tuple[int, bool, int]:
        against = rank.get(edge[0], 0) > rank.get(edge[1], 0)
        return (-leads[edge], against, first[edge])

    return sorted(edges, key=place_of)


def closing(edges: Iterable[Pair]) -> dict[Pair, tuple[int, ...]]:
    """Take edges one by one, and leave out each that would close a cycle with those taken: with the shortest
    way by these from its end back to its start.
    """
    bit: dict[int, int] = {}
    below: dict[int, int] = {}  # by item, the bits of all items that edges lead to from it
    after: dict[int, list[int]] = defaultdict(list)
    left_out: dict[Pair, tuple[int, ...]] = {}
    for start, end in edges:
        for item in (start, end):
            if item not in bit:
                bit[item], below[item] = 1 << len(bit), 0
        if below[end] & bit[start]:
            left_out[start, end] = _way(after, end, start)
            continue
        after[start].append(end)
        found = below[end] | bit[end]
        for item, reached in below.items():
            if item == start or reached & bit[start]:
                below[item] = reached | found
    return left_out


def _way(after: Mapping[int, Sequence[int]], start: int, end: int) -> tuple[int, ...]:
    came = {start: start}
    waiting = deque([start])
    while end not in came:
        item = waiting.popleft()
        for following in after.get(item, ()):
            if following not in came:
                came[following] = item
                waiting.append(following)
    way = [end]
    while way[-1] != start:
        way.append(came[way[-1]])
    return tuple(reversed(way))
