"""Simulation of tournaments: assessors who follow known grades, and what a strategy finds with them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from .state import Asked, Choice, Pair, State
from .strategy import Settings, Strategy


@dataclass(frozen=True)
class PlayOutcome:
    """Result of one simulated tournament.

    judgments: answers that were asked for. rounds: how many waited for each other. best: whether the truly
    best item is in the top that was found. top: the share, 0 to 1, of the true top k that is.
    """

    judgments: int
    rounds: int
    best: bool
    top: float


def simulate(
    strategy: Strategy, settings: Settings, grades: Sequence[float], *, noise: float = 0.0, seed: str
) -> PlayOutcome:
    """Simulate a tournament of pairs among items of known grades, to its end.

    grades (items,): a pool's; equal ones are put in an order drawn from the seed, and so is everything else.
    noise: the share of answers at random, 0 to 1, so that of 100 answers 100 - 50 noise prefer the better
    item. Cost: that of playing the tournament once for each of its rounds.

    Raises ValueError for a strategy that asks no pairs, or a noise out of range.
    """
    if strategy.asks != "pair":
        raise ValueError(f"A {strategy.name} tournament asks no pairs.")
    if not 0 <= noise <= 1:
        raise ValueError(f"the noise is {noise}; it must lie between 0 and 1")
    full, random = strategy.complete(settings), Random(seed)
    order = [random.random() for _ in grades]

    def play(answers: Mapping[Pair, Sequence[int]]) -> State:
        return strategy.play(range(len(grades)), answers, full, seed=seed)

    end = play_out(play, assessor(grades, random, noise, order), full["judgments_per_pair"])
    best_first = sorted(range(len(grades)), key=lambda item: (-grades[item], -order[item]))[: full["k"]]
    found = {item for place in end.top or () for item in place}
    return PlayOutcome(
        judgments=sum(end.wanted().values()),
        rounds=len(end.rounds),
        best=bool(best_first) and best_first[0] in found,
        top=len(found.intersection(best_first)) / len(best_first) if best_first else 1.0,
    )


def assessor(
    grades: Sequence[float], random: Random, noise: float, order: Sequence[float] | None = None
) -> Callable[[Asked], int]:
    """Simulated assessor: prefers higher grades, breaks ties by a fixed order (random unless given), and
    sometimes answers at random.
    """
    places = [random.random() for _ in grades] if order is None else order

    def answer(pair: Asked) -> int:
        if noise and random.random() < noise:
            return Choice.FIRST if random.random() < 0.5 else Choice.SECOND
        first, second = ((grades[item], places[item]) for item in pair)
        return Choice.FIRST if first > second else Choice.SECOND

    return answer


def play_out(
    play: Callable[[Mapping[Pair, list[int]]], State], answer: Callable[[Asked], int], per_pair: int
) -> State:
    """Play a tournament to its end, answering every open pair `per_pair` times."""
    answers: dict[Pair, list[int]] = {}
    while not (state := play(answers)).finished:
        for pair in state.open_pairs:
            answers.setdefault((pair[0], pair[1]), []).extend(answer(pair) for _ in range(per_pair))
    return state
