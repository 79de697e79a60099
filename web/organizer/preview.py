"""Preview: the judging page of a task, as settings stand in a form, with real questions, stored nowhere."""

from copy import copy
from typing import Any

from csp.constants import SELF
from csp.decorators import csp_replace
from django.core.exceptions import ValidationError
from django.db.models import Field, Model
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_http_methods

from collection.models import Study
from judging import grading
from judging.models import Task
from judging.tasks.grade import Grade
from judging.tasks.pair import Pair
from judging.wording import WORDINGS, wording_for
from web.access import for_organizers
from web.assessor import practice, trial

OF_STUDY = ("name", "kind", "markup", "asked_by", "contact")
OF_TASK = (
    *("wording", "instructions", "consent", "scale", "guidelines", "minutes", "idle_minutes"),
    *("batch_size", "batch_challenges"),
)
# As the page of settings calls them.
ALSO = {"question": "wording", "batch_pairs": "batch_size"}


class Unfinished(Exception):
    """What has to be mended before the page can be shown, in a sentence."""


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
@xframe_options_sameorigin
def preview(request: HttpRequest, study: Study) -> HttpResponseBase:
    """A task's judging page, or with `show=texts` the page before it, as the posted settings would make it.

    `asks`: the kind of the task. What is missing in the form, or cannot be, is as it is stored. Nothing is
    written and no cookie set; answers from this page are taken and thrown away (`web.assessor.trial`).
    Only pages of this server may show it inside theirs.
    """

    def framed(request: HttpRequest) -> HttpResponse:
        return _shown(request, study)

    return csp_replace({"frame-ancestors": [SELF]})(framed)(request)


def _shown(request: HttpRequest, study: Study) -> HttpResponse:
    asks = Grade.name if request.GET.get("asks") == Grade.name else Pair.name
    home = f"{reverse('study-preview', args=[study.slug])}?{urlencode({'asks': asks})}"
    try:
        study, task = _as_sent(copy(study), asks, request.POST)
    except Unfinished as error:
        return _page("preview", study=study, sentence=str(error))
    given = request.POST if request.method == "POST" else request.GET
    shared = {"study": study, "task": task, "home": home}
    if given.get("show") == "texts":
        told = {"offer": trial.offer(task, study), "examples": practice.told(task, study)}
        return _page("instructions", begin_at=home, **told, **shared)
    at = request.GET.get("at", "")
    sitting = trial.sitting(task, study, home, int(at) if at.isascii() and at.isdigit() else None)
    if sitting is None:
        return _page("preview", study=study, sentence="Load topics and items first: there is nothing to ask.")
    return _page("judging", sitting=sitting, **shared)


def _as_sent(study: Study, asks: str, sent: QueryDict) -> tuple[Study, Task]:
    """The study and its task of a kind with what the form says; neither is stored."""
    task = Task.objects.filter(study=study, kind=asks).first()
    if task is None:
        usual = Task(study=study, wording=WORDINGS[study.kind])
        task = grading.usual(study) if asks == Grade.name else usual
    task.study = study
    for name in sent:
        if name in OF_STUDY and not (study.opened_at and name in ("kind", "markup")):
            _put(study, name, str(sent[name]))
        attribute = ALSO.get(name, name)
        if attribute in OF_TASK and not (study.opened_at and attribute == "scale"):
            _put(task, attribute, str(sent[name]))
    if not study.opened_at and asks == Pair.name:
        task.wording = wording_for(study.kind, task.wording)
    if task.scale not in task.way.scales:
        raise Unfinished("Choose a scale.")
    try:
        task.way.check_guidelines(task.guidelines, task.scale)
    except ValueError as error:
        raise Unfinished(str(error)) from error
    return study, task


def _put(row: Model, name: str, text: str) -> None:
    """Set a field to what a form says, unless that is no value of it."""
    try:
        field = row._meta.get_field(name)
        assert isinstance(field, Field)
        setattr(row, name, field.clean(text, row))
    except ValidationError:
        return


def _page(name: str, **context: Any) -> HttpResponse:
    return HttpResponse(render_to_string(f"assessor/{name}.html", context, using="jinja2"))
