"""Redis is gone while people judge: their answers are stored at once, and sweeps do the rest later."""

import json
import urllib.parse
import urllib.request

import pytest

from tests.servers import wait_until
from tests.stack import Stack

pytestmark = pytest.mark.services

# A topic with a pool of two, so that one answer decides it; a run, so that there is something to score.
BEGIN = """
import json
from collection.models import *
from judging.batches import answering
from web.shared import tokens
from panels import local
from tests.makers import study_with
from tournament import services
study = study_with(name="Nudges", slug="{slug}", batch_challenges=0)
topic = Topic.objects.create(study=study, name="1", text="Which one?")
items = [Item.objects.create(topic=topic, docno=f"d{{n}}", text=f"Text {{n}}") for n in (1, 2)]
run = Run.objects.create(study=study, name="run")
Placement.objects.bulk_create(Placement(run=run, topic=topic, item=i, rank=i.pk) for i in items)
services.start(study.pk)
services.advance(topic.pk)
batch = answering.arrive(local.invite(study, ["somebody"])[0].pk)
token = tokens.sign_assignment(batch.pk)
print(json.dumps([topic.pk, {{"token": token, "position": batch.batch.get().position}}]))
"""
PROGRESS = """
SELECT t.revision, s.revision, t.settled, r.seen, r.finished FROM collection_topic t
JOIN tournament_tournament r ON r.topic_id = t.id LEFT JOIN scoring_storedscores s ON s.topic_id = t.id
WHERE t.id = %s
"""
STORED = """
SELECT count(*) FROM judging_judgment j JOIN judging_question q ON q.id = j.question_id WHERE q.topic_id = %s
"""


def post(stack: Stack, path: str, **fields: object) -> int:
    """The status of a form posted as a browser does."""
    data = urllib.parse.urlencode(fields).encode()
    with urllib.request.urlopen(stack.address + path, data, timeout=30) as answer:
        return answer.status


def caught_up(stack: Stack, topic: int) -> bool:
    """Whether a topic's tournament and its scores have seen everything that was answered."""
    ((revision, scored, settled, seen, finished),) = stack.query(PROGRESS, topic)
    return finished and revision == scored and settled == seen


@pytest.mark.parametrize("trouble", ["kill9", "freeze"])
def test_answers_given_without_redis_are_stored_at_once_and_swept_up_later(stack, trouble):
    """Killed, Redis refuses connections; frozen, it takes them and never answers.

    The request does not wait for it: it is answered before the nudge's own failure is logged. After
    Redis is back, nothing but beat's sweeps can advance the tournament and score the topic.
    """
    stack.restart("web")  # one that lately failed to reach Redis would let it rest, and not try
    topic, asked = json.loads(stack.python(BEGIN.format(slug=f"nudges-{trouble}")))
    begin = len(stack.log("web"))

    def failed() -> bool:
        return "Redis does not take tasks" in stack.log("web")[begin:]

    getattr(stack.redis, trouble)()

    assert post(stack, "/answer/", **asked, choice="left", seconds="1.5", nonce="once") == 200
    if trouble == "freeze":
        assert not failed()
    assert stack.query(STORED, topic) == [(1,)]
    assert post(stack, "/submit/", token=asked["token"]) == 200
    wait_until(failed, what="a failed nudge in the log")
    assert not caught_up(stack, topic)

    stack.redis.kill9()
    stack.redis.start()
    stack.wait_until(lambda: caught_up(stack, topic), seconds=120, what="sweeps have caught up")


# As a command does that loads a file: it ends before what it asked for was gathered for long enough.
ASKS_AND_ENDS = """
from config.task_queue import enqueue_coalesced
from scoring.jobs import rescore
enqueue_coalesced(rescore, 7)
"""


@pytest.fixture
def only_redis(tmp_path, migrated_database):
    """A deployment of which only Redis runs: nobody else asks for anything, or does it."""
    stack = Stack.over_services(tmp_path / "redis", template=migrated_database, GATHER_SECONDS="3600")
    stack.redis.start()
    yield stack
    stack.stop()


def test_what_a_command_asks_for_at_its_end_reaches_redis(only_redis):
    stack = only_redis

    def waiting() -> int:
        return int(stack.redis.ask("LLEN celery").strip().removeprefix(":"))

    before = waiting()
    stack.python(ASKS_AND_ENDS)
    assert waiting() == before + 1
