"""The page of answer quality: position bias, ties, time and consistency of a study's answers."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Study
from judging.models import Assessor, Assignment, Task
from judging.people import roster
from scoring.compute.answer_stats import AnswerFigures, AnswerReport
from web.shared import latest_trust, waiting_pages
from web.shared.access import for_organizers

A_PAGE = 50
KINDS = {"pair": "Pairs", "pages": "Result pages", "pick": "Picks", "grade": "Grades"}


@dataclass(frozen=True)
class QualityRow:
    """A line of the page's tables: a name, its figures, and the assessor's id if they are one person's."""

    name: str
    own: AnswerFigures
    assessor: int | None = None

    @property
    def places(self) -> list[tuple[int, list[tuple[int, int, float]]]]:
        """For each grid size its places, numbered from 1, with their choices and share in percent."""
        return [
            (size, [(at, n, 100 * n / sum(counts)) for at, n in enumerate(counts, 1)])
            for size, counts in self.own.picks.items()
            if sum(counts)
        ]


@for_organizers
@require_safe
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """Show answer quality of the study, of each task and of each person, strongest position bias first.

    The figures are those last computed, as on the page of trust. Nine queries at most, unless they are
    computed now.
    """
    told: dict[str, object] = {"study": study}
    if not Assignment.objects.filter(task__study=study).exists():
        return render(request, "organizer/quality.html", told | {"empty": True})
    last, newer = latest_trust.latest_trust(study)
    if last is None:
        return waiting_pages.looks_again(request, "organizer/quality.html", told)
    found = last.value.answers
    order = sorted(found.people, key=lambda pk: (_unevenness(found.people[pk]), pk))
    people = Paginator(order, A_PAGE).get_page(request.GET.get("page"))
    labels = dict(Assessor.objects.filter(pk__in=list(people.object_list)).values_list("pk", "label"))
    numbers = roster.numbers(study, list(people.object_list))
    told |= {
        "empty": not found.all.answers and not found.people,
        "at": last.at,
        "newer": newer,
        "all": QualityRow("All", found.all),
        "groups": list(_groups(study, found)),
        "page": people,
        "people": [
            QualityRow(_name(numbers.get(pk), labels.get(pk)), found.people[pk], pk)
            for pk in people.object_list
        ],
        "hasty": latest_trust.hasty(found.all),
        "flagged": sum(own.left_flag for own in found.people.values()),
        "tested": sum(own.left_p is not None for own in found.people.values()),
    }
    return render(request, "organizer/quality.html", told)


def _name(number: int | None, label: str | None) -> str:
    return " · ".join(filter(None, [str(number or ""), label or ""])) or "An assessor without a label"


def _unevenness(own: AnswerFigures) -> tuple[bool, float]:
    return (not own.left_flag, 1.0 if own.left_p is None else own.left_p)


def _groups(study: Study, found: AnswerReport) -> Iterator[QualityRow]:
    """Yield a row for all tasks together if there are several, for each task, and for what does not count."""
    tasks = {task.pk: task for task in Task.objects.filter(study=study)}
    kinds = [tasks[pk].kind for pk in found.tasks]
    if len(kinds) > 1:
        yield QualityRow("All that count", found.all)
    for pk, own in found.tasks.items():
        name = KINDS.get(tasks[pk].kind, tasks[pk].kind)
        yield QualityRow(f"{name}, {tasks[pk].scale}" if kinds.count(tasks[pk].kind) > 1 else name, own)
    if found.challenges.answers:
        yield QualityRow("Challenges", found.challenges)
    if found.discarded.answers:
        yield QualityRow("Batches that do not count", found.discarded)
