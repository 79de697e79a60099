"""One schedule that a person can follow; test_schedule_machine.py tries random ones."""

import pytest

from judging.batches import answering
from judging.models import Assignment, Judgment, Question
from tests.makers import (
    Choice,
    answer,
    invite,
    make_study,
    open_study,
    pairs_of,
    run_out,
)


@pytest.mark.django_db
def test_questions_given_back_are_drawn_again_in_the_old_order():
    """The example of the property above that a person can follow: three batches, each given back its way."""
    study = open_study(make_study(items=4, batch_pairs=6))
    questions = set(Question.objects.filter(wanted=1).values_list("pk", flat=True))
    lapsed = answering.arrive(invite(study).pk)
    assert pairs_of(lapsed) == questions
    run_out(lapsed)
    failed = answering.arrive(invite(study).pk)
    assert pairs_of(failed) == questions
    answer(failed, wrong=1)
    assert answering.submit(failed.pk).state == Assignment.State.DISCARDED
    kept = answering.arrive(invite(study).pk)
    assert pairs_of(kept) == questions
    answer(kept, choose=lambda question: Choice.TIE)
    assert answering.submit(kept.pk).state == Assignment.State.KEPT
    assert set(Judgment.objects.settled().values_list("question", flat=True)) == questions
