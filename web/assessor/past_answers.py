"""Answers that somebody has given, as they are shown to them again: to read, never to tell challenges."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.paginator import Page as PageOfList
from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import gettext

from collection.models import Item, Study
from judging.batches.sql_statements import ShownQuestion
from judging.models import (
    OPEN,
    AnswerNote,
    Assessor,
    Assignment,
    BatchQuestion,
    Decline,
    Judgment,
    QuestionRole,
)
from judging.people import answer_notes
from judging.tasks import KINDS
from judging.tasks.aspects import Details, read_stored
from web.judging_page import sitting
from web.judging_page.sitting import AskedQuestion, Page, Side
from web.shared import tokens

RELATED = ("assignment__task", "question__topic")
A_PAGE = 20


@dataclass(frozen=True)
class Past:
    """A past answer as its assessor sees it.

    asked: the question with what was shown; for result pages only the answer. at: when it was last given or
    corrected, or declined. changes: how often it was corrected or withdrawn. open: whether the batch is being
    judged now. lapsed: whether the batch ran out and its answers count nowhere, which its assessor was told.
    again: whether the question was asked for the second time in its batch. cannot: why they could not judge
    it. note: what they noted at it.
    """

    batch: Assignment
    asked: AskedQuestion
    at: datetime
    changes: int
    open: bool
    lapsed: bool
    again: bool
    cannot: str
    note: AnswerNote | None


def _here(rows: QuerySet[Any]) -> Exists:
    here = {"assignment": OuterRef("assignment"), "question": OuterRef("question")}
    return Exists(rows.filter(**here))


def is_answered() -> Q:
    """Condition on `BatchQuestion`: it has an answer in its batch, perhaps withdrawn."""
    return Q(_here(Judgment.objects.first_rows()))


def is_declined() -> Q:
    """Condition on `BatchQuestion`: it was declined in its batch and never answered."""
    return Q(_here(Decline.objects.all())) & ~is_answered()


def page_of(
    assessor: Assessor, places: QuerySet[BatchQuestion], number: str | None
) -> tuple[PageOfList[BatchQuestion], list[Past]]:
    """Return a page of somebody's answers at these places, newest batch first. Six queries at most."""
    listed = places.select_related(*RELATED).order_by("-assignment", "position")
    found = Paginator(listed, A_PAGE).get_page(number)
    return found, past(assessor, list(found.object_list))


def past(assessor: Assessor, places: Sequence[BatchQuestion]) -> list[Past]:
    """Return somebody's answers at these places of their batches. Four queries.

    The places must come with what `RELATED` names (select_related).
    """
    study = assessor.study
    rows = Judgment.objects.filter(
        assignment__in={one.assignment_id for one in places}, question__in={one.question_id for one in places}
    )
    given: dict[tuple[int, int], list[Judgment]] = defaultdict(list)
    for judgment in rows.order_by("revision"):
        given[judgment.assignment_id, judgment.question_id].append(judgment)
    declined = {
        (one.assignment_id, one.question_id): one
        # The last one of each.
        for one in Decline.objects.filter(assignment__in={one.assignment_id for one in places}).order_by("pk")
    }
    notes = answer_notes.notes_of(assessor.pk, [one.question_id for one in places])
    about_items = [one for one in places if KINDS[one.assignment.task.kind].about == "item"]
    ids = {item for one in about_items for item in one.question.subject_ids}
    items = {item.pk: item for item in Item.every.filter(pk__in=ids)}
    found = []
    for place in places:
        own, batch = given[place.assignment_id, place.question_id], place.assignment
        last = own[-1] if own and own[-1].value is not None else None
        why = None if last else declined[place.assignment_id, place.question_id]
        found.append(
            Past(
                batch,
                _asked(study, place, last, items),
                why.created_at if why else own[-1].created_at,
                max(0, len(own) - 1),
                batch.state in OPEN,
                lapsed=batch.state == Assignment.State.LAPSED,
                again=place.role == QuestionRole.REPEAT,
                cannot=gettext(why.get_reason_display()) if why else "",
                note=notes.get(place.question_id),
            )
        )
    return found


def _asked(
    study: Study, place: BatchQuestion, given: Judgment | None, items: dict[int, Item]
) -> AskedQuestion:
    kind, subjects = place.assignment.task.way, place.question.subject_ids
    shown = [items[subjects[int(n)]] for n in place.shown] if kind.about == "item" else []
    asked = sitting.as_shown(
        ShownQuestion(
            place.position,
            place.question.topic.text or place.question.topic.name,
            [sitting.shown_item(one) for one in shown],
            given.value if given else None,
        ),
        place.position,
        study,
        place.assignment.task,
    )
    sides: list[Side | Page] = [
        replace(side, picture=side.picture and tokens.sign_past(place.assignment_id, place.position, number))
        for number, side in enumerate(asked.sides)
        if isinstance(side, Side)
    ]
    details = read_stored(given.details, given.remark) if given else Details()
    return replace(asked, sides=sides, details=details)
