"""How often intervals of differences of penalized strengths hold the truth, on few topics.

Usage: python -m bench.coverage_of_penalties [--repetitions 300] [--seed 1]

Five systems meet each other once on each of 5, 10 or 30 topics; results follow Davidson's model with ν = .4.
Printed for each penalty of `penalized_bradley_terry`: how often 95 % intervals of differences hold the truth,
and the same of the two systems that are held least often.
"""

import argparse
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from prefir.measures import penalized_bradley_terry

Values = NDArray[np.float64]

TIE = 0.4
STRENGTHS = ((1.0, 0.5, 0.0, -0.5, -1.0), (3.0, 0.0, -0.2, -0.5, -2.3))
PENALTIES: tuple[dict[str, Any], ...] = (
    {"penalty": "firth"},
    {"penalty": "ridge", "weight": 0.1},
    {"penalty": "ridge", "weight": 1.0},
)


def draw_duels(random: np.random.Generator, true: Values, topics: int) -> list[tuple[float, ...]]:
    """Draw a duel of each two systems on each topic."""
    duels = []
    for one, other in combinations(range(len(true)), 2):
        half = np.exp((true[one] - true[other]) / 2)
        weights = np.array([half, 1 / half, TIE])
        results = random.multinomial(1, weights / weights.sum(), size=topics)
        duels += [(topic, one, other, *result) for topic, result in enumerate(results.tolist())]
    return duels


def main() -> None:
    """Print a line for each case and penalty."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--repetitions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    random = np.random.default_rng(arguments.seed)
    for topics, strengths, options in product((5, 10, 30), STRENGTHS, PENALTIES):
        true = np.array(strengths)
        pairs = np.triu_indices(len(true), 1)
        held = []
        for _ in range(arguments.repetitions):
            found = penalized_bradley_terry(draw_duels(random, true, topics), len(true), **options)
            off = np.subtract.outer(found.strengths, found.strengths) - np.subtract.outer(true, true)
            held.append((abs(off) <= found.gaps)[pairs])
        shares = np.mean(held, axis=0)
        least = shares.min()
        print(f"{topics:3} topics, best {true[0]:g}, {options}: {shares.mean():.3f}, least {least:.3f}")


if __name__ == "__main__":
    main()
