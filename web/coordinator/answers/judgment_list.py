"""The judgments of a topic, pair by pair. They say who judged when, so viewers do not see them."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from collection.material.pictures import medium_of
from collection.models import Item, Study, Topic
from judging.models import COUNTING, UNDECIDED, Assignment, Judgment, JudgmentQuerySet, QuestionRole, Subject
from judging.people import person_names
from judging.people.person_names import UNNAMED
from judging.tasks import KINDS
from scoring.analysis.doubtful_judgments import DOUBTS
from web.coordinator.answers import doubt_sentences
from web.coordinator.placements import PlacedItem, by_id
from web.shared import tokens, waiting_pages
from web.shared.access import for_members, steers
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.phrases import count, listed, natural
from web.shared.typesetting import first_words, shows_nothing, typeset
from web.shared.view_choices import choice_of

# Pairs, and judgments of one of them, on a page.
A_PAGE, OF_A_PAIR = 20, 20
# Letters of a text that name an item in a line; the page cuts what has no room.
LETTERS = 110
# Answers that are listed and do not count, by role: one, and several.
LEFT_OUT = {
    QuestionRole.CHALLENGE: ("answer to a challenge", "answers to challenges"),
    QuestionRole.REPEAT: ("answer to a repeat", "answers to repeats"),
    QuestionRole.COUNTS: ("of a batch or person left out", "of batches or people left out"),
}


@dataclass(frozen=True)
class AskedItem:
    """An item that was asked about, and how many answers that count prefer it to another."""

    item: PlacedItem
    preferred: int


@dataclass(frozen=True)
class JudgmentLine:
    """A judgment: its answer in words, its times, the assessor, and why scores leave it out.

    chosen: the item that it prefers to all others, None for a tie, a grade or a pick of the worst; first:
    it, or one of those that it does not tell apart; others: the others that were shown. seconds,
    away: in view and with the page hidden; None if unknown, as in a file. person: of somebody with a page, 0
    of others. left_out: "" if scores use it. against: what makes it doubtful, in sentences.
    """

    pk: int
    at: datetime
    chosen: PlacedItem | None
    first: PlacedItem
    others: list[PlacedItem]
    answer: str
    seconds: float | None
    away: float | None
    assessor: str
    person: int
    left_out: str
    doubtful: bool
    against: str

    @property
    def reason(self) -> str:
        """What makes it doubtful, in a word or two: its first sentence up to the colon."""
        return self.against.partition(":")[0].partition(".")[0] or "doubtful"


@dataclass(frozen=True)
class AskedGroup:
    """The judgments about the same items, a pair or a grid. lines: the latest of them; more: how many others.

    items: those preferred most often first. ties: how many answers that count are one.
    """

    items: list[AskedItem]
    ties: int
    lines: list[JudgmentLine]
    more: int

    @property
    def query(self) -> str:
        """Return what the address of the page asks for to show them alone; "" unless they are of a pair."""
        return (
            urlencode({"a": self.items[0].item.pk, "b": self.items[1].item.pk})
            if len(self.items) == 2
            else ""
        )

    @property
    def votes(self) -> str:
        """Return how often each of a pair is preferred, and how often neither is; "" of anything else."""
        if len(self.items) != 2:
            return ""
        score = " : ".join(f"{one.preferred:,}" for one in self.items)
        return f"{score}, {count(self.ties, 'tie')}" if self.ties else score


@for_members
@require_safe
def judgments(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show the judgments of a topic, or of the pair of items `?a=&b=`, pair by pair.

    Pairs with doubtful judgments come first, then those with most. The number of queries does not depend on
    the number of judgments.
    """
    topic = get_object_or_404(Topic, study=study, pk=pk)
    pair = _pair(request, topic)
    rows = of_topic(topic)
    people = people_of(rows, study)
    person = choice_of(request.GET, "person", people, said="those of all")
    if person:
        rows = rows.filter(assignment__assessor=int(person))
    for one in pair:
        rows = rows.filter(question__in=Subject.objects.filter(item=one.pk).values("question"))
    found, _ = waiting_pages.latest_result(DOUBTS, study, rest=PAUSE_SECONDS)
    doubtful = doubt_sentences.of_topic(found.value, topic.pk, study) if found else None
    counting = set(rows.counting().values_list("pk", flat=True))
    asked: dict[str, list[int]] = defaultdict(list)
    weights: Counter[str] = Counter()
    left_out: Counter[str] = Counter()
    for judgment, key, role in rows.order_by("-pk").values_list("pk", "question__key", "role"):
        asked[key].append(judgment)
        if judgment in counting:
            weights[key] += 1
        else:
            left_out[role] += 1
    of_doubt = {key: len((doubtful or {}).keys() & {*own}) for key, own in asked.items()}
    keys = sorted(asked, key=lambda key: (-of_doubt[key], -weights[key]))
    page = Paginator(keys, A_PAGE).get_page(request.GET.get("page"))
    others = request.GET.copy()
    others.pop("page", None)
    known = None if doubtful is None else sum(of_doubt.values())
    said, order = answer(weights, known, study.words.item)
    uncounted = len(keys) - len(weights)
    besides = not_counted(left_out)
    if uncounted and weights:
        has = "has" if uncounted == 1 else "have"
        besides += f" {count(uncounted, _what(keys, study.words.item))} {has} no judgment that counts."
    shown = groups([asked[key] for key in page], doubtful or {}, OF_A_PAIR if not pair else None, study)
    names = [_named(one, study) for one in pair]
    if pair and shown:
        said, order = preferred_of(pair, shown, names), said
    told = {
        "study": study,
        "steers": steers(study),
        "topic": topic,
        "pair": pair,
        "names": names,
        "sides": [side(one, study) for one in pair],
        "page": page,
        "listed": f"{_what(keys, study.words.item)}s".capitalize(),
        "answer": (said, " ".join(filter(None, (order, besides) if pair else (besides, order)))),
        "besides": f"{uncounted:,} of them not counted" if uncounted else "",
        "groups": shown,
        "doubtful": known,
        "people": people,
        "person": person,
        "others": others.urlencode(),
    }
    return render(request, "coordinator/judgments.html", told)


def answer(weights: Mapping[str, int], doubtful: int | None, item: str) -> tuple[str, str]:
    """Return in two texts how many judgments count, of what, and how many are doubtful.

    weights: those that count of each question, by its key. doubtful: None while that is not known.
    """
    if not weights:
        return "No judgment counts yet.", ""
    what = _what(weights, item)
    said = f"{count(sum(weights.values()), 'judgment')} of {count(len(weights), what)}"
    if doubtful is None:
        return f"{said}.", "Doubtful ones are being looked for, and will come first."
    order = f"{what.capitalize()}s with doubtful ones come first." if doubtful else ""
    return f"{said}, {doubtful or 'none'} doubtful.", order


def _what(keys: Iterable[str], item: str) -> str:
    """Return what questions are about, by their keys."""
    sizes = {len(key.split()) for key in keys}
    return "pair" if sizes == {2} else item if sizes == {1} else "question"


def not_counted(left_out: Mapping[str, int]) -> str:
    """Return in a sentence which answers are listed too and do not count, by their role; "" without any."""
    parts = [f"{n:,} {LEFT_OUT[role][n > 1]}" for role in LEFT_OUT if (n := left_out.get(role, 0))]
    return f"Listed too, and not counted: {listed(parts)}." if parts else ""


def preferred_of(pair: Sequence[Item], shown: Sequence["AskedGroup"], names: Sequence[str]) -> str:
    """Return in a sentence which item of a pair, by its name, answers that count prefer, and how often."""
    times = {one.pk: 0 for one in pair}
    for asked in (one for group in shown for one in group.items):
        if asked.item.pk in times:
            times[asked.item.pk] += asked.preferred
    best, other = sorted(pair, key=lambda one: -times[one.pk])
    score = f"{times[best.pk]:,} to {times[other.pk]:,}"
    if ties := sum(group.ties for group in shown):
        score += f", {count(ties, 'tie')}"
    if times[best.pk] == times[other.pk]:
        return f"Neither is preferred: {score}."
    return f"{names[pair.index(best)]} is preferred, {score}."


def _named(item: Item, study: Study) -> str:
    """Name an item of a pair: an answer by its model, any other by how its text begins."""
    return (
        item.docno if study.case == Study.Case.ANSWERS else f"“{first_words(item.text, item.docno, study)}”"
    )


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
    pictured = study.shows_file(item.image.name, item.text)
    text = "" if pictured else typeset(item.text, study.set_as)
    return {
        "name": item.docno,
        "picture": tokens.sign_image(item.pk) if pictured else "",
        "medium": medium_of(item.image.name) if pictured else "",
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


def people_of(rows: JudgmentQuerySet, study: Study) -> dict[str, str]:
    """Return who gave these judgments, by id, in the order of their names; nobody whose file names none."""
    given = set(rows.order_by().values_list("assignment__assessor", flat=True))
    named = person_names.names(study, given, labels=steers(study))
    known = ((str(pk), name) for pk, name in named.items() if name != UNNAMED)
    return dict(sorted(known, key=lambda one: natural(one[1])))


def groups(
    asked: Sequence[Sequence[int]], doubtful: Mapping[int, str], most: int | None, study: Study
) -> list[AskedGroup]:
    """Return judgments, by id, in groups about the same items. most: lines of a group, None for all."""
    fields = ("assignment__assessor", "assignment__task", "question")
    full = Judgment.objects.select_related(*fields).in_bulk([pk for own in asked for pk in own])
    found = by_id({pk for row in full.values() for pk in row.question.subject_ids})
    items = {
        pk: replace(item, text=first_words(item.text, item.docno, study, LETTERS))
        for pk, item in found.items()
    }
    given = {row.assignment.assessor_id for row in full.values()}
    names = person_names.names(study, given, labels=steers(study))
    return [_group([full[pk] for pk in own], items, doubtful, names, most) for own in asked]


def _group(
    rows: Sequence[Judgment],
    items: dict[int, PlacedItem],
    doubtful: Mapping[int, str],
    names: Mapping[int, str],
    most: int | None,
) -> AskedGroup:
    lines = [_line(row, items, doubtful, names[row.assignment.assessor_id]) for row in rows]
    votes = [line for line in lines if not line.left_out]
    chosen = [line.chosen.pk for line in votes if line.chosen]
    return AskedGroup(
        items=sorted(
            (AskedItem(items[pk], chosen.count(pk)) for pk in rows[0].question.subject_ids),
            key=lambda one: -one.preferred,
        ),
        ties=sum(line.answer == "tie" for line in votes),
        lines=lines[:most],
        more=len(lines[most:]) if most else 0,
    )


def _line(
    row: Judgment, items: dict[int, PlacedItem], doubtful: Mapping[int, str], name: str
) -> JudgmentLine:
    task, assessor = row.assignment.task, row.assignment.assessor
    way = KINDS[task.kind]
    subjects = row.question.subject_ids
    leans = list(way.leans(row.value, row.shown))
    better = {subjects[one.first if one.lean > 0 else one.second] for one in leans if one.lean}
    worse = {subjects[one.second if one.lean > 0 else one.first] for one in leans if one.lean}
    best, worst = better - worse, worse - better
    # A pick that named the worst prefers all others to it, so several items are preferred.
    chosen = items[best.pop()] if len(best) == 1 else None
    least = items[worst.pop()].short if len(better) > 1 and len(worst) == 1 else ""
    first = chosen or items[subjects[0]]
    return JudgmentLine(
        pk=row.pk,
        at=row.created_at,
        chosen=chosen,
        first=first,
        others=[items[pk] for pk in subjects if pk != first.pk],
        # A definite answer leans by two.
        answer=_said(leans, way.word(row.value), _stood(row, chosen), least),
        seconds=row.seconds,
        away=row.away,
        assessor=name,
        person=0 if name == UNNAMED else assessor.pk,
        left_out=_left_out(row, assessor.excluded_at),
        doubtful=row.pk in doubtful,
        against=doubtful.get(row.pk, ""),
    )


def _stood(row: Judgment, chosen: PlacedItem | None) -> str:
    """Return where the chosen item stood on the page, in words; "" if unknown."""
    if chosen is None or not row.shown:
        return ""
    places = KINDS[row.assignment.task.kind].places
    at = [row.question.subject_ids[int(place)] for place in row.shown].index(chosen.pk)
    if at >= len(places):
        return ""
    return f"place {places[at]}" if places[at].isdecimal() else str(places[at])


def _said(leans: Sequence[Any], word: str, stood: str, least: str) -> str:
    """Return an answer in words, but for the item that it prefers."""
    if not leans:
        return f"grade {word}"
    if not any(one.lean for one in leans):
        return "tie"
    strong = "definitely" if any(abs(one.lean) > 1 for one in leans) else ""
    return ", ".join(filter(None, (strong, stood, least and f"worst {least}")))


def _left_out(row: Judgment, excluded: datetime | None) -> str:
    """Return why scores do not use the judgment; "" if they do."""
    state = row.assignment.state
    if row.role != QuestionRole.COUNTS:
        return str(row.role)
    if excluded is not None:
        return "assessor excluded"
    return "" if state in UNDECIDED or state in COUNTING else Assignment.State(state).label
