"""The measures library: similarity of rankings, effectiveness, preferences, distances, and their statistics.

Importing it loads numpy only; numba, scipy, scikit-learn and networkx are loaded by the first function that
needs them. `MEASURES` is the table of measures; docs/measures.md explains each.

What is scored comes first, then what it is compared with: `ndcg(run, grades)`, `pgc(run, graph)`,
`med_rbp(a, b)`. A measure may have further forms, and their names say which:

    pgc(run, graph, p=0.9)           one run of docnos: a float
    pgc_ps(run, graph, ps)           several persistences: a value for each
    pgc_rows(rows, graph, p=0.9)     many runs of one topic, items by number: float64 (runs,)
    pgc_rows_ps(rows, graph, ps)     both: float64 (runs, persistences)
    hoeffding_pairs(a, b, n=100)     many pairs of rankings, a[i] with b[i]: float64 (pairs,)
    hoeffding_matrix(lists, n=100)   each ranking with each other: float64 (lists, lists)

`score` computes a measure for many runs and topics at once, from docnos.

To add a measure, write its function with the decorator `@measure(...)`, name its file in `registry.py` if
that is new, import the function below, and write its section in docs/measures/ and a test; tests/ says
what is missing.
"""

from .agreement import (
    Judgment,
    agreement_by_assessor,
    agreement_by_topic,
    both_ways,
    explain_absence,
    fleiss_kappa,
    krippendorff_alpha,
    label_units,
    merge_strength,
    raw_agreement,
)
from .aspects import AspectWeights, WinShares, weigh_aspects, win_shares
from .baseline import BaselineComparison, compare_to_baseline
from .ceilings import Ceiling, measure_ceiling, pwp_ceiling
from .compatibility import (
    Similarity,
    compatibility,
    compatibility_ps,
    compatibility_rows,
    compatibility_rows_ps,
    ideal_from_levels,
)
from .connectedness import Fit
from .consistency import (
    PositionBias,
    RepeatConsistency,
    Transitivity,
    position_bias,
    repeat_consistency,
    transitivity,
)
from .correlation import (
    inverse_distance,
    kendall_tau,
    kendall_tau_b,
    spearman,
    tau_ap,
    top_k_footrule,
    top_k_kendall,
)
from .cross_agreement import CrossAgreement, cross_agreement
from .delta import delta_err, delta_gains, delta_ndcg
from .effectiveness import (
    average_precision,
    dcg,
    err,
    ndcg,
    precision,
    rbp,
    reciprocal_rank,
    xie_dcg,
)
from .graded_pages import graded_page_measures
from .graph import PreferenceGraph
from .grid import ORDERS, GridPlacement, GridSimilarity, distances, grid_to_list, pgc_grid, pgc_grid_ps
from .hoeffding import TopicDistances, hoeffding, hoeffding_matrix, hoeffding_pairs, mean_hoeffding
from .images import (
    PMR_FORMS,
    PwpComparison,
    compare_pwp,
    majority,
    majority_preferences,
    pb,
    pmr,
    preference_table,
    pwp,
    second_preferred,
    win_ratio,
)
from .intervals import Intervals, mean_intervals
from .matrices import DISTANCES, DistanceKind, DistanceTotals, topic_distances
from .measure import Inputs, Measure
from .med import (
    med_err,
    med_map,
    med_ndcg,
    med_ndcg_pairs,
    med_precision,
    med_precision_pairs,
    med_rbp,
    med_rbp_pairs,
    med_u,
)
from .page_agreement import (
    PageAgreement,
    PageAgreements,
    PageOptions,
    PageTopic,
    compare_pages,
    page_measures,
)
from .pairwise import appref, ppref, rpref, wpref
from .preference import ideal_ranking, pgc, pgc_ps, pgc_rows, pgc_rows_ps
from .rankings import Rankings
from .ranks import rank_ranges
from .rbo import ABSENT, rbo, rbo_depths, rbo_ps
from .registry import MEASURES
from .run_tests import (
    MeasureComparison,
    RunComparison,
    TukeyTest,
    compare_measures,
    compare_runs,
    tukey_test,
)
from .scores import Line, Scores, score
from .significance import (
    AgreementTest,
    Sensitivity,
    agreement_test,
    rank_correlation,
    sensitivity,
    sign_test,
)
from .strengths import Strengths, bradley_terry, duels_of
from .structure import (
    JudgedPair,
    Layered,
    contradicted_pairs,
    cycles,
    cyclic_edges,
    graph_transitivity,
    has_cycle,
    judged_pairs,
    layered,
    repeated_pairs,
    strong_components,
)
from .style_control import (
    STYLES,
    StyleControl,
    control_style,
    duels_of_items,
    style_differences,
    styles_of,
)
from .system_map import STABILITY_FORMS, Distances, SystemMap, distance_matrix, stability, system_map
from .topics import TopicFigures, topic_figures
from .win_rate import win_rate, win_rate_rows

__all__ = [
    "ABSENT",
    "DISTANCES",
    "MEASURES",
    "ORDERS",
    "PMR_FORMS",
    "STABILITY_FORMS",
    "STYLES",
    "AgreementTest",
    "AspectWeights",
    "BaselineComparison",
    "Ceiling",
    "CrossAgreement",
    "DistanceKind",
    "DistanceTotals",
    "Distances",
    "Fit",
    "GridPlacement",
    "GridSimilarity",
    "Inputs",
    "Intervals",
    "JudgedPair",
    "Judgment",
    "Layered",
    "Line",
    "Measure",
    "MeasureComparison",
    "PageAgreement",
    "PageAgreements",
    "PageOptions",
    "PageTopic",
    "PositionBias",
    "PreferenceGraph",
    "PwpComparison",
    "Rankings",
    "RepeatConsistency",
    "RunComparison",
    "Scores",
    "Sensitivity",
    "Similarity",
    "Strengths",
    "StyleControl",
    "SystemMap",
    "TopicDistances",
    "TopicFigures",
    "Transitivity",
    "TukeyTest",
    "WinShares",
    "agreement_by_assessor",
    "agreement_by_topic",
    "agreement_test",
    "appref",
    "average_precision",
    "both_ways",
    "bradley_terry",
    "compare_measures",
    "compare_pages",
    "compare_pwp",
    "compare_runs",
    "compare_to_baseline",
    "compatibility",
    "compatibility_ps",
    "compatibility_rows",
    "compatibility_rows_ps",
    "contradicted_pairs",
    "control_style",
    "cross_agreement",
    "cycles",
    "cyclic_edges",
    "dcg",
    "delta_err",
    "delta_gains",
    "delta_ndcg",
    "distance_matrix",
    "distances",
    "duels_of",
    "duels_of_items",
    "err",
    "explain_absence",
    "fleiss_kappa",
    "graded_page_measures",
    "graph_transitivity",
    "grid_to_list",
    "has_cycle",
    "hoeffding",
    "hoeffding_matrix",
    "hoeffding_pairs",
    "ideal_from_levels",
    "ideal_ranking",
    "inverse_distance",
    "judged_pairs",
    "kendall_tau",
    "kendall_tau_b",
    "krippendorff_alpha",
    "label_units",
    "layered",
    "majority",
    "majority_preferences",
    "mean_hoeffding",
    "mean_intervals",
    "measure_ceiling",
    "med_err",
    "med_map",
    "med_ndcg",
    "med_ndcg_pairs",
    "med_precision",
    "med_precision_pairs",
    "med_rbp",
    "med_rbp_pairs",
    "med_u",
    "merge_strength",
    "ndcg",
    "page_measures",
    "pb",
    "pgc",
    "pgc_grid",
    "pgc_grid_ps",
    "pgc_ps",
    "pgc_rows",
    "pgc_rows_ps",
    "pmr",
    "position_bias",
    "ppref",
    "precision",
    "preference_table",
    "pwp",
    "pwp_ceiling",
    "rank_correlation",
    "rank_ranges",
    "raw_agreement",
    "rbo",
    "rbo_depths",
    "rbo_ps",
    "rbp",
    "reciprocal_rank",
    "repeat_consistency",
    "repeated_pairs",
    "rpref",
    "score",
    "second_preferred",
    "sensitivity",
    "sign_test",
    "spearman",
    "stability",
    "strong_components",
    "style_differences",
    "styles_of",
    "system_map",
    "tau_ap",
    "top_k_footrule",
    "top_k_kendall",
    "topic_distances",
    "topic_figures",
    "transitivity",
    "tukey_test",
    "weigh_aspects",
    "win_rate",
    "win_rate_rows",
    "win_ratio",
    "win_shares",
    "wpref",
    "xie_dcg",
]
