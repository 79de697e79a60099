"""Reading what answers to pairs say of aspects, claims and reasons, in terms of the two items."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from judging import ledger
from judging.models import JudgmentQuerySet, Task
from judging.tasks.aspects import Claims, claims_in, rules_of
from judging.tasks.pair import Pair, lean_of


class AspectAnswer(NamedTuple):
    """What an answer says besides which item is better; preference: its answer itself.

    aspects: above 0 the first item of the preference is better in it, below 0 the second; 0 is neither.
    claims: of the first item and of the second, for each in turn 1 for supported, -1 for not, 0 for cannot
    tell, None for skipped; empty where none was answered.
    """

    preference: ledger.Preference
    aspects: dict[str, int]
    reasons: tuple[str, ...]
    claims: Claims


def aspect_answers(
    judgments: JudgmentQuerySet, *fields: str
) -> Iterator[tuple[AspectAnswer, tuple[Any, ...]]]:
    """Read these judgments of pairs in ledger order, each with these fields; most say nothing but the answer.

    A pair has one preference, so that each judgment is told once.
    """
    pairs = judgments.filter(assignment__task__kind=Pair.name)
    for preference, (shown, details, *rest) in ledger.derived_with(pairs, "shown", "details", *fields):
        told = details or {}
        # Sorted, since PostgreSQL keeps no order of keys.
        aspects = {name: lean_of(value, shown) for name, value in sorted(told.get("aspects", {}).items())}
        claims = claims_in(told)[:: -1 if shown == "10" else 1]
        yield AspectAnswer(preference, aspects, tuple(told.get("reasons", ())), claims), tuple(rest)


def asks_aspects(study_id: int) -> bool:
    """Whether a study asks aspects, claims, reasons or a sentence with its pairs. One query."""
    tasks = Task.objects.filter(study=study_id, kind=Pair.name)
    return any(any(rules_of(task.settings_of_kind)) for task in tasks)
