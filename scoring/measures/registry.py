"""Every measure in one table, which the command line, the leaderboard, the docs and the tests read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from math import inf
from typing import Any

import numpy as np

from . import agreement, correlation, delta, effectiveness, images, med, pairwise, significance
from .compatibility import compatibility, compatibility_rows
from .graph import PreferenceGraph
from .grid import pgc_grid
from .hoeffding import hoeffding
from .preference import pgc, pgc_rows
from .rankings import Rankings
from .rbo import rbo
from .scores import Scores


class Inputs(StrEnum):
    """What a measure compares; its function's positional arguments stand in brackets."""

    RANKINGS = "two rankings (a, b)"
    LENGTHS = "two rankings and the items' lengths (a, b, lengths)"
    GRADES = "a ranking and grades (run, grades)"
    GRAPH = "a ranking and a preference graph (run, graph)"
    GRIDS = "systems' grids and a preference graph (graph, grids)"
    GRID = "one grid and preferences (grid, preferences)"
    SYSTEMS = "two systems' items and preferences (items, other items, preferences)"
    TWO_GRIDS = "two grids and preferences (grid, other grid, preferences)"
    UNITS = "the labels that each unit was given (units)"
    JUDGMENTS = "judgments of assessors (judgments)"
    PREFERENCES = "preferences between items (preferences)"
    CHOICES = "choices between left and right (choices)"
    SCORES = "scores of many runs (values)"
    MEANS = "two measures' means of the same runs (first, second)"
    TABLE = "a table of agreement with page preferences (table)"


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as the table knows it.

    name: as the command line and files write it. title: as people read it. value: what of the function's
    result is the number, where the result is more than one. low, high: the number's range, both ends
    included; nan stands outside it. symmetric: the two rankings, systems or measures may be swapped.
    distance: 0 from a ranking to itself, and larger is farther (a ranking that goes on unseen, as under
    MED-RBP, is not at 0 from itself). rows: the form for many runs of one topic, which takes (rows, grades
    or graph) and gives (runs,), or (runs, 1). track: options that all topics' grades together decide.
    """

    name: str
    title: str
    function: Callable[..., Any]
    inputs: Inputs
    low: float
    high: float
    source: str
    symmetric: bool = False
    distance: bool = False
    value: Callable[[Any], float] | None = None
    rows: Callable[..., Any] | None = None
    track: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None

    def of(self, *inputs: Any, **options: Any) -> float:
        """The measure's number for its inputs."""
        result = self.function(*inputs, **options)
        return float(result if self.value is None else self.value(result))


def _pgc(run: Sequence[Any], graph: PreferenceGraph, **options: Any) -> float:
    return pgc(graph, run, **options)


def _med_u(a: Sequence[Any], b: Sequence[Any], lengths: Mapping[Any, float], **options: Any) -> float:
    return med.med_u(a, b, lengths=lengths, **options)


def _by_edges(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form (rows, graph) of a function of (rows, edges)."""

    def of_graph(rows: Any, graph: PreferenceGraph, **options: Any) -> Any:
        return rows_of(rows, pairwise.edge_array(graph)[1], **options)

    return of_graph


def _by_gains(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form (rows, graph) of a function of (rows, gains), absent where no item has gain."""

    def of_graph(rows: Any, graph: PreferenceGraph, **options: Any) -> Any:
        gains = np.array(list(delta.delta_gains(graph).values()))
        values = rows_of(rows, gains, **options)
        return values if gains.any() else np.full_like(values, np.nan)

    return of_graph


def _one_p(rows_of: Callable[..., Any]) -> Callable[..., Any]:
    """The form with one persistence, p, of a function of several."""

    def with_p(rows: Any, judged: Any, *, p: float = 0.95, **options: Any) -> Any:
        return rows_of(rows, judged, (p,), **options)

    return with_p


def _highest_grade(judged: Mapping[str, Mapping[Any, float]]) -> dict[str, Any]:
    highest = max((max(grades.values(), default=0.0) for grades in judged.values()), default=0.0)
    return {"max_grade": highest} if highest > 0 else {}


WEBBER = "Webber, Moffat & Zobel, TOIS 28(4), 2010"
CLARKE = "Clarke, Vtyurina & Smucker, TOIS 39(3), 2021"
LUO = "Luo, thesis, Waterloo 2021"
JARVELIN = "Järvelin & Kekäläinen, TOIS 20(4), 2002"
CARTERETTE = "Carterette & Bennett, SIGIR 2008"
XIE = "Xie et al., SIGIR 2020"
TAN = "Tan & Clarke, TKDE 27(11), 2015"
FAGIN = "Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003"
SUN = "Sun, Lebanon & Collins-Thompson, WWW 2010"

_TABLE = (
    Measure("rbo", "RBO", rbo, Inputs.RANKINGS, 0, 1, WEBBER, symmetric=True),
    Measure(
        "compatibility",
        "Compatibility",
        compatibility,
        Inputs.GRADES,
        0,
        1,
        f"{CLARKE}, 3.1 and eq. 3",
        rows=_one_p(compatibility_rows),
    ),
    Measure("pgc", "PGC", _pgc, Inputs.GRAPH, 0, 1, f"{LUO}, algorithms 1-7", rows=_one_p(pgc_rows)),
    Measure(
        "pgc_grid",
        "PGC for grids",
        pgc_grid,
        Inputs.GRIDS,
        0,
        1,
        f"{LUO}, 5.3",
        value=lambda systems: next(iter(systems.values())),
    ),
    Measure("dcg", "DCG", effectiveness.dcg, Inputs.GRADES, 0, inf, JARVELIN, rows=effectiveness.dcg_rows),
    Measure("ndcg", "nDCG", effectiveness.ndcg, Inputs.GRADES, 0, 1, JARVELIN, rows=effectiveness.ndcg_rows),
    Measure(
        "xie_dcg",
        "DCG (Xie)",
        effectiveness.xie_dcg,
        Inputs.GRADES,
        0,
        inf,
        f"{XIE}, their program",
        rows=effectiveness.xie_dcg_rows,
    ),
    Measure(
        "err",
        "ERR",
        effectiveness.err,
        Inputs.GRADES,
        0,
        1,
        "Chapelle et al., CIKM 2009",
        rows=effectiveness.err_rows,
        track=_highest_grade,
    ),
    Measure(
        "rbp",
        "RBP",
        effectiveness.rbp,
        Inputs.GRADES,
        0,
        1,
        "Moffat & Zobel, TOIS 27(1), 2008",
        rows=effectiveness.rbp_rows,
    ),
    Measure(
        "ap",
        "Average precision",
        effectiveness.average_precision,
        Inputs.GRADES,
        0,
        1,
        "trec_eval's map",
        rows=effectiveness.average_precision_rows,
    ),
    Measure(
        "p",
        "Precision",
        partial(effectiveness.precision, k=10),
        Inputs.GRADES,
        0,
        1,
        "trec_eval's P",
        rows=partial(effectiveness.precision_rows, k=10),
    ),
    Measure(
        "rr",
        "Reciprocal rank",
        effectiveness.reciprocal_rank,
        Inputs.GRADES,
        0,
        1,
        "trec_eval's recip_rank",
        rows=effectiveness.reciprocal_rank_rows,
    ),
    Measure(
        "ppref", "ppref", pairwise.ppref, Inputs.GRAPH, 0, 1, CARTERETTE, rows=_by_edges(pairwise.ppref_rows)
    ),
    Measure(
        "wpref", "wpref", pairwise.wpref, Inputs.GRAPH, 0, 1, CARTERETTE, rows=_by_edges(pairwise.wpref_rows)
    ),
    Measure(
        "rpref", "rpref", pairwise.rpref, Inputs.GRAPH, 0, 1, CARTERETTE, rows=_by_edges(pairwise.rpref_rows)
    ),
    Measure(
        "appref",
        "appref",
        pairwise.appref,
        Inputs.GRAPH,
        0,
        1,
        CARTERETTE,
        rows=_by_edges(pairwise.appref_rows),
    ),
    Measure(
        "delta_ndcg",
        "Δ-nDCG",
        delta.delta_ndcg,
        Inputs.GRAPH,
        0,
        1,
        f"{LUO}, 4.1",
        rows=_by_gains(effectiveness.ndcg_rows),
    ),
    Measure(
        "delta_err",
        "Δ-ERR",
        delta.delta_err,
        Inputs.GRAPH,
        0,
        1,
        f"{LUO}, 4.1",
        rows=_by_gains(effectiveness.cascade_rows),
    ),
    *(
        Measure(f"pmr_{form.lower()}", f"PMR_{form}", partial(images.pmr, form=form), Inputs.GRID, 0, 1, XIE)
        for form in images.PMR_FORMS
    ),
    Measure("wr", "WR", images.win_ratio, Inputs.SYSTEMS, 0, 1, XIE),
    Measure("pb", "PB", images.pb, Inputs.SYSTEMS, 0, 1, XIE),
    Measure("pwp", "PWP", images.pwp, Inputs.TWO_GRIDS, 0, 1, XIE),
    Measure(
        "med_precision",
        "MED-precision",
        med.med_precision,
        Inputs.RANKINGS,
        0,
        1,
        TAN,
        symmetric=True,
        distance=True,
    ),
    Measure(
        "med_rbp",
        "MED-RBP",
        med.med_rbp,
        Inputs.RANKINGS,
        0,
        1,
        f"{TAN}, eq. 12, 13",
        symmetric=True,
    ),
    Measure(
        "med_ndcg",
        "MED-nDCG",
        med.med_ndcg,
        Inputs.RANKINGS,
        0,
        1,
        f"{TAN}, eq. 14-17",
        symmetric=True,
        distance=True,
    ),
    Measure("med_err", "MED-ERR", med.med_err, Inputs.RANKINGS, 0, 1, TAN, symmetric=True, distance=True),
    Measure("med_map", "MED-MAP", med.med_map, Inputs.RANKINGS, 0, 1, TAN, symmetric=True, distance=True),
    Measure("med_u", "MED-U", _med_u, Inputs.LENGTHS, 0, inf, TAN, symmetric=True, distance=True),
    Measure(
        "hoeffding",
        "Expected weighted Hoeffding distance",
        hoeffding,
        Inputs.RANKINGS,
        0,
        1,
        f"{SUN}, eq. 4, 5, 10",
        symmetric=True,
    ),
    Measure(
        "kendall_tau",
        "Kendall's τ",
        partial(correlation.kendall_tau, conjoint=True),
        Inputs.RANKINGS,
        -1,
        1,
        "Kendall, Biometrika 30, 1938",
        symmetric=True,
    ),
    Measure(
        "tau_ap",
        "τ_AP",
        partial(correlation.tau_ap, conjoint=True),
        Inputs.RANKINGS,
        -1,
        1,
        "Yilmaz, Aslam & Robertson, SIGIR 2008",
    ),
    Measure(
        "spearman",
        "Spearman's ρ",
        partial(correlation.spearman, conjoint=True),
        Inputs.RANKINGS,
        -1,
        1,
        "Spearman, American Journal of Psychology 15, 1904",
        symmetric=True,
    ),
    Measure(
        "top_k_kendall",
        "Top-k Kendall distance",
        correlation.top_k_kendall,
        Inputs.RANKINGS,
        0,
        1,
        FAGIN,
        symmetric=True,
        distance=True,
    ),
    Measure(
        "top_k_footrule",
        "Top-k footrule",
        correlation.top_k_footrule,
        Inputs.RANKINGS,
        0,
        1,
        FAGIN,
        symmetric=True,
        distance=True,
    ),
    Measure(
        "inverse_distance",
        "Inverse measure",
        correlation.inverse_distance,
        Inputs.RANKINGS,
        0,
        1,
        "Bar-Ilan, Levene & Mat-Hassan, J. Documentation 62(6), 2006",
        symmetric=True,
        distance=True,
    ),
    Measure(
        "kendall_tau_b",
        "Kendall's τ-b",
        correlation.kendall_tau_b,
        Inputs.MEANS,
        -1,
        1,
        "Kendall, Biometrika 33, 1945",
        symmetric=True,
    ),
    Measure(
        "rank_correlation",
        "Consistency of two measures",
        significance.rank_correlation,
        Inputs.MEANS,
        -1,
        1,
        f"{CLARKE}, 2",
        symmetric=True,
    ),
    Measure(
        "sensitivity",
        "Sensitivity",
        significance.sensitivity,
        Inputs.SCORES,
        0,
        1,
        f"{CLARKE}, 2",
        value=lambda found: found.share,
    ),
    Measure(
        "agreement_test",
        "Agreement with page preferences",
        significance.agreement_test,
        Inputs.TABLE,
        0,
        1,
        f"{LUO}, 5.4",
        value=lambda found: found.share,
    ),
    Measure(
        "raw_agreement", "Raw agreement", agreement.raw_agreement, Inputs.UNITS, 0, 1, "share of equal pairs"
    ),
    Measure(
        "fleiss_kappa",
        "Fleiss' κ",
        agreement.fleiss_kappa,
        Inputs.UNITS,
        -1,
        1,
        "Fleiss, Psychological Bulletin 76(5), 1971",
    ),
    Measure(
        "krippendorff_alpha",
        "Krippendorff's α",
        agreement.krippendorff_alpha,
        Inputs.UNITS,
        -inf,
        1,
        "Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011",
    ),
    Measure(
        "position_bias",
        "Position bias",
        agreement.position_bias,
        Inputs.CHOICES,
        0,
        1,
        "share of left wins",
        value=lambda found: found.share,
    ),
    Measure(
        "repeat_consistency",
        "Consistency on repeats",
        agreement.repeat_consistency,
        Inputs.JUDGMENTS,
        0,
        1,
        "share of repeated pairs answered the same",
        value=lambda found: found.share,
    ),
    Measure(
        "transitivity",
        "Transitivity",
        agreement.transitivity,
        Inputs.PREFERENCES,
        0,
        1,
        f"{XIE}, 3.3",
        value=lambda found: found.share(),
    ),
)
MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
"""Name -> measure."""


def score(
    name: str, judged: Mapping[str, Any], rankings: Rankings, *, label: str | None = None, **options: Any
) -> Scores:
    """A measure's values of all runs on all topics that both sides have.

    name: of a measure that compares a ranking with grades or with a preference graph. judged: topic ->
    docno -> grade, or topic -> `PreferenceGraph`. options: the measure's own (p, depth, k, gain ...).
    ERR's max_grade is the highest of all topics unless given. label: what the result calls the measure,
    else its name, with @k where k is given.
    nan where a run lacks the topic, or the measure has no value for it.
    Raises ValueError for a measure that cannot be had so, and as the measure does.
    Time grows with topics x runs x ranks, and as the measure's.
    """
    measure = MEASURES.get(name)
    if measure is None or measure.rows is None:
        known = ", ".join(other.name for other in MEASURES.values() if other.rows)
        raise ValueError(f"there is no measure {name!r} of runs; there are {known}")
    if not isinstance(rankings, Rankings):
        raise TypeError(f"rankings are made by Rankings(runs); a {type(rankings).__name__} is none")
    if measure.track:
        options = measure.track(judged) | options
    topics = tuple(topic for topic in judged if rankings.having(topic).any())
    values = np.full((len(topics), len(rankings.runs)), np.nan)
    for line, topic in zip(values, topics, strict=True):
        if measure.inputs is Inputs.GRAPH:
            items, by_item = judged[topic].nodes, judged[topic]
        else:
            items = tuple(judged[topic])
            by_item = np.fromiter(judged[topic].values(), np.float64, len(items))
        having = rankings.having(topic)
        found = np.reshape(measure.rows(rankings.rows(topic, items), by_item, **options), len(line))
        line[having] = found[having]
    values.setflags(write=False)
    cut = "" if options.get("k") is None else f"@{options['k']}"
    return Scores(label or name + cut, topics, rankings.runs, values)
