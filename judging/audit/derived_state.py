"""Rebuild judging's derived columns from the ledger, the batches and the decisions."""

from collections import Counter, defaultdict
from itertools import islice

from django.db import transaction
from django.db.models import Q

from collection.models import Study
from judging.models import (
    COUNTING,
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
from judging.verdicts import decisions

What, State = Decision.What, Assignment.State
CHUNK = 500
# Of these about a batch the last says whether it is closed, and how.
VERDICTS = (What.KEPT, What.DISCARDED, What.REOPENED)


@transaction.atomic
def rebuild(study: Study) -> int:
    """Recompute every state, exclusion and counter of a study; return how many rows were wrong.

    These columns are caches, so 0 is expected. Call while nobody judges. Reads everything; memory grows with
    the batches and questions.
    """
    return _set_aside(study) + _assessors(study) + _assignments(study) + _taken(study)


def _set_aside(study: Study) -> int:
    said = {
        decision.question_id: decision.created_at if decision.what == What.SET_ASIDE else None
        for decision in Decision.objects.filter(question__task__study=study).order_by("pk")
    }
    concerned = Q(pk__in=said) | Q(set_aside_at__isnull=False)
    wrong = []
    for question in Question.objects.filter(concerned, task__study=study):
        if question.set_aside_at != said.get(question.pk):
            question.set_aside_at = said.get(question.pk)
            wrong.append(question)
    return Question.objects.bulk_update(wrong, ["set_aside_at"], batch_size=500)


def _assessors(study: Study) -> int:
    last: dict[int | None, Decision] = {}
    about_people = Decision.objects.filter(assessor__study=study, what__in=decisions.OUT_OR_IN)
    for decision in about_people.order_by("pk"):
        last[decision.assessor_id] = decision
    held: dict[int | None, Decision] = {}
    for decision in Decision.objects.filter(assessor__study=study, what__in=decisions.PAUSED_OR_ON).order_by(
        "pk"
    ):
        held[decision.assessor_id] = decision
    wrong = []
    for assessor in Assessor.objects.filter(study=study):
        found = last.get(assessor.pk)
        excluded = found if found is not None and found.what == What.EXCLUDED else None
        said = held.get(assessor.pk)
        paused = said.created_at if said is not None and said.what == What.PAUSED else None
        now = (*((excluded.created_at, excluded.why) if excluded else (None, "")), paused)
        if (assessor.excluded_at, assessor.excluded_why, assessor.paused_at) != now:
            assessor.excluded_at, assessor.excluded_why, assessor.paused_at = now
            wrong.append(assessor)
    fields = ["excluded_at", "excluded_why", "paused_at"]
    return Assessor.objects.bulk_update(wrong, fields, batch_size=500)


def _assignments(study: Study) -> int:
    of_batch: dict[int | None, list[str]] = defaultdict(list)
    decided = Decision.objects.filter(assignment__assessor__study=study).order_by("pk")
    for assignment_id, what in decided.values_list("assignment_id", "what").iterator(CHUNK):
        of_batch[assignment_id].append(what)
    in_batches = set(BatchQuestion.objects.filter(assessor__study=study).values_list("assignment", flat=True))
    gone: Counter[int] = Counter()
    for model in (Withdrawal, Decline):
        rows = model.objects.filter(assignment__assessor__study=study).order_by()
        # A question can be declined again once it was answered after all.
        gone.update(batch for batch, _ in rows.values_list("assignment", "question").distinct())
    wrong = []
    assignments = Assignment.objects.filter(assessor__study=study).select_related("assessor", "task")
    found = assignments.order_by("pk").iterator(CHUNK)
    while chunk := list(islice(found, CHUNK)):
        states = {assignment.pk: _state(assignment, of_batch[assignment.pk]) for assignment in chunk}
        judged = [
            assignment
            for assignment in chunk
            if states[assignment.pk] in (State.KEPT, State.DISCARDED) and assignment.pk in in_batches
        ]
        failed = decisions.challenges_wrong(judged)
        for assignment in chunk:
            checked = failed.get(assignment.pk)
            now = (states[assignment.pk], checked.wrong if checked else None, gone[assignment.pk])
            if (assignment.state, assignment.challenges_wrong, assignment.withdrawn) != now:
                assignment.state, assignment.challenges_wrong, assignment.withdrawn = now
                wrong.append(assignment)
    return Assignment.objects.bulk_update(wrong, ["state", "challenges_wrong", "withdrawn"], batch_size=500)


def state_of(*, submitted: bool, lapsed: bool, verdict: str | None, excluded: bool, idle: bool) -> str:
    """The state that follows from a batch's decisions.

    They are: whether it lapsed; its last verdict (kept, discarded, none, or reopened if that came later);
    whether the last decision about its assessor is an exclusion; and whether its assessor went idle and was
    not resumed. A lapsed batch has a verdict if its panel confirmed it after all.
    """
    if lapsed and verdict is None:
        return State.LAPSED
    if verdict in (None, What.REOPENED) and submitted:
        return State.SUBMITTED
    if verdict == What.REOPENED:
        # Never idle: it is closed then.
        return State.WORKING
    if verdict is None:
        return State.IDLE if idle else State.WORKING
    return State.KEPT if verdict == What.KEPT and not excluded else State.DISCARDED


def _state(assignment: Assignment, decided: list[str]) -> str:
    if assignment.state == State.LOADING and not decided:
        return State.LOADING
    presence = [what for what in decided if what in (What.IDLE, What.RESUMED)]
    verdicts = [what for what in decided if what in VERDICTS]
    return state_of(
        submitted=assignment.submitted_at is not None,
        lapsed=What.LAPSED in decided,
        verdict=verdicts[-1] if verdicts else None,
        excluded=assignment.assessor.excluded_at is not None,
        idle=presence[-1:] == [What.IDLE],
    )


def _taken(study: Study) -> int:
    # Each answer has one first row. Imported ones were never in a batch.
    answers = Judgment.objects.first_rows().filter(
        topic__study=study, assignment__state__in=COUNTING, role=QuestionRole.COUNTS
    )
    held = Counter(answers.values_list("question_id", flat=True))
    working = Assignment.objects.filter(assessor__study=study, state=State.WORKING)
    held.update(asking.still_held(working))
    wrong = []
    for question in Question.objects.filter(task__study=study):
        if question.taken != held[question.pk]:
            question.taken = held[question.pk]
            wrong.append(question)
    return Question.objects.bulk_update(wrong, ["taken"], batch_size=500)
