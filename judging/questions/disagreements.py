"""Pairs that people see differently, and having each judged once more by somebody who has not seen it.

No answer is changed or dropped. Rounds of tournaments that are decided stay as they are, since they take the
answers that they asked for in the order of the ledger; graphs and scores are made of all answers.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import NamedTuple

from django.db import transaction
from django.db.models import F

from collection import audit_log
from collection.models import Study, Topic
from judging import ledger
from judging.models import Judgment, Question
from judging.questions import asking
from judging.tasks.pair import Pair

# Rows that are changed in one statement.
CHUNK = 500


class Disagreement(NamedTuple):
    """A pair with answers that count for either item. first, second: ids of the items."""

    question: int
    topic: int
    first: int
    second: int
    for_first: int
    for_second: int
    ties: int


def disagreements(study: Study) -> list[Disagreement]:
    """The pairs of a study that people see differently, the most even first, then in the order of loading.

    Two queries; time and memory grow with the judgments of pairs.
    """
    said: dict[tuple[int, int, int, int], Counter[int]] = defaultdict(Counter)
    rows = Judgment.objects.counting().filter(topic__study=study, question__task__kind=Pair.name)
    for one, (question,) in ledger.derived_with(rows, "question"):
        said[question, one.topic, one.first, one.second][(one.lean > 0) - (one.lean < 0)] += 1
    found = [
        Disagreement(*pair, counts[1], counts[-1], counts[0])
        for pair, counts in said.items()
        if counts[1] and counts[-1]
    ]
    return sorted(found, key=lambda one: (abs(one.for_first - one.for_second), one.topic, one.question))


@transaction.atomic
def ask_once_more(study_id: int, questions: Collection[int], about: str) -> int:
    """Want one more answer to each of these pairs, and return to how many.

    about: what the pairs are, for the trail. Those that wait for an answer already, or are set aside, are
    left as they are, so that a repeat asks nothing twice.
    """
    own = Question.objects.filter(study=study_id, pk__in=questions, set_aside_at=None, expected__isnull=True)
    changed = [one for one in asking.lock(own) if one.taken >= one.wanted]
    by_topic: Counter[int] = Counter()
    for one in changed:
        by_topic[one.topic_id] += one.taken + 1 - one.wanted
        one.wanted = one.least_wanted = one.taken + 1
    Question.objects.bulk_update(changed, ["wanted", "least_wanted"], batch_size=CHUNK)
    for topic, more in sorted(by_topic.items()):
        Topic.objects.filter(pk=topic).update(asked=F("asked") + more)
    if changed:
        audit_log.note(study_id, audit_log.What.ASKED_AGAIN, about=about, after={"pairs": len(changed)})
    return len(changed)
