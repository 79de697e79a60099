"""Set questions aside and ask them again; reinstate assessors who failed by a bad challenge.

Every function may be repeated, and each change is one transaction; rows are locked in the order of
`judging.verdicts.decisions`.
"""

from collections import Counter
from collections.abc import Container, Mapping

from django.db import transaction

from collection import audit_log
from collection.changes import raise_revisions
from judging.models import OPEN, Assessor, Assignment, BatchQuestion, Decision, Question, QuestionRole
from judging.verdicts import decisions
from judging.verdicts.decisions import By

What, State = Decision.What, Assignment.State


def set_aside(question_id: int, why: str, *, by: By = None) -> None:
    """Set a question aside: nobody is asked it any more, and its topic's tournament goes on without it.

    For a challenge, batches that failed only because of it are kept, and assessors whom a rule excluded for
    such batches are readmitted. One transaction for the question, then one for each person who was asked the
    challenge, so that a call that was cut short is completed by a repeat.
    """
    _take_out(question_id, why, by)
    # Also those who have not submitted: somebody's verdict may be falling now, by the challenge as it was.
    asked = BatchQuestion.objects.filter(question=question_id, role=QuestionRole.CHALLENGE)
    for assessor_id in asked.order_by("assessor_id").values_list("assessor_id", flat=True):
        with transaction.atomic():
            _judge_again(decisions.lock_assessor(assessor_id), question_id, by)


@transaction.atomic
def _take_out(question_id: int, why: str, by: By) -> None:
    question = Question.objects.select_for_update(no_key=True).get(pk=question_id)
    if question.set_aside_at is None:
        decision = Decision.objects.create(
            what=What.SET_ASIDE, question=question, by=decisions.user_of(by), why=why[:200]
        )
        question.set_aside_at = decision.created_at
        question.save(update_fields=["set_aside_at"])
        after = {"topic": question.topic.name, "why": why[:200]}
        audit_log.note(
            question.study_id, audit_log.What.SET_ASIDE, about=f"question {question.pk}", after=after
        )
        _move_on(question)


@transaction.atomic
def ask_again(question_id: int, why: str, *, by: By = None) -> bool:
    """Ask a question that was set aside again, as often as it is still wanted; a repeat changes nothing.

    Returns False for a challenge, because verdicts rest on its being set aside.
    """
    question = Question.objects.select_for_update(no_key=True).get(pk=question_id)
    if question.expected is not None:
        return False
    if question.set_aside_at is not None:
        Decision.objects.create(
            what=What.ASKED_AGAIN, question=question, by=decisions.user_of(by), why=why[:200]
        )
        question.set_aside_at = None
        question.save(update_fields=["set_aside_at"])
        after = {"topic": question.topic.name, "why": why[:200]}
        audit_log.note(
            question.study_id, audit_log.What.ASKED_AGAIN, about=f"question {question.pk}", after=after
        )
        _move_on(question)
    return True


def _move_on(question: Question) -> None:
    """Replay the tournament of a question's topic, if it asks the question."""
    if question.wanted:
        raise_revisions([question.topic_id], settled=True)


def _judge_again(assessor: Assessor, question_id: int, by: By) -> None:
    """Give a new verdict to the discarded batches with this challenge that pass now."""
    saved = []
    verdicts = decisions.own_verdicts(assessor)
    judged = Assignment.objects.filter(
        assessor=assessor, batch__question=question_id, batch__role=QuestionRole.CHALLENGE, pk__in=verdicts
    ).exclude(state__in=OPEN)  # reopened: their next verdict knows
    for assignment in judged.select_related("task"):
        checked = decisions.challenges_wrong([assignment])[assignment.pk]
        passes = checked.passes(assignment.task.wrong_allowed)
        if verdicts[assignment.pk] == What.DISCARDED and passes:
            why = f"{checked.wrong} of {checked.known} challenges wrong, one was set aside"
            decisions.decide(What.KEPT, assignment, why, by)
            verdicts[assignment.pk] = What.KEPT
            saved.append(assignment.pk)
        Assignment.objects.filter(pk=assignment.pk).update(challenges_wrong=checked.wrong)
    if not saved:
        return
    about = Decision.objects.filter(assessor=assessor, what__in=decisions.OUT_OR_IN)
    if _excluded_for_nothing(about.order_by("pk").last(), verdicts, decisions.that_warn([assessor.pk])):
        decisions.reinstate(assessor, "a challenge was set aside", by)
    elif assessor.excluded_at is None:
        decisions.count_again(saved)
    if What.DISCARDED not in verdicts.values() and decisions.is_warned(assessor):
        why, user = "a challenge was set aside", decisions.user_of(by)
        Decision.objects.create(what=What.UNWARNED, assessor=assessor, by=user, why=why)


def _excluded_for_nothing(last: Decision | None, verdicts: Mapping[int, str], warns: Container[int]) -> bool:
    """Tell whether a rule excluded somebody whose remaining failures would not exclude them.

    The rule's exclusion must be the last decision about them. Tolerated are no failure, or one in a batch
    that `warns`.
    """
    by_rule = last is not None and last.what == What.EXCLUDED and last.by_id is None
    return by_rule and decisions.tolerated(verdicts, warns)


def would_restore(question_id: int) -> tuple[int, int]:
    """Count the people and the batches that setting a challenge aside would restore now."""
    failed = Assignment.objects.filter(
        batch__question=question_id, batch__role=QuestionRole.CHALLENGE, state=State.DISCARDED
    )
    found = list(failed.select_related("task", "assessor").order_by("pk"))
    people = {batch.assessor_id: batch.assessor for batch in found}
    verdicts: dict[int, dict[int, str]] = {pk: {} for pk in people}
    judged = Decision.objects.filter(
        assignment__assessor__in=people, what__in=[What.KEPT, What.DISCARDED]
    ).order_by("pk")
    for person, batch, what in judged.values_list("assignment__assessor", "assignment", "what"):
        verdicts[person][batch] = what
    about = Decision.objects.filter(assessor__in=people, what__in=decisions.OUT_OR_IN)
    last = {decision.assessor_id: decision for decision in about.order_by("pk")}
    warns = decisions.that_warn(people)
    saved: Counter[int] = Counter()
    checked = decisions.challenges_wrong(found, besides=question_id)
    for failure in found:
        own, pk = verdicts[failure.assessor_id], failure.pk
        if own.get(pk) == What.DISCARDED and checked[pk].passes(failure.task.wrong_allowed):
            own[pk] = What.KEPT
            saved[failure.assessor_id] += 1
    back = [pk for pk in saved if _excluded_for_nothing(last.get(pk), verdicts[pk], warns)]
    restored = sum(Counter(verdicts[pk].values())[What.KEPT] for pk in back)
    there = sum(n for pk, n in saved.items() if people[pk].excluded_at is None)
    return len(back), restored + there
