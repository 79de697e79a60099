"""What is measured on: grades of a track, runs made from them, and graphs. All of it seeded."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

QRELS = Path(__file__).parents[2].parent / "shared" / "data" / "cast2019" / "2019qrels.txt"
POOL = 5000  # docnos of a topic that nobody judged

Grades = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured: the real sizes, or next to nothing for a test."""

    topics: int = 173
    runs: int = 42
    depth: int = 1000
    dict_runs: int = 6  # of the runs, those that are also made as dictionaries with scores
    pairs: int = 1_000_000
    searched_pairs: int = 200
    items: int = 210
    edges: tuple[int, ...] = (1_000, 10_000, 100_000)


TINY = Size(topics=3, runs=3, depth=250, dict_runs=2, pairs=50, searched_pairs=2, items=12, edges=(20,))


@dataclass(frozen=True, slots=True)
class Track:
    """Grades by topic, and runs: topic -> docnos, best first. told: where the grades are from."""

    grades: Grades
    runs: dict[str, dict[str, list[str]]]
    told: str

    def with_scores(self, count: int) -> dict[str, dict[str, dict[str, float]]]:
        """The first runs as topic -> docno -> score; strings of their own, as a file's reader has them."""
        return {
            run: {
                topic: {
                    docno: float(len(ranking) - at)
                    for at, docno in enumerate(" ".join(ranking).split())  # new strings
                }
                for topic, ranking in topics.items()
            }
            for run, topics in list(self.runs.items())[:count]
        }


def track(size: Size) -> Track:
    """Runs of `depth` docnos: noise over the grades, each judged item followed by an unjudged one."""
    grades, told = cast() if QRELS.is_file() else made_up()
    grades = dict(list(grades.items())[: size.topics])
    rng = np.random.default_rng(2019)
    runs: dict[str, dict[str, list[str]]] = {f"run-{number:02}": {} for number in range(size.runs)}
    for topic, graded in grades.items():
        docnos = np.array([*graded, *(f"UNJUDGED_{topic}_{number:04}" for number in range(POOL))], object)
        levels = np.array(list(graded.values()), float)
        for number, rankings in enumerate(runs.values()):
            noise = rng.normal(0, 1 + number / 10, levels.size)
            ranking = len(levels) + rng.permutation(POOL)[: max(size.depth, levels.size)]
            ranking = np.insert(ranking, np.arange(levels.size), np.argsort(noise - levels))[: size.depth]
            rankings[topic] = docnos[ranking].tolist()
    return Track(grades, runs, told)


def cast() -> tuple[Grades, str]:
    """The grades of CAsT 2019."""
    grades: Grades = {}
    with QRELS.open() as qrels:
        for row in qrels:
            topic, _, docno, grade = row.split()
            grades.setdefault(topic, {})[docno] = int(grade)
    return grades, "the grades of TREC CAsT 2019"


def made_up() -> tuple[Grades, str]:
    """Grades in the proportions of CAsT 2019, where its file is not at hand."""
    rng = np.random.default_rng(2018)
    drawn = rng.choice(5, (173, 170), p=(0.72, 0.09, 0.07, 0.06, 0.06)).tolist()
    grades = {
        f"topic-{topic}": {f"JUDGED_{topic}_{at:03}": grade for at, grade in enumerate(row)}
        for topic, row in enumerate(drawn)
    }
    return grades, "made-up grades in the proportions of TREC CAsT 2019"


def graded_edges(items: int, flipped: float) -> list[tuple[int, int]]:
    """Edges between items of different grades, few of them above 0; a share of them turned round."""
    rng = np.random.default_rng(1)
    shares = np.array([10, 12, 7, 181]) / 210
    grades = rng.permutation(np.repeat([3, 2, 1, 0], np.round(shares * items).astype(int)))
    better, worse = np.nonzero(grades[:, np.newaxis] > grades)
    turned = rng.random(better.size) < flipped
    return [
        (int(v), int(u)) if turn else (int(u), int(v))
        for u, v, turn in zip(better, worse, turned, strict=True)
    ]


def random_edges(nodes: int, edges: int, cycles: bool) -> list[tuple[int, int]]:
    """Edges between items drawn alike, parallel ones among them; without cycles the lower number wins."""
    rng = np.random.default_rng(nodes + edges)
    u = rng.integers(0, nodes, edges)
    v = (u + rng.integers(1, nodes, edges)) % nodes
    if not cycles:
        u, v = np.minimum(u, v), np.maximum(u, v)
    return list(zip(u.tolist(), v.tolist(), strict=True))


def spread(items: int, depth: int) -> list[str]:
    """A run of `depth` in which numbered items stand scattered among others."""
    rng = np.random.default_rng(items)
    run: list[Any] = [f"x{at}" for at in range(depth)]
    places = np.sort(rng.permutation(depth)[: min(items, depth)])
    for place, item in zip(places.tolist(), rng.permutation(items).tolist(), strict=False):
        run[place] = named(item)
    return run


def named(item: int) -> str:
    """A docno whose order is the number's."""
    return f"d{item:06}"
