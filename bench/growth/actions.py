"""What is measured: pages, an assessor's requests, the services behind them, exports and whole rebuilds."""

import contextlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import Any
from unittest import mock

from django.contrib.auth import get_user_model
from django.db import transaction
from django.db.models import F
from django.test import Client
from django.urls import reverse

from bench.growth import PARTS, material, pages
from bench.growth.material import COORDINATOR, SLUG
from bench.growth.measuring import Cost, after, explained, measured, well
from collection.changes import judgments_changed
from collection.models import Study, Topic
from config import task_queue
from judging.batches import sql_statements
from judging.models import Assignment, BatchQuestion
from judging.questions import asking
from panels import local
from scoring.board import standings
from scoring.models import Standing, StoredScores
from scoring.scores import topic_scores as scoring
from tournament import services as tournament
from tournament.models import Tournament
from web.live import progress
from web.shared import tokens

__all__ = ["all_of", "explained"]
Named = Iterator[tuple[str, Cost]]
PEOPLE = 8
# Standings before the last one.
HISTORY = 200


def all_of(parts: Sequence[str], named: tuple[str, ...] = ()) -> Named:
    """Name and cost of each action of these parts. whole: those that work through every topic. named: what
    the names of pages begin with that are measured; empty for all.
    """
    study = Study.objects.get(slug=SLUG)
    # What follows from an answer, or a page asks for, is measured by itself, and not done meanwhile.
    for listener in ("scoring", "tournament"):
        judgments_changed.disconnect(dispatch_uid=listener)
    with contextlib.ExitStack() as without:
        for starts_a_job in (task_queue._aside, "add"), (task_queue, "_start_timer"), (task_queue, "_submit"):
            without.enter_context(mock.patch.object(*starts_a_job))
        if "whole" not in parts and not StoredScores.objects.filter(topic__study=study).exists():
            for _ in _whole(study):  # pages of a study without scores would say little, and soon
                pass
        measures: tuple[Callable[[Study], Named], ...] = (
            _whole,
            partial(pages.all_of, named=named),
            _requests,
            _services,
            _exports,
        )
        for part, measure in zip(PARTS, measures, strict=True):
            if part in parts:
                yield from measure(study)


def _whole(study: Study) -> Named:
    Tournament.objects.filter(topic__study=study).update(seen=-1)
    yield "advance every tournament", _once(tournament.catch_up)
    StoredScores.objects.filter(topic__study=study).delete()
    yield "score every topic", _once(lambda: [scoring.rescore(pk) for pk in scoring.behind()])
    yield "rebuild of rounds", _once(lambda: tournament.rebuild(study.pk))
    yield "rescore", _once(lambda: scoring.rebuild(study.pk))
    standings.write(study)
    if Standing.objects.filter(study=study).count() < HISTORY:
        material.write_history(study, HISTORY)


def _requests(study: Study) -> Named:
    """Batches of new people from the first page to the one after, a step at a time."""
    client = Client(headers={"accept": "application/json", "host": "localhost"})
    links = {
        person.pk: reverse("invitation", args=[person.reference])
        for person in local.invite(study, ["x"] * PEOPLE)
    }
    steps: dict[str, list[Callable[[], Any]]] = defaultdict(list)
    sent: dict[int, list[BatchQuestion]] = {}

    def see(address: str) -> None:
        well(client.get(address))

    def begin(address: str) -> None:
        assert client.post(address, {"action": "begin"}).status_code == 303

    def answer(pk: int) -> None:
        if pk not in sent:
            found = BatchQuestion.objects.filter(assessor=pk, assignment__state=Assignment.State.WORKING)
            sent[pk] = list(found.order_by("-position"))
        place = sent[pk].pop()
        left = place.shown == "01"
        form = {"position": place.position, "choice": "left" if left else "right", "seconds": "1.5"}
        form["nonce"] = f"g{place.pk}"
        well(client.post("/answer/", {"token": tokens.sign_assignment(place.assignment_id), **form}))

    def submit(pk: int) -> None:
        open_one = Assignment.objects.get(assessor=pk, state=Assignment.State.WORKING)
        while sent[pk]:
            answer(pk)
        started, spent = time.perf_counter(), time.process_time()
        well(client.post("/submit/", {"token": tokens.sign_assignment(open_one.pk)}))
        submitted.append(1000 * (time.perf_counter() - started))
        own.append(1000 * (time.process_time() - spent))

    submitted: list[float] = []
    own: list[float] = []
    for pk, address in links.items():
        steps["assessor: first page"].append(partial(see, address))
        steps["assessor: arrive"].append(partial(begin, address))
        steps["assessor: page"].append(partial(see, address))
        steps["assessor: answer"].append(partial(answer, pk))
        steps["assessor: submit, after the last answers"].append(partial(submit, pk))
        steps["assessor: page after"].append(partial(see, address))
    for name, acts in steps.items():
        waiting = iter(acts)
        next(waiting)()  # warm
        yield name, measured(partial(_next, waiting), repeats=PEOPLE - 3, warm=False)
    yield "assessor: submit alone", Cost(median(submitted), median(own), None, 0, None, 0, "", 0)


def _services(study: Study) -> Named:
    task = asking.task_of(study)
    somebody = Assignment.objects.order_by("pk").values_list("assessor_id", flat=True).first()
    person = local.invite(study, ["x"])[0]
    pks = Topic.objects.filter(study=study).order_by("pk").values_list("pk", flat=True)
    topic = pks[len(pks) // 2]

    def undone(act: Callable[[], Any]) -> Callable[[], Any]:
        def do() -> None:
            with transaction.atomic():
                act()
                transaction.set_rollback(True)

        return do

    from django.utils import timezone

    yield (
        "offer: is anything left?",
        measured(lambda: sql_statements.at_hand(task.pk, task.pk, somebody, 10, 3)),
    )
    yield "draw", measured(undone(lambda: sql_statements.open_batch(person.pk, timezone.now())))
    yield "version of the standing", measured(lambda: standings.version(study))
    yield "version of the topics", measured(lambda: progress.version(study))
    yield "which scores are behind?", measured(scoring.behind)
    yield "which tournaments are behind?", measured(tournament.behind)
    yield (
        "rescore one topic",
        measured(
            after(
                lambda: Topic.objects.filter(pk=topic).update(revision=F("revision") + 1),
                lambda: scoring.rescore(topic),
            )
        ),
    )
    yield (
        "advance one topic",
        measured(
            after(
                lambda: Tournament.objects.filter(topic=topic).update(seen=-1),
                lambda: tournament.advance(topic),
            )
        ),
    )
    yield "average all scores", measured(lambda: standings.computed(study), repeats=2)


def _exports(study: Study) -> Named:
    client = Client(headers={"host": "localhost"})
    client.force_login(get_user_model().objects.get(username=COORDINATOR))
    for name in ("judgments-export", "qrels-export", "scores-export"):

        def read(name: str = name) -> None:
            reply: Any = client.get(reverse(name, args=[SLUG]))
            for _ in reply.streaming_content:
                pass

        yield name.replace("-export", ", exported"), _once(read)


def _next(waiting: Iterator[Callable[[], Any]]) -> None:
    next(waiting)()


def _once(act: Callable[[], Any]) -> Cost:
    return measured(act, repeats=1, warm=False)
