"""Make static/fonts/faceoff-math.woff2: the part of STIX Math that formulas of texts need.

Usage: apt-get download fonts-stix; dpkg -x fonts-stix_*.deb stix; pip install fonttools brotli; then
scripts/math_font.py stix/usr/share/fonts/opentype/stix-word/STIXMath-Regular.otf. It gets a name of its own,
since the licence of STIX reserves that one.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

NAME = "Faceoff Math"
OUT = Path(__file__).resolve().parent.parent / "static" / "fonts" / "faceoff-math.woff2"
# Latin, Greek, punctuation, letterlike signs, arrows, operators, brackets, shapes, mathematical letters.
RANGES = (
    *((0x20, 0x7F), (0xA0, 0x180), (0x2B0, 0x2E0), (0x300, 0x400), (0x2000, 0x20A0), (0x20D0, 0x20F1)),
    *((0x2100, 0x2150), (0x2190, 0x2330), (0x23B0, 0x23B6), (0x23DC, 0x23E0), (0x25A0, 0x2600)),
    *((0x2660, 0x2670), (0x27C0, 0x2800), (0x2900, 0x2B00), (0x1D400, 0x1D800)),
)


def main(source: str) -> None:
    """Subset the font with its mathematical table, name it, and store it."""
    options = subset.Options(flavor="woff2", hinting=False, layout_features=["*"], glyph_names=False)
    options.name_IDs = []
    font: TTFont = subset.load_font(source, options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[sign for first, end in RANGES for sign in range(first, end)])
    subsetter.subset(font)
    names = {
        0: "Copyright 2001-2010 the STI Pub Companies, 1998-2003 MicroPress, Inc., 1990 Elsevier, Inc.",
        1: NAME,
        2: "Regular",
        4: NAME,
        6: NAME.replace(" ", ""),
        13: "SIL Open Font License 1.1: static/fonts/OFL.txt",
        14: "https://openfontlicense.org",
    }
    for number, words in names.items():
        font["name"].setName(words, number, 3, 1, 0x409)
    outlines = font["CFF "].cff
    outlines.fontNames = [NAME.replace(" ", "")]
    top = outlines.topDictIndex[0]
    top.FullName = top.FamilyName = NAME
    OUT.parent.mkdir(exist_ok=True)
    subset.save_font(font, str(OUT), options)
    print(f"{OUT.name}: {OUT.stat().st_size:,} bytes, {font['maxp'].numGlyphs:,} glyphs")


if __name__ == "__main__":
    main(sys.argv[1])
