"""Draws the pictures of the demonstration study from the recipes in images/pictures.tsv."""

import csv
import random
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from PIL import Image

from simulation.demo.flaws import FLAWS
from simulation.demo.paint import Sheet
from simulation.demo.scenes import SCENES

RECIPES = Path(__file__).parent / "images" / "pictures.tsv"
MAX_BYTES = 58_000  # of one file, so that a pair loads at once on a slow line


@dataclass(frozen=True)
class Picture:
    """The recipe of one picture.

    scene: a key of SCENES, not always the one its topic asks for; look: its colours and layout, 0-3;
    detail: 2 rich, 1 plain, 0 bare; flaw: a key of FLAWS, or "none".
    """

    topic: str
    docno: str
    scene: str
    look: int
    detail: int
    flaw: str


def pictures(recipes: Path = RECIPES) -> list[Picture]:
    """All pictures of the study, in the order of the file (by topic, then docno)."""
    with recipes.open(encoding="utf-8", newline="") as lines:
        return [
            Picture(
                row["topic"], row["docno"], row["scene"], int(row["look"]), int(row["detail"]), row["flaw"]
            )
            for row in csv.DictReader(lines, delimiter="\t")
        ]


def draw(picture: Picture) -> Image.Image:
    """Draw one picture: RGB, 480 x 360 pixels, always the same for the same recipe. Takes 5 to 100 ms."""
    rng = random.Random(f"{picture.docno} {picture.scene} {picture.look}")
    sheet = Sheet(flat=picture.detail == 0)
    SCENES[picture.scene](sheet, rng, picture.look, picture.detail)
    image = sheet.finished()
    return image if picture.flaw == "none" else FLAWS[picture.flaw](image, rng)


def encode(image: Image.Image) -> bytes:
    """The picture as a JPEG file of at most MAX_BYTES, as good as that allows."""
    data = b""
    for quality in (90, 84, 76, 66, 54):
        buffer = BytesIO()
        image.save(buffer, "JPEG", quality=quality, optimize=True)
        data = buffer.getvalue()
        if len(data) <= MAX_BYTES:
            break
    return data


def draw_all(folder: Path) -> None:
    """Draw every picture into `folder` as <topic>/<docno>.jpg, making folders and replacing files as needed.

    A few seconds on one core; each file at most MAX_BYTES.
    """
    for picture in pictures():
        place = folder / picture.topic
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{picture.docno}.jpg").write_bytes(encode(draw(picture)))
