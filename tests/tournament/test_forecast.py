"""How many pairs a tournament may come to: against tournaments that are really played."""

import random
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from collection.models import Study
from prefir import rules
from tournament import forecast


def play_out(size: int, final_size: int, pairings: int, seed: int) -> int:
    """Play a pool to its end with answers at random and none of them a tie; the pairs it took."""
    chooser = random.Random(seed)
    answers: dict[tuple[int, int], list[rules.Choice]] = {}
    for _ in count():
        state = rules.play(
            range(size), answers, k=3, final_size=final_size, pairings=pairings, seed=str(seed)
        )
        if state.finished:
            return sum(len(round_.pairs) for round_ in state.rounds)
        for pair in state.open_pairs:
            answers.setdefault(pair, []).append(chooser.choice([rules.Choice.FIRST, rules.Choice.SECOND]))
    raise AssertionError


@given(st.integers(2, 60), st.integers(2, 25), st.integers(1, 9), st.integers(0, 10**6))
def test_a_tournament_takes_no_more_pairs_than_the_bound(size, final_size, pairings, seed):
    took = play_out(size, final_size, pairings, seed)
    assert forecast.crowd_pairs(size, final_size, pairings) <= took
    assert took <= forecast.most_pairs(size, final_size, pairings)


@given(st.integers(2, 60), st.integers(2, 25), st.integers(1, 9))
def test_the_first_round_is_as_large_as_the_rules_make_it(size, final_size, pairings):
    study = Study(final_size=final_size, pairings=pairings)
    state = rules.play(range(size), {}, final_size=final_size, pairings=pairings, seed="s")
    assert forecast.first_pairs(size, study) == len(state.rounds[0].pairs)


@given(st.integers(2, 60))
def test_dedicated_assessors_begin_with_as_many_matches_as_the_rules_make(size):
    study = Study(mode=Study.Mode.DEDICATED)
    state = rules.play_dedicated(range(size), {}, k=3, seed="s")
    assert forecast.first_pairs(size, study) == len(state.rounds[0].pairs)


def test_a_large_pool_is_expected_to_halve():
    """112 items, 7 meetings each: 392 pairs; then 56, 28 and 14 items in half as many; then 7 in 21."""
    found = forecast.judgments([112], Study())
    assert (found.least, found.about) == (392, 392 + 196 + 98 + 49 + 21)
    assert found.most > found.about


def test_a_smaller_pool_that_needs_more_pairs_is_in_the_bound():
    """F = 20, P = 3. Of 28 items 20 or 21 may stay: 20 meet in all their 190 pairs, 21 only in 32 first."""
    assert forecast.most_pairs(21, 20, 3) < forecast.most_pairs(20, 20, 3) == 190
    assert forecast.most_pairs(28, 20, 3) == 42 + 190
