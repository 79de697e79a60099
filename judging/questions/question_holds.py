"""Questions held by a batch: all but the answered and the declined ones."""

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from judging.models import UNDECIDED, Assignment, BatchQuestion, Decline, Judgment, Question, QuestionRole
from judging.questions import asking


def held(places: QuerySet[BatchQuestion]) -> QuerySet[BatchQuestion]:
    """Those of these places that undecided batches count as taken, with `answered`; roles other than counts
    are never held.
    """
    own = Judgment.objects.first_rows().filter(
        assignment=OuterRef("assignment"), question=OuterRef("question")
    )
    asked = asking.not_answered(places.filter(assignment__state=Assignment.State.WORKING))
    return places.annotate(answered=Exists(own)).filter(
        Q(answered=True) | Q(pk__in=asked.values("pk")),
        assignment__state__in=UNDECIDED,
        role=QuestionRole.COUNTS,
    )


def answered(assignment_id: int) -> int:
    """Count the answered questions of a batch."""
    return Judgment.objects.first_rows().filter(assignment=assignment_id).count()


def hold_again(place: BatchQuestion) -> bool:
    """Hold a declined question for its assessor again; return False if it is not free any more.

    Nothing happens if they had not declined it. Challenges and repeats are never held, and always free.
    """
    if not Decline.objects.filter(assignment=place.assignment_id, question=place.question_id).exists():
        return True
    [question] = asking.lock(Question.every.filter(pk=place.question_id))
    free = place.role != QuestionRole.COUNTS or (
        question.taken < question.wanted and question.set_aside_at is None
    )
    held = 1 if free and place.role == QuestionRole.COUNTS else 0
    Question.every.filter(pk=question.pk).update(taken=F("taken") + held)
    return free


def declined_positions(assignment: Assignment) -> dict[int, str]:
    """Positions of a batch's declined questions that were not answered since, with the last reason; of a
    reopened batch those alone whose answer was withdrawn.
    """
    own = Judgment.objects.current().filter(assignment=assignment, question=OuterRef("question"))
    said = Decline.objects.filter(~Exists(own), assignment=assignment)
    if assignment.first_deadline is not None:
        said = said.filter(revision__gt=0)
    position = BatchQuestion.objects.filter(assignment=assignment, question=OuterRef("question"))
    rows = said.annotate(position=Subquery(position.values("position")[:1])).order_by("pk")
    return dict(rows.values_list("position", "reason"))
