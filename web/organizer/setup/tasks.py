"""The tasks of a study, a section of its settings: their order, and how far each is."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count, F, Q, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from collection.models import Study
from judging.batches import examples
from judging.models import Assignment, Question, Task
from judging.questions import grading, task_order
from judging.questions.asking import FEEDING, task_of
from judging.tasks.grade import GradeTask
from judging.tasks.pair import Pair
from judging.tasks.serp import Pages
from tournament.models import Tournament
from tournament.plans import plan_of
from web.forecast.overview import challenges_in_batch
from web.shared.access import for_organizers
from web.shared.task_words import NAMES, SCALES

PAGES = {GradeTask.name: "grading", Pages.name: "result-pages"}
State = Assignment.State


@dataclass(frozen=True)
class TaskLine:
    """A task with its numbers.

    word: how far it is.
    wanted: answers that the questions not set aside want; taken: how many of these are kept or being judged.
    in_batch: challenges in each batch. batches: how many batches have each
    outcome.
    """

    task: Task
    name: str
    scale: str
    word: str
    state: str
    questions: int
    wanted: int
    taken: int
    challenges: int
    in_batch: int
    batches: dict[str, int]
    assessors: int
    settings: str
    results: str
    examples: bool


def lines(study: Study) -> list[TaskLine]:
    """Return the tasks of a study with their numbers, in order. Cost grows with the questions."""
    task_of(study)
    tasks = list(Task.objects.filter(study=study))
    asked = Q(wanted__gt=0)
    counts: dict[int, dict[str, Any]] = {
        row["task"]: dict(row)
        for row in Question.objects.filter(task__in=tasks)
        .order_by()
        .values("task")
        .annotate(
            questions=Count("pk", filter=asked),
            all_wanted=Sum("wanted", filter=Q(set_aside_at=None), default=0),
            all_taken=Sum("taken", filter=Q(set_aside_at=None), default=0),
            challenges=Count("pk", filter=Q(expected__isnull=False, set_aside_at=None)),
            open=Count("pk", filter=Q(taken__lt=F("wanted"), set_aside_at=None)),
        )
    }
    batches: dict[int, dict[str, int]] = defaultdict(dict)
    own = Assignment.objects.filter(task__in=tasks).order_by().values_list("task", "state")
    for pk, state, n in own.annotate(n=Count("pk")):
        batches[pk][state] = n
    nothing = {"questions": 0, "all_wanted": 0, "all_taken": 0, "challenges": 0, "open": 0}
    found = []
    for task in tasks:
        numbers = counts.get(task.pk, nothing)
        word, state = _state(study, task, numbers, batches[task.pk])
        feeds = task.kind in FEEDING
        each = plan_of(study).settings["judgments_per_pair"] if feeds else task.settings_of_kind.assessors
        scale = SCALES.get((Pair.name if task.kind == Pages.name else task.kind, task.scale), task.scale)
        page = reverse(PAGES[task.kind], args=[study.slug]) if task.kind in PAGES else ""
        results = reverse("topics", args=[study.slug]) if feeds else page
        found.append(
            TaskLine(
                task=task,
                name=NAMES[task.kind],
                scale=scale,
                word=word,
                state=state,
                questions=numbers["questions"],
                wanted=numbers["all_wanted"],
                taken=numbers["all_taken"],
                challenges=numbers["challenges"],
                in_batch=challenges_in_batch(study, task),
                batches=_told(batches[task.pk]),
                assessors=each,
                settings=page,
                results=results if study.opened_at else "",
                examples=task.kind in examples.KINDS,
            )
        )
    return found


def _told(states: dict[str, int]) -> dict[str, int]:
    """Count batches by the outcomes that the page shows, leaving out zeros."""
    working = states.get(State.WORKING, 0) + states.get(State.IDLE, 0)
    told = {"kept": states.get(State.KEPT, 0), "discarded": states.get(State.DISCARDED, 0)}
    return {word: n for word, n in (told | {"being judged": working}).items() if n}


def _state(study: Study, task: Task, numbers: dict[str, Any], batches: dict[str, int]) -> tuple[str, str]:
    if study.opened_at is None:
        return "Before opening", "later"
    feeds = task.kind in FEEDING
    played = Tournament.objects.filter(topic__study=study) if feeds else None
    if played is not None and not played.exists() and grading.came_first(study):
        return "Waits for grades", "later"
    if study.closed_at:
        return ("Paused" if study.paused else "Over"), "later"
    if numbers["open"]:
        return "Being asked", "next"
    if batches.get(State.WORKING, 0) + batches.get(State.IDLE, 0):
        return "Last batches being judged", "next"
    if played is not None and played.filter(finished=False).exists():
        return "Between rounds", "next"
    return ("Done", "done") if numbers["questions"] else ("Nothing asked yet", "later")


@for_organizers
@require_POST
def move(request: HttpRequest, study: Study) -> HttpResponse:
    """Move a task one earlier or later in the order in which they are asked."""
    chosen = request.POST.get("task", "")
    if chosen.isascii() and chosen.isdigit() and len(chosen) < 10:
        earlier = request.POST.get("move") == "earlier"
        if task_order.move(study.pk, int(chosen), earlier=earlier):
            messages.success(request, "The order is changed, for batches drawn from now on.")
    return redirect(f"{reverse('study-settings', args=[study.slug])}#asked")
