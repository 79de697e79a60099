"""The rank distances and correlations written slowly from their definitions, over all pairs or all orders."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations, product


def orders(ranking: Sequence[str], items: Sequence[str]) -> list[tuple[str, ...]]:
    """All rankings of the items that begin with this one."""
    rest = [item for item in items if item not in ranking]
    return [(*ranking, *tail) for tail in permutations(rest)]


def moved(one: Sequence[str], other: Sequence[str], q: float) -> float:
    """The weighted Hoeffding distance of two whole rankings."""
    total = 0.0
    for item in one:
        r, s = sorted((one.index(item) + 1, other.index(item) + 1))
        total += sum(t**-q for t in range(r, s))
    return total


def hoeffding(a: Sequence[str], b: Sequence[str], n: int, q: float, normalize: bool) -> float:
    """The mean over all pairs of rankings of n items that begin with the lists.

    Item by item: each pair of ranks counts as often as it is met among the pairs of rankings.
    """
    items = sorted({*a, *b})
    items += [f"unlisted {number}" for number in range(n - len(items))]
    first, second = orders(a, items), orders(b, items)
    total = 0.0
    for item in items:
        ranks, other_ranks = (Counter(order.index(item) + 1 for order in side) for side in (first, second))
        for r, s in product(ranks, other_ranks):
            cost = sum(t**-q for t in range(min(r, s), max(r, s)))
            total += ranks[r] * other_ranks[s] * cost
    mean = total / (len(first) * len(second))
    widest = moved(tuple(items), tuple(items[::-1]), q)
    return mean / (widest or 1) if normalize else mean


def weighted_hoeffding(a: Sequence[str], b: Sequence[str], n: int, weights: Sequence[float]) -> float:
    """As `hoeffding`, divided by the distance from the reverse; weights[t - 1] is the weight of rank t."""
    items = sorted({*a, *b})
    items += [f"unlisted {number}" for number in range(n - len(items))]

    def apart(one: Sequence[str], other: Sequence[str]) -> float:
        places = [sorted((one.index(item), other.index(item))) for item in items]
        return sum(sum(weights[start:end]) for start, end in places)

    pairs = list(product(orders(a, items), orders(b, items)))
    mean = sum(apart(one, other) for one, other in pairs) / len(pairs)
    return mean / (apart(items, items[::-1]) or 1)


def kendall_tau_b(x: Sequence[float], y: Sequence[float]) -> float:
    def sign(number: float) -> int:
        return (number > 0) - (number < 0)

    pairs = [(sign(x[i] - x[j]), sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    apart = (sum(left != 0 for left, _ in pairs) * sum(right != 0 for _, right in pairs)) ** 0.5
    return sum(left * right for left, right in pairs) / apart if apart else float("nan")


def tau_ap(ranking: Sequence[str], reference: Sequence[str]) -> float:
    total = 0.0
    for i in range(1, len(ranking)):
        right = sum(reference.index(above) < reference.index(ranking[i]) for above in ranking[:i])
        total += right / i
    return 2 * total / (len(ranking) - 1) - 1


def top_k_kendall(a: Sequence[str], b: Sequence[str], penalty: float) -> float:
    """Pair by pair, by the four cases of Fagin, Kumar & Sivakumar."""
    total = 0.0
    for i, j in combinations(sorted({*a, *b}), 2):
        in_a, in_b = (i in a) + (j in a), (i in b) + (j in b)
        if {in_a, in_b} == {2, 0}:
            total += penalty
            continue
        # Otherwise each list tells the order of the two, an absent item being below a present one.
        first_a = (a.index(i) if i in a else len(a)) < (a.index(j) if j in a else len(a))
        first_b = (b.index(i) if i in b else len(b)) < (b.index(j) if j in b else len(b))
        total += first_a != first_b
    return total


def shifted(a: Sequence[str], b: Sequence[str], inverse: bool) -> float:
    total = 0.0
    for item in {*a, *b}:
        r = a.index(item) + 1 if item in a else len(a) + 1
        s = b.index(item) + 1 if item in b else len(b) + 1
        total += abs(1 / r - 1 / s) if inverse else abs(r - s)
    return total
