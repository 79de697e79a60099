"""Many runs on many topics at once, by any measure of the table that compares a ranking with judgments."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .measure import Inputs
from .rankings import Rankings
from .registry import MEASURES
from .scores import Scores


def score(
    name: str, judged: Mapping[str, Any], rankings: Rankings, *, label: str | None = None, **options: Any
) -> Scores:
    """A measure's values of all runs on all topics that both sides have.

    name: of a measure that compares a ranking with grades or with a preference graph. judged: topic ->
    docno -> grade, or topic -> `PreferenceGraph`. options: the measure's own (p, depth, k, gain ...).
    ERR's max_grade is the highest of all topics unless given. label: what the result calls the measure,
    else its name, with @k where k is given.
    nan where a run lacks the topic, or the measure has no value for it.
    Raises ValueError for a measure that cannot be had so, and as the measure does.
    Time grows with topics x runs x ranks, and as the measure's.
    """
    measure = MEASURES.get(name)
    if measure is None or measure.rows is None:
        known = ", ".join(other.name for other in MEASURES.values() if other.rows)
        raise ValueError(f"there is no measure {name!r} of runs; there are {known}")
    if not isinstance(rankings, Rankings):
        raise TypeError(f"rankings are made by Rankings(runs); a {type(rankings).__name__} is none")
    if measure.track:
        options = measure.track(judged) | options
    topics = tuple(topic for topic in judged if rankings.having(topic).any())
    values = np.full((len(topics), len(rankings.runs)), np.nan)
    for line, topic in zip(values, topics, strict=True):
        if measure.inputs is Inputs.GRAPH:
            items, by_item = judged[topic].nodes, judged[topic]
        else:
            items = tuple(judged[topic])
            by_item = np.fromiter(judged[topic].values(), np.float64, len(items))
        having = rankings.having(topic)
        found = np.reshape(measure.rows(rankings.rows(topic, items), by_item, **options), len(line))
        line[having] = found[having]
    values.setflags(write=False)
    cut = "" if options.get("k") is None else f"@{options['k']}"
    return Scores(label or name + cut, topics, rankings.runs, values)
