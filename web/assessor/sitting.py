"""What an assessor's page shows, by reading alone: who only looks, or a link preview, holds no questions."""

import math
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, QuerySet
from django.urls import reverse
from django.utils import timezone

from collection.models import Item, Study
from judging import asking
from judging.answering import NotAsked
from judging.models import Assessor, Assignment, BatchQuestion, Choice, Judgment, Question
from web import tokens

# What a question takes people, roughly, in seconds: enough to say how long a sitting is.
USUAL_SECONDS = {Study.Kind.TEXT: 30, Study.Kind.IMAGE: 15}
SIDES = ("left", "right", "tie")


@dataclass(frozen=True)
class Offer:
    """The next batch of an assessor: how many questions, and whether some have known answers."""

    questions: int
    challenged: bool
    seconds: int  # that a question usually takes
    minutes: int  # and so the batch
    limit: int  # minutes until it closes by itself


@dataclass(frozen=True)
class Side:
    """One of two items as its reader sees it: never with its docno or grade."""

    name: str  # "left" or "right"
    text: str
    picture: str  # an image token; empty where a text or nothing is shown
    width: int | None
    height: int | None


@dataclass(frozen=True)
class Asked:
    """A question in its place: the topic, two sides, and the answer given so far ("" for none)."""

    position: int
    question_id: int
    topic: str
    left: Side
    right: Side
    chosen: str


@dataclass(frozen=True)
class Sitting:
    """An open batch, in order, and which of its questions is shown: None once all are answered."""

    token: str
    asked: list[Asked]
    current: int | None
    seconds_left: int

    @property
    def total(self) -> int:
        return len(self.asked)

    @property
    def answered(self) -> int:
        return sum(1 for asked in self.asked if asked.chosen)

    @property
    def shown(self) -> int:
        """The number after which "of 13" stands."""
        return self.current or self.total

    @property
    def back(self) -> int:
        """The position before the one that is shown; 0 at the first."""
        return (self.current or self.total + 1) - 1


def linked_study(join_token: str) -> Study | None:
    """The study whose open link has this token. One query."""
    return Study.objects.filter(join_token=join_token).first() if join_token else None


def latest_assignment(assessor: Assessor) -> Assignment | None:
    """The batch an assessor took last; an open one is always the last. One query."""
    return Assignment.objects.filter(assessor=assessor).order_by("-pk").first()


def is_open(assignment: Assignment | None) -> bool:
    """Whether answers to this batch are still taken."""
    return (
        assignment is not None
        and assignment.state == Assignment.State.WORKING
        and assignment.deadline > timezone.now()
    )


def offer(study: Study, assessor: Assessor | None = None) -> Offer | None:
    """The batch that `answering.arrive` would open now; None where it would open none.

    Without an assessor: for somebody new. Holds nothing: another may be quicker. At most five queries.
    """
    challenges = Question.objects.filter(topic__study=study, expected__isnull=False)
    challenged = challenges.exists()
    if assessor is not None:
        challenges = challenges.exclude(batches__assessor=assessor)
    # Where nothing is open, what overdue batches hold is given back to whoever arrives.
    for pairs in (asking.open_questions(study), _overdue(study)):
        if assessor is not None:
            pairs = pairs.exclude(batches__assessor=assessor)
        drawn = pairs.order_by("id").values("pk")[: study.batch_pairs]
        questions = drawn.count()
        unseen = challenges.exclude(pk__in=drawn)[: study.batch_challenges].count() if questions else 0
        if questions and (not challenged or unseen == study.batch_challenges):
            break
    else:
        return None
    questions += unseen
    seconds = USUAL_SECONDS[Study.Kind(study.kind)]
    return Offer(
        questions=questions,
        challenged=challenged and unseen > 0,
        seconds=seconds,
        minutes=math.ceil(questions * seconds / 60),
        limit=study.minutes,
    )


def _overdue(study: Study) -> QuerySet[Question]:
    """Questions that will be open again once the batches whose time has run out are closed."""
    late = BatchQuestion.objects.filter(
        question=OuterRef("pk"),
        challenge=False,
        assignment__state=Assignment.State.WORKING,
        assignment__deadline__lte=timezone.now(),
    )
    return Question.objects.filter(Exists(late), topic__study=study, taken__lte=F("wanted"))


def sitting(assignment: Assignment, study: Study, at: int | None = None) -> Sitting:
    """An open batch as its page shows it; `at` asks for one question by position. Two queries."""
    answers = dict(
        Judgment.objects.current().filter(assignment=assignment).values_list("question_id", "choice")
    )
    batch = assignment.batch.select_related("question__topic", "question__item_a", "question__item_b")
    asked = [_asked(place, study, answers.get(place.question_id)) for place in batch]
    waiting = (one.position for one in asked if not one.chosen)
    current = at if at is not None and 1 <= at <= len(asked) else next(waiting, None)
    left = max(0, round((assignment.deadline - timezone.now()).total_seconds()))
    return Sitting(tokens.sign_assignment(assignment.pk), asked, current, left)


def _asked(place: BatchQuestion, study: Study, choice: int | None) -> Asked:
    question = place.question
    items = [question.item_a, question.item_b]
    if not place.a_left:
        items.reverse()
    left, right = (_side(name, item, study) for name, item in zip(SIDES, items, strict=False))
    chosen = "" if choice is None else side_of(Choice(choice), place.a_left)
    return Asked(place.position, place.question_id, question.topic.text, left, right, chosen)


def _side(name: str, item: Item, study: Study) -> Side:
    """An item by what its study is about, or by the other where it has only that."""
    pictured = bool(item.image) and (study.kind == Study.Kind.IMAGE or not item.text)
    return Side(
        name=name,
        text="" if pictured else item.text,
        picture=tokens.sign_image(item.pk) if pictured else "",
        width=item.width,
        height=item.height,
    )


def side_of(choice: Choice, a_left: bool) -> str:
    """Where the preferred item stood: "left", "right" or "tie"."""
    if choice == Choice.TIE:
        return "tie"
    return "left" if (choice == Choice.A) == a_left else "right"


def choice_of(assignment_id: int, question_id: int, side: str) -> Choice:
    """The preferred item of a question, from the side it stood on in this batch. One query.

    `side` is one of SIDES. Raises NotAsked for a question of another batch.
    """
    places = BatchQuestion.objects.filter(assignment_id=assignment_id, question_id=question_id)
    a_left = places.values_list("a_left", flat=True).first()
    if a_left is None:
        raise NotAsked("This question is not part of your batch.")
    if side == "tie":
        return Choice.TIE
    return Choice.A if (side == "left") == a_left else Choice.B


def progress(assignment_id: int, question_id: int) -> dict[str, int]:
    """How far a batch has got after an answer: position, answered, total. One query."""
    answer = Judgment.objects.filter(assignment=assignment_id, question=OuterRef("question"))
    batch = BatchQuestion.objects.filter(assignment=assignment_id).annotate(answered=Exists(answer))
    rows = list(batch.values_list("question_id", "position", "answered"))
    return {
        "position": next(position for question, position, _ in rows if question == question_id),
        "answered": sum(answered for _, _, answered in rows),
        "total": len(rows),
    }


def home(assignment_id: int) -> str:
    """The address of the page of whose assignment this is. One query. Raises Assignment.DoesNotExist.

    A panel that receives its people at another address is told apart here.
    """
    assignment = Assignment.objects.select_related("assessor").get(pk=assignment_id)
    return reverse("invitation", args=[assignment.assessor.reference])
