"""What every strategy promises, over the whole table; and what each of them is."""

from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from prefir.rules import STRATEGIES, Choice, SettingsError, play, play_dedicated, play_heap

CROWD, DEDICATED = STRATEGIES["crowd"], STRATEGIES["dedicated"]
PLAIN = {"crowd": play, "dedicated": play_dedicated, "heap": play_heap}
TIE, FIRST, SECOND = Choice

every = st.sampled_from(list(STRATEGIES.values()))
each = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=list(STRATEGIES))
sizes = st.integers(0, 40)
seeds = st.integers(0, 2**32)


@st.composite
def settled(draw):
    """A strategy and small settings that it accepts, some of them left out."""
    strategy = draw(every)
    settings = {
        name: draw(st.integers(least, min(most, least + 11)))
        for name, (least, most) in strategy.limits.items()
        if draw(st.booleans())
    }
    try:
        strategy.check(settings)
    except SettingsError:
        assume(False)
    return strategy, settings


def play_out(strategy, settings, size, seed, choices=(FIRST, SECOND)):
    """Play a pool to its end, every judgment of a pair the same random choice; the states in between."""
    random, answers, states = Random(seed), {}, []
    while not states or not states[-1].finished:
        for pair in states[-1].open_pairs if states else ():
            answer = random_pick(pair, random) if strategy.asks == "pick" else random.choice(choices)
            again = [answer] * strategy.complete(settings)["judgments_per_pair"]
            answers.setdefault(pair, []).extend(again)
        states.append(strategy.play(range(size), answers, settings, seed=str(seed)))
    return states


def random_pick(grid, random):
    """The best of a grid, at random, and of half of them the worst too."""
    best, *others, worst = random.sample(grid, len(grid))
    said = [(best, other) for other in (*others, worst)]
    return said + [(other, worst) for other in others] * random.randrange(2)


def judgments(state):
    """Judgments asked for over all rounds of a state."""
    return sum(state.wanted().values())


def left(strategy, settings, size, state):
    """`most_left` of a state, as a page asks it from the stored rounds."""
    last = state.rounds[-1] if state.rounds else None
    return strategy.most_left(
        size,
        round_size=len(last.pool) if last else None,
        answered=last.answered if last else 0,
        played=sum(round_.answered for round_ in state.rounds),
        settings=settings,
    )


@each
def test_a_strategy_has_its_name_and_limits_for_each_setting(strategy):
    assert STRATEGIES[strategy.name] is strategy
    assert strategy.title
    assert list(strategy.limits) == list(strategy.defaults)


@each
def test_the_defaults_are_accepted_and_fill_in_what_is_left_out(strategy):
    strategy.check({})
    assert strategy.complete({}) == strategy.defaults
    assert strategy.complete({"k": 3}) == {**strategy.defaults, "k": 3}


@each
def test_completing_settings_leaves_the_defaults_as_they_are(strategy):
    strategy.complete({})["k"] = 999
    assert strategy.complete({})["k"] == 5


@each
def test_a_value_beyond_a_limit_is_refused_by_the_setting_s_name(strategy):
    for name, (least, most) in strategy.limits.items():
        for value, told in ((least - 1, f"at least {least}"), (most + 1, f"at most {most}")):
            with pytest.raises(SettingsError, match=rf"^{name} is {value}; it must be {told}\.$") as caught:
                strategy.check({name: value})
            assert caught.value.field == name


@each
@pytest.mark.parametrize("value", ["5", 5.0, True, None])
def test_a_value_that_is_no_whole_number_is_refused(strategy, value):
    with pytest.raises(SettingsError, match=r"^k is .*; it must be a whole number\.$") as caught:
        strategy.check({"k": value})
    assert caught.value.field == "k"


@each
def test_every_method_refuses_a_setting_that_the_strategy_does_not_have(strategy):
    bad = {"colour": 3}
    for call in (
        lambda: strategy.complete(bad),
        lambda: strategy.check(bad),
        lambda: strategy.play([1, 2], {}, bad, seed="s"),
        lambda: strategy.first_pairs(2, bad),
        lambda: strategy.forecast([2], bad),
        lambda: strategy.most_left(2, round_size=None, answered=0, played=0, settings=bad),
        lambda: strategy.meets_again([2], bad),
    ):
        with pytest.raises(SettingsError, match=r"has no setting 'colour'; it has k, ") as caught:
            call()
        assert caught.value.field == "colour"


@given(settled(), sizes, seeds)
def test_the_same_arguments_give_the_same_tournament(chosen, size, seed):
    strategy, settings = chosen
    first, again = (play_out(strategy, settings, size, seed, tuple(Choice)) for _ in range(2))
    assert first == again


@given(settled(), sizes, seeds)
def test_a_strategy_plays_by_its_plain_function(chosen, size, seed):
    strategy, settings = chosen
    assume(strategy.name in PLAIN)
    random = Random(seed)
    answers = {
        (a, b): random.choices(tuple(Choice), k=random.randrange(9)) for b in range(size) for a in range(b)
    }
    plain = PLAIN[strategy.name](range(size), answers, **strategy.complete(settings), seed="s")
    assert strategy.play(range(size), answers, settings, seed="s") == plain


@given(settled(), sizes, seeds)
def test_any_answers_lead_to_an_end_within_the_pool(chosen, size, seed):
    strategy, settings = chosen
    top = play_out(strategy, settings, size, seed, tuple(Choice))[-1].top
    placed = [item for place in top for item in place]
    assert len(set(placed)) == len(placed)
    assert set(placed) <= set(range(size))
    assert bool(placed) == bool(size)


@given(settled(), sizes)
def test_the_first_pairs_are_those_of_the_first_round(chosen, size):
    strategy, settings = chosen
    begun = strategy.play(range(size), {}, settings, seed="s")
    assert strategy.first_pairs(size, settings) == len(begun.open_pairs)


@given(settled(), st.lists(sizes, max_size=3), seeds)
def test_decided_tournaments_stay_within_the_forecast(chosen, pools, seed):
    strategy, settings = chosen
    asked = sum(judgments(play_out(strategy, settings, size, seed)[-1]) for size in pools)
    forecast = strategy.forecast(pools, settings)
    assert forecast.least <= asked <= forecast.most
    assert forecast.least <= forecast.about <= forecast.most


@given(settled(), sizes, seeds)
def test_the_least_of_the_forecast_is_asked_whatever_the_answers_are(chosen, size, seed):
    strategy, settings = chosen
    asked = judgments(play_out(strategy, settings, size, seed, tuple(Choice))[-1])
    assert strategy.forecast([size], settings).least <= asked


@given(settled(), sizes, seeds)
def test_what_is_left_at_most_suffices_from_every_round_on(chosen, size, seed):
    strategy, settings = chosen
    states = play_out(strategy, settings, size, seed)
    per_pair = strategy.complete(settings)["judgments_per_pair"]
    for state in states:
        done = per_pair * sum(round_.answered for round_ in state.rounds)
        assert judgments(states[-1]) - done <= left(strategy, settings, size, state)


@given(settled(), sizes)
def test_before_the_first_round_as_much_is_left_as_the_forecast_says_at_most(chosen, size):
    strategy, settings = chosen
    before = strategy.most_left(size, round_size=None, answered=0, played=0, settings=settings)
    assert before == strategy.forecast([size], settings).most


@given(settled(), sizes, seeds)
def test_only_where_it_is_said_does_a_pair_meet_again(chosen, size, seed):
    strategy, settings = chosen
    rounds = play_out(strategy, settings, size, seed)[-1].rounds
    pairs = [pair for round_ in rounds for pair in round_.pairs]
    if not strategy.meets_again([size], settings):
        assert len(set(pairs)) == len(pairs)


@given(settled(), sizes, seeds)
def test_only_where_it_is_said_are_items_out_before_the_end(chosen, size, seed):
    """A strategy that eliminates: who is in no later pool is never placed."""
    strategy, settings = chosen
    end = play_out(strategy, settings, size, seed)[-1]
    if strategy.eliminates and end.rounds:
        assert {item for place in end.top for item in place} <= set(end.rounds[-1].pool)


def test_who_loses_a_match_of_a_dedicated_tournament_is_not_out():
    """8 items: those at the top are not all in the last wave. Who loses a crowd's round is out."""
    assert CROWD.eliminates
    end = play_out(DEDICATED, {}, 8, 1)[-1]
    assert not DEDICATED.eliminates
    assert not {item for place in end.top for item in place} <= set(end.rounds[-1].pool)


def test_a_crowd_asks_pairs_of_large_pools_again_and_a_dedicated_assessor_none():
    assert CROWD.meets_again([3, 10], {})
    assert not CROWD.meets_again([3, 9], {})
    assert not CROWD.meets_again([], {})
    assert not DEDICATED.meets_again([1000], {})


def test_a_final_smaller_than_the_top_is_refused():
    with pytest.raises(
        SettingsError, match=r"^The final has to hold at least the 10 items that it is to find \(k\)\.$"
    ) as caught:
        CROWD.check({"k": 10})
    assert caught.value.field == "final_size"
    CROWD.check({"k": 9})


def test_a_dedicated_tournament_has_no_final_size():
    assert list(DEDICATED.defaults) == ["k", "judgments_per_pair"]


def test_the_table_names_the_strategies_in_the_order_of_a_form():
    """Names are stored with studies: another spelling would lose them."""
    assert [(name, strategy.title) for name, strategy in STRATEGIES.items()] == [
        ("crowd", "Crowd: rounds of random pairings, then a final of all pairs"),
        ("dedicated", "Dedicated assessors: single elimination and a heap"),
        ("heap", "Dedicated assessors: a heap in which ties share a place"),
        ("picks", "Picks: the best of a grid of items, place by place"),
    ]


def test_a_large_pool_is_expected_to_halve():
    """112 items, 7 meetings each: 392 pairs; then 56, 28 and 14 items in half as many; then 7 in 21."""
    forecast = CROWD.forecast([112, 1, 0], {"judgments_per_pair": 2})
    assert (forecast.least, forecast.about) == (2 * 392, 2 * (392 + 196 + 98 + 49 + 21))


def test_a_smaller_pool_that_needs_more_pairs_is_in_the_bound():
    """F = 20, P = 3. Of 28 items 20 or 21 may stay: 20 meet in all their 190 pairs, 21 only in 32 first."""
    settings = {"final_size": 20, "pairings": 3}
    assert CROWD.forecast([21], settings).most < CROWD.forecast([20], settings).most == 190
    assert CROWD.forecast([28], settings).most == 42 + 190


def test_the_guess_is_never_above_the_bound_where_fewer_than_half_can_stay():
    """F = 2, P = 2. Of 3 items that all meet, only one can win both its pairs: 3 pairs and no final."""
    forecast = CROWD.forecast([3], {"k": 1, "final_size": 2, "pairings": 2})
    assert (forecast.least, forecast.about, forecast.most) == (3, 3, 3)


def test_a_dedicated_forecast_by_hand():
    """9 items, k = 3: everybody but the best loses once, 8; at most 9 + 2 * 4 = 17; two judgments each."""
    forecast = DEDICATED.forecast([9, 1, 0], {"k": 3, "judgments_per_pair": 2})
    assert (forecast.least, forecast.about, forecast.most) == (16, 24, 34)


def test_what_is_left_by_hand():
    """A crowd: 6 of 28 pairs of a final of 8. A dedicated assessor: 10 of 17 matches."""
    of_crowd = {"round_size": 8, "answered": 6, "played": 200, "settings": {"judgments_per_pair": 3}}
    assert CROWD.most_left(112, **of_crowd) == 3 * 22
    of_dedicated = {"round_size": 2, "answered": 1, "played": 10, "settings": {"k": 3}}
    assert DEDICATED.most_left(9, **of_dedicated) == 7
    nothing = {"round_size": None, "answered": 0, "played": 0, "settings": {}}
    assert (CROWD.most_left(1, **nothing), DEDICATED.most_left(1, **nothing)) == (0, 0)
