"""Paints the pictures of the demonstration from recipes.tsv and writes them as WebP files."""

import csv
import random
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from scripts.painter.flaws import FLAWS
from scripts.painter.paint import Sheet
from scripts.painter.scenes import SCENES

RECIPES = Path(__file__).parent / "recipes.tsv"
PICTURES = Path(__file__).resolve().parents[2] / "simulation" / "demo" / "images" / "pictures"
QUALITY = 90  # of 100: hardly to be told from the painting, at two fifths of the lossless size


@dataclass(frozen=True)
class Recipe:
    """What to paint as one picture.

    scene: a key of SCENES, not always the one its topic asks for; look: its colours and layout, 0-3;
    detail: 2 rich, 1 plain, 0 bare; flaw: a key of FLAWS, or "none".
    """

    topic: str
    docno: str
    scene: str
    look: int
    detail: int
    flaw: str


def recipes(path: Path = RECIPES) -> list[Recipe]:
    """All recipes in the order of the file (by topic, then docno)."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Recipe(
                row["topic"], row["docno"], row["scene"], int(row["look"]), int(row["detail"]), row["flaw"]
            )
            for row in csv.DictReader(lines, delimiter="\t")
        ]


def paint(recipe: Recipe) -> Image.Image:
    """Paint one picture: RGB, 480 x 360 pixels, always the same for the same recipe. Takes 5 to 100 ms."""
    rng = random.Random(f"{recipe.docno} {recipe.scene} {recipe.look}")
    sheet = Sheet(flat=recipe.detail == 0)
    SCENES[recipe.scene](sheet, rng, recipe.look, recipe.detail)
    image = sheet.finished()
    return image if recipe.flaw == "none" else FLAWS[recipe.flaw](image, rng)


def paint_all(folder: Path = PICTURES) -> None:
    """Write every picture into `folder` as <topic>/<docno>.webp, making folders and replacing files."""
    for recipe in recipes():
        place = folder / recipe.topic
        place.mkdir(parents=True, exist_ok=True)
        paint(recipe).save(place / f"{recipe.docno}.webp", quality=QUALITY, method=6)
