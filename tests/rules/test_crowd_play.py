"""The crowd tournament: reduction rounds, final, edges, and what holds for any answers."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.rules import Choice, play

TIE, FIRST, SECOND = Choice
settings = st.fixed_dictionaries(
    {
        "k": st.integers(1, 6),
        "final_size": st.integers(1, 9),
        "pairings": st.integers(1, 9),
        "judgments_per_pair": st.integers(1, 3),
        "seed": st.text(max_size=3),
    }
)
rngs = st.integers(0, 2**32).map(Random)  # a whole Random drawn by hypothesis is slow
pools = st.lists(st.integers(-1000, 1000), unique=True, max_size=40)


@pytest.mark.parametrize(("pool", "top"), [([], ()), ([8], ((8,),)), ([8, 8], ((8,),))])
def test_nothing_is_asked_of_a_pool_of_none_or_one(pool, top):
    state = play(pool, {}, seed="s")
    assert (state.rounds, state.top, state.open_pairs, state.wanted()) == ((), top, (), {})


@pytest.mark.parametrize(("choice", "top"), [(FIRST, ((3,), (8,))), (SECOND, ((8,), (3,))), (TIE, ((3, 8),))])
def test_a_pool_of_two_is_one_question(choice, top):
    assert play([8, 3], {}, seed="s").open_pairs == ((3, 8),)
    assert play([8, 3], {(3, 8): [choice]}, seed="s").top == top


def test_the_final_ranks_by_wins_and_keeps_ties_at_k():
    """By hand: 1 beats all; 2, 3, 4 beat each other in a circle, so all three share the second place."""
    answers = {pair: [FIRST] for pair in combinations([1, 2, 3, 4], 2)} | {(2, 4): [SECOND]}
    state = play([1, 2, 3, 4], answers, k=2, seed="s")
    assert state.top == ((1,), (2, 3, 4))
    assert play([1, 2, 3, 4], answers, k=1, seed="s").top == ((1,),)
    assert state.rounds[0].wins == {1: 3, 2: 1, 3: 1, 4: 1}


def test_an_unfinished_round_shows_its_open_pairs_and_no_wins():
    state = play([1, 2, 3], {(1, 2): [FIRST], (2, 3): [TIE]}, seed="s")
    (final,) = state.rounds
    assert (final.kind, final.complete, final.answered, final.wins) == ("final", False, 2, None)
    assert (state.finished, state.top, state.open_pairs) == (False, None, ((1, 3),))
    assert state.wanted() == {(1, 2): 1, (1, 3): 1, (2, 3): 1}


def test_the_final_asks_pairs_again_that_met_in_a_reduction_round(by_order):
    """As in the authors' released judgments: 10 items, 35 pairs, then every pair of the survivors afresh."""
    prefer = by_order(range(10))
    first = play(range(10), {}, seed="s").rounds[0]
    state = play(range(10), {pair: [prefer(*pair)] for pair in first.pairs}, seed="s")
    final = state.rounds[1]
    again = set(first.pairs) & set(final.pairs)
    assert (len(first.pairs), final.kind, state.open_pairs) == (35, "final", final.pairs)
    assert again
    assert {pair for pair, times in state.wanted().items() if times == 2} == again


def test_a_later_round_takes_the_later_answers(by_order):
    """Each pair is answered by the order first and against it ever after: so the final is upside down."""
    prefer = by_order(range(10))
    answers = {pair: [prefer(*pair)] for pair in play(range(10), {}, seed="s").rounds[0].pairs}
    for pair in combinations(range(10), 2):
        answers[pair] = [*answers.get(pair, []), SECOND]
    state = play(range(10), answers, k=1, seed="s")
    assert 0 in state.rounds[1].pool
    assert state.top == ((max(state.rounds[1].pool),),)


@pytest.mark.parametrize(
    ("choices", "top"),
    [
        ([FIRST, SECOND, FIRST], ((1,), (2,))),
        ([TIE, TIE, SECOND], ((2,), (1,))),
        ([FIRST, TIE, SECOND], ((1, 2),)),
        ([TIE, TIE, TIE, FIRST, FIRST], ((1, 2),)),
        ([FIRST, FIRST], None),
    ],
)
def test_the_majority_of_the_judgments_asked_for_decides(choices, top):
    """Three are asked for: a fourth and a fifth change nothing, two do not suffice."""
    assert play([1, 2], {(1, 2): choices}, judgments_per_pair=3, seed="s").top == top
    assert play([1, 2], {(1, 2): choices}, judgments_per_pair=3, seed="s").wanted() == {(1, 2): 3}


@given(st.integers(10, 40), st.integers(1, 8), rngs)
def test_survivors_are_those_with_more_than_half_of_p_wins(n, p, rng):
    """Counted again from the answers, item by item."""
    answers = {pair: [rng.choice((FIRST, SECOND))] for pair in combinations(range(n), 2)}
    state = play(range(n), answers, pairings=p, seed="s")
    winners = [pair[0 if answers[pair] == [FIRST] else 1] for pair in state.rounds[0].pairs]
    staying = tuple(item for item in range(n) if winners.count(item) > p // 2)
    if len(staying) > 1:
        assert state.rounds[1].pool == staying
    elif staying:
        assert state.top == (staying,)


@pytest.mark.parametrize("n", [2, 9, 10, 25])
def test_if_all_answers_are_ties_all_share_the_first_place(n):
    ties = {pair: [TIE] for pair in combinations(range(n), 2)}
    state = play(range(n), ties, k=1, seed="s")
    assert state.top == (tuple(range(n)),)
    assert len(state.rounds) == 1


def test_if_nobody_has_enough_wins_those_with_the_most_stay():
    """20 items, all ties but two pairs without a common item: their two winners meet in the final."""
    pairs = play(range(20), {}, seed="s").open_pairs
    won = [pairs[0], next(pair for pair in pairs if not set(pair) & set(pairs[0]))]
    answers = {pair: [SECOND if pair in won else TIE] for pair in pairs}
    assert play(range(20), answers, seed="s").rounds[1].pool == tuple(sorted(second for _, second in won))


def test_one_survivor_is_the_whole_top():
    pairs = play(range(20), {}, seed="s").open_pairs
    answers = {pair: [TIE] for pair in pairs} | {pairs[0]: [FIRST]}
    state = play(range(20), answers, seed="s")
    assert (state.top, len(state.rounds)) == (((pairs[0][0],),), 1)


def test_the_top_holds_survivors_only(play_out, by_order):
    """10 items and k = 9: fewer reach the final, and nobody is put behind them."""
    state, _ = play_out(play, range(10), by_order(range(10)), k=9, seed="s")
    assert sorted(item for place in state.top for item in place) == list(state.rounds[1].pool)
    assert len(state.rounds[1].pool) < 9


def test_more_pairings_than_others_to_meet_are_all_pairs(play_out, by_order):
    """6 items, final of 4, P = 20: 5 meetings each; 0, 1 and 2 win more than half of theirs."""
    state, _ = play_out(play, range(6), by_order(range(6)), final_size=4, pairings=20, seed="s")
    first, final = state.rounds
    assert (first.kind, first.pairs) == ("reduction", tuple(combinations(range(6), 2)))
    assert (final.kind, final.pool, state.top) == ("final", (0, 1, 2), ((0,), (1,), (2,)))


@given(pools, settings, rngs)
def test_the_order_in_which_the_pool_is_given_changes_nothing(pool, settings, rng):
    answers = {pair: rng.choices(tuple(Choice), k=rng.randrange(6)) for pair in combinations(sorted(pool), 2)}
    mixed = rng.sample(pool, len(pool))
    assert play(pool, answers, **settings) == play(mixed + mixed[:3], answers, **settings)


def test_another_seed_draws_other_pairs():
    assert play(range(30), {}, seed="a").open_pairs != play(range(30), {}, seed="b").open_pairs


@given(pools, settings, rngs)
def test_more_answers_never_change_a_complete_round(pool, settings, rng):
    more = {pair: rng.choices(tuple(Choice), k=rng.randrange(12)) for pair in combinations(sorted(pool), 2)}
    fewer = {pair: choices[: rng.randrange(len(choices) + 1)] for pair, choices in more.items()}
    before, after = play(pool, fewer, **settings), play(pool, more, **settings)
    done = [round_ for round_ in before.rounds if round_.complete]
    assert list(after.rounds[: len(done)]) == done
    assert len(after.rounds) >= len(before.rounds)
    assert before.top in (None, after.top)


@given(pools, settings, st.sampled_from([(0,), (1,), (0, 1), (1, -1), (0, 0, 0, 1, -1)]), rngs)
def test_any_answers_come_to_an_end_and_every_round_is_smaller(play_out, pool, settings, choices, rng):
    state, _ = play_out(play, pool, lambda *_: rng.choice(choices), **settings)
    sizes = [len(round_.pool) for round_ in state.rounds]
    assert sizes == sorted(set(sizes), reverse=True)
    assert all(round_.complete for round_ in state.rounds)
    assert {item for place in state.top for item in place} <= set(pool)
    assert bool(state.top) == bool(pool)


@given(pools, settings, rngs)
def test_answers_by_an_order_end_soon_with_the_best_item_first(play_out, by_order, pool, settings, rng):
    """Rounds: n items share at most ceil(n P / 2) wins, and a survivor has at least floor(P / 2) + 1."""
    order = rng.sample(pool, len(pool))
    state, _ = play_out(play, pool, by_order(order), **settings)
    size, bound = len(pool), 0
    while size > 1:
        bound += 1
        meetings = min(settings["pairings"], size - 1)
        size = 0 if size <= settings["final_size"] else (size * meetings + 1) // 2 // (meetings // 2 + 1)
    assert len(state.rounds) <= bound
    assert state.top[:1] == tuple((item,) for item in order[:1])


@given(st.permutations(range(9)), st.integers(2, 9), st.integers(1, 9))
def test_a_pool_of_the_final_size_gives_the_true_top(play_out, by_order, order, n, k):
    state, answers = play_out(play, order[:n], by_order(order), k=k, seed="s")
    assert state.top == tuple((item,) for item in order[:n][:k])
    assert Counter(map(len, answers.values())) == {1: n * (n - 1) // 2}


@pytest.mark.parametrize("name", ["k", "final_size", "pairings", "judgments_per_pair"])
def test_a_setting_below_one_is_refused_by_its_name(name):
    with pytest.raises(ValueError, match=rf"^{name} is 0; it must be at least 1\.$"):
        play([1, 2], {}, seed="s", **{name: 0})


@pytest.mark.parametrize("pair", [(2, 1), (2, 2)])
def test_a_pair_the_wrong_way_round_is_refused(pair):
    """Otherwise its answers would be overlooked without a word."""
    with pytest.raises(
        ValueError, match=rf"^The pair \({pair[0]}, {pair[1]}\) must be written with the smaller"
    ):
        play([1, 2], {pair: [FIRST]}, seed="s")


def test_an_answer_that_is_no_choice_is_refused():
    with pytest.raises(ValueError, match=r"^The answer 3 to the pair \(1, 2\) is no lean"):
        play([1, 2], {(1, 2): [3]}, seed="s")
