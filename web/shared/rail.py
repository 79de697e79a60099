"""Rail of a study's runs, beside the pages of its results: rank, name, mean with interval, pins."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from django.core.cache import cache
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from collection.models import Run, Study
from scoring.board import leaderboard, standings
from scoring.board.leaderboard import BoardRow, Mean
from scoring.scores.stored_measures import chosen
from web.shared import measure_names
from web.shared.phrases import number, ranks_said
from web.shared.view_choices import MOST_PINS, carried, persistence_of, pins_of, whole_of

# Of the pinned runs in their order; their colours: static/css/workspace.css.
GLYPHS = "●■▲◆✚"
WIDTH = 100.0
KEPT_SECONDS = 600
# An end of the axis is a multiple of a twentieth.
TICKS = 20


@dataclass(frozen=True)
class Pinned:
    """A pin: its place among the pinned runs, from 1, and its sign."""

    place: int
    glyph: str


def pinned(asked: QueryDict, runs: Sequence[Run]) -> dict[Run, Pinned]:
    """The runs of a study that a query pins, the first pinned first."""
    known = {run.pk: run for run in runs}
    own = [(n, known[pin]) for n, pin in enumerate(pins_of(asked)[:MOST_PINS], 1) if pin in known]
    return {run: Pinned(n, GLYPHS[n - 1]) for n, run in own}


@dataclass(frozen=True)
class RailRun:
    """A run on the rail.

    pin: its place among the pinned runs, from 1; 0 if it is not pinned. toggle: query that pins or unpins it.
    at, low, length: where its mean and its interval are drawn, in hundredths of the axis; "" without them.
    """

    run_id: int
    name: str
    rank: str
    mean: str
    pin: int
    toggle: str
    at: str = ""
    low: str = ""
    length: str = ""

    @property
    def glyph(self) -> str:
        """The sign of its pin on every figure."""
        return GLYPHS[self.pin - 1] if self.pin else ""


@dataclass(frozen=True)
class Rail:
    """The runs of a study, pinned ones first, then by the mean of one measure; the ends of their axis."""

    title: str
    runs: list[RailRun]
    low: str = ""
    high: str = ""
    query: str = ""  # what is chosen, for links


def rendered(study: Study, asked: QueryDict, shown: Sequence[int] = (), unfolded: bool = False) -> SafeString:
    """The rail in HTML, cached by the standing and by what is chosen. One query, two where it is new.

    shown: the ids of the runs that the page is about. unfolded: whether it is the page of one, with the rail
    unfolded.
    """
    stamp = standings.latest_stamp(study)
    if stamp is None:
        return mark_safe("")
    told = (
        *(study.slug, study.words, study.measures, study.persistence, study.baseline),
        *(stamp, carried(asked), pins_of(asked)),
    )
    key = f"rail:{study.pk}:{hashlib.sha256(repr(told).encode()).hexdigest()}"
    runs = reverse("run-page", args=[study.slug, 0]).removesuffix("0/")
    html: str | None = cache.get(key)
    if html is None:
        context = {"study": study, "rail": rail(study, asked), "runs": runs}
        html = render_to_string("coordinator/_rail.html", context)
        cache.set(key, html, KEPT_SECONDS)
    for run in shown:
        address = f'href="{runs}{run}/'
        html = html.replace(address, f'aria-current="{"page" if unfolded else "true"}" {address}', 1)
    if unfolded:
        html = html.replace('class="rail"', 'class="rail" open', 1)
    return mark_safe(html)  # noqa: S308 - rendered by a template


def rail(study: Study, asked: QueryDict) -> Rail:
    """The rail of a study, by what a query asks for and its last standing; empty without one. One query."""
    standing = standings.latest(study)
    if standing is None:
        return Rail("", [])
    board = leaderboard.board_of(standing, persistence_of(asked, study), every=whole_of(asked) is False)
    wanted = asked.get("measure", "")
    measure = wanted if wanted in chosen(study.measures) and wanted in board.measures else board.leading
    rows = board.rows
    if measure != board.leading:
        rows = sorted(rows, key=lambda row: -(_value(row.means[measure])))
    means = [row.means[measure] for row in rows]
    ends = [end for mean in means for end in (mean.value, mean.low, mean.high) if end is not None]
    # At round ends the axis stays while judgments arrive.
    low, high = (floor(TICKS * min(ends)) / TICKS, ceil(TICKS * max(ends)) / TICKS) if ends else (0.0, 1.0)
    pins = pins_of(asked)[:MOST_PINS]
    runs = [_run(row, row.means[measure], pins, asked, low, high, len(rows)) for row in rows]
    # The pinned ones stay in view, above all others.
    runs.sort(key=lambda run: run.pin or MOST_PINS + 1)
    title = measure_names.within(measure)
    query = f"?{kept}" if (kept := carried(asked)) else ""
    return Rail(title, runs, *((f"{low:.2f}", f"{high:.2f}") if ends else ("", "")), query)


def _value(mean: Mean) -> float:
    return -1.0 if mean.value is None else mean.value


def _run(
    row: BoardRow, mean: Mean, pins: Sequence[int], asked: QueryDict, low: float, high: float, of: int
) -> RailRun:
    def place(value: float) -> float:
        return WIDTH * (value - low) / ((high - low) or 1.0)

    others = [pin for pin in pins if pin != row.run_id]
    # One more than there may be takes the place of the oldest.
    toggled = others if row.run_id in pins else [*others, row.run_id][-MOST_PINS:]
    drawn = {} if mean.value is None else {"at": f"{place(mean.value):.1f}"}
    if mean.low is not None and mean.high is not None:
        drawn |= {
            "low": f"{place(mean.low):.1f}",
            "length": f"{max(1.0, place(mean.high) - place(mean.low)):.1f}",
        }
    return RailRun(
        row.run_id,
        row.name,
        ranks_said(mean.ranks, of),
        number(mean.value, 3),
        pins.index(row.run_id) + 1 if row.run_id in pins else 0,
        carried(asked, pin=",".join(map(str, toggled))),
        **drawn,
    )
