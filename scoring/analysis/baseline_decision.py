"""Decision about a baseline: whether the best other run is better, not worse by what matters, or neither."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.core.cache import cache

from collection.models import Run, Study
from scoring.analysis.comparison_scores import KEPT_SECONDS, scores_of
from scoring.analysis.further_topics import RunDifference, topics_until
from scoring.board import standings
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

    of: candidate less baseline, over the topics that both have; its interval is at the level of Holm's
    correction for all comparisons with the baseline, so that it leaves 0 out where the test does. least: the
    difference that matters. needed: further topics after which the interval is no wider than the difference
    that matters to either side; 0 unless the decision is open. comparisons: how many runs were tested.
    """

    state: BaselineState
    of: RunDifference
    least: float
    needed: int
    comparisons: int

    @property
    def baseline(self) -> int:
        """The baseline's id."""
        return self.of.second

    @property
    def candidate(self) -> int:
        """The id of the run that is held against it."""
        return self.of.first


def decide(study: Study) -> BaselineDecision | None:
    """Hold the best other run against the study's baseline; None without either, or below two topics.

    Cached while scores, baseline and least difference stay the same: two queries. Else nine, and
    time that grows with topics x runs.
    """
    base = Run.objects.filter(study=study, name=study.baseline).values_list("pk", flat=True).first()
    if base is None:
        return None
    key = f"baseline-decision:{study.pk}"
    version = (standings.version(study), base, study.least_difference, study.measures, study.persistence)
    kept: tuple[Any, BaselineDecision | None] | None = cache.get(key)
    if kept is None or kept[0] != version:
        kept = version, _decided(study, base)
        cache.set(key, kept, timeout=KEPT_SECONDS)
    return kept[1]


def _decided(study: Study, base: int) -> BaselineDecision | None:
    import numpy as np

    from prefir.measures import compare_to_baseline

    measure = chosen(study.measures)[0]
    scores = scores_of(study, measure, study.persistence)
    values, weights = scores.of(scores.some)
    if len(scores.runs) < 2 or not values.size:
        return None
    place = scores.runs.index(base)
    found = child_process.call(compare_to_baseline, values, place, level=1 - LEVEL, weights=weights)
    gaps = np.where(np.isnan(found.lows), -np.inf, found.differences)
    best = int(np.argmax(gaps))
    if gaps[best] == -np.inf:
        return None
    steps = found.steps(LEVEL)
    low, high, topics = float(found.lows[best]), float(found.highs[best]), int(found.topics[best])
    # By the interval that is shown: it and the corrected test say the same.
    state = BaselineState.OPEN
    if _enough(topics) and low > 0:
        state = BaselineState.BETTER
    elif _enough(topics) and high < 0:
        state = BaselineState.WORSE
    elif _enough(topics) and low > -study.least_difference:
        state = BaselineState.NOT_WORSE
    difference = RunDifference(
        first=scores.runs[best],
        second=base,
        measure=measure,
        difference=float(gaps[best]),
        low=low,
        high=high,
        level=1 - LEVEL / int(steps[best]),
        compared=scores.compared(best, place),
        judgments_a_topic=scores.judgments_a_topic,
    )
    wanted = topics_until(difference, study.least_difference)
    needed = max(0, wanted - topics) if state == BaselineState.OPEN else 0
    return BaselineDecision(state, difference, study.least_difference, needed, int((steps > 0).sum()))


def _enough(topics: int) -> bool:
    from prefir.measures.significance import enough_topics

    return bool(enough_topics(topics, LEVEL))
