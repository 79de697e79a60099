"""Sweeps: one thing that fails does not keep the others from being done."""

import pytest

from collection.models import Topic
from config.task_queue import SweepFailed, sweep_all, sweep_each
from scoring import jobs as scoring
from scoring.models import StoredScores
from tests.makers import add_run, invite, make_study, open_study, sit
from tournament import services


def test_a_sweep_goes_on_past_what_fails_and_names_it():
    done = []

    def do(n: int) -> None:
        if n == 2:
            raise ValueError("two")
        done.append(n)

    with pytest.raises(SweepFailed, match="counting failed for 2 "):
        sweep_each("counting", [1, 2, 3], do)
    assert done == [1, 3]


def test_sweeps_after_one_that_failed_are_done_too():
    done = []

    def fail() -> None:
        raise SweepFailed("the first failed")

    with pytest.raises(SweepFailed, match="the first failed"):
        sweep_all(fail, lambda: done.append("second"))
    assert done == ["second"]


@pytest.fixture
def judged(db):
    """Two topics that are judged, and neither advanced nor scored."""
    study = open_study(make_study(topics=2, items=3, batch_pairs=6, batch_challenges=0))
    add_run(study, "run", {"t1": ["t1-a"], "t2": ["t2-b"]})
    sit(invite(study))
    return study


def failing_for(topic: Topic, do):
    def run(topic_id: int, *args):
        if topic_id == topic.pk:
            raise RuntimeError("broken")
        return do(topic_id, *args)

    return run


def test_a_topic_that_cannot_be_advanced_does_not_hold_up_the_others(judged, monkeypatch):
    first, second = judged.topics.order_by("pk")
    monkeypatch.setattr(services, "advance", failing_for(first, services.advance))
    with pytest.raises(SweepFailed, match=f"advancing topic failed for .*{first.pk}"):
        services.catch_up()
    assert services.behind() == [first.pk]
    assert second.tournament.finished


def test_a_topic_that_cannot_be_scored_does_not_hold_up_the_others(judged, monkeypatch):
    first, second = judged.topics.order_by("pk")
    monkeypatch.setattr(scoring.topic_scores, "rescore", failing_for(first, scoring.topic_scores.rescore))
    with pytest.raises(SweepFailed, match=f"rescoring topic failed for {first.pk}"):
        scoring.sweep()
    assert list(StoredScores.objects.filter(judgments__gt=0).values_list("topic", flat=True)) == [second.pk]
