"""Declare measures: `@measure(...)` on a function makes it a row of the table `MEASURES`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


class Inputs(StrEnum):
    """What a measure compares; its function's positional arguments stand in brackets."""

    RANKINGS = "two rankings (a, b)"
    LENGTHS = "two rankings and the items' lengths (a, b, lengths)"
    RANKINGS_AND_GRADES = "two rankings and grades (a, b, grades)"
    GRADES = "a ranking and grades (run, grades)"
    GRAPH = "a ranking and a preference graph (run, graph)"
    GRIDS = "systems' grids and a preference graph (grids, graph)"
    GRID = "one grid and preferences (grid, preferences)"
    SYSTEMS = "two systems' items and preferences (items, other items, preferences)"
    TWO_GRIDS = "two grids and preferences (grid, other grid, preferences)"
    UNITS = "the labels that each unit was given (units)"
    JUDGMENTS = "judgments of assessors (judgments)"
    PREFERENCES = "preferences between items (preferences)"
    CHOICES = "choices between left and right (choices)"
    SCORES = "scores of many runs (values)"
    MEANS = "two measures' means of the same runs (first, second)"
    TABLE = "a table of agreement with page preferences (table)"


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table of measures; `measure` explains the fields."""

    name: str
    title: str
    function: Callable[..., Any]
    inputs: Inputs
    low: float
    high: float
    source: str
    symmetric: bool = False
    distance: bool = False
    value: Callable[[Any], float] | None = None
    rows: Callable[..., Any] | None = None
    lengths: bool = False
    track: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None

    def of(self, *inputs: Any, **options: Any) -> float:
        """Return the measure's number for its inputs."""
        result = self.function(*inputs, **options)
        return float(result if self.value is None else self.value(result))


_declared: dict[str, dict[str, Measure]] = {}  # name of a module -> its measures by name, in file order


def measure(
    *,
    name: str,
    title: str,
    inputs: Inputs,
    source: str,
    low: float = 0,
    high: float = 1,
    symmetric: bool = False,
    distance: bool = False,
    value: Callable[[Any], float] | None = None,
    rows: Callable[..., Any] | None = None,
    lengths: bool = False,
    track: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None,
    preset: Mapping[str, Any] | None = None,
) -> Callable[[Function], Function]:
    """Declare the decorated function as a measure; the function itself stays as it is.

    name: as the command line and files write it. title: as people read it. inputs: what it compares, in
    the order of the function's positional arguments. source: the paper or program that defines it.
    low, high: the range of the number, both ends included; nan stands outside it.
    symmetric: the first two arguments may be swapped. distance: 0 from a ranking to itself, and larger is
    farther (a ranking that goes on unseen, as under MED-RBP, is not at 0 from itself).
    value: the number in the function's result, where the result is more than a number.
    rows: the form for many runs of one topic: from (rows, grades or graph) to float64 (runs,), with the
    function's options. lengths: whether that form also takes lengths (runs,), the items of each run, which
    rows do not tell. track: options that all topics' grades decide together, from topic -> grades.
    preset: options that the table fixes; the decorated function keeps its own defaults.
    Raises ValueError where another measure has the name.
    """

    def declare(function: Function) -> Function:
        if any(name in others for others in _declared.values()):
            raise ValueError(f"there is a measure {name!r} already")
        fixed = dict(preset or {})
        _declared.setdefault(function.__module__, {})[name] = Measure(
            name=name,
            title=title,
            function=partial(function, **fixed) if fixed else function,
            inputs=inputs,
            low=low,
            high=high,
            source=source,
            symmetric=symmetric,
            distance=distance,
            value=value,
            rows=partial(rows, **fixed) if rows and fixed else rows,
            lengths=lengths,
            track=track,
        )
        return function

    return declare


def declared(module: str) -> Mapping[str, Measure]:
    """Name -> measure, of the measures that the module of this name declares."""
    return _declared.get(module, {})
