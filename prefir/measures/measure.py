"""What the table of measures says of each: its name, what it compares, its range, its source, its forms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Inputs(StrEnum):
    """What a measure compares; its function's positional arguments stand in brackets."""

    RANKINGS = "two rankings (a, b)"
    LENGTHS = "two rankings and the items' lengths (a, b, lengths)"
    GRADES = "a ranking and grades (run, grades)"
    GRAPH = "a ranking and a preference graph (run, graph)"
    GRIDS = "systems' grids and a preference graph (graph, grids)"
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
    """A measure as the table knows it.

    name: as the command line and files write it. title: as people read it. value: what of the function's
    result is the number, where the result is more than one. low, high: the number's range, both ends
    included; nan stands outside it. symmetric: the two rankings, systems or measures may be swapped.
    distance: 0 from a ranking to itself, and larger is farther (a ranking that goes on unseen, as under
    MED-RBP, is not at 0 from itself). rows: the form for many runs of one topic, which takes (rows, grades
    or graph) and gives (runs,), or (runs, 1). track: options that all topics' grades together decide.
    """

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
    track: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None

    def of(self, *inputs: Any, **options: Any) -> float:
        """The measure's number for its inputs."""
        result = self.function(*inputs, **options)
        return float(result if self.value is None else self.value(result))
