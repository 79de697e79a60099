"""Weights of topics in means, and which topics a mean is over."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from scoring.scores.stored_measures import OF_TOP

# Web processes do without.
if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def share(judged: int, asked: int) -> float:
    """Share of the questions asked on a topic so far that is answered: its weight in means, in [0, 1].

    So the first of 28 answers on a topic moves a mean by no more than it should. 1 if no tournament asks, as
    for recorded judgments alone.
    """
    return min(1.0, max(judged, 1) / asked) if asked else 1.0


def is_whole(judged: int, asked: int, full_rounds: int) -> bool:
    """Whether a topic is judged so far that it stands among finished ones: a round of all its contenders is
    complete, or every question asked so far is answered.

    Further rounds ask about fewer, so that a topic does not leave again as the next one begins.
    """
    return bool(judged) and (full_rounds > 0 or share(judged, asked) == 1.0)


def weights_of(
    judgments: Sequence[int], asked: Sequence[tuple[int, int, float]]
) -> "tuple[NDArray[np.float64], NDArray[np.bool_]]":
    """What each topic weighs in means (topics,), and which are whole: these their own weight, others a share
    of it.

    judgments: of each topic; asked: what was asked on it, its full rounds, and its weight.
    """
    import numpy as np

    rows = list(zip(judgments, asked, strict=True))
    full = np.array([is_whole(judged, of, rounds) for judged, (of, rounds, _) in rows], dtype=bool)
    shares = np.array([share(judged, of) for judged, (of, *_) in rows])
    own = np.array([weight for _, (*_, weight) in rows])
    return np.where(full, 1.0, shares) * own, full


def settled(measure: str, full: "NDArray[np.bool_]", topped: "NDArray[np.bool_]") -> "NDArray[np.bool_]":
    """Which topics a measure's mean is over, so that it is of one kind: those that are whole; of a measure
    whose ideal is another once the top is known (OF_TOP), those with a known top as soon as there are two,
    and until then the others.

    full, topped: (topics,), whether whole (`is_whole`), and whether the top items are known.
    """
    if measure not in OF_TOP:
        return full
    return full & topped if (full & topped).sum() >= 2 else full & ~topped
