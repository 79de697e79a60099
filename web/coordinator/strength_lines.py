"""Strengths of runs that meet directly, in lines and words: for the pages that show them."""

from dataclasses import dataclass
from math import isfinite, isinf, isnan
from typing import TYPE_CHECKING

from collection.models.study import Words
from scoring.analysis.head_to_head import Duels, Tally
from web.coordinator.difference_axis import DifferenceAxis
from web.shared.phrases import count, listed

if TYPE_CHECKING:
    from prefir.measures import Strengths

# Columns of the matrix of chances; nobody reads more.
MATRIX = 20
# The chance between runs that are equally strong, and its step.
HALF, MIDDLE = 0.5, 5
# Decimals that an end of an interval beside 50 may have.
MOST_DIGITS = 4
# Strengths that differ by less are equal.
EQUAL = 1e-6


@dataclass(frozen=True)
class StrengthLine:
    """A run's line: strength, interval, duels and their record, and chances against the runs of the matrix.

    group: the heading of its group, for the group's first run, else "". mark, start, length: of strength and
    interval on the axis (`strength_axis`).
    """

    run: int
    name: str
    group: str
    strength: str
    ends: str
    mark: str
    start: str
    length: str
    duels: str
    record: str
    chances: list["Chance"]


@dataclass(frozen=True)
class Chance:
    """A run's chance against another, in words; step: from 0 (it always loses) to 10, -1 where unknown.

    ends: of its interval, of 100 duels, "" without one; unsure: neither of the two is surely above.
    met: the judgments between the two, None if there are none. other: the id of the other run, 0 for its own.
    """

    said: str
    other: int = 0
    step: int = -1
    ends: str = ""
    unsure: bool = False
    met: Tally | None = None

    @property
    def title(self) -> str:
        """Interval and record of the two, in words."""
        ends = self.ends and f"95 % interval: {self.ends}"
        met = self.met and f"where they met: {self.met.won} won, {self.met.lost} lost, {self.met.tied} tied"
        return "; ".join(filter(None, (ends, met)))


def answer(found: Duels, names: list[str], words: Words) -> tuple[str, str]:
    """Return in two texts which run is the strongest and how surely; for several groups, for each group."""
    own = found.strengths
    alone = [names[i] for i, one in enumerate(own.statuses) if one == "met nobody"]
    left = f" {listed(alone)} met nobody." if alone else ""
    if not own.tops:
        why = f"Two {words.runs} meet where a judgment is between their answers."
        return f"No two {words.runs} have met yet.", why
    if len(own.tops) == 1:
        said, why = _best(found, names, own.tops[0])
        return said, f"{why} After {judgments_met(found, words)}.{left}"
    parts = " ".join(_best(found, names, top)[0] for top in own.tops)
    said = (
        f"The {words.runs} form {len(own.tops)} groups that never met, so that none is the strongest of all."
    )
    return said, f"{parts} After {judgments_met(found, words)}.{left}"


def judgments_met(found: Duels, words: Words) -> str:
    """Return the number of judgments that are duels, and of the topics that they are on, in words."""
    return f"{count(found.judgments, 'judgment')} on {count(found.strengths.topics, words.topic)}"


def _best(found: Duels, names: list[str], top: list[int]) -> tuple[str, str]:
    """Return in two sentences which run of a group is the strongest, and its chance against the next."""
    own, best = found.strengths, top[0]
    if len(top) > 1:
        said = f"It is not known which of {listed([names[i] for i in top])} is the strongest."
        return said, "None of them is above another by duels that were won."
    group = [i for i in own.order if own.groups[i] == own.groups[best]]
    second = group[1]
    won, _, tied = own.records[best]
    if own.statuses[best] == "won all":
        every = f"won all of its {_number(won)} duels" if not tied else "lost none of its duels"
        said = f"{names[best]} {every}, so its strength has no upper end."
        low = float(own.lows[best])
        if isinf(low):
            return said, "There are too few duels among the others to say how far it is ahead at least."
        return said, f"{names[second]} comes next."
    if abs(float(own.strengths[best] - own.strengths[second])) < EQUAL:
        alike = [names[i] for i in group if abs(float(own.strengths[best] - own.strengths[i])) < EQUAL]
        return f"{listed(alike)} are equally strong so far.", "None is preferred to another of them."
    how = "is the strongest" if is_surely_best(own, best) else "has the highest strength, but not surely"
    said = f"{names[best]} {how}."
    return said, _against_next(found, best, second, names[second])


def _against_next(found: Duels, best: int, second: int, name: str) -> str:
    """Return in a sentence how often the strongest run would be preferred to the next, with the interval of
    the difference of the two, and how often it was where they met.
    """
    own = found.strengths
    duels = f"By all judgments together, it would be preferred to {name} in "
    duels += f"{100 * own.chance(best, second):.0f} of 100 duels"
    low, high = own.chance_ends(best, second)
    ends = "" if isnan(low) else f" (95 % interval: {chance_ends(low, high)})"
    met = _met(found, best, second)
    if met is None:
        # Where no tallies are at hand, whether the two met is not known.
        apart = ", although no judgment is between the two" if found.tallies else ""
        return f"{duels}{ends}{apart}."
    return f"{duels}{ends}; where they met, it won {met.won:,}, lost {met.lost:,} and tied {met.tied:,}."


def _met(found: Duels, first: int, other: int) -> Tally | None:
    """Return the judgments between two runs by their places; None if there are none."""
    tally = found.tally(found.runs[first], found.runs[other])
    return tally if any(tally) else None


def is_surely_best(own: "Strengths", best: int) -> bool:
    """Return True if a run is surely above each other of its group."""
    others = (i for i in own.order if own.groups[i] == own.groups[best] and i != best)
    return all(_surely_above(own, best, i) for i in others)


def _surely_above(own: "Strengths", first: int, other: int) -> bool:
    """Return True if the interval of the difference of two runs is above 0.

    Of a run that won or lost all there is the end of its own interval, which takes the others' strengths as
    they are: it is held against the strength of the other, or against its end.
    """
    if own.above[first, other]:
        won, lost = own.statuses[first] == "won all", own.statuses[other] == "lost all"
        least = own.lows[first] if won else own.strengths[first]
        most = own.highs[other] if lost else own.strengths[other]
        return (won or lost) and bool(least > most)
    return not isnan(own.gaps[first, other]) and own.chance_ends(first, other)[0] > HALF


def chance_ends(low: float, high: float) -> str:
    """Return the interval of a chance, of 100 duels.

    An end beside 50 has as many decimals as tell it from 50, so that what is read agrees with what is sure.
    """
    return f"{_end_of_chance(low)} to {_end_of_chance(high)}"


def _end_of_chance(end: float) -> str:
    said = (f"{100 * end:.{digits}f}" for digits in range(MOST_DIGITS))
    return next((one for one in said if float(one) != 100 * HALF), f"{100 * HALF:.0f}")


def _number(value: float) -> str:
    """Format a number of duels; it has a fraction if judgments are shared among pairs of runs."""
    return f"{value:,.1f}".removesuffix(".0")


def signed_strength(value: float) -> str:
    return f"{value:+.2f}".replace("-", "\u2212")


def interval_ends(low: float, high: float) -> str:
    """Return an interval in words; an infinite end is open."""
    if isnan(low):
        return ""
    if isinf(low) or isinf(high):
        if isinf(low) and isinf(high):
            return "open at both ends"
        return f"{signed_strength(high)} or less" if isinf(low) else f"{signed_strength(low)} or more"
    return f"{signed_strength(low)} to {signed_strength(high)}"


def strength_axis(*boards: "Strengths") -> DifferenceAxis:
    """Return the axis of all strengths of some boards, with their intervals."""
    ends = (end for own in boards for end in (own.strengths, own.lows, own.highs))
    return DifferenceAxis.of(float(value) for end in ends for value in end)


def strength_lines(found: Duels, names: list[str]) -> list[StrengthLine]:
    own = found.strengths
    order = own.order
    axis = strength_axis(own)
    lines, groups = [], set()
    for i in order:
        strength, low, high = (float(end[i]) for end in (own.strengths, own.lows, own.highs))
        group = int(own.groups[i])
        begins = len(own.tops) > 1 and group not in groups
        groups.add(group)
        lines.append(
            StrengthLine(
                found.runs[i],
                names[i],
                _head(own, group) if begins else "",
                signed_strength(strength) if isfinite(strength) else str(own.statuses[i]),
                interval_ends(low, high),
                axis.mark(strength),
                *axis.bar(low, high),
                f"{round(sum(own.records[i])):,}",
                " : ".join(map(_number, own.records[i][: 3 if own.records[:, 2].any() else 2])),
                [Chance("") if j == i else _chance(found, i, j) for j in order[:MATRIX]],
            )
        )
    return lines


def _head(own: "Strengths", group: int) -> str:
    if group < 0:
        return "Met nobody"
    return f"Group {group + 1} of {len(own.tops)}: met each other, and nobody of another group"


def _chance(found: Duels, first: int, other: int) -> Chance:
    own, met, run = found.strengths, _met(found, first, other), found.runs[other]
    better, worse = _surely_above(own, first, other), _surely_above(own, other, first)
    unsure = not (better or worse)
    if own.above[first, other]:
        return Chance("all", run, 10, unsure=unsure, met=met)
    if own.above[other, first]:
        return Chance("none", run, 0, unsure=unsure, met=met)
    chance = own.chance(first, other)
    if isnan(chance):
        return Chance("–", run, met=met)
    low, high = own.chance_ends(first, other)
    ends = "" if isnan(low) else chance_ends(low, high)
    step = round(10 * chance)
    step = max(step, MIDDLE + 1) if better else min(step, MIDDLE - 1) if worse else step
    return Chance(f"{100 * chance:.0f}", run, step, ends, unsure, met)
