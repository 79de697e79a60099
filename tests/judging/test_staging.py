"""Imports beside everybody else: nothing is locked while a file is read, nothing is seen before all is there,
and nothing is left of one that ended half-way."""

import threading

import pytest
from django.core.files.base import ContentFile
from django.db import connection, transaction

from collection.models import Import, Item, Run, Study
from collection.upload import loading, staging
from collection.upload.loading import CannotLoad
from config.sql import execute, listed
from judging.models import Assessor, Judgment, Question
from judging.questions.asking import task_of
from judging.transfer.bulk_judgments import FIND
from prefir.formats import BadFile
from scoring.scores import topic_scores as scores
from tests.judging.files import IMAGE_KINDS, everything, seen
from tests.judging.test_uploads import LONG
from tests.makers import make_study

pytestmark = [pytest.mark.usefixtures("own_files")]


class Killed(BaseException):
    """Ends a load as a kill does: nothing is tidied up."""


def rename(study: Study, name: str) -> None:
    """Write from a connection of one's own, in an instant or not at all."""
    failed = []

    def write() -> None:
        try:
            with connection.cursor() as cursor:
                now = "PRAGMA busy_timeout = 0" if connection.vendor == "sqlite" else "SET lock_timeout = 1"
                cursor.execute(now)
            if connection.vendor == "sqlite":
                connection.connection.patience = 0.0  # for the lock of this process
            with transaction.atomic():
                Study.objects.filter(pk=study.pk).update(name=name)
        except Exception as error:
            failed.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    thread.join(60)
    assert failed == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("kind", ["items", "run", "judgments", "images"])
def test_others_write_while_a_file_is_read(load, passages, pictures, kind):
    """At the first sign of reading."""
    study = pictures if kind in IMAGE_KINDS else passages
    wrote = []

    def meddle(done: int, total: int) -> None:
        if done and not wrote:
            wrote.append(done / total)
            rename(study, "Renamed")

    load(study, kind, LONG[kind], progress=meddle)
    assert wrote
    assert wrote[0] <= 0.5
    assert Study.objects.get(pk=study.pk).name == "Renamed"


@pytest.mark.django_db(transaction=True)
def test_others_write_while_a_hostile_file_is_read(load, passages, monkeypatch):
    """Looked at from within the line that was made to hold everybody up."""
    from prefir.formats import collection as reader

    parse, wrote = reader._values, []

    def meddle(raw: str, keys):
        if not wrote:
            rename(passages, "Renamed")
            wrote.append(True)
        return parse(raw, keys)

    monkeypatch.setattr(reader, "_values", meddle)
    keys = ", ".join(f'"k{n}": 1' for n in [*range(20_000), 19_999])
    with pytest.raises(BadFile, match=r"k19999.* is given twice"):
        load(passages, "items", f"{{{keys}}}\n")
    assert wrote


BIG = {
    "items": "".join(f'{{"docno":"x{n}","topic":"t1","text":"x"}}\n' for n in range(1200))
    + '{"docno":"d1","topic":"t1","text":"changed"}\n',
    "qrels": "".join(f"t1 0 x{n} 1\n" for n in range(1200)),
    "run": "".join(f"t1 Q0 x{n} 1 {n} r\n" for n in range(1200)),
    "judgments": "t1 d1 d2 d1\n" * 600 + "t1 d1 d3 d1 x\n" * 600,
}


@pytest.mark.django_db
@pytest.mark.parametrize("kind", BIG)
def test_nothing_of_a_file_is_seen_before_all_of_it_is_there(load, passages, kind):
    """Looked at after each piece. A run of the same name is shown until the new one is whole."""
    load(passages, "run", "t1 Q0 d1 1 1 r\n")
    before, looks = seen(), []

    def look(done: int, total: int) -> None:
        if Import.objects.latest("pk").state == "running":
            assert seen() == before
            looks.append(everything())

    load(passages, kind, BIG[kind], progress=look)
    assert seen() != before
    # Pieces were written between the looks, so there was something to see.
    assert any(look != looks[0] for look in looks)


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["items", "qrels", "run"])
def test_what_a_killed_import_wrote_is_never_seen_and_is_removed(load, passages, kind):
    load(passages, "run", "t1 Q0 d1 1 1 r\n")
    before, shown = everything(), seen()
    with pytest.raises(Killed):
        load(passages, kind, BIG[kind], progress=killing_at(kind))
    assert everything() != before
    assert seen() == shown
    Import.objects.filter(state="running").update(alive_at="2020-01-01T00:00Z")
    loading.sweep()
    assert everything() == before
    assert Import.objects.latest("pk").state == "refused"


def killing_at(kind: str):
    """Progress that ends a load once some of it is written."""

    def kill(done: int, total: int) -> None:
        if Item.every.filter(docno__startswith="x").exists() or Judgment.objects.exists():
            raise Killed

    return kill


@pytest.mark.django_db
def test_judgments_whose_process_died_are_gone_on_with(passages):
    """The ledger never forgets: what is written stays, and the second attempt begins behind it."""
    row = loading.begin(passages, "judgments", "j.txt", ContentFile(BIG["judgments"].encode(), "j.txt"), {})
    loading._run_import, whole = dying(loading._run_import), loading._run_import
    try:
        with pytest.raises(Killed):
            loading.run_next()
    finally:
        loading._run_import = whole
    row.refresh_from_db()
    written = list(Judgment.objects.order_by("pk").values())
    assert 0 < len(written) == row.written < 1200
    assert not Judgment.objects.counting().exists()
    Import.objects.update(alive_at="2020-01-01T00:00Z")
    assert loading.sweep()
    assert loading.run_next()
    assert Judgment.objects.counting().count() == Judgment.objects.count() == 1200
    assert list(Judgment.objects.order_by("pk").values())[: len(written)] == written
    assert sorted(Question.objects.values_list("taken", flat=True)) == [600, 600]
    assert Assessor.objects.filter(label="recorded (600)").exists()


def dying(run):
    """An import that dies after its first piece of judgments."""
    return lambda row, path, progress, **more: run(row, path, killing_at("judgments"), **more)


@pytest.mark.django_db
def test_judgments_that_cannot_be_finished_count_nowhere(load, passages, alice):
    """They stay in the ledger; their questions are open again, and their people nobody's."""
    with pytest.raises(Killed):
        load(passages, "judgments", BIG["judgments"], progress=killing_at("judgments"))
    shown = seen()
    Import.objects.update(alive_at="2020-01-01T00:00Z")
    loading.sweep()
    assert Import.objects.get().state == "refused"
    assert seen() == shown
    assert not Judgment.objects.counting().exists()
    assert set(Question.objects.values_list("taken", flat=True)) == {0}
    load(passages, "judgments", BIG["judgments"])
    assert Judgment.objects.counting().count() == 1200


@pytest.mark.django_db
def test_an_import_that_was_given_up_writes_nothing_more(load, passages):
    """Its process lives after all, but was silent for so long that a sweep removed what it had written."""
    before = everything()

    def bury(done: int, total: int) -> None:
        if Run.every.exists() and Import.objects.get().state == "running":
            Import.objects.update(alive_at="2020-01-01T00:00Z")
            loading.sweep()

    with pytest.raises(CannotLoad, match="was given up"):
        load(passages, "run", BIG["run"], progress=bury)
    assert everything() == before


@pytest.mark.django_db
def test_one_file_of_a_study_is_loaded_at_a_time_the_oldest_first(passages):
    other = make_study()
    rows = [
        loading.begin(study, "topics", name, ContentFile(b"x\tX?\n", name), {})
        for study, name in ((passages, "a"), (passages, "b"), (other, "c"))
    ]
    assert loading._claim(rows[0])
    assert not loading._claim(rows[1])
    assert loading.run_next()
    assert [Import.objects.get(pk=row.pk).state for row in rows] == ["running", "waiting", "done"]
    assert not loading.run_next()
    Import.objects.filter(pk=rows[0].pk).update(state="done")
    assert loading.run_next()
    assert Import.objects.get(pk=rows[1].pk).state == "done"


@pytest.mark.django_db(transaction=True)
def test_topics_are_rescored_when_the_last_of_several_files_is_loaded(monkeypatch, tmp_path):
    """By a page's files, by a command's, and not by a sweep that comes in between."""
    study = make_study(topics=2)
    done: list[tuple[int, int]] = []
    rescore = scores.rescore
    monkeypatch.setattr(scores, "rescore", lambda pk: done.append((Run.objects.count(), pk)) or rescore(pk))
    runs = [f"t1 Q0 t1-a 1 1 r{n}\n" for n in range(3)]
    for text in runs:
        loading.begin(study, "run", "r.run", ContentFile(text.encode(), "r.run"), {})
    while loading.run_next():
        assert Import.objects.unfinished().count() == 0 or scores.behind() == []
    topics = sorted(study.topics.values_list("pk", flat=True))
    assert sorted(done) == [(3, pk) for pk in topics]
    done.clear()
    (tmp_path / "r.run").write_text("t1 Q0 t1-b 1 1 s\n")
    loading.load(study, "run", tmp_path / "r.run", more=True)
    assert done == []
    loading.announce_all(study.pk)
    assert sorted(done) == [(4, pk) for pk in topics]


def generic_plans() -> int:
    """How often questions were looked up by a plan that was made for an earlier call."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT coalesce(sum(generic_plans), 0) FROM pg_prepared_statements "
            "WHERE statement LIKE '%%' || %s || '%%' AND statement NOT LIKE '%%pg_prepared%%'",
            ["JOIN judging_question question"],
        )
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite makes a plan for every statement")
def test_no_piece_is_written_by_a_plan_of_when_the_tables_were_empty(passages):
    """Such a plan reads a whole table for each record of a piece: 124,000 judgments took 165 s, not 30."""
    task = task_of(passages)

    def look_up(piece) -> None:
        execute(FIND, [listed([1, str(n)] for n in piece), task.pk])

    with connection.cursor() as cursor:  # a test is one transaction, in which its study was loaded
        cursor.execute("SET LOCAL plan_cache_mode = auto")
    before = generic_plans()
    for n in range(20):
        look_up([n])
    assert generic_plans() > before
    before = generic_plans()
    staging.Pieces(first=1, least=1).write(range(300), look_up)
    assert generic_plans() == before


@pytest.mark.django_db
def test_after_a_turn_the_lock_is_left_alone(monkeypatch):
    """A clock that only pieces and rests move. Others look for the lock at least every tenth of a second."""
    now, log = [0.0], []

    def rest(seconds: float) -> None:
        log.append("rest")
        now[0] += seconds

    def store(piece) -> None:
        log.append(len(piece))
        now[0] += 0.0001 * len(piece)

    monkeypatch.setattr(staging.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(staging.time, "sleep", rest)
    pieces = staging.Pieces()
    pieces._alone = False
    monkeypatch.setattr(staging.transaction, "atomic", lambda: memoryview(b""))
    pieces.write(range(6000), store)
    assert sum(part for part in log if part != "rest") == 6000
    held = 0.0
    for part in log:
        held = 0.0 if part == "rest" else held + 0.0001 * part
        assert held <= 2.5 * staging.TURN
    assert staging.REST > 0.1
