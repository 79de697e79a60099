"""The measures library: similarity of rankings, effectiveness, preferences, distances, and their statistics.

Importing it loads nothing: a name loads its module, and numpy with it, when it is first used. numba, scipy,
scikit-learn and networkx are loaded by the first function that needs them. `MEASURES` is the table of
measures; docs/measures.md explains each.

What is scored comes first, then what it is compared with: `ndcg(run, grades)`, `pgc(run, graph)`,
`med_rbp(a, b)`. A measure may have further forms, and their names say which:

    pgc(run, graph, p=0.9)           one run of docnos: a float
    pgc_ps(run, graph, ps)           several persistences: a value for each
    pgc_rows(rows, graph, p=0.9)     many runs of one topic, items by number: float64 (runs,)
    pgc_rows_ps(rows, graph, ps)     both: float64 (runs, persistences)
    hoeffding_pairs(a, b, n=100)     many pairs of rankings, a[i] with b[i]: float64 (pairs,)
    hoeffding_matrix(lists, n=100)   each ranking with each other: float64 (lists, lists)

`score` computes a measure for many runs and topics at once, from docnos.

To add a measure, write its function with the decorator `@measure(...)`, name it in `registry.py`, name the
function below in both lists, and write its section in docs/measures/ and a test; tests/ says what is missing.
"""

from typing import TYPE_CHECKING

from prefir.lazy_package import make_lazy

if TYPE_CHECKING:
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
    from .anytime import AnytimeMean, AnytimeShare, anytime_mean, anytime_share
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
    from .diversity import diversity_compatibility, ideal_from_subtopics
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
    from .feedback_arcs import FewestViolated, fewest_violated, greedy_sequences, violated_preferences
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
    from .item_scores import borda, copeland, merge_qrels, rank_centrality
    from .judging_times import compare_times
    from .judgment_sample import keep_judgments
    from .kappas import cohen_kappa, free_marginal_kappa, gwet_ac1
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
    from .pair_grades import (
        RELATIONS,
        GradeCorrelation,
        PairFigures,
        correlate_with_grades,
        grade_heat_map,
        pair_figures,
    )
    from .pairwise import appref, ppref, rpref, wpref
    from .penalized_strengths import penalized_bradley_terry
    from .pooled_pages import PagePreference, PooledAgreement, compare_agreement, pool_page_preferences
    from .prediction_powered_means import PredictionPoweredMean, prediction_powered_mean
    from .preference import ideal_ranking, pgc, pgc_ps, pgc_rows, pgc_rows_ps
    from .rankings import Rankings
    from .ranks import rank_ranges
    from .rbo import ABSENT, overlaps, rbo, rbo_depths, rbo_ps
    from .recall_levels import lexiprecision, lexirecall, recall_paired_preference
    from .registry import MEASURES
    from .run_tests import (
        MeasureComparison,
        RunComparison,
        TukeyTest,
        compare_measures,
        compare_runs,
        topics_needed,
        tukey_test,
    )
    from .scores import Line, Scores, score
    from .set_measures import (
        bpref,
        inferred_ap,
        interpolated_precision,
        judged,
        r_precision,
        recall,
        set_f,
        set_precision,
        success,
    )
    from .significance import (
        AgreementTest,
        Sensitivity,
        agreement_test,
        binomial_p,
        rank_correlation,
        sensitivity,
        sign_test,
    )
    from .strength_bootstrap import bootstrap_strengths
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
    from .system_map import (
        STABILITY_FORMS,
        Distances,
        SystemMap,
        distance_matrix,
        stability,
        system_map,
        weighted_distances,
    )
    from .tied_rbo import RboBounds, rbo_bounds, tied_ranking
    from .topics import TopicFigures, topic_figures
    from .tops import TopComparison, compare_tops, steps_below_best, top_items
    from .vote_counts import VoteCounts
    from .vote_ratings import elo, pagerank
    from .win_rate import win_rate, win_rate_rows

__all__ = make_lazy(
    __name__,
    {
        "agreement": (
            "Judgment agreement_by_assessor agreement_by_topic both_ways explain_absence fleiss_kappa "
            "krippendorff_alpha label_units merge_strength raw_agreement"
        ),
        "anytime": "AnytimeMean AnytimeShare anytime_mean anytime_share",
        "aspects": "AspectWeights WinShares weigh_aspects win_shares",
        "baseline": "BaselineComparison compare_to_baseline",
        "ceilings": "Ceiling measure_ceiling pwp_ceiling",
        "compatibility": (
            "Similarity compatibility compatibility_ps compatibility_rows compatibility_rows_ps "
            "ideal_from_levels"
        ),
        "connectedness": "Fit",
        "consistency": (
            "PositionBias RepeatConsistency Transitivity position_bias repeat_consistency transitivity"
        ),
        "correlation": (
            "inverse_distance kendall_tau kendall_tau_b spearman tau_ap top_k_footrule top_k_kendall"
        ),
        "cross_agreement": "CrossAgreement cross_agreement",
        "delta": "delta_err delta_gains delta_ndcg",
        "diversity": "diversity_compatibility ideal_from_subtopics",
        "effectiveness": "average_precision dcg err ndcg precision rbp reciprocal_rank xie_dcg",
        "feedback_arcs": "FewestViolated fewest_violated greedy_sequences violated_preferences",
        "graded_pages": "graded_page_measures",
        "graph": "PreferenceGraph",
        "grid": "ORDERS GridPlacement GridSimilarity distances grid_to_list pgc_grid pgc_grid_ps",
        "hoeffding": "TopicDistances hoeffding hoeffding_matrix hoeffding_pairs mean_hoeffding",
        "images": (
            "PMR_FORMS PwpComparison compare_pwp majority majority_preferences pb pmr preference_table pwp "
            "second_preferred win_ratio"
        ),
        "intervals": "Intervals mean_intervals",
        "judgment_sample": "keep_judgments",
        "judging_times": "compare_times",
        "item_scores": "borda copeland merge_qrels rank_centrality",
        "kappas": "cohen_kappa free_marginal_kappa gwet_ac1",
        "matrices": "DISTANCES DistanceKind DistanceTotals topic_distances",
        "measure": "Inputs Measure",
        "med": (
            "med_err med_map med_ndcg med_ndcg_pairs med_precision med_precision_pairs med_rbp med_rbp_pairs "
            "med_u"
        ),
        "page_agreement": "PageAgreement PageAgreements PageOptions PageTopic compare_pages page_measures",
        "pair_grades": (
            "RELATIONS GradeCorrelation PairFigures correlate_with_grades grade_heat_map pair_figures"
        ),
        "pairwise": "appref ppref rpref wpref",
        "pooled_pages": "PagePreference PooledAgreement compare_agreement pool_page_preferences",
        "penalized_strengths": "penalized_bradley_terry",
        "prediction_powered_means": "PredictionPoweredMean prediction_powered_mean",
        "preference": "ideal_ranking pgc pgc_ps pgc_rows pgc_rows_ps",
        "rankings": "Rankings",
        "ranks": "rank_ranges",
        "rbo": "ABSENT overlaps rbo rbo_depths rbo_ps",
        "recall_levels": "lexiprecision lexirecall recall_paired_preference",
        "registry": "MEASURES",
        "run_tests": (
            "MeasureComparison RunComparison TukeyTest compare_measures compare_runs topics_needed tukey_test"
        ),
        "scores": "Line Scores score",
        "set_measures": "bpref inferred_ap interpolated_precision judged r_precision recall set_f "
        "set_precision success",
        "significance": (
            "AgreementTest Sensitivity agreement_test binomial_p rank_correlation sensitivity sign_test"
        ),
        "strength_bootstrap": "bootstrap_strengths",
        "strengths": "Strengths bradley_terry duels_of",
        "structure": (
            "JudgedPair Layered contradicted_pairs cycles cyclic_edges graph_transitivity has_cycle "
            "judged_pairs layered repeated_pairs strong_components"
        ),
        "style_control": "STYLES StyleControl control_style duels_of_items style_differences styles_of",
        "system_map": (
            "STABILITY_FORMS Distances SystemMap distance_matrix stability system_map weighted_distances"
        ),
        "tied_rbo": "RboBounds rbo_bounds tied_ranking",
        "topics": "TopicFigures topic_figures",
        "tops": "TopComparison compare_tops steps_below_best top_items",
        "vote_counts": "VoteCounts",
        "vote_ratings": "elo pagerank",
        "win_rate": "win_rate win_rate_rows",
    },
)
