"""Slow versions of image measures, agreement statistics and paired tests, from the definitions."""

from collections import Counter
from itertools import combinations, permutations
from math import log2, nan, sqrt


def answer(preferences, a, b):
    """-1, 0, 1 for a, neither, b; None where nobody says."""
    if a == b:
        return 0
    if (a, b) in preferences:
        return (preferences[a, b] > 0) - (preferences[a, b] < 0)
    if (b, a) in preferences:
        return (preferences[b, a] < 0) - (preferences[b, a] > 0)
    return None


def cells_before(grid, row, column):
    """Cells in front of one, in reading order, whether or not an item of them is known."""
    lengths = {placed: length for _, placed, _, length in grid}
    return sum(lengths.get(above, 0) for above in range(row)) + column


def plain_pmr(grid, preferences, form):
    fitting, total = 0.0, 0.0
    for (a, row, column, length), (b, other_row, other_column, _) in permutations(grid, 2):
        place, later = cells_before(grid, row, column), cells_before(grid, other_row, other_column)
        first = place < later
        if form == "M" and row == other_row:
            first = abs(column - (length - 1) / 2) < abs(other_column - (length - 1) / 2)
        said = answer(preferences, a, b)
        if not first or said is None:
            continue
        if form == "N" and (abs(row - other_row) > 2 or abs(column - other_column) > 2):
            continue
        weight = 1 / log2(later + 1) if form == "W" else 1
        total += weight
        fitting += weight if said in (-1, 0) else 0
    return fitting / total if total else nan


def plain_win_ratio(own, other, preferences):
    answers = [answer(preferences, a, b) for a in own for b in other]
    answers = [said for said in answers if said is not None]
    return answers.count(-1) / len(answers) if answers else nan


def plain_pb(own, other, preferences, gamma):
    value = 1
    for a in own:
        if other and [answer(preferences, a, b) for b in other] == [1] * len(other):
            value *= gamma
    return value


def pairs_of(unit):
    return list(permutations([label for label in unit if label is not None], 2))


def plain_raw_agreement(units):
    shares = [sum(a == b for a, b in pairs) / len(pairs) for pairs in map(pairs_of, units) if pairs]
    return sum(shares) / len(shares) if shares else nan


def plain_fleiss(units):
    labels = [label for unit in units for label in unit]
    chance = sum((labels.count(label) / len(labels)) ** 2 for label in set(labels)) if labels else 1
    if len(set(labels)) < 2:
        return nan
    return (plain_raw_agreement(units) - chance) / (1 - chance)


def plain_alpha(units, level):
    """By the matrix of coincidences: a pair of a unit's m labels counts 1/(m - 1)."""
    met = Counter()
    for unit in units:
        pairs = pairs_of(unit)
        m = sum(label is not None for label in unit)
        for pair in pairs:
            met[pair] += 1 / (m - 1)
    labels = sorted({a for a, _ in met})
    times = {a: sum(met[a, b] for b in labels) for a in labels}
    total = sum(times.values())

    def unlike(a, b):
        if level == "nominal":
            return a != b
        if level == "interval":
            return (a - b) ** 2
        between = [label for label in labels if min(a, b) <= label <= max(a, b)]
        return (sum(times[label] for label in between) - (times[a] + times[b]) / 2) ** 2

    expected = sum(times[a] * times[b] * unlike(a, b) for a in labels for b in labels if a != b)
    if not expected:
        return nan
    observed = sum(count * unlike(a, b) for (a, b), count in met.items())
    return 1 - (total - 1) * observed / expected


def plain_transitivity(preferences):
    """A triple is transitive where no reading of its answers breaks one of the rules by the same name."""
    found = {"asym": [0, 0], "s2a": [0, 0], "s2s": [0, 0]}
    items = sorted({item for pair in preferences for item in pair})
    for triple in combinations(items, 3):
        answers = [answer(preferences, a, b) for a, b in combinations(triple, 2)]
        if None in answers:
            continue
        broken = False
        for a, b, c in permutations(triple):
            ab, bc, ac = (answer(preferences, x, y) for x, y in ((a, b), (b, c), (a, c)))
            broken |= ab == bc == -1 and ac != -1
            broken |= {ab, bc} == {0, -1} and ac != -1
            broken |= ab == bc == 0 and ac != 0
        kind = ("asym", "s2a", "s2s", "s2s")[answers.count(0)]
        found[kind][0] += not broken
        found[kind][1] += 1
    return {kind: tuple(counts) for kind, counts in found.items()}


def plain_tau_b(one, two):
    both = ties_one = ties_two = pairs = 0
    for i, j in combinations(range(len(one)), 2):
        a = (one[i] > one[j]) - (one[i] < one[j])
        b = (two[i] > two[j]) - (two[i] < two[j])
        both, ties_one, ties_two, pairs = both + a * b, ties_one + (a == 0), ties_two + (b == 0), pairs + 1
    below = (pairs - ties_one) * (pairs - ties_two)
    return both / sqrt(below) if below else nan


def plain_holm(p_values):
    """Corrected p of each, by stepping down from the smallest."""
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for step, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, (len(p_values) - step) * p_values[place])
        corrected[place] = min(1.0, largest)
    return corrected
