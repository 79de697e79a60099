"""Derives the demonstration's grades, challenges and runs: `python -m simulation.demo.make_runs`.

Each run imitates a system that ranks by what it can see of the true quality, plus noise of its own.
The same truth gives the same files, byte for byte.
"""

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path

from simulation.demo.material import read_truth

Ranker = Callable[[random.Random, float], float]  # (randomness, true quality) -> the score it would give

RUN_LENGTH, PAGE_LENGTH = 10, 12
CHALLENGES = 6  # for each topic
ROWS = ((4, 4, 4), (5, 4, 3), (4, 5, 3), (5, 5, 2))  # row lengths of a page of PAGE_LENGTH

# The systems of the text half. `dense` sees the grade but hardly any difference within a grade:
# grades rate it close to `hybrid`, preferences tell the two apart.
RUNS: dict[str, Ranker] = {
    "hybrid": lambda rng, quality: quality + rng.gauss(0, 0.35),
    "dense": lambda rng, quality: int(quality) + 0.3 * (quality % 1) + rng.gauss(0, 0.5),
    "lexical": lambda rng, quality: quality + rng.gauss(0, 1.4),
    "shuffled": lambda rng, quality: rng.random(),
}
SCORES = {
    "hybrid": (0.033, -0.0015),
    "dense": (0.86, -0.021),
    "lexical": (18.4, -1.13),
    "shuffled": (10.0, -1.0),
}

# The systems of the image half. `captions` finds the right scene and only dimly sees how good a picture is.
GRIDS: dict[str, Ranker] = {
    "visual": lambda rng, quality: quality + rng.gauss(0, 0.45),
    "captions": lambda rng, quality: (2.0 if quality >= 1 else 0.8) + 0.6 * quality + rng.gauss(0, 0.65),
    "filenames": lambda rng, quality: 0.1 * quality + rng.gauss(0, 1.2),
}

Truth = dict[str, dict[str, float]]


def grades(truth: Truth) -> str:
    """Return the text of qrels.txt: an item's grade is the whole part of its quality."""
    lines = [f"{topic} 0 {docno} {int(q)}" for topic, items in truth.items() for docno, q in items.items()]
    return "\n".join(lines) + "\n"


def challenges(truth: Truth) -> str:
    """Return the text of challenges.txt: an excellent item (grade 3) against one off topic (grade 0).

    The better item is first in half of a topic's lines. It is always in the tournament's pool, as all items
    of grade 3 are; the other one never is.
    """
    lines = []
    for topic, items in truth.items():
        rng = random.Random(f"challenges {topic}")
        best = [docno for docno, quality in items.items() if quality >= 3]
        worst = [docno for docno, quality in items.items() if quality < 1]
        for i, (good, bad) in enumerate(rng.sample(list(product(best, worst)), CHALLENGES)):
            first, second = (good, bad) if i % 2 else (bad, good)
            lines.append(f"{topic} {first} {second} {good}")
    return "\n".join(lines) + "\n"


def ranking(name: str, ranker: Ranker, topic: str, items: dict[str, float], length: int) -> list[str]:
    """Rank a topic's items as a system would; return the first `length` docnos, best first."""
    rng = random.Random(f"{name} {topic}")
    found = {docno: ranker(rng, quality) for docno, quality in items.items()}
    return sorted(found, key=lambda docno: (-found[docno], docno))[:length]


def run(name: str, truth: Truth) -> str:
    """Return the text of one TREC run: topic, Q0, docno, rank, score, tag."""
    top, step = SCORES[name]
    lines = [
        f"{topic} Q0 {docno} {rank} {top + step * (rank - 1):.4f} {name}"
        for topic, items in truth.items()
        for rank, docno in enumerate(ranking(name, RUNS[name], topic, items, RUN_LENGTH), 1)
    ]
    return "\n".join(lines) + "\n"


def grid(name: str, truth: Truth) -> str:
    """Return the text of one run of pages of pictures: topic, docno, row, column, counted from 0."""
    lines = ["topic\tdocno\trow\tcolumn"]
    for topic, items in truth.items():
        docnos = iter(ranking(name, GRIDS[name], topic, items, PAGE_LENGTH))
        lengths = random.Random(f"rows {name} {topic}").choice(ROWS)
        for row, length in enumerate(lengths):
            lines += [f"{topic}\t{next(docnos)}\t{row}\t{column}" for column in range(length)]
    return "\n".join(lines) + "\n"


def write_all(root: Path) -> None:
    """Write qrels.txt, challenges.txt and runs/ into root/text and root/images, from the truth.tsv there."""
    for half in ("text", "images"):
        folder = root / half
        truth = read_truth(folder)
        (folder / "runs").mkdir(exist_ok=True)
        (folder / "qrels.txt").write_text(grades(truth), encoding="utf-8")
        (folder / "challenges.txt").write_text(challenges(truth), encoding="utf-8")
        if half == "text":
            for name in RUNS:
                (folder / "runs" / f"{name}.run").write_text(run(name, truth), encoding="utf-8")
        else:
            for name in GRIDS:
                (folder / "runs" / f"{name}.grid").write_text(grid(name, truth), encoding="utf-8")


if __name__ == "__main__":
    write_all(Path(__file__).parent)
