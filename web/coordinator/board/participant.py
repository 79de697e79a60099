"""The participant's page: their own runs beside the median of all runs, as means and topic by topic."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from scoring.board import leaderboard
from scoring.compute.medians import FEWEST_OTHERS, beside
from scoring.scores.stored_measures import chosen
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.tabular import csv_line
from web.live.leaderboard_headline import share_of_possible
from web.shared import measure_names
from web.shared.access import for_participants
from web.shared.phrases import listed, number
from web.shared.view_choices import choice_of

TOPICS_A_PAGE = 100


@never_cache
@for_participants
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the user's own means with intervals beside the median, overall and on each topic.

    The template gets no name or value of any other run. Queries do not grow with runs or topics.
    """
    own = list(Run.objects.filter(study=study, participants__user=request.user.pk).order_by("name"))
    p = asked_persistence(request, study)
    board = leaderboard.board(study, p)
    usual = board.leading
    measure = choice_of(
        request.GET, "measure", chosen(study.measures), usual, said=measure_names.TITLES[usual]
    )
    titles = measure_names.titled(study)
    rows = {row.run_id: row for row in board.rows}
    keys = [run.pk for run in own]
    means = []
    for name in board.measures:
        found = beside({key: row.means[name].value for key, row in rows.items()}, keys)
        of_runs = [
            (run, mean, share_of_possible(mean))
            for run in own
            if run.pk in rows
            for mean in [rows[run.pk].means[name]]
        ]
        means.append({"title": titles[name].title, "runs": of_runs, "median": found.median})
    context: dict[str, Any] = {
        "study": study,
        "own": own,
        "board": board,
        "answer": _answer(means[0], own) if means else "",
        "means": means,
        "measure": measure,
        "measures": titles,
        "fewest": FEWEST_OTHERS,
        **(_topics(request, study, keys, p, measure) if own else {}),
    }
    return render(request, "coordinator/own.html", context)


@never_cache
@for_participants
@require_safe
def report(request: HttpRequest, study: Study) -> HttpResponse:
    """Download own runs beside the median as CSV, by every measure: the means, then topic by topic.

    Queries grow with the measures; time with topics x runs.
    """
    own = list(Run.objects.filter(study=study, participants__user=request.user.pk).order_by("name"))
    p, keys = asked_persistence(request, study), [run.pk for run in own]
    board = leaderboard.board(study, p)
    rows = {row.run_id: row for row in board.rows}
    lines = [csv_line(("topic", "measure", "p", *(run.name for run in own), "median of all runs"))]
    for name in board.measures:
        found = beside({key: row.means[name].value for key, row in rows.items()}, keys)
        lines.append(csv_line(("mean", name, p, *found.own, found.median)))
    every = list(Run.objects.filter(study=study).order_by("pk"))
    topics = list(study.topics.order_by("name").values_list("pk", flat=True)) if own else []
    for name in board.measures:
        for line in leaderboard.topic_lines(topics, every, p, measure=name):
            values = {run.pk: value for run, value in zip(every, line.values, strict=True)}
            found = beside(values, keys)
            lines.append(csv_line((line.topic.name, name, p, *found.own, found.median)))
    response = HttpResponse("".join(lines), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-own-runs.csv"'
    return response


def _topics(request: HttpRequest, study: Study, own: list[int], p: float, measure: str) -> dict[str, Any]:
    shown = Paginator(study.topics.order_by("name").values_list("pk", flat=True), TOPICS_A_PAGE)
    at = shown.get_page(request.GET.get("page"))
    runs = list(Run.objects.filter(study=study).order_by("pk"))
    lines = []
    for line in leaderboard.topic_lines(list(at.object_list), runs, p, measure=measure):
        values = {run.pk: value for run, value in zip(runs, line.values, strict=True)}
        found = beside(values, own)
        marks = [(value, _width(value)) for value in found.own]
        lines.append((line.topic, marks, found.median, _width(found.median)))
    return {"page": at, "lines": lines}


def _width(value: float | None) -> str:
    """Return the bar length of a value from 0 to 1, of 200 units; "" for None."""
    return "" if value is None else f"{200 * min(1.0, max(0.0, value)):.1f}"


def _answer(leading: dict[str, Any], own: list[Run]) -> str:
    middle, scored = leading["median"], [(r, m) for r, m, _ in leading["runs"] if m.value is not None]
    if not own:
        return "No run is named as yours yet. The study's organizers name them."
    if not scored:
        return "Nothing is judged yet that would score your runs."
    if middle is None:
        return f"{listed([f'{run.name} has a mean of {number(mean.value, 3)}' for run, mean in scored])}."
    said = [f"{run.name} ({number(mean.value, 3)}) is {_side(mean.value, middle)}" for run, mean in scored]
    return f"{listed(said)} the median of all runs, {number(middle, 3)}, in mean {leading['title']}."


def _side(value: float, middle: float) -> str:
    return "at" if round(value, 3) == round(middle, 3) else "above" if value > middle else "below"
