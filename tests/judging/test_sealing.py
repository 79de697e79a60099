"""Seals: every row of the ledger once, in a chain that nobody can change unseen and anybody can compute."""

import hashlib
import io
import json
import threading

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from collection import trail
from collection.models import Action, Item, Study
from judging import answering, deciding, exporting, jobs, sealing, verifying
from judging.models import Assessor, Assignment, BatchQuestion, Decision, Judgment, Question, Seal
from tests.conftest import on_postgres
from tests.emptying import unguarded
from tests.judging.organizing import staff_of, text
from tests.makers import answer, invite, make_study, open_study, run_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    """Two batches: one kept, one failed; sealed in two blocks."""
    study = open_study(staff_of(make_study(topics=3, batch_pairs=4, slug="pilot")))
    sit(invite(study))
    sealing.seal()
    sit(invite(study), wrong=99)
    sealing.seal()
    return study


def sealed(study: Study) -> list[tuple[str, int]]:
    """Kind and id of every row that a seal of the study has, in order."""
    return [
        key for seal in Seal.objects.filter(study=study).order_by("number") for key in verifying.listed(seal)
    ]


def said(study: Study, **options) -> str:
    """What the command says; its complaint if it ends with code 1."""
    out = io.StringIO()
    try:
        call_command("verify", study.slug, stdout=out, **options)
    except CommandError as error:
        return f"refused, code {error.returncode}: {error}"
    return out.getvalue()


def check_by_hand(lines: list[str], study_id: int) -> int:
    """Check an exported ledger as its page in docs says, with nothing of ours; return its number of rows."""
    previous, rows, listed = "0" * 64, 0, ""
    for number, line in enumerate(filter(None, lines)):
        entry = json.loads(line)
        if entry["kind"] != "seal":
            listed += f"{entry['kind']} {entry['id']} {hashlib.sha256(line.encode()).hexdigest()}\n"
            continue
        found = entry.pop("hash")
        assert entry["previous"] == previous, f"line {number}"
        assert entry["count"] == listed.count("\n")
        assert entry["study"] == study_id
        header = json.dumps(entry, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(f"{header}\n{listed}".encode()).hexdigest() == found, f"line {number}"
        previous, rows, listed = found, rows + entry["count"], ""
    assert listed == ""
    return rows


def test_every_row_is_sealed_once(study):
    """Against the tables themselves; batches are those that were closed."""
    expected = {
        ("judgment", Judgment),
        ("decision", Decision),
        ("action", Action),
        ("batch", Assignment.objects.exclude(state="working")),
    }
    rows = [(k, pk) for k, m in expected for pk in getattr(m, "objects", m).values_list("pk", flat=True)]
    assert sorted(sealed(study)) == sorted(rows)
    assert sealing.last(study.pk).total == len(rows) == 2 * 7 + 2 + 3 + Action.objects.count()
    assert sealing.seal() == 0


def test_an_open_batch_is_sealed_when_it_is_closed_its_answers_before(study):
    assignment = sit(invite(study))
    still_open = answering.arrive(invite(study).pk)
    answer(still_open, most=2)
    sealing.seal()
    assert ("batch", assignment.pk) in sealed(study)
    assert ("batch", still_open.pk) not in sealed(study)
    assert [kind for kind, pk in sealed(study)].count("judgment") == Judgment.objects.count()
    run_out(still_open)
    answering.release_overdue()
    sealing.seal()
    assert sealed(study).count(("batch", still_open.pk)) == 1


def test_a_second_verdict_seals_no_batch_again(study):
    """A challenge set aside: the failed batch gets another verdict, and its person comes back."""
    failed = Assignment.objects.get(state="discarded")
    for place in failed.batch.filter(challenge=True):
        deciding.set_aside(place.question_id, "nobody could know")
    sealing.seal()
    assert Decision.objects.filter(assignment=failed).count() == 2
    assert sealed(study).count(("batch", failed.pk)) == 1
    assert "as they were sealed" in said(study)


def test_studies_are_sealed_each_by_itself(study):
    other = open_study(make_study(batch_pairs=4))
    sit(invite(other))
    sit(invite(study))
    sealing.seal()
    assert not set(sealed(other)) & set(sealed(study))
    assert [s.number for s in Seal.objects.filter(study=other)] == [1]
    assert "as they were sealed" in said(study)
    assert "as they were sealed" in said(other)


def test_blocks_are_bounded_and_what_is_left_comes_next(study, monkeypatch):
    """As a ledger that was never sealed: in pieces, over several calls."""
    monkeypatch.setattr(sealing, "JUDGMENTS", 5)
    monkeypatch.setattr(sealing, "DECISIONS", 1)
    monkeypatch.setattr(sealing, "MOST", 2)
    for _ in range(3):
        sit(invite(study))
    new = 3 * (7 + 1 + 1)
    # Each call takes two blocks: ten judgments; once these are all there, two batches with their decisions.
    assert [sealing.seal() for _ in range(5)] == [10, 10, 1 + 2 * 2, 2, 0]
    assert new == 10 + 10 + 5 + 2
    assert len(sealed(study)) == len(set(sealed(study)))
    assert "as they were sealed" in said(study)


def test_nothing_new_costs_few_queries(study, django_assert_max_num_queries):
    with django_assert_max_num_queries(5):
        assert sealing.seal() == 0


def test_the_job_seals_too(study):
    trail.note(study.pk, trail.What.CLOSED)
    jobs.seal()
    assert sealed(study)[-1] == ("action", Action.objects.latest("pk").pk)


def test_whoever_has_the_export_can_check_it_without_the_program(study, alice, tmp_path):
    lines = "".join(exporting.sealed_ledger(study)).split("\n")
    assert check_by_hand(lines, study.pk) == len(sealed(study))
    page = alice.get("/studies/pilot/ledger.jsonl")
    assert b"".join(page.streaming_content).decode().split("\n") == lines
    call_command("export", "pilot", "ledger", output=tmp_path / "out")
    assert (tmp_path / "out").read_text().split("\n") == lines
    with unguarded():
        Judgment.objects.filter(pk=Judgment.objects.earliest("pk").pk).update(seconds=99.0)
    with pytest.raises(AssertionError, match="line"):
        check_by_hand("".join(exporting.sealed_ledger(study)).split("\n"), study.pk)


def test_a_line_says_all_that_a_judgment_means(study):
    judgment = Judgment.objects.select_related("topic").latest("pk")
    batch = judgment.assignment
    lines = [json.loads(line) for line in exporting.sealed_ledger(study)]
    line = next(row for row in lines if (row["kind"], row.get("id")) == ("judgment", judgment.pk))
    items = [Item.objects.get(pk=pk).docno for pk in judgment.question.subject_ids]
    assert (line["topic"], line["compared"]) == (judgment.topic.name, items)
    assert (line["value"], line["shown"], line["assignment_id"]) == (judgment.value, judgment.shown, batch.pk)
    row = next(row for row in lines if (row["kind"], row.get("id")) == ("batch", batch.pk))
    assert row["assessor"] == f"local-{batch.assessor_id}"
    assert [(p["shown"], p["expected"]) for p in row["places"]] == [
        (p.shown, p.expected) for p in batch.batch.all()
    ]
    assert batch.assessor.reference not in json.dumps(lines)


CHANGES = {
    "Judgment {j} was changed": lambda ids: Judgment.objects.filter(pk=ids["j"]).update(value=0),
    "Judgment {j} is missing": lambda ids: Judgment.objects.filter(pk=ids["j"]).delete(),
    "Decision {d} was changed": lambda ids: Decision.objects.filter(pk=ids["d"]).update(why="3 of 3"),
    "Decision {d} is missing": lambda ids: Decision.objects.filter(pk=ids["d"]).delete(),
    "Batch {b} was changed": lambda ids: BatchQuestion.objects.filter(assignment=ids["b"]).update(expected=0),
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
    sealing.seal()
    gap = Judgment.objects.filter(topic__study=other).earliest("pk")
    with unguarded():
        Judgment.objects.filter(pk=gap.pk).delete()
        taken.pk, taken.revision, taken.nonce = gap.pk, 7, None
        taken.save(force_insert=True)
    assert said(study).startswith(f"refused, code 1: Judgment {gap.pk} was added later: no seal has it")
    assert said(other).startswith(f"refused, code 1: Judgment {gap.pk} is missing")


def add_late(judgment: Judgment) -> int:
    """Answer once more, past the triggers, what was answered in a batch that is closed; the row's id."""
    judgment.pk, judgment.revision, judgment.nonce = None, 7, None
    with unguarded():
        judgment.save(force_insert=True)
    return judgment.pk


def test_an_answer_that_came_after_its_batch_was_closed_is_named(study):
    """A later revision, backdated by being a copy, would be the valid answer: sealed or not, it is seen."""
    judgment = Judgment.objects.filter(challenge=False).earliest("pk")
    batch = judgment.assignment_id
    late = add_late(judgment)
    sentence = f"refused, code 1: Judgment {late} was added to batch {batch} after this was closed: seal 1"
    assert said(study).startswith(f"{sentence} has the batch, no seal the judgment.")
    sealing.seal()
    assert said(study).startswith(f"{sentence} has the batch, seal 3 the judgment.")


def test_a_batch_is_sealed_with_or_after_its_answers_however_long_the_queue(study, monkeypatch):
    """Else an honest answer would be taken for one that came later."""
    monkeypatch.setattr(sealing, "JUDGMENTS", 3)
    sit(invite(study))
    while sealing.seal():
        pass
    rows = sealed(study)
    for batch in Assignment.objects.all():
        last = max(rows.index(("judgment", row.pk)) for row in batch.judgments.all())
        assert rows.index(("batch", batch.pk)) > last
    assert "as they were sealed" in said(study)


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
    assert f"Challenge {known.pk} is set aside, or not" in said(study)


def test_whoever_makes_all_seals_anew_is_found_by_a_hash_that_was_noted(study):
    noted = sealing.last(study.pk).digest
    assert "as they were sealed" in said(study, noted=noted[:12])
    with unguarded():
        Judgment.objects.filter(pk=Judgment.objects.earliest("pk").pk).update(seconds=99.0)
        Seal.objects.all().delete()
    while sealing.seal():
        pass
    assert "as they were sealed" in said(study)
    assert said(study, noted=noted).startswith("refused, code 1: No seal has the hash")


def test_a_seal_taken_out_of_the_chain_is_missed(study):
    with unguarded():
        Seal.objects.filter(number=1).delete()
    assert said(study).startswith("refused, code 1: Seal 1 is missing")


def test_the_study_page_shows_the_last_seal_to_members(study, alice, bob):
    last = sealing.last(study.pk)
    for member in (alice, bob):
        page = text(member.get("/studies/pilot/"))
        assert last.digest in page
        assert f"{last.total} rows of the ledger are sealed" in page
    assert "Trail: who steered" in text(alice.get("/studies/pilot/"))
    assert "Trail: who steered" not in text(bob.get("/studies/pilot/"))


@pytest.mark.django_db(transaction=True)
def test_a_lower_id_that_is_committed_later_is_waited_for(monkeypatch):
    """Two open transactions: the one that has the lower id ends last. Nothing is sealed past its row."""
    if not on_postgres():
        pytest.skip("on SQLite one transaction writes at a time")
    monkeypatch.setattr(sealing, "PATIENCE", 0.0)
    study = make_study()
    begun, end = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            trail.note(study.pk, trail.What.OPENED)
            begun.set()
            end.wait(30)
        connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        assert begun.wait(30)
        trail.note(study.pk, trail.What.CLOSED)
        assert sealing.seal() == 0
    finally:
        end.set()
        thread.join()
    assert sealing.seal() == 2
    assert [a.what for a in Action.objects.order_by("pk")] == ["opened", "closed"]
    assert "as they were sealed" in said(study)


@pytest.mark.django_db(transaction=True)
def test_two_who_seal_at_once_seal_every_row_once():
    study = open_study(make_study(batch_pairs=4))
    sit(invite(study))
    both = threading.Barrier(2)
    read = sealing._read
    found = []

    def together(*marks):
        rows = read(*marks)
        both.wait(30)
        return rows

    def run() -> None:
        found.append(sealing.seal())
        connection.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sealing, "_read", together)
        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found)[0] == 0
    assert len(sealed(study)) == len(set(sealed(study))) == max(found)
