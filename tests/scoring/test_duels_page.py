"""Duels of runs: strengths from the stored judgments, held against the library by hand, on the page."""

import re

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Item, Study, Topic
from judging import ledger
from prefir.measures import bradley_terry
from scoring import duels, jobs
from tests.judging.organizing import logged_in, queries, staff_of
from tests.makers import Choice, add_run, finish, make_study, open_study

pytestmark = pytest.mark.django_db
ANSWERS = {"oak": "a", "elm": "b", "ash": "c"}


@pytest.fixture
def alice():
    return logged_in("alice")


def arena(topics: int = 6) -> Study:
    """A study of systems that give one answer each: run oak gives item a, elm b, and ash c.

    People prefer what is loaded first, but for every third topic, where they prefer what is loaded last.
    """
    study = staff_of(make_study(topics=topics, items=3, junk=0, k=1, batch_challenges=0))
    for name, letter in ANSWERS.items():
        add_run(study, name, {topic.name: [f"{topic.name}-{letter}"] for topic in study.topics.all()})
    open_study(study)
    turned = {topic.pk for topic in study.topics.order_by("pk")[2::3]}
    finish(study, choose=lambda question: Choice.B if question.topic_id in turned else Choice.A)
    jobs.sweep()
    return study


def show(client, study, query="") -> str:
    response = client.get(reverse("duels", args=[study.slug]) + query)
    assert response.status_code == 200
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def counts(lean: int) -> tuple[bool, bool, bool]:
    """Whether the first wins, the second, or neither."""
    return lean > 0, lean < 0, lean == 0


def test_strengths_are_those_of_the_judgments(alice):
    """Each judgment of two items is a duel of the two runs that gave them: counted one by one."""
    study = arena()
    runs = duels.runs_of(study)
    names = dict(study.runs.values_list("pk", "name"))
    place = {ANSWERS[names[run]]: i for i, run in enumerate(runs)}
    letters = {pk: docno[-1] for pk, docno in Item.objects.values_list("pk", "docno")}
    rows = [
        (
            topic,
            place[letters[one.first]],
            place[letters[one.second]],
            one.lean > 0,
            one.lean < 0,
            one.lean == 0,
        )
        for topic in Topic.objects.values_list("pk", flat=True)
        for one in ledger.given(topic).counting
    ]
    expected = bradley_terry(np.array(rows, dtype=float), 3, resamples=0)
    found = duels.compute(study, runs, 0.95)
    assert found.strengths.strengths.tolist() == pytest.approx(expected.strengths.tolist())
    assert found.strengths.duels == len(rows) > 0
    page = show(alice, study)
    assert f"after {len(rows)} duels on 6 topics" in page
    assert re.search(r"oak is the strongest so far, but not surely\.|oak is the strongest\.", page)


def test_a_large_study_is_computed_by_a_job_and_kept(alice, monkeypatch):
    study = arena()
    monkeypatch.setattr(duels, "AT_ONCE", 0)
    cache.clear()
    assert "The strengths are being computed." in show(alice, study)
    jobs.measure_strengths(study.pk)
    assert "after" in show(alice, study)
    assert queries(alice, reverse("duels", args=[study.slug])) <= 9


def test_whoever_won_everything_has_no_strength_and_is_named(alice):
    study = arena(topics=2)  # all prefer what was loaded first
    page = show(alice, study)
    assert "No run can be placed yet." in page


def test_one_run_alone_has_no_duels(alice):
    study = staff_of(make_study())
    assert "There are not two runs yet." in show(alice, study)
