"""Statistics of each topic of a study over its runs: mean, spread and agreement with the other topics."""

from collections.abc import Sequence
from dataclasses import dataclass

from collection.models import Study
from scoring.analysis.comparison_scores import number_or_none, scores_of


@dataclass(frozen=True)
class TopicStats:
    """Statistics of a topic beside the other topics (`prefir.measures.topic_figures`); None if undefined.

    gap: by how much the first of two runs is above the second. ceiling: the best that a ranking could have.
    """

    mean: float | None
    spread: float | None
    agreement: float | None
    gap: float | None = None
    ceiling: float | None = None

    @property
    def reached(self) -> float | None:
        """Share of the ceiling that the mean has, low on hard topics; the mean where no ceiling is known."""
        return self.mean / self.ceiling if self.mean is not None and self.ceiling else self.mean


def of_topics(
    study: Study, measure: str, p: float, group: str = "", pair: Sequence[int] = ()
) -> dict[int, TopicStats]:
    """Statistics of every topic of a study, or of a group of them, by id, in the order of their names.

    pair: ids of the two runs whose gap is told; () for none.
    """
    from prefir.measures import topic_figures

    scores = scores_of(study, measure, p, group)
    found = topic_figures(scores.values)
    columns = [found.means.tolist(), found.spreads.tolist(), found.agreements.tolist()]
    one, other = (scores.values[:, scores.runs.index(run)] for run in pair or scores.runs[:1] * 2)
    columns += [(one - other).tolist(), scores.ceilings.tolist()]
    rows = zip(*columns, strict=True)
    return {
        topic: TopicStats(*map(number_or_none, row)) for topic, row in zip(scores.topics, rows, strict=True)
    }
