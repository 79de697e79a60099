"""Win rate against a plain count; Bradley-Terry strengths against choix and a plain likelihood."""

from itertools import combinations
from math import exp, isnan, log

import choix
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

from prefir.measures import PreferenceGraph, bradley_terry, duels_of, win_rate, win_rate_rows

from .cases import judgments, rankings, ties

TRUE = [1.0, 0.5, 0.2, 0.0, -0.4, -1.3]


@given(rankings, judgments, ties, st.none() | st.integers(1, 6))
def test_win_rate_counts_judgments_between_the_first_items_and_others(run, edges, even, k):
    """One judgment after the other."""
    first = set(run[:k])
    won = [(a in first) for a, b in edges if (a in first) != (b in first)]
    halves = [0.5 for a, b in even if (a in first) != (b in first)]
    graph = PreferenceGraph(edges, ties=even)
    values = [float(one) for one in won] + halves
    value = win_rate(run, graph, k=k)
    assert isnan(value) if not values else value == pytest.approx(sum(values) / len(values))


def test_rows_give_each_run_its_own():
    graph = PreferenceGraph([("a", "b"), ("b", "c"), ("a", "c")], ties=[("a", "d")])
    rows = [[0, -1], [2, 1], [-1, -1]]
    expected = [win_rate(run, graph, k=1) for run in (["a"], ["c", "b"], [])]
    assert win_rate_rows(rows, graph, k=1).tolist() == pytest.approx(expected, nan_ok=True)
    assert expected[:2] == [5 / 6, 0.0]


def played(nu, topics=40, seed=0):
    """A duel of each two systems on each topic, drawn by Davidson's model."""
    random = np.random.default_rng(seed)
    duels = []
    for topic in range(topics):
        for one, other in combinations(range(len(TRUE)), 2):
            half = exp((TRUE[one] - TRUE[other]) / 2)
            weights = np.array([half, 1 / half, nu])
            result = random.choice(3, p=weights / weights.sum())
            duels.append((topic, one, other, *np.eye(3)[result]))
    return duels


def test_without_ties_strengths_are_those_of_choix():
    """`choix.opt_pairwise` without regularization."""
    duels = played(0.0)
    data = [(a, b) if won else (b, a) for _, a, b, won, _, _ in duels]
    theirs = choix.opt_pairwise(len(TRUE), data, alpha=0.0)
    found = bradley_terry(duels, len(TRUE), intervals=False)
    assert found.strengths.tolist() == pytest.approx((theirs - theirs.mean()).tolist(), abs=1e-6)
    assert found.tie == 0.0


def davidsons(gap, log_tie):
    weights = [exp(gap / 2), exp(-gap / 2), exp(log_tie)]
    return [weight / sum(weights) for weight in weights]


def rao_and_kuppers(gap, log_tie):
    theta = exp(exp(log_tie))
    won, lost = 1 / (1 + theta * exp(-gap)), 1 / (1 + theta * exp(gap))
    return [won, lost, 1 - won - lost]


@pytest.mark.parametrize(("ties", "chances"), [("davidson", davidsons), ("rao-kupper", rao_and_kuppers)])
@pytest.mark.parametrize("nu", [0.05, 0.7, 6.0])
def test_with_ties_they_maximize_the_likelihood(ties, chances, nu):
    """Summed duel by duel, and maximized by scipy without knowing its slope."""
    duels = played(nu)

    def unlikely(values):
        *strengths, log_tie = values
        total = 0.0
        for _, one, other, *result in duels:
            total -= log(chances(strengths[one] - strengths[other], log_tie)[int(np.argmax(result))])
        return total + (sum(strengths) ** 2)

    theirs = minimize(unlikely, np.zeros(len(TRUE) + 1), method="BFGS").x
    found = bradley_terry(duels, len(TRUE), intervals=False, ties=ties)
    assert found.strengths.tolist() == pytest.approx(theirs[:-1].tolist(), abs=1e-3)
    assert found.tie == pytest.approx(exp(theirs[-1]), rel=1e-3)
    assert found.duels == len(duels)


def test_without_ties_both_models_of_ties_are_the_same_and_a_third_is_refused():
    duels = played(0.0)
    one, other = (bradley_terry(duels, len(TRUE), ties=ties) for ties in ("davidson", "rao-kupper"))
    assert other.strengths.tolist() == pytest.approx(one.strengths.tolist())
    assert other.highs.tolist() == pytest.approx(one.highs.tolist())
    assert other.tie == 0.0
    assert other.chance(0, 1) == pytest.approx(one.chance(0, 1))
    with pytest.raises(ValueError, match="ties are 'glenn'; models of ties are davidson, rao-kupper"):
        bradley_terry(duels, len(TRUE), ties="glenn")


def test_intervals_hold_the_truth():
    """Of 60 studies' six intervals, .95 within two standard errors and what topics have in common."""
    centred = np.array(TRUE) - np.mean(TRUE)
    held = []
    for seed in range(60):
        found = bradley_terry(played(0.5, seed=seed), len(TRUE))
        held.append((found.lows <= centred) & (centred <= found.highs))
    assert np.mean(held) == pytest.approx(0.95, abs=0.04)


def test_sides_and_order_of_duels_change_nothing():
    duels = played(0.3)
    turned = [(topic, b, a, lost, won, tie) for topic, a, b, won, lost, tie in reversed(duels)]
    one, other = (bradley_terry(d, len(TRUE), intervals=False) for d in (duels, turned))
    assert one.strengths.tolist() == pytest.approx(other.strengths.tolist())


def test_how_topics_are_numbered_changes_nothing():
    """Small numbers are counted, others sorted; duels of one pair and topic add up."""
    rng = np.random.default_rng(3)
    first = rng.integers(0, 5, 200)
    second = (first + rng.integers(1, 5, 200)) % 5
    duels = np.column_stack([rng.integers(0, 9, 200), first, second, rng.integers(0, 4, (200, 3))])
    found = bradley_terry(duels, 5)
    far = bradley_terry(duels * [10**12, 1, 1, 1, 1, 1], 5)
    once: dict[tuple[int, ...], np.ndarray] = {}
    for *key, wins, losses, even in duels.tolist():
        once[tuple(key)] = np.add(once.get(tuple(key), 0), [wins, losses, even])
    added = bradley_terry([(*key, *counts) for key, counts in once.items()], 5)
    for other in (far, added):
        assert (other.lows == found.lows).all()
        assert (other.gaps == found.gaps)[~np.eye(5, dtype=bool)].all()
        assert other.topics == found.topics == 9


def test_a_far_system_is_found_too():
    """9,999 of 10,000: ln 9999 between the two."""
    found = bradley_terry([(0, 0, 1, 9999, 1, 0)], 2)
    assert found.strengths[0] - found.strengths[1] == pytest.approx(log(9999))


@pytest.mark.parametrize(
    ("duels", "said"),
    [
        ([(0, 1, 1, 1, 0, 0)], "cannot meet itself"),
        ([(0, 0, 5, 1, 0, 0)], "not below 2"),
        ([(0, 0, 1, -1, 0, 0)], "at least 0"),
        ([(0, 0, 1, float("nan"), 0, 0)], "finite"),
    ],
)
def test_what_is_no_duel_is_refused(duels, said):
    with pytest.raises(ValueError, match=said):
        bradley_terry(duels, 2)


@given(st.lists(rankings, min_size=2, max_size=4), judgments, ties, st.none() | st.integers(1, 4))
def test_duels_are_judgments_between_what_one_system_has_and_the_other_has_not(runs, edges, even, k):
    """Judgment by judgment, for each two systems."""
    graph = PreferenceGraph(edges, ties=even)
    number = {docno: place for place, docno in enumerate(graph.nodes)}
    width = max(1, max(map(len, runs)))
    rows = [[number.get(docno, -1) for docno in run] + [-1] * (width - len(run)) for run in runs]
    tops = [set(run[:k]) for run in runs]

    def duels(a, b, one, other):
        return (a in tops[one]) > (b in tops[one]) and (b in tops[other]) > (a in tops[other])

    expected = {}
    for one, other in combinations(range(len(runs)), 2):
        won = sum(duels(a, b, one, other) for a, b in edges)
        lost = sum(duels(a, b, other, one) for a, b in edges)
        tied = sum(duels(a, b, one, other) or duels(b, a, one, other) for a, b in even)
        if won + lost + tied:
            expected[one, other] = (won, lost, tied)
    found = duels_of(np.array(rows).reshape(len(runs), -1), graph, k=k)
    assert {(int(a), int(b)): tuple(counts) for a, b, *counts in found.tolist()} == expected
