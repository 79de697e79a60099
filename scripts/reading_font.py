"""Make static/fonts/literata*.woff2: the parts of Literata in which passages are read.

Usage: take fonts/variable of https://github.com/googlefonts/literata at 3.103; pip install fonttools brotli;
then scripts/reading_font.py FOLDER. Letters are those for texts of 14 points. Latin-1 with punctuation is one
file for regular and one for bold letters; italics are one file of all weights, and so is Latin Extended-A.
Browsers fetch a file where one of its letters stands. Pages of assessors begin with the usual signs and
the accented letters of their languages, in files of their own (`static/css/assessor.css`).
"""

import sys
from io import BytesIO
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

from scripts.sans_font import LETTERS, OUT, USUAL, USUAL_FEATURES

FEATURES = ["calt", "ccmp", "kern", "liga", "locl", "lnum", "mark", "mkmk", "tnum"]
LATIN = ((0x20, 0x7F), (0xA0, 0x100), (0x2000, 0x20C0), (0x2190, 0x2194), (0x2212, 0x2213))
# A weight, or the usual one with the range of all.
ALL = (400, 400, 700)
PARTS = {
    "literata": ("Literata[opsz,wght].ttf", LATIN, 400, FEATURES),
    "literata-usual": ("Literata[opsz,wght].ttf", USUAL, 400, USUAL_FEATURES),
    "literata-letters": ("Literata[opsz,wght].ttf", LETTERS, 400, USUAL_FEATURES),
    "literata-bold": ("Literata[opsz,wght].ttf", LATIN, 700, FEATURES),
    "literata-italic": ("Literata-Italic[opsz,wght].ttf", LATIN, ALL, FEATURES),
    "literata-extended": ("Literata[opsz,wght].ttf", ((0x100, 0x180),), ALL, FEATURES),
}


def main(source: str) -> None:
    """Take the letters of one size, narrow their weights, subset each part and store it."""
    for name, (file, ranges, weights, features) in PARTS.items():
        font = TTFont(Path(source) / file)
        instancer.instantiateVariableFont(font, {"opsz": 14, "wght": weights}, inplace=True)
        narrowed = BytesIO()
        font.save(narrowed)
        font = TTFont(narrowed)
        options = subset.Options(flavor="woff2", hinting=False, layout_features=features, glyph_names=False)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=[sign for first, end in ranges for sign in range(first, end)])
        subsetter.subset(font)
        out = OUT / f"{name}.woff2"
        subset.save_font(font, str(out), options)
        print(f"{out.name}: {out.stat().st_size:,} bytes, {font['maxp'].numGlyphs:,} glyphs")


if __name__ == "__main__":
    main(sys.argv[1])
