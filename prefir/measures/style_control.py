"""Strengths of systems under control for the style of their answers: Bradley-Terry with covariates.

The style of a text is how long it is, and how often it has a heading, bold words, an item of a list. Source
of the method: Li, Angelopoulos & Chiang, "Does style matter?", LMSYS, 2024.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from prefir.extras import require

from .connectedness import Fit
from .duel_likelihood import CLOSE, DAVIDSON, FARTHEST, STEPS
from .graph import PreferenceGraph
from .strengths import Strengths, bradley_terry, gap_half_widths, half_widths, items_among

Values = NDArray[np.float64]
Numbers = NDArray[np.int64]

STYLES = ("characters", "headings", "bold", "list items")
# Of a coefficient, before any duel: the deviation of a normal distribution around 0. So the likelihood has a
# maximum in coefficients wherever it has one in strengths.
PRIOR = 1.0

FENCE = re.compile(r"^[ \t]{0,3}(`{3,}+|~{3,}+)[^\n]*+\n.*?(?:^[ \t]{0,3}\1[^\n]*$|\Z)", re.M | re.S)
MARKDOWN = (
    re.compile(r"^ {0,3}#{1,6}(?=[ \t])", re.M),
    re.compile(r"\*\*[^\s*][^*\n]{0,500}\*\*|__[^\s_][^_\n]{0,500}__"),
    re.compile(r"^[ \t]{0,12}(?:[-*+]|\d{1,9}[.)])(?=[ \t])", re.M),
)
HTML = (
    re.compile(r"<h[1-6](?=[\s>])", re.I),
    re.compile(r"<(?:b|strong)(?=[\s>])", re.I),
    re.compile(r"<li(?=[\s>])", re.I),
)


def styles_of(texts: list[str], markup: str = "markdown") -> Numbers:
    """The style of each text: (texts, STYLES), counts. markup: "html", or what is read as Markdown.

    In Markdown, blocks of code have no headings, bold words or items. Time grows with the texts.
    """
    found = np.zeros((len(texts), len(STYLES)), np.int64)
    for row, text in zip(found, texts, strict=True):
        row[0] = len(text)
        if markup == "html":
            row[1:] = [len(one.findall(text)) for one in HTML]
        else:
            bare = FENCE.sub("", text) if "```" in text or "~~~" in text else text
            row[1:] = [len(one.findall(bare)) for one in MARKDOWN]
    return found


def style_differences(first: ArrayLike, second: ArrayLike) -> Values:
    """(a - b) / (a + b) of each count of two texts' styles, in [-1, 1]; 0 where both have none."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    both = a + b
    return np.divide(a - b, both, out=np.zeros_like(both), where=both > 0)


@dataclass(frozen=True, slots=True)
class StyleControl:
    """Strengths with and without control for style; arrays are (styles,).

    plain: as `bradley_terry` finds them. strengths: those of answers of equal style. Of systems without a
    finite strength the interval is open at both ends.
    coefficients: how much a difference of one `spread` adds to the log odds; lows, highs: the ends of their
    intervals. nan where no two answers differ in the style, or no strength is finite.
    spreads: root mean squares of the differences, over the duels.
    """

    plain: Strengths
    strengths: Strengths
    coefficients: Values
    lows: Values
    highs: Values
    spreads: Values

    def chances(self, style: int, difference: float) -> tuple[float, float, float]:
        """Chance that an answer is preferred to one of a system of equal strength from which it differs in
        one style by so much, a tie being half; then the ends of its interval.
        """
        ends = np.array([self.coefficients[style], self.lows[style], self.highs[style]])
        half = np.exp(ends * difference / max(self.spreads[style], 1e-300) / 2)
        tie = self.strengths.tie
        said, low, high = (half + tie / 2) / (half + 1 / half + tie)
        return float(said), float(low), float(high)


def control_style(
    duels: ArrayLike, differences: ArrayLike, systems: int, *, level: float = 0.95
) -> StyleControl:
    """Bradley-Terry strengths with ties under control for style, by penalized maximum likelihood.

    duels: as of `bradley_terry`, (n, 6); a row for each two answers. differences: (n, styles), as
    `style_differences` gives them, first less second. The log odds of the first are the difference of
    strengths and the sum of coefficients times standardized differences; they are divided by their root mean
    square over the duels, not centred, since either answer may come first. A coefficient has a normal
    distribution around 0 with the deviation PRIOR. Without any difference this is `bradley_terry`.

    Intervals: as there, with a style as one parameter more, and no narrower than the model's own.
    Raises ValueError where `bradley_terry` does, or where a difference is not finite or has no duel.
    Time grows with duels x styles, systems cubed, and topics x systems squared.
    """
    table = np.asarray(duels, np.float64).reshape(-1, 6)
    styles = np.asarray(differences, np.float64)
    if styles.ndim != 2 or len(styles) != len(table) or not np.isfinite(styles).all():
        raise ValueError("each duel has a row of finite differences")
    plain = bradley_terry(table, systems, level=level)
    times = table[:, 3:].sum(axis=1)
    spreads = np.sqrt((times[:, None] * styles**2).sum(axis=0) / max(times.sum(), 1e-300))
    fitted = np.array([one is Fit.FITTED for one in plain.statuses], np.bool_)
    pairs = table[:, 1:3].astype(np.int64)
    inside = fitted[pairs].all(axis=1) & (plain.sets[pairs[:, 0]] == plain.sets[pairs[:, 1]]) & (times > 0)
    shown = np.flatnonzero(spreads > 0)
    coefficients, low_ends, high_ends = np.full((3, len(spreads)), np.nan)
    if not inside.any() or not len(shown):
        return StyleControl(plain, plain, coefficients, low_ends, high_ends, spreads)
    topics = np.unique(table[inside, 0], return_inverse=True)[1]
    among = (np.cumsum(fitted) - 1)[pairs[inside]]
    model = _Model(
        among, styles[inside][:, shown] / spreads[shown], table[inside, 3:], topics, plain.sets[fitted]
    )
    own, log_tie = model.maximum()
    half, apart = model.half_widths(own, log_tie, level)
    gaps = np.full((systems, systems), np.nan)
    gaps[np.ix_(fitted, fitted)] = apart
    count = int(fitted.sum())
    values, lows, highs = (np.array(ends) for ends in (plain.strengths, plain.lows, plain.highs))
    lows[~fitted & (plain.groups >= 0)], highs[~fitted & (plain.groups >= 0)] = -np.inf, np.inf
    values[fitted] = own[:count]
    lows[fitted], highs[fitted] = own[:count] - half[:count], own[:count] + half[:count]
    coefficients[shown] = own[count:]
    low_ends[shown], high_ends[shown] = own[count:] - half[count:], own[count:] + half[count:]
    tie = float(np.exp(log_tie))
    strengths = replace(plain, strengths=values, lows=lows, highs=highs, gaps=gaps, tie=tie)
    return StyleControl(plain, strengths, coefficients, low_ends, high_ends, spreads)


class _Model:
    """Davidson's model with covariates. Parameters are the strengths, the coefficients and, with ties, log ν.

    design: sparse (duels, strengths and coefficients): what each adds to the log odds of the first.
    """

    def __init__(
        self, pairs: Numbers, styles: Values, counts: Values, topics: Numbers, sets: Numbers
    ) -> None:
        require("scipy")
        from scipy.sparse import csr_array, hstack

        n, systems = len(pairs), len(sets)
        rows = np.arange(n)
        signs = np.tile([1.0, -1.0], n)
        met = csr_array((signs, (rows.repeat(2), pairs.ravel())), shape=(n, systems))
        self.design: Any = hstack([met, csr_array(styles)], format="csr")
        self.by_topic: Any = csr_array((np.ones(n), (topics, rows)), shape=(int(topics.max()) + 1, n))
        self.counts, self.sets = counts, sets
        self.features = styles.shape[1]
        self.tied = bool(counts[:, 2].sum() > 0)
        # Only differences within a set matter: this holds the means at 0.
        self.held = np.zeros((self.design.shape[1] + self.tied,) * 2)
        self.held[:systems, :systems] = sets[:, None] == sets
        self.held[range(systems, systems + self.features), range(systems, systems + self.features)] = (
            PRIOR**-2
        )

    def maximum(self) -> tuple[Values, float]:
        """The strengths and coefficients, and log ν (-inf without ties), by Newton's method."""
        own, log_tie = np.zeros(self.design.shape[1]), 0.0 if self.tied else -np.inf
        for _ in range(STEPS):
            slopes, curve = self._derivatives(own, log_tie)
            slope = slopes.sum(axis=0)
            slope[len(self.sets) : len(own)] -= own[len(self.sets) :] / PRIOR**2
            step = np.linalg.solve(curve, slope)
            # The first steps may be too long where a system is far from the others.
            step *= min(1.0, FARTHEST / max(np.abs(step).max(), 1e-300))
            own = own + step[: len(own)]
            if self.tied:
                log_tie += step[-1]
            if np.abs(step).max() < CLOSE:
                break
        return own, log_tie

    def half_widths(self, own: Values, log_tie: float, level: float) -> tuple[Values, Values]:
        """Half widths of the intervals of strengths and coefficients, and of differences of strengths."""
        slopes, curve = self._derivatives(own, log_tie)
        inverse = np.asarray(np.linalg.inv(curve)[: len(own)], dtype=np.float64)
        least = np.diag(inverse).copy()
        # What holds the mean of a set is no variance of its strengths; of a difference it is none at all.
        systems = len(self.sets)
        least[:systems] -= 1 / np.bincount(self.sets)[self.sets] ** 2
        there = (self.by_topic @ abs(self.design)).toarray() > 0
        others = self.features + self.tied
        moved = slopes @ inverse.T
        half = half_widths(moved, there.sum(axis=0), level, others=others, least=least)
        return half, gap_half_widths(
            moved[:, :systems],
            there[:, :systems],
            self.sets,
            level,
            others=others,
            least=inverse[:systems, :systems],
        )

    def _derivatives(self, own: Values, log_tie: float) -> tuple[Values, Values]:
        """The slope of each topic's log likelihood, (topics, parameters), and the negative second derivative
        of all, with what holds the parameters.
        """
        require("scipy")
        from scipy.sparse import dia_array

        chances = np.exp(DAVIDSON.log_chances(self.design @ own, log_tie))
        lead, total = chances[0] - chances[1], self.counts.sum(axis=1)
        slope = (self.counts[:, 0] - self.counts[:, 1] - total * lead) / 2
        n = len(slope)
        slopes = (self.by_topic @ (dia_array((slope[None], 0), shape=(n, n)) @ self.design)).toarray()
        # How the chances of a win and a loss vary together.
        spread = total * (chances[0] + chances[1] - lead**2) / 4
        curve = self.held.copy()
        size = len(own)
        curve[:size, :size] += (
            self.design.T @ (dia_array((spread[None], 0), shape=(n, n)) @ self.design)
        ).toarray()
        if not self.tied:
            return slopes, curve
        ties = self.by_topic @ (self.counts[:, 2] - total * chances[2])
        curve[-1, :size] = curve[:size, -1] = self.design.T @ (-total * chances[2] * lead / 2)
        curve[-1, -1] = (total * chances[2] * (1 - chances[2])).sum()
        return np.column_stack([slopes, ties]), curve


def duels_of_items(rows: ArrayLike, graph: PreferenceGraph, *, k: int | None = None) -> Values:
    """Duels of systems on one topic as `duels_of` counts them with `shared`, those of each two items apart.

    Returns (n, 7): first, second, wins of the first, of the second, ties, and the nodes that stand for the
    first and the second, by their place in `graph.nodes`.
    """
    among = items_among(rows, len(graph.nodes), k)
    _, source, target, times = graph.numbered()
    judged: dict[tuple[int, int], list[int]] = {}
    for a, b, n in zip(source.tolist(), target.tolist(), times.tolist(), strict=True):
        judged.setdefault((min(a, b), max(a, b)), [0, 0, 0])[a > b] += n
    for a, b, n in graph.numbered_ties().tolist():
        judged.setdefault((a, b), [0, 0, 0])[2] += n
    found: list[tuple[float, ...]] = []
    for (a, b), (won, lost, tied) in judged.items():
        own = np.flatnonzero(among[:, a] & ~among[:, b]).tolist()
        theirs = np.flatnonzero(among[:, b] & ~among[:, a]).tolist()
        parts = len(own) * len(theirs)
        found += [(i, j, won / parts, lost / parts, tied / parts, a, b) for i in own for j in theirs]
    return np.array(found, np.float64).reshape(-1, 7)
