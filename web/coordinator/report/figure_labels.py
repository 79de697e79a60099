"""Names in a figure on paper, set as text of the page.

WeasyPrint sets the text of an SVG letter by letter from left to right, so that Arabic and Hebrew are reversed
and no letters join. As text of the page, names are set by Pango, in the page's face.
"""

import re
from dataclasses import dataclass
from html import unescape

_VIEW = re.compile(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"')
# As matplotlib writes a text that begins at its place and is not turned.
_NAME = re.compile(
    rb'<text style="font-size: ([\d.]+)px;[^"]*text-anchor: start; fill: (#[0-9a-f]{6})" '
    rb'x="([-\d.]+)" y="([-\d.]+)" transform="rotate\(-0 [^"]*">([^<]*)</text>'
)
# The part of a line's height that stands above the foot of its letters, in font sizes.
ABOVE = 1.0


@dataclass(frozen=True)
class FigureLabel:
    """A name, its colour, and the place of its upper left corner in per cent of the figure."""

    text: str
    colour: str
    left: str
    top: str


def labels_apart(svg: bytes) -> tuple[bytes, list[FigureLabel]]:
    """Return a figure without its names, and the names."""
    view = _VIEW.search(svg)
    if view is None:
        return svg, []
    width, height = float(view[1]), float(view[2])
    labels = [
        FigureLabel(
            unescape(text.decode()),
            colour.decode(),
            f"{100 * float(x) / width:.3f}",
            f"{100 * (float(y) - ABOVE * float(size)) / height:.3f}",
        )
        for size, colour, x, y, text in _NAME.findall(svg)
    ]
    return _NAME.sub(b"", svg), labels
