"""Waves: which topics are opened for judging first."""

import random
from collections.abc import Mapping, Sequence


def first_wave(
    topics: Sequence[int], pools: Mapping[int, Sequence[int]], most: int | None, seed: str | None = None
) -> list[int]:
    """Choose the first `most` topics with something to compare, and those without that stand between them.

    topics: those that are not open, in the order in which they were loaded. most: None for all of them.
    seed: draw them at random, as for a pilot, in an order that it fixes; None: take them in their order.
    """
    if most is None:
        return list(topics)
    order = list(topics)
    if seed is not None:
        # Of the topic and the seed alone, so that further waves go on where this one ended.
        order.sort(key=lambda topic: random.Random(f"{seed}:{topic}:wave").random())
    wave, playable = [], 0
    for topic in order:
        playable += len(pools[topic]) > 1
        if playable > most:
            break
        wave.append(topic)
    return sorted(wave)
