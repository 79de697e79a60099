"""Tournaments of picks: deals, the rule against a slow obvious version, and simulated assessors."""

from collections import Counter
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prefir.rules import STRATEGIES, play_picks
from prefir.rules.grids import deal, grids_of

PICKS = STRATEGIES["picks"]
shapes = st.tuples(st.integers(2, 40), st.integers(3, 9), st.integers(1, 5), st.integers(0, 10**6))


@given(shapes)
def test_a_deal_shows_each_item_so_often_and_no_grid_twice(shape):
    n, size, appearances, seed = shape
    grids = deal(tuple(range(n)), size, appearances, str(seed))
    assert len(grids) <= grids_of(n, size, appearances)
    assert len(set(grids)) == len(grids)
    assert {len(grid) for grid in grids} == {min(n, size)}
    assert all(list(grid) == sorted(set(grid)) for grid in grids)
    stood = Counter(item for grid in grids for item in grid)
    assert set(stood) == set(range(n))
    if n > size and len(grids) < comb(n, size) and len(grids) == grids_of(n, size, appearances):
        assert set(stood.values()) <= {appearances, appearances + 1}
        assert sum(times > appearances for times in stood.values()) < size


@pytest.mark.parametrize(("n", "size", "appearances"), [(20, 6, 3), (50, 6, 3), (13, 4, 2), (112, 9, 3)])
def test_usual_deals_are_whole_and_spread_over_pairs(n, size, appearances):
    """As many grids as there should be; and fewer pairs that meet again than in shuffled grids."""
    again = 0
    for seed in range(5):
        grids = deal(tuple(range(n)), size, appearances, str(seed))
        assert len(grids) == grids_of(n, size, appearances) == -(-n * appearances // size)
        met = Counter(pair for grid in grids for pair in combinations(grid, 2))
        again += sum(times - 1 for times in met.values())
    random, shuffled = Random(1), 0
    for _ in range(5):
        line = [item for _ in range(appearances) for item in random.sample(range(n), n)]
        met = Counter(
            tuple(sorted(pair))
            for start in range(0, len(line), size)
            for pair in combinations(line[start : start + size], 2)
        )
        shuffled += sum(times - 1 for times in met.values())
    assert again < 0.75 * shuffled


@pytest.mark.parametrize(("n", "size", "appearances"), [(5, 3, 3), (7, 5, 5), (8, 3, 5), (7, 3, 5)])
def test_small_deals_are_tried_again_where_a_grid_came_twice(n, size, appearances):
    """Of these, four to fifteen of twenty come out with a grid twice at the first try."""
    for seed in range(20):
        grids = deal(tuple(range(n)), size, appearances, str(seed))
        assert len(set(grids)) == grids_of(n, size, appearances)


def assessor(order, *, worst):
    place = {item: at for at, item in enumerate(order)}

    def pick(grid):
        best, *others, last = sorted(grid, key=place.__getitem__)
        found = [(best, other) for other in (*others, last)]
        return found + ([(other, last) for other in others] if worst else [])

    return pick


def play_out(pool, pick, *, each=1, **how):
    answers, states = {}, []
    while not states or not states[-1].finished:
        for grid in states[-1].open_pairs if states else ():
            answers.setdefault(grid, []).extend(pick(grid) for _ in range(each))
        states.append(play_picks(pool, answers, judgments_per_pair=each, **how))
    return states[-1], answers


@given(shapes, st.booleans(), st.integers(1, 6))
@settings(max_examples=60)
def test_answers_that_agree_with_an_order_find_exactly_its_top(shape, worst, k):
    n, size, appearances, seed = shape
    order = Random(seed).sample(range(n), n)
    how = {"k": k, "grid_size": size, "appearances": appearances, "seed": str(seed)}
    end, _ = play_out(range(n), assessor(order, worst=worst), **how)
    assert end.top == tuple((item,) for item in order[:k])


def slow_contenders(items, placed, last):
    """By the rule's words, from a list of (winner, loser) of each item's last round."""

    def share(item):
        about = [p for p in last.get(item, []) if item in p and not set(p) & placed]
        return sum(p[0] == item for p in about) / len(about) if about else 1.0

    free = [item for item in items if item not in placed]
    better = [item for item in free if share(item) > 0.5]
    return better or [item for item in free if share(item) == max(map(share, free), default=0)]


@given(shapes, st.integers(1, 5), st.booleans())
@settings(max_examples=60)
def test_rounds_follow_the_rule_in_its_slow_obvious_form(shape, k, worst):
    """Assessors who answer at random: who contends after each round, who is placed, and the end."""
    n, size, appearances, seed = shape
    random = Random(seed)

    def whim(grid):
        return assessor(random.sample(grid, len(grid)), worst=worst)(grid)

    how = {"k": k, "grid_size": size, "appearances": appearances, "seed": str(seed)}
    end, answers = play_out(range(n), whim, **how)
    used, placed, top, last = Counter(), set(), [], {}
    contenders = list(range(n))
    for round_ in end.rounds:
        while len(contenders) == 1:
            top.append(tuple(contenders))
            placed |= set(contenders)
            contenders = slow_contenders(range(n), placed, last)
        said = []
        for grid in round_.pairs:
            said += answers[grid][used[grid]]
            used[grid] += 1
        wins = Counter(better for better, _ in said)
        assert round_.wins == {item: wins[item] for item in round_.pool}
        last |= dict.fromkeys(contenders, said)
        if len(contenders) <= size:
            assert round_.kind == "final"
            assert set(contenders) <= set(round_.pool)
            assert len(round_.pool) == min(size, n - len(placed))
            best = tuple(item for item in round_.pool if wins[item] == max(wins.values()))
            top.append(best)
            placed |= set(best)
            contenders = slow_contenders(range(n), placed, last)
        else:
            assert round_.pool == tuple(contenders)
            staying = slow_contenders(contenders, placed, last)
            if staying == contenders:  # each won just half of its preferences
                top.append(tuple(contenders))
                placed |= set(contenders)
                staying = slow_contenders(range(n), placed, last)
            assert len(staying) < len(contenders) or set(contenders) <= placed
            contenders = staying
    while len(placed) < min(k, n):
        assert len(contenders) == 1
        top.append(tuple(contenders))
        placed |= set(contenders)
        contenders = slow_contenders(range(n), placed, last)
    assert end.top == tuple(top)


def test_more_answers_at_the_end_change_no_round_that_was_complete():
    end, answers = play_out(range(20), assessor(range(20), worst=False), k=3, seed="s")
    more = {grid: [*picks, [(grid[-1], other) for other in grid[:-1]]] for grid, picks in answers.items()}
    again = play_picks(range(20), more, k=3, seed="s")
    assert (again.rounds, again.top) == (end.rounds, end.top)


@pytest.mark.parametrize("worst", [False, True])
def test_assessors_who_err_still_find_most_of_the_top(worst):
    """50 items, each seen three places off on average, three assessors a grid: of 5 places 4 in the mean."""
    found = 0
    for seed in range(12):
        random = Random(seed)

        def erring(grid, random=random):
            seen = {item: item + random.gauss(0, 3) for item in grid}
            return assessor(sorted(grid, key=seen.__getitem__), worst=worst)(grid)

        end, _ = play_out(range(50), erring, each=3, k=5, seed=str(seed))
        found += len({item for place in end.top for item in place} & set(range(5)))
    assert found >= 12 * 4


def test_a_split_vote_for_a_place_is_shared():
    votes = iter([[(0, 1), (0, 2)], [(1, 0), (1, 2)], [(2, 0)], [(2, 0)]])
    end, _ = play_out(range(3), lambda grid: next(votes), each=2, k=2, seed="s")
    assert end.top == ((0, 1),)


@pytest.mark.parametrize(
    ("answers", "said"),
    [({(2, 1): []}, "items ascending"), ({(1, 2): [[(1, 3)]]}, "not about items of the grid")],
)
def test_answers_that_cannot_be_are_refused(answers, said):
    with pytest.raises(ValueError, match=said):
        play_picks([1, 2, 3], answers, seed="s")


def test_a_forecast_by_hand():
    """20 items in grids of 6, three times: 10 grids; then 10 in 5, and a grid for each of 5 places."""
    forecast = PICKS.forecast([20, 1, 0], {"judgments_per_pair": 2})
    assert (forecast.least, forecast.about) == (2 * 10, 2 * (10 + 5 + 5))


def test_a_grid_that_is_set_aside_is_not_waited_for():
    """The rest decides; where nothing is left to decide by, the items share the place."""
    pick = assessor([3, 1, 0, 2, 4], worst=False)
    how = {"k": 2, "grid_size": 3, "appearances": 2, "seed": "s"}
    first = play_picks(range(5), {}, **how).open_pairs
    answers = {grid: [pick(grid)] for grid in first[1:]}
    assert play_picks(range(5), answers, **how).open_pairs == first[:1]
    going_on = play_picks(range(5), answers, aside=first[:1], **how)
    assert first[0] not in going_on.open_pairs
    assert len(going_on.rounds) > 1 or going_on.finished
    alone = play_picks(range(3), {}, k=2, grid_size=3, appearances=2, seed="s", aside=[(0, 1, 2)])
    assert alone.top == ((0, 1, 2),)
