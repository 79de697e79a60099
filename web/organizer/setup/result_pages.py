"""The page of a study's result pages: settings, choice of topics and pairs of runs, and the answers."""

from collections.abc import Mapping
from math import ceil
from typing import Any, NamedTuple

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from collection import audit_log
from collection.models import Run, Study, Topic
from judging.models import Question, Task
from judging.questions import expected_time, result_pages
from judging.questions.expected_time import forecast_seconds
from judging.questions.grading import put_first
from judging.questions.result_pages import CannotAsk, PageChoice, Runs
from judging.tasks.serp import PageSettings
from scoring.analysis.run_preferences import compare
from scoring.board import leaderboard
from web.forecast.concerns import RECOGNISED_BELOW, long_batch
from web.forecast.overview import challenges_in_batch
from web.organizer.forms import TaskForm
from web.organizer.setup.sections import Section, Values, batches, folded, read
from web.shared.access import for_organizers
from web.shared.form_words import Worded
from web.shared.phrases import count

SCALES = [
    ("3", "Left, tie, right"),
    ("5", "Definitely or slightly, and tie"),
    ("2", "Left or right"),
    ("4", "Definitely or slightly, no tie"),
]
NUMBERS = (
    *("depth", "rows", "batch_size", "batch_challenges", "repeats", "wrong_allowed"),
    *("minutes", "idle_minutes"),
)
AFTER, BEFORE = "after", "before"
# Rows shown in the table; the file has all.
MOST_LINES = 200


def _shown(now: Values) -> list[str]:
    return [now["scale"], f"lists to rank {now['depth']}", f"grids to row {now['rows']}", now["when"].lower()]


SECTIONS = (
    Section("read", "What assessors read", ("wording", "instructions"), read),
    Section("shown", "What is shown, and when", ("scale", "depth", "rows", "when"), _shown),
    Section(
        "batches",
        "Batches",
        ("batch_size", "batch_challenges", "repeats", "wrong_allowed", "minutes", "idle_minutes"),
        batches("batch_size", "pairs of pages"),
    ),
)


class PagesForm(TaskForm):
    """Settings of a task of result pages."""

    scale = forms.ChoiceField(choices=SCALES, widget=forms.RadioSelect, label="Answers")
    when = forms.ChoiceField(
        choices=[
            (AFTER, "When no pairs or grades are left for an assessor"),
            (BEFORE, "Before pairs and grades"),
        ],
        widget=forms.RadioSelect,
        initial=AFTER,
        label="Asked",
    )
    depth = PageSettings.form_field(
        "depth", label="Depth of lists", help_text="Lists are shown to this rank."
    )
    rows = PageSettings.form_field(
        "rows",
        label="Rows of grids",
        help_text="Grids of pictures are shown to this row, each row as the run places it.",
    )
    repeats = forms.IntegerField(
        min_value=0,
        max_value=10,
        required=False,
        label="Questions asked again in a batch",
        help_text="Later, and with the sides swapped. The answers show how consistent people are with "
        f"themselves; they take time and count nowhere else. In a batch of fewer than {RECOGNISED_BELOW} "
        "questions people recognise them.",
    )

    class Meta:
        model = Task
        fields = ["wording", "instructions", "scale", *NUMBERS]
        labels = {
            "wording": "Question to the assessor",
            "batch_size": "Pairs of pages in a batch",
            "batch_challenges": "Challenges in a batch",
            "wrong_allowed": "Challenges that may be wrong",
            "minutes": "Minutes for a batch",
            "idle_minutes": "Minutes without an answer",
        }
        help_texts = {
            "wording": "Stands above every two pages.",
            "instructions": "Shown before the first batch and while judging. Empty: the usual words.",
            "batch_challenges": "Two runs' cells filled with a topic's best and worst graded items, mixed "
            "in. Topics whose known grades allow none have none.",
            "wrong_allowed": "With more wrong than this, a batch is discarded.",
            "idle_minutes": "Afterwards the questions without an answer go to others.",
        }
        widgets = {"instructions": forms.Textarea(attrs={"rows": 4})}

    use_required_attribute = False

    def clean_repeats(self) -> int:
        """Return the number; the stored one if the form has none."""
        given = self.cleaned_data["repeats"]
        return self.instance.repeats if given is None else given

    @transaction.atomic
    def store(self, study: Study) -> Task:
        """Store the task and record the change in the trail."""
        task: Task = self.instance
        if self.cleaned_data["when"] == BEFORE and task.position != 0:
            put_first(task)
        task.save()
        before = {name: self.initial.get(name) for name in self.changed_data}
        after = {name: self.cleaned_data[name] for name in self.changed_data}
        audit_log.note(study.pk, audit_log.What.SETTINGS, about="result pages", before=before, after=after)
        return task


class AskForm(Worded, forms.Form):
    """Choice of pairs of runs and topics to ask about, and of how many assessors answer each question.

    counted: the number of questions that was shown before.
    """

    runs = forms.ChoiceField(
        choices=[
            ("all", "All pairs of runs"),
            ("untold", "Those that the leaderboard cannot tell apart now"),
            ("baseline", "Each run against one"),
        ],
        widget=forms.RadioSelect,
        initial="all",
        label="Pairs of runs",
    )
    baseline = forms.ModelChoiceField(
        Run.objects.none(), required=False, empty_label="(choose)", label="The one to compare with"
    )
    topics = forms.ChoiceField(
        choices=[
            ("all", "All topics"),
            ("first", "The first topics by name"),
            ("differ", "Those where the pages differ most"),
            ("named", "These"),
        ],
        widget=forms.RadioSelect,
        initial="all",
        label="Topics",
    )
    number = forms.IntegerField(min_value=1, required=False, label="How many topics")
    names = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Names of topics",
        help_text="With spaces or line ends between.",
    )
    assessors = forms.IntegerField(min_value=1, max_value=5, initial=1, label="Assessors of each question")
    counted = forms.IntegerField(required=False, widget=forms.HiddenInput)

    use_required_attribute = False

    def __init__(self, study: Study, data: Mapping[str, Any] | None = None, **more: Any) -> None:
        super().__init__(data, **more)
        self.study = study
        field = self.fields["baseline"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = Run.objects.filter(study=study).order_by("name")

    def clean(self) -> dict[str, Any]:
        """Check the further fields that a choice needs: a baseline, a number, or names of topics."""
        given = self.cleaned_data
        if given.get("runs") == "baseline" and not given.get("baseline"):
            self.add_error("baseline", "Choose the run that the others are compared with.")
        if given.get("topics") in ("first", "differ") and not given.get("number"):
            self.add_error("number", "Say how many topics.")
        if given.get("topics") == "named":
            self._check_names(given.get("names", "").split())
        return given

    def _check_names(self, names: list[str]) -> None:
        known = set(Topic.objects.filter(study=self.study, name__in=names).values_list("name", flat=True))
        unknown = [name for name in names if name not in known]
        if not names:
            self.add_error("names", "Name at least one topic.")
        elif unknown:
            more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
            self.add_error("names", f"There is no topic {', '.join(unknown[:5])}{more}.")

    def chosen(self, task: Task) -> PageChoice:
        """Return the questions that the form asks for; sets `assessors` of the task. Raises CannotAsk."""
        task.settings["assessors"] = self.cleaned_data["assessors"]
        return chosen(
            task,
            **{name: self.cleaned_data[name] for name in ("runs", "topics", "number")}
            | {"baseline": self.cleaned_data["baseline"], "names": self.cleaned_data["names"].split()},
        )


def chosen(
    task: Task,
    *,
    runs: str = "all",
    baseline: Run | None = None,
    topics: str = "all",
    number: int | None = None,
    names: list[str] | None = None,
) -> PageChoice:
    """Return the questions for a choice of pairs of runs and topics.

    The arguments take the values of the fields of `AskForm`. Raises CannotAsk if there is nothing to compare,
    or too much.
    """
    study = task.study
    pairs = _pairs(study, runs, baseline)
    if not pairs:
        raise CannotAsk(
            "The leaderboard tells all runs apart: no pair is left to ask about."
            if runs == "untold" and len(result_pages.every_pair(study))
            else "There are no two runs to compare. Load runs first."
        )
    rows = Topic.objects.filter(study=study).order_by("name")
    if topics == "named":
        rows = rows.filter(name__in=names or [])
    ids = list(rows.values_list("pk", flat=True))
    if topics == "differ":
        ids = result_pages.by_difference(task, pairs, ids)
    return result_pages.choose(task, pairs, ids[:number] if topics in ("first", "differ") else ids)


def _pairs(study: Study, runs: str, baseline: Run | None) -> list[Runs]:
    if runs == "untold":
        return leaderboard.indistinguishable_pairs(leaderboard.board(study, study.persistence))
    every = result_pages.every_pair(study)
    return (
        [pair for pair in every if baseline is None or baseline.pk in pair] if runs == "baseline" else every
    )


class PagesForecast(NamedTuple):
    """What a choice would add: questions, answers, batches, and hours of all assessors together.

    same, empty: `PageChoice.same` and `PageChoice.empty`.
    """

    questions: int
    answers: int
    batches: int
    hours: float
    same: int
    empty: int


def forecast(task: Task, choice: PageChoice) -> PagesForecast:
    """Count what asking for a choice would add; the hours include challenges."""
    missing = result_pages.missing(task, choice)
    answers = sum(missing.values())
    batches = ceil(answers / task.batch_size)
    seconds, each = forecast_seconds(task, task.study), challenges_in_batch(task.study, task)
    hours = expected_time.hours(task, answers, seconds, each)
    return PagesForecast(len(missing), answers, batches, hours, choice.same, choice.empty)


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show or change a study's task of result pages, ask for more questions, show the answers."""
    task = result_pages.task_of(study)
    fixed = task is not None and Question.objects.filter(task=task).exists()
    asking = request.POST.get("action", "") in ("count", "ask")
    if request.method == "POST" and not asking and not fixed and study.closed_at is None:
        sent = PagesForm(request.POST, instance=task or result_pages.usual(study))
        if sent.is_valid():
            sent.store(study)
            messages.success(request, "Saved. Choose below what is asked.")
            return redirect("result-pages", study.slug)
        return _page(request, study, task, form=sent)
    if request.method == "POST" and asking and task is not None and study.judging_is_open:
        return _ask(request, study, task)
    when = BEFORE if task is not None and task.position == 0 else AFTER
    form = PagesForm(instance=task or result_pages.usual(study), initial={"when": when})
    return _page(request, study, task, form=None if fixed else form)


def _ask(request: HttpRequest, study: Study, task: Task) -> HttpResponse:
    """Count the chosen questions; ask them only if the form confirms the same count."""
    ask = AskForm(study, request.POST)
    counted: PagesForecast | None = None
    if ask.is_valid():
        try:
            choice = ask.chosen(task)
        except CannotAsk as error:
            ask.add_error(None, ValidationError(str(error)))
        else:
            counted = forecast(task, choice)
            if request.POST["action"] == "ask" and ask.cleaned_data["counted"] == counted.questions:
                new = result_pages.ask(task, choice)
                messages.success(request, f"{count(new, 'question')} more {_are(new)} asked from now on.")
                return redirect("result-pages", study.slug)
            sent = request.POST.copy()
            sent["counted"] = str(counted.questions)
            ask = AskForm(study, sent)
            ask.is_valid()
    return _page(request, study, task, ask=ask, counted=counted)


def _are(number: int) -> str:
    return "is" if number == 1 else "are"


def _page(
    request: HttpRequest,
    study: Study,
    task: Task | None,
    *,
    form: PagesForm | None = None,
    ask: AskForm | None = None,
    counted: PagesForecast | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "study": study,
        "task": task,
        "form": form,
        "counted": counted,
        "sections": [],
    }
    if form:
        checked = bool(challenges_in_batch(study, form.instance))
        context["sections"] = [folded(form, one, checked=checked) for one in SECTIONS]
    if task is not None and task.pk:
        context |= {"progress": result_pages.progress(task), "scales": dict(SCALES)} | _results(study, task)
        context["concerns"] = long_batch(study, task)
        if study.judging_is_open:
            context["ask"] = ask or AskForm(study, initial={"assessors": task.settings_of_kind.assessors})
    return render(request, "organizer/result_pages.html", context)


def _results(study: Study, task: Task) -> dict[str, Any]:
    """Return the answers: a line for each pair of runs, and how far measures agree with them."""
    preferred = result_pages.collected(task)
    lines = result_pages.lines(preferred)
    if not lines:
        return {}
    tested = compare(study, preferred, lines)
    names = dict(Run.objects.filter(study=study).values_list("pk", "name"))
    rows = [
        {"names": [names[run] for run in line.runs], "line": line, "p": p}
        for line, p in zip(lines, tested.signs, strict=True)
    ]
    return {
        "lines": rows[:MOST_LINES],
        "further": len(rows) - MOST_LINES,
        "answers": sum(one.first + one.second + one.ties for one in preferred),
        "agreement": {name: test for name, test in tested.agreement.items() if test.agree + test.disagree},
    }


@for_organizers
@require_POST
def stop(request: HttpRequest, study: Study) -> HttpResponse:
    """Stop asking the open questions about result pages."""
    task = result_pages.task_of(study)
    if task is not None:
        stopped = result_pages.stop(task)
        messages.success(request, f"{count(stopped, 'open question')} {_are(stopped)} not asked any more.")
    return redirect("result-pages", study.slug)
