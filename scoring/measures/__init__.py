"""The measures: rank similarity, compatibility, preference graphs and what can be said of their means."""

from .bootstrap import Intervals, mean_intervals
from .compatibility import Similarity, compatibility, compatibility_many, ideal_from_levels
from .graph import PreferenceGraph
from .grid import ORDERS, GridPlacement, GridSimilarity, distances, grid_to_list, pgc_grid, pgc_grid_many
from .preference import ideal_ranking, pgc, pgc_many
from .rbo import ABSENT, rbo, rbo_many

__all__ = [
    "ABSENT",
    "ORDERS",
    "GridPlacement",
    "GridSimilarity",
    "Intervals",
    "PreferenceGraph",
    "Similarity",
    "compatibility",
    "compatibility_many",
    "distances",
    "grid_to_list",
    "ideal_from_levels",
    "ideal_ranking",
    "mean_intervals",
    "pgc",
    "pgc_grid",
    "pgc_grid_many",
    "pgc_many",
    "rbo",
    "rbo_many",
]
