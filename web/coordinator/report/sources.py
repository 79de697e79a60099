"""Where the judgments of a report come from: people who were asked here, and files."""

from dataclasses import dataclass
from typing import NamedTuple

from django.core.cache import cache
from django.db.models import Count, Exists, OuterRef

from collection.changes import verdicts_version
from collection.models import Study
from judging.models import COUNTING, FROM_FILES, Assessor, Assignment, Judgment, Task
from judging.questions import challenges
from scoring.board import standings
from scoring.compute.trust_figures import Trust
from web.release.readme import answer_days
from web.shared.latest_trust import named_people

KEPT_SECONDS = 3600


@dataclass(frozen=True)
class Sources:
    """Sources of the judgments that count.

    asked: whether people gave some here; loaded: whether some are from files. people: who gave them, without
    files that name nobody. challenges: in a batch. first, last: days of the first and the last answer; ""
    without any. panels: those of everyone. kept, discarded: batches. excluded: people.
    """

    asked: bool
    loaded: bool
    people: int
    challenges: int
    first: str
    last: str
    panels: list[str]
    kept: int
    discarded: int
    excluded: int


class _Answers(NamedTuple):
    """Panels that answered, the days of the first and the last answer, and batches by state."""

    panels: set[str]
    first: str
    last: str
    states: dict[str, int]


def sources_of(study: Study, task: Task, trust: Trust | None) -> Sources:
    """Return where the judgments of a study come from. Cost grows with its people."""
    found = _answers(study)
    people = Assessor.objects.filter(study=study).order_by()
    return Sources(
        asked=bool(found.panels - {FROM_FILES}),
        loaded=FROM_FILES in found.panels,
        people=len(named_people(trust)) if trust else 0,
        challenges=challenges.in_batch(task, challenges.count(task)),
        first=found.first,
        last=found.last,
        panels=sorted(people.values_list("panel", flat=True).distinct()),
        kept=found.states.get(Assignment.State.KEPT, 0),
        discarded=found.states.get(Assignment.State.DISCARDED, 0),
        excluded=people.filter(excluded_at__isnull=False).count(),
    )


def _answers(study: Study) -> _Answers:
    """Read the whole ledger; cached while no score and no verdict changes."""
    key = f"report-answers:{study.pk}:{standings.version(study)}:{verdicts_version(study)}"
    found: _Answers | None = cache.get(key)
    if found is None:
        given = Exists(Judgment.objects.filter(assignment=OuterRef("pk")))
        own = Assignment.objects.filter(task__study=study).order_by()
        answered = own.filter(given, state__in=COUNTING)
        first, last = answer_days(Judgment.objects.filter(topic__study=study))
        found = _Answers(
            panels=set(answered.values_list("assessor__panel", flat=True).distinct()),
            first=first,
            last=last,
            states=dict(own.values_list("state").annotate(n=Count("pk"))),
        )
        cache.set(key, found, KEPT_SECONDS)
    return found
