"""Style of every plot: colours, fonts, sizes, and how a drawing becomes the bytes of an SVG or PDF."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

from prefir.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Raised when plots of the same numbers come out different, so that what was kept of older ones is dropped.
EDITION = 4
WIDE, NARROW = 720, 350
# SVG text is drawn by the reader's own fonts. Laid out by the font that matplotlib brings, which is wider.
FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
POINT = 0.75  # points of a CSS pixel
SIGNS = ("o", "s", "^", "D", "P")  # of the pinned runs, as on the pages: ●■▲◆✚
_one_at_a_time = Lock()


@dataclass(frozen=True)
class Theme:
    """Colours of a theme: those of `static/css/tokens.css`. hues are Okabe and Ito's; inks are of the same
    hues, for text, with a contrast of 4.5 at least. pins: of the pinned runs, `static/css/workspace.css`.
    """

    paper: str
    ink: str
    soft: str
    line: str
    strong: str
    hues: tuple[str, ...]
    inks: tuple[str, ...]
    pins: tuple[str, ...]


THEMES = {
    "light": Theme(
        paper="#ffffff",
        ink="#16181b",
        soft="#4d545c",
        line="#d5d9de",
        strong="#7b838c",
        hues=("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"),
        inks=("#00558a", "#9c4400", "#00694d", "#8f3f6b", "#7a5300", "#1b6a99"),
        pins=("#0072b2", "#d55e00", "#007a5a", "#a8427f", "#7a5300"),
    ),
    "dark": Theme(
        paper="#15171a",
        ink="#e8eaed",
        soft="#a9b1ba",
        line="#33383f",
        strong="#7b848e",
        hues=("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#f0e442", "#d55e00"),
        inks=("#8fd0f5", "#f5b942", "#4fd1a8", "#e6a8c8", "#f0e442", "#f0883e"),
        pins=("#56b4e9", "#e69f00", "#2fc79b", "#e08fc0", "#f0e442"),
    ),
}


@dataclass(frozen=True)
class Look:
    """How a plot is wanted: kind of file, theme, and size in CSS pixels; text is 12 px high at any size."""

    kind: Literal["svg", "pdf"] = "svg"
    theme: str = "light"
    width: int = WIDE
    height: int = 420

    @property
    def colours(self) -> Theme:
        return THEMES[self.theme]

    @property
    def narrow(self) -> bool:
        """Whether it is made for a phone."""
        return self.width < 500


def drawn(look: Look, title: str, paint: Callable[[Figure], None]) -> bytes:
    """The bytes of a plot that `paint` puts on an empty figure; equal plots have equal bytes.

    title: what programs that read an SVG aloud, and readers of PDF, call it.
    """
    require("matplotlib")
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # matplotlib's settings are those of the whole process.
    with _one_at_a_time, rc_context(_settings(look.colours)), warnings.catch_warnings():
        # In an SVG the reader's fonts have the letters that ours lacks.
        warnings.filterwarnings("ignore", r"Glyph \d+ .* missing from font", UserWarning)
        inches = POINT / 72
        figure = Figure(figsize=(look.width * inches, look.height * inches), dpi=72, layout="constrained")
        FigureCanvasAgg(figure)
        paint(figure)
        return _saved(figure, look, printable(title))


def _settings(theme: Theme) -> Any:
    return {
        "svg.fonttype": "none",
        "svg.hashsalt": "prefir",
        "pdf.fonttype": 42,
        "font.family": "DejaVu Sans",
        "font.size": 12 * POINT,
        "text.parse_math": False,  # a run may be called $x$
        "axes.unicode_minus": True,
        "text.color": theme.ink,
        "axes.labelcolor": theme.soft,
        "axes.labelsize": 12 * POINT,
        "axes.titlesize": 12 * POINT,
        "axes.titlelocation": "left",
        "axes.edgecolor": theme.strong,
        "axes.facecolor": theme.paper,
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.linewidth": POINT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": theme.line,
        "grid.linewidth": POINT,
        "xtick.color": theme.strong,
        "ytick.color": theme.strong,
        "xtick.labelcolor": theme.soft,
        "ytick.labelcolor": theme.soft,
        "xtick.labelsize": 12 * POINT,
        "ytick.labelsize": 12 * POINT,
        "xtick.major.width": POINT,
        "ytick.major.width": POINT,
        "lines.linewidth": 1.5 * POINT,
        "patch.linewidth": 0.0,
    }


def _saved(figure: Figure, look: Look, title: str) -> bytes:
    stream = BytesIO()
    if look.kind == "pdf":
        told = {"Title": title, "CreationDate": None, "Creator": None, "Producer": None}
    else:
        told = {"Title": title, "Date": None, "Creator": None, "Format": None, "Type": None}
    figure.savefig(stream, format=look.kind, metadata=told)
    if look.kind == "pdf":
        return stream.getvalue()
    text = stream.getvalue().decode()
    text = text.replace("'DejaVu Sans'", FONTS)
    # In CSS pixels, as a page counts.
    size = f'width="{look.width}" height="{look.height}" role="img"'
    return re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', size, text, count=1).encode()


def printable(words: str) -> str:
    """A name without signs that XML or a line of text cannot hold."""
    return "".join(sign if sign.isprintable() else " " for sign in words)


def shortened(words: str, most: int) -> str:
    """A name in at most so many letters, its end replaced by an ellipsis."""
    words = printable(words)
    return words if len(words) <= most else words[: most - 1] + "…"


def end_kept(name: str, most: int) -> str:
    """A name in at most so many letters, cut in the middle: names of one system differ by their ends."""
    name = printable(name)
    half = most // 2
    return name if len(name) <= most else f"{name[: most - 1 - half]}…{name[-half:]}"


def nothing(look: Look, title: str, said: str) -> bytes:
    """A plot of no numbers: the sentence that says why there are none."""

    def paint(figure: Figure) -> None:
        figure.text(0.5, 0.5, said, ha="center", va="center", color=look.colours.soft, wrap=True)

    return drawn(look, title, paint)


def plain(axes: Axes, *, across: bool = True, up: bool = True) -> None:
    """Take the ticks of axes away where their place says nothing: across, the horizontal ones."""
    if across:
        axes.set_xticks([])
    if up:
        axes.set_yticks([])
