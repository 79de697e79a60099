"""The rules of a topic's tournament: from its pool and the answers so far to its rounds and its top k.

Pure functions. A tournament is not stored, it is replayed: a `Strategy` goes through all rounds from
the first and stops at the round whose pairs are not all answered. `STRATEGIES` has them by name.
Source: Clarke, Vtyurina & Smucker, "Assessing top-k preferences", TOIS 39(3), 2021.
"""

from .crowd import Crowd, play
from .dedicated import Dedicated, bound, play_dedicated
from .heap import Heap, heap_bound, play_heap
from .picks import Pick, Picks, play_picks
from .pool import initial_pool, lowest_grade, pool_size
from .simulation import PlayOutcome, assessor, play_out, simulate
from .state import Asked, Choice, Pair, Place, RoundState, State
from .strategy import Forecast, Settings, SettingsError, Strategy

# One line for each strategy, in the order in which organizers see them.
STRATEGIES: dict[str, Strategy] = {
    Crowd.name: Crowd(),
    Dedicated.name: Dedicated(),
    Heap.name: Heap(),
    Picks.name: Picks(),
}

__all__ = [
    "STRATEGIES",
    "Asked",
    "Choice",
    "Forecast",
    "Pair",
    "Pick",
    "Picks",
    "Place",
    "PlayOutcome",
    "RoundState",
    "Settings",
    "SettingsError",
    "State",
    "Strategy",
    "assessor",
    "bound",
    "heap_bound",
    "initial_pool",
    "lowest_grade",
    "play",
    "play_dedicated",
    "play_heap",
    "play_out",
    "play_picks",
    "pool_size",
    "simulate",
]
