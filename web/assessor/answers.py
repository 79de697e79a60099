"""The page of past answers: assessors with accounts read, search and mark their own, and reopen a batch.

It does not reveal which questions were challenges, nor whether a batch was kept.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse
from django.utils.translation import gettext

from collection.models import Item, Study, Topic
from judging.batches import batch_reopen
from judging.batches.answering import NotAsked
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
from web.assessor import desk, form_data, views
from web.assessor.view_decorators import wants_json
from web.judging_page import sitting
from web.judging_page.sitting import AskedQuestion, Page, Side
from web.shared import tokens
from web.shared.view_choices import choice_of

A_PAGE = 20
# What a list can be narrowed to.
SHOWN = ("uncertain", "noted", "cannot")
RELATED = ("assignment__task", "question__topic")


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


@desk.for_assessors("GET", "HEAD", "POST")
def answers(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """List an assessor's answers that a search finds, newest batch first; on POST, reopen a batch.

    The number of queries does not depend on the number of answers.
    """
    if request.method == "POST":
        return _reopen(request, assessor)
    return _list(request, assessor)


@desk.for_assessors("GET", "HEAD")
def answer(request: HttpRequest, assessor: Assessor, batch: int, position: int) -> HttpResponseBase:
    """Show one past question with its sides in full, beside each other."""
    own = BatchQuestion.objects.filter(_is_answered() | _is_declined(), assessor=assessor)
    place = own.select_related(*RELATED).filter(assignment=batch, position=position).first()
    if place is None:
        raise Http404("No such answer.")
    told: dict[str, Any] = {"answers": past(assessor, [place]), "whole": True, "page": None, "topic": None}
    return desk.page(request, "answers", **_context(assessor), **told)


@desk.for_assessors("POST")
def note(request: HttpRequest, assessor: Assessor) -> HttpResponseBase:
    """Store a mark and a note; reply with short JSON to a script, else redirect to the answer."""
    batch, position = (form_data.number(request.POST.get(name, "")) or 0 for name in ("batch", "position"))
    try:
        answer_notes.write_note(
            assessor,
            batch,
            position,
            uncertain="uncertain" in request.POST,
            text=request.POST.get("text", ""),
        )
    except NotAsked as error:
        raise Http404(str(error)) from error
    if wants_json(request):
        return JsonResponse({"stored": True})
    return views.see_other(reverse("desk-answer", args=[assessor.study.slug, batch, position]))


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
    pk = form_data.number(request.GET.get("topic", ""))
    topic = Topic.objects.filter(study=study, pk=pk).first() if pk else None
    show = choice_of(request.GET, "show", SHOWN)
    search = request.GET.get("search", "").replace("\0", "").strip()[:200]
    places = _places(assessor, topic, show, search).select_related(*RELATED)
    page = Paginator(places.order_by("-assignment", "position"), A_PAGE).get_page(request.GET.get("page"))
    asked = {"topic": topic.pk if topic else "", "show": show, "search": search}
    told: dict[str, Any] = {
        "topic": topic,
        "whole": False,
        "page": page,
        "show": show,
        "search": search,
        "asked": urlencode({name: value for name, value in asked.items() if value}),
        "answers": past(assessor, list(page.object_list)),
        "refused": refused,
    }
    return desk.page(request, "answers", status=409 if refused else 200, **_context(assessor), **told)


def _context(assessor: Assessor) -> dict[str, Any]:
    study = assessor.study
    return {
        "study": study,
        "open": views.is_open(assessor),
        "changeable": study.judging_is_open,
        "judge": views.home(assessor),
    }


def _here(rows: QuerySet[Any]) -> Exists:
    here = {"assignment": OuterRef("assignment"), "question": OuterRef("question")}
    return Exists(rows.filter(**here))


def _is_answered() -> Q:
    return Q(_here(Judgment.objects.first_rows()))


def _is_declined() -> Q:
    return Q(_here(Decline.objects.all())) & ~_is_answered()


def _places(assessor: Assessor, topic: Topic | None, show: str, search: str) -> QuerySet[BatchQuestion]:
    """The questions that a list shows: of a topic, of a kind of `SHOWN`, with words in topic or note."""
    places = BatchQuestion.objects.filter(
        _is_declined() if show == "cannot" else _is_answered(), assessor=assessor
    )
    noted = AnswerNote.objects.filter(assessor=assessor, question=OuterRef("question"))
    if topic is not None:
        places = places.filter(question__topic=topic)
    if show == "uncertain":
        places = places.filter(Exists(noted.filter(uncertain=True)))
    if show == "noted":
        places = places.filter(Exists(noted.exclude(text="")))
    if search:
        of_topic = Q(question__topic__name__icontains=search) | Q(question__topic__text__icontains=search)
        places = places.filter(of_topic | Q(Exists(noted.filter(text__icontains=search))))
    return places


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
