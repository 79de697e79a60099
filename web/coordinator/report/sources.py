"""Where the judgments of a report come from: people who were asked here, and files."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from collection.models import Study
from judging.models import COUNTING, FROM_FILES, Assignment, Judgment, Task
from judging.questions import challenges
from scoring.compute.trust_figures import Trust
from web.shared.latest_trust import named_people


@dataclass(frozen=True)
class Sources:
    """Sources of the judgments that count.

    asked: whether people gave some here; loaded: whether some are from files. people: who gave them, without
    files that name nobody. challenges: in a batch.
    """

    asked: bool
    loaded: bool
    people: int
    challenges: int


def sources_of(study: Study, task: Task, trust: Trust | None) -> Sources:
    """Return where the judgments of a study come from. Two queries."""
    given = Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
    answered = Assignment.objects.filter(given, task__study=study, state__in=COUNTING)
    panels = set(answered.order_by().values_list("assessor__panel", flat=True).distinct())
    return Sources(
        asked=bool(panels - {FROM_FILES}),
        loaded=FROM_FILES in panels,
        people=len(named_people(trust)) if trust else 0,
        challenges=challenges.in_batch(task, challenges.count(task)),
    )
