"""Costs of a run's top items on a topic: what its score would gain if an item changed places with a judged
one that stands below it.
"""

from dataclasses import dataclass, replace
from itertools import product

from collection.models import Run, Study, Topic
from judging import ledger
from scoring.compute import child_process
from scoring.scores import rankings, stored_measures
from scoring.scores.stored_measures import ON_PREFERENCES, Evidence
from scoring.scores.topic_scores import evidence_of

# Ranks whose items may cost something, and the depth down to which items are looked for to change with them.
TOP, DEEPEST = 10, 100
# Costs that are kept of a topic, the highest first, and the least of them: less is 0.000 on a page.
MOST, LEAST = 3, 0.0005


@dataclass(frozen=True)
class ItemCost:
    """What an item at a rank costs: `cost` is the run's score once the item has changed places with `better`,
    less its score.

    better: of the judged items below it the one by which the score gains most, the highest of several. won,
    lost: the judgments between the two that prefer the item, and those that prefer `better`. grade,
    better_grade: None without, and of measures that know no grades. is_judged: whether the item is one that
    the measure knows: in a judgment that counts, or with a grade.
    """

    docno: str
    rank: int
    better: str
    better_rank: int
    cost: float
    won: int
    lost: int
    grade: float | None
    better_grade: float | None
    is_judged: bool


def item_costs(study: Study, topic: Topic, run: Run, measure: str, p: float) -> list[ItemCost]:
    """Costs of the run's top items on a topic by one measure, the highest first.

    Computed by what scores are computed by. Five queries; time grows with the topic's judgments, and with up
    to 1,000 rankings as long as the run's.
    """
    from prefir.measures import Rankings

    ranking = rankings.of_topic(topic.pk, {run.pk: run.created_at})[str(run.pk)]
    preferences = ledger.given(topic.pk).scored(kept_only=study.kept_only)
    if len(ranking) < 2 or not preferences:
        return []
    own = evidence_of(topic.pk, topic.name, preferences, {"own": ranking})
    if measure in ON_PREFERENCES:
        own = replace(own, grades={})
    judged = set(own.graph.nodes if measure in ON_PREFERENCES else own.judged)
    swaps = [
        (i, j)
        for i, j in product(range(min(TOP, len(ranking))), range(min(DEEPEST, len(ranking))))
        if i < j and ranking[j] in judged
    ]
    if not swaps:
        return []
    ranked = {"own": ranking} | {f"{i} {j}": _swapped(ranking, i, j) for i, j in swaps}
    rows = Rankings(
        {name: {topic.name: one} for name, one in ranked.items()}, judged={topic.name: own.judged}
    )
    evidence = replace(own, rankings=rows)
    found = child_process.call(stored_measures.values, evidence, (p,), (measure,))[measure]
    (score,), *rest = found
    best: dict[int, tuple[float, int]] = {}
    for (i, j), (value,) in zip(swaps, rest, strict=True):
        # An absent score is nan, and compares with nothing.
        if value - score > best.get(i, (LEAST, 0))[0]:
            best[i] = (value - score, j)
    costs = [_cost(own, ranking, i, j, gain, judged) for i, (gain, j) in best.items()]
    return sorted(costs, key=lambda one: (-one.cost, one.rank))[:MOST]


def _swapped(ranking: list[str], i: int, j: int) -> list[str]:
    found = list(ranking)
    found[i], found[j] = found[j], found[i]
    return found


def _cost(evidence: Evidence, ranking: list[str], i: int, j: int, gain: float, judged: set[str]) -> ItemCost:
    item, better = ranking[i], ranking[j]
    return ItemCost(
        docno=item,
        rank=i + 1,
        better=better,
        better_rank=j + 1,
        cost=gain,
        won=evidence.graph.times(item, better),
        lost=evidence.graph.times(better, item),
        grade=evidence.grades.get(item),
        better_grade=evidence.grades.get(better),
        is_judged=item in judged,
    )
