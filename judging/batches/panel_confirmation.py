"""Confirmation by panels: a panel's batch is settled only once the panel has listed it.

Rows are locked in the order assessor, assignment, questions, topics.
"""

from django.db import transaction

from collection.changes import raise_revisions
from judging.batches import sittings
from judging.models import Assignment, BatchQuestion, Decision, Judgment, Question, QuestionRole
from judging.questions import asking
from judging.verdicts import decisions

State = Assignment.State


@transaction.atomic
def confirm(assignment_id: int) -> Assignment:
    """Give the verdict on a submitted batch that its panel has confirmed; a repeat changes nothing.

    A batch that had lapsed while waiting for the panel is taken after all, unless one of its questions has
    been reassigned: no question gets one answer more than wanted.
    """
    assignment, assessor = sittings.locked(assignment_id)
    if assignment.state == State.LAPSED and _can_be_taken_again(assignment):
        asking.count_as_taken(dict.fromkeys(_asked(assignment), 1))
        assignment.state = State.SUBMITTED
        # Its answers count again until the verdict, which says what happens to them.
        raise_revisions(decisions.topics_of([assignment.pk]), settled=False)
    if assignment.state == State.SUBMITTED:
        Decision.objects.create(what=Decision.What.CONFIRMED, assignment=assignment)
        decisions.verdict(assignment, assessor)
    return assignment


@transaction.atomic
def give_up(assignment_id: int, why: str) -> bool:
    """Close a batch that its panel has not confirmed, and give its questions back.

    Returns False if it is neither open nor submitted any more. The panel can still confirm it later.
    """
    assignment, _ = sittings.locked(assignment_id)
    if assignment.state not in (*decisions.UNDECIDED,):
        return False
    decisions.lapse(assignment, why)
    return True


def _asked(assignment: Assignment) -> list[int]:
    """Ids of the answered questions of a batch that count."""
    answered = Judgment.objects.first_rows().filter(assignment=assignment).values("question_id")
    places = BatchQuestion.objects.filter(
        assignment=assignment, role=QuestionRole.COUNTS, question__in=answered
    )
    return list(places.values_list("question_id", flat=True))


def _can_be_taken_again(assignment: Assignment) -> bool:
    """Tell whether a lapsed batch was finished by its assessor and all its questions are still free."""
    if assignment.submitted_at is None or assignment.assessor.excluded_at is not None:
        return False
    questions = asking.lock(Question.objects.filter(pk__in=_asked(assignment)))
    return all(one.taken < one.wanted and one.set_aside_at is None for one in questions)
