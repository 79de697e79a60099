"""A simulated assessor who answers a tournament to its end."""

import pytest


@pytest.fixture(scope="session")
def play_out():
    """A function: answer every open pair with `choose(first, second)` until the tournament is over."""

    def run(play, pool, choose, **settings):
        answers: dict[tuple[int, int], list[int]] = {}
        state = play(pool, answers, **settings)
        while not state.finished:
            for first, second in state.open_pairs:
                answers.setdefault((first, second), []).append(choose(first, second))
            state = play(pool, answers, **settings)
        return state, answers

    return run


@pytest.fixture(scope="session")
def by_order():
    """A function: a `choose` that always prefers the item that stands earlier in `order`."""

    def make(order):
        place = {item: position for position, item in enumerate(order)}
        return lambda first, second: 1 if place[first] < place[second] else -1

    return make
