"""Scores: a measure's values of many runs on many topics, and how they are made and handed on."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class Line(NamedTuple):
    """One value: of a run, on a topic, by a measure."""

    run: str
    topic: str
    measure: str
    value: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """A measure's values (topics, runs) as float64; nan where a run or a measure has none."""

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: NDArray[np.float64]

    def __repr__(self) -> str:
        return f"<Scores: {self.measure} of {len(self.runs)} runs on {len(self.topics)} topics>"

    def _repr_html_(self) -> str:
        """In a notebook: the runs by their means, highest first."""
        means = sorted(self.means.items(), key=lambda item: (item[1] != item[1], -item[1], item[0]))
        lines = "".join(f"<tr><td>{escape(run)}</td><td>{mean:.4f}</td></tr>" for run, mean in means)
        head = (
            f"<caption>{escape(self.measure)}, mean over topics</caption><tr><th>run</th><th>mean</th></tr>"
        )
        return f"<table>{head}{lines}</table>"

    @property
    def means(self) -> dict[str, float]:
        """Each run's mean over the topics that it has a value for; nan where it has none."""
        columns = ([value for value in column if value == value] for column in self.values.T.tolist())
        # An exact sum: the same whatever other runs stand beside.
        return {
            run: fsum(column) / len(column) if column else float("nan")
            for run, column in zip(self.runs, columns, strict=True)
        }

    def of(self, run: str) -> dict[str, float]:
        """A run's values, topic by topic, without absent ones. Raises ValueError for an unknown run."""
        column = self.values[:, self.runs.index(run)].tolist()
        return {topic: value for topic, value in zip(self.topics, column, strict=True) if value == value}

    def lines(self, *, per_topic: bool = True) -> Iterator[Line]:
        """Run by run: the value of each topic that has one, then, as topic `all`, their mean."""
        for run, mean in self.means.items():
            if per_topic:
                for topic, value in self.of(run).items():
                    yield Line(run, topic, self.measure, value)
            yield Line(run, "all", self.measure, mean)

    def to_pandas(self) -> Any:
        """A DataFrame with the columns run, topic, measure and value, a row for each value, no means.

        Raises ImportError where pandas is not installed.
        """
        import pandas

        runs = [list(self.of(run).items()) for run in self.runs]
        return pandas.DataFrame(
            {
                "run": [run for run, values in zip(self.runs, runs, strict=True) for _ in values],
                "topic": [topic for values in runs for topic, _ in values],
                "measure": self.measure,
                "value": [value for values in runs for _, value in values],
            }
        )
