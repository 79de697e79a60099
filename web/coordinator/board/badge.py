"""Badge of a shared leaderboard: who leads, whether that is sure, how many judgments there are, as SVG."""

import hashlib
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from scoring.board.leaderboard import Board
from web.coordinator.board.share_page import busy_with, link_of, shown_board
from web.live.leaderboard_headline import TOO_EARLY, first_ones, is_early
from web.shared.phrases import count
from web.shared.plots import POLICY
from web.shared.svg_text import clean, shortened, width
from web.shared.throttles import Limit

# Of the drawing, in pixels; names are cut after NAME.
SIZE, PAD, NAME = 11.0, 7.0, 190.0
# One address may stand for many readers: sites fetch pictures for all of theirs.
BADGES = Limit("badges", 600, 60)
NO_SCORES = "no scores yet"
GREY, BLUE, GREEN, DARK = "#6b7280", "#0b5394", "#1d6340", "#2b3036"


@dataclass(frozen=True)
class BadgePart:
    """A field of the badge: its place, colour and words."""

    x: float
    width: float
    colour: str
    text: str

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


@dataclass(frozen=True)
class Badge:
    """A badge: its fields from left to right."""

    parts: list[BadgePart]

    @property
    def width(self) -> float:
        return self.parts[-1].x + self.parts[-1].width

    @property
    def says(self) -> str:
        return ", ".join(part.text for part in self.parts)


@require_safe
def badge(request: HttpRequest, token: str) -> HttpResponse:
    """The badge of a share link; refused as its page is. Reads no cookie."""
    if (busy := busy_with(BADGES, request)) is not None:
        return busy
    drawn = badge_of(shown_board(link_of(token)))
    svg = render_to_string("coordinator/badge.svg", {"badge": drawn}).strip()
    stamp = f'"{hashlib.sha256(svg.encode()).hexdigest()[:20]}"'
    headers = {
        "ETag": stamp,
        # Asked for anew each time, so that it ends with its link; the stamp spares the drawing.
        "Cache-Control": "public, no-cache",
        "Content-Type": "image/svg+xml",
        "Content-Security-Policy": POLICY,
        "X-Robots-Tag": "noindex, nofollow",
        "Referrer-Policy": "no-referrer",
        # It is made to be shown on other sites.
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    if request.headers.get("If-None-Match") == stamp:
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(svg, headers=headers)


def badge_of(board: Board) -> Badge:
    """Draw the badge of a board."""
    said, colour = leads(board)
    fields = [("Faceoff", DARK), (said, colour), (count(board.judgments, "judgment"), GREY)]
    parts: list[BadgePart] = []
    at = 0.0
    for text, fill in fields:
        room = round(width(text, SIZE) + 2 * PAD, 1)
        parts.append(BadgePart(round(at, 1), room, fill, text))
        at += room
    return Badge(parts)


def leads(board: Board) -> tuple[str, str]:
    """Return in a few words who leads and whether that is sure, as the verdict says it, and a colour."""
    ranked = [row for row in board.rows if row.means[board.leading].value is not None]
    if not ranked:
        return NO_SCORES, GREY
    first = ranked[0].means[board.leading]
    name = shortened(clean(ranked[0].name), NAME, SIZE)
    if len(ranked) == 1:
        return f"{name}, alone", GREY
    equal = sum(f"{row.means[board.leading].value:.12f}" == f"{first.value:.12f}" for row in ranked)
    if equal > 1:
        return f"{equal} share the lead", GREY
    if is_early(board):
        return TOO_EARLY, GREY
    if board.leader_is_sure:
        return f"{name} leads, sure", GREEN
    names = [shortened(clean(one), NAME, SIZE) for one in first_ones(board)]
    return f"{' or '.join(names)} leads, not sure", BLUE
