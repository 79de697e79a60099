"""The page of past answers: assessors with accounts read, search and mark their own, and reopen a batch.

It does not reveal which questions were challenges, nor whether a batch was kept.
"""

from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponseBase, JsonResponse
from django.urls import reverse

from collection.models import Topic
from judging.batches import batch_reopen
from judging.batches.answering import NotAsked
from judging.models import (
    AnswerNote,
    Assessor,
    BatchQuestion,
)
from judging.people import answer_notes
from web.assessor import desk, form_data, views
from web.assessor.past_answers import RELATED, is_answered, is_declined, page_of, past
from web.assessor.view_decorators import wants_json
from web.shared.view_choices import choice_of

# What a list can be narrowed to.
SHOWN = ("uncertain", "noted", "cannot")


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
    own = BatchQuestion.objects.filter(is_answered() | is_declined(), assessor=assessor)
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
    page, given = page_of(assessor, _places(assessor, topic, show, search), request.GET.get("page"))
    asked = {"topic": topic.pk if topic else "", "show": show, "search": search}
    told: dict[str, Any] = {
        "topic": topic,
        "whole": False,
        "page": page,
        "show": show,
        "search": search,
        "asked": urlencode({name: value for name, value in asked.items() if value}),
        "answers": given,
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


def _places(assessor: Assessor, topic: Topic | None, show: str, search: str) -> QuerySet[BatchQuestion]:
    """The questions that a list shows: of a topic, of a kind of `SHOWN`, with words in topic or note."""
    places = BatchQuestion.objects.filter(
        is_declined() if show == "cannot" else is_answered(), assessor=assessor
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
