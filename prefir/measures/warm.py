"""Makes the compiled loops of rescoring ready, so that no request waits for them.

`python -m prefir.measures.warm` does it ahead: what is compiled is kept on disk, beside the code or in
NUMBA_CACHE_DIR, until the code changes. The first time takes seconds, later ones a fraction of one.
"""

from .compatibility import compatibility_rows
from .graph import PreferenceGraph
from .preference import pgc_rows


def warm() -> None:
    """Compile, or load, what `scoring.services` uses."""
    pgc_rows([[0, 1]], PreferenceGraph([("a", "b")]))
    compatibility_rows([[0, 1]], [1.0, 0.0])


if __name__ == "__main__":
    warm()
