"""One small example file of each kind. Loaded one after another they make a study that can be opened."""

import io
import json
import zipfile
from collections.abc import Iterable

from PIL import Image

# Topic -> (text, passages best first with their grades).
PASSAGES: dict[str, tuple[str, list[tuple[str, int]]]] = {
    "tides": (
        "What causes the tides?",
        [
            ("The Moon pulls the near side of the ocean more than the far side, which raises two bulges.", 3),
            ("Tides follow the Moon's pull; the Sun adds to it at new and full moon.", 3),
            ("High water comes about every twelve hours and twenty-five minutes.", 2),
            ("Sailors keep tables of the tides for every harbour.", 1),
            ("Sea water is salty because rivers carry minerals into it.", 0),
            ("The Moon has no air, so its sky is black by day.", 0),
        ],
    ),
    "yeast": (
        "Why does yeast make bread rise?",
        [
            ("Yeast turns sugar into carbon dioxide, and the dough's gluten holds the bubbles.", 3),
            ("It breathes out gas that is caught in the dough, which swells until the oven sets it.", 3),
            ("Dough rises faster in a warm place, since yeast likes warmth.", 2),
            ("Bakers sell fresh yeast in small cubes.", 1),
            ("Rye bread keeps longer than white bread.", 0),
            ("Wheat was first grown in the Fertile Crescent.", 0),
        ],
    ),
}
PICTURES = {
    "lighthouse-1": "#2b4c7e",
    "lighthouse-2": "#e8a33d",
    "lighthouse-3": "#7a2e3a",
    "lighthouse-4": "#4f7f52",
}


def topics() -> bytes:
    """The topics of the passages, and one for the pictures."""
    rows = [(topic, text) for topic, (text, _) in PASSAGES.items()]
    return _lines("\t".join(row) for row in [*rows, ("lighthouse", "lighthouse at dusk")])


def items() -> bytes:
    """Every passage."""
    return _lines(
        json.dumps({"docno": f"{topic}-{n}", "topic": topic, "text": text})
        for topic, (_, passages) in PASSAGES.items()
        for n, (text, _) in enumerate(passages, 1)
    )


def images() -> bytes:
    """A zip of four pictures of one colour in the folder of their topic."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for docno, colour in PICTURES.items():
            picture = io.BytesIO()
            Image.new("RGB", (64, 48), colour).save(picture, "PNG")
            archive.writestr(f"lighthouse/{docno}.png", picture.getvalue())
    return packed.getvalue()


def qrels() -> bytes:
    """The passages' grades."""
    return _lines(
        f"{topic} 0 {topic}-{n} {grade}"
        for topic, (_, passages) in PASSAGES.items()
        for n, (_, grade) in enumerate(passages, 1)
    )


def run() -> bytes:
    """A run that ranks four passages of each topic."""
    return _lines(
        f"{topic} Q0 {topic}-{n} {rank} {15 - 1.5 * rank} bm25"
        for topic in PASSAGES
        for rank, n in enumerate((2, 1, 5, 3), 1)
    )


def grid() -> bytes:
    """A run that shows the pictures in two rows of two."""
    places = [f"lighthouse\t{docno}\t{i // 2}\t{i % 2}" for i, docno in enumerate(PICTURES)]
    return _lines(["topic\tdocno\trow\tcolumn", *places])


def judgments() -> bytes:
    """Two people's answers, one of them a tie."""
    return _lines(["tides tides-1 tides-2 tides-1 anna", "tides tides-1 tides-2 tie ben"])


def challenges() -> bytes:
    """Enough for two batches of three."""
    return _lines(
        f"{topic} {topic}-{good} {topic}-{bad} {topic}-{good}"
        for topic in PASSAGES
        for good, bad in ((1, 5), (1, 6), (2, 5))
    )


def _lines(rows: Iterable[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()
