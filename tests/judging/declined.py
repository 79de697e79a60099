"""Questions that assessors could not judge, as tests have them: a study, saying so, and what must agree."""

from collection.models import Study
from judging.audit import derived_state, verification
from judging.batches import answering, declines, sittings
from judging.models import Assignment, Decline, Judgment, Question, QuestionRole
from judging.questions import asking
from judging.verdicts import decisions
from judging.verdicts.challenge_failures import failed_by_assessor
from tests.makers import (
    Choice,
    invite,
    make_study,
    open_study,
    record,
    taken_by_rows,
)
from tests.scoring.plain_answers import answers, listed


def ten_pairs() -> Study:
    """One topic of ten pairs, each judged once; batches of six pairs and three challenges."""
    return open_study(make_study(batch_pairs=6, batch_challenges=3, wrong_allowed=1))


def place_of(batch, *, role: str = QuestionRole.COUNTS, n: int = 0):
    return list(batch.batch.filter(role=role).select_related("question"))[n]


def say(batch, place, reason: str = "broken", note: str = "") -> bool:
    return declines.decline(batch.pk, place.position, reason, note)


def taken() -> dict[int, int]:
    return dict(Question.objects.filter(taken__gt=0).values_list("pk", "taken"))


def answer_rest(batch, *, wrong: int = 0) -> None:
    for place in asking.without_answer(batch.pk):
        choice = Choice.A
        if place.role == "challenge":
            choice = Choice(int(place.expected or 0) * (-1 if wrong else 1))
            wrong = max(0, wrong - 1)
        record(batch.pk, place.question_id, choice)


def agrees(study) -> None:
    """What is stored, and read at once, follows from batches, answers and decisions read one by one."""
    assert taken() == taken_by_rows(study)
    assert derived_state.rebuild(study) == 0
    assert verification.verify(study).problems == []
    assert Judgment.objects.counting_first().count() == Judgment.objects.counting().count()
    assert listed(study) == list(answers(study))
    batches = list(Assignment.objects.filter(task__study=study).select_related("task"))
    checked, of_people = decisions.challenges_wrong(batches), dict[int, tuple[int, int]]()
    for batch in batches:
        wrong, answered = of_people.get(batch.assessor_id, (0, 0))
        own = checked[batch.pk]
        of_people[batch.assessor_id] = (wrong + own.wrong, answered + own.answered)
    assert failed_by_assessor(study) == {pk: own for pk, own in of_people.items() if own[1]}


def decline_by_three(study, question: Question) -> None:
    """Let people come until three were given a question, and said that they cannot judge it."""
    while Decline.objects.filter(question=question).count() < declines.ENOUGH:
        batch = answering.arrive(invite(study).pk)
        # A challenge may stand in its place.
        for place in batch.batch.filter(question=question):
            assert say(batch, place)
        sittings.release(batch.pk)
