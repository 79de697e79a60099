"""An assessor's queue: how many questions of each topic wait for them, and how many they answered."""

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass

from django.db.models import Count, Exists, F, OuterRef
from django.utils import timezone

from collection.models import Topic
from judging.batches import drawing
from judging.models import Assessor, Assignment, BatchQuestion, Judgment, Question, Task, Withdrawal
from judging.questions import asking


@dataclass(frozen=True)
class Queued:
    """A topic in an assessor's queue.

    waiting: questions that they could be given now. answered: questions that they answered, with challenges:
    a count without them would tell how many there were. open: questions that wait for anybody. task: of their
    next batch; None if there is none.
    """

    topic: Topic
    waiting: int
    answered: int
    open: int
    task: Task | None

    def is_done(self, going_on: Container[int]) -> bool:
        """Tell whether nothing is left: no question waits for anybody, and its topic is not among these."""
        return not (self.waiting or self.open or self.topic.pk in going_on)


def queue(assessor: Assessor) -> list[Queued]:
    """An assessor's queue over all topics of their study, in the order of loading.

    Cost grows with the study's topics and open questions, and with the assessor's answers.
    """
    # Without enough challenges that they have not seen, nobody is given a batch of a task.
    given = {task.pk: task for task in assessor.tasks if drawing.at_hand(task, assessor)[0]}
    seen = BatchQuestion.objects.filter(assessor=assessor, question=OuterRef("pk"))
    rows = (
        Question.objects.filter(study=assessor.study_id, taken__lt=F("wanted"), set_aside_at=None)
        .annotate(was_asked=Exists(seen))
        .values_list("topic", "task", "was_asked")
        .annotate(n=Count("pk"))
    )
    waiting, anybody = Counter[tuple[int, int]](), Counter[int]()
    for topic, task, was_asked, n in rows:
        anybody[topic] += n
        if task in given and not was_asked:
            waiting[topic, task] += n
    answers = Judgment.objects.first_rows().filter(assignment__assessor=assessor)
    answered = dict(answers.order_by().values_list("topic").annotate(n=Count("pk")))
    return [
        Queued(
            topic,
            sum(waiting[topic.pk, task] for task in given),
            answered.get(topic.pk, 0),
            anybody[topic.pk],
            next((task for pk, task in given.items() if waiting[topic.pk, pk]), None),
        )
        for topic in Topic.objects.filter(study=assessor.study_id).order_by("pk")
    ]


@dataclass(frozen=True)
class InShort:
    """A queue in figures; waiting: without a look at whether challenges suffice for a batch."""

    topics: int
    done: int
    waiting: int
    today: int


def in_short(assessors: list[Assessor], going_on: Iterable[tuple[int, int]]) -> dict[int, InShort]:
    """The queues of assessors of different studies, by study. Three queries for all of them.

    going_on: studies and topics that will ask more.
    """
    own = {one.study_id: one for one in assessors}
    seen = BatchQuestion.objects.filter(assessor__in=assessors, question=OuterRef("pk"))
    rows = (
        Question.objects.filter(study__in=own, taken__lt=F("wanted"), set_aside_at=None)
        .annotate(was_asked=Exists(seen))
        .values_list("study", "topic", "was_asked")
        .annotate(n=Count("pk"))
    )
    waiting, busy = Counter[int](), dict[int, set[int]]()
    for study, topic, was_asked, n in rows:
        busy.setdefault(study, set()).add(topic)
        waiting[study] += 0 if was_asked or own[study].excluded_at else n
    for study, topic in going_on:
        busy.setdefault(study, set()).add(topic)
    midnight = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    given = Judgment.objects.first_rows().filter(assignment__assessor__in=assessors, created_at__gte=midnight)
    today = dict(given.order_by().values_list("topic__study").annotate(n=Count("pk")))
    topics = Topic.objects.filter(study__in=own).order_by()
    total = dict(topics.values_list("study").annotate(n=Count("pk")))
    return {
        study: InShort(n, n - len(busy.get(study, ())), waiting[study], today.get(study, 0))
        for study in own
        for n in [total.get(study, 0)]
    }


def following(queued: list[Queued], topic: int | None) -> Queued | None:
    """The topic to go on with: the same while questions wait in it, else the next with any, cyclically."""
    place = next((n for n, one in enumerate(queued) if one.topic.pk == topic), 0)
    return next((one for one in (*queued[place:], *queued[:place]) if one.waiting), None)


def next_for(assessor: Assessor) -> Queued | None:
    """The topic that an assessor goes on with after their latest batch; None if nothing waits for them."""
    return going_on_with(assessor, queue(assessor))


def in_hand(batch: Assignment) -> tuple[int, int, int]:
    """Of an open batch: its topic, how many of its questions need an answer yet, and how many it has."""
    places = BatchQuestion.objects.filter(assignment=batch)
    gone = Withdrawal.objects.filter(assignment=batch, question=OuterRef("question"))
    waits = asking.not_answered(BatchQuestion.objects.filter(pk=OuterRef("pk")))
    rows = places.exclude(Exists(gone)).annotate(waits=Exists(waits)).order_by("-position")
    found = list(rows.values_list("question__topic", "waits"))
    return found[0][0] if found else 0, sum(waiting for _, waiting in found), len(found)


def going_on_with(assessor: Assessor, queued: list[Queued]) -> Queued | None:
    """As `next_for`, of a queue that is known."""
    latest = assessor.latest
    last = None
    if latest is not None:
        places = BatchQuestion.objects.filter(assignment=latest).order_by("-position")
        last = places.values_list("question__topic", flat=True).first()
    return following(queued, last)
