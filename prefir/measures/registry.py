"""Every measure in one table, which the command line, the leaderboard, the docs and the tests read."""

from collections.abc import Mapping
from functools import partial
from math import inf

from . import agreement, correlation, delta, effectiveness, forms, images, med, pairwise, significance
from .compatibility import compatibility, compatibility_rows
from .grid import pgc_grid
from .hoeffding import hoeffding
from .measure import Inputs, Measure
from .preference import pgc_rows
from .rbo import rbo

WEBBER = "Webber, Moffat & Zobel, TOIS 28(4), 2010"
CLARKE = "Clarke, Vtyurina & Smucker, TOIS 39(3), 2021"
LUO = "Luo, thesis, Waterloo 2021"
JARVELIN = "Järvelin & Kekäläinen, TOIS 20(4), 2002"
CARTERETTE = "Carterette & Bennett, SIGIR 2008"
XIE = "Xie et al., SIGIR 2020"
TAN = "Tan & Clarke, TKDE 27(11), 2015"
FAGIN = "Fagin, Kumar & Sivakumar, SIAM J. Discrete Math. 17(1), 2003"
SUN = "Sun, Lebanon & Collins-Thompson, WWW 2010"

# Ranges, low and high.
SHARE = (0, 1)
CORRELATION = (-1, 1)

_TABLE = (
    Measure("rbo", "RBO", rbo, Inputs.RANKINGS, *SHARE, WEBBER, symmetric=True),
    Measure(
        "compatibility",
        "Compatibility",
        compatibility,
        Inputs.GRADES,
        *SHARE,
        f"{CLARKE}, 3.1 and eq. 3",
        rows=forms.one_p(compatibility_rows),
    ),
    Measure(
        "pgc", "PGC", forms.pgc, Inputs.GRAPH, *SHARE, f"{LUO}, algorithms 1-7", rows=forms.one_p(pgc_rows)
    ),
    Measure(
        "pgc_grid",
        "PGC for grids",
        pgc_grid,
        Inputs.GRIDS,
        *SHARE,
        f"{LUO}, 5.3",
        value=lambda systems: next(iter(systems.values())),
    ),
    Measure("dcg", "DCG", effectiveness.dcg, Inputs.GRADES, 0, inf, JARVELIN, rows=effectiveness.dcg_rows),
    Measure(
        "ndcg", "nDCG", effectiveness.ndcg, Inputs.GRADES, *SHARE, JARVELIN, rows=effectiveness.ndcg_rows
    ),
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
        *SHARE,
        "Chapelle et al., CIKM 2009",
        rows=effectiveness.err_rows,
        track=forms.highest_grade,
    ),
    Measure(
        "rbp",
        "RBP",
        effectiveness.rbp,
        Inputs.GRADES,
        *SHARE,
        "Moffat & Zobel, TOIS 27(1), 2008",
        rows=effectiveness.rbp_rows,
    ),
    Measure(
        "ap",
        "Average precision",
        effectiveness.average_precision,
        Inputs.GRADES,
        *SHARE,
        "trec_eval's map",
        rows=effectiveness.average_precision_rows,
    ),
    Measure(
        "p",
        "Precision",
        partial(effectiveness.precision, k=10),
        Inputs.GRADES,
        *SHARE,
        "trec_eval's P",
        rows=partial(effectiveness.precision_rows, k=10),
    ),
    Measure(
        "rr",
        "Reciprocal rank",
        effectiveness.reciprocal_rank,
        Inputs.GRADES,
        *SHARE,
        "trec_eval's recip_rank",
        rows=effectiveness.reciprocal_rank_rows,
    ),
    Measure(
        "ppref",
        "ppref",
        pairwise.ppref,
        Inputs.GRAPH,
        *SHARE,
        CARTERETTE,
        rows=forms.by_edges(pairwise.ppref_rows),
    ),
    Measure(
        "wpref",
        "wpref",
        pairwise.wpref,
        Inputs.GRAPH,
        *SHARE,
        CARTERETTE,
        rows=forms.by_edges(pairwise.wpref_rows),
    ),
    Measure(
        "rpref",
        "rpref",
        pairwise.rpref,
        Inputs.GRAPH,
        *SHARE,
        CARTERETTE,
        rows=forms.by_edges(pairwise.rpref_rows),
    ),
    Measure(
        "appref",
        "appref",
        pairwise.appref,
        Inputs.GRAPH,
        *SHARE,
        CARTERETTE,
        rows=forms.by_edges(pairwise.appref_rows),
    ),
    Measure(
        "delta_ndcg",
        "Δ-nDCG",
        delta.delta_ndcg,
        Inputs.GRAPH,
        *SHARE,
        f"{LUO}, 4.1",
        rows=forms.by_gains(effectiveness.ndcg_rows),
    ),
    Measure(
        "delta_err",
        "Δ-ERR",
        delta.delta_err,
        Inputs.GRAPH,
        *SHARE,
        f"{LUO}, 4.1",
        rows=forms.by_gains(effectiveness.cascade_rows),
    ),
    *(
        Measure(
            f"pmr_{form.lower()}", f"PMR_{form}", partial(images.pmr, form=form), Inputs.GRID, *SHARE, XIE
        )
        for form in images.PMR_FORMS
    ),
    Measure("wr", "WR", images.win_ratio, Inputs.SYSTEMS, *SHARE, XIE),
    Measure("pb", "PB", images.pb, Inputs.SYSTEMS, *SHARE, XIE),
    Measure("pwp", "PWP", images.pwp, Inputs.TWO_GRIDS, *SHARE, XIE),
    Measure(
        "med_precision",
        "MED-precision",
        med.med_precision,
        Inputs.RANKINGS,
        *SHARE,
        TAN,
        symmetric=True,
        distance=True,
    ),
    Measure("med_rbp", "MED-RBP", med.med_rbp, Inputs.RANKINGS, *SHARE, f"{TAN}, eq. 12, 13", symmetric=True),
    Measure(
        "med_ndcg",
        "MED-nDCG",
        med.med_ndcg,
        Inputs.RANKINGS,
        *SHARE,
        f"{TAN}, eq. 14-17",
        symmetric=True,
        distance=True,
    ),
    Measure("med_err", "MED-ERR", med.med_err, Inputs.RANKINGS, *SHARE, TAN, symmetric=True, distance=True),
    Measure("med_map", "MED-MAP", med.med_map, Inputs.RANKINGS, *SHARE, TAN, symmetric=True, distance=True),
    Measure("med_u", "MED-U", forms.med_u, Inputs.LENGTHS, 0, inf, TAN, symmetric=True, distance=True),
    Measure(
        "hoeffding",
        "Expected weighted Hoeffding distance",
        hoeffding,
        Inputs.RANKINGS,
        *SHARE,
        f"{SUN}, eq. 4, 5, 10",
        symmetric=True,
    ),
    Measure(
        "kendall_tau",
        "Kendall's τ",
        partial(correlation.kendall_tau, conjoint=True),
        Inputs.RANKINGS,
        *CORRELATION,
        "Kendall, Biometrika 30, 1938",
        symmetric=True,
    ),
    Measure(
        "tau_ap",
        "τ_AP",
        partial(correlation.tau_ap, conjoint=True),
        Inputs.RANKINGS,
        *CORRELATION,
        "Yilmaz, Aslam & Robertson, SIGIR 2008",
    ),
    Measure(
        "spearman",
        "Spearman's ρ",
        partial(correlation.spearman, conjoint=True),
        Inputs.RANKINGS,
        *CORRELATION,
        "Spearman, American Journal of Psychology 15, 1904",
        symmetric=True,
    ),
    Measure(
        "top_k_kendall",
        "Top-k Kendall distance",
        correlation.top_k_kendall,
        Inputs.RANKINGS,
        *SHARE,
        FAGIN,
        symmetric=True,
        distance=True,
    ),
    Measure(
        "top_k_footrule",
        "Top-k footrule",
        correlation.top_k_footrule,
        Inputs.RANKINGS,
        *SHARE,
        FAGIN,
        symmetric=True,
        distance=True,
    ),
    Measure(
        "inverse_distance",
        "Inverse measure",
        correlation.inverse_distance,
        Inputs.RANKINGS,
        *SHARE,
        "Bar-Ilan, Levene & Mat-Hassan, J. Documentation 62(6), 2006",
        symmetric=True,
        distance=True,
    ),
    Measure(
        "kendall_tau_b",
        "Kendall's τ-b",
        correlation.kendall_tau_b,
        Inputs.MEANS,
        *CORRELATION,
        "Kendall, Biometrika 33, 1945",
        symmetric=True,
    ),
    Measure(
        "rank_correlation",
        "Consistency of two measures",
        significance.rank_correlation,
        Inputs.MEANS,
        *CORRELATION,
        f"{CLARKE}, 2",
        symmetric=True,
    ),
    Measure(
        "sensitivity",
        "Sensitivity",
        significance.sensitivity,
        Inputs.SCORES,
        *SHARE,
        f"{CLARKE}, 2",
        value=lambda found: found.share,
    ),
    Measure(
        "agreement_test",
        "Agreement with page preferences",
        significance.agreement_test,
        Inputs.TABLE,
        *SHARE,
        f"{LUO}, 5.4",
        value=lambda found: found.share,
    ),
    Measure(
        "raw_agreement",
        "Raw agreement",
        agreement.raw_agreement,
        Inputs.UNITS,
        *SHARE,
        "share of equal pairs",
    ),
    Measure(
        "fleiss_kappa",
        "Fleiss' κ",
        agreement.fleiss_kappa,
        Inputs.UNITS,
        *CORRELATION,
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
        *SHARE,
        "share of left wins",
        value=lambda found: found.share,
    ),
    Measure(
        "repeat_consistency",
        "Consistency on repeats",
        agreement.repeat_consistency,
        Inputs.JUDGMENTS,
        *SHARE,
        "share of repeated pairs answered the same",
        value=lambda found: found.share,
    ),
    Measure(
        "transitivity",
        "Transitivity",
        agreement.transitivity,
        Inputs.PREFERENCES,
        *SHARE,
        f"{XIE}, 3.3",
        value=lambda found: found.share(),
    ),
)
MEASURES: Mapping[str, Measure] = {measure.name: measure for measure in _TABLE}
"""Name -> measure."""
