"""Verifying: what was changed, removed, slipped in or came late behind the triggers is found and named."""

import pytest
from django.core.management import call_command
from django.utils import timezone

from collection.models import Action, Item, Study
from judging.audit import hash_chain
from judging.models import (
    Assessor,
    Assignment,
    BatchQuestion,
    Decision,
    Judgment,
    Question,
    QuestionRole,
    Seal,
)
from judging.verdicts import pauses
from tests.emptying import unguarded
from tests.judging.ledgers import said, two_blocks
from tests.makers import invite, make_study, open_study, sit

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged(module_data):
    return two_blocks().pk


@pytest.fixture
def study(db, judged):
    return Study.objects.get(pk=judged)


CHANGES = {
    "Judgment {j} was changed": lambda ids: Judgment.objects.filter(pk=ids["j"]).update(value=0),
    "Judgment {j} is missing": lambda ids: Judgment.objects.filter(pk=ids["j"]).delete(),
    "Decision {d} was changed": lambda ids: Decision.objects.filter(pk=ids["d"]).update(why="3 of 3"),
    "Decision {d} is missing": lambda ids: Decision.objects.filter(pk=ids["d"]).delete(),
    "Batch {b} was changed": lambda ids: BatchQuestion.objects.filter(
        assignment=ids["b"], role="challenge"
    ).update(expected=0),
    "Action {a} is missing": lambda ids: Action.objects.filter(pk=ids["a"]).delete(),
    "Action {a} was changed": lambda ids: Action.objects.filter(pk=ids["a"]).update(actor="bob"),
    "Seal 1 was changed": lambda ids: break_seal(1),
}


def break_seal(number: int) -> None:
    seal = Seal.objects.get(number=number)
    Seal.objects.filter(pk=seal.pk).update(rows="".join(seal.rows.splitlines(keepends=True)[1:]))


@pytest.mark.parametrize("sentence", CHANGES)
def test_a_change_behind_the_triggers_is_found_and_named(study, sentence):
    first = Judgment.objects.filter(value__in=[1, -1]).earliest("pk")
    ids = {
        "j": first.pk,
        "d": Decision.objects.earliest("pk").pk,
        "b": Assignment.objects.earliest("pk").pk,
        "a": Action.objects.earliest("pk").pk,
    }
    assert "as they were sealed" in said(study)
    with unguarded():
        CHANGES[sentence](ids)
    assert said(study).startswith("refused, code 1: " + sentence.format(**ids))


def test_the_docno_behind_a_judgment_cannot_be_exchanged(study):
    question = Judgment.objects.earliest("pk").question
    Item.objects.filter(pk=question.subject_ids[0]).update(docno="another")
    assert "was changed since seal 1" in said(study)


def test_a_row_slipped_in_between_is_named(study):
    """Under an id below all others."""
    low = Judgment.objects.earliest("pk")
    low.pk, low.revision = -5, 7
    low.nonce = None
    with unguarded():
        low.save(force_insert=True)
    assert said(study).startswith("refused, code 1: Judgment -5 was added later")


def test_a_row_slipped_in_behind_the_last_seal_of_its_study_is_named(study):
    """Other studies went on, so that no seal of this one comes near it."""
    taken = Judgment.objects.latest("pk")
    other = open_study(make_study(batch_pairs=4))
    sit(invite(other))
    hash_chain.seal()
    gap = Judgment.objects.filter(topic__study=other).earliest("pk")
    with unguarded():
        Judgment.objects.filter(pk=gap.pk).delete()
        taken.pk, taken.revision, taken.nonce = gap.pk, 7, None
        taken.save(force_insert=True)
    assert said(study).startswith(f"refused, code 1: Judgment {gap.pk} was added later, or its seal was")
    assert said(other).startswith(f"refused, code 1: Judgment {gap.pk} is missing")


def add_late(judgment: Judgment) -> int:
    """Answer once more, past the triggers, what was answered in a batch that is closed; the row's id."""
    judgment.pk, judgment.revision, judgment.nonce = None, 7, None
    with unguarded():
        judgment.save(force_insert=True)
    return judgment.pk


def test_an_answer_that_came_after_its_batch_was_closed_is_named(study):
    """A later revision, backdated by being a copy, would be the valid answer: sealed or not, it is seen."""
    judgment = Judgment.objects.filter(role=QuestionRole.COUNTS).earliest("pk")
    batch = judgment.assignment_id
    late = add_late(judgment)
    sentence = f"refused, code 1: Judgment {late} was added to batch {batch} after this was closed: seal 1"
    assert said(study).startswith(f"{sentence} has the batch, no seal the judgment.")
    hash_chain.seal()
    assert said(study).startswith(f"{sentence} has the batch, seal 3 the judgment.")


def test_a_state_that_its_decisions_do_not_give_is_named(study):
    kept = Assignment.objects.filter(state="kept").earliest("pk")
    Assignment.objects.filter(pk=kept.pk).update(state="discarded")
    assert said(study).startswith(
        f"refused, code 1: Batch {kept.pk} is “discarded”, and by its decisions “kept”"
    )
    Assignment.objects.filter(pk=kept.pk).update(state="kept")
    out = Assessor.objects.filter(excluded_at__isnull=False).get()
    Assessor.objects.filter(pk=out.pk).update(excluded_at=None)
    assert f"Assessor {out.pk} is excluded, or not" in said(study)
    Assessor.objects.filter(pk=out.pk).update(excluded_at=out.excluded_at)
    known = Question.objects.filter(expected__isnull=False).earliest("pk")
    Question.objects.filter(pk=known.pk).update(set_aside_at=out.excluded_at)
    assert f"Question {known.pk} is set aside, or not" in said(study)


def test_somebody_who_makes_all_seals_anew_is_found_by_a_hash_that_was_noted(study):
    noted = hash_chain.last(study.pk).digest
    assert "as they were sealed" in said(study, noted=noted[:12])
    with unguarded():
        Judgment.objects.filter(pk=Judgment.objects.earliest("pk").pk).update(seconds=99.0)
        Seal.objects.all().delete()
    while hash_chain.seal():
        pass
    assert "as they were sealed" in said(study)
    assert said(study, noted=noted).startswith("refused, code 1: No seal has the hash")


@pytest.mark.parametrize("removed", [1, 2])
def test_what_should_be_sealed_and_is_not_ends_with_a_code_of_its_own(study, settings, removed):
    """The last seals removed, or all, by the owner of the database. Newer rows may wait for some seconds."""
    first_block = Seal.objects.get(number=1).count - 1  # one of its rows is a batch, which a decision seals
    with unguarded():
        Seal.objects.filter(number__gt=2 - removed).delete()
    rows = (Judgment, Decision, Action)
    waiting = sum(model.objects.count() for model in rows) - (2 - removed) * first_block
    settings.SEAL_SECONDS = 3600
    told = said(study)
    assert f"{waiting} newer rows are not sealed yet; the oldest is of " in told
    assert "refused" not in told
    settings.SEAL_SECONDS = 0
    told = said(study)
    assert told.startswith(f"refused, code 2: {waiting} newer rows are not sealed yet; the oldest is of ")
    assert "seals were removed" in told
    hash_chain.seal()
    assert "not sealed" not in said(study)


def test_seals_removed_from_one_study_alone_are_missed_by_those_of_another(study):
    other = open_study(make_study(batch_pairs=4))
    sit(invite(other))
    hash_chain.seal()
    with unguarded():
        Seal.objects.filter(study=study, number=2).delete()
    first = Judgment.objects.filter(assignment__state="discarded").earliest("pk")
    assert said(study).startswith(
        f"refused, code 1: Judgment {first.pk} was added later, or its seal was remov"
    )
    assert "as they were sealed" in said(other)


def test_a_seal_taken_out_of_the_chain_is_missed(study):
    with unguarded():
        Seal.objects.filter(number=1).delete()
    assert said(study).startswith("refused, code 1: Seal 1 is missing")


def test_a_pause_that_its_decisions_do_not_give_is_named_and_mended(study):
    one, other = invite(study), invite(study)
    pauses.pause(one.pk, "too fast")
    assert "is paused, or not" not in said(study)
    Assessor.objects.filter(pk=one.pk).update(paused_at=None)
    Assessor.objects.filter(pk=other.pk).update(paused_at=timezone.now())
    for pk in (one.pk, other.pk):
        assert f"Assessor {pk} is paused, or not, against the decisions." in said(study)
    call_command("rebuild", study.slug)
    assert "is paused, or not" not in said(study)
