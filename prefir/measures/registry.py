"""`MEASURES`, the table of all measures; the command line, the docs and the tests are made from it."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from .measure import Measure, declared

# The order of the table, and of the commands in the help: modules, and the measures that each declares.
_MODULES = {
    "rbo": "rbo",
    "compatibility": "compatibility",
    "preference": "pgc",
    "grid": "pgc_grid",
    "effectiveness": "dcg ndcg xie_dcg err rbp ap p rr",
    "set_measures": "recall success r_precision set_precision set_f interpolated_precision judged bpref "
    "inferred_ap",
    "recall_levels": "rpp lexiprecision lexirecall",
    "pairwise": "ppref wpref rpref appref",
    "win_rate": "win_rate",
    "delta": "delta_ndcg delta_err",
    "images": "pmr_d pmr_w pmr_m pmr_n wr pb pwp",
    "med.linear": "med_precision med_rbp med_ndcg",
    "med.err": "med_err",
    "med.ap": "med_map",
    "med.user": "med_u",
    "hoeffding": "hoeffding",
    "correlation": "kendall_tau tau_ap spearman top_k_kendall top_k_footrule inverse_distance kendall_tau_b",
    "significance": "rank_correlation sensitivity agreement_test",
    "agreement": "raw_agreement fleiss_kappa krippendorff_alpha",
    "consistency": "position_bias repeat_consistency transitivity",
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names.split()}


class _Table(Mapping[str, Measure]):
    """The table; a measure's module is loaded when the measure is looked up."""

    def __getitem__(self, name: str) -> Measure:
        return declared(import_module(f"{__package__}.{_HOMES[name]}").__name__)[name]

    def __contains__(self, name: object) -> bool:
        return name in _HOMES

    def __iter__(self) -> Iterator[str]:
        return iter(_HOMES)

    def __len__(self) -> int:
        return len(_HOMES)


MEASURES: Mapping[str, Measure] = _Table()
"""Name -> measure."""
