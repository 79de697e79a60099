"""Cached statistics of assessors; a sweep updates those whose answers changed.

Computing them for each sorted list would take seconds with hundreds of thousands of answers.
"""

from collections.abc import Sequence

from django.db.models import Max
from django.utils import timezone

from judging.models import Decision, Judgment, PersonFigures, Task
from judging.people import roster
from judging.questions import expected_time

# People who are computed at once.
CHUNK = 200


def refresh() -> int:
    """Recompute the figures of people with newer answers or decisions; return how many.

    A call that was cut short is completed by the next one.
    """
    newest = (_last(Judgment), _last(Decision))
    seen = PersonFigures.objects.aggregate(j=Max("judgments_upto"), d=Max("decisions_upto"))
    judgments, decisions = seen["j"] or 0, seen["d"] or 0
    if newest == (judgments, decisions):
        return 0
    changed = set(
        Judgment.objects.filter(pk__gt=judgments).values_list("assignment__assessor", flat=True).distinct()
    )
    tasks = Judgment.objects.filter(pk__gt=judgments).values("question__task").distinct()
    for task in Task.objects.filter(pk__in=tasks).select_related("study"):
        expected_time.measure(task)
    said = Decision.objects.filter(pk__gt=decisions)
    for path in ("assignment__assessor", "assessor", "question__batches__assessor"):
        changed |= set(said.filter(**{f"{path}__isnull": False}).values_list(path, flat=True).distinct())
    people = sorted(changed)
    # The marks move with the last people alone: what is cut short is looked for again.
    for start in range(0, len(people), CHUNK):
        last = start + CHUNK >= len(people)
        _store(people[start : start + CHUNK], *(newest if last else (judgments, decisions)))
    return len(people)


def _last(model: type[Judgment] | type[Decision]) -> int:
    return model._default_manager.aggregate(last=Max("pk"))["last"] or 0


def _store(people: Sequence[int], judgments: int, decisions: int) -> None:
    found = roster.facts("challenges", people)
    rows = [
        PersonFigures(
            assessor_id=pk,
            challenges=found[pk][2] if pk in found else None,
            judgments_upto=judgments,
            decisions_upto=decisions,
            made_at=timezone.now(),
        )
        for pk in people
    ]
    fields = [field.name for field in PersonFigures._meta.concrete_fields if not field.primary_key]
    PersonFigures.objects.bulk_create(
        rows, update_conflicts=True, unique_fields=["assessor"], update_fields=fields
    )
