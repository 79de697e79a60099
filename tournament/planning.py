"""Planning by simulation: what tournaments of several settings would cost on a study's own items, and find.

Simulated assessors follow the study's grades; where there are none, a random order. Cached.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from collection.cached_results import CachedResult, Progress
from collection.models import Grade, Item, Study
from prefir.rules import STRATEGIES, Crowd, simulate
from tournament.models import Plan
from tournament.plans import all_pools, plan_of, plan_version

# Topics that are played, and how often each of them: a study's pools are much alike.
MOST_TOPICS, REPEATS = 20, 10
# Of pools larger than this a part is played: the work grows faster than they do.
MOST_ITEMS = 300
# Items of a study that is simulated while a page waits.
AT_ONCE = 600
# Two-sided 95 % of the normal distribution; there are a hundred plays and more.
Z = 1.96
Changes = tuple[tuple[str, int], ...]
CHEAP, USUAL, CAREFUL, OWN = "cheap", "usual", "careful", "own"


@dataclass(frozen=True)
class PlanFigures:
    """Cost and quality of one setting per topic, with the half widths of 95 % intervals.

    best: share of plays with the truly best item in the top. top: share of the true top k found.
    """

    name: str
    strategy: str
    settings: Mapping[str, int]
    judgments: tuple[float, float]
    rounds: float
    best: tuple[float, float]
    top: tuple[float, float]


@dataclass(frozen=True)
class Simulated:
    """All settings side by side. topics: of the study, with something to compare; played: those simulated.
    graded: whether the simulated assessors follow grades.
    """

    figures: list[PlanFigures]
    topics: int
    played: int
    graded: bool
    largest: int


def presets(plan: Plan) -> dict[str, tuple[str, dict[str, int]]]:
    """The compared settings: name -> (strategy, settings); the study's own is added if it is none of them."""
    k = plan.k
    found: dict[str, tuple[str, dict[str, int]]] = {
        CHEAP: (Crowd.name, _crowd(k, final_size=max(k, 5), pairings=3, judgments_per_pair=1)),
        USUAL: (Crowd.name, _crowd(k, final_size=max(k, 9), pairings=7, judgments_per_pair=1)),
        CAREFUL: (Crowd.name, _crowd(k, final_size=max(k, 9), pairings=9, judgments_per_pair=3)),
    }
    own = (plan.strategy, dict(plan.rules.complete(plan.settings)))
    if plan.rules.asks == "pair" and own not in found.values():
        found[OWN] = own
    return found


def _crowd(k: int, **settings: int) -> dict[str, int]:
    return {"k": k, **settings}


def checked(plan: Plan, changes: Mapping[str, int]) -> tuple[str, dict[str, int]]:
    """The plan's settings with changes, for a strategy of pairs. Raises SettingsError."""
    strategy = plan.rules if plan.rules.asks == "pair" else STRATEGIES[Crowd.name]
    known = {name: value for name, value in plan.settings.items() if name in strategy.defaults}
    settings = strategy.complete(known | {n: v for n, v in changes.items() if n in strategy.defaults})
    strategy.check(settings)
    return strategy.name, settings


def _compute(study: Study, progress: Progress, noise: float, tried: Changes) -> Simulated:
    """Simulate every preset and the changed settings on up to 20 of the study's topics, ten times each.

    A second for pools of 30 items, ten for pools of 100; the same seed gives the same figures.
    """
    plan, changes = plan_of(study), dict(tried)
    pools = {topic: pool for topic, pool in all_pools(study, plan).items() if len(pool) > 1}
    # Evenly from the smallest to the largest.
    topics = sorted(pools, key=lambda topic: (len(pools[topic]), topic))
    played = topics
    if len(topics) > MOST_TOPICS:
        played = [topics[at * len(topics) // MOST_TOPICS] for at in range(MOST_TOPICS)]
    values = dict(Grade.objects.filter(item__topic__in=played).values_list("item_id", "value"))
    graded = [[values.get(item, 0.0) for item in pools[topic][:MOST_ITEMS]] for topic in played]
    chosen = presets(plan)
    if changes:
        chosen[OWN] = checked(plan, changes)
    figures = [
        _figures(name, strategy, settings, graded, noise, f"{plan.seed}:planning")
        for name, (strategy, settings) in chosen.items()
    ]
    largest = max(map(len, pools.values()), default=0)
    return Simulated(figures, len(topics), len(played), bool(values), largest)


def _figures(
    name: str,
    strategy: str,
    settings: Mapping[str, int],
    graded: Sequence[Sequence[float]],
    noise: float,
    seed: str,
) -> PlanFigures:
    plays = [
        simulate(STRATEGIES[strategy], settings, grades, noise=noise, seed=f"{seed}:{topic}:{again}")
        for topic, grades in enumerate(graded)
        for again in range(REPEATS)
    ]
    return PlanFigures(
        name,
        strategy,
        dict(settings),
        judgments=_mean([play.judgments for play in plays]),
        rounds=fmean([play.rounds for play in plays] or [0]),
        best=_mean([play.best for play in plays]),
        top=_mean([play.top for play in plays]),
    )


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """A mean, and the half width of its 95 % interval."""
    if len(values) < 2:
        return (fmean(values) if values else 0.0), 0.0
    numbers = [float(value) for value in values]
    return fmean(numbers), Z * stdev(numbers) / len(numbers) ** 0.5


def version(study: Study) -> str:
    """A stamp that changes whenever the simulation's result may."""
    return plan_version(plan_of(study))


def _is_small(study: Study) -> bool:
    return Item.objects.filter(topic__study=study).count() <= AT_ONCE


# Of the noise of simulated assessors, and the settings to try, as pairs in order.
PLANS = CachedResult("plans", version=version, compute=_compute, is_small=_is_small)
