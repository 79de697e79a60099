"""Drives a replay: simulated assessors judge batch after batch until every tournament has ended."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.db.models import F

from collection.models import Study
from judging.batches import answering
from judging.models import Assessor, Assignment, Question, QuestionRole
from judging.tasks.pair import Pair
from panels import local
from simulation.replay.desk import PATIENCE, AssessorDesk, ServiceDesk, Stuck
from simulation.replay.oracle import Oracle
from tournament.models import Tournament

BATCHES_EACH = 5  # that one simulated assessor judges at most


@dataclass
class ReplayOutcome:
    """Counts of what a replay did: judgments (without challenges), batches, and how many of these failed."""

    judgments: int = 0
    batches: int = 0
    failed: int = 0


def replay(
    study: Study,
    oracle: Oracle,
    *,
    desk: AssessorDesk | None = None,
    failing: float = 0.0,
    max_batches: int | None = None,
    lane: tuple[int, int] = (1, 1),
    patience: float = PATIENCE,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ReplayOutcome:
    """Have simulated assessors judge until every tournament of the study has ended.

    failing: share of the assessors who get the challenges of one of their batches wrong.
    max_batches: stop after this many batches.
    lane: (i, n) for the i-th of n replays that run at once; it uses every n-th assessor.
    progress: called with the number of finished topics and of all topics.
    Raises Stuck when nothing has changed for `patience` seconds, as when no worker advances the rounds; and
    at once for a study that asks anything but pairs, since simulated assessors answer nothing else.
    """
    if other := study.tasks.exclude(kind=Pair.name).values_list("kind", flat=True).first():
        raise Stuck(f"Simulated assessors answer pairs only, and this study has a task of the kind {other}.")
    desk = desk or ServiceDesk()
    outcome = ReplayOutcome()
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
        except (answering.Excluded, answering.Over):
            continue
        except answering.NothingLeft:
            study.refresh_from_db(fields=["opened_at", "closed_at"])
            if not study.judging_is_open:
                raise Stuck("Judging is not open, and tournaments have not ended.") from None
            if time.monotonic() - waiting_since > patience:
                raise Stuck(
                    "There is nothing to judge, but tournaments have not ended: either no worker advances "
                    "them, or other people's open batches hold the last questions until their time is over."
                ) from None
            if _open_for_others(study):
                number += step  # this assessor has seen all that is open
            else:
                time.sleep(0.05)  # workers are advancing the rounds, or other lanes hold the questions
            continue
        waiting_since = time.monotonic()
    return outcome


def _judge(
    desk: AssessorDesk, oracle: Oracle, assignment: Assignment, *, fails: bool, outcome: ReplayOutcome
) -> None:
    batch = assignment.batch.select_related("question__topic")
    for place in batch.prefetch_related("question__subjects__item"):
        if place.role == QuestionRole.CHALLENGE:
            right = int(place.question.expected or 0)
            lean = -right if fails else right
        else:
            lean = oracle.answer(place.question)
        desk.answer(assignment, place, lean)
        outcome.judgments += place.role == QuestionRole.COUNTS
    desk.submit(assignment)
    outcome.batches += 1
    outcome.failed += fails


def _assessor(study: Study, number: int) -> Assessor:
    label = f"simulated assessor {number}"
    found = Assessor.objects.filter(study=study, panel=local.PANEL, label=label).first()
    return found or local.invite(study, [label])[0]


def _fails_in(study: Study, number: int, failing: float) -> int | None:
    """Choose which of an assessor's batches, from 0, fails; a late one takes back the batches kept before."""
    chooser = random.Random(f"{study.seed}:fails:{number}")
    return chooser.randrange(BATCHES_EACH) if chooser.random() < failing else None


def _finished(study: Study) -> tuple[int, int]:
    tournaments = Tournament.objects.filter(topic__study=study)
    return tournaments.count(), tournaments.filter(finished=True, seen=F("topic__settled")).count()


def _open_for_others(study: Study) -> bool:
    return Question.objects.filter(topic__study=study, taken__lt=F("wanted")).exists()
