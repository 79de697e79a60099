"""Compile or load the loops that rescoring needs, so that no request waits for them.

`python -m prefir.measures.warm` does so ahead of time: compiled code is kept on disk, beside the source or in
NUMBA_CACHE_DIR, until the source changes. The first time takes seconds, later ones a fraction of a second.
"""

from .ceilings import pgc_ceilings, win_rate_ceilings
from .graph import PreferenceGraph
from .preference import pgc_rows


def warm() -> None:
    """Call what a rescoring calls, on the smallest input."""
    graph = PreferenceGraph([("a", "b")])
    pgc_rows([[0, 1]], graph)
    pgc_ceilings(graph, (0.95,))
    win_rate_ceilings(graph, (None,))


if __name__ == "__main__":
    warm()
