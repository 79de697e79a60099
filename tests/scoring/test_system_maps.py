"""The map of systems: held against the distances of every two rankings as they were loaded, and against all
topics at once; the job, its progress, and what is kept.
"""

import random
import re
from html import unescape

import numpy as np
import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.urls import reverse

from collection.models import Placement, Run, Study, Topic
from prefir.measures import rbo, system_map, top_k_kendall
from scoring import jobs
from scoring.analysis import system_maps
from scoring.analysis.system_maps import MAPS
from scoring.compute.map_layout import mapped, totals
from tests.judging.organizing import queries, text
from tests.makers import add_run, finish
from tests.plots.reading import points, words
from tests.scoring.test_leaderboard_pages import with_runs
from tournament.models import Tournament
from web.coordinator.compare import system_map_page

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def loaded(module_data):
    """Six topics that nobody judged, and four runs, of which the last ranks one topic alone."""
    study = with_runs(topics=6, runs=0)
    draw = random.Random(5)
    docnos = {t.name: sorted(t.items.values_list("docno", flat=True)) for t in study.topics.all()}
    for i in range(3):
        ranked = {name: draw.sample(own, len(own) - i) for name, own in docnos.items()}
        add_run(study, f"run-{i}", ranked)
    topic = study.topics.order_by("name").first()
    add_run(study, "single", {topic.name: list(topic.items.values_list("docno", flat=True)[:3])})
    return study.pk


@pytest.fixture
def study(db, loaded):
    return Study.objects.get(pk=loaded)


def rankings(run: str) -> dict[str, list[str]]:
    """A run's rankings as they are stored."""
    found: dict[str, list[str]] = {}
    rows = Placement.objects.filter(run__name=run).order_by("topic", "rank")
    for topic, docno in rows.values_list("topic__name", "item__docno"):
        found.setdefault(topic, []).append(docno)
    return found


def plain(first: str, second: str) -> list[float]:
    """1 - RBO of the top 20, divided by the roots of what each overlaps itself."""
    one, other = rankings(first), rankings(second)

    def overlap(a, b):
        return rbo(a, b, p=0.9, depth=system_maps.DEPTH)

    return [
        1 - overlap(one[t], other[t]) / (overlap(one[t], one[t]) * overlap(other[t], other[t])) ** 0.5
        for t in sorted(one.keys() & other.keys())
    ]


def page(client, study, query=""):
    return client.get(reverse("map", args=[study.slug]) + query)


def test_the_map_rests_on_the_rankings_as_they_were_loaded(study):
    of = system_maps.systems(study)
    found = MAPS.compute(study, "rbo")
    names = [name for _, name in of.runs]
    matrix = np.array([[np.mean(plain(a, b)) for b in names] for a in names])
    others = matrix + np.diag([np.inf] * 4)
    assert [names[i] for i in found.drawn] == names
    assert [near[0][1] for near in found.nearest] == pytest.approx(others.min(axis=1))
    for row, near in zip(others, found.nearest, strict=True):
        assert [distance for _, distance in near] == pytest.approx(sorted(row)[:3])
    assert found.means == pytest.approx(matrix.sum(axis=1) / 3)
    np.fill_diagonal(matrix, 0)
    whole = system_map(matrix)
    assert found.stress == pytest.approx(whole.stress, abs=1e-6)
    assert found.stabilities[names.index("run-0")] == pytest.approx(
        np.mean([np.var(plain("run-0", other), ddof=1) for other in ("run-1", "run-2")]) ** 0.5
    )
    # It has one topic, so that nothing varies.
    assert found.stabilities[names.index("single")] is None


def test_pieces_make_the_same_map_as_the_whole(study, monkeypatch):
    whole = MAPS.compute(study, "kendall")
    cache.clear()
    monkeypatch.setattr(system_maps, "PIECE_TOPICS", 1)
    pieces = MAPS.compute(study, "kendall")
    assert pieces.means == pytest.approx(whole.means)
    assert np.array(pieces.points) == pytest.approx(np.array(whole.points))


def test_runs_that_share_no_topic_with_others_are_not_drawn():
    lists = np.full((4, 3), -1, dtype=np.int32)
    first, second = lists.copy(), lists.copy()
    first[:3] = [[0, 1, 2], [1, 0, 2], [2, 1, 0]]
    second[[0, 1]] = [[0, 1, 2], [2, 0, 1]]
    assert mapped(totals("rbo", [first, second])).drawn == [0, 1, 2]
    assert mapped(totals("rbo", [lists])).drawn in ([], [0])
    lonely = second.copy()
    lonely[3] = lonely[0]
    lonely[:3] = -1
    assert mapped(totals("rbo", [first, lonely])).drawn == [0, 1, 2]


def test_the_page_says_who_ranks_alike_without_a_judgment(alice, study):
    said = text(page(alice, study))
    names = sorted(["run-0", "run-1", "run-2", "single"])
    pairs = {(a, b): np.mean(plain(a, b)) for i, a in enumerate(names) for b in names[i + 1 :]}
    (near, other), distance = min(pairs.items(), key=lambda pair: pair[1])
    assert f"{near} and {other} are the least different, at a distance of {distance:.2f}." in said
    lines = page(alice, study).context["lines"]
    nearest = {a: min((n for n in names if n != a), key=lambda b: pairs[min(a, b), max(a, b)]) for a in names}
    twice = {a for a in names if nearest[nearest[a]] == a}
    assert {one.name for one in lines if not one.mutual} == set(names) - twice
    assert {name for one in lines if one.mutual for name in (one.name, one.nearest)} == twice
    assert len(lines) == len(names) - len(twice) / 2 < len(names)
    made = alice.get(reverse("figure-svg", args=[study.slug, "map"])).content
    assert set(names) <= set(words(made))
    assert len(points(made)) >= 4
    assert "Distance on the map" in words(
        alice.get(reverse("figure-svg", args=[study.slug, "shepard"])).content
    )


def test_topics_that_two_runs_rank_most_differently_come_first_with_their_judgments(alice, study):
    finish(study)
    jobs.sweep()
    ids = dict(Run.objects.values_list("name", "pk"))
    of = system_maps.systems(study)
    found = system_maps.by_topic(study, of, "kendall", ids["run-0"], ids["run-2"])
    one, other = rankings("run-0"), rankings("run-2")
    names = dict(Topic.objects.values_list("pk", "name"))
    expected = {t: top_k_kendall(one[t], other[t], penalty=0.5) for t in one}
    assert {names[line.topic]: line.distance for line in found} == pytest.approx(expected)
    assert [line.distance for line in found] == sorted((line.distance for line in found), reverse=True)
    judged = dict(Topic.objects.values_list("pk", "scored__judgments"))
    assert {line.topic: line.judgments for line in found} == judged
    query = f"?by=kendall&a={ids['run-0']}&b={ids['run-2']}"
    said = text(page(alice, study, query))
    assert "Topics that the two rank most differently run-0 and run-2. All topics are decided" in said
    assert all(line.decided for line in found)
    Tournament.objects.filter(topic__in=[line.topic for line in found[1:3]]).update(finished=False)
    response = page(alice, study, query)
    assert [line["topic"].pk for line in response.context["topics"]] == [line.topic for line in found[1:3]]
    assert "judgments on these topics can tell them apart" in text(response)
    assert "4 decided topics are left out." in text(response)
    assert f"{found[0].distance:.3f}" in said
    single = system_maps.by_topic(study, of, "rbo", ids["run-0"], ids["single"])
    assert len(single) == 1


def test_a_large_map_is_computed_by_a_job_and_the_page_says_how_far_it_is(
    alice, study, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(system_maps, "AT_ONCE", 0)
    response = page(alice, study, "?by=med-rbp")
    waiting = text(response)
    assert "The map is being computed. You will see which runs return the same items" in waiting
    assert "It waits for its turn. It appears here by itself" in waiting
    assert response["Retry-After"] == "3"
    assert "The map is being computed." in words(
        alice.get(reverse("figure-svg", args=[study.slug, "map"]) + "?by=med-rbp").content
    )
    cache.set(MAPS._key("lease", study, ("med-rbp",)), (3, 6), timeout=60)
    assert "3 of 6 topics done." in text(page(alice, study, "?by=med-rbp"))
    # Somebody is at it: a second one leaves it to them.
    assert MAPS.compute(study, "med-rbp") is None
    cache.set(MAPS._key("lease", study, ("med-rbp",)), (0, 0), timeout=60)
    assert "It has begun." in text(page(alice, study, "?by=med-rbp"))
    cache.delete(MAPS._key("lease", study, ("med-rbp",)))
    MAPS.job(study.pk)
    assert MAPS.cached(study, "med-rbp") is not None
    assert MAPS.cached(study, "rbo") is None  # nobody asked for it
    response = page(alice, study, "?by=med-rbp")
    assert "rank most alike" in text(response)
    assert not response.has_header("Retry-After")
    assert b"med-rbp" in response.content
    drawn = alice.get(reverse("figure-svg", args=[study.slug, "map"]) + "?by=med-rbp").content
    assert "run-0" in words(drawn)
    # Of another distance it is said how long this one took.
    cache.set(MAPS._key("seconds", study), 83.0)
    assert "It waits for its turn. Last time it took 1 minute." in text(page(alice, study, "?by=kendall"))


@pytest.mark.parametrize(("farthest", "drawn"), [(0.6, 1), (0.9, 2)])
def test_distances_that_are_nearly_alike_have_no_bars(alice, study, monkeypatch, farthest, drawn):
    lines = [
        system_map_page.MapLine(1, "one", 2, "two", 0.52, True),
        system_map_page.MapLine(3, "three", 1, "one", farthest, False),
    ]
    monkeypatch.setattr(system_map_page, "_lines", lambda *_: lines)
    assert page(alice, study).content.count(b"Distance, drawn") == drawn


def test_another_run_makes_another_map(alice, study):
    page(alice, study)
    assert MAPS.cached(study, "rbo") is not None
    topic = study.topics.first()
    add_run(study, "late", {topic.name: list(topic.items.values_list("docno", flat=True))})
    assert MAPS.cached(study, "rbo") is None
    assert "late" in unescape(page(alice, study).content.decode())


def test_studies_without_runs_or_rankings_have_a_page(alice):
    study = with_runs(topics=2, runs=0)
    assert "This page needs at least two runs." in text(page(alice, study))
    made = alice.get(reverse("figure-svg", args=[study.slug, "map"])).content
    assert "A map takes two runs that rank a topic." in words(made)
    other = with_runs(topics=2, runs=2, slug="two", name="Two")
    ids = list(other.runs.values_list("pk", flat=True))
    for odd in ("?by=none", f"?a={ids[0]}&b={ids[0]}", "?a=x&b=-1"):
        assert "are at a distance of" in text(page(alice, other, odd))


def test_queries_are_as_many_however_many_topics_and_runs_there_are(alice):
    asked = set()
    for topics, runs in ((2, 2), (9, 6)):
        study = with_runs(topics=topics, runs=runs, slug=f"s{topics}", name=f"S {topics}")
        finish(study)
        jobs.sweep()
        address = reverse("map", args=[study.slug])
        queries(alice, address)
        asked.add(queries(alice, address))
    assert len(asked) == 1
    assert asked.pop() <= 11


def test_pinned_runs_have_their_colours_and_signs_on_the_map(alice, study):
    first, second, third = study.runs.order_by("name")[:3]
    address = reverse("map", args=[study.slug]) + f"?pin={third.pk},{first.pk}"
    shown = alice.get(address).content.decode()
    assert f"Pinned: ● {third.name} and ■ {first.name}." in shown
    (src,) = re.findall(r'<img src="([^"]*figures/map[^"]+)"', shown)
    asked = QueryDict(unescape(src).partition("?")[2])
    given = system_map_page.map_figure(asked, study).given
    assert {given["names"][place]: pin for place, pin in given["pins"].items()} == {
        third.name: 1,
        first.name: 2,
    }
    assert given["names"][given["marked"][0]] != second.name
