"""Challenges: pairs with a known answer, given by the organizer or made from the grades."""

import random
from collections import defaultdict
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Exists, OuterRef

from collection.material.item_counts import Counts
from collection.models import Grade, Study
from judging.models import Judgment, Question, Task, question_key
from judging.questions import asking
from judging.secret_random import secret_random

# Challenges made from grades, per topic; enough variety, and few enough to read at a glance.
PER_TOPIC = 10
# With how many others an item of grade 0 meets. Pairs of a tournament share items too; met once only, as in
# pairs chosen at random, those of grade 0 would stand out from a batch.
MEETS = 3

# Topic, item a, item b with a < b, lean.
Row = tuple[int, int, int, int]


def count(task: Task) -> int:
    """Count a task's challenges."""
    return Question.objects.filter(task=task, expected__isnull=False).count()


def in_batch(task: Task, known: int) -> int:
    """How many challenges each batch of a task has, if the task has `known` of them."""
    return task.batch_challenges if known else 0


@transaction.atomic
def set_challenges(study: Study, challenges: Iterable[Row]) -> int:
    """Give pairs (topic, item a, item b with a < b, lean) of the study's task of pairs a known answer.

    Returns how many. A pair that is already a question keeps its judgments and can now be drawn as a
    challenge too.
    """
    task, challenges = asking.task_of_pairs(study), list(challenges)
    rows = [asking.Asked(topic, (a, b), lean) for topic, a, b, lean in sorted(challenges)]
    asking.lock(Question.objects.filter(task=task))
    items = {item for _, *pair, _ in challenges for item in pair}
    # No tournament asks about items of grade 0.
    junk = Grade.objects.filter(item__topic__study=study, value__lte=0).values_list("item_id", flat=True)
    asking.store(task, rows, "expected", together=items.intersection(junk))
    return len(rows)


def standing(study: Study, challenges: Iterable[Row]) -> dict[Row, str]:
    """The challenges whose answer is fixed because judging is open, with the reason; locks their topics'
    questions.

    Otherwise an organizer could turn a contested pair into a challenge and exclude everybody who disagrees.
    """
    asked = {question_key((a, b)): (topic, a, b, lean) for topic, a, b, lean in challenges}
    topics = {topic for topic, *_ in asked.values()}
    questions = Question.objects.filter(task=asking.task_of_pairs(study), topic__in=topics)
    asking.lock(questions)
    stored = questions.annotate(judged=Exists(Judgment.objects.filter(question=OuterRef("pk"))))
    found = {}
    rows = stored.values_list("key", "expected", "wanted", "taken", "judged")
    for key, expected, wanted, taken, judged in rows.iterator(2000):
        row = asked.get(key)
        if row is None or expected == row[3]:
            continue
        if expected is not None:
            found[row] = "judging is open, and this challenge has another answer already"
        elif judged or wanted or taken:
            found[row] = "judging is open, and this pair is being asked or was judged: it has no known answer"
    return found


def from_grades(study: Study) -> int:
    """Make challenges for every topic: an item of its top grade against one graded 0 or below.

    Topics added later get theirs when they are opened. A study with the organizer's own challenges gets none.
    Returns how many were made. Cost grows with the number of grades.
    """
    return set_challenges(study, to_make(study))


def to_make(study: Study) -> list[Row]:
    """The challenges that `from_grades` would make now: for topics without any, unless the organizer gave
    some.
    """
    stored = Question.objects.filter(task=asking.task_of_pairs(study), expected__isnull=False)
    if not study.topics.exclude(pk__in=stored.values("topic")).exists():
        # Pages of an open study ask again and again; so grades are read only for topics that may need some.
        return []
    made = of_grades(study)
    there = {(topic, key) for topic, key in stored.values_list("topic_id", "key")}
    if not there <= {(topic, question_key((a, b))) for topic, a, b, _ in made}:
        return []
    topics = {topic for topic, _ in there}
    return [row for row in made if row[0] not in topics]


def of_grades(study: Study) -> list[Row]:
    """The challenges that `from_grades` makes."""
    best, junk = clear(study)
    made: list[Row] = []
    for topic in sorted(best.keys() & junk.keys()):
        chooser = secret_random(study.seed, "challenges", topic)
        for good, bad in _pairs(best[topic], junk[topic], chooser):
            made.append((topic, min(good, bad), max(good, bad), 1 if good < bad else -1))
    return made


def clear(study: Study) -> tuple[dict[int, list[int]], dict[int, list[int]]]:
    """Items from which challenges are made, by topic: those of its top grade, and those of 0 or below.

    Items without text or image are used only if the study has no content at all.
    """
    best: dict[int, tuple[float, list[int]]] = {}
    junk: dict[int, list[int]] = {}
    grades = Grade.objects.filter(item__topic__study=study)
    with_content = grades.exclude(item__text="", item__image="")
    rows = (with_content if with_content.exists() else grades).order_by("item_id")
    for item, topic, value in rows.values_list("item_id", "item__topic_id", "value"):
        if value <= 0:
            junk.setdefault(topic, []).append(item)
        elif topic not in best or value > best[topic][0]:
            best[topic] = (value, [item])
        elif value == best[topic][0]:
            best[topic][1].append(item)
    return {topic: items for topic, (_, items) in best.items()}, junk


def _pairs(best: list[int], junk: list[int], chooser: random.Random) -> list[tuple[int, int]]:
    """Choose pairs of a good and a bad item.

    Each bad item is paired with MEETS good ones before the next bad item is used, and with more only when no
    bad item is left.
    """
    met = {bad: chooser.sample(best, len(best)) for bad in chooser.sample(junk, len(junk))}
    pairs = [
        (good, bad)
        for turn in range(0, len(best), MEETS)
        for bad, goods in met.items()
        for good in goods[turn : turn + MEETS]
    ]
    return pairs[: _number(len(best), len(junk))]


def possible(topics: Iterable[Counts]) -> int:
    """Count the challenges that `from_grades` would make of topics with these items."""
    return sum(_number(best, junk) for best, junk in clear_counts(topics))


def clear_counts(topics: Iterable[Counts]) -> list[tuple[int, int]]:
    """How many items of the top grade, and of 0 or below, `clear` would find in each topic."""
    graded = [{key: n for key, n in counts.items() if key[0] is not None} for counts in topics]
    if any(not bare for counts in graded for _, bare in counts):
        graded = [{key: n for key, n in counts.items() if not key[1]} for counts in graded]
    found = []
    for counts in graded:
        levels: dict[float, int] = defaultdict(int)
        for (grade, _), n in counts.items():
            levels[float(grade or 0)] += n
        top = max(levels, default=0)
        found.append((levels[top] if top > 0 else 0, sum(n for grade, n in levels.items() if grade <= 0)))
    return found


def _number(best: int, junk: int) -> int:
    """Number of a topic's challenges, from its numbers of top items and of items of 0 or below."""
    return min(PER_TOPIC, best * junk)
