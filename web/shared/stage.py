"""Stage of a study: questions are being made, wait, or are all answered."""

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Exists, F, OuterRef, Q
from django.utils import timezone

from collection.models import Action, Study, Topic
from judging.models import OPEN, Assignment, Decision
from judging.questions.asking import open_questions
from tournament.models import Round, Tournament
from web.shared.phrases import count

CLOSED, PAUSED, OVER = "closed", "paused", "over"
MAKING, STALLED, WAITING, JUDGED, FURTHER, FINISHED, NOTHING = (
    "making",
    "stalled",
    "waiting",
    "judged",
    "further",
    "finished",
    "nothing",
)
# If rounds are behind the decisions after so long, no worker is running.
STALLED_AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class Stage:
    """Where a study stands now.

    name: "closed" (not open yet), "paused", "over"; of an open study "making" (nothing waits, because rounds
    are being made), "stalled" (the same, but nobody makes them), "waiting" (questions wait for an assessor),
    "judged" (the last ones are in batches), "further" (all is answered, and topics are not open yet),
    "finished" (all is decided) or "nothing" (nothing waits for another reason). questions: how many wait.
    topics: all of the study; decided: those whose tournament has ended. asked: whether any question was made
    before.
    """

    name: str
    questions: int
    topics: int
    decided: int
    asked: bool
    topic: str = "topic"  # the study's word

    @property
    def said(self) -> str:
        """What an open study waits for, in a sentence or two."""
        verb = "is" if self.topics == 1 else "are"
        decided = f"{self.decided:,} of {count(self.topics, self.topic)} {verb}"
        return {
            MAKING: f"The {'next' if self.asked else 'first'} questions are being made.",
            STALLED: f"The {'next' if self.asked else 'first'} questions are not made: no worker is running.",
            WAITING: f"{count(self.questions, 'question')} {'waits' if self.questions == 1 else 'wait'} "
            "for an assessor.",
            JUDGED: "No question waits: the last ones are in batches that are being judged now.",
            FURTHER: f"All that was asked is answered: {decided} decided.",
            FINISHED: f"All that was asked is answered: {decided} decided. "
            "Judging can be ended, and the release taken.",
            NOTHING: "No question waits for an assessor at the moment.",
        }.get(self.name, "")


def stage_of(study: Study) -> Stage:
    """The present stage of a study."""
    topics = Topic.objects.filter(study=study).aggregate(
        n=Count("pk"), shut=Count("pk", filter=Q(opened_at=None))
    )
    if study.opened_at is None:
        return Stage(CLOSED, 0, topics["n"], 0, False, study.words.topic)
    waiting = open_questions(study).count()
    begun = Exists(Round.objects.filter(tournament=OuterRef("pk")))
    rows = Tournament.objects.filter(topic__study=study).aggregate(
        behind=Count("pk", filter=~Q(seen=F("topic__settled"))),
        ended=Count("pk", filter=Q(finished=True)),
        decided=Count("pk", filter=Q(begun, finished=True)),
        asked=Count("pk", filter=begun),
        n=Count("pk"),
    )
    name = _named(study, waiting, rows, topics["shut"])
    return Stage(name, waiting, topics["n"], rows["decided"], rows["asked"] > 0, study.words.topic)


def _named(study: Study, waiting: int, rows: dict[str, int], shut: int) -> str:
    if not study.judging_is_open:
        return PAUSED if study.paused else OVER
    if waiting:
        return WAITING
    if rows["behind"]:
        return STALLED if is_stalled(study) else MAKING
    if Assignment.objects.filter(assessor__study=study, state__in=OPEN).exists():
        return JUDGED
    if rows["n"] and rows["ended"] == rows["n"]:
        return FURTHER if shut else FINISHED
    return NOTHING


def makes_first_rounds(study: Study) -> bool:
    """Tell whether the first round of some topic that is open is still being made."""
    begun = Round.objects.filter(tournament=OuterRef("pk"))
    behind = Tournament.objects.filter(topic__study=study).exclude(seen=F("topic__settled"))
    return behind.exclude(Exists(begun)).exists() and not is_stalled(study)


def is_stalled(study: Study) -> bool:
    """Tell whether overdue rounds wait in vain: nothing was decided or steered for `STALLED_AFTER`."""
    decided = Decision.objects.order_by("-pk")
    rows = (
        decided.filter(assignment__assessor__study=study),
        decided.filter(assessor__study=study),
        decided.filter(question__study=study),
        Action.objects.filter(study=study).order_by("-pk"),
    )
    moved = [at for row in rows if (at := row.values_list("created_at", flat=True).first())]
    return bool(moved) and timezone.now() - max(moved) > STALLED_AFTER
