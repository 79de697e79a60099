"""Seals: every row of the ledger once, in a chain that nobody can change unseen and anybody can compute."""

import hashlib
import json
import threading

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from collection import audit_log
from collection.models import Action, Item, Study
from judging import jobs
from judging.audit import hash_chain, hash_chain_lines
from judging.batches import answering
from judging.models import Assignment, Decision, Judgment, QuestionRole, Seal
from judging.transfer import judgment_export
from judging.verdicts import question_set_aside
from tests.conftest import on_postgres
from tests.emptying import unguarded
from tests.judging.ledgers import said, sealed, two_blocks
from tests.judging.organizing import text
from tests.makers import answer, invite, make_study, open_study, run_out, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> Study:
    return two_blocks()


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
    assert hash_chain.last(study.pk).total == len(rows) == 2 * 7 + 2 + 3 + Action.objects.count()
    assert hash_chain.seal() == 0


def test_an_open_batch_is_sealed_when_it_is_closed_its_answers_before(study):
    assignment = sit(invite(study))
    still_open = answering.arrive(invite(study).pk)
    answer(still_open, most=2)
    hash_chain.seal()
    assert ("batch", assignment.pk) in sealed(study)
    assert ("batch", still_open.pk) not in sealed(study)
    assert [kind for kind, pk in sealed(study)].count("judgment") == Judgment.objects.count()
    run_out(still_open)
    answering.release_overdue()
    hash_chain.seal()
    assert sealed(study).count(("batch", still_open.pk)) == 1


def test_a_second_verdict_seals_no_batch_again(study):
    """A challenge set aside: the failed batch gets another verdict, and its person comes back."""
    failed = Assignment.objects.get(state="discarded")
    for place in failed.batch.filter(role=QuestionRole.CHALLENGE):
        question_set_aside.set_aside(place.question_id, "nobody could know")
    hash_chain.seal()
    assert Decision.objects.filter(assignment=failed).count() == 2
    assert sealed(study).count(("batch", failed.pk)) == 1
    assert "as they were sealed" in said(study)


def test_studies_are_sealed_each_by_itself(study):
    other = open_study(make_study(batch_pairs=4))
    sit(invite(other))
    sit(invite(study))
    hash_chain.seal()
    assert not set(sealed(other)) & set(sealed(study))
    assert [s.number for s in Seal.objects.filter(study=other)] == [1]
    assert "as they were sealed" in said(study)
    assert "as they were sealed" in said(other)


def test_blocks_are_bounded_and_what_is_left_comes_next(study, monkeypatch):
    """As a ledger that was never sealed: in pieces, over several calls."""
    monkeypatch.setattr(hash_chain, "JUDGMENTS", 5)
    monkeypatch.setattr(hash_chain, "DECISIONS", 1)
    monkeypatch.setattr(hash_chain, "MOST", 2)
    for _ in range(3):
        sit(invite(study))
    new = 3 * (7 + 1 + 1)
    # Each call takes two blocks: ten judgments; once these are all there, two batches with their decisions.
    assert [hash_chain.seal() for _ in range(5)] == [10, 10, 1 + 2 * 2, 2, 0]
    assert new == 10 + 10 + 5 + 2
    assert len(sealed(study)) == len(set(sealed(study)))
    assert "as they were sealed" in said(study)


def test_nothing_new_costs_few_queries(study, django_assert_max_num_queries):
    with django_assert_max_num_queries(5):
        assert hash_chain.seal() == 0


def test_the_job_seals_too(study):
    audit_log.note(study.pk, audit_log.What.CLOSED)
    jobs.seal()
    assert sealed(study)[-1] == ("action", Action.objects.latest("pk").pk)


def test_somebody_who_has_the_export_can_check_it_without_the_program(study, alice, tmp_path):
    lines = "".join(judgment_export.sealed_ledger(study)).split("\n")
    assert check_by_hand(lines, study.pk) == len(sealed(study))
    page = alice.get("/studies/pilot/ledger.jsonl")
    assert b"".join(page.streaming_content).decode().split("\n") == lines
    call_command("export", "pilot", "ledger", output=tmp_path / "out")
    assert (tmp_path / "out").read_text().split("\n") == lines
    with unguarded():
        Judgment.objects.filter(pk=Judgment.objects.earliest("pk").pk).update(seconds=99.0)
    with pytest.raises(AssertionError, match="line"):
        check_by_hand("".join(judgment_export.sealed_ledger(study)).split("\n"), study.pk)


def test_a_line_says_all_that_a_judgment_means(study):
    judgment = Judgment.objects.select_related("topic").latest("pk")
    batch = judgment.assignment
    lines = [json.loads(line) for line in judgment_export.sealed_ledger(study)]
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


@pytest.mark.parametrize(("column", "value"), [("seen", "100 43"), ("paradata", {"by": "key", "keys": 2})])
def test_what_a_browser_told_is_in_the_line_of_those_judgments_that_have_it(study, column, value):
    """Older lines stay the same, so that their hashes do."""
    told, untold = Judgment.objects.order_by("pk")[:2]
    assert column not in hash_chain_lines.judgments(Judgment.objects.filter(pk=untold.pk))[0].line
    with unguarded():
        Judgment.objects.filter(pk=told.pk).update(**{column: value})
    line = json.loads(hash_chain_lines.judgments(Judgment.objects.filter(pk=told.pk))[0].line)
    assert line[column] == value


def test_a_batch_is_sealed_with_or_after_its_answers_however_long_the_queue(study, monkeypatch):
    """Else an honest answer would be taken for one that came later."""
    monkeypatch.setattr(hash_chain, "JUDGMENTS", 3)
    sit(invite(study))
    while hash_chain.seal():
        pass
    rows = sealed(study)
    for batch in Assignment.objects.all():
        last = max(rows.index(("judgment", row.pk)) for row in batch.judgments.all())
        assert rows.index(("batch", batch.pk)) > last
    assert "as they were sealed" in said(study)


def test_the_log_has_the_hash_of_every_seal(study, caplog):
    sit(invite(study))
    with caplog.at_level("INFO", logger="judging.audit.hash_chain"):
        hash_chain.seal()
    assert caplog.messages == [f"Seal 3 of study {study.pk}: {hash_chain.last(study.pk).digest}"]


def test_the_page_of_records_shows_the_last_seal_to_members(study, alice, bob):
    last = hash_chain.last(study.pk)
    for member in (alice, bob):
        response = member.get("/studies/pilot/records/")
        assert f'value="{last.digest}"' in response.content.decode()
        assert f"{last.total} rows of the ledger are sealed" in text(response)
    assert "Trail: who steered" in text(alice.get("/studies/pilot/records/"))
    assert "Trail: who steered" not in text(bob.get("/studies/pilot/records/"))


@pytest.mark.django_db(transaction=True)
def test_a_lower_id_that_is_committed_later_is_waited_for(monkeypatch):
    """Two open transactions: the one that has the lower id ends last. Nothing is sealed past its row."""
    if not on_postgres():
        pytest.skip("on SQLite one transaction writes at a time")
    monkeypatch.setattr(hash_chain, "PATIENCE", 0.0)
    study = make_study()
    begun, end = threading.Event(), threading.Event()

    def slow() -> None:
        with transaction.atomic():
            audit_log.note(study.pk, audit_log.What.OPENED)
            begun.set()
            end.wait(30)
        connection.close()

    thread = threading.Thread(target=slow)
    thread.start()
    try:
        assert begun.wait(30)
        audit_log.note(study.pk, audit_log.What.CLOSED)
        assert hash_chain.seal() == 0
    finally:
        end.set()
        thread.join()
    assert hash_chain.seal() == 2
    assert [a.what for a in Action.objects.order_by("pk")] == ["opened", "closed"]
    assert "as they were sealed" in said(study)


@pytest.mark.django_db(transaction=True)
def test_two_who_seal_at_once_seal_every_row_once():
    study = open_study(make_study(batch_pairs=4))
    sit(invite(study))
    both = threading.Barrier(2)
    read = hash_chain._read
    found = []

    def together(*marks):
        rows = read(*marks)
        both.wait(120)
        return rows

    def run() -> None:
        found.append(hash_chain.seal())
        connection.close()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hash_chain, "_read", together)
        threads = [threading.Thread(target=run) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(found)[0] == 0
    assert len(sealed(study)) == len(set(sealed(study))) == max(found)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor == "sqlite", reason="on SQLite one transaction writes at a time")
def test_who_seals_between_two_looks_of_another_is_noticed(monkeypatch):
    """The one that began first looks for the last block when the other has just committed theirs."""
    study = open_study(make_study(batch_pairs=4))
    sit(invite(study))
    last, found = hash_chain.last, []

    def other() -> None:
        found.append(hash_chain.seal())
        connection.close()

    def interrupted(pk):
        if not found:
            found.append(-1)
            thread = threading.Thread(target=other)
            thread.start()
            thread.join()
        return last(pk)

    monkeypatch.setattr(hash_chain, "last", interrupted)
    found.append(hash_chain.seal())
    assert found[2] == 0
    assert len(sealed(study)) == len(set(sealed(study))) == found[1] > 0
