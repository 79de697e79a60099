"""The dedicated-assessor tournament: few judgments, the right top, waves that wait for all their answers."""

from functools import partial
from itertools import combinations
from math import ceil, log2
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.rules import Choice, bound, play_dedicated
from prefir.rules.pairings import shuffled

TIE, FIRST, SECOND = Choice
orders = st.lists(st.integers(-1000, 1000), unique=True, max_size=70)
rngs = st.integers(0, 2**32).map(Random)  # a whole Random drawn by hypothesis is slow
seeds = st.text(max_size=3)


@given(orders, st.integers(1, 12), seeds)
def test_answers_by_an_order_give_exactly_its_top(play_out, by_order, order, k, seed):
    state, _ = play_out(play_dedicated, order, by_order(order), k=k, seed=seed)
    assert state.top == tuple((item,) for item in order[:k])


@given(orders, st.integers(1, 12), seeds, st.sampled_from([(0,), (1,), (1, -1), (0, 1, -1)]), rngs)
def test_any_answers_end_within_the_bound_and_no_pair_is_asked_twice(play_out, order, k, seed, choices, rng):
    """Also for contradictory ones. The bound is written out anew: n + (k - 1) * ceil(log2 n)."""
    state, answers = play_out(play_dedicated, order, lambda *_: rng.choice(choices), k=k, seed=seed)
    pairs = [pair for round_ in state.rounds for pair in round_.pairs]
    n = len(order)
    assert len(set(pairs)) == len(pairs) == sum(map(len, answers.values()))
    assert len(pairs) <= (n + (k - 1) * ceil(log2(n)) if n else 0)
    assert len({item for (item,) in state.top}) == min(k, n)


@given(orders.filter(lambda order: len(order) > 1), st.integers(1, 12), seeds)
def test_waves_are_few_and_nobody_plays_twice_in_one(play_out, by_order, order, k, seed):
    """ceil(log2 n) waves for the best, at most one fewer for each further place."""
    state, _ = play_out(play_dedicated, order, by_order(order), k=k, seed=seed)
    levels = ceil(log2(len(order)))
    assert len(state.rounds) <= levels + (k - 1) * (levels - 1)
    for round_ in state.rounds:
        assert round_.kind == "match"
        assert sorted(item for pair in round_.pairs for item in pair) == list(round_.pool)
        assert sum(round_.wins.values()) == len(round_.pairs)


@given(orders, st.integers(1, 12), seeds, rngs)
def test_a_wave_waits_until_all_its_matches_are_answered(by_order, order, k, seed, rng):
    """Answered one at a time in any order: the same rounds as answered all at once."""
    prefer = by_order(order)
    answers, state = {}, play_dedicated(order, {}, k=k, seed=seed)
    while not state.finished:
        pair = rng.choice(state.open_pairs)
        answers[pair] = [prefer(*pair)]
        after = play_dedicated(rng.sample(order, len(order)), answers, k=k, seed=seed)
        assert after.rounds[len(state.rounds) - 1].pairs == state.rounds[-1].pairs
        state = after
    everything = {pair: [prefer(*pair)] for pair in combinations(sorted(order), 2)}
    assert state == play_dedicated(order, everything, k=k, seed=seed)


def test_a_tie_goes_to_the_item_earlier_in_the_seeded_order():
    """So with ties alone the top is that order."""
    ties = {pair: [TIE] for pair in combinations(range(20), 2)}
    order = shuffled(tuple(range(20)), Random("s:0"))
    assert play_dedicated(range(20), ties, k=20, seed="s").top == tuple((item,) for item in order)


def test_the_first_wave_has_the_matches_of_all_items_with_an_opponent():
    """Of 5 items two pairs meet; the fifth waits for a winner."""
    state = play_dedicated(range(5), {}, k=2, seed="s")
    assert (len(state.rounds), len(state.open_pairs), len(state.rounds[0].pool)) == (1, 2, 4)
    assert (state.rounds[0].wins, state.finished) == (None, False)


def test_of_several_judgments_the_majority_decides():
    play = partial(play_dedicated, k=1, judgments_per_pair=3, seed="s")
    assert play([1, 2], {(1, 2): [FIRST, SECOND]}).open_pairs == ((1, 2),)
    state = play([1, 2], {(1, 2): [FIRST, SECOND, SECOND, FIRST, FIRST]})
    assert (state.top, state.wanted()) == (((2,),), {(1, 2): 3})


@pytest.mark.parametrize(("pool", "top"), [([], ()), ([8], ((8,),)), ([8, 8], ((8,),))])
def test_nothing_is_asked_of_a_pool_of_none_or_one(pool, top):
    state = play_dedicated(pool, {}, k=3, seed="s")
    assert (state.rounds, state.top, state.open_pairs) == ((), top, ())


def test_with_k_beyond_the_pool_all_items_are_placed_by_one_question():
    assert play_dedicated([8, 3], {(3, 8): [SECOND]}, k=5, seed="s").top == ((8,), (3,))


@pytest.mark.parametrize(
    ("sizes", "k", "judgments"),
    [([], 5, 0), ([0], 5, 0), ([1], 5, 1), ([2], 5, 6), ([8], 3, 14), ([9], 3, 17), ([8, 9], 3, 31)],
)
def test_the_bound_by_hand(sizes, k, judgments):
    """n + (k - 1) * ceil(log2 n), for example 9 + 2 * 4 = 17."""
    assert bound(sizes, k) == judgments


def test_impossible_arguments_are_refused():
    with pytest.raises(ValueError, match=r"^The pool sizes include -1; a size must be 0 or more\.$"):
        bound([3, -1], 5)
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        bound([3], 0)
    with pytest.raises(ValueError, match=r"^k is 0; it must be at least 1\.$"):
        play_dedicated([1, 2], {}, k=0, seed="s")
    with pytest.raises(ValueError, match=r"^The pair \(2, 1\) must be written"):
        play_dedicated([1, 2], {(2, 1): [FIRST]}, k=1, seed="s")
