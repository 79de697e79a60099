"""Opening a study: a forecast of what it will ask for, and the button that opens it."""

from collections import Counter
from dataclasses import astuple, dataclass
from math import ceil, comb
from operator import add
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from collection.models import Run, Study
from config.task_queue import run_aside
from judging.models import Task
from judging.questions import challenges as challenges_of
from judging.questions import expected_time, grading
from judging.questions.asking import FEEDING, task_of
from judging.questions.expected_time import typical_seconds
from judging.tasks.grade import Grade
from judging.tasks.pair import Pair
from prefir.rules import Forecast
from tournament import jobs, services
from tournament.models import Plan
from tournament.plans import plan_of
from tournament.prior_judgments import TakenOver, taken_over
from tournament.remaining_work import open_batches
from web.access import for_organizers
from web.organizer import concerns, overview
from web.organizer.grading import forecast
from web.organizer.steps import steps
from web.organizer.tasks import NAMES
from web.words import count


@dataclass(frozen=True)
class Outlook:
    """Numbers of a study that is about to be opened; `pools` are the sizes of those with a pair to ask.

    recorded: judgments that are there already; pairs, answers, judgments and batches are those still to be
    asked beyond them, if these were few enough to be played. challenges: how many there will be. assessors:
    how many different people are needed at least, None if nobody could get a batch at all.
    """

    topics: int
    pools: list[int]
    first_pairs: int
    first_answers: int
    first_batches: int
    judgments: Forecast
    batches: Forecast
    challenges: int
    assessors: int | None
    recorded: TakenOver
    warnings: list[str]
    task: Task
    plan: Plan

    @property
    def asked_again(self) -> int:
        """Answers to questions asked again that are to be expected beyond the judgments."""
        return self.batches.about * self.task.repeats

    @property
    def in_batch(self) -> int:
        """Challenges in each batch."""
        return challenges_of.in_batch(self.task, self.challenges)

    @property
    def candidates(self) -> int:
        """Items in all pools."""
        return sum(self.pools)


def outlook(study: Study) -> Outlook:
    """Forecast the work of a study's topics that are not open yet from what it holds.

    Nine queries, five more if judgments were recorded and three for further topics; cost grows with its
    items, and with these.
    """
    stock, task, plan = overview.stock(study), task_of(study), plan_of(study)
    rules, settings = plan.rules, plan.settings
    challenges = challenges_of.count(task)
    if not challenges:
        challenges = stock.challenges_possible
    elif study.opened_at and task.kind == Pair.name:
        challenges += len(challenges_of.to_make(study))
    recorded = taken_over(study, plan)
    fresh = list((Counter(stock.to_open) - Counter(recorded.sizes)).elements())
    pairs = sum(rules.first_pairs(size, settings) for size in fresh)
    answers = recorded.answers + pairs * settings["judgments_per_pair"]
    judgments = Forecast(*map(add, astuple(rules.forecast(fresh, settings)), astuple(recorded.left)))
    batches = Forecast(
        *(ceil(n / task.batch_size) for n in (judgments.least, judgments.about, judgments.most))
    )
    return Outlook(
        topics=len(stock.not_open),
        pools=sorted(stock.to_open),
        first_pairs=recorded.pairs + pairs,
        first_answers=answers,
        first_batches=ceil(answers / task.batch_size),
        judgments=judgments,
        batches=batches,
        challenges=challenges,
        assessors=_assessors(task, plan, stock.to_open, challenges, batches.about),
        recorded=recorded,
        warnings=[
            *concerns.bare_candidates(study, stock),
            *concerns.short_topics(stock),
            *concerns.challenges(task, challenges),
            *concerns.repeats(task),
            *concerns.nobody_asks(study),
        ],
        task=task,
        plan=plan,
    )


def _assessors(task: Task, plan: Plan, pools: list[int], challenges: int, batches: int) -> int | None:
    """Count the people needed at least: nobody is asked a pair or a challenge twice."""
    # A pair that meets again in a later round is asked of somebody else.
    again = 2 if plan.rules.meets_again(pools, plan.settings) else 1
    needed = plan.settings["judgments_per_pair"] * again
    in_batch = challenges_of.in_batch(task, challenges)
    if in_batch:
        each = challenges // in_batch
        return max(needed, ceil(batches / each)) if each else None
    return needed


class Work(NamedTuple):
    """What one task asks for, as far as can be foreseen. about: what its numbers are, in words."""

    name: str
    questions: int
    answers: int
    batches: int
    hours: float
    about: str


def works(study: Study, outlook: Outlook) -> list[Work]:
    """What each task of a study will ask for, in the order of asking. Six queries at most."""
    found = []
    for task in Task.objects.filter(study=study).select_related("study"):
        name = NAMES[task.kind]
        if task.kind in FEEDING:
            answers, batches = outlook.judgments.about, outlook.batches.about
            questions = answers // outlook.plan.settings["judgments_per_pair"]
            grid = outlook.plan.settings.get("grid_size", 0)
            seconds, each = typical_seconds(task, study, grid), outlook.in_batch
            hours = round(expected_time.hours(task, answers, seconds, each), 1)
            found.append(Work(name, questions, answers, batches, hours, "expected, over all rounds"))
        elif task.kind == Grade.name:
            work = forecast(task)
            found.append(Work(name, work.items, work.answers, work.batches, work.hours, "at once"))
        else:
            runs, topics = Run.objects.filter(study=study).count(), outlook.topics
            questions = comb(runs, 2) * topics
            answers = questions * task.assessors
            batches = ceil(answers / task.batch_size)
            seconds, each = typical_seconds(task, study), overview.challenges_in_batch(study, task)
            hours = round(expected_time.hours(task, answers, seconds, each), 1)
            about = "at most: pairs of runs and topics are chosen once judging is open"
            found.append(Work(name, questions, answers, batches, hours, about))
    return found


def _graded(study: Study) -> list[str]:
    """What grading will ask for, a sentence for each task of grading. One query without any."""
    told = []
    for task in grading.tasks_of(study):
        work = forecast(task)
        said = (
            f"Grades are asked for first: {count(work.items, 'item')}, {count(work.answers, 'answer')} in "
            f"{count(work.batches, 'batch')}, about {work.hours} hours of judging in all."
        )
        if task.grades_first:
            said += (
                " The pairs below wait until you take these grades as the study's, and their numbers are "
                "those without them: fewer candidates will be left."
            )
        told.append(said)
    return told


def _most(given: str) -> int | None:
    """How many topics to open, as typed; None for all. Raises CannotStart for what is no such number."""
    if not given:
        return None
    if not given.isascii() or not given.isdigit() or not 0 < int(given) < 10**6:
        raise services.CannotStart("Give the number of topics to open first as a whole number, such as 5.")
    return int(given)


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
def start(request: HttpRequest, study: Study) -> HttpResponse:
    """Say what opening a study, or its further topics, will ask for; on POST open them, all or a first wave,
    and ask the first rounds in the background.
    """
    refused, given = "", request.POST.get("most", "").strip()
    if request.method == "POST":
        first = study.opened_at is None
        try:
            opened = services.start(study.pk, _most(given))
        except services.CannotStart as error:
            refused = str(error)
        else:
            run_aside(jobs.sweep)
            if grading.came_first(study):
                messages.success(request, "Judging is open: grades are being asked for.")
                return redirect("study-send" if first else "grading", study.slug)
            messages.success(
                request, f"Judging is open: the first rounds of {count(opened, 'topic')} are being asked now."
            )
            return redirect("study-send" if first else "topics", study.slug)
    seen = outlook(study)
    told = {"outlook": seen, "works": works(study, seen), "graded": _graded(study), "refused": refused}
    first = grading.came_first(study)
    context = {
        "study": study,
        "tab": "study",
        "most": given,
        "waves": len(seen.pools) > 1 and not first,
        "steps": steps(study, "tournament-start"),
        "further": study.opened_at is not None and not first,
        "open_batches": open_batches(study) if study.opened_at else 0,
        **told,
    }
    return render(request, "organizer/opening.html", context, status=409 if refused else 200)
