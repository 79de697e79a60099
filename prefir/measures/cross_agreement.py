"""Agreement of two sets of votes on the same pairs: share, Cohen's kappa, and their intervals over topics."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CrossAgreement:
    """Agreement of earlier and later votes on pairs of items.

    pairs: how many have both. table: (3, 3), pairs by earlier and later outcome (won, tied, lost), each pair
    from both sides, in equal parts. share: of pairs, those with the same outcome; kappa: Cohen's, None where
    agreement by chance is 1. lows and highs: ends of intervals; None below two topics.
    """

    pairs: int
    table: Values
    share: float | None
    share_low: float | None
    share_high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None


def cross_agreement(
    earlier: ArrayLike,
    later: ArrayLike,
    topics: ArrayLike,
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> CrossAgreement:
    """Compare the votes that each pair had earlier with those that it had later.

    earlier, later: (pairs, 3), votes for the first item, ties, votes for the second; at least one each.
    topics: (pairs,), of each pair. Every pair counts as one: of several votes, each earlier one is compared
    with each later one, in equal parts. Which item is first does not matter. Intervals are percentiles of a
    bootstrap over topics.
    Raises ValueError where a pair has no vote of one kind, or the arrays do not fit.
    Sources: Cohen, Educational and Psychological Measurement 20(1), 1960; Efron & Tibshirani, An Introduction
    to the Bootstrap, 1993, 13.3. Time and memory grow with pairs, and with topics x resamples.
    """
    one, other = (np.asarray(given, np.float64).reshape(-1, 3) for given in (earlier, later))
    names, topic = np.unique(np.asarray(topics), return_inverse=True)
    if len(one) != len(other) or len(topic) != len(one) or (one < 0).any() or (other < 0).any():
        raise ValueError("each pair has three counts of either kind, of at least 0, and a topic")
    totals = one.sum(axis=1), other.sum(axis=1)
    if (totals[0] <= 0).any() or (totals[1] <= 0).any():
        raise ValueError("each pair has a vote of either kind")
    cells = (one / totals[0][:, None])[:, :, None] * (other / totals[1][:, None])[:, None, :]
    # Won and lost are the same vote, seen from the other item.
    cells = (cells + cells[:, ::-1, ::-1]) / 2
    by_topic = np.zeros((len(names), 3, 3))
    np.add.at(by_topic, topic, cells)
    table = by_topic.sum(axis=0)
    share, kappa = (found[0] for found in _figures(table[None]))
    ends: list[float | None] = [None] * 4
    if len(names) > 1 and resamples:
        random = np.random.default_rng(seed)
        times = random.multinomial(len(names), np.full(len(names), 1 / len(names)), size=resamples)
        drawn = _figures((times @ by_topic.reshape(len(names), 9)).reshape(-1, 3, 3))
        tails = [(1 - level) / 2, (1 + level) / 2]
        ends = [_known(end) for found in drawn for end in _quantiles(found, tails)]
    return CrossAgreement(len(one), table, _known(share), ends[0], ends[1], _known(kappa), ends[2], ends[3])


def _figures(tables: Values) -> tuple[Values, Values]:
    """The share and the kappa of each table (n, 3, 3); nan where undefined."""
    total = tables.sum(axis=(1, 2))
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.trace(tables, axis1=1, axis2=2) / total
        chance = (tables.sum(axis=2) * tables.sum(axis=1)).sum(axis=1) / total**2
        kappa = np.where(chance < 1 - 1e-12, (share - chance) / (1 - chance), np.nan)
    return share, kappa


def _quantiles(found: Values, tails: list[float]) -> list[float]:
    known = found[~np.isnan(found)]
    return np.quantile(known, tails).tolist() if len(known) else [float("nan")] * 2


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
