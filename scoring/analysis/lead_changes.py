"""Lead changes: what the lead of the first run would be without each doubtful judgment. Cached."""

from collections import defaultdict
from typing import NamedTuple

from collection.cached_results import CachedResult, Progress
from collection.models import Study
from scoring.analysis import doubtful_judgments, leave_one_out
from scoring.compute import child_process
from scoring.compute.influence import first_two

# Of so many doubtful judgments, those with most against them: each is scored without, one by one.
MOST = 200


class LeadChanges(NamedTuple):
    """The first two runs by the means behind the leaderboard, and what the lead is without some judgments.

    lead: of the mean of `first` over that of `second`. without: the lead without a judgment, by its id; those
    whose topic is not among the means are absent.
    """

    first: str
    second: str
    lead: float
    without: dict[int, float]


def _compute(study: Study, progress: Progress) -> LeadChanges | None:
    """Compute the lead without each of MOST doubtful judgments; None if fewer than two runs have a mean.

    Some ten queries for each topic that has one; time as for scoring a topic once for each judgment.
    """
    scored = leave_one_out.first_scores(study)
    leaders = child_process.call(first_two, scored.values, scored.weights) if scored.topics else []
    if len(leaders) < 2:
        return None
    first, second = leaders
    both = [scored.values[:, run].tolist() for run in leaders]
    weights = scored.weights.tolist()
    own: dict[int, list[int]] = defaultdict(list)
    for listed in doubtful_judgments.DOUBTS.now(study).listed[:MOST]:
        own[listed.topic].append(listed.doubt.judgment)
    without: dict[int, float] = {}
    each = leave_one_out.scores_without(scored, lambda topic: {pk: [pk] for pk in own[topic.pk]}, progress)
    for place, pk, _, values in each:
        then = [float(values[run]) for run in leaders]
        changed = [[*own[:place], new, *own[place + 1 :]] for own, new in zip(both, then, strict=True)]
        without[pk] = _lead(changed, weights)
    names = list(scored.runs.values())
    return LeadChanges(names[first], names[second], _lead(both, weights), without)


def _lead(both: list[list[float]], weights: list[float]) -> float:
    """The mean of one run less that of the other, as on the leaderboard: each over its own topics."""
    first, second = (_mean(own, weights) for own in both)
    return round(first - second, 12)


def _mean(values: list[float], weights: list[float]) -> float:
    """The mean, by what topics weigh, of the values that are known."""
    known = [(value, weight) for value, weight in zip(values, weights, strict=True) if value == value]
    heavy = sum(weight for _, weight in known)
    return sum(value * weight for value, weight in known) / heavy if heavy else float("nan")


LEAD_CHANGES = CachedResult(
    "lead-changes",
    version=doubtful_judgments.order_version,
    compute=_compute,
    is_small=doubtful_judgments.is_scored_fast,
    lease_seconds=900,
)
