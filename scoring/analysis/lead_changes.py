"""Lead changes: what the lead of the first run would be without each doubtful judgment. Cached."""

from collections import defaultdict
from typing import NamedTuple

from collection.cached_results import CachedResult, Progress
from collection.models import Run, Study
from scoring.analysis import doubtful_judgments, leave_one_out
from scoring.compute import child_process
from scoring.compute.influence import first_two
from scoring.scores import topic_scores
from scoring.scores.score_rows import columns as columns_of
from scoring.scores.stored_measures import chosen, options

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
    measure, p = chosen(study.measures)[0], max(Study.PERSISTENCES)
    runs = list(Run.objects.filter(study=study).order_by("name").values_list("pk", "name"))
    topics, values = leave_one_out.scored_topics(study, [pk for pk, _ in runs], measure, p)
    leaders = child_process.call(first_two, values) if len(topics) else []
    if len(leaders) < 2:
        return None
    first, second = leaders
    gaps = (values[:, first] - values[:, second]).tolist()
    own: dict[int, list[int]] = defaultdict(list)
    for listed in doubtful_judgments.DOUBTS.now(study).listed[:MOST]:
        own[listed.topic].append(listed.doubt.judgment)
    column = columns_of([measure]).index((measure, options(p)))
    without: dict[int, float] = {}
    for place, topic in enumerate(topics):
        progress(place, len(topics))
        left_out = {pk: [pk] for pk in own.get(topic.pk, ())}
        if not left_out:
            continue
        for pk, (_, scores) in topic_scores.scores_without(topic, left_out, [measure]).items():
            of_run = dict(zip(scores.runs, scores.values[column], strict=True))
            one, other = (of_run.get(runs[n][0], float("nan")) for n in (first, second))
            without[pk] = _mean([*gaps[:place], float(one - other), *gaps[place + 1 :]])
    return LeadChanges(runs[first][1], runs[second][1], _mean(gaps), without)


def _mean(gaps: list[float]) -> float:
    """The mean of the differences that are known: topics on which both runs have a score."""
    known = [gap for gap in gaps if gap == gap]
    return round(sum(known) / len(known), 12) if known else float("nan")


LEAD_CHANGES = CachedResult(
    "lead-changes",
    version=doubtful_judgments.order_version,
    compute=_compute,
    is_small=doubtful_judgments.is_scored_fast,
    lease_seconds=900,
)
