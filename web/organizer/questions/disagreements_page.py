"""The page of pairs that people see differently, and the act of having them judged once more."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from collection.models import Item, Study, Topic
from judging import ledger
from judging.models import Judgment, Question
from judging.questions import asking, expected_time
from judging.questions.disagreements import Disagreement, ask_once_more
from judging.tasks.pair import Pair
from scoring.quality.disagreements import DISAGREEMENTS
from web.shared import waiting_pages
from web.shared.access import for_organizers
from web.shared.phrases import count, duration
from web.shared.typesetting import first_words

# Pairs that the page lists, and of those about which all agree; letters of a text that a line may show.
MOST, AGREED, LETTERS = 50, 20, 110


class PairRow(NamedTuple):
    """A pair of the list: its topic, and its items by their first words. waits: for one more answer already.

    votes: how often either is preferred, or how many answers there are. chosen: the id of the item that all
    prefer, 0 where they differ.
    """

    topic: Topic
    first: Item
    second: Item
    names: list[str]
    votes: str
    waits: bool
    chosen: int


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the pairs that people see differently, the most even first; on POST want one more answer to each.

    Without such pairs, list those that several people judged alike. Nine queries at most, and
    those that make the result; they do not grow with the pairs.
    """
    found, _ = waiting_pages.latest_result(DISAGREEMENTS, study)
    if request.method == "POST" and found is not None:
        asked = ask_once_more(study.pk, [one.question for one in found.value])
        done = f"{count(asked, 'pair')} will be judged once more, by people who have not seen them."
        messages.success(request, done if asked else "Each of these pairs waits for an answer already.")
        return redirect("disagreements", study.slug)
    task = asking.task_of(study)
    judged = Question.objects.filter(task=task, expected__isnull=True, taken__gt=0)
    several = judged.filter(taken__gt=1)
    context: dict[str, Any] = {"study": study, "judged": judged.count(), "several": several.count()}
    if found is None:
        context |= {"waits": waiting_pages.waiting(DISAGREEMENTS, study), "rows": _agreed(study, several)}
        return waiting_pages.looks_again(request, "organizer/disagreements.html", context)
    waiting = set(asking.open_questions(study).values_list("pk", flat=True))
    ready = sum(one.question not in waiting for one in found.value)
    context |= {
        "pairs": len(found.value),
        "rows": _rows(study, found.value[:MOST], waiting) if found.value else _agreed(study, several),
        "ready": ready,
        "time": duration(ready * expected_time.forecast_seconds(task, study) / 3600),
    }
    return render(request, "organizer/disagreements.html", context)


def _rows(study: Study, listed: list[Disagreement], waiting: set[int]) -> list[PairRow]:
    return _named(
        study,
        [(one.topic, one.first, one.second, _votes(one), one.question in waiting, 0) for one in listed],
    )


def _votes(one: Disagreement) -> str:
    score = f"{one.for_first} : {one.for_second}"
    return f"{score}, {count(one.ties, 'tie')}" if one.ties else score


def _agreed(study: Study, several: QuerySet[Question]) -> list[PairRow]:
    """Return pairs that several people judged, most answers first; no grids."""
    rows = list(several.order_by("-taken", "pk")[:AGREED])
    pairs = [(one, one.subject_ids) for one in rows]
    answers = Judgment.objects.counting().filter(question__in=rows, question__task__kind=Pair.name)
    lean: Counter[int] = Counter()
    for given, (question,) in ledger.derived_with(answers, "question"):
        lean[question] += given.lean
    return _named(
        study,
        [
            (one.topic_id, *ids, f"{one.taken:,}", False, lean[one.pk] and ids[lean[one.pk] < 0])
            for one, ids in pairs
            if len(ids) == 2
        ],
    )


def _named(study: Study, pairs: Sequence[tuple[int, int, int, str, bool, int]]) -> list[PairRow]:
    """Return these pairs, each by topic, both items, votes, whether it waits and what is chosen."""
    topics = Topic.objects.in_bulk({topic for topic, *_ in pairs})
    items = Item.every.in_bulk({item for _, *two, _, _, _ in pairs for item in two})
    names = {pk: first_words(one.text, one.docno, study, LETTERS) for pk, one in items.items()}
    return [
        PairRow(
            topics[topic],
            items[first],
            items[second],
            [names[first], names[second]],
            votes,
            waits,
            chosen,
        )
        for topic, first, second, votes, waits, chosen in pairs
        if topic in topics and first in items and second in items
    ]
