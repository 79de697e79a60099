"""Recorded judgments that tournaments take over when a study is opened, counted before it is.

Tournaments are replayed from all settled judgments, so pairs that files have answers to are not asked again.
How many that are is known only by playing: rounds draw their pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from django.core.cache import cache
from django.db.models import Count, Sum

from collection.models import Study
from judging import ledger
from judging.models import Judgment, JudgmentQuerySet
from judging.tasks.pair import Pair
from prefir.rules import Forecast
from tournament.models import Plan, Tournament
from tournament.plans import all_pools, plan_version
from tournament.services import replayed

# Judgments that are read, and whose topics are played, while somebody waits for a page.
MOST = 20_000
# How long the result is cached at most.
KEPT_SECONDS = 600
NOTHING = Forecast(0, 0, 0)


@dataclass(frozen=True)
class TakenOver:
    """What recorded judgments leave to ask in the topics that have some.

    judgments: how many there are. played: False if these are too many to play them here; the other numbers
    are 0 then. sizes: sizes of the pools of these topics that have a pair to ask. taken: judgments that the
    first rounds take over. pairs: those asked about at once, for which so many answers are missing. left:
    judgments that remain to be expected in all; abouts: about how many in each of these topics, by id.
    """

    judgments: int
    played: bool = False
    sizes: Sequence[int] = ()
    taken: int = 0
    pairs: int = 0
    answers: int = 0
    left: Forecast = NOTHING
    abouts: Mapping[int, int] = field(default_factory=dict)


NONE = TakenOver(0)


def taken_over(study: Study, plan: Plan) -> TakenOver:
    """Replay the tournaments of topics with recorded judgments that are not open yet; cached while these
    judgments, the collection and the plan stay the same.
    """
    if plan.rules.asks != Pair.name:
        # Files hold pairs.
        return NONE
    settled = Judgment.objects.settled().filter(
        topic__study=study, topic__opened_at=None, assignment__task=plan.task_id
    )
    # Judgments of other batches that are as many have another sum of ids.
    held = settled.aggregate(n=Count("pk"), sum=Sum("pk"))
    found = held["n"]
    if not 0 < found <= MOST:
        return TakenOver(found)
    version = f"{held} {plan_version(plan)}"
    key = f"taken-over:{study.pk}"
    kept: tuple[str, TakenOver] | None = cache.get(key)
    if kept is None or kept[0] != version:
        kept = version, _played(study, plan, settled, found)
        cache.set(key, kept, timeout=KEPT_SECONDS)
    return kept[1]


def _played(study: Study, plan: Plan, settled: JudgmentQuerySet, found: int) -> TakenOver:
    leans = ledger.settled_by_topic(settled)
    pools = all_pools(study, plan)
    topics = {topic.pk: topic for topic in study.topics.filter(pk__in=leans)}
    sizes, taken, pairs, answers = [], 0, 0, 0
    least = most = 0
    abouts: dict[int, int] = {}
    for pk, given in leans.items():
        pool = pools[pk]
        if len(pool) < 2:
            continue
        sizes.append(len(pool))
        state = replayed(plan, Tournament(topic_id=pk, pool=pool), topics[pk], given)
        wanted = state.wanted()
        had = {pair: min(times, len(given.get((pair[0], pair[1]), ()))) for pair, times in wanted.items()}
        here = sum(had.values())
        taken += here
        abouts[pk] = 0
        if state.finished:
            continue
        pairs += len(state.open_pairs)
        missing = sum(wanted[pair] - had[pair] for pair in state.open_pairs)
        answers += missing
        whole = plan.rules.forecast([len(pool)], plan.settings)
        # Later rounds may find the others that there are of the pool's pairs.
        spare = _of(pool, given) - here
        low = max(missing, whole.least - here - spare)
        high = max(low, whole.most - here)
        least, most = least + low, most + high
        abouts[pk] = min(high, max(low, whole.about - here))
    expected = Forecast(least, sum(abouts.values()), most)
    return TakenOver(found, True, sizes, taken, pairs, answers, expected, abouts)


def _of(pool: Sequence[int], given: Mapping[tuple[int, int], Sequence[int]]) -> int:
    """Count the judgments about two items of the pool."""
    items = set(pool)
    return sum(len(leans) for pair, leans in given.items() if items.issuperset(pair))
