"""The list of a topic's judgments. Only organizers and coordinators see it, since it says who judged when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collection.models import Item, Study, Topic
from judging.assessor_names import assessor_name
from judging.models import COUNTING, UNDECIDED, Assignment, Judgment, JudgmentQuerySet, QuestionRole, Subject
from judging.tasks import KINDS
from web.coordinator.placements import PlacedItem, by_id
from web.shared import tokens
from web.shared.access import for_members
from web.shared.typesetting import shows_nothing, typeset

A_PAGE = 100


@dataclass(frozen=True)
class AnsweredItem:
    """An item of a question at its position on the page.

    side: left, right, a number, or "" if unknown. preferred: whether the answer prefers it. least: whether
    a pick named it as the worst.
    """

    item: PlacedItem
    side: str
    preferred: bool
    least: bool


@dataclass(frozen=True)
class JudgmentLine:
    """A judgment: the items shown, the answer, its times, the assessor, and its outcome.

    answer: "definitely" for a strong preference, else "". aside: a tie or a grade in words, else "". seconds,
    away: in view and with the page hidden; None if unknown, as in a file. counts: whether scores use it.
    """

    pk: int
    at: datetime
    stood: list[AnsweredItem]
    answer: str
    aside: str
    seconds: float | None
    away: float | None
    assessor: str
    counts: bool
    state: str


@for_members
@require_safe
def judgments(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """List the judgments of a topic, or of the pair of items `?a=&b=`, latest first.

    The number of queries does not depend on the number of judgments.
    """
    topic = get_object_or_404(Topic, study=study, pk=pk)
    pair = _pair(request, topic)
    rows = of_topic(topic)
    for one in pair:
        rows = rows.filter(question__in=Subject.objects.filter(item=one.pk).values("question"))
    others = request.GET.copy()
    others.pop("page", None)
    page = Paginator(rows.order_by("-pk"), A_PAGE).get_page(request.GET.get("page"))
    told = {
        "study": study,
        "topic": topic,
        "pair": pair,
        "sides": [side(one, study) for one in pair],
        "page": page,
        "lines": lines(list(page.object_list)),
        "others": others.urlencode(),
    }
    return render(request, "coordinator/judgments.html", told)


def _pair(request: HttpRequest, topic: Topic) -> list[Item]:
    """Return the items `a` and `b` of the query; [] unless they are two items of the topic."""
    asked = [request.GET.get(name, "") for name in ("a", "b")]
    keys = [int(one) for one in asked if one.isdecimal() and len(one) < 19]
    if len(set(keys)) < 2:
        return []
    found = Item.objects.filter(topic=topic).in_bulk(keys)
    return [found[key] for key in keys] if len(found) == 2 else []


def side(item: Item, study: Study, *, chosen: bool = False) -> dict[str, Any]:
    """Return an item in full, as `templates/organizer/_sides.html` shows it."""
    pictured = bool(item.image) and (study.kind == Study.Kind.IMAGE or not item.text)
    text = "" if pictured else typeset(item.text, study.markup)
    return {
        "name": item.docno,
        "picture": tokens.sign_image(item.pk) if pictured else "",
        "width": item.width,
        "height": item.height,
        "text": text,
        "empty": bool(text) and shows_nothing(text),
        "chosen": chosen,
    }


def of_topic(topic: Topic) -> JudgmentQuerySet:
    """Return a topic's judgments of items as last corrected, including challenges and discarded ones."""
    about_items = [name for name, kind in KINDS.items() if kind.about == "item"]
    rows = Judgment.objects.current().filter(topic=topic, assignment__task__kind__in=about_items)
    return rows.exclude(assignment__state=Assignment.State.LOADING)


def lines(rows: Sequence[Judgment]) -> list[JudgmentLine]:
    """Return the lines of these judgments."""
    fields = ("assignment__assessor", "assignment__task", "question")
    full = Judgment.objects.select_related(*fields).in_bulk([row.pk for row in rows])
    items = by_id({pk for row in full.values() for pk in row.question.subject_ids})
    return [_line(full[row.pk], items) for row in rows]


def _line(row: Judgment, items: dict[int, PlacedItem]) -> JudgmentLine:
    task, assessor = row.assignment.task, row.assignment.assessor
    way = KINDS[task.kind]
    subjects = row.question.subject_ids
    order = [subjects[int(place)] for place in row.shown] if row.shown else list(subjects)
    leans = list(way.leans(row.value, row.shown))
    better = {subjects[one.first if one.lean > 0 else one.second] for one in leans if one.lean}
    worse = {subjects[one.second if one.lean > 0 else one.first] for one in leans if one.lean}
    # A definite answer leans by two.
    definitely = any(abs(one.lean) > 1 for one in leans)
    counts, state = _state(row, assessor.excluded_at)
    return JudgmentLine(
        pk=row.pk,
        at=row.created_at,
        stood=[
            AnsweredItem(
                item=items[pk],
                side=way.places[place] if row.shown and place < len(way.places) else "",
                preferred=pk in better - worse,
                # A pick that named the worst prefers all others to it, so several items are preferred.
                least=len(better) > 1 and pk in worse - better,
            )
            for place, pk in enumerate(order)
        ],
        answer="definitely" if definitely else "",
        aside=_aside(leans, way.word(row.value)),
        seconds=row.seconds,
        away=row.away,
        assessor=assessor_name(assessor.panel, assessor.label, assessor.pk),
        counts=counts,
        state=state,
    )


def _aside(leans: Sequence[Any], word: str) -> str:
    """Return an answer that prefers no item in words, a tie or a grade; "" for any other."""
    if not leans:
        return f"grade {word}"
    return "" if any(one.lean for one in leans) else "tie"


def _state(row: Judgment, excluded: datetime | None) -> tuple[bool, str]:
    """Return whether scores use the judgment, and its outcome in words."""
    state = row.assignment.state
    if row.role != QuestionRole.COUNTS:
        return False, "challenge or repeat"
    if excluded is not None:
        return False, "assessor excluded"
    if state in UNDECIDED:
        return True, "not decided yet"
    return state in COUNTING, Assignment.State(state).label
