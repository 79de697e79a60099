"""How long a study's leaderboard rests between two standings."""

from types import SimpleNamespace

import pytest

from collection.changes import raise_revisions
from scoring.board import standings
from scoring.scores import topic_scores
from tests.makers import add_run, make_study

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("took", "seconds"),
    [
        ([3.0], 1.0),  # a process that has just begun, perhaps
        ([3.0, 0.1], 1.0),
        ([0.1, 3.0], 1.0),
        ([3.0, 2.0], 8.0),
        ([0.1, 3.0, 5.0], 12.0),
        ([0.1, 0.2], 1.0),
    ],
)
def test_it_is_four_times_what_the_quicker_of_the_last_two_took(took, seconds, settings, monkeypatch):
    """And STANDING_SECONDS at least. One that was slow by chance holds up none."""
    settings.STANDING_SECONDS = 1.0
    study = make_study()
    add_run(study, "run", {"t1": ["t1-a"]})
    topic = study.topics.get().pk
    for each in took:
        ticks = iter([0.0, each])
        monkeypatch.setattr(standings, "time", SimpleNamespace(monotonic=lambda ticks=ticks: next(ticks)))
        raise_revisions([topic], settled=False)
        topic_scores.rescore(topic)
        standings.write(study)
    assert standings.pause(study.pk) == pytest.approx(seconds)
