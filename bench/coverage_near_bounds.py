"""How often intervals of win rates, strengths and means hold the truth near 1, on few topics.

Usage: python -m bench.coverage_near_bounds [--repetitions 2000] [--seed 0]

The best of three systems is preferred to either of the others with a chance of .9, .95 or .98, on 5, 10 or
20 topics of 1 or 4 judgments for each two systems. Topics are alike, or the chance differs from topic to
topic (a beta distribution with a correlation of .2 within topics); without ties, or with half of the
judgments that are not won lost to ties. Printed for each: how often 95 % intervals hold the truth, of the
best system's win rate (`mean_intervals` of each topic's share), its strength and the others'
(`bradley_terry`); and how many of the best system's intervals are open: its strength has no upper end. Then
the same of means of scores that follow a beta distribution, of correlation .1 (smooth) and .3 (most are near
1, few far below). Cells above .97 are marked >: wider than they need be. Cells below .93 are marked <.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from prefir.measures import Fit, Strengths, bradley_terry, mean_intervals

Values = NDArray[np.float64]

CHANCES, TOPICS = (0.9, 0.95, 0.98), (5, 10, 20)
PAIRS = ((0, 1), (0, 2), (1, 2))
LEAST, MOST = 0.93, 0.97
TOGETHER = 50


@dataclass(frozen=True)
class Case:
    """A kind of study: judgments of each pair a topic, correlation within topics, share of ties."""

    name: str
    judgments: int
    correlation: float
    ties: float


CASES = (
    Case("alike topics", 1, 0.0, 0.0),
    Case("alike topics, ties", 1, 0.0, 0.5),
    Case("alike topics", 4, 0.0, 0.0),
    Case("alike topics, ties", 4, 0.0, 0.5),
    Case("topics differ", 4, 0.2, 0.0),
    Case("topics differ, ties", 4, 0.2, 0.5),
)


@dataclass(frozen=True)
class Held:
    """Shares over repetitions: intervals that hold the truth, and those of the best that are open."""

    win_rate: float
    best: float
    others: float
    open: float


def outcomes(chances: Values, ties: float) -> Values:
    """Chances (..., 3) of a win, a loss and a tie, which keep the mean where a tie is half a win."""
    tied = 2 * ties * np.minimum(chances, 1 - chances)
    return np.stack([chances - tied / 2, 1 - chances - tied / 2, tied], axis=-1)


def spread(chance: float, correlation: float, shape: tuple[int, ...], random: np.random.Generator) -> Values:
    """Chances of topics, with this mean."""
    if not correlation:
        return np.full(shape, chance)
    size = 1 / correlation - 1
    return random.beta(chance * size, (1 - chance) * size, size=shape)


def held(case: Case, chance: float, topics: int, repetitions: int, seed: int = 0) -> Held:
    """Simulate studies and look how often their intervals hold the truth."""
    random = np.random.default_rng(seed)
    own = (chance, chance, 0.5)
    drawn = [outcomes(spread(one, case.correlation, (repetitions, topics), random), case.ties) for one in own]
    counts = np.stack([random.multinomial(case.judgments, one) for one in drawn], axis=2).astype(np.float64)
    best = counts[:, :, :2]
    shares = ((best[..., 0] + best[..., 2] / 2).sum(axis=2) / best.sum(axis=(2, 3))).T
    truth = _strengths(drawn)
    rows = np.array([(topic, *pair) for topic in range(topics) for pair in PAIRS], np.float64)
    found = [bradley_terry(np.column_stack([rows, one.reshape(-1, 3)]), 3) for one in counts]
    ends = np.array([[_holds(one, truth, system) for system in range(3)] for one in found])
    return Held(
        _means_held(shares, chance),
        float(ends[:, 0].mean()),
        float(ends[:, 1:].mean()),
        float(np.mean([np.isinf(one.highs[0]) for one in found])),
    )


def _strengths(drawn: list[Values]) -> Values:
    """What the strengths would be if every topic's chances were known."""
    means = [one.mean(axis=(0, 1)) for one in drawn]
    rows = [(0, *pair, *mean) for pair, mean in zip(PAIRS, means, strict=True)]
    return bradley_terry(rows, 3, intervals=False).strengths


def _holds(found: Strengths, truth: Values, system: int) -> bool:
    """Whether the interval holds the truth, on the scale of its own systems."""
    fitted = [i for i, one in enumerate(found.statuses) if one is Fit.FITTED]
    zero = truth[fitted].mean() if fitted else 0.0
    return bool(found.lows[system] <= truth[system] - zero <= found.highs[system])


def mean_held(chance: float, correlation: float, topics: int, repetitions: int, seed: int = 0) -> float:
    """How often intervals of the mean of smooth scores hold it."""
    random = np.random.default_rng(seed)
    return _means_held(spread(chance, correlation, (topics, repetitions), random), chance)


def _means_held(values: Values, truth: float) -> float:
    """The share of columns whose interval holds the truth; few at once, for ranks take their square."""
    held = 0
    for start in range(0, values.shape[1], TOGETHER):
        found = mean_intervals(values[:, start : start + TOGETHER], bounds=(0, 1))
        held += int(((found.lows <= truth) & (truth <= found.highs)).sum())
    return held / values.shape[1]


def marked(share: float) -> str:
    """A share with what is outside .93 to .97 marked."""
    return f"{share:.3f}{' >' if share > MOST else ' <' if share < LEAST else ''}"


def lines(repetitions: int, seed: int) -> Iterator[str]:
    """The tables, in Markdown."""
    yield "| judgments | study | chance | topics | win rate | strength of the best | of the others | open |"
    yield "|---:|---|---:|---:|---:|---:|---:|---:|"
    for case, chance, topics in tqdm(list(product(CASES, CHANCES, TOPICS)), "Cells", disable=None):
        found = held(case, chance, topics, repetitions, seed)
        cells = " | ".join(map(marked, (found.win_rate, found.best, found.others)))
        yield f"| {case.judgments} | {case.name} | {chance} | {topics} | {cells} | {found.open:.2f} |"
    yield ""
    yield "| mean of scores | topics | smooth | few far below |"
    yield "|---:|---:|---:|---:|"
    for chance, topics in product(CHANCES, TOPICS):
        cells = " | ".join(
            marked(mean_held(chance, one, topics, 10 * repetitions, seed)) for one in (0.1, 0.3)
        )
        yield f"| {chance} | {topics} | {cells} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    for line in lines(given.repetitions, given.seed):
        print(line, flush=True)


if __name__ == "__main__":
    main()
