"""Pages: the list of studies, a study's checklist, its settings, and closing and reopening judging."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ChoiceField
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection.material.hidden_parts import say_hidden
from collection.models import Deletion, Item, Study
from collection.presets import ANSWERS, PICTURES, PRESETS, RANKINGS
from collection.study import lifecycle
from judging.batches import declines, limits
from judging.questions import texts
from judging.questions.asking import task_of
from judging.verdicts import decisions
from panels import account
from web.live import live_topics
from web.organizer.confirmation import Confirmation, confirm
from web.organizer.forms import StopForm
from web.organizer.setup.checklist import checklist
from web.organizer.setup.study_form import StudyForm
from web.shared import stage, waiting_pages
from web.shared.access import for_members, for_organizers, steers, studies_of
from web.shared.phrases import count, searched
from web.shared.presence import numbered

# A longer list of studies gets a search field.
FEW = 7
# How many texts are checked for parts that pages will not show, when the markup is changed.
MOST_TEXTS = 2_000
# Fields of a new study that its preset decides, and does not show.
CHOSEN_BY_PRESET = {
    RANKINGS: ("kind", "case", "ground"),
    ANSWERS: ("kind", "case", "ground"),
    PICTURES: ("kind", "case", "markup"),
}
PARTS = [
    ("The study", ["name", "kind", "case", "markup", "ground", "language"]),
    ("What assessors read", ["question", "instructions", "scale"]),
    ("What they agree to", ["asked_by", "contact", "consent", "change"]),
    (
        "Tournament",
        [
            *("mode", "k", "final_size", "pairings", "grid_size", "appearances", "worst"),
            *("judgments_per_pair", "seed"),
        ],
    ),
    (
        "Batches",
        [
            *("batch_pairs", "batch_challenges", "repeats"),
            *("wrong_allowed", "failing", "minutes", "idle_minutes"),
        ],
    ),
    ("Limits", list(lifecycle.LIMITS)),
    ("Scores", ["persistence", "measures", "kept_only"]),
    ("Money", ["currency"]),
]


@login_required
def studies(request: HttpRequest) -> HttpResponse:
    """List the studies that the user is a member of, newest first.

    A user who only judges is redirected to their desk. `?archive` lists the archived studies instead. Five
    queries with those of the login.
    """
    wanted, archive = searched(request), "archive" in request.GET
    every = list(studies_of(request.user).order_by("-pk"))
    judged = account.judges(request.user)
    if judged and not every and not request.user.is_staff:
        return redirect("desk")
    listed = [study for study in every if bool(study.archived_at) == archive]
    context = {
        "studies": [study for study in listed if _matches(study, wanted)],
        "judged": judged,
        "q": wanted,
        "archive": archive,
        "archived": sum(1 for study in every if study.archived_at),
        "every": len(every),
        "searchable": bool(wanted) or len(listed) > FEW,
        "deleting": list(_being_deleted(request)),
    }
    return render(request, "organizer/studies.html", context)


def _matches(study: Study, wanted: str) -> bool:
    """Return True if every word of the search is in the study's name, slug or kind."""
    text = f"{study.name} {study.slug} {study.get_kind_display()}".casefold()
    return all(word in text for word in wanted.casefold().split())


def _being_deleted(request: HttpRequest) -> QuerySet[Deletion]:
    """Return the studies that this user deleted and whose rows are still being removed."""
    return Deletion.objects.filter(by=request.user.pk, finished_at=None).order_by("pk")


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """Create a study. Staff only, since a study costs assessors' time."""
    if not request.user.is_staff:
        raise PermissionDenied("New studies are made by staff. Ask the server's administrator.")
    preset = request.POST.get("preset") or request.GET.get("preset", "")
    preset = preset if preset in PRESETS else RANKINGS
    form = StudyForm(request.POST or None, instance=Study(**PRESETS[preset]))
    if request.method == "POST" and form.is_valid():
        study = form.store(request.user)
        messages.success(request, f"{study.name} was made. Its address is {study.slug}.")
        return redirect("files", study.slug)
    return _settings_page(request, form, None, preset)


@for_members
def study(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the checklist of a study: organizers can act on it, coordinators only read it.

    The page refreshes by itself while questions are being made.
    """
    listed = checklist(study)
    told = {
        "study": study,
        "list": listed,
        "steers": steers(study),
        "task": task_of(study),
        "declined": declines.questions(study.pk),
        "used": limits.used(study),
    }
    if listed.stage.name == stage.MAKING:
        return waiting_pages.looks_again(request, "organizer/study.html", told)
    return render(request, "organizer/study.html", told)


@for_organizers
def settings(request: HttpRequest, study: Study) -> HttpResponse:
    """Read or change a study's texts and settings."""
    if request.method != "POST":
        return _settings_page(request, StudyForm(instance=study), study)
    with transaction.atomic():
        # Locked so that the study cannot be opened between the check and the change.
        held = Study.objects.select_for_update().get(pk=study.pk)
        form = StudyForm(request.POST, instance=held)
        if form.is_valid():
            form.store()
    if not form.is_valid():
        return _settings_page(request, form, study)
    messages.success(request, "The settings are saved.")
    # After the transaction, since checking the texts takes a while and would keep the study locked.
    if "markup" in form.changed_data and (hidden := _hidden_now(held)):
        messages.warning(request, hidden)
    return redirect("study", study.slug)


def _hidden_now(study: Study) -> str:
    """Say which parts of the study's first MOST_TEXTS texts its markup hides; "" if none."""
    texts = Item.objects.filter(topic__study=study).exclude(text="").order_by("pk")
    hidden = say_hidden(texts.values_list("text", flat=True)[:MOST_TEXTS], study.markup)
    if not hidden:
        return ""
    return f"{hidden}{f' (of the first {MOST_TEXTS:,})' if texts.count() > MOST_TEXTS else ''}."


def _settings_page(
    request: HttpRequest, form: StudyForm, study: Study | None, preset: str = ""
) -> HttpResponse:
    chosen = CHOSEN_BY_PRESET.get(preset, ())
    fieldsets = [
        (
            title,
            [
                (form[name], _fixed(form, name))
                for name in names
                if name in form.fields and name not in chosen
            ],
        )
        for title, names in PARTS
    ]
    context = {"form": form, "fieldsets": fieldsets, "study": study, "preset": preset}
    context["hidden"] = [form[name] for name in chosen]
    if study and study.opened_at:
        context["versions"] = texts.versions(form.task)
    return render(request, "organizer/settings.html", context)


def _fixed(form: StudyForm, name: str) -> str | None:
    """Return the value, in words, of a field that can no longer be changed; None for other fields."""
    field = form.fields[name]
    if not field.disabled:
        return None
    value = form.get_initial_for_field(field, name)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(field, ChoiceField):
        value = dict(field.choices).get(value, value)  # type: ignore[arg-type]
    return str(value) or "None"


@for_organizers
def close(request: HttpRequest, study: Study) -> HttpResponse:
    """Show who is in the middle of a batch; on POST pause or end judging, and close open batches if asked."""
    form = StopForm(request.POST or None, paused=bool(study.paused))
    if not form.is_valid():
        asked = Confirmation(
            heading="Pause or end judging",
            says=(
                "Nobody gets a new batch. Open batches can be finished in their time, and count. You can "
                "open judging again at any time.",
            ),
            back=("Checklist", reverse("study", args=[study.slug])),
            button="Stop handing out batches",
            grave=True,
            about="organizer/_who_is_there.html",
        )
        return confirm(request, study, asked, form, present=numbered(study))
    how = form.cleaned_data["how"]
    if how == "pause":
        lifecycle.pause(study.pk)
    else:
        lifecycle.close(study.pk)
    live_topics.note(study.pk)
    done = "paused" if how == "pause" else "over"
    if form.cleaned_data["batches"]:
        closed = decisions.close_open(study.pk, by=request.user)
        messages.success(request, f"Judging is {done}, and {count(closed, 'open batch')} closed.")
    else:
        messages.success(request, f"Judging is {done}. Batches that were begun may still be finished.")
    return redirect("study", study.slug)


@for_organizers
@require_POST
def reopen(request: HttpRequest, study: Study) -> HttpResponse:
    """Reopen judging, so that batches are handed out again."""
    try:
        lifecycle.reopen(study.pk)
    except lifecycle.CannotSteer as error:
        messages.error(request, str(error))
        return redirect("keep", study.slug)
    live_topics.note(study.pk)
    messages.success(request, "Judging is open again.")
    return redirect("study", study.slug)
