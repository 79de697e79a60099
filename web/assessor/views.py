"""The assessor's pages: join, their own page, judging, pictures. No login, no cookie: tokens say who asks."""

import re
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from collection.material import pictures
from collection.models import Study
from judging.batches import answering, drawing, limits, queues, sittings
from judging.models import Assessor, Assignment, Task
from judging.questions import texts
from panels import local
from panels.base import PANELS, panel_of
from web.assessor import form_data
from web.assessor.view_decorators import NoPicture, assessors_door, judging_page, page, see_other
from web.judging_page import offers, practice, sitting
from web.live import live_topics
from web.shared import languages, throttles
from web.shared.throttles import Limit

NOT_OPEN = _("This link is not open.")

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


@assessors_door("GET", "HEAD", "POST")
def join(request: HttpRequest, join_token: str) -> HttpResponseBase:
    """The page of a study's open link; its button Begin leads to a personal address."""
    study = sitting.linked_study(join_token)
    if study is None:
        raise local.UnknownLink(NOT_OPEN)
    languages.speak(study, request)
    if not study.judging_is_open:
        return page("rest", study=study, why=why_shut(study), joining=True)
    if why := limits.reached(study):
        return page("rest", study=study, why=why, joining=True)
    if request.method == "POST":
        if not _may_join(request, study):
            busy = page("rest", study=study, why="joins", joining=True, status=HTTPStatus.TOO_MANY_REQUESTS)
            busy["Retry-After"] = "60"
            return busy
        return see_other(home(local.join(join_token)))
    offer = offers.offer(study)
    if offer is None:
        return page("rest", study=study, why="nothing", joining=True, wait=sittings.longest_silence(study))
    return page("join", study=study, offer=offer, task=offer.task)


@assessors_door("GET", "HEAD", "POST")
def own_page(request: HttpRequest, panel: str, **parts: Any) -> HttpResponseBase:
    """An assessor's own page, for every panel: instructions, the open batch, or why there is none.

    The panel identifies the person from the rest of the address.
    """
    assessor = PANELS[panel].identify(request, **parts)
    languages.speak(assessor.study, request)
    return judge(request, assessor)


def judge(request: HttpRequest, assessor: Assessor, *, csrf: str = "") -> HttpResponseBase:
    """The own page of an identified assessor, in the current language.

    csrf: token of a login, which protects their forms. topic: of the next batch; for people with an account
    the next topic follows.
    """
    desk = _desk(assessor, csrf)
    topic = form_data.number(request.GET.get("topic", ""))
    if request.method == "POST":
        return _begin(request, assessor, topic, desk)
    study = assessor.study
    latest = assessor.latest
    told: dict[str, Any]
    if "practice" in request.GET and (asked := practice_of(request, assessor, home(assessor))):
        return judging_page(request, study=study, sitting=asked, task=asked.task, home=asked.feedback.next)
    # Programs that only ask whether there is a page change nothing.
    if latest and request.method == "GET" and not assessor.excluded_at:
        found = settle(assessor)
        if found.gone:
            return page("away", study=study, found=found, home=home(assessor))
    if latest and is_open(assessor):
        open_batch = sitting.sitting(latest, study, form_data.number(request.GET.get("at", "")))
        # Without scripts the panel is opened by the address; a part of it chooses the reason.
        told = {"panel": request.GET.get("cannot"), "home": home(assessor), **desk}
        told["again"] = latest.first_deadline is not None
        return judging_page(request, study=study, sitting=open_batch, task=open_batch.task, **told)
    finished = sitting.receipt(latest)
    told = {
        "study": study,
        "finished": finished,
        "completion": _completion(assessor, latest),
        **desk,
    }
    if not study.judging_is_open:
        return page("rest", why=why_shut(study), **told)
    if why := limits.reached(study, assessor):
        return page("rest", why=why, **told)
    if desk and topic is None:
        told["next"] = queues.next_for(assessor)
        topic = told["next"] and told["next"].topic.pk
        told["begin_by"] = f"{home(assessor)}?topic={topic}" if topic else ""
    offer = offers.offer(study, assessor, topic)
    if offer is None:
        return page("rest", why="nothing", wait=sittings.longest_silence(study), **told)
    reread = _reread(latest, offer.task)
    if finished and not reread:
        changed = latest is not None and (latest.version or 1) < offer.task.version
        return page("rest", why="more", offer=offer, task=offer.task, changed=changed, **told)
    # Closed before its time was over.
    early = latest is not None and latest.deadline > timezone.now()
    told |= {"lapsed": latest is not None and not finished, "early": early, "by_link": assessor.by_link}
    told["reread"] = reread
    told |= examples_of(request, offer.task, latest)
    return page("instructions", offer=offer, task=offer.task, **told)


def settle(assessor: Assessor) -> sitting.Return:
    """Bring an assessor's latest batch up to date after an absence."""
    latest = assessor.latest
    assert latest is not None
    was = latest.state
    found = sitting.come_back(latest)
    if was != latest.state:
        # What was answered in time may have failed.
        assessor.refresh_from_db(fields=["excluded_at"])
    return found


def is_open(assessor: Assessor) -> bool:
    """Tell whether an assessor's latest batch takes answers now."""
    return sitting.is_open(assessor.latest) and not assessor.excluded_at


def _desk(assessor: Assessor, csrf: str) -> dict[str, Any]:
    """What pages show in addition to people with an account."""
    if assessor.user_id is None:
        return {}
    return {"desk": reverse("desk-queue", args=[assessor.study.slug]), "csrf": csrf}


def examples_of(request: HttpRequest, task: Task, latest: Assignment | None) -> dict[str, Any]:
    """The instructions' examples of a task; `first`: practice comes before the batch."""
    number = practice.number_of(task)
    first = number > 0 and latest is None and "practised" not in request.GET
    return {"examples": practice.told(task, task.study), "practices": number, "first": first}


def practice_of(request: HttpRequest, assessor: Assessor, at: str) -> practice.Practice | None:
    """The practice question at a page's address; None if there is none, or judging is not open."""
    number, task = form_data.number(request.GET["practice"]), form_data.number(request.GET.get("task", ""))
    named = next((one for one in assessor.tasks if one.pk == task), None)
    if number is None or named is None or not assessor.study.judging_is_open:
        return None
    return practice.page(named, assessor.study, at, number, request.GET.get("answer", ""))


def _begin(request: HttpRequest, assessor: Assessor, topic: int | None, desk: dict[str, Any]) -> HttpResponse:
    if request.POST.get("action") != "begin":
        raise form_data.BadForm(_("This page knows one action, begin. Load it again."))
    seen = seen_texts(request.POST)
    if drawing.crowded(assessor, settings.LINK_SITTINGS):
        wait = sittings.next_release(assessor.study)
        return page("rest", study=assessor.study, why="busy", wait=wait, seen=seen, **desk)
    if sitting.to_be_warned(assessor) and not request.POST.get("read"):
        return page("warned", study=assessor.study, seen=seen, **desk)
    try:
        answering.begin(assessor.pk, seen, topic)
        # What is handed out is shown, and no answer tells of it yet.
        live_topics.note(assessor.study_id)
    except texts.NotRead:
        # The assessor's page shows what is to be read now.
        return see_other(home(assessor) + (f"?topic={topic}" if topic else ""))
    except answering.NothingLeft as error:
        # Answered here: the assessor's page may still offer a question that somebody else has just taken.
        # For those who are excluded too: nothing tells them from those for whom nothing is left.
        if assessor.study.judging_is_open:
            said = _completion(assessor, assessor.latest)
            told = {"study": assessor.study, "completion": said, "seen": seen, **desk}
            why = error.why if isinstance(error, answering.Limited) else "nothing"
            wait = sittings.longest_silence(assessor.study) if why == "nothing" else 0
            return page("rest", why=why, wait=wait, **told)
    return see_other(home(assessor))


def _reread(latest: Assignment | None, task: Task) -> str:
    """Why somebody with earlier batches must read the texts again: "task", "consent", or ""."""
    if latest is None or texts.agreed(latest, task):
        return ""
    return "consent" if latest.task_id == task.pk else "task"


def seen_texts(form: QueryDict) -> texts.SeenText | None:
    """The texts on the page with the button; None if it names none."""
    task, version = form_data.number(form.get("task", "")), form_data.number(form.get("version", ""))
    return None if task is None or version is None else texts.SeenText(task, version)


def _may_join(request: HttpRequest, study: Study) -> bool:
    """Count somebody who joins; False if there were too many from their address, or in the study."""
    most = settings.JOINS_A_MINUTE
    return throttles.count(
        Limit("joins-address", most, 60), study.pk, throttles.address_of(request)
    ) and throttles.count(Limit("joins", 4 * most, 60), study.pk)


def home(assessor: Assessor) -> str:
    """Path of an assessor's own page."""
    return panel_of(assessor).home(assessor)


def _completion(assessor: Assessor, latest: Assignment | None) -> str:
    """The panel's words about the last submitted batch; "" if there is none."""
    if latest and latest.submitted_at is None:
        latest = sitting.latest_sent(assessor)
    return panel_of(assessor).completion(latest) if latest else ""


@assessors_door("GET", "HEAD")
def image(request: HttpRequest, token: str) -> HttpResponseBase:
    """The picture of a token's item or place; a reduced copy of a large one, unless the address asks
    otherwise.

    For a moving picture the first frame, with the header X-Moves; `moving` asks for all of it.
    """
    name = sitting.picture(token)
    if not name:
        raise NoPicture(_("There is no picture here, or the batch that showed it is over."))
    try:
        size = next((size for size in ("whole", "small", "moving") if size in request.GET), "reduced")
        file, moves = pictures.open_picture(name, size)
    except FileNotFoundError as error:
        raise NoPicture(_("The file of this picture is missing.")) from error
    start = file.read(16)
    file.seek(0)
    kinds = (kind for signature, kind in SIGNATURES if signature.match(start))
    response = FileResponse(file, content_type=next(kinds, "application/octet-stream"))
    response["Cache-Control"] = f"private, max-age={YEAR}, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    if moves:
        response["X-Moves"] = "1"
    return response


def why_not(assessor: Assessor) -> str:
    """Why an assessor gets no batch although questions may wait, in the words of `rest`.

    "" if they get one.
    """
    study = assessor.study
    return (limits.reached(study, assessor) or "") if study.judging_is_open else why_shut(study)


def why_shut(study: Any) -> str:
    """Why no batches are given out: "not-open", "paused" or "closed"."""
    if not study.closed_at:
        return "closed" if study.opened_at and study.is_past else "not-open"
    return "paused" if study.paused else "closed"
