"""The page on which a study is copied, archived or deleted for good."""

from collections.abc import Callable
from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from collection import jobs
from collection.models import Run, Study, Topic
from collection.study import lifecycle
from config.task_queue import run_in_background
from judging.models import Assessor
from panels.recruitment import closure
from web.organizer.setup import whole_study
from web.shared.access import for_organizers
from web.shared.phrases import count, listed


class CopyForm(forms.Form):
    """Name of a copy, and what it takes over."""

    name = forms.CharField(
        max_length=120,
        label="Name of the copy",
        help_text="Stands on all its pages, the assessors' too.",
        error_messages={"required": "Give the copy a name."},
    )
    what = forms.ChoiceField(
        choices=[
            (whole_study.RUNS, "Settings, texts, topics, items, pictures, grades and runs"),
            (whole_study.ITEMS, "The same without the runs"),
            (whole_study.NOTHING, "Settings and texts alone"),
        ],
        widget=forms.RadioSelect,
        label="What it takes over",
        help_text="People who judge, their answers, campaigns, challenges and examples stay here. Challenges "
        "are made anew when the copy is opened.",
    )
    members = forms.BooleanField(
        required=False, label="Its organizers, coordinators and viewers have the same part in the copy"
    )
    use_required_attribute = False


class DeleteForm(forms.Form):
    """Confirmation of a deletion: the study's name, typed."""

    typed = forms.CharField(
        label="Type the study's name to delete it",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
        error_messages={"required": "Type the study's name as it stands above."},
    )
    use_required_attribute = False

    def __init__(self, *args: object, name: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.name = name

    def clean_typed(self) -> str:
        """Refuse another name, so that nobody with two studies open deletes the wrong one."""
        typed = self.cleaned_data["typed"].strip()
        if typed != self.name.strip():
            raise forms.ValidationError(f"This study is called “{self.name}”. Type that.")
        return str(typed)


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the forms to copy, archive or delete a study."""
    return _page(request, study)


def _page(
    request: HttpRequest,
    study: Study,
    *,
    copy: CopyForm | None = None,
    delete: DeleteForm | None = None,
    refused: str = "",
) -> HttpResponse:
    wrong = any(form is not None and form.errors for form in (copy, delete))
    context = {
        "study": study,
        "copy": copy or CopyForm(initial={"name": f"{study.name[:112]} (copy)", "what": whole_study.RUNS}),
        "delete": delete or DeleteForm(name=study.name),
        "form": copy or delete,  # its errors are shown at the top
        "holds": _holds(study),
        "refused": refused,
        "judging": study.judging_is_open,
        "campaigns": listed(closure.going_on(study.pk)),
    }
    status = HTTPStatus.CONFLICT if refused else HTTPStatus.BAD_REQUEST if wrong else HTTPStatus.OK
    return render(request, "organizer/keeping.html", context, status=status)


def _holds(study: Study) -> str:
    """Return in words what is lost when the study is deleted: its topics, runs and people."""
    rows = {
        "topic": Topic.objects.filter(study=study),
        "run": Run.objects.filter(study=study),
        "person": Assessor.objects.filter(study=study),
    }
    return listed([count(some.count(), noun) for noun, some in rows.items()])


@for_organizers
@require_POST
def copy(request: HttpRequest, study: Study) -> HttpResponse:
    """Copy a study. Staff only, like creating one."""
    if not request.user.is_staff:
        raise PermissionDenied("New studies are made by staff. Ask the server's administrator.")
    form = CopyForm(request.POST)
    if not form.is_valid():
        return _page(request, study, copy=form)
    given = form.cleaned_data
    made, begun = whole_study.copy(
        study, given["name"], request.user, what=given["what"], members=given["members"]
    )
    messages.success(request, f"{made.name} was made, a copy of {study.name}.")
    if begun is not None:
        run_in_background(jobs.load_next)
        messages.info(request, "Its topics and items are being copied; Files says how far that is.")
    return redirect("study", made.slug)


@for_organizers
@require_POST
def archive(request: HttpRequest, study: Study) -> HttpResponse:
    """Archive a study, or take it out of the archive (`out` in the form)."""
    if request.POST.get("out"):
        return _steered(request, study, lifecycle.unarchive, f"{study.name} is out of the archive.")
    return _steered(request, study, lifecycle.archive, f"{study.name} is in the archive.")


def _steered(request: HttpRequest, study: Study, do: Callable[[int], None], done: str) -> HttpResponse:
    try:
        do(study.pk)
    except lifecycle.CannotSteer as error:
        return _page(request, study, refused=str(error))
    messages.success(request, done)
    return redirect("studies")


@for_organizers
@require_POST
def delete(request: HttpRequest, study: Study) -> HttpResponse:
    """Delete a study for good: hide it at once, and remove its rows and pictures by a job."""
    form = DeleteForm(request.POST, name=study.name)
    if not form.is_valid():
        return _page(request, study, delete=form)
    try:
        whole_study.begin_deletion(study.pk)
    except lifecycle.CannotSteer as error:
        return _page(request, study, refused=str(error))
    run_in_background(jobs.delete_studies)
    messages.success(request, f"{study.name} is deleted. Its rows and pictures are being removed.")
    return redirect("studies")
