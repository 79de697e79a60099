"""Figures of aspects, claims and reasons: shares, agreement, weights in the answer, counts of reasons.

Pure functions without Django, for `child_process.call`.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from prefir.measures import AspectWeights, WinShares


class SaidOfPair(NamedTuple):
    """An answer about two items of a topic, by their place among its rows, in one order for all.

    leans: of the answer itself and then of each aspect, above 0 for the first; None where nothing was said.
    reasons: by number. claims: of the first item and of the second, for each in turn 1 for supported, -1 for
    not, 0 for cannot tell, None for skipped; or empty.
    """

    first: int
    second: int
    assessor: int
    leans: tuple[int | None, ...]
    reasons: tuple[int, ...]
    claims: tuple[tuple[int | None, ...], ...] = ()


class SaidOfTopic(NamedTuple):
    """The answers on a topic. has: (items, runs), whether an item is among the first of a run."""

    has: "NDArray[np.bool_]"
    answers: Sequence[SaidOfPair]


class AspectAgreement(NamedTuple):
    """Agreement on pairs or claims that two people or more answered; None without such a pair.

    raw: share of pairs of people who say the same. alpha: Krippendorff's, nominal, each pair counted both
    ways round.
    """

    questions: int
    raw: float | None
    alpha: float | None


@dataclass(frozen=True)
class ClaimFigures:
    """Figures of claims. shares: by run, of the marks that decide, those that say supported. marks: how often
    a claim was marked in any way. claims, unsure: (runs,), how many claims of a run were marked, and how many
    marks of these cannot tell.
    """

    shares: "WinShares"
    marks: int
    claims: "NDArray[np.int64]"
    unsure: "NDArray[np.int64]"
    agreement: AspectAgreement


@dataclass(frozen=True)
class AspectFigures:
    """Figures of the answer itself and of each aspect, in this order: shares, duels, agreements.

    duels: (1 + aspects,), how many answers told two runs apart. weights, same: of aspects alone. same: of the
    answers that prefer an item overall and in the aspect, the share that prefer the same item; None without
    any. given: how often each reason was given. won, lost: (reasons, runs), how often with an item of a run
    preferred, and with another preferred to it.
    """

    answers: int
    shares: Sequence["WinShares"]
    duels: Sequence[int]
    agreements: Sequence[AspectAgreement]
    weights: "AspectWeights"
    same: Sequence[float | None]
    given: Sequence[int]
    won: "NDArray[np.int64]"
    lost: "NDArray[np.int64]"
    support: ClaimFigures


def aspect_figures(said: Sequence[SaidOfTopic], aspects: int, reasons: int, runs: int) -> AspectFigures:
    """Compute all figures. Time and memory grow with answers x runs of one topic, and topics x runs."""
    import numpy as np

    from prefir.measures import weigh_aspects, win_shares

    won, met = np.zeros((2, 1 + aspects, len(said), runs))
    duels = np.zeros(1 + aspects, np.int64)
    counts = np.zeros((2, reasons, runs), np.int64)
    given = np.zeros(reasons, np.int64)
    leans: list[NDArray[np.float64]] = [np.empty((0, 1 + aspects))]
    topics: list[int] = []
    for number, (has, answers) in enumerate(said):
        own = np.array([one.leans for one in answers], np.float64).reshape(-1, 1 + aspects)
        own = np.sign(own)
        leans.append(own)
        topics += [number] * len(answers)
        # 1 where the run has the first item alone, -1 the second alone.
        apart = has[[one.first for one in answers]].astype(np.int64) - has[[one.second for one in answers]]
        for aspect in range(1 + aspects):
            known = ~np.isnan(own[:, aspect])
            told = apart[known]
            met[aspect, number] = np.abs(told).sum(axis=0)
            won[aspect, number] = (met[aspect, number] + own[known, aspect] @ told) / 2
            duels[aspect] += (told != 0).any(axis=1).sum()
        for one, line in zip(answers, apart * own[:, :1], strict=True):
            for reason in one.reasons:
                given[reason] += 1
                counts[0, reason] += line > 0
                counts[1, reason] += line < 0
    table = np.concatenate(leans)
    weights = weigh_aspects(np.nan_to_num(table[:, 1:]), table[:, 0], topics)
    return AspectFigures(
        len(table),
        [win_shares(*both) for both in zip(won, met, strict=True)],
        duels.tolist(),
        [_agreement(said, aspect) for aspect in range(1 + aspects)],
        weights,
        [_same(table[:, 0], table[:, 1 + aspect]) for aspect in range(aspects)],
        given.tolist(),
        counts[0],
        counts[1],
        _support(said, runs),
    )


def _support(said: Sequence[SaidOfTopic], runs: int) -> ClaimFigures:
    import numpy as np

    from prefir.measures import win_shares

    supported, decided = np.zeros((2, len(said), runs))
    claims, unsure = np.zeros((2, runs), np.int64)
    units: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    marks = 0
    for topic, (has, answers) in enumerate(said):
        marked = set()
        for one in answers:
            for item, given in zip((one.first, one.second), one.claims, strict=False):
                for number, mark in enumerate(given):
                    if mark is None:
                        continue
                    marks += 1
                    marked.add((item, number))
                    units[topic, item, number].setdefault(one.assessor, mark)
                    supported[topic] += has[item] * (mark > 0)
                    decided[topic] += has[item] * (mark != 0)
                    unsure += has[item] * (mark == 0)
        for item, _ in marked:
            claims += has[item]
    shared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    return ClaimFigures(win_shares(supported, decided), marks, claims, unsure, _agreed(shared))


def _agreement(said: Sequence[SaidOfTopic], aspect: int) -> AspectAgreement:
    from prefir.measures import both_ways

    units: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for topic, (_, answers) in enumerate(said):
        for one in answers:
            lean = one.leans[aspect]
            if lean is not None:
                pair = (topic, one.first, one.second)
                units[pair].setdefault(one.assessor, (lean > 0) - (lean < 0))
    shared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    return _agreed(shared, both_ways(shared))


def _agreed(shared: "list[list[int]]", weighed: "list[list[float | None]] | None" = None) -> AspectAgreement:
    from math import isnan

    from prefir.measures import krippendorff_alpha, raw_agreement

    figures = (raw_agreement(shared), krippendorff_alpha(shared if weighed is None else weighed))
    raw, alpha = (None if isnan(value) else value for value in figures)
    return AspectAgreement(len(shared), raw, alpha)


def _same(answer: "NDArray[np.float64]", aspect: "NDArray[np.float64]") -> float | None:
    both = answer * aspect
    decided = abs(both) > 0
    return float((both[decided] > 0).mean()) if decided.any() else None
