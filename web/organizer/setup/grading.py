"""The page of a study's grading: settings before opening; then collected grades, and taking them."""

from typing import Any

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection import audit_log
from collection.models import Study
from config.task_queue import run_in_background
from judging.models import Question, Task
from judging.questions import grading, texts
from judging.tasks.grade import GradeSettings
from tournament import jobs, services
from tournament.models import Tournament
from web.forecast.concerns import long_batch
from web.forecast.grading_cost import cost_of, forecast
from web.forecast.overview import challenges_in_batch
from web.organizer.forms import TaskForm
from web.organizer.setup.sections import Section, Values, batches, folded, read
from web.organizer.setup.text_versions import change_field, say_what_changes
from web.shared.access import for_organizers
from web.shared.phrases import count

SCALES = [
    ("0-1", "0 and 1, each with a name"),
    ("0-2", "0 to 2, each with a name: a quick first pass"),
    ("0-4", "0 to 4, each with a name"),
    ("0-100", "0 to 100, by a slider or a number"),
]
TEXTS = ("wording", "instructions", "consent", "guidelines")
NUMBERS = (
    *("depth", "assessors", "average", "batch_size", "batch_challenges", "wrong_allowed", "minutes"),
    "idle_minutes",
)


def _asked(now: Values) -> list[str]:
    each = f"{now['assessors']} assessor{'' if now['assessors'] == '1' else 's'} of each item"
    return [now["scale"], f"to rank {now['depth']}", each]


SECTIONS = (
    Section("asked", "What is graded", ("scale", "depth", "assessors", "average", "grades_first"), _asked),
    Section("read", "What assessors read", (*TEXTS, "change"), read),
    Section(
        "batches",
        "Batches",
        (
            *("batch_size", "batch_challenges", "wrong_allowed", "failing", "minutes", "idle_minutes"),
            *("confirm_hasty", "tell_agreement"),
        ),
        batches("batch_size", "items"),
    ),
)
RULE_WHEN_OPEN = (
    "Correct mistakes; each correction is kept as a new version. The grades that are asked for stay the same."
)


class GuidelinesForm(TaskForm):
    """What the grades mean, a setting that assessors read."""

    guidelines = GradeSettings.form_field(
        "guidelines",
        label="What the grades mean",
        help_text="Beside every item. For named grades a line a grade, such as “2 Highly relevant: what "
        "that means”; for 0 to 100 any text. Empty: the wording usual in the field.",
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class GradingForm(GuidelinesForm):
    """Settings of a task of grading."""

    failing = forms.ChoiceField(
        choices=Task.Failing.choices,
        required=False,
        widget=forms.RadioSelect,
        label="Anyone who fails a batch",
    )
    scale = forms.ChoiceField(choices=SCALES, widget=forms.RadioSelect, label="Grades")
    grades_first = GradeSettings.form_field(
        "grades_first",
        label="Tournaments wait until these grades are the study's",
        help_text="Each topic's candidates are then chosen by the collected grades. Otherwise "
        "pairs are asked as soon as judging is open.",
    )
    depth = GradeSettings.form_field(
        "depth", label="Depth", help_text="Every item that a run places at this rank or above is graded."
    )
    assessors = GradeSettings.form_field("assessors", label="Assessors of each item")
    average = GradeSettings.form_field(
        "average",
        label="An item's grade is",
        help_text="Of what its assessors give.",
        widget=forms.RadioSelect,
    )

    class Meta:
        model = Task
        fields = [
            *("wording", "instructions", "consent", "scale", "guidelines", "grades_first"),
            *NUMBERS,
            *("confirm_hasty", "tell_agreement", "failing"),
        ]
        labels = {
            "wording": "Question to the assessor",
            "consent": "Consent",
            "batch_size": "Items in a batch",
            "batch_challenges": "Challenges in a batch",
            "wrong_allowed": "Challenges that may be wrong",
            "minutes": "Minutes for a batch",
            "idle_minutes": "Minutes without an answer",
            "confirm_hasty": "Ask again about answers that came too fast",
            "tell_agreement": "Tell people how often others answered alike",
        }
        help_texts = {
            "wording": "Stands above every item.",
            "instructions": "Shown before the first batch and while judging. Empty: the usual words.",
            "consent": "What assessors agree to before their first item. Empty: they are asked for nothing.",
            "batch_challenges": "Items with a clear known grade, mixed in, as many low as high ones. Right "
            "is a grade near the known one: of 0 to 4 and 0 to 2 within 1, and relevant or not as the known "
            "one is; of 0 to 100 within 25.",
            "wrong_allowed": "With more wrong than this, a batch is discarded.",
            "idle_minutes": "Afterwards the questions without an answer go to others.",
        }
        widgets = {
            "instructions": forms.Textarea(attrs={"rows": 4}),
            "consent": forms.Textarea(attrs={"rows": 4}),
        }

    use_required_attribute = False

    def clean_failing(self) -> str:
        """Return the choice; the stored one if the form has none."""
        return self.cleaned_data["failing"] or self.instance.failing

    def store(self, study: Study) -> Task:
        """Store the task and record the change in the trail; a new task is put before the pairs."""
        task: Task = self.instance
        with transaction.atomic():
            if task.pk is None:
                grading.put_first(task)
            task.save()
            before = {name: self.initial.get(name) for name in self.changed_data}
            after = {name: self.cleaned_data[name] for name in self.changed_data}
            audit_log.note(study.pk, audit_log.What.SETTINGS, about="grading", before=before, after=after)
        return task


class TextsForm(GuidelinesForm):
    """The texts of a task of grading, which can still be changed once judging is open."""

    change = change_field()

    class Meta(GradingForm.Meta):
        fields = [*TEXTS]

    use_required_attribute = False

    def clean(self) -> dict[str, Any]:
        """Require a note of what changes, if any text does."""
        values = super().clean() or self.cleaned_data
        if not self.errors:
            say_what_changes(self, TEXTS)
        return values

    def store(self) -> None:
        """Store a new version of the texts if any of them changes. The study must be locked."""
        task: Task = self.instance
        texts.put_on_record(task.study_id)
        task.save(update_fields=[name for name in TEXTS if name != "guidelines"] + ["settings"])
        texts.renew(task.study_id, self.cleaned_data["change"])


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show or change a study's task of grading; once judging is open, show what was collected.

    A study that was opened without one has no such page: its settings say so.
    """
    task = next(iter(grading.tasks_of(study)), None)
    if study.opened_at and task is None:
        return redirect(f"{reverse('study-settings', args=[study.slug])}#asked")
    if study.opened_at is None and request.method == "POST":
        with transaction.atomic():
            # Locked so that the study cannot be opened between the check and the change.
            if Study.objects.select_for_update().get(pk=study.pk).opened_at is None:
                sent = GradingForm(request.POST, instance=task or grading.usual(study))
                if sent.is_valid():
                    sent.store(study)
                    messages.success(request, "The grading is saved. Opening the study asks for it.")
                    return redirect("grading", study.slug)
                return _page(request, study, task, sent)
    if study.opened_at and request.method == "POST":
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=study.pk)
            mended = TextsForm(request.POST, instance=task)
            if mended.is_valid():
                mended.store()
                messages.success(request, "What assessors read is saved.")
                return redirect("grading", study.slug)
        return _page(request, study, task, mended)
    form = TextsForm(instance=task) if study.opened_at else GradingForm(instance=task or grading.usual(study))
    return _page(request, study, task, form)


def _page(
    request: HttpRequest, study: Study, task: Task | None, form: GradingForm | TextsForm
) -> HttpResponse:
    left = [one for one in SECTIONS if not study.opened_at or one.key == "read"]
    rule = RULE_WHEN_OPEN if study.opened_at else ""
    checked = bool(challenges_in_batch(study, form.instance))
    sections = [folded(form, one, rule=rule, checked=checked) for one in left]
    # Of grades that are not asked for yet, what they are is to be chosen.
    sections[0]["open"] |= task is None
    context: dict[str, Any] = {"study": study, "task": task, "form": form, "sections": sections}
    if task and task.pk:
        context |= {"forecast": forecast(task), "concerns": long_batch(study, task)}
        if study.opened_at:
            found = grading.collected(task)
            sections[0]["versions"] = texts.versions(task)
            asked = Question.objects.filter(task=task).aggregate(wanted=Sum("wanted"), taken=Sum("taken"))
            context |= {
                "collected": len(found),
                "answers": sum(one.assessors for one in found.values()),
                "asked": asked,
                "more": cost_of(task, not_asked) if (not_asked := _not_asked(task)) else None,
                "waits": task.settings_of_kind.grades_first
                and not Tournament.objects.filter(topic__study=study).exists()
                and study.judging_is_open,
            }
    return render(request, "organizer/grading.html", context)


@for_organizers
@require_POST
def remove(request: HttpRequest, study: Study) -> HttpResponse:
    """Remove the task of grading, if the study is not open and the task has no questions."""
    with transaction.atomic():
        held = Study.objects.select_for_update().get(pk=study.pk)
        for task in grading.tasks_of(held):
            if held.opened_at is None and not Question.objects.filter(task=task).exists():
                task.delete()
                audit_log.note(
                    study.pk, audit_log.What.SETTINGS, about="grading", before={"grading": "asked"}
                )
                messages.success(request, "No grades will be asked for.")
    return redirect("grading", study.slug)


def _not_asked(task: Task) -> int:
    """Count the items that were loaded since opening and can still be asked about."""
    return 0 if task.study.closed_at else sum(map(len, grading.not_asked(task).values()))


@for_organizers
@require_POST
def more(request: HttpRequest, study: Study) -> HttpResponse:
    """Ask about the items that were loaded since judging was opened."""
    task = next(iter(grading.tasks_of(study)), None)
    items = grading.extend(study.pk, task.pk) if task else 0
    if items:
        messages.success(request, f"{count(items, 'more item')} {'is' if items == 1 else 'are'} asked about.")
    else:
        messages.info(request, "There is nothing more to ask about.")
    return redirect("grading", study.slug)


@for_organizers
@require_POST
def take(request: HttpRequest, study: Study) -> HttpResponse:
    """Adopt the collected grades as the study's, and start the tournaments."""
    task = next(iter(grading.tasks_of(study)), None)
    try:
        if task is None:
            raise services.CannotStart("This study asks for no grades.")
        grades, topics = services.take_grades(study.pk, task.pk)
    except services.CannotStart as error:
        messages.error(request, str(error))
        return redirect("grading", study.slug)
    run_in_background(jobs.sweep)
    messages.success(
        request,
        f"{count(grades, 'collected grade')} are the study's now, and the tournaments of "
        f"{count(topics, 'topic')} begin.",
    )
    return redirect("topics", study.slug)
