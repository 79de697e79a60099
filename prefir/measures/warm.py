"""Compile or load the loops that rescoring needs, so that no request waits for them.

`python -m prefir.measures.warm` does so ahead of time: compiled code is kept on disk, beside the source or in
NUMBA_CACHE_DIR, until the source changes. The first time takes seconds, later ones a fraction of a second.
"""

from .compatibility import compatibility_rows
from .graph import PreferenceGraph
from .preference import pgc_rows


def warm() -> None:
    """Call what a rescoring calls, on the smallest input."""
    pgc_rows([[0, 1]], PreferenceGraph([("a", "b")]))
    compatibility_rows([[0, 1]], [1.0, 0.0])


if __name__ == "__main__":
    warm()
