"""The study of a campaign under fire: topics, items whose text says how good they are, who prefers what."""

import json
import random
import re
import tempfile
from pathlib import Path

from tests.public_data import DATA
from tests.stack import Stack

SLUG = "chaos"
QUALITY = re.compile(r"Quality (\d+)\.")


def prefer(one: str, other: str) -> int:
    """The passage of the higher quality, which stands in its text."""
    gap = [int(found[1]) if (found := QUALITY.search(text)) else 0 for text in (one, other)]
    return (gap[0] > gap[1]) - (gap[0] < gap[1])


def make_study(stack: Stack, topics: int) -> None:
    """Make, load and open the study."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write(folder, topics)
        stack.manage(
            *("study", SLUG, "--title", "Chaos", "--seed", "chaos", "--asked-by", "Ada"),
            *("--contact", "ada@example.org", "--minutes", "5", "--idle-minutes", "2"),
        )
        stack.manage("load", SLUG, "topics", str(folder / "topics.tsv"))
        stack.manage("load", SLUG, "items", str(folder / "items.jsonl"))
        stack.manage("load", SLUG, "qrels", str(folder / "grades.qrels"))
        stack.manage("start", SLUG)
        stack.manage("catchup")


def _write(folder: Path, topics: int) -> None:
    """Write topics, items whose text says how good they are, and grades."""
    grades = _cast() if topics == 173 and DATA.is_dir() else _made_up(topics)
    chooser = random.Random("chaos")
    with (
        (folder / "topics.tsv").open("w") as about,
        (folder / "items.jsonl").open("w") as items,
        (folder / "grades.qrels").open("w") as qrels,
    ):
        for topic, graded in grades.items():
            about.write(f"{topic}\tWhat about {topic}?\n")
            for docno, grade in graded.items():
                quality = max(grade, 0) * 1000 + chooser.randrange(1000)
                text = f"Passage {docno}. Quality {quality}."
                items.write(json.dumps({"docno": docno, "topic": topic, "text": text}) + "\n")
                qrels.write(f"{topic} 0 {docno} {grade}\n")


def _cast() -> dict[str, dict[str, int]]:
    """The grades of CAsT 2019."""
    grades: dict[str, dict[str, int]] = {}
    for line in (DATA / "cast2019" / "2019qrels.txt").read_text().splitlines():
        topic, _, docno, grade = line.split()
        grades.setdefault(topic, {})[docno] = int(grade)
    return grades


def _made_up(topics: int) -> dict[str, dict[str, int]]:
    """Ten good and four bad items a topic: a round of pairs before the final."""
    return {f"t{t:03}": {f"t{t:03}-d{n:02}": int(n < 10) for n in range(14)} for t in range(1, topics + 1)}
