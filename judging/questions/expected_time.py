"""Expected time of questions and batches; every promised, limited or forecast time comes from here.

A question takes as long as its texts take to read at 250 words a minute, and at least a floor: the time that
short questions of the task have taken so far, or a usual time while too few are answered. A forecast of work
takes the average of the task's latest answers instead, once there are enough.
"""

from collections.abc import Collection, Iterable, Sequence
from math import ceil
from statistics import fmean, median
from typing import NamedTuple

from django.db.models import Avg, Case, F, IntegerField, Q, Sum, Value, When

from collection.models import Item, Placement, Study
from config.sql import execute, ids
from judging.models import COUNTING, Judgment, Question, QuestionRole, Subject, Task
from judging.questions.reading_time import WORDS_A_MINUTE
from judging.tasks.aspects import names_in, rules_of

# Seconds for a question with little to read: to look at it, decide and press.
USUAL = {
    Study.Kind.TEXT: 30.0,
    Study.Kind.IMAGE: 15.0,
    Study.Kind.SOUND: 20.0,
    Study.Kind.FILM: 20.0,
}
# Seconds of what is asked besides, until answers of the task have been measured: an aspect, the sentences
# that cite, reasons and a sentence.
AN_ASPECT, CLAIMS, WHY = 3.0, 20.0, 5.0
# How many times as long for two result pages.
PAGES_TIMES = 2
SECONDS_A_PICTURE = 3.0
# A slow reader's speed, which limits allow for.
SLOW_WORDS_A_MINUTE = 200
# From so many seconds on a page says beforehand that a question is long.
LONG = 180
# So many of a task's latest answers are looked at, and at least so many of them decide.
LATEST, ENOUGH = 200, 50
# No measured floor is outside these seconds.
LEAST, MOST = 5.0, 240.0
# Topics from which the mean of a study is taken, and items of a grid before any is asked.
TOPICS, GRID = 100, 6
# Minutes to which silence is rounded up, so that open batches differ in few values.
STEP = 5
# No task waits for less.
LEAST_IDLE = 2
# No assessor's id.
NOBODY = -1

# The items of questions. Such a query runs with every batch and with every page that offers one.
ITEMS = """
SELECT subject.question_id, item.image, item.words, item.seconds
FROM judging_subject subject JOIN collection_item item ON item.id = subject.item_id
WHERE subject.question_id {which}
"""
ITEMS_OF = ITEMS.replace("{which}", "{among}")
WAITING = """IN (
    SELECT id FROM judging_question
    WHERE task_id = %s AND taken < wanted AND set_aside_at IS NULL AND NOT again
    AND id NOT IN (SELECT question_id FROM judging_batchquestion WHERE assessor_id = %s)
    ORDER BY id LIMIT %s)"""
ITEMS_WAITING = ITEMS.replace("{which}", WAITING)


class Shown(NamedTuple):
    """What a question shows: how many words of text, how many pictures, and seconds of recordings."""

    words: int
    pictures: int
    played: float = 0.0

    @property
    def seconds(self) -> float:
        """Seconds to read, look at and listen to all of it."""
        return self.words / WORDS_A_MINUTE * 60 + self.pictures * SECONDS_A_PICTURE + self.played


class Expected(NamedTuple):
    """Expected seconds of a batch, and of its longest question."""

    seconds: float
    longest: float

    @property
    def minutes(self) -> int:
        return minutes(self.seconds)

    @property
    def patience(self) -> int:
        """Minutes without an answer before the batch is idle: twice its longest question; 0 if every task
        waits longer.
        """
        twice = 2 * self.longest / 60
        return ceil(twice / STEP) * STEP if twice > LEAST_IDLE else 0

    def limit(self, task: Task) -> int:
        """Minutes that a batch stays open: its task's, or more if a slow reader needs more."""
        return max(task.minutes, ceil(self.seconds * WORDS_A_MINUTE / SLOW_WORDS_A_MINUTE / 60))


def minutes(seconds: float) -> int:
    """Whole minutes, rounded up."""
    return ceil(round(seconds, 3) / 60)


def floor(task: Task, kind: str) -> float:
    """Seconds that a short question takes. kind: of the study."""
    if task.measured_seconds is not None:
        return task.measured_seconds
    return USUAL[Study.Kind(kind)] * (PAGES_TIMES if task.way.about == "run" else 1) + besides(task)


def besides(task: Task) -> float:
    """Seconds for what a question asks besides its answer, where none are measured."""
    rules = rules_of(task.settings_of_kind)
    seconds = AN_ASPECT * len(names_in(rules.aspects)) + CLAIMS * bool(rules.claims)
    return seconds + WHY * bool(rules.reasons or rules.remark)


def question_seconds(task: Task, kind: str, shown: Shown) -> int:
    """Seconds that a question of a task takes: whole ones, since pages and scripts add them up. kind: of the
    study.
    """
    return ceil(round(max(floor(task, kind), shown.seconds + besides(task)), 3))


def batch_of(seconds: Collection[float]) -> Expected:
    """Sum up the questions of a batch."""
    return Expected(sum(seconds), max(seconds, default=0.0))


def of_questions(task: Task, kind: str, questions: Collection[int]) -> dict[int, int]:
    """Expected seconds of each of these questions, by id; for a repeat, pass the question that it repeats."""
    shown = shown_by(task, kind, questions)
    return {pk: question_seconds(task, kind, shown.get(pk, Shown(0, 0))) for pk in questions}


def of_batch(task: Task, kind: str, questions: Sequence[int]) -> Expected:
    """Expected time of a batch of these questions, which may occur twice."""
    seconds = of_questions(task, kind, set(questions))
    return batch_of([seconds[pk] for pk in questions])


def shown_by(task: Task, kind: str, questions: Collection[int]) -> dict[int, Shown]:
    """What each of these questions shows, by id. kind: of the study. One query."""
    if task.way.about != "run":
        return _summed(kind, execute(ITEMS_OF, [ids(questions)]))
    page = task.settings_of_kind.shown("run__placements__")
    rows = Subject.objects.filter(
        page, question__in=list(questions), run__placements__topic=F("question__topic")
    )
    columns = (f"run__placements__item__{name}" for name in ("image", "words", "seconds"))
    return _summed(kind, rows.order_by().values_list("question", *columns))


def shown_waiting(task: Task, kind: str, assessor_id: int | None, most: int) -> dict[int, Shown]:
    """What the first questions show that wait in a task about items, and that an assessor was not asked.

    assessor_id None: somebody new. At most `most` questions. One query.
    """
    return _summed(kind, execute(ITEMS_WAITING, [task.pk, assessor_id or NOBODY, most]))


def _summed(kind: str, rows: Iterable[tuple[int, str, int, float | None]]) -> dict[int, Shown]:
    """Sum up what questions show: rows of a question, and an item's image, words and seconds."""
    found: dict[int, Shown] = {}
    for pk, image, words, seconds in rows:
        pictured = bool(image) and (kind != Study.Kind.TEXT or not words)
        so_far = found.get(pk, Shown(0, 0))
        found[pk] = Shown(
            so_far.words + (0 if pictured else words or 0),
            so_far.pictures + (pictured and seconds is None),
            so_far.played + (seconds or 0.0),
        )
    return found


def _sums(kind: str, item: str) -> tuple[Case, Case, F]:
    """Words, pictures and seconds of an item as a page shows it.

    Its picture or recording if the study is about such or the item has no text, else its text. A recording
    that does not say how long it is counts as a picture.
    """
    pictured = ~Q(**{f"{item}image": ""})
    if kind == Study.Kind.TEXT:
        pictured &= Q(**{f"{item}words": 0})
    whole = IntegerField()
    return (
        Case(When(pictured, then=Value(0)), default=F(f"{item}words"), output_field=whole),
        Case(
            When(pictured & Q(**{f"{item}seconds": None}), then=Value(1)),
            default=Value(0),
            output_field=whole,
        ),
        F(f"{item}seconds"),
    )


def batch_from(task: Task, study: Study, shown: Collection[Shown], number: int) -> Expected:
    """Expected time of a batch of `number` questions, estimated from what some show; from the study's items
    if there are none. The longest of these may be in it, so it is no shorter than that one.
    """
    seconds = [question_seconds(task, study.kind, one) for one in shown]
    if not seconds:
        typical = typical_seconds(task, study)
        return Expected(typical * number, typical)
    longest = max(seconds)
    return Expected(max(fmean(seconds) * number, longest), longest)


def typical_batch(task: Task, study: Study) -> Expected:
    """Expected time of a full batch of a task, estimated from the study's items."""
    typical = typical_seconds(task, study)
    return Expected(typical * (task.batch_size + task.batch_challenges + task.repeats), typical)


def hours(task: Task, answers: float, seconds: float, challenges: int) -> float:
    """Hours of all assessors together for so many answers of `seconds` each.

    Adds the challenges (`challenges.in_batch`) and the repeats of their batches.
    """
    besides = answers / task.batch_size * (challenges + task.repeats)
    return (answers + besides) * seconds / 3600


def forecast_seconds(task: Task, study: Study, subjects: int = 0) -> float:
    """Seconds of an answer for forecasts of work: measured in this study, else `typical_seconds`.

    No promise to assessors: who reads everything takes longer than the average.
    """
    return typical_seconds(task, study, subjects) if task.average_seconds is None else task.average_seconds


def typical_seconds(task: Task, study: Study, subjects: int = 0) -> float:
    """Average seconds of a question of a task, from the means of up to 100 evenly chosen topics.

    subjects: how many items a question shows, if its kind leaves that open.
    """
    topics = list(study.topics.order_by("pk").values_list("pk", flat=True))
    chosen = topics[:: -(-len(topics) // TOPICS)] if topics else []
    found = _means(task, study, chosen, subjects)
    seconds = [question_seconds(task, study.kind, shown) for shown in found]
    return fmean(seconds) if seconds else floor(task, study.kind)


def _means(task: Task, study: Study, topics: Sequence[int], subjects: int) -> list[Shown]:
    """What an average question of each of these topics shows."""
    if task.way.about == "run":
        runs = list(study.runs.filter(shown=True).order_by("pk").values_list("pk", flat=True)[:2])
        words, pictures, played = _sums(study.kind, "item__")
        page = task.settings_of_kind.shown()
        placed = Placement.objects.filter(page, run__in=runs, topic__in=topics).order_by()
        means = list(placed.values_list("topic").annotate(w=Sum(words), p=Sum(pictures), s=Sum(played)))
    else:
        each = _subjects(task, subjects)
        words, pictures, played = _sums(study.kind, "")
        rows = Item.objects.filter(topic__in=topics).exclude(text="", image="").order_by()
        averages = {"w": Avg(words) * each, "p": Avg(pictures) * each, "s": Avg(played) * each}
        means = list(rows.values_list("topic").annotate(**averages))
    return [Shown(round(w or 0), round(p or 0), s or 0.0) for _, w, p, s in means]


def _subjects(task: Task, told: int) -> int:
    """How many items a question shows; if its kind leaves it open, as given or as in the first question."""
    if task.way.orders or told:
        return len(task.way.places) if task.way.orders else told
    first = Question.objects.filter(task=task.pk).order_by("pk").first() if task.pk else None
    return len(first.subject_ids) if first else GRID


def measure(task: Task) -> None:
    """Store how long questions of a task have taken, short ones and all, once enough are answered.

    Uses the latest answers that count; corrections and answers without a time are left out.
    """
    kind = task.study.kind
    given = Judgment.objects.filter(
        question__task=task,
        role__in=(QuestionRole.COUNTS, QuestionRole.CHALLENGE),
        revision=0,
        seconds__gt=0,
        assignment__state__in=COUNTING,
        assignment__assessor__excluded_at=None,
    )
    latest = list(given.order_by("-pk").values_list("question", "seconds")[:LATEST])
    shown = shown_by(task, kind, {pk for pk, _ in latest})
    usual = floor(Task(kind=task.kind), kind)
    quick = [seconds or 0.0 for pk, seconds in latest if shown.get(pk, Shown(0, 0)).seconds < usual]
    found: dict[str, float] = {}
    if len(latest) >= ENOUGH:
        found["average_seconds"] = round(fmean(seconds or 0.0 for _, seconds in latest), 1)
    if len(quick) >= ENOUGH:
        found["measured_seconds"] = float(round(min(max(median(quick), LEAST), MOST)))
    if found:
        Task.objects.filter(pk=task.pk).exclude(**found).update(**found)
