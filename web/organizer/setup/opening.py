"""The page that opens a study: a forecast of what it will ask for, and the button."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from collection.models import Study
from config.task_queue import run_in_background
from judging.questions import grading
from tournament import jobs, services
from tournament.remaining_work import open_batches
from web.forecast.grading_cost import forecast
from web.forecast.outlook import outlook, works
from web.forecast.plans import plans_told
from web.shared import waiting_pages
from web.shared.access import for_organizers
from web.shared.phrases import count, duration


def _graded(study: Study) -> list[str]:
    """Return a sentence for each task of grading about what it will ask for."""
    told = []
    for task in grading.tasks_of(study):
        work = forecast(task)
        said = (
            f"Grades are asked for first: {count(work.items, 'item')}, {count(work.answers, 'answer')} in "
            f"{count(work.batches, 'batch')}, about {duration(work.hours)} of judging in all."
        )
        if task.settings_of_kind.grades_first:
            said += (
                " The pairs below wait until you take these grades as the study's, and their numbers are "
                "those without them: fewer candidates will be left."
            )
        told.append(said)
    return told


def _most(given: str) -> int | None:
    """Parse how many topics to open; None (all) if empty. Raises CannotStart if it is not a valid number."""
    if not given:
        return None
    if not given.isascii() or not given.isdigit() or not 0 < int(given) < 10**6:
        raise services.CannotStart("Give the number of topics to open first as a whole number, such as 5.")
    return int(given)


@for_organizers
@require_http_methods(["GET", "HEAD", "POST"])
def open_for_judging(request: HttpRequest, study: Study) -> HttpResponse:
    """Show what opening a study, or more of its topics, will ask for; on POST open all or a first wave.

    A job then asks the first rounds.
    """
    refused, given = "", request.POST.get("most", "").strip()
    drawn = "drawn" in request.POST
    if request.method == "POST":
        first = study.opened_at is None
        try:
            opened = services.start(study.pk, _most(given), drawn=drawn)
        except services.CannotStart as error:
            refused = str(error)
        else:
            run_in_background(jobs.sweep)
            if grading.came_first(study):
                messages.success(request, "Judging is open: grades are being asked for.")
                return redirect("study-send" if first else "grading", study.slug)
            of = count(opened, study.words.topic)
            messages.success(request, f"Judging is open: the first rounds of {of} are being asked now.")
            return redirect("study-send" if first else "topics", study.slug)
    seen = outlook(study)
    told = {"outlook": seen, "works": works(study, seen), "graded": _graded(study), "refused": refused}
    first = grading.came_first(study)
    context = {
        "study": study,
        "most": given,
        "drawn": drawn,
        "waves": len(seen.pools) > 1 and not first,
        "further": study.opened_at is not None and not first,
        "open_batches": open_batches(study) if study.opened_at else 0,
        **told,
    }
    if not study.opened_at:
        context |= plans_told(request, study)
    status = 409 if refused else 400 if context.get("wrong") else 200
    respond = waiting_pages.looks_again if context.get("waits") else render
    return respond(request, "organizer/opening.html", context, status=status)
