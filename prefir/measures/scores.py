"""Score many runs on many topics: `score` computes a measure's values, `Scores` holds and exports them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import fsum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from prefir.extras import require

from .measure import Inputs
from .measure_names import name_measure, parse_measure
from .rankings import Rankings


class Line(NamedTuple):
    """One value: of a run, on a topic, by a measure."""

    run: str
    topic: str
    measure: str
    value: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Scores:
    """A measure's values, float64 (topics, runs); nan where a run lacks the topic or has no value."""

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: NDArray[np.float64]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """Give the values to numpy, and so to every function that takes the values of many runs."""
        return np.array(self.values, dtype) if copy else np.asarray(self.values, dtype)

    def __repr__(self) -> str:
        return f"<Scores: {self.measure} of {len(self.runs)} runs on {len(self.topics)} topics>"

    def _repr_html_(self) -> str:
        """Table for notebooks: the runs by their means, highest first."""
        from html import escape

        means = sorted(self.means.items(), key=lambda item: (item[1] != item[1], -item[1], item[0]))
        lines = "".join(f"<tr><td>{escape(run)}</td><td>{mean:.4f}</td></tr>" for run, mean in means)
        head = (
            f"<caption>{escape(self.measure)}, mean over topics</caption><tr><th>run</th><th>mean</th></tr>"
        )
        return f"<table>{head}{lines}</table>"

    @property
    def means(self) -> dict[str, float]:
        """Mean of each run over the topics that it has a value for; nan where it has none."""
        columns = ([value for value in column if value == value] for column in self.values.T.tolist())
        # An exact sum does not depend on the other runs or on the order of topics.
        return {
            run: fsum(column) / len(column) if column else float("nan")
            for run, column in zip(self.runs, columns, strict=True)
        }

    def of(self, run: str) -> dict[str, float]:
        """Values of a run by topic, without absent ones. Raises ValueError for an unknown run."""
        if run not in self.runs:
            raise ValueError(f"there is no run {run!r}; there are {', '.join(self.runs)}")
        column = self.values[:, self.runs.index(run)].tolist()
        return {topic: value for topic, value in zip(self.topics, column, strict=True) if value == value}

    def lines(self, *, per_topic: bool = True) -> Iterator[Line]:
        """Iterate over the values, run by run: each topic that has one, then their mean as topic `all`."""
        for run, mean in self.means.items():
            if per_topic:
                for topic, value in self.of(run).items():
                    yield Line(run, topic, self.measure, value)
            yield Line(run, "all", self.measure, mean)

    def to_pandas(self) -> Any:
        """Make a DataFrame with the columns run, topic, measure and value; a row for each value, no means.

        Raises ImportError where pandas is not installed.
        """
        require("pandas")
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


def score(
    name: str,
    judged: Mapping[str, Any],
    rankings: Rankings,
    *,
    label: str | None = None,
    present_only: bool = False,
    **options: Any,
) -> Scores:
    """Score all runs by a measure, on all topics that are judged.

    name: in `MEASURES`, of a measure that compares a ranking with grades or with a preference graph; options
    may stand in it, as in "ndcg@10" or "PGC(p=0.9)" (`parse_measure`).
    judged: topic -> docno -> grade, or topic -> `PreferenceGraph`. options: the measure's own (p, depth,
    k, gain ...). ERR's max_grade is the highest of all topics unless given. label: the measure's name in
    the result, by default its name with @k and the options that are not the usual ones (`name_measure`).
    A judged topic that a run lacks is scored as an empty ranking, usually 0, as trec_eval's -c does, so that
    the means of runs that skip topics compare; with `present_only` it is nan, and topics that no run has are
    left out. nan also where the measure has no value for a topic.
    Raises ValueError for a measure that does not score runs, and as the measure does.
    Time grows with topics x runs x ranks, and as the measure's.
    """
    measure, own = parse_measure(name)
    assert measure.rows
    options = own | options
    label = label or name_measure(measure, options)
    if not isinstance(rankings, Rankings):
        raise TypeError(f"rankings are made by Rankings(runs); a {type(rankings).__name__} is none")
    if measure.track:
        options = measure.track(judged) | options
    topics = tuple(topic for topic in judged if not present_only or rankings.having(topic).any())
    values = np.full((len(topics), len(rankings.runs)), np.nan)
    for line, topic in zip(values, topics, strict=True):
        by_item = judged[topic]
        if measure.inputs is Inputs.GRAPH:
            items = by_item.nodes
        else:
            items, by_item = tuple(by_item), np.fromiter(by_item.values(), np.float64, len(by_item))
        having = rankings.having(topic) if present_only else np.full(len(rankings.runs), True)
        if measure.lengths:
            options["lengths"] = rankings.lengths(topic)
        line[having] = measure.rows(rankings.rows(topic, items), by_item, **options)[having]
    values.setflags(write=False)
    return Scores(label, topics, rankings.runs, values)
