"""Remaining work of tournaments: judgments of each topic to its end, at least, expected and at most."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil

from django.db.models import F, Sum

from collection.models import Study
from judging.questions.asking import FEEDING, open_questions
from prefir.rules import Forecast, Strategy
from tournament.models import Round, Tournament
from tournament.plans import plan_of


@dataclass(frozen=True)
class RemainingWork:
    """Judgments that a topic's tournament still needs. `about` takes half of a pool to stay in each round, as
    the forecast of its strategy does; `most` holds while every pair is decided.
    """

    topic: int
    name: str
    least: int
    about: int
    most: int


def left(study: Study) -> list[RemainingWork]:
    """Remaining work of each open topic, most first."""
    plan = plan_of(study)
    open_rounds = {
        tournament: (len(pool), answered)
        for tournament, pool, answered in Round.objects.filter(
            tournament__topic__study=study, complete=False
        ).values_list("tournament_id", "pool", "answered")
    }
    rows = Tournament.objects.filter(topic__study=study, finished=False)
    played = rows.annotate(played=Sum("rounds__answered"))
    found = [
        RemainingWork(
            topic, name, *_left(plan.rules, plan.settings, len(pool), open_rounds.get(pk), done or 0)
        )
        for pk, topic, name, pool, done in played.values_list(
            "pk", "topic_id", "topic__name", "pool", "played"
        )
    ]
    return sorted(found, key=lambda one: (-one.about, one.name))


def total(topics: Iterable[RemainingWork]) -> Forecast:
    """Sum of the topics' remaining work."""
    rows = list(topics)
    return Forecast(*(sum(getattr(one, part) for one in rows) for part in ("least", "about", "most")))


def open_batches(study: Study) -> int:
    """Expected batches of open topics to the end of their tournaments, plus those of tasks without a
    tournament.
    """
    return batches_of(study, total(left(study)).about) + other_batches(study)


def other_batches(study: Study) -> int:
    """Batches that the open questions of tasks without a tournament still take."""
    waiting = open_questions(study).exclude(task__kind__in=FEEDING).order_by()
    rows = waiting.values_list("task__batch_size").annotate(answers=Sum(F("wanted") - F("taken")))
    return sum(ceil(answers / size) for size, answers in rows)


def batches_of(study: Study, judgments: int) -> int:
    """Number of batches that hold so many judgments of a study's tournaments."""
    return ceil(judgments / plan_of(study).task.batch_size)


def _left(
    rules: Strategy, settings: dict[str, int], size: int, open_round: tuple[int, int] | None, played: int
) -> Iterator[int]:
    per_pair = rules.complete(settings)["judgments_per_pair"]
    here, answered = open_round or (size, 0)
    if rules.eliminates:
        whole, done = rules.forecast([here], settings), answered * per_pair
    else:
        whole, done = rules.forecast([size], settings), played * per_pair
    round_size = here if open_round else None
    most = max(
        0, rules.most_left(size, round_size=round_size, answered=answered, played=played, settings=settings)
    )
    least = min(most, max(1 if open_round else 0, whole.least - done))
    yield least
    yield min(most, max(least, whole.about - done))
    yield most
