"""Result pages (SERPs): which topics and pairs of runs are asked about, challenges, run preferences."""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import NamedTuple

from django.db import transaction
from django.db.models import Count, F, Max, Q, Sum

from collection import audit_log
from collection.models import Grade, Placement, Run, Study, Topic
from judging.assessor_names import Namer
from judging.models import Judgment, Question, Task, question_key
from judging.questions import asking
from judging.questions.wording import PAGES_WORDINGS
from judging.secret_random import secret_random
from judging.tasks.serp import Pages
from prefir.formats import PreferenceRecord

CHUNK = 1000
# Questions that are asked for at once: more are asked for by mistake, and their pages would fill the memory.
MOST = 20_000
CHALLENGES_PER_TOPIC = 3
# How far apart the mean grades of a challenge's pages are at least, as a share of the highest grade.
CLEARLY = 1 / 3

Runs = tuple[int, int]
# Of each cell the item and where it stands; pages with the same cells look the same.
Cells = tuple[tuple[int, int | None, int | None], ...]


class CannotAsk(Exception):
    """Result pages cannot be asked for; the message is for the organizer."""


class ComparedPages(NamedTuple):
    """Two runs (the smaller id first) on a topic."""

    topic: int
    runs: Runs


@dataclass(frozen=True)
class PageChoice:
    """The questions that can be asked, in order, and how many pairs make none.

    same: both pages show the same items in the same places. empty: a run ranks nothing for the topic.
    """

    questions: list[ComparedPages]
    pages: Mapping[tuple[int, int], Cells]
    same: int
    empty: int


@dataclass(frozen=True)
class Preferred:
    """Answers about two runs' pages for a topic: how many assessors preferred each, and ties."""

    compared: ComparedPages
    first: int
    second: int
    ties: int

    @property
    def lean(self) -> int:
        """1 if more assessors preferred the first, -1 if more preferred the second, else 0."""
        return (self.first > self.second) - (self.first < self.second)

    @property
    def winner(self) -> int | None:
        """The run that more assessors preferred; None for a tie."""
        return self.compared.runs[self.lean < 0] if self.lean else None


class PreferenceLine(NamedTuple):
    """Two runs over all topics: in how many each was preferred, and in how many neither."""

    runs: Runs
    wins: int
    losses: int
    ties: int


def task_of(study: Study) -> Task | None:
    """The study's task of result pages, if it has one."""
    return Task.objects.filter(study=study, kind=Pages.name).select_related("study").first()


def usual(study: Study) -> Task:
    """A new task of result pages with the default settings, after the study's other tasks; not stored."""
    last = Task.objects.filter(study=study).aggregate(n=Max("position"))["n"] or 0
    wording = PAGES_WORDINGS[study.kind]
    return Task(study=study, kind=Pages.name, scale="3", wording=wording, position=last + 1)


def task_for_files(study: Study) -> Task:
    """Return the study's task of result pages, into which files are loaded; make one if there is none."""
    task = task_of(study)
    if task is None:
        task = usual(study)
        task.save()
    return task


def every_pair(study: Study) -> list[Runs]:
    """All pairs of the study's runs. One query."""
    return list(combinations(Run.objects.filter(study=study).order_by("pk").values_list("pk", flat=True), 2))


def choose(task: Task, runs: Sequence[Runs], topics: Sequence[int]) -> PageChoice:
    """List the questions that compare these pairs of runs on these topics.

    Each topic comes once before any is repeated. Cost grows with the number of result pages. Raises CannotAsk
    if there are too many questions.
    """
    if len(runs) * len(topics) > MOST:
        raise CannotAsk(
            f"{len(runs):,} pairs of runs on {len(topics):,} topics are more than {MOST:,} questions. "
            "Choose fewer topics, or compare with one run."
        )
    pages = _pages(task, {run for pair in runs for run in pair}, topics)
    same = empty = 0
    of_topic: dict[int, list[ComparedPages]] = {}
    for topic in topics:
        own = []
        for pair in runs:
            one, other = (pages.get((topic, run), ()) for run in pair)
            if not one or not other:
                empty += 1
            elif one == other:
                same += 1
            else:
                own.append(ComparedPages(topic, (min(pair), max(pair))))
        random.Random(f"{task.study.seed}:result pages:{task.pk}:{topic}").shuffle(own)
        of_topic[topic] = own
    order = list(of_topic)
    random.Random(f"{task.study.seed}:result pages:{task.pk}").shuffle(order)
    turns = zip_longest(*(of_topic[topic] for topic in order))
    questions = [one for turn in turns for one in turn if one]
    return PageChoice(questions, pages, same, empty)


def _pages(task: Task, runs: Iterable[int], topics: Iterable[int]) -> dict[tuple[int, int], Cells]:
    """The cells of these runs' pages by topic and run, down to the task's depth."""
    shown = task.settings_of_kind.shown()
    placed = Placement.objects.filter(shown, run__in=list(runs), topic__in=list(topics))
    found: dict[tuple[int, int], list[tuple[int, int | None, int | None]]] = defaultdict(list)
    fields = ("topic_id", "run_id", "item_id", "row", "column")
    for topic, run, *cell in placed.order_by("row", "column", "rank").values_list(*fields).iterator(5000):
        found[topic, run].append((cell[0], cell[1], cell[2]))
    return {key: tuple(cells) for key, cells in found.items()}


def by_difference(task: Task, runs: Sequence[Runs], topics: Sequence[int]) -> list[int]:
    """Topics by how much the pages of these pairs differ, most first; ties in the given order.

    The difference of two pages is the share of their items that only one of them shows; pairs are averaged.
    """
    pages = _pages(task, {run for pair in runs for run in pair}, topics)

    def share(topic: int) -> float:
        total = 0.0
        for pair in runs:
            one, other = ({cell[0] for cell in pages.get((topic, run), ())} for run in pair)
            total += len(one ^ other) / len(one | other) if one and other else 0.0
        return -total

    return sorted(topics, key=share)


def missing(task: Task, choice: PageChoice) -> dict[ComparedPages, int]:
    """The questions of a choice that need more answers, with how many."""
    rows = Question.objects.filter(task=task, expected__isnull=True, wanted__gt=0)
    wanted = {(topic, key): n for topic, key, n in rows.values_list("topic_id", "key", "wanted")}
    each = task.settings_of_kind.assessors
    answers = {one: each - wanted.get((one.topic, question_key(one.runs)), 0) for one in choice.questions}
    return {one: n for one, n in answers.items() if n > 0}


@transaction.atomic
def ask(task: Task, choice: PageChoice) -> int:
    """Want each question answered by `assessors` people; store that number.

    Makes challenges for topics that have none yet. Questions about replaced runs are not asked any more.
    Returns how many questions are new. A repeat only adds what is missing.
    """
    # Only this one is stored: somebody may have changed others since the task was read.
    each = task.settings_of_kind.assessors
    stored = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
    stored.settings["assessors"] = each
    stored.save(update_fields=["settings"])
    known = Question.objects.filter(task=task)
    asking.lock(known)
    known.filter(subjects__run__shown=False).update(wanted=0)
    new = [asking.Asked(*one, each) for one in missing(task, choice)]
    make_challenges(task, choice)
    asking.store(task, new, "wanted")
    audit_log.note(
        task.study_id, audit_log.What.SETTINGS, about="result pages", after={"questions": len(new)}
    )
    return len(new)


@transaction.atomic
def stop(task: Task) -> int:
    """Ask no further questions; questions in open batches stay. Returns how many were still open."""
    still = Question.objects.filter(task=task, taken__lt=F("wanted"))
    asking.lock(still)
    number = Question.objects.filter(pk__in=[q.pk for q in still]).update(wanted=0)
    audit_log.note(task.study_id, audit_log.What.SETTINGS, about="result pages", after={"stopped": number})
    return number


# Challenges


def make_challenges(task: Task, choice: PageChoice) -> int:
    """Make challenges for the topics of these questions that have none, from known grades. Returns how many.

    Such a question keeps two runs' cells, and which of them hold the same item on both pages; but one page
    is filled with the topic's best items and the other with its worst, of those that the pages of runs show.
    So neither form nor overlap tells it from others. It is made only where each item that one page shows
    alone is graded higher than all of the other's, and their means are `CLEARLY` apart.
    """
    have = set(Question.objects.filter(task=task, expected__isnull=False).values_list("topic_id", flat=True))
    topics = {topic for topic, _ in choice.questions} - have
    graded = _graded(task, topics)
    highest = Grade.objects.filter(item__topic__study=task.study_id).aggregate(n=Max("value"))["n"] or 0.0
    made: dict[int, list[asking.Asked]] = defaultdict(list)
    for topic, runs in choice.questions:
        if topic not in graded or len(made[topic]) >= CHALLENGES_PER_TOPIC:
            continue
        chooser = secret_random(task.study.seed, "challenge", task.pk, topic, runs)
        # The larger id first: the smaller is first in the question about the runs' own pages.
        turned = (runs[1], runs[0])
        cells = [choice.pages[topic, run] for run in turned]
        if expected := filled(cells, graded[topic], CLEARLY * highest, chooser):
            made[topic].append(asking.Asked(topic, turned, expected))
    rows = [asked for own in made.values() for asked in own]
    asking.store(task, rows, "expected")
    return len(rows)


def _graded(task: Task, topics: Iterable[int]) -> dict[int, list[tuple[float, int]]]:
    """Grades and items of these topics, of the items that runs place where the task shows them."""
    shown = task.settings_of_kind.shown()
    placed = Placement.objects.filter(shown, run__study=task.study_id, topic__in=list(topics))
    placed = placed.filter(item__grade__isnull=False)
    contents = placed.exclude(item__text="", item__image="")
    rows = contents if contents.exists() else placed
    found: dict[int, list[tuple[float, int]]] = defaultdict(list)
    fields = ("topic_id", "item__grade__value", "item_id")
    for topic, value, item in rows.order_by("item_id").values_list(*fields).distinct():
        found[topic].append((value, item))
    return found


def filled(
    cells: Sequence[Cells], graded: Sequence[tuple[float, int]], apart: float, chooser: random.Random
) -> dict[str, object] | None:
    """Fill two pages' cells with other items, one clearly better; None where the grades do not allow it.

    graded: (grade, item) of what may be shown. Returns a challenge's known answer, as `judging.tasks.serp`.
    """
    shared = sorted({cell[0] for cell in cells[0]} & {cell[0] for cell in cells[1]})
    better = chooser.randrange(2)
    number = [len(page) - len(shared) for page in cells]
    best, worst = number[better], number[1 - better]
    if not best or not worst or len(graded) < best + worst + len(shared):
        return None
    # Of equal grades any comes first.
    order = sorted(graded, key=lambda one: (-one[0], chooser.random()))
    high, low = order[:best], order[len(order) - worst :][::-1]
    means = [sum(grade for grade, _ in own) / len(own) for own in (high, low)]
    if high[-1][0] <= low[-1][0] or means[0] - means[1] < apart or not apart:
        return None
    between = chooser.sample(order[best : len(order) - worst], len(shared))
    common = {old: item for old, (_, item) in zip(shared, between, strict=True)}
    pages: list[list[int]] = [[], []]
    for side, own in ((better, high), (1 - better, low)):
        rest = iter(item for _, item in own)
        pages[side] = [common[old] if old in common else next(rest) for old, *_ in cells[side]]
    return {"lean": 1 if better == 0 else -1, "pages": pages}


# What was answered


def collected(task: Task) -> list[Preferred]:
    """The run preferences of a task by topic and pair of runs, in that order: answers of kept batches about
    runs that were not replaced, challenges left out. Derived from the ledger alone.
    """
    found: dict[ComparedPages, list[int]] = defaultdict(lambda: [0, 0, 0])
    for compared, lean, _ in _answers(task):
        found[compared][0 if lean > 0 else 1 if lean < 0 else 2] += 1
    return [Preferred(compared, *counts) for compared, counts in sorted(found.items())]


def _answers(task: Task, *fields: str) -> Iterator[tuple[ComparedPages, int, tuple[object, ...]]]:
    """Each answer of a kept batch: what it compares, its lean towards the first run, and these fields."""
    here = set(Run.objects.filter(study=task.study_id).values_list("pk", flat=True))
    rows = Judgment.objects.settled().filter(assignment__task=task).order_by("pk")
    own = ("topic_id", "question__key", "value", "shown")
    for topic, key, value, shown, *rest in rows.values_list(*own, *fields).iterator(2000):
        one, other = map(int, key.split())
        if one in here and other in here:
            [lean] = task.way.leans(value, shown)
            yield ComparedPages(topic, (one, other)), lean.lean, tuple(rest)


def lines(preferred: Iterable[Preferred]) -> list[PreferenceLine]:
    """Count wins, losses and ties of each pair of runs over its topics."""
    found: dict[Runs, list[int]] = defaultdict(lambda: [0, 0, 0])
    place = {1: 0, -1: 1, 0: 2}
    for one in preferred:
        found[one.compared.runs][place[one.lean]] += 1
    return [PreferenceLine(runs, *counts) for runs, counts in sorted(found.items())]


class Progress(NamedTuple):
    """How many questions are asked, how many answers are wanted, and how many are given or being given."""

    questions: int
    wanted: int
    taken: int
    challenges: int


def progress(task: Task) -> Progress:
    """Count what a task has asked so far."""
    counts = Question.objects.filter(task=task).aggregate(
        questions=Count("pk", filter=Q(wanted__gt=0)),
        wanted=Sum("wanted"),
        taken=Sum("taken"),
        challenges=Count("pk", filter=Q(expected__isnull=False)),
    )
    return Progress(**{name: n or 0 for name, n in counts.items()})


# Files


def records(task: Task, *, names: Namer | None = None) -> Iterator[PreferenceRecord]:
    """Each answer of a kept batch as a line of a file of judgments, in which the runs stand for the items.

    names: how who gave it is called; with it stands how strongly.
    """
    runs_named = dict(Run.objects.filter(study=task.study_id).values_list("pk", "name"))
    topics = dict(Topic.objects.filter(study=task.study_id).values_list("pk", "name"))
    person = ("assignment__assessor__panel", "assignment__assessor__label", "assignment__assessor_id")
    for (topic, runs), lean, who in _answers(task, *person):
        first, second = (runs_named[run] for run in runs)
        yield PreferenceRecord(
            topic=topics[topic],
            a=first,
            b=second,
            winner=None if not lean else first if lean > 0 else second,
            assessor=names(*who) if names else None,  # type: ignore[arg-type]
            strength=abs(lean) if names else None,
        )
