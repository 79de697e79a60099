"""Hard material made up by a seed: passages of a thousand words, photographs of twelve megapixels, runs."""

import json
import random
import zipfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

TOPICS, ITEMS = 3, 24
WORDS = 1000
# Width, height: a camera's, a telephone's held upright, a screen shot's, an icon's.
SIZES = ((4000, 3000), (1080, 2400), (1600, 900), (64, 64))
RUNS = ("first", "second")
ROWS = (5, 2, 7, 3, 4)  # pictures in the rows of a grid
SEED = "desk"


def grade(number: int) -> int:
    """The grade of a topic's item: a quarter of them are for challenges."""
    return 0 if number >= 3 * ITEMS // 4 else 3 if number < ITEMS // 4 else 2


def write_files(folder: Path) -> None:
    """Write topics.tsv, grades.qrels, items.jsonl, pictures.zip, and a ranking and a grid of each run."""
    rng = random.Random(SEED)
    topics = {f"t{n}": [f"t{n}-{i:02}" for i in range(ITEMS)] for n in range(1, TOPICS + 1)}
    vocabulary = ["".join(rng.choices("abcdefghiklmnoprstu", k=rng.randint(2, 9))) for _ in range(3000)]
    lines(folder / "topics.tsv", (f"{topic}\t{' '.join(rng.choices(vocabulary, k=7))}?" for topic in topics))
    items = [(topic, n, docno) for topic, own in topics.items() for n, docno in enumerate(own)]
    lines(folder / "grades.qrels", (f"{topic} 0 {docno} {grade(n)}" for topic, n, docno in items))
    lines(
        folder / "items.jsonl",
        (
            json.dumps({"docno": docno, "topic": topic, "text": " ".join(rng.choices(vocabulary, k=WORDS))})
            for topic, _, docno in items
        ),
    )
    with zipfile.ZipFile(folder / "pictures.zip", "w") as archive:
        for topic, n, docno in items:
            archive.writestr(f"{topic}/{docno}.jpg", photograph(*SIZES[n % len(SIZES)], rng))
    for tag in RUNS:
        orders = {topic: rng.sample(own, len(own)) for topic, own in topics.items()}
        lines(folder / f"{tag}.run", _ranking(orders, tag))
        lines(folder / f"{tag}.grid", _grid(orders))


def photograph(width: int, height: int, rng: random.Random) -> bytes:
    """A JPEG with as much detail as a photograph has: coarse noise enlarged, with fine noise over it."""
    from PIL import Image

    coarse = Image.frombytes("RGB", (32, 24), rng.randbytes(3 * 32 * 24)).resize((width, height))
    fine = Image.effect_noise((width // 4 or 1, height // 4 or 1), 60).resize((width, height)).convert("RGB")
    file = BytesIO()
    Image.blend(coarse, fine, 0.3).save(file, "JPEG", quality=88)
    return file.getvalue()


def _ranking(orders: dict[str, list[str]], tag: str) -> Iterator[str]:
    for topic, order in orders.items():
        for rank, docno in enumerate(order, 1):
            yield f"{topic} Q0 {docno} {rank} {1000 - rank} {tag}"


def _grid(orders: dict[str, list[str]]) -> Iterator[str]:
    yield "topic\tdocno\trow\tcolumn"
    for topic, order in orders.items():
        own = iter(order)
        for row, width in enumerate(ROWS):
            yield from (f"{topic}\t{next(own)}\t{row}\t{column}" for column in range(width))


def lines(path: Path, of: Iterator[str]) -> None:
    """Write lines into a file."""
    path.write_text("".join(f"{line}\n" for line in of), encoding="utf-8")
