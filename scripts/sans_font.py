"""Make static/fonts/inter*.woff2: the parts of Inter that pages need.

Usage: npm pack @fontsource-variable/inter@5.3.0; tar xzf fontsource-variable-inter-5.3.0.tgz; pip install
fonttools brotli; then scripts/sans_font.py package/files. Weights from 400 to 700 are one file for Latin-1
with punctuation, and one for Latin Extended-A, which browsers fetch where one of its letters stands. Pages of
assessors begin with the usual signs alone, and the accented letters of their languages, in files of their own
(`static/css/assessor.css`).
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer

OUT = Path(__file__).resolve().parent.parent / "static" / "fonts"
FEATURES = ["calt", "ccmp", "kern", "locl", "mark", "mkmk", "tnum"]
# Signs of nearly all pages, ASCII and punctuation; and letters of the languages of the pages.
SIGNS = "\xa0«»·–—‘’“”„•…"
ACCENTED = "ÀÁÂÃÄÇÈÉÊËÍÎÏÑÓÔÕÖÚÙÛÜßàáâãäçèéêëìíîïñòóôõöùúûü¡¿"
USUAL = ((0x20, 0x7F), *((ord(sign), ord(sign) + 1) for sign in SIGNS))
LETTERS = [(ord(sign), ord(sign) + 1) for sign in ACCENTED]
# Of keys.
KEYS = ((0x2190, 0x2194),)
USUAL_FEATURES = ["kern", "liga", "tnum"]
PARTS = {
    "inter": ("inter-latin-wght-normal.woff2", ((0x20, 0x7F), (0xA0, 0x100), (0x2000, 0x2300)), FEATURES),
    "inter-usual": ("inter-latin-wght-normal.woff2", (*USUAL, *KEYS), USUAL_FEATURES),
    "inter-letters": ("inter-latin-wght-normal.woff2", LETTERS, USUAL_FEATURES),
    "inter-extended": ("inter-latin-ext-wght-normal.woff2", ((0x100, 0x180),), FEATURES),
}


def main(source: str) -> None:
    """Subset each part, narrow its weights and store it."""
    for name, (file, ranges, features) in PARTS.items():
        options = subset.Options(flavor="woff2", hinting=False, layout_features=features, glyph_names=False)
        font: TTFont = subset.load_font(str(Path(source) / file), options)
        subsetter = subset.Subsetter(options)
        subsetter.populate(unicodes=[sign for first, end in ranges for sign in range(first, end)])
        subsetter.subset(font)
        instancer.instantiateVariableFont(font, {"wght": (400, 400, 700)}, inplace=True)
        out = OUT / f"{name}.woff2"
        subset.save_font(font, str(out), options)
        print(f"{out.name}: {out.stat().st_size:,} bytes, {font['maxp'].numGlyphs:,} glyphs")


if __name__ == "__main__":
    main(sys.argv[1])
