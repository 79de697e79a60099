"""Top items: grades below the best, and two assessments compared; figures 5, 7 and 8 of Clarke et al."""

import pytest

from prefir.cli.files import grades_of
from prefir.measures import compare_tops, steps_below_best, top_items
from prefir.rules.pool import initial_pool
from tests.public_data import DATA, needs_data

CAST = DATA / "cast2019"


def data(test):
    for mark in needs_data:
        test = mark(test)
    return test


@pytest.fixture(scope="module")
def cast():
    names = ("2019qrels.txt", "TREC-CAsT-2019.qrels", "TREC-CAST-2019.local.qrels")
    return [grades_of(str(CAST / name)) for name in names]


@data
def test_the_two_assessments_of_cast_share_their_tops_as_published(cast):
    """Figure 7: 63 topics with the same top answer, 141 with it in the crowd's top 5, 32 without.

    The released file has the crowd's top five above the grades: at 10 to 50.
    """
    _, crowd, local = cast
    found = compare_tops(local, crowd, k=5, above=4)
    assert (found.topics, found.same, found.within, found.outside) == (173, 63, 141, 32)


@data
def test_the_top_answers_of_cast_have_the_grades_that_are_published(cast):
    """Figure 8: over 68 % of the top answers, over 61 % of the top 5, have the topic's highest grade."""
    grades, crowd, _ = cast
    shares = []
    for k in (1, 5):
        tops = {topic: top_items(levels, k, above=4) for topic, levels in crowd.items()}
        counts = steps_below_best(tops, grades)
        shares.append(counts[0] / sum(counts.values()))
    assert [round(share, 3) for share in shares] == [0.687, 0.616]


@data
def test_the_pool_of_cast_has_the_grades_that_are_published(cast):
    """Figure 5: more than a third of the pool is below the top grade, just over 1 % three levels lower."""
    grades = cast[0]
    counts = steps_below_best({topic: initial_pool(levels, 5) for topic, levels in grades.items()}, grades)
    assert sum(counts.values()) == 2673
    assert {steps: round(items / 2673, 3) for steps, items in counts.items()} == {
        0: 0.629,
        1: 0.290,
        2: 0.064,
        3: 0.017,
    }


def test_ties_at_rank_k_are_kept_and_what_is_not_above_0_is_left_out():
    levels = {"a": 2, "b": 5, "c": 2, "d": 0, "e": -1}
    assert list(top_items(levels, 1)) == ["b"]
    assert list(top_items(levels, 2)) == list(top_items(levels, 9)) == ["b", "a", "c"]
    assert top_items({"d": 0}, 3) == {}
    with pytest.raises(ValueError, match="k is 0"):
        compare_tops({}, {}, k=0)


def test_any_of_several_best_items_may_be_found_and_topics_without_a_top_are_left_out():
    first = {"t1": {"a": 3, "b": 3}, "t2": {"a": 1}, "t3": {"a": 0}, "t4": {"a": 1}, "t5": {"a": 1}}
    second = {"t1": {"b": 9, "a": 1}, "t2": {"c": 2, "a": 1}, "t3": {"a": 1}, "t4": {"b": 1}}
    found = compare_tops(first, second, k=2)
    assert found.by_topic == {"t1": "same", "t2": "within", "t4": "outside"}
    assert (found.topics, found.same, found.within, found.outside) == (3, 1, 2, 1)


def test_items_without_a_grade_count_as_0_and_topics_without_grades_do_not_count():
    assert steps_below_best({"t": "abx", "u": "a"}, {"t": {"a": 3, "b": 1}}) == {0: 1, 2: 1, 3: 1}
