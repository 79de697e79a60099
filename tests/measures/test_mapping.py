"""The map of systems: distances over topics, stability and the embedding."""

import warnings
from math import dist, isnan

import numpy as np
import pytest

from prefir.measures.hoeffding import hoeffding
from prefir.measures.system_map import distance_matrix, stability, system_map

pytestmark = pytest.mark.slow

RUNS = {
    "one": {"t1": ["a", "b", "c"], "t2": ["a", "b"], "t3": ["x"]},
    "two": {"t1": ["c", "b", "d"], "t2": ["b", "a"], "t3": ["x"]},
    "three": {"t1": ["a", "b", "c"], "t2": ["b", "a"]},
}
SQUARE = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (0.0, 1.0), (5.0, 0.5)]


def between(points):
    return np.array([[dist(one, other) for other in points] for one in points])


def test_distances_are_means_over_the_topics_all_systems_have():
    distances = distance_matrix(RUNS, q=2)
    assert distances.systems == ("one", "two", "three")
    assert distances.topics == ("t1", "t2")
    first = hoeffding("abc", "cbd", n=4, q=2)  # four items in the topic, whichever two systems compare
    assert distances.by_topic[0, 0, 1] == pytest.approx(first)
    assert distances.by_topic[0, 0, 2] == pytest.approx(hoeffding("abc", "abc", n=4, q=2))
    assert distances.matrix[0, 1] == pytest.approx((first + 1) / 2)
    assert not distances.matrix.diagonal().any()


def test_depth_and_n_reach_the_distance():
    distances = distance_matrix(RUNS, depth=1, n=100)
    assert distances.by_topic[0, 0, 1] == pytest.approx(hoeffding("a", "c", n=100))


@pytest.mark.parametrize(
    ("runs", "options", "says"),
    [
        ({}, {}, "no systems"),
        ({"one": {"t1": ["a"]}, "two": {"t2": ["a"]}}, {}, "no topic"),
        ({"one": {"t1": []}, "two": {"t1": []}}, {}, "no topic"),
        (RUNS, {"n": 3}, "the systems list 4 items for topic 't1'"),
        (RUNS, {"depth": 0}, "depth is 0"),
        ({"one": {"t1": ["a", "a"]}}, {}, "'a' is in a ranking more than once"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(runs, options, says):
    with pytest.raises(ValueError, match=says):
        distance_matrix(runs, **options)


def test_stability_is_the_spread_over_topics_by_hand():
    """Two systems, at 0 in one topic and at 1 in the other: a sample variance of 1/2."""
    runs = {"one": {1: ["a", "b"], 2: ["a", "b"]}, "two": {1: ["a", "b"], 2: ["b", "a"]}}
    assert stability(distance_matrix(runs)) == pytest.approx((0.5**0.5,) * 2)


def test_the_variance_form_is_the_sum_of_equation_14():
    """Three systems, three topics: a plain sum over the others of the population variance."""
    runs = {
        "one": {1: ["a", "b", "c"], 2: ["a", "b", "c"], 3: ["c", "b", "a"]},
        "two": {1: ["a", "b", "c"], 2: ["b", "a", "c"], 3: ["a", "c", "b"]},
        "three": {1: ["c", "a", "b"], 2: ["a", "b", "c"], 3: ["b", "c", "a"]},
    }
    distances = distance_matrix(runs)
    expected = []
    for one in range(3):
        total = 0.0
        for other in {0, 1, 2} - {one}:
            values = [float(layer[one, other]) for layer in distances.by_topic]
            mean = sum(values) / 3
            total += sum((value - mean) ** 2 for value in values) / 3
        expected.append(total)
    assert stability(distances, form="variance") == pytest.approx(tuple(expected))
    assert np.argsort(expected).tolist() == np.argsort(stability(distances)).tolist()
    with pytest.raises(ValueError, match="no form 'spread' of stability; there are deviation, variance"):
        stability(distances, form="spread")


def test_a_system_equally_far_in_every_topic_is_wholly_stable():
    runs = {"one": {1: ["a", "b"], 2: ["a", "b"]}, "two": {1: ["b", "a"], 2: ["b", "a"]}}
    assert stability(distance_matrix(runs)) == (0, 0)


def test_stability_needs_two_topics_and_two_systems():
    assert all(map(isnan, stability(distance_matrix({"one": {1: ["a"], 2: ["b"]}}))))
    assert all(map(isnan, stability(distance_matrix({"one": {1: ["a"]}, "two": {1: ["b"]}}))))


@pytest.mark.parametrize("metric", [True, False])
def test_points_of_a_plane_are_found_again(metric):
    plan = system_map(between(SQUARE), metric=metric)
    assert plan.stress < 0.02
    if metric:
        assert between(plan.points) == pytest.approx(between(SQUARE), abs=1e-2)
        assert plan.disparities == plan.dissimilarities
    assert plan.distances == pytest.approx(tuple(between(plan.points)[np.triu_indices(5, 1)]))


@pytest.mark.slow
@pytest.mark.parametrize("metric", [True, False])
def test_equal_input_gives_an_equal_map_in_its_standard_position(metric):
    rng = np.random.default_rng(3)
    given = between(rng.random((7, 4)))
    plan = system_map(given, metric=metric)
    assert plan == system_map(given, metric=metric)
    points = np.array(plan.points)
    assert points.mean(axis=0) == pytest.approx([0, 0], abs=1e-9)
    assert np.cov(points.T)[0, 1] == pytest.approx(0, abs=1e-9)
    assert points.var(axis=0)[0] >= points.var(axis=0)[1]
    assert (points.max(axis=0) >= -points.min(axis=0)).all()


@pytest.mark.slow
def test_the_disparities_of_a_non_metric_map_rise_with_the_distances_given():
    given = between(np.random.default_rng(4).random((8, 5)))
    plan = system_map(given, metric=False)
    rising = [disparity for _, disparity in sorted(zip(plan.dissimilarities, plan.disparities, strict=True))]
    assert rising == sorted(rising)
    assert plan.stress < system_map(given).stress


@pytest.mark.parametrize("metric", [True, False])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_systems_and_systems_in_one_place_have_maps_too(count, metric):
    together = system_map(np.zeros((count, count)), metric=metric)
    assert together.points == ((0, 0),) * count
    apart = system_map(1 - np.eye(count), metric=metric)
    assert apart.stress == pytest.approx(0, abs=1e-3)


def test_mapping_says_nothing_on_the_side():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for metric in (True, False):
            system_map(between(SQUARE), metric=metric)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[0, 1]], "shape"),
        (np.zeros((0, 0)), "shape"),
        ([[0, -1], [-1, 0]], "negative or not finite"),
        ([[0, float("nan")], [float("nan"), 0]], "negative or not finite"),
        ([[0, 1], [2, 0]], "symmetric"),
        ([[1, 1], [1, 0]], "0 on the diagonal"),
    ],
)
def test_what_is_no_distance_matrix_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        system_map(given)


@pytest.mark.parametrize("form", ["variance", "deviation"])
def test_a_topic_of_twice_the_weight_is_as_one_that_is_there_twice(form):
    """But for the correction of a sample, which counts the topics."""
    runs = {name: {topic: run[topic] for topic in ("t1", "t2")} for name, run in RUNS.items()}
    twice = {name: {**run, "again": run["t2"]} for name, run in runs.items()}
    weighted = distance_matrix(runs, topic_weights={"t1": 0.25, "t2": 0.5})
    repeated = distance_matrix(twice)
    assert weighted.matrix == pytest.approx(repeated.matrix, abs=1e-12)
    scale = 1 if form == "variance" else ((1 - 3 / 9) / (1 - 5 / 9)) ** 0.5
    ours = [value / scale for value in stability(weighted, form=form)]
    assert ours == pytest.approx(stability(repeated, form=form), abs=1e-12)
    with pytest.raises(ValueError, match="all topics have weight 0"):
        distance_matrix(runs, topic_weights={"t1": 0, "t2": 0})
