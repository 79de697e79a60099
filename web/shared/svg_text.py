"""Text in SVG that the server writes: widths that no font exceeds, and shortening.

SVG cuts no text, and readers have other fonts. Widths are those of DejaVu Sans Bold, which is wider than
what systems use, and for other letters of the widest of their kind.
"""

import unicodedata

# Width in em -> the letters that have it.
_LETTERS = {
    0.35: " 'ijl",
    0.4: ",./:;IJ\\|",
    0.45: "-f",
    0.5: "!()[]_`rt",
    0.55: '"*',
    0.6: "?csz",
    0.65: "Lx",
    0.7: "$0123456789EFTaekovy",
    0.75: "CPSYZbdghnpqu{}",
    0.8: "ABKRVX",
    0.85: "#+<=>DGHNU^~",
    0.9: "&OQ",
    0.95: "w",
    1.0: "@M",
    1.05: "%m",
    1.15: "W",
}
_WIDTHS = {letter: width for width, letters in _LETTERS.items() for letter in letters}
# Of Latin and of broad scripts; of Greek, Cyrillic, Hebrew and Arabic; of all others.
WIDE, MIDDLE, WIDEST = 1.2, 1.6, 2.05
DOTS = "…"


def clean(text: str) -> str:
    """A text on one line, without characters that XML forbids, that draw nothing, or that turn the order of
    what follows.
    """
    kept = (" " if letter.isspace() else letter for letter in text)
    unseen = ("Cc", "Cf", "Cs", "Co", "Cn")
    return " ".join("".join(letter for letter in kept if unicodedata.category(letter) not in unseen).split())


def width(text: str, size: float) -> float:
    """Width of a text in a font of this size, rather too large."""
    return size * sum(map(_width, text))


def _width(letter: str) -> float:
    if (known := _WIDTHS.get(letter)) is not None:
        return known
    if unicodedata.category(letter) in ("Mn", "Me"):
        return 0.0  # drawn over the letter before
    if unicodedata.east_asian_width(letter) in "WF":
        return WIDE if unicodedata.category(letter) == "Lo" else WIDEST
    if letter < "\u0180" or letter == DOTS:
        return WIDE
    return MIDDLE if letter < "\u0700" else WIDEST


def shortened(text: str, most: float, size: float) -> str:
    """A text that is at most so wide, cut at its end if need be."""
    if width(text, size) <= most:
        return text
    left = most - width(DOTS, size)
    end = 0
    while end < len(text) and left >= (one := size * _width(text[end])):
        left -= one
        end += 1
    return text[:end].rstrip() + DOTS
