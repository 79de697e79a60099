"""Bradley-Terry strengths of systems that meet directly, with ties, and their intervals over topics."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .connectedness import Connections, Fit, connect
from .distributions import find_root, student_quantile
from .duel_likelihood import maximum, moves
from .effectiveness import depth_of
from .graph import PreferenceGraph
from .rbo import int_rows
from .tie_models import MODELS, Ties
from .topic_counts import TopicCounts

Values = NDArray[np.float64]
Counts = NDArray[np.float64]

OPEN = {Fit.WON_ALL: np.inf, Fit.LOST_ALL: -np.inf}
# Below such a share of what two systems are moved their difference is not moved at all.
ALIKE = 1e-13
# Log strengths between which the end of a half-open interval is looked for.
FARTHEST_END = 100.0


@dataclass(frozen=True, slots=True)
class Strengths:
    """Strengths of systems on the scale of natural logarithms; arrays are (systems,) unless said.

    strengths: of mean 0 in each set of systems that can be compared. inf for a system that won all, -inf for
    one that lost all, nan where nothing can be said: `statuses` says why.
    lows, highs: the interval's ends. -inf or inf where it is open at that end; nan for fitted systems below
    two topics, and for those that met nobody.
    tie: Davidson's ν: between equals a tie is ν times as likely as a win of the first. Of Rao and Kupper's
    model log θ. 0 where nothing was tied, inf where nothing bounds it. duels: how many (a tie is one).
    gaps: (systems, systems), half the width of the interval of each difference of strengths; nan but for two
    fitted systems of one set. It decides between two systems; their own intervals may overlap all the same.
    statuses, groups, sets, above: as in `Connections`; strengths compare systems of one set alone.
    records: (systems, 3), duels won, lost, tied. topics: how many there are duels on. ties: their model.
    """

    strengths: Values
    lows: Values
    highs: Values
    gaps: Values
    tie: float
    duels: float
    statuses: tuple[Fit, ...]
    groups: NDArray[np.int64]
    sets: NDArray[np.int64]
    above: NDArray[np.bool_]
    records: Counts
    topics: int
    ties: Ties = "davidson"

    @property
    def order(self) -> list[int]:
        """Systems by group, the best of each group first; those that met nobody are last.

        Who won all comes before the others of the group, who lost all after them.
        """
        ends = {Fit.WON_ALL: 0, Fit.LOST_ALL: 2}
        higher, lower = self.above.sum(axis=0), self.above.sum(axis=1)

        def place(i: int) -> tuple[float, ...]:
            group = self.groups[i] if self.groups[i] >= 0 else len(self.groups)
            strength = self.strengths[i] if self.statuses[i] is Fit.FITTED else 0.0
            return (group, ends.get(self.statuses[i], 1), higher[i] - lower[i], self.sets[i], -strength, i)

        return sorted(range(len(self.statuses)), key=place)

    @property
    def tops(self) -> list[list[int]]:
        """Of each group its best systems: one, or one of each set that wins alone put below no other."""
        best: list[dict[int, int]] = [{} for _ in range(int(self.groups.max(initial=-1)) + 1)]
        for i in self.order:
            if self.groups[i] >= 0 and not self.above[:, i].any():
                best[self.groups[i]].setdefault(int(self.sets[i]), i)
        return [list(one.values()) for one in best]

    def chance(self, first: int, second: int) -> float:
        """Chance that the first system is preferred to the second, a tie counting as half.

        1 or 0 where wins alone put one above the other; nan if unknown.
        """
        if self.above[first, second] or self.above[second, first]:
            return float(self.above[first, second])
        if self.sets[first] != self.sets[second] or self.statuses[first] is not Fit.FITTED:
            return float("nan")
        return self.chance_at(self.strengths[first] - self.strengths[second])

    def chance_ends(self, first: int, second: int) -> tuple[float, float]:
        """Ends of the interval of `chance`, by that of the difference of strengths; nan if unknown."""
        gap, half = self.strengths[first] - self.strengths[second], self.gaps[first, second]
        return self.chance_at(gap - half), self.chance_at(gap + half)

    def chance_at(self, gap: float) -> float:
        """Chance that a system is preferred to one whose strength is lower by so much, a tie being half."""
        return MODELS[self.ties].share(gap, self.tie)


def bradley_terry(
    duels: ArrayLike,
    systems: int,
    *,
    level: float = 0.95,
    intervals: bool = True,
    ties: Ties = "davidson",
) -> Strengths:
    """Bradley-Terry strengths with ties, by maximum likelihood, with intervals over topics.

    duels: (n, 6) of topic, first, second, wins of the first, wins of the second, ties; topics and systems are
    whole numbers from 0, systems below `systems`, counts at least 0 and not necessarily whole.
    ties: "davidson", P(first preferred) = π1 / (π1 + π2 + ν sqrt(π1 π2)) and P(tie) = ν sqrt(π1 π2) / (the
    same); or "rao-kupper", P(first preferred) = π1 / (π1 + θ π2) and P(second preferred) = π2 / (θ π1 + π2).
    Without ties both are Bradley and Terry's model. Each system's status says whether the likelihood has a
    finite maximum in its strength (`connect`); ν and θ are common to all groups.

    An interval of a fitted strength is by Student's t with a standard error that takes topics as clusters.
    Its degrees of freedom are Satterthwaite's, at most one less than the topics in which the system met
    others of its set, with ties two less; with ties it is also no narrower than the model's own, which is by
    the normal distribution. A system that won all has no upper end. Its lower end is where the chance to win
    that many topics, each one duel, is (1 - level) / 2; it needs that all it met are of one fitted set, or
    that the group has two systems; else both ends are open. One that lost all likewise.
    level in (0, 1). Without `intervals` their ends are nan, and the strengths are found sooner.
    Raises ValueError for a system against itself, a number out of its range, or an unknown model of ties.
    Sources: Bradley & Terry, Biometrika 39, 1952; Rao & Kupper, JASA 62(317), 1967; Davidson, JASA 65(329),
    1970; Liang & Zeger, Biometrika 73(1), 1986 (clusters); Satterthwaite, Biometrics Bulletin 2(6), 1946;
    Clopper & Pearson, Biometrika 26(4), 1934 (where all are won).
    Time grows with duels x systems and systems cubed, memory with duels + distinct pairs x systems.
    """
    if ties not in MODELS:
        raise ValueError(f"ties are {ties!r}; models of ties are {', '.join(MODELS)}")
    pairs, by_topic = count_by_pair(as_duels(duels, systems, level), systems)
    total = by_topic.sums().reshape(-1, 3)
    topics = int(np.count_nonzero(np.bincount(by_topic.topic)))
    found = fit_strengths(pairs, total, connect(pairs, total, systems), topics, ties=ties)
    return add_intervals(found, pairs, by_topic, level) if intervals else found


def fit_strengths(
    pairs: NDArray[np.int64],
    counts: Counts,
    connections: Connections,
    topics: int,
    near: Strengths | None = None,
    ties: Ties = "davidson",
) -> Strengths:
    """Strengths without intervals, from counts (pairs, 3) of distinct pairs and how these connect systems.

    near: strengths of the same systems that may be near these, so that they are found sooner.
    """
    fitted = _are_fitted(connections.statuses)
    among, inside = _pairs_among(pairs, fitted, connections.sets)
    own = np.array([OPEN.get(one, np.nan) for one in connections.statuses])
    start = None
    if near is not None and np.isfinite(near.strengths[fitted]).all():
        start = near.strengths[fitted], _log(near.tie)
    own[fitted], log_tie = maximum(among, counts[inside], connections.sets[fitted], start, MODELS[ties])
    systems = len(own)
    lows, highs = np.full((2, systems), np.nan)
    return Strengths(
        own,
        lows,
        highs,
        gaps=np.full((systems, systems), np.nan),
        tie=float(np.exp(log_tie)) if connections.bounded else np.inf,
        duels=float(counts.sum()),
        statuses=connections.statuses,
        groups=connections.groups,
        sets=connections.sets,
        above=connections.above,
        records=count_records(pairs, counts, systems),
        topics=topics,
        ties=ties,
    )


def add_intervals(
    found: Strengths, pairs: NDArray[np.int64], by_topic: TopicCounts, level: float
) -> Strengths:
    """Add intervals over topics to strengths without them; by_topic: the counts of these pairs."""
    fitted = _are_fitted(found.statuses)
    among, inside = _pairs_among(pairs, fitted, found.sets)
    log_tie = _log(found.tie)
    own, lows, highs, gaps = found.strengths, found.lows.copy(), found.highs.copy(), found.gaps.copy()
    within, sets = by_topic.only(np.repeat(inside, 3)), found.sets[fitted]
    half, gaps[np.ix_(fitted, fitted)] = _half_widths(
        among, within, own[fitted], log_tie, sets, level, found.ties
    )
    lows[fitted], highs[fitted] = own[fitted] - half, own[fitted] + half
    for i in np.flatnonzero(~fitted & (found.groups >= 0)).tolist():
        lows[i], highs[i] = _open_ends(i, pairs, by_topic, found, log_tie, level)
    return replace(found, lows=lows, highs=highs, gaps=gaps)


def _log(tie: float) -> float:
    return float(np.log(tie)) if tie else -np.inf


def _are_fitted(statuses: Sequence[Fit]) -> NDArray[np.bool_]:
    return np.array([one is Fit.FITTED for one in statuses], np.bool_)


def _pairs_among(
    pairs: NDArray[np.int64], fitted: NDArray[np.bool_], sets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Pairs of two fitted systems of one set, numbered among the fitted; and which pairs these are."""
    # Duels of two sets say nothing about either: they are won by one of them, whatever the strengths within.
    inside = fitted[pairs].all(axis=1) & (sets[pairs[:, 0]] == sets[pairs[:, 1]])
    return (np.cumsum(fitted) - 1)[pairs[inside]], inside


def _half_widths(
    pairs: NDArray[np.int64],
    by_topic: TopicCounts,
    strengths: Values,
    log_tie: float,
    sets: NDArray[np.int64],
    level: float,
    ties: Ties,
) -> tuple[Values, Values]:
    """Half the width of each fitted system's interval, nan where it met others in fewer than two topics; and
    of the interval of each difference, nan between two sets.
    """
    if not len(pairs):
        return np.empty(len(sets)), np.full((len(sets), len(sets)), np.nan)
    counts, (by_topic, times) = by_topic.sums().reshape(-1, 3), by_topic.joined()
    moved, of_model = moves(pairs, counts, by_topic, strengths, log_tie, sets, MODELS[ties])
    there = meetings(pairs, by_topic, len(sets))
    tied = log_tie > -np.inf
    # Of few topics with a tie the spread between topics comes out too small too often.
    least, varying = (np.diag(of_model), of_model) if tied else (None, None)
    half = half_widths(moved, times @ there, level, times, others=int(tied), least=least)
    return half, gap_half_widths(moved, there, sets, level, times, others=int(tied), least=varying)


def gap_half_widths(
    moved: Values,
    there: NDArray[np.bool_],
    sets: NDArray[np.int64],
    level: float,
    times: Values | None = None,
    *,
    others: int = 0,
    least: Values | None = None,
) -> Values:
    """Half the width of the interval of each difference of two strengths, as `half_widths` of each; nan
    between two sets.

    there: (topics, systems), where each met others. times: as in `half_widths`. least: covariances of
    strengths that vary at least so.
    """
    own, here, weight = moved**2, there.astype(np.float64), 1.0 if times is None else times[:, None]
    counted, own_counted = moved * weight, own * weight
    second, fourth, met = (
        own_counted.sum(axis=0),
        (own_counted * own).sum(axis=0),
        (here * weight).sum(axis=0),
    )
    cubes = (own_counted * moved).T @ moved
    # Sums over topics of the second and fourth powers of all differences at once.
    squares = second[:, None] + second - 2 * (counted.T @ moved)
    powers = fourth[:, None] + fourth - 4 * (cubes + cubes.T) + 6 * (own_counted.T @ own)
    # What is left of two that move alike is rounding, of both sums.
    alike = squares < ALIKE * (second[:, None] + second)
    squares[alike] = powers[alike] = 0.0
    topics = met[:, None] + met - (here * weight).T @ here
    floor = None if least is None else np.diag(least)[:, None] + np.diag(least) - 2 * least
    halves = _halves(squares, powers, topics, level, others, floor)
    halves[sets[:, None] != sets] = np.nan
    np.fill_diagonal(halves, np.nan)
    return halves


def half_widths(
    moved: Values,
    topics: NDArray[Any],
    level: float,
    times: Values | None = None,
    *,
    others: int = 0,
    least: Values | None = None,
    is_known: bool = True,
) -> Values:
    """Half the width of each parameter's interval, by how far each topic moves it; nan below two topics.

    moved: (topics, parameters). topics: on how many each parameter's duels are. times: how many topics each
    row of `moved` stands for; None: one. others: how many parameters are fitted beside it. least: a variance
    that it is not below. is_known: whether that one is by the model and not from as few topics, so that it is
    taken with the normal distribution.
    """
    squares = moved**2
    counted = squares if times is None else squares * times[:, None]
    powers = (counted * squares).sum(axis=0)
    return _halves(counted.sum(axis=0), powers, topics, level, others, least, is_known=is_known)


def _halves(
    squares: Values,
    powers: Values,
    topics: NDArray[Any],
    level: float,
    others: int,
    least: Values | None,
    *,
    is_known: bool = True,
) -> Values:
    """Half the width of intervals, by the sums of what topics move squared and to the fourth power."""
    # Few topics, those with a loss for instance, may move a strength by far the most: then its variance is
    # known worse than from as many topics that move it alike.
    alike = _ratio(squares**2, powers)
    known = 2 / np.maximum(1 / np.maximum(alike, 1e-300) - 1 / np.maximum(topics, 1), 1e-12)
    rest = np.maximum(topics - 1 - others, 1)
    upper = (1 + level) / 2
    quantile = student_quantile(np.minimum(rest, known), upper)
    half = quantile * np.sqrt(squares * topics / rest)
    if least is not None:
        half = np.maximum(half, (NormalDist().inv_cdf(upper) if is_known else quantile) * np.sqrt(least))
    return np.where(topics > 1, half, np.nan)


def _ratio(sums: Values, counts: Values) -> Values:
    found: Values = np.divide(sums, counts, out=np.ones_like(sums), where=counts > 0)
    return found


def _open_ends(
    system: int,
    pairs: NDArray[np.int64],
    by_topic: TopicCounts,
    found: Strengths,
    log_tie: float,
    level: float,
) -> tuple[float, float]:
    """Find the ends of the interval of a system without a finite strength: one is open, and often both.

    The other end needs a scale: a fitted set, all of whose members that it met it won or lost against; or
    that the group is of two.
    """
    sign = {Fit.WON_ALL: 1, Fit.LOST_ALL: -1}.get(found.statuses[system], 0)
    met = (pairs == system).any(axis=1)
    rivals = pairs[met].sum(axis=1) - system
    strengths, alone = found.strengths, bool((found.groups == found.groups[system]).sum() == 2)
    scaled = np.isfinite(strengths[rivals]) & (found.sets[rivals] == found.sets[rivals[:1]])
    if not sign or found.tie == np.inf or not (alone or scaled.all()):
        return -np.inf, np.inf
    counts = by_topic.only(np.repeat(met, 3)).dense().reshape(by_topic.topics, -1, 3).sum(axis=2)
    counts = counts[counts.sum(axis=1) > 0]
    # Topics are what is drawn, so that each is one duel, however many there were.
    shares = (counts / counts.sum(axis=1, keepdims=True)).sum(axis=0)
    least = np.log((1 - level) / 2)

    def excess(end: float) -> float:
        gaps = np.array([2 * end]) if alone else end - sign * strengths[rivals]
        return float(shares @ MODELS[found.ties].log_chances(gaps, log_tie)[0] - least)

    widest = FARTHEST_END + (0.0 if alone else float(np.abs(strengths[rivals]).max()))
    end = sign * find_root(excess, -widest, widest)
    return (end, np.inf) if sign > 0 else (-np.inf, end)


def duels_of(
    rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None, shared: bool = False
) -> Values:
    """Duels of systems on one topic: a judgment is one for each two systems of which each has one of its two
    items among its first k, and not the other.

    rows: int (systems, ranks), rankings of the graph's nodes by their place in `graph.nodes`, -1 for other
    items and after a list's end. Returns (n, 5): first, second, wins of the first, of the second, ties, of
    each two systems that met, the smaller first: with the topic before them, rows of `bradley_terry`.
    shared: a judgment counts once, in equal parts for all pairs of systems of which it is a duel, so that the
    counts add up to no more than the judgments. Of rankings, one judgment is a duel of many pairs.
    Raises ValueError where k is below 1. Time grows with distinct judged pairs x systems squared.
    """
    among = items_among(rows, len(graph.nodes), k)
    _, source, target, times = graph.numbered()
    wins = _met(among, source, target, times, shared)
    tied = graph.numbered_ties()
    ties = _met(among, tied[:, 0], tied[:, 1], tied[:, 2], shared)
    ties = ties + ties.T
    first, second = np.triu_indices(len(among), 1)
    found = np.column_stack([first, second, wins[first, second], wins[second, first], ties[first, second]])
    met: Values = found[found[:, 2:].sum(axis=1) > 0]
    return met


def items_among(rows: ArrayLike, nodes: int, k: int | None) -> NDArray[np.bool_]:
    """Whether each system has each of a graph's nodes among its first k items: (systems, nodes + 1).

    rows: as in `duels_of`. The last column takes all the items that are no nodes.
    """
    table = int_rows(rows)
    top = table[:, : depth_of(table.shape[1], k)]
    among = np.zeros((len(table), nodes + 1), np.bool_)
    np.put_along_axis(among, np.where(top < 0, nodes, top).astype(np.int64), True, axis=1)
    return among


def _met(
    among: NDArray[np.bool_],
    preferred: NDArray[np.integer],
    other: NDArray[np.integer],
    times: NDArray[np.integer],
    shared: bool,
) -> Values:
    """How often the one system had the preferred item of a judgment alone, and the other system the other."""
    own = (among[:, preferred] & ~among[:, other]).astype(np.float64)
    theirs = (among[:, other] & ~among[:, preferred]).astype(np.float64)
    parts = np.maximum(own.sum(axis=0) * theirs.sum(axis=0), 1.0) if shared else 1.0
    return (own * times / parts) @ theirs.T


def as_duels(duels: ArrayLike, systems: int, level: float = 0.95) -> Counts:
    """Take duels as (n, 6). Raises ValueError as `bradley_terry` says."""
    table = np.asarray(duels, dtype=np.float64).reshape(-1, 6) if np.size(duels) else np.empty((0, 6))
    if not 0 < level < 1 or systems < 0:
        raise ValueError(f"level {level} must be between 0 and 1; systems are at least 0")
    named = table[:, :3]
    if not np.isfinite(table).all() or (table < 0).any() or (named != np.floor(named)).any():
        raise ValueError("duels must be finite numbers of at least 0; topics and systems whole ones")
    if (table[:, 1:3] >= systems).any():
        raise ValueError(f"duels name a system that is not below {systems}")
    if (table[:, 1] == table[:, 2]).any():
        raise ValueError("a system cannot meet itself")
    return table


def count_records(pairs: NDArray[np.int64], counts: Counts, systems: int) -> Counts:
    """Count the duels that each system won, lost and tied: (systems, 3)."""
    records = np.zeros((systems, 3))
    np.add.at(records, pairs.T.ravel(), np.concatenate([counts, counts[:, [1, 0, 2]]]))
    return records


def meetings(pairs: NDArray[np.int64], by_topic: TopicCounts, systems: int) -> NDArray[np.bool_]:
    """Find on which topics each system met others: (topics, systems)."""
    met = np.zeros((len(pairs), systems))
    met[np.arange(len(pairs)), pairs[:, 0]] = met[np.arange(len(pairs)), pairs[:, 1]] = 1.0
    return by_topic.times(np.repeat(met, 3, axis=0)) > 0


def count_by_pair(table: Counts, systems: int) -> tuple[NDArray[np.int64], TopicCounts]:
    """Count duels by pair: distinct pairs (pairs, 2), the smaller system first; counts (topics, 3 pairs)."""
    wide = max(systems, 1)
    first, second = table[:, 1:3].T.astype(np.int64)
    turned = first > second
    distinct, place = _numbered(np.where(turned, second * wide + first, first * wide + second))
    topics, topic = _numbered(table[:, 0].astype(np.int64))
    # Each topic's pairs once, with their counts added up: rows and columns are in order then.
    cells, cell = _numbered(topic * len(distinct) + place)
    wins, losses, ties = table[:, 3:].T
    columns = (np.where(turned, losses, wins), np.where(turned, wins, losses), ties)
    counts = np.column_stack([np.bincount(cell, one, len(cells)) for one in columns])
    row, pair = np.divmod(cells, max(len(distinct), 1))
    column = (3 * pair[:, None] + np.arange(3)).ravel()
    there = counts.ravel() > 0
    values = counts.astype(np.float64, copy=False).ravel()[there]
    found = TopicCounts(row.repeat(3)[there], column[there], values, len(topics), 3 * len(distinct))
    return np.column_stack([distinct // wide, distinct % wide]), found


def _numbered(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct values, which are at least 0, and the place of each among them; small ones by counting."""
    if values.max(initial=0) > 4 * len(values) + 1000:
        return np.unique(values, return_inverse=True)
    there = np.bincount(values) > 0
    return there.nonzero()[0], (there.cumsum() - 1)[values]
