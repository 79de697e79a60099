"""Plans of studies, and the candidate pools they choose from a study's items."""

from collections import defaultdict
from dataclasses import dataclass

from collection.material.item_counts import BARE, Counts
from collection.models import Item, Study, Topic
from judging.questions import asking
from prefir import rules
from prefir.rules import STRATEGIES
from tournament.models import Plan


def plan_of(study: Study) -> Plan:
    """Return a study's plan; make one with default settings if it has none."""
    try:
        return study.plan  # kept with the study once it was read
    except Plan.DoesNotExist:
        defaults = {"task": asking.task_of(study), "seed": study.seed}
        return Plan.objects.get_or_create(study=study, defaults=defaults)[0]


def plan_version(plan: Plan) -> str:
    """A stamp that changes whenever the rounds that a plan begins may: with it, or with what is loaded."""
    loaded = plan.study.imports.filter(state="done").order_by("-pk").values_list("pk", flat=True).first()
    return f"{plan.strategy}.{sorted(plan.settings.items())}.{plan.seed}.{loaded}"


def usual_settings(strategy: str) -> dict[str, int]:
    """Default settings of a new plan of this strategy."""
    return dict(STRATEGIES[strategy].defaults)


@dataclass(frozen=True)
class Pool:
    """Number of a topic's candidates, and how many of them have no content."""

    size: int
    bare: int


def pool_of(counts: Counts, k: int) -> Pool:
    """Size of the pool that `all_pools` would choose for a topic, from counts alone."""
    by_grade: dict[float, int] = defaultdict(int)
    for (grade, _), n in counts.items():
        if grade is not None:
            by_grade[grade] += n
    if not by_grade:
        shown = sum(n for (_, bare), n in counts.items() if not bare)
        every = sum(counts.values())
        return Pool(shown, 0) if shown else Pool(every, every)
    lowest = rules.lowest_grade(by_grade, k)
    if lowest is None:
        return Pool(0, 0)
    chosen = {key: n for key, n in counts.items() if key[0] is not None and key[0] >= lowest}
    return Pool(sum(chosen.values()), sum(n for (_, bare), n in chosen.items() if bare))


def all_pools(study: Study, plan: Plan) -> dict[int, list[int]]:
    """Choose the item ids of each topic's first pool.

    By grade if a topic has grades; else all items with content; else all items.
    """
    grades: dict[int, dict[int, float]] = {}
    shown: dict[int, list[int]] = {}
    known: dict[int, list[int]] = {}
    for topic in Topic.objects.filter(study=study).values_list("pk", flat=True):
        grades[topic], shown[topic], known[topic] = {}, [], []
    rows = Item.objects.filter(topic__study=study).annotate(bare=BARE).order_by("pk")
    for pk, topic, grade, bare in rows.values_list("pk", "topic_id", "grade__value", "bare"):
        known[topic].append(pk)
        if not bare:
            shown[topic].append(pk)
        if grade is not None:
            grades[topic][pk] = grade
    return {
        topic: rules.initial_pool(grades[topic], plan.k) if grades[topic] else shown[topic] or known[topic]
        for topic in known
    }
