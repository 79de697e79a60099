"""Text in SVG that the server writes: widths that no font exceeds, shortening, and lines.

SVG breaks no lines, and readers have other fonts. Widths are those of DejaVu Sans Bold, which is wider than
what systems use, and for other letters of the widest of their kind.
"""

import unicodedata
from collections.abc import Iterator

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
WIDEST, WIDE = 1.6, 1.1
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
    return WIDE if letter < "\u0250" or letter == DOTS else WIDEST


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


def lines(text: str, most: float, size: float, number: int) -> list[str]:
    """A text in lines of this width, at most so many; the last one is cut if there is more."""
    found = list(_lines(text, most, size, number + 1))
    if len(found) <= number:
        return found
    return [*found[: number - 1], shortened(f"{found[number - 1]} {found[number]}", most, size)]


def _lines(text: str, most: float, size: float, number: int) -> Iterator[str]:
    words, line, given = text.split(" "), "", 0
    while words and given < number:
        word = words.pop(0)
        longer = f"{line} {word}" if line else word
        if width(longer, size) <= most:
            line = longer
        elif line:
            yield line
            given, line = given + 1, ""
            words.insert(0, word)
        else:  # a word that is wider than a line, as in scripts without blanks
            end = 1
            while width(word[: end + 1], size) <= most:
                end += 1
            yield word[:end]
            given += 1
            words.insert(0, word[end:])
    if line and given < number:
        yield line
