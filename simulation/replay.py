"""Replaying recorded answers: simulated assessors who come, judge batches and submit as people do.

The answer to a pair depends on nothing but the pair, the record and the seed. So a replay ends with
the same rounds and the same top k whatever the order of arrivals, how many assessors fail, and
however often it is stopped and started again.
"""

import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Protocol

from django.db.models import F

from collection.models import Grade, Study, Topic
from judging import answering
from judging.models import Assessor, Assignment, BatchQuestion, Choice, Judgment, Question
from panels import local
from tournament.models import Pairing, Tournament
from web import tokens

BATCHES_EACH = 5  # sittings of one simulated person
PATIENCE = 120.0  # seconds without any change after which a replay gives up


class Stuck(Exception):
    """The replay cannot go on, in a sentence that says why."""


class Oracle(Protocol):
    """Knows the answer to every pair."""

    def answer(self, question: Question) -> Choice: ...


@dataclass
class Recorded:
    """Answers by record: the majority of a pair's recorded judgments (the first one where they are
    split evenly); else the higher grade; else the seed decides.

    Memory and start grow with the record and the study's grades; an answer takes constant time.
    """

    study: Study
    record: Iterable[tuple[str, str, str, str | None]]  # topic, a, b, winner (None: tie)
    names: dict[int, str] = field(init=False)
    votes: dict[tuple[str, frozenset[str]], list[str | None]] = field(init=False)
    grades: dict[int, float] = field(init=False)

    def __post_init__(self) -> None:
        self.names = dict(Topic.objects.filter(study=self.study).values_list("pk", "name"))
        self.grades = dict(
            Grade.objects.filter(item__topic__study=self.study).values_list("item_id", "value")
        )
        self.votes = {}
        for topic, a, b, winner in self.record:
            self.votes.setdefault((topic, frozenset((a, b))), []).append(winner)

    def answer(self, question: Question) -> Choice:
        topic = self.names[question.topic_id]
        a, b = question.item_a.docno, question.item_b.docno
        votes = self.votes.get((topic, frozenset((a, b))))
        if votes:
            return self._named(_majority(votes), a)
        grade_a, grade_b = (self.grades.get(pk, 0.0) for pk in (question.item_a_id, question.item_b_id))
        if grade_a != grade_b:
            return Choice.A if grade_a > grade_b else Choice.B
        first, second = sorted((a, b))
        chooser = random.Random(f"{self.study.seed}:{topic}:{first}:{second}")
        return self._named(chooser.choice((first, second)), a)

    def _named(self, winner: str | None, a: str) -> Choice:
        if winner is None:
            return Choice.TIE
        return Choice.A if winner == a else Choice.B


def _majority(votes: list[str | None]) -> str | None:
    times = Counter(votes)
    return max(votes, key=lambda winner: times[winner])  # the first of the most frequent


class Desk(Protocol):
    """Where a simulated assessor works: at the services, or at a server's pages."""

    def arrive(self, assessor: Assessor) -> Assignment: ...
    def answer(self, assignment: Assignment, place: BatchQuestion, choice: Choice) -> None: ...
    def submit(self, assignment: Assignment) -> None: ...


class ServiceDesk:
    """Calls the services that the pages call, in this process."""

    def arrive(self, assessor: Assessor) -> Assignment:
        return answering.arrive(assessor.pk)

    def answer(self, assignment: Assignment, place: BatchQuestion, choice: Choice) -> None:
        answering.record(assignment.pk, place.question_id, choice, seconds=1.0, nonce=_nonce(place))

    def submit(self, assignment: Assignment) -> None:
        answering.submit(assignment.pk)


@dataclass
class PageDesk:
    """Posts the forms of a running server; goes on trying while it is down."""

    url: str
    patience: float = PATIENCE

    def arrive(self, assessor: Assessor) -> Assignment:
        self._post(f"/i/{assessor.reference}/", {"action": "begin"})
        found = Assignment.objects.filter(assessor=assessor, state=Assignment.State.WORKING).first()
        if found is None:
            # The page said why; asking the service raises the same in a form we can tell apart.
            return answering.arrive(assessor.pk)
        return found

    def answer(self, assignment: Assignment, place: BatchQuestion, choice: Choice) -> None:
        side = "tie" if choice == Choice.TIE else "left" if (choice == Choice.A) == place.a_left else "right"
        self._post(
            "/answer/",
            {
                "token": tokens.sign_assignment(assignment.pk),
                "question": str(place.question_id),
                "choice": side,
                "seconds": "1.0",
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


def _nonce(place: BatchQuestion) -> str:
    return f"replay-{place.pk}"


def _refusal(error: urllib.error.HTTPError) -> tuple[str, str]:
    """What a page says in refusal, and what it calls the reason ("" where it is not one of ours)."""
    body = error.read().decode(errors="replace")
    try:
        said = json.loads(body)
        return str(said["error"]), str(said["code"])
    except (ValueError, KeyError, TypeError):
        return body[:200], ""


@dataclass
class Outcome:
    """What a replay did."""

    judgments: int = 0
    batches: int = 0
    failed: int = 0


def replay(
    study: Study,
    oracle: Oracle,
    *,
    desk: Desk | None = None,
    failing: float = 0.0,
    max_batches: int | None = None,
    lane: tuple[int, int] = (1, 1),
    patience: float = PATIENCE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Outcome:
    """Have simulated assessors judge until every tournament of the study has ended.

    failing: share of the assessors who get the challenges of one of their batches wrong.
    max_batches: stop after so many. lane (i, n): of n replays at once this is the i-th, with every
    n-th assessor. progress: called with (finished topics, topics).
    Raises Stuck when nothing has changed for `patience` seconds, as when no worker advances the rounds.
    """
    desk = desk or ServiceDesk()
    outcome = Outcome()
    number, step = lane
    waiting_since = time.monotonic()
    while max_batches is None or outcome.batches < max_batches:
        total, finished = _finished(study)
        progress(finished, total)
        if finished == total:
            break
        assessor = _assessor(study, number)
        done = Assignment.objects.filter(
            assessor=assessor, state__in=[Assignment.State.KEPT, Assignment.State.DISCARDED]
        ).count()
        if done >= BATCHES_EACH or assessor.excluded_at:
            number += step
            continue
        try:
            assignment = desk.arrive(assessor)
            fails = _fails_in(study, number, failing) == done
            _judge(desk, oracle, assignment, fails=fails, outcome=outcome)
        except answering.NothingLeft:
            study.refresh_from_db(fields=["opened_at", "closed_at"])
            if not study.judging_is_open:
                raise Stuck("Judging is not open, and tournaments have not ended.") from None
            if time.monotonic() - waiting_since > patience:
                raise Stuck(
                    "There is nothing to judge, but tournaments have not ended: is a worker running?"
                ) from None
            if _open_for_others(study):
                number += step  # what is open, this assessor has seen
            else:
                time.sleep(0.05)  # workers are advancing the rounds, or other lanes hold the questions
            continue
        except (answering.Excluded, answering.Over):
            continue
        waiting_since = time.monotonic()
    return outcome


def _judge(desk: Desk, oracle: Oracle, assignment: Assignment, *, fails: bool, outcome: Outcome) -> None:
    batch = assignment.batch.select_related("question__item_a", "question__item_b")
    for place in batch:
        if place.challenge:
            right = Choice(place.question.expected or 0)
            choice = (Choice.B if right == Choice.A else Choice.A) if fails else right
        else:
            choice = oracle.answer(place.question)
        desk.answer(assignment, place, choice)
        outcome.judgments += not place.challenge
    desk.submit(assignment)
    outcome.batches += 1
    outcome.failed += fails


def _assessor(study: Study, number: int) -> Assessor:
    label = f"simulated assessor {number}"
    found = Assessor.objects.filter(study=study, panel=local.PANEL, label=label).first()
    return found or local.invite(study, [label])[0]


def _fails_in(study: Study, number: int, failing: float) -> int | None:
    """Which of an assessor's batches (from 0) fails: late ones too, which takes kept ones back."""
    chooser = random.Random(f"{study.seed}:fails:{number}")
    return chooser.randrange(BATCHES_EACH) if chooser.random() < failing else None


def _finished(study: Study) -> tuple[int, int]:
    tournaments = Tournament.objects.filter(topic__study=study)
    return tournaments.count(), tournaments.filter(finished=True, seen=F("topic__settled")).count()


def _open_for_others(study: Study) -> bool:
    return Question.objects.filter(topic__study=study, taken__lt=F("wanted")).exists()


def digest(study: Study) -> str:
    """A fingerprint of a study's rounds, top places and settled answers, by docno: equal results, equal text.

    Reads everything; time grows with the judgments.
    """
    lines: list[str] = []
    pairings = Pairing.objects.filter(round__tournament__topic__study=study)
    for row in pairings.values_list(
        "round__tournament__topic__name",
        "round__number",
        "question__item_a__docno",
        "question__item_b__docno",
    ):
        lines.append("round " + " ".join(map(str, row)))
    for topic in Topic.objects.filter(study=study).prefetch_related("items"):
        lines += [f"place {topic.name} {i.place} {i.docno}" for i in topic.items.all() if i.place]
    judgments = Judgment.objects.settled().filter(question__topic__study=study)
    answers = Counter(
        judgments.values_list(
            "question__topic__name", "question__item_a__docno", "question__item_b__docno", "choice"
        )
    )
    lines += [f"answer {key} {times}" for key, times in answers.items()]
    return sha256("\n".join(sorted(lines)).encode()).hexdigest()[:16]
