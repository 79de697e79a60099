"""The role of a question in a batch: what counts, what checks attention, and what is asked a second time."""

import json
from collections import Counter

import pytest
from django.db import IntegrityError, transaction

from judging.audit import hash_chain_lines
from judging.models import Assignment, BatchQuestion, Judgment, QuestionRole
from judging.verdicts import challenge_failures
from scoring.compute.answer_columns import AGAIN, CHALLENGE, COUNTS
from tests.makers import invite, make_study, open_study, sit
from tests.scoring.plain_answers import listed

pytestmark = pytest.mark.django_db
EACH = Counter(counts=5, challenge=3, repeat=2)


@pytest.fixture
def batch() -> Assignment:
    """Five questions that count, three challenges, and two of the five again; all answered."""
    study = make_study(items=6, batch_pairs=5, batch_challenges=3, repeats=2)
    return sit(invite(open_study(study)))


def test_a_judgment_has_the_role_that_its_question_has_in_the_batch(batch):
    roles = dict(batch.batch.values_list("question", "role"))
    assert Counter(roles.values()) == EACH
    assert dict(batch.judgments.values_list("question", "role")) == roles
    assert {place.question.again for place in batch.batch.filter(role="repeat")} == {True}


def test_only_answers_that_count_reach_scores_and_tournaments(batch):
    for rows in (Judgment.objects.counting(), Judgment.objects.settled(), Judgment.objects.settled_first()):
        assert Counter(rows.values_list("role", flat=True)) == Counter(counts=EACH["counts"])


def test_only_challenges_are_checked(batch):
    study = batch.task.study
    assert batch.challenges_wrong == 0
    assert len(challenge_failures.rates(study)) == EACH["challenge"]


def test_repeats_are_a_group_of_their_own_in_the_quality_of_answers(batch):
    groups = Counter(answer.about for answer in listed(batch.task.study))
    assert groups == {COUNTS: EACH["counts"], CHALLENGE: EACH["challenge"], AGAIN: EACH["repeat"]}


def test_the_hash_chain_writes_both_as_challenge(batch):
    """So did the lines of ledgers that were sealed before there were roles."""
    rows = hash_chain_lines.judgments(Judgment.objects.all())
    [sealed] = hash_chain_lines.batches(Assignment.objects.filter(pk=batch.pk))
    places = json.loads(sealed.line)["places"]
    for lines in ([json.loads(row.line) for row in rows], places):
        assert Counter(line["challenge"] for line in lines) == {False: 5, True: 5}
        assert not any("role" in line for line in lines)


@pytest.mark.parametrize(
    ("role", "expected"), [("challenge", None), ("counts", 1), ("repeat", 1), ("practice", None)]
)
def test_the_database_refuses_a_role_that_does_not_fit(batch, role, expected):
    spare = batch.batch.first()
    with pytest.raises(IntegrityError), transaction.atomic():
        BatchQuestion.objects.create(
            assignment=batch,
            assessor=invite(batch.task.study),
            question=spare.question,
            position=99,
            shown="01",
            role=role,
            expected=expected,
        )


def test_the_statements_written_by_hand_name_the_values():
    assert QuestionRole.values == ["counts", "challenge", "repeat"]
