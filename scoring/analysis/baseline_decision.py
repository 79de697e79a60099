"""Decision about a baseline: whether the best other run is better, not worse by what matters, or neither."""

from dataclasses import dataclass
from enum import StrEnum
from math import ceil

from collection.models import Run, Study
from scoring.analysis.comparison_scores import scores_of
from scoring.compute import child_process
from scoring.scores.stored_measures import chosen

LEVEL = 0.05


class BaselineState(StrEnum):
    """What is known of the best other run: that it is better than the baseline, not worse by the least
    difference that matters, or worse; else open.
    """

    BETTER = "better"
    NOT_WORSE = "not worse"
    WORSE = "worse"
    OPEN = "open"


@dataclass(frozen=True)
class BaselineDecision:
    """The best run other than the baseline, held against it by the first measure.

    baseline, candidate: ids. difference: of means, candidate less baseline, over the topics that both have.
    low, high: its interval, which holds for all other runs together in 95 of 100 studies such as this. least:
    the difference that matters. needed: further topics after which the interval is no wider than the
    difference that matters to either side; 0 unless the decision is open. judgments: that these take, by the
    mean of the present topics.
    """

    state: BaselineState
    baseline: int
    candidate: int
    measure: str
    difference: float
    low: float
    high: float
    least: float
    topics: int
    needed: int
    judgments: int


def decide(study: Study) -> BaselineDecision | None:
    """Hold the best other run against the study's baseline; None without either, or below two topics.

    Seven queries; time grows with topics x runs.
    """
    import numpy as np

    from prefir.measures import compare_to_baseline

    base = Run.objects.filter(study=study, name=study.baseline).values_list("pk", flat=True).first()
    measure = chosen(study.measures)[0]
    if base is None:
        return None
    scores = scores_of(study, measure, study.persistence)
    values, weights = scores.of(scores.some)
    others = len(scores.runs) - 1
    if others < 1 or not values.size:
        return None
    place = scores.runs.index(base)
    found = child_process.call(compare_to_baseline, values, place, level=1 - LEVEL / others, weights=weights)
    gaps = np.where(np.isnan(found.lows), -np.inf, found.differences)
    best = int(np.argmax(gaps))
    if gaps[best] == -np.inf:
        return None
    low, high, topics = float(found.lows[best]), float(found.highs[best]), int(found.topics[best])
    state = BaselineState.OPEN
    if found.sure(LEVEL)[best]:
        state = BaselineState.BETTER if gaps[best] > 0 else BaselineState.WORSE
    elif low > -study.least_difference and _enough(topics):
        state = BaselineState.NOT_WORSE
    wanted = ceil(topics * ((high - low) / 2 / study.least_difference) ** 2)
    needed = max(0, wanted - topics) if state == BaselineState.OPEN else 0
    each = sum(scores.judgments) / max(1, sum(number > 0 for number in scores.judgments))
    return BaselineDecision(
        state=state,
        baseline=base,
        candidate=scores.runs[best],
        measure=measure,
        difference=float(gaps[best]),
        low=low,
        high=high,
        least=study.least_difference,
        topics=topics,
        needed=needed,
        judgments=round(needed * each),
    )


def _enough(topics: int) -> bool:
    from prefir.measures.significance import enough_topics

    return bool(enough_topics(topics, LEVEL))
