"""Topics in the order in which judgments finish them, and what each still takes."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from collection.models import Study, Topic
from scoring.analysis.further_topics import RunDifference
from tournament.plans import plan_of
from tournament.prior_judgments import taken_over
from tournament.remaining_work import RemainingWork
from web.forecast import overview


@dataclass(frozen=True)
class TopicWork:
    """A topic and about how many judgments it still takes. is_open: whether it is open for judging."""

    topic: int
    name: str
    judgments: int
    is_open: bool


def topic_work(study: Study, begun: Sequence[RemainingWork]) -> list[TopicWork]:
    """Return the topics that still take judgments: those that are open, nearest to their end first, then the
    others in the order in which waves open them. begun: `tournament.remaining_work.left`.
    """
    plan = plan_of(study)
    rows = Topic.objects.filter(study=study, opened_at=None).order_by("pk").values_list("pk", "name")
    recorded = taken_over(study, plan).abouts
    found = [
        TopicWork(one.topic, one.name, one.about, True)
        for one in sorted(begun, key=lambda one: (one.about, one.topic))
    ]
    for (topic, name), size in zip(rows, overview.stock(study).not_open, strict=False):
        if size < 2:
            continue
        whole = plan.rules.forecast([size], plan.settings).about
        found.append(TopicWork(topic, name, recorded.get(topic, whole), False))
    return found


def judgments_a_topic(study: Study, judged: float) -> float:
    """Return about how many judgments a further topic takes: on every page that says so.

    As many as those judged here have had; where people judged none yet, as many as the study's plan asks on
    average of its own pools. judged: the mean of those judged, as of `MeasureScores`.
    """
    pools = [] if study.opened_at else [size for size in overview.stock(study).pools if size > 1]
    if not pools:
        return judged
    plan = plan_of(study)
    return plan.rules.forecast(pools, plan.settings).about / len(pools)


def judgments_until(work: Sequence[TopicWork], now: RunDifference, further: int, a_topic: float) -> int:
    """Return the judgments that so many topics take which are not compared yet, with all that come before
    them. a_topic: of topics beyond those of the study, by `judgments_a_topic`.
    """
    judgments = left = 0
    for one in work:
        if left == further:
            break
        judgments += one.judgments
        left += one.topic not in now.compared
    return judgments + ceil((further - left) * a_topic)
