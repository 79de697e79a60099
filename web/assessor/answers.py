"""The page of past answers: assessors with accounts read their own, and reopen a batch to correct it.

It does not reveal which questions were challenges, nor whether a batch was kept.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponseBase

from collection.models import Item, Study, Topic
from judging.batches import batch_reopen
from judging.batches.sql_statements import ShownQuestion
from judging.models import OPEN, Assessor, Assignment, BatchQuestion, Judgment, QuestionRole
from judging.tasks import KINDS
from web.assessor import desk, form_data, views
from web.judging_page import sitting
from web.judging_page.sitting import AskedQuestion, Page, Side
from web.shared import tokens

A_PAGE = 20


@dataclass(frozen=True)
class Past:
    """A past answer as its assessor sees it.

    asked: the question with what was shown; for result pages only the answer. at: when it was last given or
    corrected. changes: how often it was corrected. open: whether the batch is being judged now. lapsed:
    whether the batch ran out and its answers count nowhere, which its assessor was told. again: whether the
    question was asked for the second time in its batch.
    """

    batch: Assignment
    asked: AskedQuestion
    at: datetime
    changes: int
    open: bool
    lapsed: bool
    again: bool


@desk.for_assessors("GET", "HEAD", "POST")
def answers(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """List an assessor's answers, newest batch first, for all topics or one; on POST, reopen a batch.

    The number of queries does not depend on the number of answers.
    """
    if request.method == "POST":
        return _reopen(request, assessor)
    return _list(request, assessor)


def _reopen(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    batch, position = (form_data.number(request.POST.get(name, "")) for name in ("batch", "position"))
    try:
        batch_reopen.reopen(batch or 0, assessor.pk)
    except batch_reopen.CannotReopen as error:
        return _list(request, assessor, refused=str(error))
    return views.see_other(f"{views.home(assessor)}?at={position or 1}")


def _list(request: HttpRequest, assessor: Assessor, refused: str = "") -> HttpResponseBase:
    study = assessor.study
    if assessor.latest and request.method == "GET" and not assessor.excluded_at:
        views.settle(assessor)
    given = Judgment.objects.filter(assignment=OuterRef("assignment"), question=OuterRef("question"))
    places = BatchQuestion.objects.filter(Exists(given), assessor=assessor)
    pk = form_data.number(request.GET.get("topic", ""))
    topic = Topic.objects.filter(study=study, pk=pk).first() if pk else None
    if topic is not None:
        places = places.filter(question__topic=topic)
    order = places.select_related("assignment__task", "question__topic").order_by("-assignment", "position")
    page = Paginator(order, A_PAGE).get_page(request.GET.get("page"))
    told: dict[str, Any] = {
        "study": study,
        "topic": topic,
        "page": page,
        "answers": past(study, list(page.object_list)),
        "refused": refused,
        "open": views.is_open(assessor),
        "changeable": study.judging_is_open,
        "judge": views.home(assessor),
    }
    return desk.page(request, "answers", status=409 if refused else 200, **told)


def past(study: Study, places: Sequence[BatchQuestion]) -> list[Past]:
    """Return the answers at these places of batches.

    The places must come with their assignment, task, question and topic (select_related).
    """
    rows = Judgment.objects.filter(
        assignment__in={one.assignment_id for one in places}, question__in={one.question_id for one in places}
    )
    given: dict[tuple[int, int], list[Judgment]] = defaultdict(list)
    for judgment in rows.order_by("revision"):
        given[judgment.assignment_id, judgment.question_id].append(judgment)
    about_items = [one for one in places if KINDS[one.assignment.task.kind].about == "item"]
    ids = {item for one in about_items for item in one.question.subject_ids}
    items = {item.pk: item for item in Item.every.filter(pk__in=ids)}
    found = []
    for place in places:
        own, batch = given[place.assignment_id, place.question_id], place.assignment
        asked = _asked(study, place, own[-1], items)
        lapsed = batch.state == Assignment.State.LAPSED
        again = place.role == QuestionRole.REPEAT
        found.append(Past(batch, asked, own[-1].created_at, len(own) - 1, batch.state in OPEN, lapsed, again))
    return found


def _asked(study: Study, place: BatchQuestion, judgment: Judgment, items: dict[int, Item]) -> AskedQuestion:
    kind, subjects = place.assignment.task.way, place.question.subject_ids
    shown = [items[subjects[int(n)]] for n in place.shown] if kind.about == "item" else []
    asked = sitting.as_shown(
        ShownQuestion(
            place.position,
            place.question.topic.text or place.question.topic.name,
            [sitting.shown_item(one) for one in shown],
            judgment.value,
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
    return AskedQuestion(asked.position, asked.number, asked.topic, sides, asked.chosen, "")
