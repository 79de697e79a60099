"""Reading an SVG as a reader of its source would: texts with their places, marks, and the axes' ticks."""

import re
from dataclasses import dataclass

from defusedxml import ElementTree

SVG = "{http://www.w3.org/2000/svg}"


@dataclass(frozen=True)
class Said:
    """A text, its place in the drawing's units (y downwards), and its style."""

    text: str
    x: float
    y: float
    style: str


def texts(svg: bytes) -> list[Said]:
    """All texts of a drawing."""
    found = []
    for element in ElementTree.fromstring(svg).iter(f"{SVG}text"):
        place = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", element.get("transform", ""))
        x, y = place.groups() if place else (element.get("x", "0"), element.get("y", "0"))
        found.append(Said("".join(element.itertext()), float(x), float(y), element.get("style", "")))
    return found


def words(svg: bytes) -> list[str]:
    return [said.text for said in texts(svg)]


def points(svg: bytes) -> list[tuple[float, float]]:
    """Centres of the marks of a scatter plot, in order."""
    found = []
    for group in ElementTree.fromstring(svg).iter(f"{SVG}g"):
        if group.get("id", "").startswith("PathCollection"):
            found += [
                (float(use.get("x", "nan")), float(use.get("y", "nan"))) for use in group.iter(f"{SVG}use")
            ]
    return found


def by_ticks(svg: bytes, axis: int) -> tuple[float, float]:
    """(offset, scale) from a value to its place along axis 0 (across) or 1 (up), by its ticks."""
    root = ElementTree.fromstring(svg)
    (group,) = (g for g in root.iter(f"{SVG}g") if g.get("id") == f"matplotlib.axis_{axis + 1}")
    ticks = []
    for tick in (g for g in group.iter(f"{SVG}g") if re.match(r"[xy]tick_", g.get("id", ""))):
        (said,) = ("".join(t.itertext()) for t in tick.iter(f"{SVG}text"))
        (mark,) = tick.iter(f"{SVG}use")
        ticks.append((float(said.replace("\u2212", "-")), float(mark.get("xy"[axis], "nan"))))
    (low, at_low), (high, at_high) = ticks[0], ticks[-1]
    scale = (at_high - at_low) / (high - low)
    return at_low - scale * low, scale
