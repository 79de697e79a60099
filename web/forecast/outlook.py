"""Outlook: what opening a study, or further topics of it, will ask for."""

from collections import Counter
from dataclasses import astuple, dataclass
from math import ceil, comb
from operator import add
from typing import NamedTuple

from collection.models import Run, Study
from judging.models import Task
from judging.questions import challenges as challenges_of
from judging.questions import expected_time
from judging.questions.asking import FEEDING, task_of
from judging.questions.expected_time import forecast_seconds
from judging.tasks.grade import GradeTask
from judging.tasks.pair import Pair
from prefir.rules import Forecast
from tournament.models import Plan
from tournament.plans import plan_of
from tournament.prior_judgments import TakenOver, taken_over
from web.forecast import concerns, overview
from web.forecast.grading_cost import forecast
from web.forecast.judging_cost import cost_of
from web.shared.task_words import NAMES


@dataclass(frozen=True)
class Outlook:
    """Numbers of a study that is about to be opened; `pools` are the sizes of those with a pair to ask.

    recorded: judgments that are there already; pairs, answers, judgments and batches are those still to be
    asked beyond them, if these were few enough to be played. challenges: how many there will be. assessors:
    how many different people are needed at least, None if nobody could get a batch at all.
    unchecked: warnings about challenges.
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
    unchecked: list[str]
    task: Task
    plan: Plan

    @property
    def asked_again(self) -> int:
        """Expected answers to repeats, in addition to the judgments."""
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
    """Forecast the work of a study's topics that are not open yet."""
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
            *concerns.short_topics(study, stock),
            *concerns.repeats(task),
            *concerns.long_batch(study, task),
        ],
        unchecked=concerns.challenges(study, task, challenges),
        task=task,
        plan=plan,
    )


def _assessors(task: Task, plan: Plan, pools: list[int], challenges: int, batches: int) -> int | None:
    """Least number of people needed: nobody is asked a pair or a challenge twice."""
    # A pair that meets again in a later round is asked of somebody else.
    again = 2 if plan.rules.meets_again(pools, plan.settings) else 1
    needed = plan.settings["judgments_per_pair"] * again
    in_batch = challenges_of.in_batch(task, challenges)
    if in_batch:
        each = challenges // in_batch
        return max(needed, ceil(batches / each)) if each else None
    return needed


class Work(NamedTuple):
    """What one task asks for, as far as it is known. about: what its numbers are, in words."""

    name: str
    questions: int
    answers: int
    batches: int
    hours: float
    about: str


def works(study: Study, outlook: Outlook) -> list[Work]:
    """What each task of a study will ask for, in order."""
    found = []
    for task in Task.objects.filter(study=study).select_related("study"):
        name = NAMES[task.kind]
        if task.kind in FEEDING:
            answers, cost = outlook.judgments.about, cost_of(study)
            questions = answers // outlook.plan.settings["judgments_per_pair"]
            # As on *Progress* and *Money*: whole batches, since people are paid by the batch.
            batches = cost.batches(answers)
            hours, about = batches * cost.batch_hours, "expected, over all rounds, with batches that fail"
            found.append(Work(name, questions, answers, batches, hours, about))
        elif task.kind == GradeTask.name:
            work = forecast(task)
            found.append(Work(name, work.items, work.answers, work.batches, work.hours, "at once"))
        else:
            runs, topics = Run.objects.filter(study=study).count(), outlook.topics
            questions = comb(runs, 2) * topics
            answers = questions * task.settings_of_kind.assessors
            batches = ceil(answers / task.batch_size)
            seconds, each = forecast_seconds(task, study), overview.challenges_in_batch(study, task)
            hours = expected_time.hours(task, answers, seconds, each)
            about = "at most: pairs of runs and topics are chosen once judging is open"
            found.append(Work(name, questions, answers, batches, hours, about))
    return found
