"""Reading the ledger: the preferences from which tournaments and scores are made."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, NamedTuple

from django.db.models import Count

from config.sql import execute, ids
from judging.models import COUNTING, UNDECIDED, Assignment, Judgment, JudgmentQuerySet
from judging.tasks import KINDS, Lean

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
    """Derive the preferences of these judgments of items, in ledger order."""
    return (preference for preference, _ in derived_with(judgments))


def derived_with(judgments: JudgmentQuerySet, *fields: str) -> Iterator[tuple[Preference, tuple[Any, ...]]]:
    """Derive preferences as `derived` does, each with these fields of its judgment.

    A judgment may give none (a grade) or several (the best of nine).
    """
    about_items = [name for name, kind in KINDS.items() if kind.about == "item"]
    rows = judgments.filter(assignment__task__kind__in=about_items).order_by("pk")
    own = ("pk", "topic_id", "value", "shown", "question__key", "assignment__task__kind")
    for pk, topic, value, shown, key, kind, *rest in rows.values_list(*own, *fields).iterator(CHUNK):
        subjects = list(map(int, key.split()))
        for first, second, lean in KINDS[kind].leans(value, shown):
            yield Preference(topic, subjects[first], subjects[second], lean, pk), tuple(rest)


@dataclass(frozen=True)
class TopicAnswers:
    """What was answered on a topic, corrected and withdrawn answers and challenges left out.

    counting: preferences of batches kept or still being judged, in ledger order; of these, `settled` are in
    batches that were kept, by the task in which they were given. provisional: rows of batches that wait for
    their verdict, all of them (as `JudgmentQuerySet.provisional` counts them).
    """

    counting: list[Preference]
    settled: dict[int, list[Preference]]
    provisional: int

    def scored(self, *, kept_only: bool) -> list[Preference]:
        """The preferences that scores are made from, in ledger order: all that count, or kept ones alone."""
        if not kept_only:
            return self.counting
        kept = [preference for of_task in self.settled.values() for preference in of_task]
        return sorted(kept, key=attrgetter("judgment"))


ANSWERS = """
SELECT judgment.id, assignment_id, question_id, revision, value, shown, question.key
FROM judging_judgment judgment
JOIN judging_question question
    ON question.id = judgment.question_id AND question.topic_id = judgment.topic_id
WHERE judgment.topic_id = %s AND judgment.role = 'counts'
"""
BATCHES = """
SELECT assignment.id, assignment.state, assignment.task_id, task.kind
FROM judging_assignment assignment
JOIN judging_assessor assessor ON assessor.id = assignment.assessor_id
JOIN judging_task task ON task.id = assignment.task_id
WHERE assignment.id {among} AND assessor.excluded_at IS NULL
"""


def given(topic_id: int) -> TopicAnswers:
    """Read one topic's answers.

    In one with all joins, PostgreSQL would at times read the ledger of every topic; and the questions of
    every topic, were it not told that they are of the same one. The plain forms are
    `JudgmentQuerySet.counting`, `settled` and `provisional`.
    """
    # Of several revisions the highest is the answer, wherever its row stands.
    latest: dict[tuple[int, int], tuple[int, int]] = {}
    # Sorted here, and read without a cursor: else PostgreSQL may walk through the whole ledger in its order.
    found = sorted(execute(ANSWERS, [topic_id]), key=itemgetter(0))
    for pk, assignment, question, revision, *_ in found:
        place = (assignment, question)
        latest[place] = max(latest.get(place, (-1, 0)), (revision, pk))
    current = {pk for _, pk in latest.values()}
    batches = execute(BATCHES, [ids({row[1] for row in found})]) if found else []
    counts = {pk: (state, task, kind) for pk, state, task, kind in batches if state in COUNTING}
    result = TopicAnswers([], defaultdict(list), 0)
    provisional = 0
    # Most answers of a topic say the same as another one, of other items.
    leans: dict[tuple[str, str, str], list[Lean]] = {}
    subjects: dict[str, list[int]] = {}
    for pk, assignment, _, _, value, shown, key in found:
        if assignment not in counts:
            continue
        state, task, kind = counts[assignment]
        provisional += state in UNDECIDED
        # Without a value it withdraws the answer before it.
        if pk not in current or value is None or KINDS[kind].about != "item":
            continue
        if key not in subjects:
            subjects[key] = list(map(int, key.split()))
        if (kind, value, shown) not in leans:
            leans[kind, value, shown] = list(KINDS[kind].leans(json.loads(value), shown))
        own = subjects[key]
        preferences = [
            Preference(topic_id, own[first], own[second], lean, pk)
            for first, second, lean in leans[kind, value, shown]
        ]
        result.counting.extend(preferences)
        if state == Assignment.State.KEPT:
            result.settled[task].extend(preferences)
    return replace(result, provisional=provisional)


def settled(topic_id: int, task_id: int) -> dict[tuple[int, int], list[int]]:
    """Leans of a topic's settled preferences in one task, by pair of items, each in ledger order.

    A pair is known by the smaller id first, whichever item the kind of the task names first.
    """
    return by_pair(given(topic_id).settled.get(task_id, ()))


def settled_picks(topic_id: int, task_id: int) -> dict[tuple[int, ...], list[list[tuple[int, int]]]]:
    """A topic's settled picks in one task, by grid of items (ids ascending), each in ledger order as the
    preferences that it implies: (better, worse).
    """
    return _by_grid(given(topic_id).settled.get(task_id, ()))


def _by_grid(preferences: Iterable[Preference]) -> dict[tuple[int, ...], list[list[tuple[int, int]]]]:
    # Those of one pick stand together, and name every item of its grid.
    found: dict[tuple[int, ...], list[list[tuple[int, int]]]] = defaultdict(list)
    for _, own in groupby(preferences, key=attrgetter("judgment")):
        pick = [(one.first, one.second) if one.lean > 0 else (one.second, one.first) for one in own]
        found[tuple(sorted({item for pair in pick for item in pair}))].append(pick)
    return dict(found)


def settled_by_topic(judgments: JudgmentQuerySet) -> dict[int, dict[tuple[int, int], list[int]]]:
    """What `settled` gives, for every topic that these settled judgments of one task are about."""
    found: dict[int, list[Preference]] = defaultdict(list)
    for preference in derived(judgments):
        found[preference.topic].append(preference)
    return {topic: by_pair(preferences) for topic, preferences in found.items()}


def by_pair(preferences: Iterable[Preference]) -> dict[tuple[int, int], list[int]]:
    """Leans of these preferences by pair of items, the smaller id first, each in the given order."""
    found: dict[tuple[int, int], list[int]] = defaultdict(list)
    for preference in preferences:
        first, second, lean = preference.first, preference.second, preference.lean
        pair, lean = ((first, second), lean) if first < second else ((second, first), -lean)
        found[pair].append(lean)
    return dict(found)


def counting(topic_id: int) -> list[Preference]:
    """Preferences of a topic that count now, of all tasks, in ledger order."""
    return given(topic_id).counting


def judgments_of_topics(topics: Collection[int]) -> dict[int, int]:
    """Number of judgments that count of each of these topics, by id; topics without any are left out."""
    rows = Judgment.objects.counting_first().filter(topic__in=topics).order_by()
    return dict(rows.values_list("topic_id").annotate(n=Count("pk")))


def judgments_of_items(topic_id: int) -> dict[int, int]:
    """Number of judgments that count about each item of a topic, by id; items without any are left out."""
    rows = Judgment.objects.counting().filter(topic=topic_id, question__subjects__item__isnull=False)
    return dict(rows.order_by().values_list("question__subjects__item").annotate(n=Count("pk")))
