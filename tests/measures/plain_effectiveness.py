"""Effectiveness, precision of preferences and delta gains, written slowly from their definitions."""

from collections.abc import Mapping, Sequence
from math import log2, prod


def gains(
    run: Sequence[str], grades: Mapping[str, float], k: int | None, gain: str = "linear"
) -> list[float]:
    got = [max(grades.get(docno, 0), 0) for docno in run[:k]]
    return [2**grade - 1 for grade in got] if gain == "exponential" else got


def dcg(run, grades, k=None, gain="linear"):
    return sum(g / log2(i + 1) for i, g in enumerate(gains(run, grades, k, gain), 1))


def ndcg(run, grades, k=None, gain="linear"):
    ideal = dcg(sorted(grades, key=lambda docno: -grades[docno]), grades, k, gain)
    return dcg(run, grades, k, gain) / ideal if ideal else 0.0


def xie_dcg(run, grades, k=None):
    return sum(g if i == 1 else g / log2(i) for i, g in enumerate(gains(run, grades, k), 1))


def err(run, grades, k=None, max_grade=None):
    highest = max([0, *grades.values()]) if max_grade is None else max_grade
    return cascade([(2**g - 1) / 2**highest for g in gains(run, grades, k)])


def cascade(stops: Sequence[float]) -> float:
    """Over each rank: the chance that no item above satisfied, times that this one does, over the rank."""
    return sum(prod(1 - s for s in stops[: i - 1]) * stops[i - 1] / i for i in range(1, len(stops) + 1))


def hits(run, grades, k, relevant):
    return [docno in grades and grades[docno] >= relevant for docno in run[:k]]


def rbp(run, grades, p, k=None, relevant=1):
    return (1 - p) * sum(p ** (i - 1) for i, hit in enumerate(hits(run, grades, k, relevant), 1) if hit)


def average_precision(run, grades, k=None, relevant=1):
    found = hits(run, grades, k, relevant)
    wanted = sum(grade >= relevant for grade in grades.values())
    return sum(sum(found[:i]) / i for i, hit in enumerate(found, 1) if hit) / wanted if wanted else 0.0


def precision(run, grades, k, relevant=1):
    return sum(hits(run, grades, k, relevant)) / k


def reciprocal_rank(run, grades, k=None, relevant=1):
    found = hits(run, grades, k, relevant)
    return 1 / (1 + found.index(True)) if True in found else 0.0


def recall(run, grades, k=None, relevant=1):
    wanted = sum(grade >= relevant for grade in grades.values())
    return sum(hits(run, grades, k, relevant)) / wanted if wanted else 0.0


def success(run, grades, k, relevant=1):
    return float(True in hits(run, grades, k, relevant))


def r_precision(run, grades, relevant=1):
    wanted = sum(grade >= relevant for grade in grades.values())
    return precision(run, grades, wanted, relevant) if wanted else 0.0


def judged(run, grades, k):
    return sum(docno in grades and grades[docno] >= 0 for docno in run[:k]) / k


def bpref(run, grades, relevant=1):
    wanted = [docno for docno, grade in grades.items() if grade >= relevant]
    others = [docno for docno, grade in grades.items() if 0 <= grade < relevant]
    total = 0.0
    for at, docno in enumerate(run):
        if docno in wanted:
            above = min(len(wanted), sum(other in others for other in run[:at]))
            total += 1 - above / min(len(wanted), len(others)) if above else 1
    return total / len(wanted) if wanted else 0.0


def set_precision(run, grades, relevant=1):
    return sum(grades.get(docno, 0) >= relevant for docno in run) / len(run) if run else 0.0


def set_f(run, grades, beta, relevant=1):
    p, r = set_precision(run, grades, relevant), recall(run, grades, None, relevant)
    return 1 / ((1 / p + beta**2 / r) / (1 + beta**2)) if p and r else 0.0


def interpolated_precision(run, grades, level, relevant=1):
    """Whole items are needed: as many as trec_eval counts."""
    needed = int(level * sum(grade >= relevant for grade in grades.values()) + 0.9)
    tops = [run[: at + 1] for at in range(len(run))]
    counts = [sum(grades.get(docno, 0) >= relevant for docno in top) for top in tops]
    return max((n / len(top) for n, top in zip(counts, tops, strict=True) if n >= needed), default=0.0)


def inferred_ap(run, grades, relevant=1):
    """Yilmaz and Aslam's expected precision at each relevant item, smoothed as by trec_eval."""
    small, total = 1e-5, 0.0
    wanted = sum(grade >= relevant for grade in grades.values())
    for at, docno in enumerate(run):
        if docno not in grades or grades[docno] < relevant:
            continue
        pool = [grades[other] for other in run[:at] if other in grades]
        good, known = sum(g >= relevant for g in pool), sum(g >= 0 for g in pool)
        k = at + 1
        expected = 1 / k
        if at:
            expected += at / k * len(pool) / at * (good + small) / (known + 2 * small)
        total += expected
    return total / wanted if wanted else 0.0


class Preferences:
    """Each judgment by itself, with the two ranks: an item that is not in the run is at infinity."""

    def __init__(self, run: Sequence[str], judgments: Sequence[tuple[str, str]]) -> None:
        rank = {docno: i for i, docno in enumerate(run, 1)}
        far = float("inf")
        self.pairs = [(rank.get(preferred, far), rank.get(other, far)) for preferred, other in judgments]
        self.length = len(run)

    def ordered(self, k):
        return [pair for pair in self.pairs if min(pair) <= k]

    def correct(self, k):
        return [(preferred, other) for preferred, other in self.ordered(k) if preferred < other]

    def ppref(self, k):
        return len(self.correct(k)) / len(self.ordered(k)) if self.ordered(k) else 0.0

    def rpref(self, k):
        return len(self.correct(k)) / len(self.pairs)

    def wpref(self, k, normalize=True):
        def weight(pairs):
            return sum(1 / log2(min(pair) + 1) for pair in pairs)

        if not normalize:
            return weight(self.correct(k))
        return weight(self.correct(k)) / weight(self.ordered(k)) if self.ordered(k) else 0.0

    def appref(self, k):
        rises = [i for i in range(1, min(k, self.length) + 1) if self.rpref(i) > self.rpref(i - 1)]
        return sum(self.ppref(i) for i in rises) / len(rises) if rises else 0.0


def delta_gains(nodes: Sequence[str], judgments: Sequence[tuple[str, str]]) -> dict[str, float]:
    difference = {
        node: sum(u == node for u, _ in judgments) - sum(v == node for _, v in judgments) for node in nodes
    }
    low, high = min(difference.values()), max(difference.values())
    return {node: (d - low) / (high - low) if high > low else 0.0 for node, d in difference.items()}
