"""Alerts for members of a study: judging stalls, or a challenge fails often."""

from datetime import datetime, timedelta
from typing import NamedTuple

from django.db.models import Max
from django.utils import timezone

from collection.models import Study, Topic
from judging.models import OPEN, Assignment, Judgment, Question, QuestionRole
from judging.questions import asking
from judging.verdicts.challenge_failures import MOST_BATCHES, Rate, answered


class Stall(NamedTuple):
    """Stalled judging: since when nobody has judged, and how many questions wait."""

    since: datetime
    questions: int


class FailingChallenge(NamedTuple):
    """A challenge that fails often: its question, its topic's name, its failure rate."""

    question: int
    topic: str
    rate: Rate


def last_sign(study: Study) -> datetime | None:
    """When somebody last began, answered or submitted a batch, or judging was opened."""
    own = Assignment.objects.filter(assessor__study=study).exclude(state=Assignment.State.LOADING)
    told = own.aggregate(begun=Max("opened_at"), sent=Max("submitted_at"))
    given = Judgment.objects.filter(assignment__in=own.filter(state__in=OPEN))
    answers = given.aggregate(last=Max("created_at"))
    return max(filter(None, (study.opened_at, *told.values(), *answers.values())), default=None)


def stall(study: Study, hours: float) -> Stall | None:
    """Tell whether judging is stalled: it is open and questions wait, but nobody has judged for `hours`."""
    if not study.judging_is_open:
        return None
    since = last_sign(study)
    if since is None or since > timezone.now() - timedelta(hours=hours):
        return None
    waiting = asking.open_questions(study).count()
    return Stall(since, waiting) if waiting else None


def failing_challenges(study: Study) -> list[FailingChallenge]:
    """Challenges of the latest discarded batches that fail often, also those set aside."""
    discarded = Assignment.objects.filter(assessor__study=study, state=Assignment.State.DISCARDED)
    batches = list(discarded.order_by("-pk").values_list("pk", flat=True)[:MOST_BATCHES])
    given = Judgment.objects.filter(assignment__in=batches, role=QuestionRole.CHALLENGE)
    met = set(given.values_list("question_id", flat=True))
    found = {pk: rate for pk, rate in answered(met).items() if rate.is_high}
    topics = dict(Question.objects.filter(pk__in=found).values_list("pk", "topic"))
    names = dict(Topic.objects.filter(pk__in=topics.values()).values_list("pk", "name"))
    return [FailingChallenge(pk, names[topics[pk]], found[pk]) for pk in sorted(found)]
