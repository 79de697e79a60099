"""Questions that a batch holds or not: those answered, and those that its assessor said they cannot judge."""

from django.db.models import Exists, F, OuterRef, Subquery

from judging import asking
from judging.models import BatchQuestion, Declined, Judgment, Question


def answered(assignment_id: int) -> int:
    """Count the questions of a batch that have an answer. One query."""
    return Judgment.objects.filter(assignment=assignment_id, revision=0).count()


def hold_again(place: BatchQuestion) -> bool:
    """Hold the question of a place for its assessor again, if they had said that they cannot judge it; False
    if it is not free any more. Nothing happens if they had not. Three queries at most.

    Challenges are held by nobody, and are always free.
    """
    if not Declined.objects.filter(assignment=place.assignment_id, question=place.question_id).exists():
        return True
    [question] = asking.lock(Question.every.filter(pk=place.question_id))
    free = place.challenge or (question.taken < question.wanted and question.set_aside_at is None)
    held = 1 if free and not place.challenge else 0
    Question.every.filter(pk=question.pk).update(taken=F("taken") + held)
    return free


def declined_positions(assignment_id: int) -> dict[int, str]:
    """Positions of the questions of a batch that its assessor could not judge and has not answered since,
    with the reason in a word. One query.
    """
    own = Judgment.objects.filter(assignment=assignment_id, question=OuterRef("question"))
    said = Declined.objects.filter(~Exists(own), assignment=assignment_id)
    position = BatchQuestion.objects.filter(assignment=assignment_id, question=OuterRef("question"))
    rows = said.annotate(position=Subquery(position.values("position")[:1]))
    return dict(rows.values_list("position", "reason"))
