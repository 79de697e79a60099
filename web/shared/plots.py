"""Figures of a study: one address each, drawn in a child process and cached while the data stay the same.

A figure is a function under `figure` that turns a request into a `Drawing`. Pages show it by `ShownPlot` and
the template `coordinator/_figure.html`.
"""

import gzip
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlencode

from django.core.cache import cache
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from prefir import plots
from scoring.board import standings
from scoring.compute import child_process
from web.shared.access import for_viewers

KEPT_SECONDS = 3600
TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf"}
# Of an SVG that somebody opens by itself: its own styles, and nothing else.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
# full: below a board, in a window that has no room for both beside each other.
WIDTHS = {"full": 1180, "wide": plots.WIDE, "narrow": plots.NARROW}
# Longer ones are no run, measure or number of a standing.
LONGEST_ANSWER = 200


@dataclass(frozen=True)
class Drawing:
    """A function of `prefir.plots` and its arguments, without the style."""

    draw: Callable[..., bytes]
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """A kind of figure.

    asks: the query parameters that it reads besides theme and width. version: of the study; changes whenever
    the drawing may. heights: in pixels, by width.
    """

    make: Callable[[QueryDict, Study], Drawing]
    asks: Sequence[str]
    version: Callable[[Study], str]
    heights: Mapping[str, int]

    def height(self, width: str) -> int:
        """Its height at one of WIDTHS."""
        return self.heights.get(width, self.heights["wide"])


FIGURES: dict[str, Figure] = {}


def figure(
    name: str,
    *,
    asks: Sequence[str] = (),
    version: Callable[[Study], str] = standings.version,
    wide: int = 420,
    narrow: int = 360,
) -> Callable[[Callable[[QueryDict, Study], Drawing]], Callable[[QueryDict, Study], Drawing]]:
    """Decorator: register `make(asked, study)` as the figure of this name.

    It raises Http404 if there is none. Without data it draws a sentence that says so.
    """

    def register(
        make: Callable[[QueryDict, Study], Drawing],
    ) -> Callable[[QueryDict, Study], Drawing]:
        FIGURES[name] = Figure(make, asks, version, {"wide": wide, "narrow": narrow})
        return make

    return register


Asked = Mapping[str, object] | Sequence[tuple[str, object]]


def _pairs(asked: Asked) -> list[tuple[str, object]]:
    return list(asked.items() if isinstance(asked, Mapping) else asked)


@dataclass(frozen=True)
class ShownPlot:
    """A figure on a page: its addresses, a sentence about it, and the same for screen readers.

    narrow: as for a phone, whatever the window is. full: as wide as a window that has no room beside it.
    """

    study: Study
    name: str
    alt: str
    caption: str
    asked: Asked = ()
    narrow: bool = False
    full: bool = False

    def _address(self, kind: Literal["svg", "pdf"], **look: str) -> str:
        address = reverse(f"figure-{kind}", args=[self.study.slug, self.name])
        query = urlencode([*_pairs(self.asked), *look.items()])
        return f"{address}?{query}" if query else address

    @property
    def svg(self) -> str:
        return self._address("svg")

    @property
    def pdf(self) -> str:
        return self._address("pdf")

    @property
    def sources(self) -> list[dict[str, object]]:
        """Sources of the picture element; the last one is the fallback, also for paper."""
        phone, dark = "(max-width: 600px)", "screen and (prefers-color-scheme: dark)"
        wanted: tuple[tuple[str, str, dict[str, str]], ...] = (
            (f"{dark} and {phone}", "narrow", {"theme": "dark", "width": "narrow"}),
            (dark, "wide", {"theme": "dark"}),
            (f"screen and {phone}", "narrow", {"width": "narrow"}),
            ("", "wide", {}),
        )
        if self.narrow:
            wanted = tuple(one for one in wanted if one[1] == "narrow")
            wanted = ((dark, *wanted[0][1:]), ("", *wanted[1][1:]))
        if self.full:
            between = "(64rem <= width < 105rem)"
            wide = {"width": "full"}
            wanted = (
                (f"{dark} and {between}", "full", {"theme": "dark", **wide}),
                (f"screen and {between}", "full", wide),
                *wanted,
            )
        height = FIGURES[self.name].height
        return [
            {"media": media, "src": self._address("svg", **look), "width": WIDTHS[w], "height": height(w)}
            for media, w, look in wanted
        ]


@for_viewers
@require_safe
def svg(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """A figure as SVG."""
    return _answer(request, study, name, "svg")


@for_viewers
@require_safe
def pdf(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    """A figure as PDF, light and wide."""
    return _answer(request, study, name, "pdf")


def _answer(request: HttpRequest, study: Study, name: str, kind: Literal["svg", "pdf"]) -> HttpResponse:
    known = FIGURES.get(name)
    if known is None:
        raise Http404(f"There is no figure {name}.")
    asked = QueryDict(mutable=True)
    for key in known.asks:
        asked.setlist(key, [value[:LONGEST_ANSWER] for value in request.GET.getlist(key)[:20]])
    look = _look(request, kind, known)
    stamp = _stamp(study, name, asked, look)
    headers = {
        "ETag": f'"{stamp}"',
        "Cache-Control": "private, no-cache",
        "Vary": "Accept-Encoding, Cookie",
        "Content-Security-Policy": POLICY,
    }
    if request.headers.get("If-None-Match") == headers["ETag"]:
        return HttpResponse(status=304, headers=headers)
    packed = _packed(stamp, known, asked, study, look)
    headers |= {
        "Content-Type": TYPES[kind],
        "Content-Disposition": f'inline; filename="{study.slug}-{name}.{kind}"',
    }
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(packed, headers=headers | {"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(packed), headers=headers)


def drawn_shown(shown: ShownPlot, look: plots.Look) -> bytes:
    """A figure of a page, drawn for another place; cached as the others are."""
    known, asked = FIGURES[shown.name], QueryDict(urlencode(_pairs(shown.asked)))
    stamp = _stamp(shown.study, shown.name, asked, look)
    return gzip.decompress(_packed(stamp, known, asked, shown.study, look))


def _stamp(study: Study, name: str, asked: QueryDict, look: plots.Look) -> str:
    told = (study.pk, name, asked.urlencode(), look, FIGURES[name].version(study), plots.EDITION)
    return hashlib.sha256(repr(told).encode()).hexdigest()[:32]


def _packed(stamp: str, known: Figure, asked: QueryDict, study: Study, look: plots.Look) -> bytes:
    key = f"figure:{stamp}"
    packed: bytes | None = cache.get(key)
    if packed is None:
        drawing = known.make(asked, study)
        packed = gzip.compress(child_process.call(drawing.draw, **drawing.given, look=look), 5, mtime=0)
        cache.set(key, packed, timeout=KEPT_SECONDS)
    return packed


def _look(request: HttpRequest, kind: Literal["svg", "pdf"], known: Figure) -> plots.Look:
    """Theme and width of the address; files for print are light."""
    theme = "dark" if kind == "svg" and request.GET.get("theme") == "dark" else "light"
    asked = request.GET.get("width", "")
    wanted = asked if asked in WIDTHS else "wide"
    return plots.Look(kind, theme, WIDTHS[wanted], known.height(wanted))
