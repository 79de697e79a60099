"""Figures of aspects and reasons: win shares, agreement, weights in the answer, counts of reasons.

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
    reasons: by number.
    """

    first: int
    second: int
    assessor: int
    leans: tuple[int | None, ...]
    reasons: tuple[int, ...]


class SaidOfTopic(NamedTuple):
    """The answers on a topic. has: (items, runs), whether an item is among the first of a run."""

    has: "NDArray[np.bool_]"
    answers: Sequence[SaidOfPair]


class AspectAgreement(NamedTuple):
    """Agreement on pairs that two people or more answered; None without such a pair.

    raw: share of pairs of people who say the same. alpha: Krippendorff's, nominal, each pair counted both
    ways round.
    """

    questions: int
    raw: float | None
    alpha: float | None


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
    )


def _agreement(said: Sequence[SaidOfTopic], aspect: int) -> AspectAgreement:
    from math import isnan

    from prefir.measures import both_ways, krippendorff_alpha, raw_agreement

    units: dict[tuple[int, int, int], dict[int, int]] = defaultdict(dict)
    for topic, (_, answers) in enumerate(said):
        for one in answers:
            lean = one.leans[aspect]
            if lean is not None:
                pair = (topic, one.first, one.second)
                units[pair].setdefault(one.assessor, (lean > 0) - (lean < 0))
    shared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    figures = (raw_agreement(shared), krippendorff_alpha(both_ways(shared)))
    raw, alpha = (None if isnan(value) else value for value in figures)
    return AspectAgreement(len(shared), raw, alpha)


def _same(answer: "NDArray[np.float64]", aspect: "NDArray[np.float64]") -> float | None:
    both = answer * aspect
    decided = abs(both) > 0
    return float((both[decided] > 0).mean()) if decided.any() else None
