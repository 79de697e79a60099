"""Agreement of measures with preferences between whole result pages: the tables of Xie et al. and of Luo."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from prefir.extras import require

from .graph import PreferenceGraph
from .grid import ORDERS, pgc_grid
from .images import (
    PMR_FORMS,
    Placements,
    majority_preferences,
    pb,
    pmr,
    preference_table,
    second_preferred,
    win_ratio,
)
from .rbo import ABSENT
from .significance import AgreementTest, agreement_test, holm_corrected, rank_correlation

Pair = tuple[float, float]
"""A measure's values of the first and of the second system."""

PART = "pb"
"""The penalty in PWP: a part of a measure, and none by itself."""

TENTHS = tuple(tenth / 10 for tenth in range(11))


@dataclass(frozen=True, slots=True)
class PageOptions:
    """Parameters of the measures: lam, gamma and form of `pwp`, persistence and depth of `pgc_grid`.

    split: what a pair of items whose labels are split comes to, as in `majority`.
    """

    lam: float = 0.7
    gamma: float = 0.1
    form: str = "N"
    p: float = 0.95
    depth: int = 1000
    split: str = "left"


@dataclass(frozen=True)
class PageTopic:
    """A topic with two systems' pages, the judgments of their items, and whose page was preferred.

    first, second: grids as `pmr` has them. labels: (left, right, label) of each judgment, in their order,
    below 0 where the left was preferred. page: below 0 where the first page was preferred, 0 for a tie,
    above 0 where the second was; nan where nobody said.
    """

    first: Placements
    second: Placements
    labels: Sequence[tuple[str, str, float]]
    page: float = ABSENT
    _majorities: dict[str, Mapping[tuple[str, str], float]] = field(default_factory=dict)

    def preferences(self, split: str) -> Mapping[tuple[str, str], float]:
        """The majority of each pair of items, as `majority_preferences` has it."""
        if split not in self._majorities:
            self._majorities[split] = majority_preferences(self.labels, split=split)
        return self._majorities[split]

    @cached_property
    def graph(self) -> PreferenceGraph:
        """The preference graph of all labels."""
        graph = PreferenceGraph()
        for left, right, label in self.labels:
            if label:
                graph.add(*((left, right) if label < 0 else (right, left)))
            else:
                graph.add_tie(left, right)
        return graph


@dataclass(frozen=True, slots=True)
class PageAgreement:
    """How far one measure agrees with the preferences between pages.

    values: of each topic. table: topics by what the measure says and by the page preferred
    (`preference_table`), test: of it. pearson, spearman: of `second_preferred` of the values with the page
    preferences; tau: Kendall's tau-b of the first system's values with the second's; each nan where there is
    none.
    """

    values: tuple[Pair, ...]
    table: tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]
    test: AgreementTest
    pearson: float
    spearman: float
    tau: float


@dataclass(frozen=True, slots=True)
class PageAgreements:
    """What `compare_pages` finds.

    measures: name -> agreement. mixtures: (form of PMR, λ) -> Pearson correlation of λ PMR + (1 - λ) WR,
    without penalty. penalties: γ -> that of PWP. pages: topics in which the first page was preferred, the
    second, neither. holm_p: name -> p of the exact test with Holm's correction for all measures that decide a
    topic, `PART` left out; one that decides none is not there.
    """

    measures: dict[str, PageAgreement]
    mixtures: dict[tuple[str, float], float]
    penalties: dict[float, float]
    pages: tuple[int, int, int]
    holm_p: dict[str, float]

    def clearest(self) -> str | None:
        """The measure that agrees more often than not with the least p; None where none does."""
        agreeing = [
            name for name in self.holm_p if self.measures[name].test.agree > self.measures[name].test.disagree
        ]
        tests = {name: self.measures[name].test for name in agreeing}
        return min(agreeing, key=lambda name: (tests[name].binomial_p, -tests[name].share), default=None)

    def best_mixture(self) -> tuple[str, float] | None:
        """Form of PMR and λ of the highest correlation in `mixtures`; None where there is none."""
        known = {key: value for key, value in self.mixtures.items() if value == value}
        return max(known, key=known.__getitem__, default=None)


def page_measures(topic: PageTopic, options: PageOptions | None = None) -> dict[str, Pair]:
    """Measures of two systems' pages on a topic: PMR in each form, WR, PB, PWP, and PGC in each order.

    Name ("pmr_d", "wr", "pb", "pwp", "pgc_default", ...) -> both systems' values, nan where absent. Raises
    ValueError as the measures do. Time grows with the square of the items and with the judgments.
    """
    options = options or PageOptions()
    told = topic.preferences(options.split)
    grids = (topic.first, topic.second)
    items = [[place[0] for place in grid] for grid in grids]
    both = ((items[0], items[1]), (items[1], items[0]))
    found: dict[str, Pair] = {}
    for form in PMR_FORMS:
        found[f"pmr_{form.lower()}"] = _pair(pmr(grid, told, form=form) for grid in grids)
    found["wr"] = _pair(win_ratio(*sides, told) for sides in both)
    found["pb"] = _pair(pb(*sides, told, gamma=options.gamma) for sides in both)
    found["pwp"] = _penalized(_mixed(found, options.form, options.lam), found["pb"])
    for order in ORDERS:
        of_grids = pgc_grid(
            {"first": topic.first, "second": topic.second},
            topic.graph,
            order=order,
            p=options.p,
            depth=options.depth,
        )
        found[f"pgc_{order}"] = of_grids["first"], of_grids["second"]
    return found


def compare_pages(topics: Sequence[PageTopic], options: PageOptions | None = None) -> PageAgreements:
    """Compare each measure of `page_measures` with the preferences between pages, over topics.

    Raises ValueError as `page_measures` does. Sources: Xie et al., SIGIR 2020, table 7, and the choice of λ
    and γ; Luo, thesis, Waterloo 2021, figures 5.6-5.8. Time: that of `page_measures` for each topic.
    """
    options = options or PageOptions()
    found = [page_measures(topic, options) for topic in topics]
    pages = [topic.page for topic in topics]
    names = list(found[0]) if found else []
    values = {name: [own[name] for own in found] for name in names}
    mixtures = {
        (form, lam): _pearson([_mixed(own, form, lam) for own in found], pages)
        for form in PMR_FORMS
        for lam in TENTHS
    }
    # How many items lose to all does not depend on γ: PB is γ to this power.
    losers = [_pair(_losers(topic, side, options.split) for side in (0, 1)) for topic in topics]
    mixed = [_mixed(own, options.form, options.lam) for own in found]
    penalties = {}
    for gamma in TENTHS:
        of_topics = [(gamma ** int(one), gamma ** int(two)) for one, two in losers]
        penalties[gamma] = _pearson([_penalized(*both) for both in zip(mixed, of_topics, strict=True)], pages)
    sides = np.sign(np.array(pages, dtype=np.float64))
    measures = {name: agreement_of(pairs, pages) for name, pairs in values.items()}
    return PageAgreements(
        measures,
        mixtures,
        penalties,
        (int((sides < 0).sum()), int((sides > 0).sum()), int((sides == 0).sum())),
        corrected(measures),
    )


def agreement_of(pairs: Sequence[Pair], pages: Sequence[float]) -> PageAgreement:
    """Agreement of a measure's values of two systems (topics,) with the page preferences (topics,)."""
    require("scipy")
    from scipy.stats import spearmanr

    first, second = ([pair[side] for pair in pairs] for side in (0, 1))
    table = preference_table(first, second, pages)
    return PageAgreement(
        tuple(pairs),
        table,
        agreement_test(table),
        _pearson(pairs, pages),
        _correlation(spearmanr, pairs, pages),
        rank_correlation(first, second),
    )


def corrected(measures: Mapping[str, PageAgreement]) -> dict[str, float]:
    """Holm's correction of the exact tests of all measures that decide a topic, `PART` left out."""
    plain = {
        name: one.test.binomial_p
        for name, one in measures.items()
        if name != PART and one.test.agree + one.test.disagree
    }
    return dict(zip(plain, holm_corrected(np.array(list(plain.values()))).tolist(), strict=True))


def _pair(values: Iterable[float]) -> Pair:
    one, two = values
    return one, two


def _mixed(found: Mapping[str, Pair], form: str, lam: float) -> Pair:
    """λ PMR + (1 - λ) WR of both systems; what λ does not ask for may be absent."""
    parts = zip(found[f"pmr_{form.lower()}"], found["wr"], strict=True)
    return _pair(
        (lam * of_page if lam > 0 else 0.0) + ((1 - lam) * won if lam < 1 else 0.0) for of_page, won in parts
    )


def _penalized(values: Pair, penalties: Pair) -> Pair:
    return values[0] * penalties[0], values[1] * penalties[1]


def _losers(topic: PageTopic, side: int, split: str) -> float:
    """How many of a system's items lose to every item of the other."""
    grids = (topic.first, topic.second)
    own, other = ([place[0] for place in grid] for grid in (grids[side], grids[1 - side]))
    # 2 to this power, exactly.
    return float(-np.log2(pb(own, other, topic.preferences(split), gamma=0.5)))


def _pearson(pairs: Sequence[Pair], pages: Sequence[float]) -> float:
    require("scipy")
    from scipy.stats import pearsonr

    return _correlation(pearsonr, pairs, pages)


def _correlation(statistic: Callable[..., Any], pairs: Sequence[Pair], pages: Sequence[float]) -> float:
    """Correlation of `second_preferred` with the page preferences; nan where a side does not vary."""
    told = [
        (second_preferred(*pair), page)
        for pair, page in zip(pairs, pages, strict=True)
        if page == page and pair[0] == pair[0] and pair[1] == pair[1]
    ]
    if len(told) < 2 or any(len(set(values)) < 2 for values in zip(*told, strict=True)):
        return ABSENT
    return float(statistic(*zip(*told, strict=True)).statistic)
