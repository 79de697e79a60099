"""Races: how each run's mean moved, with its interval, as judgments came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

from .labels import spread
from .style import Look, drawn, end_kept, nothing, shortened

# As many lines as there are colours that can be told apart.
MOST_RACERS = 6
# Bands of more lines cover each other: then the last interval of each stands beside the plot, so many points
# from the one before.
MOST_BANDS, APART = 2, 5
# More marks are drawn without their words.
MOST_MARKS = 8
# What happened in this share of the width is said at its left end.
AT_START = 0.05

Value = tuple[float | None, float | None, float | None]


def race(
    steps: Sequence[float],
    racers: Mapping[str, Sequence[Value]],
    *,
    across: str,
    measure: str,
    look: Look,
    marks: Sequence[tuple[float, str]] = (),
    ticks: str = ",.0f",
) -> bytes:
    """Lines of means over steps, named at their ends, with their intervals: a band along each of up to two
    lines, else a bar for the last of each, beside the plot.

    steps (moments,): rising. racers: name -> (mean, low, high) at each, None if absent, where a line has a
    gap; 6 at most. marks: (step, what happened there). ticks: how steps are written. The vertical
    scale ends where the later values do, not at 0: what counts is who is above whom. Early values, which
    swing, may leave it. The horizontal one begins where the first line does.
    """
    first = min(
        (place for line in racers.values() for place, (mean, *_) in enumerate(line) if mean is not None),
        default=0,
    )
    steps, racers = steps[first:], {name: line[first:] for name, line in racers.items()}
    title = f"{measure} over {across}"
    if not any(value is not None for line in racers.values() for value, _, _ in line):
        return nothing(look, title, "No run has a mean yet.")

    def paint(figure: Figure) -> None:
        axes = figure.add_subplot()
        drawn_lines = list(racers.values())[:MOST_RACERS]
        banded = len(drawn_lines) <= MOST_BANDS
        for place, line in enumerate(drawn_lines):
            _line(axes, steps, line, look.colours.hues[place], banded=banded)
        axes.set_xlabel(across)
        axes.set_ylabel(measure)
        axes.locator_params(nbins=4 if look.narrow else 6)
        axes.xaxis.set_major_formatter(lambda value, _: format(value, ticks))
        low, high = steps[0], steps[-1]
        if high > low:
            axes.set_xlim(low, high)
        else:  # one moment: its dots stand in the middle
            axes.set_xlim(low - 1, low + 1)
            axes.set_xticks([low])
        bottom, top = _later(steps, racers) or axes.get_ylim()
        axes.set_ylim(bottom, top + 0.08 * (top - bottom))
        _mark(axes, marks, look)
        if not banded:
            _bar(axes, drawn_lines, look)
        _name(axes, steps, racers, look, beside=5 if banded else 8 + APART * len(drawn_lines))

    return drawn(look, title, paint)


def _later(steps: Sequence[float], racers: Mapping[str, Sequence[Value]]) -> tuple[float, float] | None:
    """Ends of a scale that has all means from a quarter of the steps on, and all intervals from a half on;
    None where there are none.
    """
    first, length = steps[0], steps[-1] - steps[0]
    seen = [
        value
        for line in list(racers.values())[:MOST_RACERS]
        for step, (mean, low, high) in zip(steps, line, strict=True)
        for value, part in ((mean, 0.25), (low, 0.5), (high, 0.5))
        if value is not None and step - first >= part * length
    ]
    if not seen or min(seen) == max(seen):
        return None
    margin = 0.05 * (max(seen) - min(seen))
    return min(seen) - margin, max(seen) + margin


def _line(axes: Axes, steps: Sequence[float], line: Sequence[Value], hue: str, *, banded: bool) -> None:
    nan = float("nan")
    values = [nan if value is None else value for value, _, _ in line]
    if banded:
        lows = [nan if low is None else low for _, low, _ in line]
        highs = [nan if high is None else high for _, _, high in line]
        axes.fill_between(steps, lows, highs, color=hue, alpha=0.1, linewidth=0)
    single = sum(value is not None for value, _, _ in line) == 1
    axes.plot(steps, values, color=hue, marker="o" if single or len(steps) == 1 else "", markersize=4)


def _bar(axes: Axes, lines: Sequence[Sequence[Value]], look: Look) -> None:
    """The last interval of each line, as a bar to the right of the plot, cut where the scale ends."""
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    bottom, top = axes.get_ylim()
    at_end = blended_transform_factory(axes.transAxes, axes.transData)
    figure = axes.get_figure()
    assert figure is not None
    for place, line in enumerate(lines):
        _, low, high = line[-1]
        if low is None or high is None or high < bottom or low > top:
            continue
        moved = ScaledTranslation((6 + APART * place) / 72, 0, figure.dpi_scale_trans)
        ends = [max(low, bottom), min(high, top)]
        axes.plot([1, 1], ends, color=look.colours.hues[place], transform=at_end + moved, clip_on=False)
    axes.set_ylim(bottom, top)


def _mark(axes: Axes, marks: Sequence[tuple[float, str]], look: Look) -> None:
    """A thin line at each mark, with its words at the top where there are few."""
    low, high = axes.get_xlim()
    few = len(marks) <= (MOST_MARKS // 2 if look.narrow else MOST_MARKS)
    at_start: list[str] = []
    for step, said in marks:
        axes.axvline(step, color=look.colours.strong, linewidth=0.75, linestyle=(0, (2, 2)))
        if few and step - low < AT_START * (high - low):
            at_start.append(said)
        elif few:
            # On its inner side: names of lines stand to the right of the plot.
            after = step < (low + high) / 2
            axes.annotate(
                shortened(said, 14 if look.narrow else 30),
                (step, 1.0),
                (3 if after else -2, -2),
                xycoords=("data", "axes fraction"),
                textcoords="offset points",
                rotation=90,
                va="top",
                ha="left" if after else "right",
                color=look.colours.soft,
                bbox={"facecolor": look.colours.paper, "pad": 1},
            )
    # The first values, which swing, and the axis would go through upright ones: these are above the frame.
    axes.set_title(shortened(", ".join(at_start), 30 if look.narrow else 60), color=look.colours.soft)


def _name(
    axes: Axes, steps: Sequence[float], racers: Mapping[str, Sequence[Value]], look: Look, *, beside: int
) -> None:
    """Each line's name `beside` points from the plot, in its colour, moved apart where two would cover each
    other.
    """
    ends: list[tuple[str, float, str]] = []
    for place, (name, line) in enumerate(list(racers.items())[:MOST_RACERS]):
        last = [value for value, _, _ in line if value is not None]
        if last:
            ends.append((end_kept(name, 12 if look.narrow else 22), last[-1], look.colours.inks[place]))
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    low, high = axes.get_ylim()
    unit = axes.get_window_extent().height / (high - low)
    wanted = [(value - low) * unit for _, value, _ in ends]
    for (name, _, ink), height in zip(
        ends, spread(wanted, 11.0, 4.0, (high - low) * unit - 4.0), strict=True
    ):
        axes.annotate(
            name,
            (1.0, low + height / unit),
            (beside, 0),
            xycoords=("axes fraction", "data"),
            textcoords="offset points",
            va="center",
            color=ink,
            annotation_clip=False,
        )
