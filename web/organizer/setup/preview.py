"""The preview: a task's judging page by the settings in a form, with real questions; nothing is stored."""

from contextlib import suppress
from copy import copy
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.core.exceptions import ValidationError
from django.db.models import Field, Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods, require_safe

from collection.models import Study
from judging.models import Task
from judging.questions import grading, result_pages
from judging.questions.asking import FEEDING, asking_for
from judging.questions.wording import WORDINGS, wording_for
from judging.tasks import KINDS
from judging.tasks.grade import GradeTask
from judging.tasks.pair import Pair
from judging.tasks.pick import LEAST, MOST, Pick
from judging.tasks.serp import Pages
from prefir.rules import STRATEGIES
from tournament.models import Plan
from tournament.plans import plan_of
from web.forecast.overview import challenges_in_batch
from web.judging_page import practice, trial
from web.organizer.setup.aspect_fields import BOXES
from web.shared import languages
from web.shared.access import for_organizers

OF_STUDY = ("name", "kind", "markup", "ground", "play_first", "levelled", "language", "asked_by", "contact")
FIXED_OF_STUDY = ("kind", "markup", "ground", "play_first", "levelled")
OF_TASK = (
    *("wording", "instructions", "consent", "scale", "minutes", "idle_minutes"),
    *("batch_size", "batch_challenges", "repeats"),
)
# Names of form fields -> names of the task's fields, where they differ.
ALSO = {"question": "wording", "batch_pairs": "batch_size"}


class PreviewUnfinished(Exception):
    """The settings do not allow a preview; the message says what to correct."""


@for_organizers
@require_safe
def preview_step(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the preview on its own page, the third of the six steps."""
    asks = plan_of(study).rules.asks
    context = {"study": study, "asks": asks, "is_empty": not study.topics.exists()}
    return render(request, "organizer/seen.html", context)


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
@xframe_options_sameorigin
def preview(request: HttpRequest, study: Study) -> HttpResponseBase:
    """Render a task's judging page, or with `show=texts` its instructions, by the posted settings.

    In a window of its own it is framed by a page with a bar that leads back. `asks` names the kind of task. A
    setting that is missing or invalid keeps its stored value. Nothing is written and no cookie set; answers
    from this page are discarded (`web.judging_page.trial`). Only pages of this server may show it in a frame.
    """

    def shown(request: HttpRequest) -> HttpResponse:
        with languages.speaking(study, request):
            return _shown(request, study)

    # Browsers that do not say where a page is opened show it without the bar.
    if request.method == "GET" and request.headers.get("Sec-Fetch-Dest") == "document":
        return framed(request, study)
    return csp_replace({"frame-ancestors": [SELF]})(shown)(request)


def framed(request: HttpRequest, study: Study) -> HttpResponse:
    """Render the bar above the judging page: what to show, how wide, and the way back."""
    asks = _asks(study, request)
    questions = trial.questions(_task(study, asks), study, _grid(study, request.POST))
    context = {
        "study": study,
        "home": _home(study, asks),
        "shown": request.get_full_path(),
        "numbers": range(1, len(questions) + 1),
    }
    return render(request, "organizer/preview.html", context)


def _home(study: Study, asks: str) -> str:
    return f"{reverse('study-preview', args=[study.slug])}?{urlencode({'asks': asks})}"


def _shown(request: HttpRequest, study: Study) -> HttpResponse:
    asks = _asks(study, request)
    home = _home(study, asks)
    try:
        study, task = _as_sent(copy(study), asks, request.POST)
    except PreviewUnfinished as error:
        return _nothing_to_show(study, str(error))
    languages.speak(study, request)
    given = request.POST if request.method == "POST" else request.GET
    shared = {"study": study, "task": task, "home": home}
    if given.get("show") == "texts":
        told = {
            "offer": trial.offer(task, study, challenges_in_batch(study, task)),
            "examples": practice.told(task, study),
        }
        return _page("instructions", begin_at=home, **told, **shared)
    at = request.GET.get("at", "")
    number = int(at) if at.isascii() and at.isdigit() else None
    sitting = trial.sitting(task, study, home, number, grid=_grid(study, request.POST))
    if sitting is None:
        missing = (
            "two runs whose pages differ"
            if asks == Pages.name
            else f"{study.words.topics} and {study.words.items}"
        )
        return _nothing_to_show(study, f"Load {missing} first: there is nothing to ask.")
    return _page("judging", sitting=sitting, **shared)


def _asks(study: Study, request: HttpRequest) -> str:
    """Return the kind of task to show: the kind that the posted strategy asks, else `?asks=`, else pairs."""
    asks, mode = request.GET.get("asks", ""), request.POST.get("mode", "")
    if asks in FEEDING and mode in STRATEGIES and not study.opened_at:
        return STRATEGIES[mode].asks
    return asks if asks in KINDS else Pair.name


def _grid(study: Study, sent: QueryDict) -> int:
    """Return the number of items in a grid: as posted if valid and the study is not open, else as stored."""
    plan = Plan.objects.filter(study=study).first()
    stored = plan.settings.get("grid_size", trial.GRID) if plan else trial.GRID
    given = sent.get("grid_size", "")
    chosen = int(given) if len(given) == 1 and given.isascii() and given.isdigit() else 0
    return chosen if LEAST <= chosen <= MOST and not study.opened_at else stored


def _task(study: Study, asks: str) -> Task:
    """Return a study's task of a kind; if it has none, a new unsaved one with the default settings."""
    task = Task.objects.filter(study=study, kind=asks).first()
    if task is not None:
        return task
    if asks == GradeTask.name:
        return grading.usual(study)
    if asks == Pages.name:
        return result_pages.usual(study)
    other = Task.objects.filter(study=study, kind__in=FEEDING).first()
    task = asking_for(other, asks) if other else Task(study=study, kind=asks, wording=WORDINGS[study.kind])
    if task.scale not in task.way.scales:
        task.scale = "best" if asks == Pick.name else "3"
    return task


def _as_sent(study: Study, asks: str, sent: QueryDict) -> tuple[Study, Task]:
    """Return the study and its task with the posted values set; neither is saved.

    Raises PreviewUnfinished if the scale or the guidelines are not valid.
    """
    task = _task(study, asks)
    task.study = study
    for name in sent:
        if name in OF_STUDY and not (study.opened_at and name in FIXED_OF_STUDY):
            _put(study, name, str(sent[name]))
        attribute = ALSO.get(name, name)
        # The form has the scale of pairs also when picks are chosen, so it is ignored for them.
        stands = attribute == "scale" and (study.opened_at or asks == Pick.name)
        if attribute in OF_TASK and not stands:
            _put(task, attribute, str(sent[name]))
        elif own := task.way.settings.model_fields().get(name):
            with suppress(ValidationError):
                task.settings[name] = own.clean(str(sent[name]), None)
    if asks == Pair.name and "aspects" in sent:
        task.settings |= {name: ticked if name in sent else "" for name, ticked in BOXES.items()}
    if not study.opened_at and asks in FEEDING:
        task.wording = wording_for(study.kind, task.wording, asks)
        if asks == Pick.name and "mode" in sent:
            task.scale = Pick.WITH_WORST if sent.get("worst") else "best"
    if task.scale not in task.way.scales:
        raise PreviewUnfinished("Choose a scale.")
    try:
        task.way.checked(task.settings, task.scale)
    except ValidationError as error:
        raise PreviewUnfinished(error.messages[0]) from error
    return study, task


def _put(row: Model, name: str, text: str) -> None:
    """Set a field to the posted text; leave it unchanged if the text is not valid."""
    field = row._meta.get_field(name)
    assert isinstance(field, Field)
    with suppress(ValidationError):
        setattr(row, name, field.clean(text, row))


def _nothing_to_show(study: Study, sentence: str) -> HttpResponse:
    """Render a page that says why there is no preview."""
    return _page("notice", study=study, heading="Nothing to show yet", sentence=sentence)


def _page(name: str, **context: Any) -> HttpResponse:
    return HttpResponse(languages.render(name, context))
