"""The answer log of one person: their answers in order, each compared with those of others."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models.functions import Left

from collection.models import Item, Run
from judging.models import Assessor, BatchQuestion, Judgment, QuestionRole
from judging.tasks import KINDS
from judging.verdicts.challenge_failures import ahead_of_all
from prefir.formats import plain_turns
from web.shared.phrases import parted
from web.shared.typesetting import start

A_PAGE = 50
EXCERPT = 540  # letters of a text that are read
LETTERS = 70  # of these, what a line shows of an item


@dataclass(frozen=True)
class LoggedAnswer:
    """One answer in the log.

    place: what its question is called in the page's address, in the list of its batch.
    shown: how items begin (or their docnos), or names of runs, as they were shown from left to right; each
    with its docno or name, and whether it was preferred to the others. seconds: in view. others: how many
    counting answers other people gave to the question; same: how many of these mean the same. again: whether
    the question was asked again. right: whether a challenge was answered rightly, else None.
    """

    number: int
    batch: int
    place: str
    at: datetime
    topic: str
    shown: list[tuple[str, str, bool]]
    said: str
    seconds: float | None
    same: int
    others: int
    again: bool
    right: bool | None


def anchor(question: int, role: str) -> str:
    """Name a question of a batch on the page of a person; it may be asked a second time there."""
    return f"answer-{question}{'-again' if role == QuestionRole.REPEAT else ''}"


@dataclass(frozen=True)
class AnswerLog:
    """A page of a person's answers, 50 a page, oldest first: its lines, and how many answers there are of all
    and to challenges.
    """

    page: Page
    lines: list[LoggedAnswer]
    all: int
    challenges: int


def in_order(assessor: Assessor, page: str | None, markup: str, *, only_challenges: bool) -> AnswerLog:
    """Return a page of a person's current answers. markup: of the study.

    Cost grows with this person's answers.
    """
    own = Judgment.objects.current().filter(assignment__assessor=assessor).order_by("pk")
    every = list(own.values_list("pk", "role"))
    numbers = {pk: number for number, (pk, _) in enumerate(every, 1)}
    challenges = [pk for pk, role in every if role == QuestionRole.CHALLENGE]
    shown = Paginator(challenges if only_challenges else list(numbers), A_PAGE).get_page(page)
    rows = own.filter(pk__in=shown.object_list).select_related("question__task", "question__topic")
    judgments: list[Judgment] = list(rows)
    expected = _expected(judgments)
    others = _others(assessor, [row.question_id for row in judgments if row.role == QuestionRole.COUNTS])
    names = _names(judgments, markup)
    found = []
    for row in judgments:
        question = row.question
        way = question.task.way
        known = expected.get((row.assignment_id, row.question_id))
        places = [int(at) for at in row.shown] or range(len(question.subject_ids))
        ahead = ahead_of_all(way.leans(row.value, row.shown))
        said = _meaning(question.task.kind, row.value, row.shown)
        told = others[row.question_id] if row.role == QuestionRole.COUNTS else []
        found.append(
            LoggedAnswer(
                number=numbers[row.pk],
                batch=row.assignment_id,
                place=anchor(row.question_id, row.role),
                at=row.created_at,
                topic=question.topic.text or question.topic.name,
                shown=_apart(
                    [
                        (*names.get((way.about, question.subject_ids[place]), ("", "")), place in ahead)
                        for place in places
                    ]
                ),
                said=way.word(row.value),
                seconds=row.seconds,
                same=told.count(said),
                others=len(told),
                again=row.role == QuestionRole.REPEAT,
                right=None if known is None else way.is_right(row.value, row.shown, known),
            )
        )
    return AnswerLog(shown, found, len(every), len(challenges))


def _apart(shown: list[tuple[str, str, bool]]) -> list[tuple[str, str, bool]]:
    """Cut the words of what stood together, without those with which all begin."""
    words = parted([own for own, *_ in shown], LETTERS)
    return [(own, name, ahead) for own, (_, name, ahead) in zip(words, shown, strict=True)]


def _expected(rows: Sequence[Judgment]) -> dict[tuple[int, int], Any]:
    """Return the known answer of each challenge among these, by batch and question."""
    places = BatchQuestion.objects.filter(
        assignment__in={row.assignment_id for row in rows},
        question__in={row.question_id for row in rows},
        role=QuestionRole.CHALLENGE,
    )
    return {
        (batch, question): known
        for batch, question, known in places.values_list("assignment_id", "question_id", "expected")
    }


def _others(assessor: Assessor, questions: Sequence[int]) -> dict[int, list[Any]]:
    """Return the meanings of other people's counting answers to these questions, by question."""
    asked = BatchQuestion.objects.filter(question__in=questions).exclude(assessor=assessor)
    rows = Judgment.objects.counting().filter(
        question__in=questions, assignment__in=asked.values("assignment")
    )
    found: dict[int, list[Any]] = defaultdict(list)
    for question, value, shown, kind in rows.exclude(assignment__assessor=assessor).values_list(
        "question_id", "value", "shown", "question__task__kind"
    ):
        found[question].append(_meaning(kind, value, shown))
    return found


def _meaning(kind: str, value: Any, shown: str) -> Any:
    """Return which items an answer prefers, whatever the side and strength; its value if it prefers none."""
    leans = KINDS[kind].leans(value, shown)
    return sorted((a, b, (lean > 0) - (lean < 0)) for a, b, lean in leans) or value


def _names(rows: Sequence[Judgment], markup: str) -> dict[tuple[str, int], tuple[str, str]]:
    """Return how all subjects begin, and their docnos or run names, by ("item" or "run", id)."""
    wanted: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        wanted[row.question.task.way.about] |= set(row.question.subject_ids)
    names: dict[tuple[str, int], tuple[str, str]] = {}
    if wanted["item"]:
        items = Item.objects.filter(pk__in=wanted["item"]).annotate(start=Left("text", EXCERPT))
        for pk, docno, text in items.values_list("pk", "docno", "start"):
            names["item", pk] = start(plain_turns(text), markup, 3 * LETTERS) or docno, docno
    if wanted["run"]:
        runs = Run.every.filter(pk__in=wanted["run"]).values_list("pk", "name")
        names |= {("run", pk): (name, name) for pk, name in runs}
    return names
