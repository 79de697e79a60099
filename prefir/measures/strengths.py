"""Bradley-Terry strengths of systems that meet directly, with ties, and their intervals over topics."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .effectiveness import depth_of
from .graph import PreferenceGraph
from .rbo import int_rows

Values = NDArray[np.float64]
Counts = NDArray[np.float64]

STEPS = 100
# Where the largest step of Newton's method, in units of log strength, is below it, it has arrived.
CLOSE = 1e-12
FARTHEST = 2.0


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths of systems on the scale of natural logarithms, of mean 0; arrays are (systems,).

    strengths: nan for systems that cannot be placed: that met nobody, never won, or never lost against the
    others. lows, highs: the interval's ends; nan below two topics. tie: Davidson's ν: between equals a
    tie is ν times as likely as a win of the first; 0 where nothing was tied. duels: how many (a tie is one).
    """

    strengths: Values
    lows: Values
    highs: Values
    tie: float
    duels: float

    def chance(self, first: int, second: int) -> float:
        """Chance that the first system is preferred to the second, a tie counting as half; nan if unknown."""
        half = np.exp((self.strengths[first] - self.strengths[second]) / 2)
        return float((half + self.tie / 2) / (half + 1 / half + self.tie))


def bradley_terry(
    duels: ArrayLike, systems: int, *, level: float = 0.95, resamples: int = 200, seed: int = 0
) -> Strengths:
    """Bradley-Terry strengths with ties, by maximum likelihood; intervals by a bootstrap of topics.

    duels: (n, 6) of topic, first, second, wins of the first, wins of the second, ties; topics and systems are
    whole numbers from 0, systems below `systems`, counts at least 0 and not necessarily whole.
    P(first preferred) = π1 / (π1 + π2 + ν sqrt(π1 π2)), P(tie) = ν sqrt(π1 π2) / (the same), after Davidson;
    without ties this is Bradley and Terry's model. The likelihood has a maximum where each system can be
    reached from each other by wins, ties left aside; the largest set of systems of which this is so is
    placed, the others are nan. Resamples in which a system is not placed leave it out. level in (0, 1);
    resamples 0: no intervals; equal seeds give equal results.
    Raises ValueError for a system against itself, or a number out of its range.
    Sources: Bradley & Terry, Biometrika 39, 1952; Davidson, JASA 65(329), 1970; where there is a maximum:
    Ford, American Mathematical Monthly 64(8), 1957.
    Time grows with resamples x (distinct pairs + systems cubed), memory with duels + systems squared.
    """
    table = np.asarray(duels, dtype=np.float64).reshape(-1, 6) if np.size(duels) else np.empty((0, 6))
    _check(table, systems, level, resamples)
    pairs, of_topic = _by_pair(table, systems)
    strengths, tie = _fitted(pairs, of_topic.sum(axis=0).reshape(-1, 3), systems)
    lows, highs = np.full(systems, np.nan), np.full(systems, np.nan)
    if of_topic.shape[0] > 1 and resamples:
        drawn = np.array(list(_resampled(pairs, of_topic, systems, resamples, seed)))
        known = ~np.isnan(drawn).all(axis=0) & ~np.isnan(strengths)
        tails = [(1 - level) / 2, (1 + level) / 2]
        if known.any():
            lows[known], highs[known] = np.nanquantile(drawn[:, known], tails, axis=0)
    return Strengths(strengths, lows, highs, tie, float(table[:, 3:].sum()))


def duels_of(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """Duels of systems on one topic: a judgment is one for each two systems of which each has one of its two
    items among its first k, and not the other.

    rows: int (systems, ranks), rankings of the graph's nodes by their place in `graph.nodes`, -1 for other
    items and after a list's end. Returns (n, 5): first, second, wins of the first, of the second, ties, of
    each two systems that met, the smaller first: with the topic before them, rows of `bradley_terry`.
    Raises ValueError where k is below 1. Time grows with distinct judged pairs x systems squared.
    """
    table = int_rows(rows)
    docnos, source, target, times = graph.numbered()
    number = {docno: place for place, docno in enumerate(docnos)}
    top = table[:, : depth_of(table.shape[1], k)]
    # The last column takes all the items that are no nodes.
    among = np.zeros((len(table), len(docnos) + 1), np.bool_)
    np.put_along_axis(among, np.where(top < 0, len(docnos), top).astype(np.int64), True, axis=1)
    wins = _met(among, source, target, times)
    tied = np.array([(number[a], number[b], n) for a, b, n in graph.ties()], np.int64).reshape(-1, 3)
    ties = _met(among, *tied.T)
    ties = ties + ties.T
    first, second = np.triu_indices(len(table), 1)
    found = np.column_stack([first, second, wins[first, second], wins[second, first], ties[first, second]])
    met: Values = found[found[:, 2:].sum(axis=1) > 0]
    return met


def _met(
    among: NDArray[np.bool_],
    preferred: NDArray[np.integer],
    other: NDArray[np.integer],
    times: NDArray[np.integer],
) -> Values:
    """How often the one system had the preferred item of a judgment alone, and the other system the other."""
    own = (among[:, preferred] & ~among[:, other]).astype(np.float64)
    theirs = (among[:, other] & ~among[:, preferred]).astype(np.float64)
    return (own * times) @ theirs.T


def _check(table: Counts, systems: int, level: float, resamples: int) -> None:
    if not 0 < level < 1 or resamples < 0 or systems < 0:
        raise ValueError(f"level {level} must be between 0 and 1; resamples and systems are at least 0")
    if not np.isfinite(table).all() or (table < 0).any() or (table[:, :3] % 1).any():
        raise ValueError("duels must be finite numbers of at least 0; topics and systems whole ones")
    if (table[:, 1:3] >= systems).any():
        raise ValueError(f"duels name a system that is not below {systems}")
    if (table[:, 1] == table[:, 2]).any():
        raise ValueError("a system cannot meet itself")


def _by_pair(table: Counts, systems: int) -> tuple[NDArray[np.int64], Any]:
    """Distinct pairs (pairs, 2), the smaller system first, and their counts, sparse: (topics, 3 pairs)."""
    from scipy.sparse import csr_array

    turned = table[:, 1] > table[:, 2]
    ordered = np.where(turned[:, None], table[:, [0, 2, 1, 4, 3, 5]], table)
    codes = (ordered[:, 1] * systems + ordered[:, 2]).astype(np.int64)
    distinct, place = np.unique(codes, return_inverse=True)
    topics, topic = np.unique(ordered[:, 0], return_inverse=True)
    columns = (3 * place[:, None] + np.arange(3)).ravel()
    entries = (ordered[:, 3:].ravel(), (topic.repeat(3), columns))
    counts = csr_array(entries, shape=(len(topics), 3 * len(distinct)))  # adds up what is there twice
    return np.column_stack([distinct // max(systems, 1), distinct % max(systems, 1)]), counts


def _resampled(
    pairs: NDArray[np.int64], of_topic: Any, systems: int, resamples: int, seed: int
) -> Iterator[Values]:
    """Strengths in each resample of the topics."""
    chooser = np.random.default_rng(seed)
    topics = of_topic.shape[0]
    for _ in range(resamples):
        times = np.bincount(chooser.integers(topics, size=topics), minlength=topics)
        yield _fitted(pairs, (times @ of_topic).reshape(-1, 3), systems)[0]


def _fitted(pairs: NDArray[np.int64], counts: Counts, systems: int) -> tuple[Values, float]:
    """Strengths of the systems that can be placed, nan for the others, and ν."""
    placed = _placed(pairs, counts, systems)
    strengths = np.full(systems, np.nan)
    if len(placed) < 2:
        return strengths, 0.0
    number = np.full(systems, -1)
    number[placed] = np.arange(len(placed))
    among = number[pairs]
    inside = (among >= 0).all(axis=1) & (counts.sum(axis=1) > 0)
    found, tie = _maximum(among[inside], counts[inside], len(placed))
    strengths[placed] = found - found.mean()
    return strengths, tie


def _placed(pairs: NDArray[np.int64], counts: Counts, systems: int) -> NDArray[np.intp]:
    """Systems of the largest set in which each is reached from each other by wins; two at least, or none."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    # A tie is no way back: one win and one tie are the likelier the farther apart the two systems are.
    forth, back = counts[:, 0] > 0, counts[:, 1] > 0
    source = np.concatenate([pairs[forth, 0], pairs[back, 1]])
    target = np.concatenate([pairs[forth, 1], pairs[back, 0]])
    graph = csr_array((np.ones(len(source)), (source, target)), shape=(systems, systems))
    _, label = connected_components(graph, connection="strong")
    sizes = np.bincount(label, minlength=1)
    return np.flatnonzero(label == sizes.argmax()) if sizes.max(initial=0) > 1 else np.empty(0, np.intp)


def _maximum(pairs: NDArray[np.int64], counts: Counts, systems: int) -> tuple[Values, float]:
    """Newton's method on the log likelihood, which is concave in log strengths and log ν."""
    one, other = pairs.T
    wins, losses, ties = counts.T
    total = counts.sum(axis=1)
    tied = bool(ties.sum() > 0)
    strengths, log_tie = np.zeros(systems), 0.0
    size = systems + tied
    for _ in range(STEPS):
        half = (strengths[one] - strengths[other]) / 2
        logs = np.stack([half, -half, np.full_like(half, log_tie if tied else -np.inf)])
        chances = np.exp(logs - np.logaddexp.reduce(logs, axis=0))
        # Of each duel: how far it is from what is expected, and how its two chances vary together.
        slope = (wins - losses) / 2 - total * (chances[0] - chances[1]) / 2
        gradient = np.zeros(size)
        np.add.at(gradient, one, slope)
        np.add.at(gradient, other, -slope)
        spread = total * (chances[0] + chances[1] - (chances[0] - chances[1]) ** 2) / 4
        curve = np.zeros((size, size))
        np.add.at(curve, (one, one), spread)
        np.add.at(curve, (other, other), spread)
        np.add.at(curve, (one, other), -spread)
        np.add.at(curve, (other, one), -spread)
        if tied:
            gradient[-1] = (ties - total * chances[2]).sum()
            curve[-1, -1] = (total * chances[2] * (1 - chances[2])).sum()
            both = -total * chances[2] * (chances[0] - chances[1]) / 2
            np.add.at(curve[-1], one, both)
            np.add.at(curve[-1], other, -both)
            curve[:-1, -1] = curve[-1, :-1]
        # Only differences of strengths matter: this holds their mean at 0.
        curve[:systems, :systems] += 1.0
        step = np.linalg.solve(curve, gradient)
        # The first steps may be too long where a system is far from the others.
        step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
        strengths = strengths + step[:systems]
        if tied:
            log_tie += step[-1]
        if np.abs(step).max() < CLOSE:
            break
    return strengths, float(np.exp(log_tie)) if tied else 0.0
