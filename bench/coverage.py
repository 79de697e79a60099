"""How often a leaderboard's intervals hold the truth, while finished and unfinished topics are mixed.

Usage: python -m bench.coverage [--repetitions 200] [QRELS]

Six runs of known quality rank the judged items of TREC CAsT 2019: by their grades and, among equal grades, by
an order of the simulation, with more noise from run to run. Simulated assessors answer crowd tournaments by
the same order, erring as in the model of Bradley and Terry. A study has some of the topics, drawn with
replacement; of each the tournament is finished, has a full round, has half of its first round, or has not
begun. The truth is a run's mean over all topics played to their end. Printed for each situation: how many
intervals of 95 % hold it, over which topics the product averages and, beside that, over all whole ones
whatever their ideal rests on; the width; how many ranges of ranks hold the true rank; and how close the order
is to the true one.
"""

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import exp
from pathlib import Path
from random import Random

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from prefir.measures import PreferenceGraph, Rankings, kendall_tau_b, mean_intervals
from prefir.rules import Choice, Pair, State, initial_pool, play
from scoring.scores.stored_measures import OF_TOP, USUAL, Evidence, values
from scoring.scores.topic_weights import settled

QRELS = Path(__file__).parents[2] / "shared" / "data" / "cast2019" / "2019qrels.txt"
P = 0.95
K = 5
# Standard deviation of the noise in each run, in grades: the first is the best.
NOISE = (0.4, 1.0, 1.4, 1.6, 2.2, 3.0)
# An assessor prefers the better of two items that are a grade apart in 88 of 100 answers.
CERTAINTY = 2.0
FINISHED, WHOLE, PART, UNTOUCHED = range(4)


@dataclass(frozen=True)
class Situation:
    """A state of a study: how many topics, and the shares that are finished, whole, and judged in part."""

    name: str
    topics: int
    shares: tuple[float, float, float]


SITUATIONS = (
    Situation("all finished", 60, (1.0, 0.0, 0.0)),
    Situation("mostly finished", 60, (0.7, 0.15, 0.15)),
    Situation("mixed", 60, (0.4, 0.3, 0.15)),
    Situation("early", 60, (0.1, 0.4, 0.2)),
    Situation("mixed, few topics", 12, (0.5, 0.25, 0.25)),
    Situation("all finished, few topics", 5, (1.0, 0.0, 0.0)),
)

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Played:
    """A tournament that was played to its end: scores (measures, runs) of each of its states.

    part: after half of the first round. rounds: after each round but the last. end: with the top known.
    """

    part: Scores
    rounds: tuple[Scores, ...]
    end: Scores


class Simulated:
    """A topic as it is simulated: its items, their true order, the runs' rankings."""

    def __init__(self, topic: str, grades: Mapping[str, float], seed: str) -> None:
        self.topic, self.grades, self.seed = topic, grades, f"{seed}:{topic}"
        random = Random(self.seed)
        self.docnos = sorted(grades)
        self.worth = {docno: grades[docno] + random.random() for docno in self.docnos}
        self.runs: dict[str, dict[str, list[str]]] = {}
        for run, noise in enumerate(NOISE):
            seen = {docno: self.worth[docno] + random.gauss(0, noise) for docno in self.docnos}
            self.runs[f"{run}"] = {topic: sorted(self.docnos, key=lambda docno, seen=seen: -seen[docno])}  # type: ignore[misc]

    @cached_property
    def pool(self) -> list[int]:
        """The candidates, as the product chooses them."""
        return initial_pool({i: self.grades[docno] for i, docno in enumerate(self.docnos)}, K)

    def played(self, number: int) -> Played:
        """Play a tournament to its end, each time with other answers."""
        random, seed = Random(f"{self.seed}:{number}"), f"{self.seed}:{number}"
        answers: dict[Pair, list[int]] = {}
        edges: list[tuple[str, str]] = []
        part, rounds = None, []
        while not (state := play(self.pool, answers, k=K, seed=seed)).finished:
            if edges:
                rounds.append(self._scores(edges, None))
            half = len(state.open_pairs) // 2
            for place, (one, other, *_) in enumerate(state.open_pairs):
                if part is None and place == half:
                    part = self._scores(edges, None)
                first, second = self.docnos[one], self.docnos[other]
                better = random.random() < 1 / (1 + exp(CERTAINTY * (self.worth[second] - self.worth[first])))
                answers.setdefault((one, other), []).append(Choice.FIRST if better else Choice.SECOND)
                edges.append((first, second) if better else (second, first))
        assert part is not None
        return Played(part, tuple(rounds), self._scores(edges, state))

    def _scores(self, edges: list[tuple[str, str]], end: State | None) -> Scores:
        """Scores (measures, runs) by the measures that the product stores."""
        levels = {docno: grade for docno, grade in self.grades.items() if grade > 0}
        if end is not None and end.top is not None:
            # As `collection.material.levels` has it: the top above all grades, ties on one level.
            above = max(self.grades.values())
            for step, place in enumerate(reversed(end.top), 1):
                levels |= {self.docnos[item]: above + step for item in place}
        graph = PreferenceGraph(edges)
        rankings = Rankings(self.runs, judged={self.topic: (*graph.nodes, *levels)})
        found = values(Evidence(self.topic, graph, levels, rankings), [P])
        return np.array([[run[0] for run in found[measure]] for measure in USUAL])


def bank(grades: Mapping[str, Mapping[str, float]], times: int, seed: str = "coverage") -> list[Played]:
    """Play every topic with a pool of two items or more `times` times."""
    topics = [Simulated(topic, own, seed) for topic, own in sorted(grades.items())]
    work = [(topic, number) for topic in topics if len(topic.pool) > 1 for number in range(times)]
    return [topic.played(number) for topic, number in tqdm(work, "Tournaments", disable=None)]


def grades_of(path: Path) -> dict[str, dict[str, float]]:
    """Grades by topic and docno of a qrels file."""
    found: dict[str, dict[str, float]] = {}
    for line in path.read_text().splitlines():
        topic, _, docno, grade = line.split()
        found.setdefault(topic, {})[docno] = float(grade)
    return found


@dataclass(frozen=True)
class Covered:
    """Shares over repetitions and runs, of one measure in one situation.

    held: intervals that hold the truth; mixed: the same if it were over all whole topics. width: the mean of
    the intervals'. ranks: ranges that hold the true rank. tau: mean Kendall tau-b with the true order.
    """

    measure: str
    held: float
    mixed: float
    width: float
    ranks: float
    tau: float


def covered(played: list[Played], situation: Situation, repetitions: int, seed: int = 0) -> Iterator[Covered]:
    """Simulate a situation many times, and compare each measure's means with the truth."""
    truth = np.mean([one.end for one in played], axis=0)
    random = np.random.default_rng(seed)
    found: dict[str, list[tuple[float, ...]]] = {measure: [] for measure in USUAL}
    for _ in range(repetitions):
        scores, full, topped = _drawn(played, situation, random)
        for place, measure in enumerate(USUAL):
            own, true = scores[:, place], truth[place]
            over = settled(measure, full, topped)
            if measure in OF_TOP and (full & topped).sum() < 2:
                continue  # of the other kind, whose truth is another
            interval = mean_intervals(own[over], bounds=(0.0, 1.0))
            every = mean_intervals(own[full], bounds=(0.0, 1.0))
            ranks = zip(interval.ranks, 1 + np.argsort(np.argsort(-true)), strict=True)
            ranged = [ends is not None and ends[0] <= rank <= ends[1] for ends, rank in ranks]
            found[measure].append(
                (
                    float(np.mean((interval.lows <= true) & (true <= interval.highs))),
                    float(np.mean((every.lows <= true) & (true <= every.highs))),
                    float(np.mean(interval.highs - interval.lows)),
                    float(np.mean(ranged)),
                    kendall_tau_b(interval.means.tolist(), true.tolist()),
                )
            )
    for measure, rows in found.items():
        yield Covered(measure, *np.mean(rows, axis=0).tolist())


def _drawn(
    played: list[Played], situation: Situation, random: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """A study: scores (topics, measures, runs) as far as they are judged; which are whole, and finished."""
    finished, whole, part = situation.shares
    shares = (finished, whole, part, max(0.0, 1.0 - finished - whole - part))
    scores, full, topped = [], [], []
    states = random.choice(4, size=situation.topics, p=shares)
    for state, pick in zip(states, random.integers(len(played), size=situation.topics), strict=True):
        one = played[pick]
        if state == UNTOUCHED:
            continue
        # A small pool is finished with its first full round.
        done = state == FINISHED or (state == WHOLE and not one.rounds)
        later = one.rounds[random.integers(len(one.rounds))] if state == WHOLE and one.rounds else one.part
        scores.append(one.end if done else later)
        full.append(done or state == WHOLE)
        topped.append(done)
    return np.array(scores), np.array(full), np.array(topped)


def main() -> None:
    """Print a line for each situation and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("qrels", type=Path, nargs="?", default=QRELS)
    parser.add_argument("--repetitions", type=int, default=200)
    chosen = parser.parse_args()
    played = bank(grades_of(chosen.qrels), times=5)
    print("| topics | situation | measure | truth in interval | over mixed ideals | width |", end="")
    print(" true rank in range | τ with the true order |\n|---:|---|---|---:|---:|---:|---:|---:|")
    for situation in SITUATIONS:
        for one in covered(played, situation, chosen.repetitions):
            shares = (one.held, one.mixed, one.width, one.ranks, one.tau)
            figures = " | ".join(f"{figure:.3f}" for figure in shares)
            print(f"| {situation.topics} | {situation.name} | {one.measure} | {figures} |")


if __name__ == "__main__":
    main()
