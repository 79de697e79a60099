"""The rules of a topic's tournament: from its pool and the answers so far to its rounds and its top k.

Pure functions. A tournament is not stored, it is replayed: `play` and `play_dedicated` go through all
rounds from the first and stop at the round whose pairs are not all answered.
Source: Clarke, Vtyurina & Smucker, "Assessing top-k preferences", TOIS 39(3), 2021.
"""

from .crowd import play
from .dedicated import bound, play_dedicated
from .pool import initial_pool
from .state import Choice, Pair, Place, Round, State

__all__ = [
    "Choice",
    "Pair",
    "Place",
    "Round",
    "State",
    "bound",
    "initial_pool",
    "play",
    "play_dedicated",
]
