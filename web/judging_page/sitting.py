"""Queries of the assessor's pages. They only read: opening a link must not reserve questions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from django.db.models import OuterRef, Subquery
from django.utils import timezone
from django.utils.translation import gettext
from markupsafe import Markup

from collection.material.claims import Claim, claims_of
from collection.material.pictures import captions_of, has_copy, may_move, medium_of
from collection.models import Item, Study
from judging.batches import answering, sql_statements
from judging.batches.sql_statements import ShownItem, ShownPages, ShownQuestion
from judging.models import OPEN, Assessor, Assignment, BatchQuestion, Decline, Judgment, Task
from judging.people.own_record import agreement_with_others, minutes_of
from judging.people.receipt_numbers import receipt_number
from judging.questions import asking, expected_time, question_holds
from judging.questions.expected_time import LONG, Shown
from judging.questions.reading_time import least_seconds
from judging.questions.texts import SeenText
from judging.tasks import aspects
from judging.tasks.aspects import Details
from judging.verdicts import decisions
from panels.base import panel_of
from web.shared import tokens
from web.shared.script_language import script_language
from web.shared.typesetting import in_order, typeset

Reason = Decline.Reason
# Letters of a line in a column; lines of a text that is brief, and of one that is short.
LINE, FEW_LINES, MOST_LINES = 55, 4, 12


@dataclass(frozen=True)
class Side:
    """An item in its place as its reader sees it, never with its docno or grade."""

    name: str  # of the place, such as "left"
    text: Markup  # as it is set
    picture: str  # a token of its picture or recording; empty where a text or nothing is shown
    width: int | None
    height: int | None
    may_move: bool = field(default=False, kw_only=True)  # a picture of a format that does
    description: str = field(default="", kw_only=True)  # of the picture, in words
    lang: str = field(default="", kw_only=True)  # of the text, where its script tells it
    sources: Sequence[Mapping[str, str]] = field(default=(), kw_only=True)  # that the text cites
    claims: Sequence[Claim] = field(default=(), kw_only=True)  # that are asked about
    medium: str = field(default="", kw_only=True)  # of the file: "image", "sound" or "film"
    seconds: float | None = field(default=None, kw_only=True)  # that a recording takes
    captioned: bool = field(default=False, kw_only=True)  # a film with captions

    @property
    def large(self) -> bool:
        """Whether a reduced copy of the picture may be shown first."""
        return has_copy("reduced", self.width, self.height)

    @property
    def size_in_cell(self) -> str:
        """Query of the picture's address in a grid's cell: "?small", or "" for the original."""
        return "?small" if has_copy("small", self.width, self.height) else ""


@dataclass(frozen=True)
class PageCell(Side):
    """One item of a result page on the side `name`. number: from 1; both: whether the other page shows it
    too.
    """

    number: int
    both: bool


@dataclass(frozen=True)
class Page:
    """A run's result page: its rows from top to bottom; a row of a list has one item."""

    name: str
    grid: bool
    rows: list[list[PageCell]]


@dataclass(frozen=True)
class AskedQuestion:
    """A question at its position: topic, sides, and the answer so far ("" for none).

    number: as counted on the page; positions have gaps where questions were reassigned. cannot: the reason of
    a decline that is in force, or "".
    """

    position: int
    number: int
    topic: str
    sides: Sequence[Side | Page]  # from left to right
    chosen: str
    cannot: str
    seconds: int = 0  # that it is expected to take
    least: float = 0.0  # seconds below which nobody can have read it
    description: str = ""  # of the topic
    earlier: str = ""  # turns of a conversation before the topic, as they are set
    details: Details = field(default_factory=Details)  # of aspects and reasons, as they were answered
    play_first: int = 0  # seconds of each recording before an answer
    levelled: bool = False  # recordings are played equally loud
    better: str = ""  # the place of the better item, where a practice answer has been given

    @property
    def recorded(self) -> bool:
        """Whether it shows sound or film."""
        return any(isinstance(side, Side) and side.medium in Study.RECORDED for side in self.sides)

    @property
    def may_move(self) -> bool:
        """Whether it may show a picture that moves."""
        return any(isinstance(side, Page) or side.may_move for side in self.sides)

    @property
    def long(self) -> int:
        """Expected minutes; 0 unless they are many."""
        return expected_time.minutes(self.seconds) if self.seconds >= LONG else 0

    @property
    def lines(self) -> int:
        """About as many lines as its longer text takes; more than MOST_LINES where that is not known."""
        sides = [side for side in self.sides if isinstance(side, Side) and side.text and not side.sources]
        if len(sides) < len(self.sides) or self.earlier or self.description:
            return MOST_LINES + 1
        return max(sum(1 + len(line) // LINE for line in side.text.split("\n")) for side in sides)

    @property
    def done(self) -> bool:
        return bool(self.chosen or self.cannot)

    @property
    def same(self) -> list[list[str]]:
        """Groups of places whose texts are shown alike; the page's script compares pictures."""
        alike: dict[Markup, list[str]] = {}
        for side in self.sides:
            if isinstance(side, Side) and side.text:
                alike.setdefault(side.text, []).append(side.name)
        return [places for places in alike.values() if len(places) > 1]


class Return(NamedTuple):
    """For somebody who comes back: how many questions were reassigned, and how many are left."""

    gone: int
    left: int


class Receipt(NamedTuple):
    """What somebody has submitted: answers in the last batch, minutes in view (0: unknown), when it was begun
    and sent; and the same of all their batches.

    sent: None if the batch ran out of time, and these are its answers until then. shared, alike: questions of
    the last batch that others answered too, and those that most answered alike; 0 where that is not told.
    declined: questions of the last batch that could not be judged. number: to quote, where one asks about it.
    texts: the task of the last batch and the version of its texts that was agreed to.
    """

    answers: int
    minutes: int
    begun: datetime
    sent: datetime | None
    batches: int
    all_answers: int
    all_minutes: int
    shared: int
    alike: int
    declined: int
    number: str
    texts: SeenText

    @property
    def in_time(self) -> bool:
        return self.sent is None


@dataclass(frozen=True)
class Sitting:
    """An open batch in order, and the question that is shown: None once all are answered."""

    token: str
    task: Task
    asked: list[AskedQuestion]
    current: int | None
    deadline: datetime

    @property
    def practice(self) -> Any:
        """Words for a practice question (`web.judging_page.practice`); None in a batch."""
        return None

    @property
    def template(self) -> str:
        """Template that shows a question of this kind."""
        return self.task.way.template

    @property
    def total(self) -> int:
        return len(self.asked)

    @property
    def answered(self) -> int:
        return sum(1 for asked in self.asked if asked.done)

    @property
    def cannot(self) -> dict[int, str]:
        """Reasons of declined questions, by position."""
        return {asked.position: asked.cannot for asked in self.asked if asked.cannot}

    @property
    def reasons(self) -> list[tuple[str, str]]:
        """Reasons to decline, as the form offers them.

        "Too much alike" is none where a tie can be answered, or with a single item.
        """
        alike = len(self.task.way.places) > 1 and not self.task.allows_ties
        return [(value, gettext(said)) for value, said in Reason.choices if value != Reason.ALIKE or alike]

    @property
    def length(self) -> str:
        """How long the texts are at most where choices can stand near them: "brief", "short", or ""."""
        pairs = self.task.kind == "pair" and not self.task.settings_of_kind.rules.told
        lines = max((asked.lines for asked in self.asked), default=MOST_LINES + 1)
        if lines > MOST_LINES or not (pairs or self.task.kind == "grade"):
            return ""
        # What grades mean takes more room than a brief text.
        return "brief" if pairs and lines <= FEW_LINES else "short"

    @property
    def current_chosen(self) -> str:
        """The answer that the shown question has, or ""."""
        return next((one.chosen for one in self.asked if one.position == self.current), "")

    @property
    def seconds_left(self) -> int:
        """Until the deadline; 0 after it."""
        return max(0, round((self.deadline - timezone.now()).total_seconds()))

    @property
    def minutes_left(self) -> int:
        """Expected minutes of the open questions, before the assessor's own pace is known."""
        return expected_time.minutes(sum(asked.seconds for asked in self.asked if not asked.done))

    @property
    def shown(self) -> int:
        """The number before "of 13": of the shown question, or the last if all are answered."""
        return next((one.number for one in self.asked if one.position == self.current), self.total)

    @property
    def back(self) -> int:
        """The position before the one that is shown; 0 at the first."""
        before = [one.position for one in self.asked if self.current is None or one.position < self.current]
        return before[-1] if before else 0


def linked_study(join_token: str) -> Study | None:
    """The study whose open link has this token."""
    return Study.objects.filter(join_token=join_token).first() if join_token else None


def unlinked_study(join_token: str) -> Study | None:
    """The study whose open link had this token until it was turned off."""
    return Study.objects.filter(former_join_token=join_token).first() if join_token else None


def latest_sent(assessor: Assessor) -> Assignment | None:
    """The batch that an assessor submitted last."""
    sent = Assignment.objects.filter(assessor=assessor, submitted_at__isnull=False)
    return sent.select_related("task").order_by("-pk").first()


def is_open(assignment: Assignment | None) -> bool:
    """Tell whether this batch still takes answers."""
    return (
        assignment is not None
        and assignment.state == Assignment.State.WORKING
        and assignment.deadline > timezone.now()
    )


def receipt(assignment: Assignment | None) -> Receipt | None:
    """Acknowledgement of somebody's latest batch, once it is submitted or ran out of time with answers.

    It does not depend on the verdict, which is never disclosed.
    """
    judged = (Assignment.State.KEPT, Assignment.State.DISCARDED)
    if assignment is None or not (assignment.submitted_at or assignment.state in judged):
        return None
    found = sql_statements.sent_totals(assignment.assessor_id, assignment.pk)
    return Receipt(
        found.answers,
        minutes_of(found.seconds),
        assignment.opened_at,
        assignment.submitted_at,
        found.batches,
        found.all_answers,
        minutes_of(found.all_seconds),
        *(agreement_with_others(assignment) if assignment.task.tell_agreement else (0, 0)),
        declined=len(question_holds.declined_positions(assignment)) if assignment.withdrawn else 0,
        number=receipt_number(assignment.pk),
        texts=SeenText(assignment.task_id, assignment.version or 1),
    )


def to_be_warned(assessor: Assessor) -> bool:
    """Tell whether an assessor who begins a batch must first read that their last one failed."""
    latest = assessor.latest
    if latest is None or assessor.excluded_at is not None:
        return False
    if latest.state in OPEN and latest.deadline <= timezone.now():
        answering.settle_latest(latest)
    failed = latest.state == Assignment.State.DISCARDED and latest.task.failing == Task.Failing.WARN
    return failed and decisions.is_warned(assessor)


def come_back(assignment: Assignment) -> Return:
    """Settle what happened to somebody's latest batch meanwhile, and say what they are to be told of it."""
    before = assignment.withdrawn
    if not answering.settle_latest(assignment) or assignment.withdrawn == before:
        return Return(0, 0)
    return Return(assignment.withdrawn - before, len(asking.without_answer(assignment.pk)))


def sitting(assignment: Assignment, study: Study, at: int | None = None) -> Sitting:
    """Read an open batch as its page shows it; `at` asks for one question by position."""
    task, seen = assignment.task, dict[int, str]()
    gone, cannot = set[int](), dict[int, str]()
    if assignment.withdrawn:
        gone, cannot = (
            asking.withdrawn_positions(assignment.pk),
            question_holds.declined_positions(assignment),
        )
    read = sql_statements.shown_pages if task.way.about == "run" else sql_statements.shown_batch
    again = assignment.first_deadline is not None
    shown: list[ShownQuestion | ShownPages] = [
        one
        for one in read(assignment.pk)
        # Of a batch that was reopened, what was answered.
        if one.position not in gone and not (again and one.value is None and one.position not in cannot)
    ]
    asked = [
        _asked(assignment.pk, question, number, study, task, seen, cannot.get(question.position, ""))
        for number, question in enumerate(shown, 1)
    ]
    if any(aspects.rules_of(task.settings_of_kind)):
        given = answer_details(assignment.pk)
        asked = [replace(one, details=given.get(one.position, one.details)) for one in asked]
    waiting = (one.position for one in asked if not one.done)
    current = at if at in {one.position for one in asked} else next(waiting, None)
    token = tokens.sign_assignment(assignment.pk, assignment.visit)
    return Sitting(token, task, asked, current, assignment.deadline)


def _asked(
    assignment_id: int,
    question: ShownQuestion | ShownPages,
    number: int,
    study: Study,
    task: Task,
    seen: dict[int, str],
    cannot: str,
) -> AskedQuestion:
    """`seen`: the tokens of pictures by item, so that one that stands at several places is loaded once; of an
    answer whose claims are asked, "".
    """
    kind = task.way
    at = (assignment_id, question.position)
    sides: list[Side | Page] = []
    if isinstance(question, ShownPages):
        both = set.intersection(*({cell.item.pk for cell in page} for page in question.pages))
        for place, (name, cells) in enumerate(zip(kind.places, question.pages, strict=True)):
            own = []
            for n, cell in enumerate(cells):
                if study.shows_file(cell.item.image, cell.item.text) and cell.item.pk not in seen:
                    seen[cell.item.pk] = tokens.sign_cell(*at, place, n)
                shown = _shown(cell.item, study, seen)
                own.append((cell.row, PageCell(name, **shown, number=n + 1, both=cell.item.pk in both)))
            # In a list each item has a row of its own.
            rows = groupby(own, key=lambda one: one[1].number if one[0] is None else -one[0])
            grid = any(cell.row is not None for cell in cells)
            sides.append(Page(name, grid, [[cell for _, cell in row] for _, row in rows]))
    else:
        # A grid may have fewer items than its kind has places.
        names = kind.places[: len(question.items)]
        asks_claims = bool(aspects.rules_of(task.settings_of_kind).claims)
        for place, (name, item) in enumerate(zip(names, question.items, strict=True)):
            if study.shows_file(item.image, item.text) and item.pk not in seen:
                seen[item.pk] = tokens.sign_shown(*at, place)
            sides.append(Side(name, **_shown(item, study, seen)))
        if asks_claims:
            sides = _with_claims(sides, question.items, study, seen)
    chosen = "" if question.value is None else kind.word(question.value)
    seconds = expected_time.question_seconds(task, study.kind, _size(question, study))
    said = in_order(getattr(question, "description", ""))
    earlier = typeset(getattr(question, "earlier", ""), study.set_as)
    topic = in_order(question.topic)
    least = _least_seconds(question, study)
    return AskedQuestion(
        *(question.position, number, topic, sides, chosen, cannot, seconds, least, said, earlier),
        play_first=study.play_first,
        levelled=study.levelled,
    )


def _with_claims(
    sides: Sequence[Any], items: Sequence[ShownItem], study: Study, seen: dict[int, str]
) -> list[Side | Page]:
    """Sides with the claims that are asked: none where both show the same. An answer that stands in several
    questions of a batch is marked in the first.
    """
    if len({side.text for side in sides}) < len(sides):
        return list(sides)
    found: list[Side | Page] = []
    for side, item in zip(sides, items, strict=True):
        claims: Sequence[Claim] = ()
        if side.sources and item.pk not in seen:
            seen[item.pk] = ""
            claims = claims_of(item.text, study.markup, len(side.sources))
        found.append(replace(side, claims=claims))
    return found


def answer_details(assignment_id: int) -> dict[int, Details]:
    """What the answers of a batch say of aspects and reasons, by position. One query."""
    rows = Judgment.objects.current().filter(assignment=assignment_id, details__isnull=False)
    place = BatchQuestion.objects.filter(assignment=assignment_id, question=OuterRef("question"))
    own = rows.annotate(position=Subquery(place.values("position")[:1]))
    told = own.values_list("position", "details", "remark")
    return {position: aspects.read_stored(details, remark) for position, details, remark in told if details}


def _size(question: ShownQuestion | ShownPages, study: Study) -> Shown:
    """What a question shows, by what is stored of its items."""
    if isinstance(question, ShownPages):
        items = [cell.item for page in question.pages for cell in page]
    else:
        items = question.items
    texts = [item.words for item in items if not study.shows_file(item.image, item.text)]
    lengths = [item.seconds for item in items if item.seconds is not None]
    return Shown(sum(texts), len(items) - len(texts) - len(lengths), sum(lengths))


def _least_seconds(question: ShownQuestion | ShownPages, study: Study) -> float:
    """Seconds below which nobody can have read a question; 0 for result pages, which are looked over."""
    if isinstance(question, ShownPages):
        return 0.0
    texts = [item.text for item in question.items if not study.shows_file(item.image, item.text)]
    return least_seconds(sum(map(len, texts)), len(question.items) - len(texts))


def as_shown(question: ShownQuestion | ShownPages, number: int, study: Study, task: Task) -> AskedQuestion:
    """A question as its page shows it, of no batch: its pictures' tokens are to be replaced."""
    return _asked(0, question, number, study, task, {}, "")


def _shown(item: ShownItem, study: Study, seen: dict[int, str]) -> dict[str, Any]:
    """The fields of `Side` that show an item; `seen` holds its picture's token."""
    pictured = study.shows_file(item.image, item.text)
    return {
        "text": Markup("") if pictured else typeset(item.text, study.set_as),
        "lang": "" if pictured else script_language(item.text),
        "picture": seen[item.pk] if pictured else "",
        "width": item.width,
        "height": item.height,
        "may_move": pictured and may_move(item.image),
        "description": item.description if pictured else "",
        "medium": medium_of(item.image) if pictured else "",
        "seconds": item.seconds if pictured else None,
        "captioned": bool(pictured and captions_of(item.image)),
        "sources": () if pictured else item.sources,
    }


def shown_item(item: Item) -> ShownItem:
    """What a page shows of an item."""
    image = item.image.name or ""
    size = (item.width, item.height)
    return ShownItem(
        item.pk, item.text, item.words, image, *size, item.description, item.seconds, item.sources or ()
    )


def picture(token: str) -> str:
    """Name of the file of the picture that a token lets its holder see; "" for none."""
    parts = token.partition(":")[0].count("_") + 1
    if parts == 2:
        return Item.objects.filter(pk=tokens.read_image(token)).values_list("image", flat=True).first() or ""
    if parts == 5:
        return _past_picture(*tokens.read_past(token))
    if parts == 4:
        return sql_statements.page_picture_of(*tokens.read_cell(token), timezone.now())
    return sql_statements.picture_of(*tokens.read_shown(token), timezone.now())


def _past_picture(assignment_id: int, position: int, place: int) -> str:
    """Name of the file of a picture in an earlier batch."""
    asked = BatchQuestion.objects.filter(assignment=assignment_id, position=position)
    rows = asked.values_list("shown", "question__key")
    item = next((int(key.split()[int(shown[place])]) for shown, key in rows if place < len(shown)), 0)
    return Item.every.filter(pk=item).values_list("image", flat=True).first() or ""


def home(assignment_id: int) -> str:
    """URL of the assessor's own page. Raises Assignment.DoesNotExist."""
    assessor = sql_statements.sender_of(assignment_id)
    return panel_of(assessor).home(assessor, assignment_id)
