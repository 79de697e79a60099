"""What one judgment costs, from the post to the response and on to the leaderboard: queries and milliseconds.

Usage: python -m bench.one_judgment      (SQLite in a temporary folder, tasks in the request)
       DATABASE_URL=postgres://... REDIS_URL=... python -m bench.one_judgment      (tasks measured apart)

The database must be empty; the program migrates it. Two sizes of study are made: the demonstration's, and
one of 173 topics with 42 runs. Times are medians of wall-clock milliseconds of one process.
"""

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

os.environ.setdefault("FACEOFF_DATA", tempfile.mkdtemp())
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django

django.setup()

from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from collection.models import Item, Placement, Run, Study, Topic
from judging import answering
from judging.models import BatchQuestion
from panels import local
from scoring.leaderboard import board
from scoring.services import rescore
from scoring.standings import version
from tests.makers import Choice, record, study_with
from tournament import services
from web import tokens

ANSWERS = 100
client = Client(headers={"accept": "application/json", "host": "localhost"})


def study(topics: int, items: int, runs: int, depth: int) -> Study:
    """A study of ungraded items, all in the pools, opened."""
    made = study_with(slug=f"bench-{topics}", name="Bench", batch_challenges=0, seed="bench")
    rows = Topic.objects.bulk_create(Topic(study=made, name=f"t{t}", text="?") for t in range(topics))
    Item.objects.bulk_create(
        [Item(topic=topic, docno=f"d{i:03}", text="text") for topic in rows for i in range(items)]
    )
    pools = {topic.pk: list(topic.items.order_by("docno")) for topic in rows}
    for number in range(runs):
        run = Run.objects.create(study=made, name=f"run-{number}")
        Placement.objects.bulk_create(
            [
                Placement(run=run, topic_id=topic, item=pool[(rank + number) % items], rank=rank + 1)
                for topic, pool in pools.items()
                for rank in range(min(depth, items))
            ],
            batch_size=2000,
        )
    services.start(made.pk)
    services.catch_up()
    made.refresh_from_db()
    return made


def measured(act: Callable[[], Any]) -> tuple[float, int]:
    """Milliseconds and queries of one call. Counting costs a little, so it is on for every call alike."""
    with CaptureQueriesContext(connection) as queries:
        started = time.perf_counter()
        act()
        spent = time.perf_counter() - started
    return 1000 * spent, len(queries)


def post(place: BatchQuestion) -> None:
    """Send an answer through the page's own address."""
    reply = client.post(
        "/answer/",
        {
            "token": tokens.sign_assignment(place.assignment_id),
            "position": place.position,
            "choice": "left",
            "seconds": "2.5",
            "nonce": f"bench-{place.pk}",
        },
    )
    if reply.status_code != 200:
        raise SystemExit(f"The answer was refused: {reply.content!r}")


def batches(of: Study, at_least: int) -> list[BatchQuestion]:
    """Places to answer, in batches of as many assessors as that takes."""
    places: list[BatchQuestion] = []
    while len(places) < at_least:
        assessor = local.invite(of, ["bench"])[0]
        assignment = answering.arrive(assessor.pk)
        places += assignment.batch.select_related("question")
    return places


def rows(of: Study) -> list[tuple[str, list[tuple[float, int]]]]:
    """The measurements of one study: what is done, and (milliseconds, queries) of each time."""
    embedded = settings.CELERY_TASK_ALWAYS_EAGER
    posts, rescores = [], []
    places = batches(of, ANSWERS)
    for place in places:
        posts.append(measured(partial(post, place)))
        if not embedded:
            rescores.append(measured(partial(rescore, place.question.topic_id)))
    if embedded:
        # The same again without the request, to tell the parts apart.
        for number, place in enumerate(batches(of, ANSWERS // 4)):
            record(place.assignment_id, place.question_id, Choice.A)
            Topic.objects.filter(pk=place.question.topic_id).update(revision=10**6 * (number + 1))
            rescores.append(measured(partial(rescore, place.question.topic_id)))
    submits, advances = [], []
    for assignment in {place.assignment_id: None for place in places}:
        submits.append(measured(partial(answering.submit, assignment)))
    for topic in sorted({place.question.topic_id for place in places}):
        services.Tournament.objects.filter(topic_id=topic).update(seen=-1)
        advances.append(measured(partial(services.advance, topic)))
    name = "post to response, with rescoring in it" if embedded else "post to response"
    return [
        (name, posts),
        ("rescoring the topic, alone", rescores),
        ("submitting the batch" + (", with rescoring and rounds in it" if embedded else ""), submits),
        ("advancing a topic's tournament, alone", advances),
        ("leaderboard: is anything new?", [measured(lambda: version(of)) for _ in range(20)]),
        ("leaderboard: read and average", [measured(lambda: board(of, 0.95)) for _ in range(5)]),
    ]


def main() -> None:
    """Print the table in Markdown."""
    call_command("migrate", verbosity=0)
    where = connection.vendor + (", tasks in the process" if settings.CELERY_TASK_ALWAYS_EAGER else "")
    for label, of in (
        ("8 topics x 14 items, 4 runs of 10", study(8, 14, 4, 10)),
        ("173 topics x 20 items, 42 runs of 20", study(173, 20, 42, 20)),
    ):
        print(f"\n{where}; {label}\n")
        print("| step | queries | ms, median | ms, 95 % |\n|---|---:|---:|---:|")
        for name, values in rows(of):
            times = sorted(ms for ms, _ in values)
            queries = statistics.median(count for _, count in values)
            late = times[min(len(times) - 1, int(0.95 * len(times)))]
            print(f"| {name} | {queries:.0f} | {statistics.median(times):.1f} | {late:.1f} |")


if __name__ == "__main__":
    main()
