"""How often intervals of differences of Bradley-Terry strengths hold the truth, on few topics.

Usage: python -m bench.coverage_of_strengths [--repetitions 300] [--samples 300] [--seed 1]

Five systems meet each other once on each of 5, 10 or 30 topics. Results follow Davidson's model of ties with
ν = .4, those of `rao-kupper` Rao and Kupper's with θ = 1.5. Printed for each way to find intervals: how often
those of 95 % of the differences of two systems hold the truth, the same of the two systems that are held
least often, and how many are open, so that they hold whatever is true.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from prefir.measures import Strengths, bootstrap_strengths, bradley_terry, penalized_bradley_terry

Values = NDArray[np.float64]
Duels = list[tuple[float, ...]]

NU, THETA = 0.4, 1.5
STRENGTHS = ((1.0, 0.5, 0.0, -0.5, -1.0), (3.0, 0.0, -0.2, -0.5, -2.3))


def davidson(gap: float) -> Values:
    """Chances (3,) of a win of the first, a loss and a tie; gap: the first strength less the second."""
    weights = np.array([np.exp(gap / 2), np.exp(-gap / 2), NU])
    return weights / weights.sum()


def rao_kupper(gap: float) -> Values:
    """Chances as those of `davidson`."""
    ratio = np.exp(gap)
    win, loss = ratio / (ratio + THETA), 1 / (1 + THETA * ratio)
    return np.array([win, loss, 1 - win - loss])


@dataclass(frozen=True)
class Way:
    """A way to find intervals, and the chances of the results that it is tried on."""

    name: str
    fit: Callable[[Duels, int], Strengths]
    chances: Callable[[float], Values] = davidson


def ways(samples: int) -> tuple[Way, ...]:
    """List the ways; samples: of the bootstrap."""
    return (
        Way("Davidson", bradley_terry),
        Way("Rao-Kupper", lambda duels, n: bradley_terry(duels, n, ties="rao-kupper"), rao_kupper),
        Way("bootstrap", lambda duels, n: bootstrap_strengths(duels, n, samples=samples)),
        Way("Firth", lambda duels, n: penalized_bradley_terry(duels, n, penalty="firth")),
        Way("ridge .1", lambda duels, n: penalized_bradley_terry(duels, n, penalty="ridge", weight=0.1)),
        Way("ridge 1", lambda duels, n: penalized_bradley_terry(duels, n, penalty="ridge", weight=1.0)),
    )


def draw_duels(
    random: np.random.Generator, true: Values, topics: int, chances: Callable[[float], Values]
) -> Duels:
    """Draw a duel of each two systems on each topic."""
    duels: Duels = []
    for one, other in combinations(range(len(true)), 2):
        results = random.multinomial(1, chances(true[one] - true[other]), size=topics)
        duels += [(topic, one, other, *result) for topic, result in enumerate(results.tolist())]
    return duels


def main() -> None:
    """Print a line for each case and way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--samples", type=int, default=300, help="of the bootstrap")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    for topics, strengths, way in product((5, 10, 30), STRENGTHS, ways(arguments.samples)):
        true = np.array(strengths)
        pairs = np.triu_indices(len(true), 1)
        held, wide = [], []
        for _ in range(arguments.repetitions):
            found = way.fit(draw_duels(random, true, topics, way.chances), len(true))
            with np.errstate(invalid="ignore"):  # two that won all: inf less inf
                off = np.subtract.outer(found.strengths, found.strengths) - np.subtract.outer(true, true)
            # Where one is above by wins alone, or no end is known, the interval is open.
            open_ = ~np.isfinite(found.gaps)
            held.append((open_ | (abs(off) <= found.gaps))[pairs])
            wide.append(open_[pairs])
        shares = np.mean(held, axis=0)
        print(
            f"{topics:3} topics, best {true[0]:g}, {way.name}: {shares.mean():.3f}, "
            f"least {shares.min():.3f}, open {np.mean(wide):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
