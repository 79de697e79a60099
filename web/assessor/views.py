"""The assessor's pages: joining, their own page, judging, pictures.

They need no login and no cookie: a token identifies the assessor.
"""

import json
import re
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from collection.material import pictures
from collection.models import Study
from judging.batches import answering, drawing, limits, queues, sittings
from judging.models import OPEN, Assessor, Assignment, BatchQuestion, Judgment, Task
from judging.people import answer_notes
from judging.questions import texts
from judging.verdicts import decisions
from panels import local
from panels.base import PANELS, panel_of
from panels.local import more_wishes
from web.assessor import form_data, past_answers
from web.assessor.view_decorators import NoPicture, assessors_door, judging_page, page, see_other
from web.judging_page import offers, practice, sitting
from web.live import live_topics
from web.shared import languages, throttles
from web.shared.ranges import ranged
from web.shared.throttles import Limit

NOT_OPEN = _("This link is not open.")

# Why somebody has nothing to judge that may pass (`why` of the page `rest`).
PASSING = ("nothing", "today", "paused", "held", "not-open")
# How a batch was closed before its deadline, by the reason of the decision.
EARLY = {decisions.NOT_BEGUN: "not begun", decisions.BY_ORGANIZER: "by an organizer"}
YEAR = 365 * 24 * 3600
# The first bytes of the formats that browsers show or play; a file's name proves nothing.
SIGNATURES = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF....WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb"....ftypavi[fs]", re.DOTALL), "image/avif"),
    (re.compile(rb"BM"), "image/bmp"),
    (re.compile(rb"RIFF....WAVE", re.DOTALL), "audio/wav"),
    (re.compile(rb"OggS"), "audio/ogg"),
    (re.compile(rb"fLaC"), "audio/flac"),
    (re.compile(rb"\x1a\x45\xdf\xa3"), "video/webm"),
    (re.compile(rb"....ftypM4A", re.DOTALL), "audio/mp4"),
    (re.compile(rb"....ftyp", re.DOTALL), "video/mp4"),
    (re.compile(rb"ID3|\xff[\xe2-\xff]"), "audio/mpeg"),
)


@assessors_door("GET", "HEAD", "POST")
def join(request: HttpRequest, join_token: str) -> HttpResponseBase:
    """Show the page of a study's open link; on POST (Begin), redirect to a new personal address."""
    study = sitting.linked_study(join_token)
    if study is None:
        return _turned_off(request, join_token)
    languages.speak(study, request)
    if not study.judging_is_open:
        return page("rest", study=study, why=reason_closed(study), joining=True)
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
        wait, looked = sittings.longest_silence(study), "looked" in request.GET
        return page("rest", study=study, why="nothing", joining=True, wait=wait, looked=looked)
    if drawing.crowded(study, None, settings.LINK_SITTINGS):
        return _with_others(study, joining=True)
    task = offer.task
    return page("join", study=study, offer=offer, task=task, examples=practice.told(task, study)[:1])


def _turned_off(request: HttpRequest, join_token: str) -> HttpResponseBase:
    """Show that an open link was turned off, and the way on for those who have begun. Raises UnknownLink."""
    study = sitting.unlinked_study(join_token)
    if study is None:
        raise local.UnknownLink(NOT_OPEN)
    languages.speak(study, request)
    why = "closed" if study.is_over else "link-off"
    return page("rest", study=study, why=why, joining=True, status=HTTPStatus.GONE)


@assessors_door("GET", "HEAD", "POST")
def own_page(request: HttpRequest, panel: str, **parts: Any) -> HttpResponseBase:
    """Show an assessor's own page: instructions, the open batch, or why there is nothing to do.

    The panel identifies the assessor from the other parts of the address.
    """
    assessor = PANELS[panel].identify(request, **parts)
    languages.speak(assessor.study, request)
    return judge(request, assessor)


def judge(request: HttpRequest, assessor: Assessor, *, csrf: str = "") -> HttpResponseBase:
    """Show the page of an identified assessor, in the active language; on POST, begin a batch.

    csrf: the CSRF token for the forms of an assessor who is logged in. `?topic=` asks for a batch of one
    topic; without it, an assessor with an account is offered the next topic of their queue.
    """
    desk = _desk(assessor, csrf)
    topic = form_data.number(request.GET.get("topic", ""))
    if request.method == "POST" and request.POST.get("action") == "write":
        more_wishes.wish(assessor, "write" in request.POST)
        return see_other(home(assessor))
    if request.method == "POST":
        return _begin(request, assessor, topic, desk)
    study = assessor.study
    latest = assessor.latest
    told: dict[str, Any]
    if "practice" in request.GET and (asked := practice_of(request, assessor, home(assessor))):
        return judging_page(request, study=study, sitting=asked, task=asked.task, home=asked.feedback.next)
    # A HEAD request changes nothing.
    if latest and request.method == "GET" and not assessor.excluded_at:
        found = settle(assessor)
        if found.gone:
            return page("before", study=study, found=found, until=latest.deadline, home=home(assessor))
    if latest and is_open(assessor):
        open_batch = sitting.sitting(latest, study, form_data.number(request.GET.get("at", "")))
        # Without scripts, `?cannot=` opens the panel of reasons for declining.
        told = {"panel": request.GET.get("cannot"), "home": home(assessor), **desk}
        told |= {"again": latest.first_deadline is not None, "idle": latest.idle_minutes}
        if csrf:
            told |= {"notes": _notes(assessor, latest), "batch": latest.pk}
        return judging_page(request, study=study, sitting=open_batch, task=open_batch.task, **told)
    finished = sitting.receipt(latest)
    if latest and (given := answers_given(request, latest, study, home(assessor))):
        return given
    told = {
        "study": study,
        "finished": finished,
        "completion": _completion(assessor, latest),
        "unread": "unread" in request.GET,
        "looked": "looked" in request.GET,
        **desk,
    }
    if not study.judging_is_open:
        return _rest(assessor, reason_closed(study), **told)
    if why := limits.reached(study, assessor):
        return _rest(assessor, why, **told)
    if desk and topic is None:
        told["next"] = queues.next_for(assessor)
        topic = told["next"] and told["next"].topic.pk
        told["begin_by"] = f"{home(assessor)}?topic={topic}" if topic else ""
    offer = offers.offer(study, assessor, topic)
    if offer is None:
        return _rest(assessor, "nothing", wait=sittings.longest_silence(study), **told)
    if drawing.crowded(study, assessor, settings.LINK_SITTINGS):
        return _with_others(**told)
    reread = _reread(latest, offer.task)
    if finished and not reread:
        changed = latest is not None and (latest.version or 1) < offer.task.version
        return page("rest", why="more", offer=offer, task=offer.task, changed=changed, **told)
    told |= {"lapsed": lapse_of(latest) if not finished else "", "by_link": assessor.by_link}
    told["reread"] = reread
    told |= examples_of(request, offer.task, latest)
    return page("instructions", offer=offer, task=offer.task, **told)


def _rest(assessor: Assessor, why: str, **told: Any) -> HttpResponse:
    """Show why there is nothing to judge now, with what can tell them once there is."""
    return page("rest", why=why, letter=more_wishes.is_wished(assessor) if why in PASSING else None, **told)


def _with_others(study: Study, **told: Any) -> HttpResponse:
    """Show that people of the open link hold the questions, and when some are free again."""
    return page("rest", study=study, why="busy", wait=sittings.next_release(study), **told)


def answers_given(
    request: HttpRequest, batch: Assignment, study: Study, address: str
) -> HttpResponseBase | None:
    """List somebody's answers in all batches where the address asks for it (`?answers`).

    batch: their last one. None if it does not, and while the batch is judged.
    """
    if "answers" not in request.GET or not sitting.receipt(batch):
        return None
    own = BatchQuestion.objects.filter(
        past_answers.is_answered() | past_answers.is_declined(), assessor=batch.assessor_id
    ).exclude(assignment__state__in=OPEN)
    shown, given = past_answers.page_of(batch.assessor, own, request.GET.get("page"))
    return page("answers", study=study, answers=given, page=shown, asked="answers", home=address)


def lapse_of(batch: Assignment | None) -> str:
    """Return how somebody's last batch lapsed, or "" without one.

    Before its deadline: "not begun", "by an organizer", or "early" for any other reason. After it:
    "unanswered" or "late".
    """
    if batch is None:
        return ""
    if batch.deadline > timezone.now():
        lapsed = batch.decisions.filter(what=decisions.What.LAPSED).order_by("pk").last()
        return EARLY.get(lapsed.why if lapsed else "", "early")
    return "late" if Judgment.objects.filter(assignment=batch).exists() else "unanswered"


def _notes(assessor: Assessor, batch: Assignment) -> str:
    """Return what somebody noted at the questions of a batch, as JSON: position -> [uncertain, text]."""
    positions = dict(batch.batch.values_list("question_id", "position"))
    own = answer_notes.notes_of(assessor.pk, positions)
    return json.dumps({positions[pk]: [one.uncertain, one.text] for pk, one in own.items()})


def settle(assessor: Assessor) -> sitting.Return:
    """Bring an assessor's latest batch up to date after they were away, and tell what changed.

    The assessor must have a batch.
    """
    latest = assessor.latest
    assert latest is not None
    was = latest.state
    found = sitting.come_back(latest)
    if was != latest.state:
        # The answers given in time may have failed the challenges, which can exclude the assessor.
        assessor.refresh_from_db(fields=["excluded_at"])
    return found


def is_open(assessor: Assessor) -> bool:
    """Return True if answers to an assessor's latest batch are taken now."""
    return sitting.is_open(assessor.latest) and not assessor.excluded_at


def _desk(assessor: Assessor, csrf: str) -> dict[str, Any]:
    """Return what pages show only to assessors with an account; {} for others."""
    if assessor.user_id is None:
        return {}
    return {"desk": reverse("desk-queue", args=[assessor.study.slug]), "csrf": csrf}


def examples_of(request: HttpRequest, task: Task, latest: Assignment | None) -> dict[str, Any]:
    """Return what the instructions show about a task's examples.

    `first` is True if practice comes before the first batch and is not done yet.
    """
    number = practice.number_of(task)
    practised = "practised" in request.GET
    first = number > 0 and latest is None and not practised
    told = {"examples": practice.told(task, task.study), "practices": number}
    return told | {"first": first, "practised": practised}


def practice_of(request: HttpRequest, assessor: Assessor, at: str) -> practice.Practice | None:
    """Return the practice question that a page's address asks for; None if it has none.

    Also None if the task is not one of the assessor's, or judging is not open.
    """
    number, task = form_data.number(request.GET["practice"]), form_data.number(request.GET.get("task", ""))
    named = next((one for one in assessor.tasks if one.pk == task), None)
    if number is None or named is None or not assessor.study.judging_is_open:
        return None
    return practice.page(named, assessor.study, at, number, request.GET.get("answer", ""))


def _begin(request: HttpRequest, assessor: Assessor, topic: int | None, desk: dict[str, Any]) -> HttpResponse:
    if request.POST.get("action") != "begin":
        raise form_data.BadForm(_("This page knows one action, begin. Load it again."))
    seen = seen_texts(request.POST)
    # The page that says why there is nothing shows the receipt as before.
    finished = sitting.receipt(assessor.latest)
    if drawing.crowded(assessor.study, assessor, settings.LINK_SITTINGS):
        return _with_others(assessor.study, seen=seen, finished=finished, **desk)
    if sitting.to_be_warned(assessor) and not request.POST.get("read"):
        return page("before", study=assessor.study, seen=seen, **desk)
    try:
        answering.begin(assessor.pk, seen or texts.NO_TEXTS, topic)
        # The page of topics shows questions that are handed out, before any answer would refresh it.
        live_topics.note(assessor.study_id)
    except texts.NotRead:
        # The assessor's page shows what is to be read now.
        return see_other(f"{home(assessor)}?unread{f'&topic={topic}' if topic else ''}")
    except answering.NothingLeft as error:
        # Reply here, since the assessor's page may still offer a question that somebody else has just taken.
        # Excluded assessors get the same page, so that they cannot tell exclusion from nothing left.
        if assessor.study.judging_is_open:
            said = _completion(assessor, assessor.latest)
            told = {"study": assessor.study, "finished": finished, "completion": said, "seen": seen, **desk}
            why = error.why if isinstance(error, answering.Limited) else "nothing"
            wait = sittings.longest_silence(assessor.study) if why == "nothing" else 0
            return _rest(assessor, why, wait=wait, looked=True, **told)
    return see_other(home(assessor))


def _reread(latest: Assignment | None, task: Task) -> str:
    """Return why somebody with earlier batches must read the instructions again: "task", "consent", or ""."""
    if latest is None or texts.agreed(latest, task):
        return ""
    return "consent" if latest.task_id == task.pk else "task"


def seen_texts(form: QueryDict) -> texts.SeenText | None:
    """Return the version of the texts that the posting page had shown; None if the form names none."""
    task, version = form_data.number(form.get("task", "")), form_data.number(form.get("version", ""))
    return None if task is None or version is None else texts.SeenText(task, version)


def _may_join(request: HttpRequest, study: Study) -> bool:
    """Count a person who joins; return False after too many from their address, or to the study."""
    most = settings.JOINS_A_MINUTE
    return throttles.count(
        Limit("joins-address", most, 60), study.pk, throttles.address_of(request)
    ) and throttles.count(Limit("joins", 4 * most, 60), study.pk)


def home(assessor: Assessor) -> str:
    """Return the path of an assessor's own page."""
    return panel_of(assessor).home(assessor)


def _completion(assessor: Assessor, latest: Assignment | None) -> str:
    """Return what the panel tells about the batch submitted last; "" if there is none."""
    if latest and latest.submitted_at is None:
        latest = sitting.latest_sent(assessor)
    return panel_of(assessor).completion(latest) if latest else ""


@assessors_door("GET", "HEAD")
def image(request: HttpRequest, token: str) -> HttpResponseBase:
    """Serve the picture or recording of the item or position that the token was signed for.

    Large pictures are served as a reduced copy; `?whole` asks for the original and `?small` for a small copy.
    For an animated picture the response is its first frame with the header X-Moves; `?moving` asks for the
    animation. Of recordings browsers ask for ranges, without which they cannot be wound, and of films for
    `?captions`.
    """
    name = sitting.picture(token)
    if not name:
        raise NoPicture(_("There is no picture here, or the batch that showed it is over."))
    if "captions" in request.GET:
        return _captions(name)
    try:
        size = next((size for size in ("whole", "small", "moving") if size in request.GET), "reduced")
        recorded = not pictures.is_picture(name)
        file, moves = (default_storage.open(name), False) if recorded else pictures.open_picture(name, size)
    except FileNotFoundError as error:
        raise NoPicture(_("The file of this picture is missing.")) from error
    start = file.read(16)
    file.seek(0)
    kinds = (kind for signature, kind in SIGNATURES if signature.match(start))
    kind = next(kinds, "application/octet-stream")
    response = ranged(request, file, kind) if recorded else FileResponse(file, content_type=kind)
    response["Cache-Control"] = f"private, max-age={YEAR}, immutable"
    response["X-Content-Type-Options"] = "nosniff"
    if moves:
        response["X-Moves"] = "1"
    return response


def _captions(film: str) -> HttpResponseBase:
    name = pictures.captions_of(film)
    if not name or not default_storage.exists(name):
        raise NoPicture(_("The file of this picture is missing."))
    return FileResponse(default_storage.open(name), content_type="text/vtt; charset=utf-8")


def reason_without_batch(assessor: Assessor) -> str:
    """Return why an assessor gets no batch though questions may wait (`why` of the page `rest`), or ""."""
    study = assessor.study
    return (limits.reached(study, assessor) or "") if study.judging_is_open else reason_closed(study)


def reason_closed(study: Study) -> str:
    """Return why the study hands out no batches: "not-open", "paused" or "closed"."""
    if study.is_over:
        return "closed"
    return "paused" if study.closed_at else "not-open"
