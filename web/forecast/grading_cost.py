"""Cost of grading: items, answers, batches and hours."""

from math import ceil
from typing import NamedTuple

from judging.models import Question, Task
from judging.questions import expected_time, grading
from judging.questions.challenges import count as challenges_of
from judging.questions.expected_time import forecast_seconds
from web.forecast.overview import challenges_in_batch


class GradingForecast(NamedTuple):
    """What grading asks for: items, answers, batches of the task, hours of all assessors."""

    items: int
    answers: int
    batches: int
    hours: float
    challenges: int


def forecast(task: Task) -> GradingForecast:
    """Count what a task of grading asks for."""
    asked = Question.objects.filter(task=task, wanted__gt=0)
    return cost_of(task, asked.count() or sum(map(len, grading.pool(task).values())))


def cost_of(task: Task, items: int) -> GradingForecast:
    """Cost of having so many items graded."""
    answers = items * task.settings_of_kind.assessors
    batches = ceil(answers / task.batch_size)
    seconds, each = forecast_seconds(task, task.study), challenges_in_batch(task.study, task)
    hours = expected_time.hours(task, answers, seconds, each)
    return GradingForecast(items, answers, batches, hours, challenges_of(task))
