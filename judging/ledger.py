"""Reading the ledger: the preferences from which tournaments and scores are made."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from judging.models import Judgment, JudgmentQuerySet
from judging.tasks import KINDS

CHUNK = 2000


class Preference(NamedTuple):
    """A preference between two items of a topic, derived from a judgment.

    lean: from -2 to 2; above 0 the first item is preferred, below 0 the second, at 2 definitely; 0 is a tie.
    """

    topic: int
    first: int
    second: int
    lean: int
    judgment: int


def derived(judgments: JudgmentQuerySet) -> Iterator[Preference]:
    """Derive the preferences of these judgments of items, in ledger order. One query, read in pieces."""
    return (preference for preference, _ in derived_with(judgments))


def derived_with(judgments: JudgmentQuerySet, *fields: str) -> Iterator[tuple[Preference, tuple[Any, ...]]]:
    """Derive preferences as `derived` does, each with these fields of its judgment.

    A judgment may give none (a grade) or several (the best of nine).
    """
    about_items = [name for name, kind in KINDS.items() if kind.about == "item"]
    rows = judgments.filter(assignment__task__kind__in=about_items).order_by("pk")
    own = ("pk", "topic_id", "value", "shown", "question__key", "assignment__task__kind")
    for pk, topic, value, shown, key, kind, *rest in rows.values_list(*own, *fields).iterator(CHUNK):
        subjects = key.split()
        for first, second, lean in KINDS[kind].leans(value, shown):
            yield Preference(topic, int(subjects[first]), int(subjects[second]), lean, pk), tuple(rest)


def settled(topic_id: int, task_id: int) -> dict[tuple[int, int], list[int]]:
    """Leans of a topic's settled preferences in one task, by pair of items, each in ledger order. One query.

    A pair is known by the smaller id first, whichever item the kind of the task names first.
    """
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    judgments = Judgment.objects.settled().filter(topic=topic_id, assignment__task=task_id)
    for preference in derived(judgments):
        first, second, lean = preference.first, preference.second, preference.lean
        pair, lean = ((first, second), lean) if first < second else ((second, first), -lean)
        found[pair].append(lean)
    return dict(found)


def counting(topic_id: int) -> list[Preference]:
    """Preferences of a topic that count now, of all tasks, in ledger order. One query."""
    return list(derived(Judgment.objects.counting().filter(topic=topic_id)))
