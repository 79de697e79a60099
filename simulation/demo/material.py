"""Folders of the demonstration studies, and the true quality of their items."""

import csv
from pathlib import Path

TEXT = Path(__file__).parent / "text"
IMAGES = Path(__file__).parent / "images"


def read_truth(folder: Path) -> dict[str, dict[str, float]]:
    """Read truth.tsv: topic id -> docno -> quality in [0, 4), whose whole part is the item's grade.

    Simulated assessors prefer the higher quality, more surely the larger the difference.
    """
    truth: dict[str, dict[str, float]] = {}
    with (folder / "truth.tsv").open(encoding="utf-8", newline="") as file:
        for topic, docno, quality in csv.reader(file, delimiter="\t"):
            truth.setdefault(topic, {})[docno] = float(quality)
    return truth
