"""Figures of answers: against a slow, obvious count, and of simulated assessors whose bias is known."""

import random
from collections import Counter
from dataclasses import replace
from statistics import median

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from prefir.measures import Judgment, agreement_by_assessor, krippendorff_alpha, repeat_consistency
from scoring.compute import answer_stats, trust_figures
from scoring.compute.answer_columns import AGAIN, CHALLENGE, COUNTS, DISCARDED
from scoring.compute.answer_stats import holm
from scoring.compute.answer_units import units_of
from scoring.compute.grouped_counts import medians, percentiles
from tests.scoring import plain_figures
from tests.scoring.plain_answers import Answer, columns

PAIR, PICK, GRADE = 1, 2, 3


def pair(chooser, assessor, items, *, side=None, about=COUNTS, **more):
    """An answer to a pair as a page would have it; items: those left and right."""
    side = chooser.choice([1, 0, -1]) if side is None else side
    first, second = sorted(items)
    lean = side if items[0] == first else -side
    given = {
        "about": about,
        "task": PAIR,
        "scale": "3",
        "assessor": assessor,
        "question": 1000 * first + second,
        "topic": 1,
        "subjects": tuple(items),
        "side": side,
        "place": None,
        "label": lean,
        "leans": ((first, second, lean),),
        "seconds": chooser.choice([None, chooser.uniform(0.2, 30)]),
        "least": 3.0 * ((first + second) % 2),
        "third": chooser.choice([0, 1, 2, None]),
        "strength": lean * (1 + (first + second) % 2),
    }
    return Answer(**(given | more))


def pick(chooser, assessor, items, *, place=None):
    place = chooser.randrange(len(items)) if place is None else place
    best = items[place]
    return Answer(
        *(COUNTS, PICK, "best", assessor, 10**6 + hash(tuple(sorted(items))) % 10**6, 1, tuple(items)),
        *(None, place, best, tuple((best, other, 1) for other in items if other != best)),
        *(chooser.uniform(1, 60), 2.0, chooser.randrange(3)),
    )


@pytest.fixture(scope="module")
def mixed():
    """Some thousand answers of 12 people to pairs, picks and grades, challenges and discarded ones too."""
    chooser = random.Random("mixed")
    found = []
    for _ in range(3000):
        about = chooser.choice([COUNTS, COUNTS, CHALLENGE, DISCARDED, AGAIN])
        found.append(pair(chooser, chooser.randrange(12), chooser.sample(range(1, 9), 2), about=about))
    for size in (4, 6):
        for _ in range(150):
            found.append(pick(chooser, chooser.randrange(12), chooser.sample(range(1, 9), size)))
    for _ in range(200):
        item, grade = chooser.randrange(1, 9), chooser.randrange(5)
        found.append(
            Answer(
                *(COUNTS, GRADE, "0-4", chooser.randrange(12), 5 * 10**6 + item, 1, (item,)),
                *(None, None, grade, (), 4.0, 0.0, None),
            )
        )
    chooser.shuffle(found)
    return found


def report(answers):
    return answer_stats.report(columns(answers))


def slowly(answers, **of):
    """The answers of a group, one condition after another."""
    return [a for a in answers if all(getattr(a, name) == value for name, value in of.items())]


def check(found, own):
    """A group's figures against plain counts."""
    assert found.answers == len(own)
    assert found.people == len({a.assessor for a in own})
    sided = [a.side for a in own if a.side is not None and a.subjects]
    left, right = sided.count(1), sided.count(-1)
    assert (found.left.some, found.left.every) == (left, left + right)
    if left + right:
        test = binomtest(left, left + right)
        interval = test.proportion_ci(method="wilson")
        assert found.left_p == pytest.approx(test.pvalue)
        assert (found.left.low, found.left.high) == pytest.approx((interval.low, interval.high))
    else:
        assert found.left_p is found.left.share is None
    assert (found.ties.some, found.ties.every) == (sided.count(0), len(sided))
    picks = [(len(a.subjects), a.place) for a in own if a.place is not None]
    assert found.picks == {
        size: [picks.count((size, place)) for place in range(size)] for size in sorted({s for s, _ in picks})
    }
    if picks and min(np.mean(counts) for counts in found.picks.values()) >= 5:
        assert found.picks_chi2 == pytest.approx(
            sum(chisquare(counts).statistic for counts in found.picks.values())
        )
        assert found.picks_p is not None
    seconds = [a.seconds for a in own if a.seconds is not None]
    assert found.timed == len(seconds)
    told = [found.quarter, found.middle, found.three_quarters]
    assert told == (
        pytest.approx(np.quantile(seconds, [0.25, 0.5, 0.75]).tolist()) if seconds else [None] * 3
    )
    readable = [a for a in own if a.seconds is not None and a.least > 0]
    assert (found.fast.some, found.fast.every) == (
        sum(a.seconds < a.least for a in readable),
        len(readable),
    )
    for third, value in ((0, found.early), (2, found.late)):
        of_third = [a.seconds for a in own if a.seconds is not None and a.third == third]
        assert value == (median(of_third) if of_third else None)


def test_figures_are_those_of_a_slow_count(mixed):
    found = report(mixed)
    counting = slowly(mixed, about=COUNTS)
    check(found.all, counting)
    assert list(found.tasks) == [PAIR, PICK, GRADE]
    for task, own in found.tasks.items():
        check(own, slowly(counting, task=task))
    assert found.people.keys() == {a.assessor for a in counting}
    for person, own in found.people.items():
        check(own, slowly(counting, assessor=person))
    check(found.challenges, slowly(mixed, about=CHALLENGE))
    check(found.discarded, slowly(mixed, about=DISCARDED))


def bare(found):
    """Without intervals, which `test_trust.py` holds against larger studies."""
    both = (found.given, found.merged)
    return trust_figures.OfTask(
        found.task, *(one and replace(one, raw_ends=None, alpha_ends=None) for one in both)
    )


def test_all_figures_are_those_of_one_answer_after_another_to_the_last_bit(mixed):
    """Of several tasks, of pairs alone, and of nothing."""
    for given in (mixed, slowly(mixed, task=PAIR), []):
        found, counting = columns(given), slowly(given, about=COUNTS)
        assert report(given) == plain_figures.report(given)
        own = found.where(found.about == COUNTS)
        groups = {one.assessor: "abc"[one.assessor % 3] for one in given}
        plain_units = plain_figures.units_of(counting)
        assert trust_figures.triples(own) == plain_figures.triples(counting)
        assert trust_figures.stretches(own) == plain_figures.stretches(counting)
        assert trust_figures.between(units_of(own), groups) == plain_figures.between(plain_units, groups)
    people = {one.assessor: trust_figures.KnownPerson("", "", 0, 0) for one in mixed}
    tasks = plain_figures.grouped(slowly(mixed, about=COUNTS), "task").items()
    expected = [trust_figures.OfTask(task, *plain_figures.of_task(own)) for task, own in sorted(tasks)]
    found = trust_figures.reported(columns(mixed), people)[1].agreements
    assert [bare(one) for one in found] == expected


def test_percentiles_of_many_groups_are_those_of_each_alone_to_the_last_bit():
    chooser = np.random.default_rng(4)
    values, group = chooser.lognormal(2, 1, 4000), chooser.integers(0, 300, 4000)
    there = (group % 7 > 0) & (chooser.random(4000) < 0.5)
    found = percentiles(values, group, 301, there, [0.25, 0.5, 0.75])
    for n in range(301):
        own = values[there & (group == n)].tolist()
        expected = np.percentile(own, [25, 50, 75]).tolist() if own else [None] * 3
        assert [of[n] for of in found] == expected
        assert medians(values, group, 301, there)[n] == (median(own) if own else None)


def test_agreement_is_that_of_the_measures(mixed):
    """Expected by the published definitions over Judgment records, and by alpha over a plain table."""
    found = report(mixed)
    pairs = slowly(mixed, about=COUNTS, task=PAIR)
    units: dict = {}
    for answer in pairs:
        units.setdefault(answer.question, {}).setdefault(answer.assessor, answer.label)
    labels = [list(unit.values()) for unit in units.values()]
    turned = [[-label for label in unit] for unit in labels]
    assert found.tasks[PAIR].alpha == pytest.approx(krippendorff_alpha([*labels, *turned]))
    assert found.tasks[PAIR].shared == sum(len(unit) > 1 for unit in labels)
    graded = Counter()
    table: dict = {}
    for answer in slowly(mixed, task=GRADE):
        table.setdefault(answer.question, {}).setdefault(answer.assessor, answer.label)
        graded[answer.label] += 1
    expected = krippendorff_alpha([list(unit.values()) for unit in table.values()], level="ordinal")
    assert found.tasks[GRADE].alpha == pytest.approx(expected)
    assert found.all.alpha is None
    alone = report(pairs)
    assert alone.all.alpha == found.tasks[PAIR].alpha
    expected = agreement_by_assessor(_records(pairs), merge=True)
    assert {str(pk): own.agreement for pk, own in alone.people.items()} == pytest.approx(expected)


def test_consistency_is_that_of_the_measure(mixed):
    pairs = slowly(mixed, about=COUNTS, task=PAIR)
    expected = repeat_consistency(_records(pairs), merge=True)
    found = report(pairs).all
    assert (found.repeated.some, found.repeated.every) == (expected.same, expected.repeated)
    assert (found.swapped.some, found.swapped.every) == (expected.swapped_same, expected.swapped_repeated)
    assert found.swapped.every < found.repeated.every


def _records(pairs):
    # Names in the order of the numbers; left is below 0 there.
    return [Judgment("t", *(f"{s:03}" for s in a.subjects), -a.side, str(a.assessor)) for a in pairs]


@pytest.mark.parametrize("true", [0.5, 0.58, 0.8])
def test_the_interval_covers_a_left_bias_that_is_built_in(true):
    """Forty studies of assessors who go for the left that often: 95 % of the intervals should hold it."""
    covered = significant = 0
    for seed in range(40):
        chooser = random.Random(f"{true}:{seed}")
        answers = [
            pair(chooser, n % 10, chooser.sample(range(1, 99), 2), side=1 if chooser.random() < true else -1)
            for n in range(600)
        ]
        found = report(answers).all
        covered += found.left.low <= true <= found.left.high
        significant += found.left_p < 0.05
    assert covered >= 34
    assert significant >= 36 if true != 0.5 else significant <= 6


@pytest.mark.parametrize("slips", [0.0, 0.15, 0.5])
def test_the_interval_covers_an_inconsistency_that_is_built_in(slips):
    """Each pair twice, once each way round; an answer slips to the other item that often. Both are the same
    where none slips or both do.
    """
    true = (1 - slips) ** 2 + slips**2
    covered = 0
    for seed in range(40):
        chooser = random.Random(f"{slips}:{seed}")
        answers = []
        for n in range(300):
            items = [2 * n + 1, 2 * n + 2]
            chooser.shuffle(items)
            for shown in (items, items[::-1]):
                prefers = min(shown) if chooser.random() >= slips else max(shown)
                answers.append(pair(chooser, n % 7, shown, side=1 if shown[0] == prefers else -1))
        found = report(answers).all
        assert found.swapped == found.repeated
        assert found.repeated.every == 300
        covered += found.repeated.low <= true <= found.repeated.high
    assert covered >= (40 if slips == 0 else 34)


def test_a_place_that_draws_picks_is_found_and_no_other():
    chooser = random.Random("picks")

    def picked(lure):
        places = [0 if chooser.random() < lure else None for _ in range(900)]
        return report(
            [
                pick(chooser, n % 9, chooser.sample(range(1, 40), 6), place=place)
                for n, place in enumerate(places)
            ]
        ).all

    assert picked(0.15).picks_p < 0.001
    assert picked(0).picks_p > 0.01


def test_one_who_always_answers_left_is_flagged_among_honest_ones():
    chooser = random.Random("one")
    answers = [
        pair(
            chooser,
            person,
            chooser.sample(range(1, 99), 2),
            side=1 if person == 7 else chooser.choice([1, -1]),
        )
        for person in range(40)
        for _ in range(25)
    ]
    found = report(answers)
    assert [pk for pk, own in found.people.items() if own.left_flag] == [7]


def test_holm_is_stricter_than_each_test_alone():
    """By hand, three tests: 0.01 x 3 passes, 0.03 x 2 does not, and then nothing after it does."""
    assert holm({1: 0.03, 2: 0.01, 3: 0.04}) == {2}
    assert holm({1: 0.02, 2: 0.01, 3: 0.04}) == {1, 2, 3}
    assert holm({}) == set()


def test_of_nothing_there_is_nothing_to_tell():
    found = report([])
    assert found.all.answers == found.all.left.every == found.all.timed == found.all.shared == 0
    assert found.all.left.share is found.all.left_p is found.all.middle is found.all.alpha is None
    assert found.tasks == found.people == {}


def test_picks_repeat_a_pair_of_items_where_grids_overlap():
    """By hand, one person: of 5 and 3 they prefer 5 and then 3; of 5 and 4 they prefer 5 both times, once
    each way round; nothing follows about 3 and 4, of which neither was picked.
    """
    chooser = random.Random("overlap")
    found = report(
        [
            pick(chooser, 1, [5, 3, 4], place=0),
            pick(chooser, 1, [4, 5], place=1),
            pick(chooser, 1, [3, 5], place=0),
        ]
    ).all
    assert (found.repeated.some, found.repeated.every) == (1, 2)
    assert (found.swapped.some, found.swapped.every) == (1, 2)
