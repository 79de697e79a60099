"""Figures of answers, one answer after another: the plain second version of `scoring.compute`."""

from collections import Counter, defaultdict
from itertools import combinations_with_replacement
from math import isnan
from statistics import median

import numpy as np

from prefir.measures import (
    Transitivity,
    both_ways,
    fleiss_kappa,
    krippendorff_alpha,
    raw_agreement,
    transitivity,
)
from prefir.measures.images import majority_preferences
from prefir.measures.shares import place_bias
from scoring.compute.answer_columns import AGAIN, CHALLENGE, COUNTS, DISCARDED
from scoring.compute.answer_stats import (
    FIRST,
    LAST,
    LEVELS,
    AnswerFigures,
    AnswerReport,
    half_test,
    holm,
    share,
)
from scoring.compute.trust_figures import LEAST, STRETCHES, Agreement, Between


def grouped(answers, name):
    """The answers by a field, in the order in which its values came first."""
    found = defaultdict(list)
    for one in answers:
        found[getattr(one, name)].append(one)
    return found


def report(answers):
    counting = [one for one in answers if one.about == COUNTS]
    again = [one for one in answers if one.about == AGAIN]
    units = units_of(counting)
    with_others, again_of = _by_assessor(units), grouped(again, "assessor")
    people = {
        pk: figures(own, {}, again=again_of[pk], agreement=with_others.get(pk), shared=_shared(own, units))
        for pk, own in grouped(counting, "assessor").items()
    }
    for pk in holm({pk: own.left_p for pk, own in people.items() if own.left_p is not None}):
        people[pk] = AnswerFigures(**{**vars(people[pk]), "left_flag": True})
    again_of = grouped(again, "task")
    tasks = {
        task: figures(own, units_of(own), again=again_of[task])
        for task, own in sorted(grouped(counting, "task").items())
    }
    return AnswerReport(
        figures(counting, units, again=again, several=len(tasks) > 1),
        tasks,
        people,
        *(_apart(answers, about) for about in (CHALLENGE, DISCARDED)),
    )


def _apart(answers, about):
    own = [one for one in answers if one.about == about]
    return figures(own, units_of(own), several=len({one.task for one in own}) > 1)


def figures(answers, units, *, again=(), several=False, agreement=None, shared=None):
    sided = [one for one in answers if one.side is not None]
    left, right = (sum(one.side == side for one in sided if one.subjects) for side in (1, -1))
    able = [one for one in sided if int(one.scale) % 2 == 1]
    picks = {}
    for one in answers:
        if one.place is not None and one.subjects:
            picks.setdefault(len(one.subjects), [0] * len(one.subjects))[one.place] += 1
    timed = [one for one in answers if one.seconds is not None]
    seconds, readable = [one.seconds for one in timed], [one for one in timed if one.least > 0]
    early, late = ([one.seconds for one in timed if one.third == third] for third in (FIRST, LAST))
    quarters = np.percentile(seconds, [25, 50, 75]).tolist() if seconds else [None] * 3
    places = place_bias(picks)
    compared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    level = LEVELS.get(answers[0].scale, "nominal") if answers else "nominal"
    turned = both_ways if answers and answers[0].side is not None else list
    alpha = None if several else told(krippendorff_alpha(turned(compared), level=level))
    repeated, swapped = repeats([*answers, *again])
    return AnswerFigures(
        *(len(answers), len({one.assessor for one in answers}), share(left, left + right)),
        *(half_test(left, left + right), False, share(sum(one.side == 0 for one in able), len(able))),
        *(dict(sorted(picks.items())), told(places.chi2), places.freedom, told(places.p_value)),
        *(len(timed), *quarters, share(sum(one.seconds < one.least for one in readable), len(readable))),
        *(median(own) if own else None for own in (early, late)),
        *(repeated, swapped, len(compared) if shared is None else shared),
        *(told(raw_agreement(compared)) if agreement is None else agreement, alpha, level),
        alpha is None and not several and bool(compared),
    )


def repeats(answers):
    said, ways = defaultdict(list), defaultdict(set)
    for answer in answers:
        at = {subject: place for place, subject in enumerate(answer.subjects)}
        for one, other, sign in answer.leans:
            first, second, own = (one, other, sign) if one < other else (other, one, -sign)
            pair = (answer.assessor, answer.task, answer.topic, first, second)
            said[pair].append(own)
            ways[pair] |= {at[first] > at[second]} if at else set()
    again = [(len(set(own)) == 1, len(ways[pair]) == 2) for pair, own in said.items() if len(own) > 1]
    return (
        share(sum(same for same, _ in again), len(again)),
        share(sum(same for same, both in again if both), sum(both for _, both in again)),
    )


def units_of(answers):
    """Labels by question and person; of a person who answered a question twice, the first."""
    units = {}
    for answer in answers:
        units.setdefault(answer.question, {}).setdefault(answer.assessor, answer.label)
    return units


def _shared(own, units):
    return sum(len(units[question]) > 1 for question in {answer.question for answer in own})


def _by_assessor(units):
    shares = defaultdict(list)
    for unit in units.values():
        times = Counter(unit.values())
        for assessor, label in unit.items() if len(unit) > 1 else ():
            shares[assessor].append((times[label] - 1) / (len(unit) - 1))
    return {assessor: sum(own) / len(own) for assessor, own in shares.items()}


def of_task(own):
    level = LEVELS.get(own[0].scale, "nominal")
    if own[0].side is None:
        return agreement(units_of(own), level), None
    as_given = units_of([one._replace(label=one.strength) for one in own])
    return agreement(as_given, level, sided=True), agreement(units_of(own), level, sided=True)


def agreement(units, level, *, sided=False):
    compared = [list(unit.values()) for unit in units.values() if len(unit) > 1]
    sizes = Counter(map(len, compared))
    people = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 0
    alike = [unit for unit in compared if len(unit) == people]
    turned = both_ways if sided else list
    return Agreement(
        *(len(compared), told(raw_agreement(compared))),
        *(told(krippendorff_alpha(turned(compared), level=level)), level),
        *(told(fleiss_kappa(turned(alike))) if alike else None, len(alike), people, sided),
    )


def triples(answers):
    leans = defaultdict(list)
    for one in answers:
        leans[one.task, one.topic] += [(str(first), str(second), -lean) for first, second, lean in one.leans]
    return sum((transitivity(majority_preferences(own)) for own in leans.values()), Transitivity())


def between(units, groups):
    shares = defaultdict(list)
    for unit in units.values():
        said = defaultdict(Counter)
        for assessor, label in unit.items() if len(unit) > 1 else ():
            said[groups[assessor]][label] += 1
        for pair in combinations_with_replacement(sorted(said), 2):
            first, second = (said[group] for group in pair)
            itself = first.total() if pair[0] == pair[1] else 0
            every = first.total() * second.total() - itself
            if every:
                shares[pair].append((sum(n * second[label] for label, n in first.items()) - itself) / every)
    return [
        Between(*pair, len(shares[pair]), sum(shares[pair]) / len(shares[pair]) if shares[pair] else None)
        for pair in combinations_with_replacement(sorted(set(groups.values())), 2)
    ]


def stretches(answers):
    size = max(LEAST, -(-len(answers) // STRETCHES))
    parts = [(start, answers[start : start + size]) for start in range(0, len(answers), size)]
    return [(start, figures(own, units_of(own), several=True)) for start, own in parts]


def told(value):
    return None if isnan(value) else value
