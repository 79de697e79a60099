"""Balance of sides over many batches: by assessor, by item, and by pair."""

import random
from collections import Counter, defaultdict
from itertools import combinations

import pytest

from judging.batches.layout import Challenge, Open, laid_out
from judging.tasks import KINDS

PAIR = KINDS["pair"]
# Of a normal variable, beyond this once in fifteen thousand times.
FAR = 4.0
SIZES = (9, 10)


@pytest.fixture(scope="module")
def drawn():
    """400 batches of 9 and 10 pairs of 12 items with three challenges, each with a chooser of its own, as
    arrivals draw them: (the pairs by question, the places of each batch).
    """
    pairs = dict(enumerate(combinations(range(12), 2)))
    batches = []
    for n in range(400):
        chooser = random.Random(f"batch:{n}")
        batch = [Open(pk, 2) for pk in chooser.sample(sorted(pairs), SIZES[n % 2])]
        known = [Challenge(1000 + k, chooser.choice([1, -1])) for k in range(3)]
        batches.append(laid_out(PAIR, [*batch, *known], chooser))
    return pairs, batches


def test_either_order_is_shown_as_often_in_each_batch_but_for_one_left_over(drawn):
    _, batches = drawn
    for places in batches:
        orders = Counter(place.shown for place in places if place.role == "counts")
        assert abs(orders["01"] - orders["10"]) == sum(orders.values()) % 2


def test_what_is_left_over_falls_on_either_order_by_chance(drawn):
    """In batches of nine one order is shown five times, and over many people either is the one as often."""
    _, batches = drawn
    odd = [places for places in batches if sum(p.role == "counts" for p in places) % 2]
    more = sum(Counter(p.shown for p in places if p.role == "counts")["01"] == 5 for places in odd)
    assert abs(more - len(odd) / 2) < FAR * (len(odd) / 4) ** 0.5


def test_the_order_at_one_position_does_not_tell_that_at_the_next(drawn):
    """By hand: of ten with five each, two drawn at random are alike in 4 of 9 cases; of nine with five and
    four, in (10 + 6) of 36, which is as many.
    """
    _, batches = drawn
    orders = [[place.shown for place in places if place.role == "counts"] for places in batches]
    alike = sum(first == second for first, second, *_ in orders)
    assert abs(alike - len(batches) * 4 / 9) < FAR * (len(batches) * 4 / 9 * 5 / 9) ** 0.5


def test_each_item_and_each_pair_stands_on_the_left_as_often_as_on_the_right_within_chance(drawn):
    pairs, batches = drawn
    items, orders = defaultdict(Counter), defaultdict(Counter)
    for places in batches:
        for place in places:
            if place.role == "counts":
                left = pairs[place.question_id][int(place.shown[0])]
                for item in pairs[place.question_id]:
                    items[item][item == left] += 1
                orders[place.question_id][place.shown] += 1
    assert len(items) == 12
    assert len(orders) == 66
    for side in (*items.values(), *orders.values()):
        shown = side.total()
        assert abs(side.most_common(1)[0][1] - shown / 2) < FAR * (shown / 4) ** 0.5


def test_right_answers_of_challenges_are_balanced_in_each_batch(drawn):
    _, batches = drawn
    for places in batches:
        sides = Counter(PAIR.is_right(1, p.shown, p.expected) for p in places if p.role == "challenge")
        assert abs(sides[True] - sides[False]) == 1
