"""Distances between all rankings of a topic: each pair is held against the same distance of two lists of
docnos, and sums over topics against numpy's mean and variance of all layers.
"""

import random
from itertools import combinations

import numpy as np
import pytest

from prefir.measures import (
    DISTANCES,
    Distances,
    DistanceTotals,
    hoeffding,
    med_ndcg,
    med_precision,
    med_rbp,
    rbo,
    stability,
    top_k_kendall,
    topic_distances,
)

DEPTH = 8


def own_overlap(a, b):
    def overlap(x, y):
        return rbo(x, y, p=0.9, depth=DEPTH)

    return 1 - overlap(a, b) / (overlap(a, a) * overlap(b, b)) ** 0.5


PLAIN = {
    "rbo": own_overlap,
    "hoeffding": lambda a, b: hoeffding(a, b, n=2 * DEPTH),
    "kendall": lambda a, b: top_k_kendall(a, b, penalty=0.5),
    "med-precision": lambda a, b: med_precision(a, b, k=DEPTH),
    "med-rbp": lambda a, b: med_rbp(a, b, psi=0.9, tail=False),
    "med-ndcg": lambda a, b: med_ndcg(a, b, k=DEPTH),
}


def lists(seed: int, count: int = 9) -> list[list[int]]:
    draw = random.Random(seed)
    return [draw.sample(range(14), draw.choice([0, 1, 2, 5, DEPTH, DEPTH])) for _ in range(count)]


def rows(rankings: list[list[int]]) -> list[list[int]]:
    return [ranking + [-1] * (DEPTH - len(ranking)) for ranking in rankings]


@pytest.mark.parametrize("kind", DISTANCES)
def test_every_pair_is_as_far_apart_as_by_the_distance_of_two_lists(kind):
    seen = 0
    for seed in range(30):
        rankings = lists(seed)
        found = topic_distances(rows(rankings), kind)
        assert (found == found.T).all() or (np.isnan(found) == np.isnan(found.T)).all()
        for i, j in combinations(range(len(rankings)), 2):
            a, b = ([f"d{item}" for item in rankings[k]] for k in (i, j))
            if a and b:
                assert found[i, j] == pytest.approx(PLAIN[kind](a, b), abs=1e-12), (a, b)
                assert 0 <= found[j, i] <= 1
                seen += 1
            else:
                assert np.isnan(found[i, j])
    assert seen > 500


@pytest.mark.parametrize("kind", DISTANCES)
def test_equal_lists_are_nowhere_apart_and_others_somewhere(kind):
    same, other = [3, 1, 4, 0, 5, 9, 2, 6], [7, 8, 10, 11, 12, 13, 14, 15]
    found = topic_distances([same, same, other], kind)
    # Weighted Hoeffding distance of lists that leave half of the items open is not 0 from itself.
    assert found[0, 1] < (0.5 if kind == "hoeffding" else 1e-12)
    assert found[0, 2] > 0.5
    assert found[0, 2] > 1.5 * found[0, 1]


def test_short_equal_lists_are_at_0_by_overlap():
    assert topic_distances([[1, 2, -1, -1], [1, 2, -1, -1]], "rbo")[0, 1] == pytest.approx(0, abs=1e-12)


def test_nothing_and_what_is_no_kind_are_told():
    assert topic_distances(np.zeros((0, 4), dtype=int), "rbo").shape == (0, 0)
    assert np.isnan(topic_distances([[-1], [0]], "kendall")[0, 1])
    with pytest.raises(KeyError):
        topic_distances([[0], [1]], "none")
    with pytest.raises(ValueError, match="shape"):
        topic_distances([0, 1], "rbo")


def test_sums_over_topics_have_the_mean_and_the_stability_of_all_layers():
    draw = np.random.default_rng(3)
    layers = draw.uniform(size=(11, 5, 5))
    layers = layers + layers.transpose(0, 2, 1)
    for layer in layers:
        np.fill_diagonal(layer, 0)
    first, second = DistanceTotals.of(5), DistanceTotals.of(5)
    for i, layer in enumerate(layers):
        (first if i % 2 else second).add(layer)
    first.join(second)
    assert first.means == pytest.approx(layers.mean(axis=0))
    plain = stability(Distances(tuple("abcde"), tuple(range(11)), layers.mean(axis=0), layers))
    assert first.stabilities == pytest.approx(plain)


def test_topics_that_a_system_does_not_rank_are_left_out_of_its_means():
    totals = DistanceTotals.of(3)
    nan = float("nan")
    totals.add(np.array([[0, 0.2, nan], [0.2, 0, nan], [nan, nan, 0]]))
    totals.add(np.array([[0, 0.4, 0.6], [0.4, 0, 0.6], [0.6, 0.6, 0]]))
    assert totals.means[0].tolist() == pytest.approx([0, 0.3, 0.6])
    assert totals.stabilities[0] == pytest.approx(np.std([0.2, 0.4], ddof=1))
    assert np.isnan(totals.stabilities[2])
