"""Reads the demonstration's committed files, for the tests: topics, passages, grades, runs, challenges."""

import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cell:
    """Where a run places a picture on its page; row and column count from 0."""

    docno: str
    row: int
    column: int


def _rows(path: Path, separator: str | None = "\t") -> list[list[str]]:
    return [line.split(separator) for line in path.read_text(encoding="utf-8").splitlines()]


def read_topics(folder: Path) -> dict[str, str]:
    """Topic id -> the question or query, from topics.tsv."""
    return dict(row for row in _rows(folder / "topics.tsv"))


def read_passages(folder: Path) -> dict[str, dict[str, str]]:
    """Topic id -> docno -> text, from items.jsonl."""
    passages: dict[str, dict[str, str]] = {}
    for line in (folder / "items.jsonl").read_text(encoding="utf-8").splitlines():
        item = json.loads(line)
        passages.setdefault(item["topic"], {})[item["docno"]] = item["text"]
    return passages


def read_grades(folder: Path) -> dict[str, dict[str, int]]:
    """Topic id -> docno -> grade 0-3, from qrels.txt."""
    grades: dict[str, dict[str, int]] = {}
    for topic, _, docno, grade in _rows(folder / "qrels.txt", None):
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def read_runs(folder: Path) -> dict[str, dict[str, list[str]]]:
    """Run name -> topic id -> docnos, best first, from runs/*.run."""
    runs: dict[str, dict[str, list[str]]] = {}
    for path in sorted((folder / "runs").glob("*.run")):
        ranked: dict[str, list[tuple[float, str]]] = {}
        for topic, _, docno, _, score, _ in _rows(path, None):
            ranked.setdefault(topic, []).append((-float(score), docno))
        runs[path.stem] = {topic: [docno for _, docno in sorted(found)] for topic, found in ranked.items()}
    return runs


def read_grids(folder: Path) -> dict[str, dict[str, list[Cell]]]:
    """Run name -> topic id -> cells, left to right and top to bottom, from runs/*.grid."""
    grids: dict[str, dict[str, list[Cell]]] = {}
    for path in sorted((folder / "runs").glob("*.grid")):
        pages: dict[str, list[Cell]] = {}
        for topic, docno, row, column in _rows(path)[1:]:
            pages.setdefault(topic, []).append(Cell(docno, int(row), int(column)))
        grids[path.stem] = {
            topic: sorted(cells, key=lambda cell: (cell.row, cell.column)) for topic, cells in pages.items()
        }
    return grids


def read_challenges(folder: Path) -> list[tuple[str, str, str, str]]:
    """Rows of challenges.txt: topic id, two docnos, and which of them any attentive person prefers."""
    return [(topic, a, b, winner) for topic, a, b, winner in _rows(folder / "challenges.txt", None)]
