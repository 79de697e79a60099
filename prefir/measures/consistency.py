"""Consistency of assessors with themselves: position bias, repeated answers, transitivity."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isnan

import numpy as np

from .agreement import Judgment, refuse_bad, sign, whole
from .measure import Inputs, measure
from .rbo import ABSENT
from .significance import binomial_p
from .sources import XIE


@dataclass(frozen=True, slots=True)
class PositionBias:
    """Counts of the choices by side; `share` is left's share of those that are not ties, nan if all are.

    p_value: exact two-sided binomial test of `share` against 1/2; 1 without a choice.
    """

    left: int
    right: int
    ties: int
    share: float
    p_value: float


@measure(
    name="position_bias",
    title="Position bias",
    inputs=Inputs.CHOICES,
    source="share of left wins",
    value=lambda found: found.share,
)
def position_bias(choices: Iterable[float]) -> PositionBias:
    """Test whether assessors favour a side; choices are below 0 for left, 0 for a tie, above 0 for right.

    The test assumes that sides were drawn at random for each question. Ties are counted but not tested.
    Raises ValueError for a choice that is not a number. Time grows with the number of choices.
    """
    sides = [0, 0, 0]
    for choice in choices:
        if isnan(choice):
            raise ValueError("a choice is not a number")
        sides[1 + sign(choice)] += 1
    left, ties, right = sides
    won = left + right
    return PositionBias(left, right, ties, left / won if won else ABSENT, binomial_p(left, won))


@dataclass(frozen=True, slots=True)
class RepeatConsistency:
    """Counts of pairs that one assessor answered more than once, and of those answered the same each time.

    repeated, same: of all such pairs; swapped_repeated, swapped_same: of those shown both ways round.
    share, swapped_share: same / repeated, `ABSENT` (nan) where nothing was repeated.
    """

    repeated: int
    same: int
    swapped_repeated: int
    swapped_same: int

    @property
    def share(self) -> float:
        """Share of the repeated questions that were answered the same each time."""
        return self.same / self.repeated if self.repeated else ABSENT

    @property
    def swapped_share(self) -> float:
        """Share of those shown both ways round that were answered the same each time."""
        return self.swapped_same / self.swapped_repeated if self.swapped_repeated else ABSENT


@measure(
    name="repeat_consistency",
    title="Consistency on repeats",
    inputs=Inputs.JUDGMENTS,
    source="share of repeated pairs answered the same",
    value=lambda found: found.share,
)
def repeat_consistency(judgments: Iterable[Judgment], *, merge: bool = False) -> RepeatConsistency:
    """Count how often assessors give a repeated question the same answer, with its sides swapped or not.

    A question is a pair of a topic's items shown to one assessor. It counts once however often it was
    shown, and as the same only if all its answers are. merge: compare the side only, not the strength.
    Raises ValueError as `label_units` does. Time grows with the number of judgments.
    """
    answers: dict[tuple[str, str, str, str], list[tuple[float, bool]]] = {}
    for judgment in judgments:
        topic, left, right, choice, assessor = judgment
        refuse_bad(judgment)
        swapped = left > right
        label = sign(choice) if merge else choice
        question = (assessor, topic, min(left, right), max(left, right))
        answers.setdefault(question, []).append((-label if swapped else label, swapped))
    counts = [0, 0, 0, 0]
    for given in answers.values():
        if len(given) < 2:
            continue
        same = len({label for label, _ in given}) == 1
        both_ways = len({swapped for _, swapped in given}) == 2
        for place, holds in enumerate((True, same, both_ways, both_ways and same)):
            counts[place] += holds
    return RepeatConsistency(*counts)


@dataclass(frozen=True, slots=True)
class Transitivity:
    """Counts of triples of items whose three pairs are all judged: (transitive, all), by their ties.

    asym: no tie; s2a: one; s2s: two or three. Counts of several topics add up: `a + b`.
    """

    asym: tuple[int, int] = (0, 0)
    s2a: tuple[int, int] = (0, 0)
    s2s: tuple[int, int] = (0, 0)

    def share(self, kind: str = "all") -> float:
        """Share of the triples of a kind that are transitive; `ABSENT` (nan) where there are none."""
        kinds = {"asym": [self.asym], "s2a": [self.s2a], "s2s": [self.s2s]}
        kinds["all"] = [self.asym, self.s2a, self.s2s]
        if kind not in kinds:
            raise ValueError(f"there is no kind {kind!r} of triple; there are {', '.join(kinds)}")
        transitive = sum(some for some, _ in kinds[kind])
        triples = sum(every for _, every in kinds[kind])
        return transitive / triples if triples else ABSENT

    def __add__(self, other: "Transitivity") -> "Transitivity":
        a, b, c = (
            (mine[0] + theirs[0], mine[1] + theirs[1])
            for mine, theirs in (
                (self.asym, other.asym),
                (self.s2a, other.s2a),
                (self.s2s, other.s2s),
            )
        )
        return Transitivity(a, b, c)


@measure(
    name="transitivity",
    title="Transitivity",
    inputs=Inputs.PREFERENCES,
    source=f"{XIE}, 3.3",
    value=lambda found: found.share(),
)
def transitivity(preferences: Mapping[tuple[str, str], float]) -> Transitivity:
    """Count the transitive triples among one topic's items, from the majority answer of each pair.

    preferences: (left, right) -> below 0, 0 or above 0, as `majority_preferences` returns it. Triples with
    an unjudged pair do not count. Without a tie a triple is transitive if it is not a cycle; with one tie,
    if the third item beats both tied ones or loses to both; with two never; with three always.
    Raises ValueError for an item compared with itself, a pair that stands there both ways with different
    answers, and an answer that is not a number. Topics add up: `sum(each, Transitivity())`.
    Memory grows with the square of the items, time with their cube (products of matrices).
    Source: Xie et al., SIGIR 2020, 3.3, after Hui & Berberich, ECIR 2017.
    """
    docnos = sorted({item for pair in preferences for item in pair})
    number = {docno: i for i, docno in enumerate(docnos)}
    wins = np.zeros((len(docnos), len(docnos)))
    ties = np.zeros_like(wins)
    for (left, right), answer in preferences.items():
        if left == right:
            raise ValueError(f"{left!r} cannot be compared with itself")
        if isnan(answer):
            raise ValueError(f"the answer to {left!r} against {right!r} is not a number")
        turned = preferences.get((right, left))
        if turned is not None and sign(turned) != -sign(answer):
            raise ValueError(f"the answers to {left!r} against {right!r} differ by which stands first")
        a, b = number[left], number[right]
        if answer:
            wins[(a, b) if answer < 0 else (b, a)] = 1
        else:
            ties[a, b] = ties[b, a] = 1
    decided = wins + wins.T
    # Each entry of a product counts the third items; a triangle is met six times, a cycle three times.
    strict = whole(np.sum(decided * (decided @ decided)) / 6)
    cycles = whole(np.sum(wins.T * (wins @ wins)) / 3)
    one_tie = whole(np.sum(ties * (decided @ decided)) / 2)
    one_side = whole(np.sum(ties * (wins @ wins.T + wins.T @ wins)) / 2)
    two_ties = whole(np.sum(decided * (ties @ ties)) / 2)
    all_ties = whole(np.sum(ties * (ties @ ties)) / 6)
    return Transitivity((strict - cycles, strict), (one_side, one_tie), (all_ties, all_ties + two_ties))
