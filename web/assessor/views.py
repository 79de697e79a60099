"""The assessor's pages: join, their own page, judging, pictures. No login and no cookie: tokens say who asks.

A panel may show these pages inside its own, where browsers send no cookies; so nothing here reads or
sets one, and what a form may do is decided by the signed token it carries.
"""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http import (
    FileResponse,
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    JsonResponse,
    QueryDict,
)
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt

from collection import pictures
from collection.models import Study
from judging import answering, declining, drawing, queues, statements, texts
from judging.models import Assessor, Assignment, Task
from panels import local
from panels.base import PANELS, UnknownPerson, panel_of
from web import languages, throttling, tokens
from web.assessor import posted, practice, sitting
from web.coordinator import following
from web.throttling import Limit

NOT_OPEN = _("This link is not open.")
View = Callable[..., HttpResponseBase]

YEAR = 365 * 24 * 3600
# The first bytes of the pictures that browsers show; what a file is called proves nothing.
SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb"BM"), "image/bmp"),
)


class NoPicture(Exception):
    """The item has no picture, or its file is gone."""


class Refusal(NamedTuple):
    """How an error is answered: its code for scripts, its status, and its heading for people."""

    kind: type[Exception]
    code: str
    status: HTTPStatus
    heading: Any


# The first that matches is used, so the general JudgingError comes after its subclasses.
REFUSALS = (
    Refusal(tokens.BadToken, "token", HTTPStatus.FORBIDDEN, _("This page cannot be used")),
    Refusal(Assignment.DoesNotExist, "token", HTTPStatus.FORBIDDEN, _("This page cannot be used")),
    Refusal(answering.NotAsked, "not-asked", HTTPStatus.FORBIDDEN, _("This answer was not taken")),
    Refusal(answering.Over, "over", HTTPStatus.CONFLICT, _("This batch is over")),
    Refusal(answering.Gone, "gone", HTTPStatus.CONFLICT, _("This question has gone to somebody else")),
    Refusal(answering.Left, "left", HTTPStatus.CONFLICT, _("This answer was not taken")),
    Refusal(answering.Unfinished, "unfinished", HTTPStatus.CONFLICT, _("Not quite finished")),
    Refusal(answering.JudgingError, "refused", HTTPStatus.BAD_REQUEST, _("This answer was not taken")),
    Refusal(posted.BadForm, "form", HTTPStatus.BAD_REQUEST, _("This answer was not taken")),
    Refusal(UnknownPerson, "unknown", HTTPStatus.NOT_FOUND, _("This link leads nowhere")),
    Refusal(NoPicture, "no-picture", HTTPStatus.NOT_FOUND, _("There is no picture here")),
)


def assessors_door(*methods: str) -> Callable[[View], View]:
    """Make a view a page for assessors: check the method, set headers, answer errors by REFUSALS."""

    def wrap(view: View) -> View:
        @csrf_exempt  # there is no cookie or login for a foreign page to misuse
        @wraps(view)
        def door(request: HttpRequest, **parts: Any) -> HttpResponseBase:
            if request.method not in methods:
                return HttpResponseNotAllowed(methods)
            # Until it is known whose page it is, in the language that the browser asks for.
            with languages.speaking(None, request):
                try:
                    response = _once_more(view, request, parts)
                except tuple(refusal.kind for refusal in REFUSALS) as error:
                    response = _refuse(request, error)
            response["Referrer-Policy"] = "no-referrer"
            response.setdefault("Cache-Control", "no-store")
            return response

        return door

    return wrap


def _once_more(view: View, request: HttpRequest, parts: dict[str, Any]) -> HttpResponseBase:
    """Call a view, and again with a new connection where the database has closed the one that was kept.

    Whatever assessors ask for may be repeated.
    """
    try:
        return view(request, **parts)
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block or connection.is_usable():
            raise
        connection.close()
        return view(request, **parts)


@assessors_door("GET", "HEAD", "POST")
def join(request: HttpRequest, join_token: str) -> HttpResponseBase:
    """The page of a study's open link; its button Begin leads to a personal address."""
    study = sitting.linked_study(join_token)
    if study is None:
        raise local.UnknownLink(NOT_OPEN)
    languages.speak(study, request)
    if not study.judging_is_open:
        return _page("rest", study=study, why=why_shut(study), joining=True)
    if request.method == "POST":
        if not _may_join(request, study):
            page = _page("rest", study=study, why="busy", joining=True, status=HTTPStatus.TOO_MANY_REQUESTS)
            page["Retry-After"] = "60"
            return page
        return see_other(home(local.join(join_token)))
    offer = sitting.offer(study)
    if offer is None:
        return _page("rest", study=study, why="nothing", joining=True)
    return _page("join", study=study, offer=offer, task=offer.task)


@assessors_door("GET", "HEAD", "POST")
def own_page(request: HttpRequest, panel: str, **parts: Any) -> HttpResponseBase:
    """An assessor's own page, whatever panel they come from: instructions, the open batch, or why there is
    nothing to do. The other parts of the address say to the panel who it is.
    """
    assessor = PANELS[panel].identify(request, **parts)
    languages.speak(assessor.study, request)
    return judge(request, assessor)


def judge(request: HttpRequest, assessor: Assessor, *, csrf: str = "") -> HttpResponseBase:
    """The own page of an assessor who is known, in the language that is spoken.

    csrf: the token of a login, by which their forms are known to be ours. In the address, topic is the one
    that a batch is to be about; for those with an account one follows after the other.
    """
    desk = _desk(assessor, csrf)
    topic = posted.number(request.GET.get("topic", ""))
    if request.method == "POST":
        return _begin(request, assessor, topic, desk)
    study = assessor.study
    latest = assessor.latest
    told: dict[str, Any]
    if "practice" in request.GET and (asked := _practice(request, assessor)):
        return _page("judging", study=study, sitting=asked, task=asked.task, home=asked.feedback.next)
    # Programs that only ask whether there is a page change nothing.
    if latest and request.method == "GET" and not assessor.excluded_at:
        found = settle(assessor)
        if found.gone:
            return _page("away", study=study, found=found, home=home(assessor))
    if latest and is_open(assessor):
        open_batch = sitting.sitting(latest, study, posted.number(request.GET.get("at", "")))
        # Without scripts the panel is opened by the address; a part of it chooses the reason.
        told = {"panel": request.GET.get("cannot"), "home": home(assessor), **desk}
        told["again"] = latest.first_deadline is not None
        return _page("judging", study=study, sitting=open_batch, task=open_batch.task, **told)
    finished = sitting.receipt(latest)
    told = {
        "study": study,
        "finished": finished,
        "completion": _completion(assessor, latest),
        **desk,
    }
    if not study.judging_is_open:
        return _page("rest", why=why_shut(study), **told)
    if desk and topic is None:
        told["next"] = queues.next_for(assessor)
        topic = told["next"] and told["next"].topic.pk
        told["begin_by"] = f"{home(assessor)}?topic={topic}" if topic else ""
    offer = sitting.offer(study, assessor, topic)
    if offer is None:
        return _page("rest", why="nothing", **told)
    reread = _reread(latest, offer.task)
    if finished and not reread:
        changed = latest is not None and (latest.version or 1) < offer.task.version
        return _page("rest", why="more", offer=offer, task=offer.task, changed=changed, **told)
    # Closed before its time was over.
    early = latest is not None and latest.deadline > timezone.now()
    told |= {"lapsed": latest is not None and not finished, "early": early, "by_link": assessor.by_link}
    told["reread"] = reread
    told |= _examples(request, offer.task, latest)
    return _page("instructions", offer=offer, task=offer.task, **told)


def settle(assessor: Assessor) -> sitting.Return:
    """Settle what became of an assessor's latest batch, which they have, while they were away."""
    latest = assessor.latest
    assert latest is not None
    was = latest.state
    found = sitting.come_back(latest)
    if was != latest.state:
        # What was answered in time may have failed.
        assessor.refresh_from_db(fields=["excluded_at"])
    return found


def is_open(assessor: Assessor) -> bool:
    """Whether answers of an assessor are taken now, to their latest batch."""
    return sitting.is_open(assessor.latest) and not assessor.excluded_at


def _desk(assessor: Assessor, csrf: str) -> dict[str, Any]:
    """What the pages of somebody with an account show beside those of others."""
    if assessor.user_id is None:
        return {}
    return {"desk": reverse("desk-queue", args=[assessor.study.slug]), "csrf": csrf}


def _examples(request: HttpRequest, task: Task, latest: Assignment | None) -> dict[str, Any]:
    """What the instructions show of a task's examples; `first`: practice comes before beginning."""
    number = practice.number_of(task)
    first = number > 0 and latest is None and "practised" not in request.GET
    return {"examples": practice.told(task, task.study), "practices": number, "first": first}


def _practice(request: HttpRequest, assessor: Assessor) -> practice.Practice | None:
    """The practice question that is asked for; None if there is none, or judging is not open."""
    number, task = posted.number(request.GET["practice"]), posted.number(request.GET.get("task", ""))
    named = next((one for one in assessor.tasks if one.pk == task), None)
    if number is None or named is None or not assessor.study.judging_is_open:
        return None
    return practice.page(named, assessor.study, home(assessor), number, request.GET.get("answer", ""))


def _begin(request: HttpRequest, assessor: Assessor, topic: int | None, desk: dict[str, Any]) -> HttpResponse:
    if request.POST.get("action") != "begin":
        raise posted.BadForm(_("This page knows one action, begin. Load it again."))
    seen = _seen(request.POST)
    if drawing.crowded(assessor, settings.LINK_SITTINGS):
        return _page("rest", study=assessor.study, why="busy", seen=seen, **desk)
    if sitting.to_be_warned(assessor) and not request.POST.get("read"):
        return _page("warned", study=assessor.study, seen=seen, **desk)
    try:
        answering.begin(assessor.pk, seen, topic)
        # What is handed out is shown, and no answer tells of it yet.
        following.note(assessor.study_id)
    except texts.NotRead:
        # The assessor's page shows what is to be read now.
        return see_other(home(assessor) + (f"?topic={topic}" if topic else ""))
    except answering.NothingLeft:
        # Answered here: the assessor's page may still offer a question that somebody else has just taken.
        # For those who are excluded too: nothing tells them from those for whom nothing is left.
        if assessor.study.judging_is_open:
            said = _completion(assessor, assessor.latest)
            told = {"study": assessor.study, "completion": said, "seen": seen, **desk}
            return _page("rest", why="nothing", **told)
    return see_other(home(assessor))


def _reread(latest: Assignment | None, task: Task) -> str:
    """Why somebody who had batches before is to read all again: "task", "consent"; "" if they need not."""
    if latest is None or texts.agreed(latest, task):
        return ""
    return "consent" if latest.task_id == task.pk else "task"


def _seen(form: QueryDict) -> texts.Seen | None:
    """The texts that the page with the button had; None where it names none."""
    task, version = posted.number(form.get("task", "")), posted.number(form.get("version", ""))
    return None if task is None or version is None else texts.Seen(task, version)


def _may_join(request: HttpRequest, study: Study) -> bool:
    """Count somebody who joins; False when there were too many from their address, or to the study."""
    most = settings.JOINS_A_MINUTE
    return throttling.count(
        Limit("joins-address", most, 60), study.pk, throttling.address_of(request)
    ) and throttling.count(Limit("joins", 4 * most, 60), study.pk)


def home(assessor: Assessor) -> str:
    """The path of an assessor's own page."""
    return panel_of(assessor).home(assessor)


def _completion(assessor: Assessor, latest: Assignment | None) -> str:
    """What the panel has to tell about the batch that was sent last; "" if none was."""
    if latest and latest.submitted_at is None:
        latest = sitting.latest_sent(assessor)
    return panel_of(assessor).completion(latest) if latest else ""


@assessors_door("POST")
def answer(request: HttpRequest) -> HttpResponseBase:
    """Take one answer; reply with short JSON to judge.js, else redirect to the batch."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    assignment_id = tokens.read_assignment(token)
    answering.answer(assignment_id, **posted.answer(request.POST))
    if _wants_json(request):
        return JsonResponse({"stored": True})
    return see_other(sitting.home(assignment_id))


@assessors_door("POST")
def cannot(request: HttpRequest) -> HttpResponseBase:
    """Take word that a question cannot be judged, and why; the reply is that to an answer."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    assignment_id = tokens.read_assignment(token)
    position = posted.number(request.POST.get("position", ""))
    if position is None:
        raise posted.BadForm(_("The form does not say which question it is about. Load the page again."))
    # PostgreSQL stores no NUL, and no form of ours sends one.
    note = request.POST.get("note", "").replace("\0", "").strip()
    declining.decline(assignment_id, position, request.POST.get("reason", ""), note)
    if _wants_json(request):
        return JsonResponse({"stored": True})
    return see_other(sitting.home(assignment_id))


@assessors_door("POST")
def submit(request: HttpRequest) -> HttpResponseBase:
    """Close a finished batch. The next page is the same whether it was kept or not, where nothing is open."""
    if tokens.is_trial(token := request.POST.get("token", "")):
        return _tried(request, token)
    assignment_id = tokens.read_assignment(token)
    assessor = statements.sender_of(assignment_id)
    panel = panel_of(assessor)
    answering.close(assignment_id, confirmed=not panel.confirms)
    next_page = panel.home(assessor)
    if _wants_json(request):
        return JsonResponse({"submitted": True, "next": next_page})
    return see_other(next_page)


def _tried(request: HttpRequest, token: str) -> HttpResponseBase:
    """Go on in a trial (`web.assessor.trial`): what was answered is thrown away."""
    home, position = tokens.read_trial(token), posted.number(request.POST.get("position", ""))
    if _wants_json(request):
        return JsonResponse({"stored": True, "submitted": True, "next": home})
    if position is None:
        return see_other(home)
    choice = request.POST.get("choice") or "-".join(filter(None, map(request.POST.get, ("best", "worst"))))
    given = urlencode({"at": position + 1, "answer": choice[:40]})
    return see_other(f"{home}&{given}")


@assessors_door("GET", "HEAD")
def image(request: HttpRequest, token: str) -> HttpResponseBase:
    """The picture of the item or place that the token was signed for: a reduced copy of a large one, unless
    the address asks for the whole, or for a small one. One query.
    """
    name = sitting.picture(token)
    if not name:
        raise NoPicture(_("There is no picture here, or the batch that showed it is over."))
    try:
        size = next((size for size in ("whole", "small") if size in request.GET), "reduced")
        file = pictures.open_picture(name, size)
    except FileNotFoundError as error:
        raise NoPicture(_("The file of this picture is missing.")) from error
    start = file.read(16)
    file.seek(0)
    kinds = (kind for signature, kind in SIGNATURES if signature.match(start))
    response = FileResponse(file, content_type=next(kinds, "application/octet-stream"))
    response["Cache-Control"] = f"private, max-age={YEAR}, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    return response


def why_shut(study: Any) -> str:
    """Why no batches are handed out: "not-open", "paused" or "closed"."""
    if not study.closed_at:
        return "not-open"
    return "paused" if study.paused else "closed"


def _wants_json(request: HttpRequest) -> bool:
    """True for fetch() from judge.js; a plain form post accepts */*."""
    return "application/json" in request.META.get("HTTP_ACCEPT", "")


def see_other(address: str) -> HttpResponse:
    """Send the browser on with a GET, so that a reload does not post again."""
    return HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": address})


def _page(name: str, *, status: int = HTTPStatus.OK, **context: Any) -> HttpResponse:
    # Without the request: no context processor then looks for a user, a session or a message.
    return HttpResponse(languages.render(name, context), status=status)


def _refuse(request: HttpRequest, error: Exception) -> HttpResponse:
    """Answer an error with JSON, or with a page that says what to do next."""
    refusal = next(refusal for refusal in REFUSALS if isinstance(error, refusal.kind))
    _speak_to_sender(request)
    altered = _("This page was made by another server, or altered.")
    sentence, heading = str(altered if refusal.code == "token" else error), str(refusal.heading)
    if _wants_json(request):
        return JsonResponse({"error": sentence, "code": refusal.code}, status=refusal.status)
    told = {"refusal": refusal._replace(heading=heading), "sentence": sentence}
    return _page("refusal", status=refusal.status, next=_next(request), **told)


def _speak_to_sender(request: HttpRequest) -> None:
    """Go over to the language of the study that a form's token belongs to, if it belongs to any."""
    with suppress(tokens.BadToken, Assignment.DoesNotExist):
        sender = statements.sender_of(tokens.read_assignment(request.POST.get("token", "")))
        languages.speak(sender.study, request)


def _next(request: HttpRequest) -> str | None:
    """Address to go on from after a refusal: the page of the token's assessor; None for a bad token."""
    try:
        return sitting.home(tokens.read_assignment(request.POST.get("token", "")))
    except (tokens.BadToken, Assignment.DoesNotExist):
        return None
