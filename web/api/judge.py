"""Routes for a program that judges as an assessor with an account, by the same services as the desk.

Challenges look like any other question, and no verdict is disclosed.
"""

from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, QueryDict
from ninja import Router, Status

from judging.batches import answering, declines, drawing, queues
from judging.models import Assessor, Assignment
from judging.questions.texts import SeenText
from panels import account
from web.api import questions as shapes
from web.api.authorization import Id, Scope, Slug, Token, acting, owner
from web.api.problems import ApiRefusal, answers
from web.assessor import answer_views, form_data, views
from web.judging_page import offers, sitting
from web.live import live_topics

router = Router(auth=Token(Scope.JUDGE), tags=["judge"])
router.add_decorator(acting, mode="operation")


@router.get("/studies/{study}/desk", response=answers(shapes.Desk))
def desk(request: HttpRequest, study: Slug) -> dict[str, Any]:
    """Show your state in a study: an open batch, an offered one, or why there is none.

    Like opening the page, it closes or resumes a batch that you left.
    """
    assessor = account.judge_of(owner(request), study)
    latest = assessor.latest
    if latest and not assessor.excluded_at:
        views.settle(assessor)
    told: dict[str, Any] = {"state": "rest", "sitting": None, "why": None, "offer": None}
    if latest and views.is_open(assessor):
        return told | {"state": "open", "sitting": latest.pk}
    if why := views.reason_without_batch(assessor):
        return told | {"why": why}
    offer = offers.offer(assessor.study, assessor, _next_topic(assessor))
    if offer is None:
        return told | {"why": "nothing"}
    return told | {"state": "offered", "offer": shapes.offered(assessor.study, offer)}


def _next_topic(assessor: Assessor) -> int | None:
    """The topic for the next batch, as on the desk."""
    waiting = queues.next_for(assessor)
    return waiting.topic.pk if waiting else None


@router.post("/studies/{study}/sittings", response=answers(shapes.SittingShape, 409, 413, status=201))
def arrive(request: HttpRequest, study: Slug, agreed: shapes.Agreed) -> Any:
    """Start a batch: agree to what the offer says and get its questions; returns your open batch if there is
    one.
    """
    assessor = account.judge_of(owner(request), study)
    if drawing.crowded(assessor.study, assessor, settings.LINK_SITTINGS):
        raise ApiRefusal(409, "busy", "Too many batches wait for answers. Try again later.")
    if sitting.to_be_warned(assessor) and not agreed.warned:
        said = "Your last batch failed: read the instructions again, and send warned: true to go on."
        raise ApiRefusal(409, "warned", said)
    answering.begin(assessor.pk, SeenText(agreed.task, agreed.version), _next_topic(assessor))
    # What is handed out is shown, and no answer tells of it yet.
    live_topics.note(assessor.study_id)
    assessor = account.judge_of(owner(request), study)
    assert assessor.latest is not None
    return Status(201, _told(assessor, assessor.latest))


@router.get("/studies/{study}/sittings/{number}", response=answers(shapes.SittingShape))
def show(request: HttpRequest, study: Slug, number: Id) -> dict[str, Any]:
    """Show a batch of yours: its questions with the answers so far, while it is open."""
    return _told(*_own(request, study, number))


@router.post("/studies/{study}/sittings/{number}/answers", response=answers(shapes.Stored, 409, 413))
def answer(request: HttpRequest, study: Slug, number: Id, given: shapes.Given) -> dict[str, Any]:
    """Answer a question, or correct an answer. A repeat with the same nonce changes nothing."""
    _, batch = _own(request, study, number)
    form = QueryDict(mutable=True)
    form.update({name: str(value) for name, value in given.dict().items() if value is not None})
    form["kind"] = batch.task.kind
    answering.answer(batch.pk, **form_data.answer(form), visit=batch.visit)
    return {"stored": True}


@router.post("/studies/{study}/sittings/{number}/declined", response=answers(shapes.Stored, 409, 413))
def cannot(request: HttpRequest, study: Slug, number: Id, given: shapes.Cannot) -> dict[str, Any]:
    """Decline a question that cannot be judged, with the reason; an answer to it is withdrawn, and another
    reason takes the place of the one before. A repeat changes nothing.
    """
    _, batch = _own(request, study, number)
    note = given.note.replace("\0", "").strip()
    declines.decline(batch.pk, given.position, given.reason, note, visit=batch.visit)
    return {"stored": True}


@router.post("/studies/{study}/sittings/{number}/finish", response=answers(shapes.Closed, 409))
def finish(request: HttpRequest, study: Slug, number: Id) -> dict[str, Any]:
    """Submit a batch whose questions are all answered. A repeat changes nothing."""
    _, batch = _own(request, study, number)
    answer_views.close(batch.pk, batch.visit)
    return {"submitted": True}


def _own(request: HttpRequest, slug: str, number: int) -> tuple[Assessor, Assignment]:
    """A batch of the token's owner in a study. Raises UnknownPerson, Http404."""
    assessor = account.judge_of(owner(request), slug)
    batch = Assignment.objects.select_related("task").filter(pk=number, assessor=assessor).first()
    if batch is None:
        raise Http404("No such batch.")
    return assessor, batch


def _told(assessor: Assessor, batch: Assignment) -> dict[str, Any]:
    """The batch as the API returns it."""
    told: dict[str, Any] = {
        "sitting": batch.pk,
        "kind": batch.task.kind,
        "wording": batch.task.wording,
        "choices": shapes.choices(batch.task),
        "deadline": batch.deadline,
    }
    if assessor.excluded_at or not sitting.is_open(batch):
        return told | {"state": "over", "reasons": [], "questions": []}
    shown = sitting.sitting(batch, assessor.study)
    return told | {
        "state": "open",
        "reasons": [str(value) for value, _ in shown.reasons],
        "questions": [shapes.question(asked) for asked in shown.asked],
    }
