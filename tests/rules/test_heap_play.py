"""The heap: the right top, ties that share a place, and the waves of a line that is played match by match."""

from collections import Counter, deque
from itertools import combinations
from math import comb
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.rules import Choice, heap_bound, play_dedicated, play_heap
from prefir.rules.pairings import shuffled

TIE, FIRST, SECOND = Choice
orders = st.lists(st.integers(-1000, 1000), unique=True, max_size=70)
rngs = st.integers(0, 2**32).map(Random)
seeds = st.text(max_size=3)


def match_by_match(order, answer, k):
    """The line of the paper's program, one match at a time: (places, pairs in the order of asking)."""
    line, places, asked = deque(([item], []) for item in order), [], []
    while line and sum(map(len, places)) < k:
        if len(line) == 1:
            items, below = line.pop()
            places.append(tuple(sorted(items)))
            line = deque(below)
            continue
        one, two = line.popleft(), line.popleft()
        a, b = one[0][0], two[0][0]
        asked.append((min(a, b), max(a, b)))
        lean = answer(*asked[-1]) * (1 if a < b else -1)
        if lean > 0:
            line.append((one[0], [two, *one[1]]))
        elif lean < 0:
            line.append((two[0], [one, *two[1]]))
        else:
            line.append((one[0] + two[0], one[1] + two[1]))
    return tuple(places), asked


@given(orders, st.integers(1, 12), seeds)
def test_answers_by_an_order_give_exactly_its_top(play_out, by_order, order, k, seed):
    state, _ = play_out(play_heap, order, by_order(order), k=k, seed=seed)
    assert state.top == tuple((item,) for item in order[:k])


@given(st.lists(st.integers(0, 6), max_size=60), st.integers(1, 12), seeds)
def test_equal_items_share_a_place_whole(play_out, grades, k, seed):
    """A place is a grade: the best, then the next, until there are k items."""

    def prefer(a, b):
        return (grades[a] > grades[b]) - (grades[a] < grades[b])

    state, _ = play_out(play_heap, range(len(grades)), prefer, k=k, seed=seed)
    places = []
    for grade in sorted(set(grades), reverse=True):
        if sum(map(len, places)) < k:
            places.append(tuple(item for item, own in enumerate(grades) if own == grade))
    assert state.top == tuple(places)


@given(orders, st.integers(1, 12), seeds, st.sampled_from([(1, -1), (0, 1, -1)]), rngs)
def test_waves_ask_what_the_line_asks_match_by_match(play_out, order, k, seed, choices, rng):
    leans = {pair: rng.choice(choices) for pair in combinations(sorted(order), 2)}
    state, _ = play_out(play_heap, order, lambda *pair: leans[pair], k=k, seed=seed)
    line = shuffled(tuple(sorted(order)), Random(f"{seed}:0"))
    places, asked = match_by_match(line, lambda *pair: leans[pair], k)
    assert state.top == places
    assert sorted(pair for round_ in state.rounds for pair in round_.pairs) == sorted(asked)


@given(orders, st.integers(1, 12), seeds, rngs)
def test_no_pair_is_asked_twice_and_decided_ones_stay_within_the_bound(play_out, order, k, seed, rng):
    state, _ = play_out(play_heap, order, lambda *_: rng.choice((1, -1)), k=k, seed=seed)
    pairs = [pair for round_ in state.rounds for pair in round_.pairs]
    assert len(set(pairs)) == len(pairs) <= heap_bound(len(order), k) <= comb(len(order), 2)
    for round_ in state.rounds:
        assert sorted(item for pair in round_.pairs for item in pair) == list(round_.pool)
        assert sum(round_.wins.values()) == len(round_.pairs)


@pytest.mark.parametrize("items", [20, 50, 112])
def test_ties_save_what_the_guide_promises(play_out, items):
    """A sixth to a third of the judgments of single elimination, and a third of its rounds; 4 grades."""
    judgments, rounds = Counter(), Counter()
    for seed in range(20):
        grades = Random(seed).choices(range(4), k=items)

        def prefer(a, b, grades=grades):
            return (grades[a] > grades[b]) - (grades[a] < grades[b])

        for play in (play_heap, play_dedicated):
            state, _ = play_out(play, range(items), prefer, k=5, seed=str(seed))
            judgments[play] += sum(len(round_.pairs) for round_ in state.rounds)
            rounds[play] += len(state.rounds)
    assert 2 / 3 - 0.03 < judgments[play_heap] / judgments[play_dedicated] < 5 / 6 + 0.03
    assert rounds[play_heap] / rounds[play_dedicated] < 2 / 3


def test_a_pool_of_equal_items_takes_one_match_less_than_it_has_items():
    ties = {pair: [TIE] for pair in combinations(range(20), 2)}
    state = play_heap(range(20), ties, k=3, seed="s")
    assert state.top == (tuple(range(20)),)
    assert sum(len(round_.pairs) for round_ in state.rounds) == 19


def test_a_pair_set_aside_shares_a_place():
    """Nobody can judge it, so nothing tells its items apart."""
    state = play_heap([1, 2, 3], {(1, 3): [FIRST], (2, 3): [FIRST]}, k=1, seed="s", aside=[(1, 2)])
    assert state.top == ((1, 2),)


@pytest.mark.parametrize(
    ("size", "k", "matches"),
    # Of 8: 7 for the best; the 3 under it meet in 2, in 2 waves; under the next are at most 2 + 2, so 3.
    [(0, 5, 0), (1, 5, 0), (2, 5, 1), (3, 1, 2), (8, 1, 7), (8, 2, 9), (8, 3, 12)],
)
def test_the_bound_by_hand(size, k, matches):
    assert heap_bound(size, k) == matches


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match=r"^The size is -1; it must be 0 or more\.$"):
        heap_bound(-1, 5)
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        heap_bound(3, 0)
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        play_heap([1, 2], {}, k=0, seed="s")
    with pytest.raises(ValueError, match=r"^The pair \(2, 1\) must be written"):
        play_heap([1, 2], {(2, 1): [FIRST]}, k=1, seed="s")
    with pytest.raises(ValueError, match=r"^The answer 7 to the pair \(1, 2\) is no lean"):
        play_heap([1, 2], {(1, 2): [7]}, k=1, seed="s")
