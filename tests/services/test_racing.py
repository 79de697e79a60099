"""Two processes with four threads each advance one topic at once: one round is opened."""

import json
import os
import subprocess
import sys
from collections import Counter
from typing import Any

import pytest
from django.db import connection

from collection.models import Grade, Item, Topic
from simulation.replay import RecordedAnswers, replay
from tests.ground import ROOT
from tests.makers import study_with
from tests.servers import postgres
from tournament import services
from tournament.models import Pairing, Round, Tournament

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PROCESSES = 2


@pytest.fixture
def topic():
    """A topic whose pool of 20 is decided, and nothing asked yet."""
    study = study_with(name="Race", slug="race", seed="s", batch_challenges=0, batch_pairs=50)
    topic = Topic.objects.create(study=study, name="1", text="Which one?")
    items = [Item.objects.create(topic=topic, docno=f"d{n}", text=f"Text {n}") for n in range(20)]
    Grade.objects.bulk_create(Grade(item=item, value=1) for item in items)
    services.start(study.pk)
    return topic


@pytest.fixture
def judged_topic(topic):
    """The same with its first round judged, and the second one not opened yet."""
    services.advance(topic.pk)
    replay(topic.study, RecordedAnswers(topic.study, []), max_batches=2)
    Round.objects.filter(number__gt=1).delete()
    Round.objects.filter(number=1).update(complete=False)
    Tournament.objects.update(seen=-1, stored="")
    return topic


def race(topic: Topic, lock: str) -> Counter[str]:
    """Let two processes with four threads each advance the topic; return the outcome of the attempts."""
    environment = os.environ | {
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": postgres.url(str(connection.settings_dict["NAME"])),
    }
    command = [sys.executable, "-m", "tests.services.racing", str(topic.pk), lock]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    racers: list[Any] = [
        subprocess.Popen(command, cwd=ROOT, env=environment, **pipes) for _ in range(PROCESSES)
    ]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    outcomes: Counter[str] = Counter()
    for racer in racers:
        outcomes.update(json.loads(racer.communicate(timeout=60)[0]))
    return outcomes


def test_eight_threads_of_two_processes_open_the_first_round_once(topic):
    assert race(topic, "locked") == {"opened": 1, "nothing": 7}
    assert [r.number for r in Round.objects.all()] == [1]


def test_eight_threads_of_two_processes_open_the_next_round_once(judged_topic):
    assert race(judged_topic, "locked") == {"opened": 1, "nothing": 7}
    assert [(r.number, r.complete) for r in Round.objects.all()] == [(1, True), (2, False)]
    assert Pairing.objects.filter(round__number=2).count() > 0


def test_without_the_lock_the_same_race_goes_wrong(topic):
    """The twin that shows that the two tests above can fail: with the row lock taken out, more than one
    attempt takes itself for the one that opens the round, or runs into a constraint of the database.
    """
    outcomes = race(topic, "unlocked")
    assert outcomes.total() == 8
    assert outcomes["nothing"] < 7
