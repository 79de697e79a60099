"""Figures of a study: who gets them, how they are kept and sent, and that they show the study's numbers."""

import gzip
from html import unescape

import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.urls import reverse
from scipy.stats import kendalltau

from collection.models import Run, Study, Topic
from prefir import plots
from scoring import jobs
from scoring.analysis import run_comparison
from scoring.compute import child_process
from tests.judging.organizing import queries
from tests.makers import finish
from tests.plots.reading import by_ticks, points, words
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import judge, show, with_runs
from web.coordinator import comparison_plots
from web.shared.plots import FIGURES

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    """Four topics, judged to their end; three runs."""
    study = with_runs(topics=4, runs=3)
    finish(study)
    jobs.sweep()
    return study.pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


def address(study, name="means", kind="svg", query=""):
    return reverse(f"figure-{kind}", args=[study.slug, name]) + query


def means_of(measure: str) -> list[float]:
    names = list(Topic.objects.values_list("name", flat=True))
    runs = Run.objects.order_by("name").values_list("name", flat=True)
    return [sum(stored.value(run, measure, 0.95, name) or 0.0 for name in names) / len(names) for run in runs]


def test_the_scatter_plot_shows_the_means_of_the_stored_scores(alice, study):
    made = alice.get(address(study)).content
    for axis, measure in enumerate(("pgc", "compatibility")):
        offset, scale = by_ticks(made, axis)
        drawn = sorted((place[axis] - offset) / scale for place in points(made))
        assert drawn == pytest.approx(sorted(means_of(measure)), abs=1e-3)
    assert {"run-0", "run-1", "run-2", "Mean PGC, p = 0.95", "Mean Compatibility, p = 0.95"} <= set(
        words(made)
    )


def test_the_page_of_measures_shows_it_with_its_tau_and_its_numbers(alice, study):
    page = unescape(alice.get(reverse("measures", args=[study.slug])).content.decode())
    tau = kendalltau(means_of("pgc"), means_of("compatibility")).statistic
    assert f"Kendall's τ-b between the two orders is {tau:.3f}." in page
    assert page.count("<source") == 3
    assert f'src="{address(study)}?x=pgc-0.95&y=compatibility-0.95&topics=whole"' in page
    for value in means_of("pgc"):
        assert f'<td class="num">{value:.3f}</td>' in page
    other = unescape(
        alice.get(reverse("measures", args=[study.slug]), {"x": "pgc-0.8", "y": "pgc-0.9"}).content.decode()
    )
    assert "?x=pgc-0.8&y=pgc-0.9&" in other


def test_two_runs_differences_are_those_of_their_page(alice, study):
    runs = dict(Run.objects.values_list("name", "pk"))
    query = f"?a={runs['run-0']}&b={runs['run-2']}&measure=pgc&p=0.95"
    made = alice.get(address(study, "differences", query=query)).content
    found = run_comparison.compare(study, runs["run-0"], runs["run-2"], "pgc", 0.95, None)
    assert f"run-0 higher on {found.shown.wins}" in words(made)
    asked = QueryDict(query[1:])
    assert comparison_plots.differences(asked, study).given["gaps"] == [line.gap for line in found.topics]
    page = unescape(alice.get(reverse("compare", args=[study.slug]) + query).content.decode())
    assert address(study, "differences") + query in page
    for odd in ("?a=x&b=1", "", f"?a={runs['run-0']}&b={runs['run-0']}", "?a=9999999999999999999&b=1"):
        assert alice.get(address(study, "differences", query=odd)).status_code == 404


def test_it_is_sent_so_that_it_works_as_a_picture_and_does_nothing_else(alice, study):
    response = alice.get(address(study))
    assert response["Content-Type"] == "image/svg+xml"
    assert response["Content-Security-Policy"] == "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-cache"
    packed = alice.get(address(study), headers={"Accept-Encoding": "gzip"})
    assert gzip.decompress(packed.content) == response.content
    made = alice.get(address(study, kind="pdf"))
    assert made["Content-Type"] == "application/pdf"
    assert made["Content-Disposition"] == f'inline; filename="{study.slug}-means.pdf"'
    assert made.content.startswith(b"%PDF-")


def test_it_is_drawn_once_until_a_score_changes(alice, monkeypatch):
    study = with_runs(topics=4, runs=3)
    judge(study, batches=2)
    jobs.sweep()
    drawn = []
    real = child_process.call
    monkeypatch.setattr(
        child_process, "call", lambda function, *a, **o: (drawn.append(function), real(function, *a, **o))[1]
    )
    every = address(study, query="?topics=all")
    first = alice.get(every)
    assert alice.get(f"{every}&unknown=1").content == first.content
    assert drawn.count(plots.scatter) == 1
    kept = alice.get(every, headers={"If-None-Match": first["ETag"]})
    assert (kept.status_code, kept.content) == (304, b"")
    judge(study, batches=2)
    jobs.sweep()
    after = alice.get(every, headers={"If-None-Match": first["ETag"]})
    assert (after.status_code, drawn.count(plots.scatter)) == (200, 2)


def test_every_look_is_another_drawing(alice, study):
    looks = ("", "?theme=dark", "?width=narrow", "?theme=dark&width=narrow")
    found = [alice.get(address(study, query=query)) for query in looks]
    assert len({response.content for response in found}) == len({response["ETag"] for response in found}) == 4
    assert b'width="350"' in found[2].content
    assert b"#15171a" in found[3].content
    # To be printed, so light whatever is asked for.
    light, dark = (alice.get(address(study, kind="pdf", query=query)).content for query in looks[:2])
    assert light == dark


def test_nothing_yet_is_a_figure_too_and_an_unknown_name_is_none(alice):
    study = with_runs(topics=2, runs=0)
    assert "There are no runs yet." in words(alice.get(address(study)).content)
    assert alice.get(address(study, "nothing-like-it")).status_code == 404
    waiting = with_runs(topics=2, runs=2, slug="waiting", name="Waiting")
    assert "No run has both figures yet." in words(alice.get(address(waiting)).content)
    assert "There is no τ-b yet." in show(alice, waiting, "measures")


def test_queries_are_as_many_however_many_topics_and_runs_there_are(alice):
    asked = set()
    for topics, runs in ((2, 2), (7, 6)):
        study = with_runs(topics=topics, runs=runs, slug=f"s{topics}", name=f"S {topics}")
        finish(study)
        jobs.sweep()
        ids = list(study.runs.values_list("pk", flat=True)[:2])
        address(study)  # loads every module that has figures
        for name in FIGURES:
            query = f"?a={ids[0]}&b={ids[1]}&topic={study.topics.latest('pk').pk}"
            for _ in range(2):  # a map is there once it was asked for
                queries(alice, address(study, name, query=query))
            kept = queries(alice, address(study, name, query=query))
            cache.clear()
            asked.add((name, kept, queries(alice, address(study, name, query=query))))
    assert len(asked) == len(FIGURES)
    assert max(kept for _, kept, _ in asked) <= 5
    assert max(anew for _, _, anew in asked) <= 13
