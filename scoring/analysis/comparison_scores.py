"""Scores to compare runs by: a study's table, the topics that means are over, and their weights."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collection.models import Run, Study, Topic
from scoring.analysis.topic_filter import topics_in
from scoring.board import standings
from scoring.scores import topic_weights
from scoring.scores.stored_measures import chosen, options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from scoring.scores.score_tables import ScoreTable

# How long comparisons are cached, which change only with scores.
KEPT_SECONDS = 600


@dataclass(frozen=True)
class MeasureScores:
    """One measure's scores: ids of topics and runs in the order of `values` (topics, runs), nan if absent.

    whole: which topics the measure's means are over (`topic_weights.settled`); weights: what each weighs
    where all are (`topic_weights.weights_of`). some: whether means are over whole ones unless somebody wants
    all. ceilings: (topics,), nan if absent.
    """

    topics: list[int]
    runs: list[int]
    values: "NDArray[np.float64]"
    judgments: list[int]
    whole: "NDArray[np.bool_]"
    weights: "NDArray[np.float64]"
    some: bool
    ceilings: "NDArray[np.float64]"

    def of(self, whole: bool) -> "tuple[NDArray[np.float64], NDArray[np.float64]]":
        """The values that means are over, and the weights of their topics."""
        return (self.values[self.whole], self.weights[self.whole]) if whole else (self.values, self.weights)

    def compared(self, *places: int) -> frozenset[int]:
        """The topics, of those that means are over, on which the runs at these places have a score."""
        import numpy as np

        there = ~np.isnan(self.values[:, list(places)]).any(axis=1)
        kept = np.flatnonzero(there & self.whole if self.some else there)
        return frozenset(self.topics[n] for n in kept)

    @property
    def judgments_a_topic(self) -> float:
        """The mean judgments of the topics that means are over; 0 without any."""
        judged = [
            n for n, whole in zip(self.judgments, self.whole, strict=True) if n and (whole or not self.some)
        ]
        return sum(judged) / len(judged) if judged else 0.0

    def ceilings_of(self, whole: bool) -> "NDArray[np.float64]":
        """The ceilings of the topics that means are over."""
        return self.ceilings[self.whole] if whole else self.ceilings


@dataclass(frozen=True)
class Read:
    """Scores of a study, its topics by id in the order of their names; whole: by measure; the rest as of
    `MeasureScores`.
    """

    table: "ScoreTable"
    topics: list[int]
    whole: "dict[str, NDArray[np.bool_]]"
    weights: "NDArray[np.float64]"
    some: bool


def read_all(study: Study, runs: list[int], columns: Sequence[tuple[str, str]] = ()) -> Read:
    """Read the scores of a study for these runs: of all columns, or of some."""
    import numpy as np

    # Not before: it loads numpy, which a web process does without until somebody compares.
    from scoring.scores import score_tables

    of_topics = Topic.objects.filter(study=study).order_by("name")
    rows = of_topics.values_list("pk", "asked", "full_rounds", "weight")
    asked = {pk: (of, rounds, weight) for pk, of, rounds, weight in rows}
    table = score_tables.read(study, list(asked), runs, columns)
    weights, full = topic_weights.weights_of(table.judgments, list(asked.values()))
    tops = standings.with_known_top(study)
    topped = np.array([topic in tops for topic in asked], dtype=bool)
    of_measure = {name: topic_weights.settled(name, full, topped) for name in chosen(study.measures)}
    return Read(table, list(asked), of_measure, weights, bool(full.sum() >= 2))


def scores_of(study: Study, measure: str, p: float, group: str = "") -> MeasureScores:
    """Read one measure's scores of all runs, by name, over all topics or those of a group (`topics_in`)."""
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", flat=True))
    read = read_all(study, runs, [(measure, options(p))])
    found = MeasureScores(
        topics=read.topics,
        runs=runs,
        values=read.table.values[0],
        judgments=read.table.judgments,
        whole=read.whole[measure],
        weights=read.weights,
        some=read.some,
        ceilings=read.table.ceilings[0],
    )
    kept = topics_in(study, group)
    return found if kept is None else _among(found, kept)


def _among(scores: MeasureScores, kept: set[int]) -> MeasureScores:
    """These scores over some of the topics alone."""
    import numpy as np

    mask = np.array([topic in kept for topic in scores.topics], dtype=bool)
    whole = scores.whole[mask]
    return MeasureScores(
        topics=[topic for topic in scores.topics if topic in kept],
        runs=scores.runs,
        values=scores.values[mask],
        judgments=[n for n, there in zip(scores.judgments, mask, strict=True) if there],
        whole=whole,
        weights=scores.weights[mask],
        some=scores.some and bool(whole.sum() >= 2),
        ceilings=scores.ceilings[mask],
    )


def number_or_none(value: float) -> float | None:
    """The value; None if it is not a number."""
    return None if value != value else value


def key_of(name: str, study: Study, scores: MeasureScores, *asked: object) -> str:
    """Key of a result of these topics, whichever group they are of."""
    topics = hashlib.sha256(repr(scores.topics).encode()).hexdigest()[:16]
    return ":".join(map(str, (name, study.pk, *asked, topics)))
