"""The rules against CAsT 2019: the figures of Clarke, Vtyurina & Smucker (TOIS 2021) and their judgments."""

from collections import defaultdict
from pathlib import Path

import pytest

from prefir.rules import Pair, bound, initial_pool, play, play_dedicated

CAST = Path(__file__).parents[2].parent / "shared" / "data" / "cast2019"
pytestmark = [
    pytest.mark.data,
    pytest.mark.skipif(not CAST.is_dir(), reason="needs TREC CAsT 2019 in ../shared/data/cast2019"),
]


def _lines(name):
    return [line.split() for line in (CAST / name).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def grades():
    """Topic -> item number -> grade; and (topic, docno) -> item number."""
    found: dict[str, dict[int, float]] = defaultdict(dict)
    numbers = {}
    for number, (topic, _, docno, grade) in enumerate(_lines("2019qrels.txt")):
        found[topic][number] = float(grade)
        numbers[topic, docno] = number
    return found, numbers


def test_the_initial_pools_have_the_published_sizes(grades):
    """80 topics have 9 or fewer; 57, which the paper prints for 9, is the number with 7 or fewer."""
    sizes = {topic: len(initial_pool(of_topic, 5)) for topic, of_topic in grades[0].items()}
    assert (len(sizes), sum(sizes.values())) == (173, 2673)
    assert (max(sizes.values()), sizes["67_8"]) == (112, 112)
    assert sum(size <= 9 for size in sizes.values()) == 80
    assert sum(size <= 7 for size in sizes.values()) == 57


@pytest.mark.parametrize(("k", "judgments"), [(3, 3456), (5, 5429), (10, 10691)])
def test_the_bounds_of_dedicated_judging_are_the_published_ones(grades, k, judgments):
    """Table 2 of the paper; the pools are built anew for each k."""
    assert bound([len(initial_pool(of_topic, k)) for of_topic in grades[0].values()], k) == judgments


def test_the_authors_judgments_lead_to_the_top_that_they_released(grades):
    """All 69 topics that were only a final, each pair judged once: their released levels above the grades."""
    by_topic, numbers = grades
    answers: dict[str, dict[Pair, list[int]]] = defaultdict(lambda: defaultdict(list))
    released: dict[str, dict[float, set[int]]] = defaultdict(lambda: defaultdict(set))
    for topic, a, b, winner in _lines("TREC-CAsT-2019.pref"):
        a_number, b_number = numbers[topic, a], numbers[topic, b]
        first, second = min(a_number, b_number), max(a_number, b_number)
        answers[topic][first, second].append(1 if numbers[topic, winner] == first else -1)
    for topic, _, docno, level in _lines("TREC-CAsT-2019.qrels"):
        if float(level) > 4:
            released[topic][float(level)].add(numbers[topic, docno])
    compared = 0
    for topic, of_topic in by_topic.items():
        pool = initial_pool(of_topic, 5)
        pairs = len(pool) * (len(pool) - 1) // 2
        if 2 <= len(pool) <= 9 and sum(map(len, answers[topic].values())) == pairs:
            compared += 1
            levels = [released[topic][level] for level in sorted(released[topic], reverse=True)]
            top = play(pool, answers[topic], seed="any").top
            assert top is not None
            assert [set(place) for place in top] == levels
    assert compared == 69


def test_with_answers_by_grade_all_topics_end_and_the_dedicated_top_has_the_best_grades(grades, play_out):
    """Most pairs of a pool share a grade, so most answers are ties: the hardest case for an end."""
    for topic, grade in grades[0].items():
        pool = initial_pool(grade, 5)

        def choose(first, second, grade=grade):
            return 0 if grade[first] == grade[second] else 1 if grade[first] > grade[second] else -1

        crowd, _ = play_out(play, pool, choose, seed=topic)
        assert {item for place in crowd.top for item in place} <= set(pool)
        assert bool(crowd.top) == bool(pool)
        dedicated, _ = play_out(play_dedicated, pool, choose, k=5, seed=topic)
        assert [grade[item] for (item,) in dedicated.top] == [grade[item] for item in pool[:5]]
