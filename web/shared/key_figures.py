"""Key figures: a row of numbers below a verdict, each with what it counts and what it is of."""

from typing import NamedTuple


class KeyFigure(NamedTuple):
    """A figure below a verdict: what it counts, and what it is of. look: somebody has to look at it."""

    title: str
    figure: str
    of: str
    look: bool = False
