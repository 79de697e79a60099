"""Marks and notes of assessors with accounts at their own answers."""

from collections.abc import Iterable

from judging.batches.answering import JudgingError, NotAsked
from judging.models import AnswerNote, Assessor, BatchQuestion
from judging.models.notes import LONGEST_NOTE


def write_note(assessor: Assessor, batch: int, position: int, *, uncertain: bool, text: str) -> None:
    """Replace what somebody noted at the question at a position of a batch of theirs; delete an empty note.

    Text beyond `LONGEST_NOTE` letters is cut. Raises NotAsked for a question that they were not asked, and
    JudgingError for somebody without an account, who could not find the note again.
    """
    if assessor.user_id is None:
        raise JudgingError("Notes are for people with accounts.")
    place = BatchQuestion.objects.filter(assignment=batch, assessor=assessor, position=position).first()
    if place is None:
        raise NotAsked("This question is not part of your batch.")
    own = AnswerNote.objects.filter(assessor=assessor, question=place.question_id)
    # PostgreSQL cannot store NUL.
    text = text.replace("\0", "").strip()[:LONGEST_NOTE]
    if not uncertain and not text:
        own.delete()
        return
    AnswerNote.objects.update_or_create(
        assessor=assessor, question_id=place.question_id, defaults={"uncertain": uncertain, "text": text}
    )


def notes_of(assessor: int, questions: Iterable[int]) -> dict[int, AnswerNote]:
    """Somebody's notes at these questions, by question. One query. assessor: their id."""
    own = AnswerNote.objects.filter(assessor=assessor, question__in=questions)
    return {one.question_id: one for one in own}
