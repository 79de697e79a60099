"""Declines: an assessor cannot judge a question, says why, and the question goes to others.

A decline is a row of `Decline`, not a judgment; an answer that the question had is withdrawn by a row of the
ledger without a value. The question needs no answer in this batch any more and is not held for it, as if it
were withdrawn. After three declines a sweep sets the question aside
(`judging.verdicts.question_set_aside`); a sweep, so that the third assessor gets the same reply as the
others. Challenges are treated alike. Rows are locked in the order assessor, assignment, questions, topics.
"""

from collections import defaultdict

from django.db import transaction
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from config.task_queue import sweep_each
from judging.batches import answering, sittings
from judging.models import (
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Decline,
    Judgment,
    Question,
    QuestionRole,
    Withdrawal,
)
from judging.questions import asking
from judging.verdicts import question_set_aside

# So many people say of a question that they cannot judge it, and it is asked of nobody any more.
ENOUGH = 3
LONGEST_NOTE = 300
Reason = Decline.Reason
What = Decision.What


@transaction.atomic
def decline(assignment_id: int, position: int, reason: str, note: str = "", *, visit: int = 0) -> bool:
    """Store that an assessor cannot judge the question at a position; return whether this call stored it.

    An answer that it has is withdrawn, as long as it could be corrected. Of a question that was declined
    before, another reason or note is a further row, and the last one stands; a note stays until there is
    another; a repeat changes nothing. An idle batch is resumed first. A challenge takes the same statements
    as any other question. Raises Over after submission or deadline, NotAsked for a position that the batch
    does not have, Gone for a reassigned question, JudgingError for an unknown reason or what was changed too
    often.
    """
    if reason not in Reason.values:
        raise answering.JudgingError(_("Choose one of the reasons, or load the page again."))
    assignment = (
        Assignment.objects.select_for_update(no_key=True, of=("self",))
        .select_related("task")
        .get(pk=assignment_id)
    )
    place = BatchQuestion.objects.filter(assignment=assignment, position=position).first()
    if place is None:
        raise answering.NotAsked(_("This question is not part of your batch."))
    answering.refuse_if_elsewhere(assignment, visit)
    here = {"assignment": assignment, "question_id": place.question_id}
    last = Judgment.objects.filter(**here).order_by("-revision").first()
    has_answer = last is not None and last.value is not None
    said = list(Decline.objects.filter(**here).order_by("pk"))
    before = said[-1] if said and not has_answer else None
    if before and reason == before.reason and note[:LONGEST_NOTE] in ("", before.note):
        return False
    answering.refuse_if_over(assignment, timezone.now())
    sittings.resume_locked(assignment)
    if assignment.withdrawn and Withdrawal.objects.filter(**here).exists():
        raise answering.Gone(answering.WENT_TO_OTHERS)
    answering.refuse_if_left(assignment, last is not None)
    answering.refuse_if_changed_often(len(said))
    # A row of the ledger for another reason too: one that is sealed has the reason that it had.
    revision = answering.withdraw(last).revision if last else 0
    question = Question.every.filter(pk=place.question_id)
    asking.lock(question)
    note = note[:LONGEST_NOTE] or (before.note if before else "")
    Decline.objects.create(**here, reason=reason, note=note, revision=revision)
    if before is None:
        question.update(taken=F("taken") - (1 if place.role == QuestionRole.COUNTS else 0))
        assignment.withdrawn += 0 if said else 1
        assignment.save(update_fields=["withdrawn"])
    return True


def standing() -> QuerySet[Decline]:
    """Declines that are in force.

    Left out are those of excluded assessors, those whose assessor answered the question after all, and those
    from before the question was asked again.
    """
    answered = Judgment.objects.current().filter(
        assignment=OuterRef("assignment"), question=OuterRef("question")
    )
    again = Decision.objects.filter(
        question=OuterRef("question"), what=What.ASKED_AGAIN, created_at__gte=OuterRef("created_at")
    )
    return Decline.objects.filter(
        ~Exists(answered),
        ~Exists(again),
        question__again=False,
        assignment__assessor__excluded_at__isnull=True,
    )


def set_aside_unanswerable() -> int:
    """Set aside the questions that enough people declined; return how many."""
    rows = standing().filter(question__set_aside_at=None).order_by().values("question")
    found = (
        rows.annotate(people=Count("assignment", distinct=True))
        .filter(people__gte=ENOUGH)
        .order_by("question")
    )
    why = f"{ENOUGH} people could not judge it"
    return sweep_each(
        "setting aside question",
        list(found.values_list("question", flat=True)),
        lambda pk: question_set_aside.set_aside(pk, why),
    )


def questions(study_id: int) -> int:
    """Count the questions of a study that somebody declined; repeats are left out."""
    found = Decline.objects.filter(question__study=study_id, question__again=False)
    return found.aggregate(n=Count("question", distinct=True))["n"] or 0


def reasons(study_id: int) -> dict[int, list[Decline]]:
    """Declines of each question of a study, of each batch the last, oldest first; repeats are left out."""
    found: dict[int, dict[int, Decline]] = defaultdict(dict)
    rows = Decline.objects.filter(question__study=study_id, question__again=False)
    rows = rows.select_related("assignment__assessor")
    for row in rows.order_by("pk"):
        found[row.question_id].pop(row.assignment_id, None)
        found[row.question_id][row.assignment_id] = row
    return {question: list(own.values()) for question, own in found.items()}


def mostly(study_id: int, *, least: int = 5, share: float = 0.5) -> QuerySet[Assessor]:
    """Assessors who declined at least `least` questions and at least `share` of what they were asked.

    Each has `declined_n` and `answered_n`.
    """
    given = Q(assignments__declined__isnull=False)
    answers = Judgment.objects.first_rows().filter(assignment__assessor=OuterRef("pk")).order_by()
    of_each = answers.values("assignment__assessor").annotate(n=Count("pk"))
    people = Assessor.objects.filter(given, study=study_id).annotate(
        declined_n=Count("assignments__declined__question", distinct=True),
        answered_n=Coalesce(Subquery(of_each.values("n")), 0),
    )
    return people.filter(declined_n__gte=least, declined_n__gt=F("answered_n") * share / (1 - share))
