"""The page of pairs that people see differently, and the act of having them judged once more."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import Truncator
from django.views.decorators.http import require_POST

from collection.models import Item, Placement, Run, Study, Topic
from judging import ledger
from judging.models import Assessor, Judgment, Question, Subject
from judging.people import person_names
from judging.questions import asking
from judging.questions.disagreements import Disagreement, ask_once_more
from judging.tasks.pair import Pair
from scoring.quality.disagreements import DISAGREEMENTS
from web.forecast.completion import usual_pay, usual_price
from web.forecast.judging_cost import Cost, cost_of
from web.shared import waiting_pages
from web.shared.access import for_organizers
from web.shared.phrases import count, duration, natural
from web.shared.typesetting import first_words_apart
from web.shared.view_choices import choice_of

# Pairs on a page of the list; letters of a text that a line may show.
A_PAGE, LETTERS = 20, 110
# What pairs are called in the trail that are judged once more.
DIFFERENT, DOUBTFUL = "pairs that people see differently", "pairs with doubtful judgments"


class PairRow(NamedTuple):
    """A pair of the list: its topic, and its items by their first words. waits: for one more answer already.

    votes: for the first, for the second, and ties, as written. chosen: the item that all prefer, by its id; 0
    where they differ.
    """

    topic: Topic
    first: Item
    second: Item
    names: list[str]
    votes: str
    waits: bool
    chosen: int


@dataclass(frozen=True)
class PairFilter:
    """What the list is narrowed to: choices by name, and what is chosen, "" for all. Each is an id."""

    topics: dict[str, str]
    people: dict[str, str]
    runs: dict[str, str]
    topic: str
    person: str
    run: str

    @property
    def query(self) -> str:
        chosen = {"topic": self.topic, "person": self.person, "run": self.run}
        return urlencode({name: value for name, value in chosen.items() if value})

    def among(self, questions: QuerySet[Question], study: Study) -> QuerySet[Question]:
        """Return those of these questions that it lets through."""
        if self.topic:
            questions = questions.filter(topic=int(self.topic))
        if self.person:
            given = Judgment.objects.filter(topic__study=study, assignment__assessor=int(self.person))
            questions = questions.filter(pk__in=given.values("question"))
        if self.run:
            placed = Placement.objects.filter(run=int(self.run)).values("item")
            questions = questions.filter(pk__in=Subject.objects.filter(item__in=placed).values("question"))
        return questions


@for_organizers
def page(request: HttpRequest, study: Study) -> HttpResponse:
    """List the pairs that people see differently, the most even first; on POST want one more answer to each.

    Without such pairs, list those that several people judged alike. `?topic=`, `?person=` and `?run=` narrow
    the list, and what is asked. Fourteen queries at most, and those that make the result; they do not grow
    with the pairs.
    """
    found, _ = waiting_pages.latest_result(DISAGREEMENTS, study)
    task = asking.task_of(study)
    judged = Question.objects.filter(task=task, expected__isnull=True, taken__gt=0)
    several = judged.filter(taken__gt=1)
    only = _filter(request, study, several)
    of_several = Paginator(only.among(several, study).order_by("-taken", "pk"), A_PAGE)
    differing = found.value if found else []
    if differing and only.query:
        kept = set(only.among(several, study).values_list("pk", flat=True))
        differing = [one for one in differing if one.question in kept]
    if request.method == "POST" and found is not None:
        _ask_once_more(request, study, [one.question for one in differing], DIFFERENT)
        return redirect(f"{reverse('disagreements', args=[study.slug])}{only.query and '?'}{only.query}")
    context: dict[str, Any] = {
        "study": study,
        "only": only,
        "judged": judged.count(),
        "several": several.count(),
    }
    number = request.GET.get("page")
    if not found or not found.value:
        agreed = of_several.get_page(number)
        context |= {"page": agreed, "rows": _agreed(study, list(agreed))}
    if found is None:
        context["waits"] = waiting_pages.waiting(DISAGREEMENTS, study)
        return waiting_pages.looks_again(request, "organizer/disagreements.html", context)
    waiting = set(asking.open_questions(study).values_list("pk", flat=True))
    if found.value:
        shown = Paginator(differing, A_PAGE).get_page(number)
        context |= {"page": shown, "rows": _rows(study, list(shown), waiting)}
    ready, cost = sum(one.question not in waiting for one in differing), cost_of(study)
    # Where no pair has two answers, a second one to each.
    answers = ready if context["several"] else context["judged"]
    context |= {"pairs": len(found.value), "ready": ready, "takes": _takes(cost, answers)}
    return render(request, "organizer/disagreements.html", context)


def _takes(cost: Cost, answers: int) -> str:
    """Say what so many answers take: batches, hours and money, without a price at the usual pay."""
    batches = cost.batches(answers)
    pay = cost.pay(answers) or (
        f"{batches * usual_price(cost):,.2f} {cost.currency} at {usual_pay()} an hour, without fees"
    )
    return f"{count(batches, 'batch')}, {duration(cost.hours(answers))} of judging, {pay}"


def _filter(request: HttpRequest, study: Study, several: QuerySet[Question]) -> PairFilter:
    """Return what the address narrows the list to; nothing to choose from where no pair has two answers."""
    topics = Topic.objects.filter(pk__in=several.values("topic")).order_by("name")
    named = {str(one.pk): Truncator(one.text or one.name).chars(60) for one in topics}
    given = Assessor.objects.filter(study=study, excluded_at=None, assignments__isnull=False) if named else []
    people = person_names.names(study, {one.pk for one in given}, labels=True)
    of_people = {str(pk): name for pk, name in people.items() if name != person_names.UNNAMED}
    of_people = dict(sorted(of_people.items(), key=lambda one: natural(one[1])))
    rows = Run.objects.filter(study=study).order_by("name").values_list("pk", "name") if named else []
    runs = {str(pk): name for pk, name in rows}
    return PairFilter(
        named,
        of_people,
        runs,
        choice_of(request.GET, "topic", named),
        choice_of(request.GET, "person", of_people),
        choice_of(request.GET, "run", runs),
    )


@for_organizers
@require_POST
def ask_doubtful(request: HttpRequest, study: Study) -> HttpResponse:
    """Want one more answer to each question of the list of doubtful judgments that the form names."""
    given = [one for one in request.POST.getlist("question")[:A_PAGE] if one.isdecimal() and len(one) < 19]
    _ask_once_more(request, study, list(map(int, given)), DOUBTFUL)
    return redirect(f"{reverse('trust', args=[study.slug])}#doubts")


def _ask_once_more(request: HttpRequest, study: Study, questions: list[int], about: str) -> None:
    asked = ask_once_more(study.pk, questions, about)
    done = f"{count(asked, 'pair')} will be judged once more, by people who have not seen them."
    messages.success(request, done if asked else "Each of these pairs waits for an answer already.")


def _rows(study: Study, listed: list[Disagreement], waiting: set[int]) -> list[PairRow]:
    return _named(
        study,
        [
            (
                one.topic,
                one.first,
                one.second,
                _votes(one.for_first, one.for_second, one.ties),
                one.question in waiting,
                0,
            )
            for one in listed
        ],
    )


def _votes(first: int, second: int, ties: int) -> str:
    parts = [f"{first} : {second}"] if first or second or not ties else []
    return ", ".join([*parts, *([count(ties, "tie")] if ties else [])])


def _agreed(study: Study, rows: list[Question]) -> list[PairRow]:
    """Return these questions, which several people answered, without grids."""
    # Judgments are found by their topic: there is no index by question.
    own = Judgment.objects.filter(topic__in={one.topic_id for one in rows}, question__in=rows)
    answers = own.counting().filter(question__task__kind=Pair.name)
    said: dict[int, Counter[int]] = defaultdict(Counter)
    for given, (question,) in ledger.derived_with(answers, "question"):
        said[question][(given.lean > 0) - (given.lean < 0)] += 1
    named: list[tuple[int, int, int, str, bool, int]] = []
    for one in rows:
        if len(ids := one.subject_ids) == 2:
            first, second, ties = (said[one.pk][side] for side in (1, -1, 0))
            chosen = ids[second > first] if first != second else 0
            named.append((one.topic_id, ids[0], ids[1], _votes(first, second, ties), False, chosen))
    return _named(study, named)


def _named(study: Study, pairs: Sequence[tuple[int, int, int, str, bool, int]]) -> list[PairRow]:
    """Return these pairs, each by topic, both items, votes, whether it waits and what is chosen."""
    topics = Topic.objects.in_bulk({topic for topic, *_ in pairs})
    items = Item.every.in_bulk({item for _, *two, _, _, _ in pairs for item in two})
    return [
        PairRow(
            topics[topic],
            items[first],
            items[second],
            first_words_apart([items[first], items[second]], study, LETTERS),
            votes,
            waits,
            chosen,
        )
        for topic, first, second, votes, waits, chosen in pairs
        if topic in topics and first in items and second in items
    ]
