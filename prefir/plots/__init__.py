"""Plots as files: numbers in, the bytes of an SVG or PDF out, in one style for screen, phone and paper.

Nothing here knows where the numbers come from. Importing is cheap: matplotlib is loaded by the first plot.
"""

from .bars import differences, per_day
from .graphs import Edge, Kind, Node, preferences
from .maps import shepard, system_map
from .pair_bars import pair_bars
from .points import scatter
from .races import MOST_RACERS, race
from .style import EDITION, NARROW, WIDE, Look, nothing

__all__ = [
    "EDITION",
    "MOST_RACERS",
    "NARROW",
    "WIDE",
    "Edge",
    "Kind",
    "Look",
    "Node",
    "differences",
    "nothing",
    "pair_bars",
    "per_day",
    "preferences",
    "race",
    "scatter",
    "shepard",
    "system_map",
]
