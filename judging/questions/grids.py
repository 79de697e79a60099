"""Challenges of picks: grids with one clearly best item, made from the known grades."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from math import comb

from django.db import transaction

from collection.models import Study
from judging.models import Task
from judging.questions import asking
from judging.questions.challenges import PER_TOPIC, clear, count
from judging.secret_random import secret_random

# Of sizes that only the last places ask, a topic has few questions.
OF_LESSER_SIZE = 3


def sizes(pool: int, grid_size: int, k: int) -> range:
    """The sizes that a tournament's grids may have, largest first.

    Once fewer items than a grid holds are left without a place, each further place makes the grid one
    smaller.
    """
    largest = min(pool, grid_size)
    return range(largest, min(largest, max(2, pool - k + 1)) - 1, -1) if largest > 1 else range(0)


@transaction.atomic
def from_grades(task: Task, pools: Mapping[int, Sequence[int]], grid_size: int, k: int) -> int:
    """Make challenges for every topic: an item of its top grade among others graded 0 or below.

    pools: of each topic at the start of its tournament; a challenge has as many items as a question that it
    may replace. A task that has challenges gets no more. Returns how many were made.
    """
    if count(task):
        return 0
    best, junk = clear(task.study)
    rows = []
    for topic in sorted(best.keys() & junk.keys()):
        chooser = secret_random(task.study.seed, "challenges", topic)
        for place, size in enumerate(sizes(len(pools.get(topic, ())), grid_size, k)):
            wanted = OF_LESSER_SIZE if place else PER_TOPIC
            rows += [
                asking.Asked(topic, grid, {"best": grid.index(good), "of": size})
                for good, grid in _grids(best[topic], junk[topic], size, wanted, chooser)
            ]
    asking.store(task, rows, "expected")
    return len(rows)


def clear_grids(study: Study, size: int, each: int) -> Iterator[tuple[int, tuple[int, ...], dict[str, int]]]:
    """Grids whose best item is known from the grades: topic, items and known answer, at most `each` of a
    topic.

    They have `size` items, or as many as there are.
    """
    best, junk = clear(study)
    for topic in sorted(best.keys() & junk.keys()):
        chooser = secret_random(study.seed, "known grids", topic)
        for good, grid in _grids(best[topic], junk[topic], min(size, 1 + len(junk[topic])), each, chooser):
            yield topic, grid, {"best": grid.index(good), "of": len(grid)}


def _grids(
    best: Sequence[int], junk: Sequence[int], size: int, most: int, chooser: random.Random
) -> Iterable[tuple[int, tuple[int, ...]]]:
    """Choose different grids of a good item and `size` - 1 bad ones, using items about equally often."""
    if len(junk) < size - 1:
        return
    met: Counter[int] = Counter()
    made: set[tuple[int, ...]] = set()
    if len(best) * comb(len(junk), size - 1) <= most:
        for others in combinations(junk, size - 1):
            for good in best:
                yield good, tuple(sorted((good, *others)))
        return
    while len(made) < most:
        seen = {item: (met[item], chooser.random()) for item in (*best, *junk)}
        # The rarest; now and then any, so that a pair of items does not always come together.
        rarest = sorted(junk, key=seen.__getitem__)[: size - 1]
        bad = rarest if chooser.random() < 0.5 else chooser.sample(list(junk), size - 1)
        good = min(best, key=seen.__getitem__)
        grid = tuple(sorted((good, *bad)))
        if grid not in made:
            made.add(grid)
            met.update(grid)
            yield good, grid


def possible(best: int, junk: int, pool: int, grid_size: int, k: int) -> int:
    """Count the challenges that `from_grades` would make for a topic with so many items."""
    return sum(
        min(OF_LESSER_SIZE if place else PER_TOPIC, best * comb(junk, size - 1))
        for place, size in enumerate(sizes(pool, grid_size, k))
    )
