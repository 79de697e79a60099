"""Desks, where simulated assessors work: the services in this process, or the pages of a server."""

import json
import math
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from random import Random
from typing import Protocol

from judging.batches import answering
from judging.models import Assessor, Assignment, BatchQuestion
from judging.tasks.pair import NAMES, lean_of
from web.shared import tokens

PATIENCE = 120.0  # seconds without any change after which a replay gives up


class Stuck(Exception):
    """Raised when a replay cannot go on; its text is a sentence that says why."""


class AssessorDesk(Protocol):
    """Interface by which a simulated assessor gets a batch of pairs, answers it and submits it."""

    def arrive(self, assessor: Assessor) -> Assignment: ...
    def answer(self, assignment: Assignment, place: BatchQuestion, lean: int) -> None: ...
    def submit(self, assignment: Assignment) -> None: ...


class ServiceDesk:
    """Desk that calls the services of `judging` in this process, as the pages do."""

    def arrive(self, assessor: Assessor) -> Assignment:
        return answering.arrive(assessor.pk)

    def answer(self, assignment: Assignment, place: BatchQuestion, lean: int) -> None:
        value, seconds = lean_of(lean, place.shown), _seconds(place)
        answering.record(assignment.pk, place.question_id, value, seconds=seconds, nonce=_nonce(place))

    def submit(self, assignment: Assignment) -> None:
        answering.submit(assignment.pk)


@dataclass
class PageDesk:
    """Desk that posts a running server's forms; while it is down, it tries again for `patience` seconds."""

    url: str
    patience: float = PATIENCE

    def arrive(self, assessor: Assessor) -> Assignment:
        self._post(f"/i/{assessor.reference}/", {"action": "begin"})
        found = Assignment.objects.filter(assessor=assessor, state=Assignment.State.WORKING).first()
        if found is None:
            # The page gave its reason in words; the service raises it as an exception.
            return answering.arrive(assessor.pk)
        return found

    def answer(self, assignment: Assignment, place: BatchQuestion, lean: int) -> None:
        self._post(
            "/answer/",
            {
                "token": tokens.sign_assignment(assignment.pk),
                "position": str(place.position),
                "choice": NAMES[lean_of(lean, place.shown)],
                "seconds": str(_seconds(place)),
                "nonce": _nonce(place),
            },
        )

    def submit(self, assignment: Assignment) -> None:
        self._post("/submit/", {"token": tokens.sign_assignment(assignment.pk)})

    def _post(self, path: str, fields: dict[str, str]) -> None:
        request = urllib.request.Request(  # noqa: S310 - the address is the operator's own
            self.url.rstrip("/") + path,
            data=urllib.parse.urlencode(fields).encode(),
            headers={"Accept": "application/json"},
        )
        until = time.monotonic() + self.patience
        while True:
            try:
                with urllib.request.urlopen(request, timeout=30) as reply:  # noqa: S310
                    reply.read()
                return
            except urllib.error.HTTPError as error:
                sentence, code = _refusal(error)
                if code == "over":  # its time ran out, or another replay submitted it
                    raise answering.Over(sentence) from error
                if error.code < 500 or time.monotonic() > until:
                    raise Stuck(f"{path} answered {error.code}: {sentence}") from error
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if time.monotonic() > until:
                    raise Stuck(f"{self.url} does not answer: {error}") from error
            time.sleep(0.2)


def _seconds(place: BatchQuestion) -> float:
    """Seconds for which somebody looks: 25 or so, mostly between 11 and 55; the same in each replay."""
    return round(Random(place.pk).lognormvariate(math.log(25), 0.4), 1)


def _nonce(place: BatchQuestion) -> str:
    return f"replay-{place.pk}"


def _refusal(error: urllib.error.HTTPError) -> tuple[str, str]:
    """Read a refusal's sentence and reason code from its JSON; from any other body, its start and ""."""
    body = error.read().decode(errors="replace")
    try:
        said = json.loads(body)
        return str(said["error"]), str(said["code"])
    except (ValueError, KeyError, TypeError):
        return body[:200], ""
