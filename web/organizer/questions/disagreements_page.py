"""The page of pairs that people see differently, and the act of having them judged once more."""

from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from collection.models import Item, Study, Topic
from judging.models import Question
from judging.questions import asking, expected_time
from judging.questions.disagreements import Disagreement, ask_once_more
from scoring.quality.disagreements import DISAGREEMENTS
from web.shared import waiting_pages
from web.shared.access import for_organizers
from web.shared.phrases import count, duration

# Pairs that the page lists.
MOST = 50


class PairRow(NamedTuple):
    """A pair of the list, by the names of its topic and items. waits: for one more answer already."""

    told: Disagreement
    topic: Topic
    first: str
    second: str
    waits: bool


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the pairs that people see differently, the most even first; on POST want one more answer to each.

    Six queries at most, and those that make the result; they do not grow with the pairs.
    """
    found, _ = waiting_pages.latest_result(DISAGREEMENTS, study)
    if request.method == "POST" and found is not None:
        asked = ask_once_more(study.pk, [one.question for one in found.value])
        done = f"{count(asked, 'pair')} will be judged once more, by people who have not seen them."
        messages.success(request, done if asked else "Each of these pairs waits for an answer already.")
        return redirect("disagreements", study.slug)
    if found is None:
        told = {"study": study, "waits": waiting_pages.waiting(DISAGREEMENTS, study)}
        return waiting_pages.looks_again(request, "organizer/disagreements.html", told)
    waiting = set(asking.open_questions(study).values_list("pk", flat=True))
    ready = sum(one.question not in waiting for one in found.value)
    task = asking.task_of(study)
    context = {
        "study": study,
        "pairs": len(found.value),
        "rows": _rows(found.value[:MOST], waiting),
        "ready": ready,
        "time": duration(ready * expected_time.typical_seconds(task, study) / 3600),
        "judged": Question.objects.filter(task=task, expected__isnull=True, taken__gt=0).count(),
    }
    return render(request, "organizer/disagreements.html", context)


def _rows(listed: list[Disagreement], waiting: set[int]) -> list[PairRow]:
    topics = Topic.objects.in_bulk({one.topic for one in listed})
    ids = {item for one in listed for item in (one.first, one.second)}
    names = dict(Item.every.filter(pk__in=ids).values_list("pk", "docno"))
    return [
        PairRow(one, topics[one.topic], names[one.first], names[one.second], one.question in waiting)
        for one in listed
        if one.topic in topics and one.first in names and one.second in names
    ]
