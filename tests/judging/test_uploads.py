"""Imports as they run: pictures stand and fall with their rows, progress, uploads, tasks that were lost."""

import threading
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone

from collection import jobs
from collection.models import Import, Item, Study, Topic
from collection.upload import loading, staging
from collection.upload.loading import CannotLoad
from config.task_queue import run_in_background
from prefir.formats import BadFile
from tests.formats.pictures import picture, zipped
from tests.judging.files import IMAGE_KINDS, everything, stored_files, with_runs
from tests.makers import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


# Pictures: files stand and fall with their rows


def two_pictures(folder: Path) -> Path:
    (folder / "shots" / "t1").mkdir(parents=True)
    for name in ("d1.png", "d2.png"):
        (folder / "shots" / "t1" / name).write_bytes(picture())
    return folder / "shots"


def test_a_picture_that_cannot_be_read_half_way_leaves_no_file(pictures, tmp_path):
    """The second source file vanishes when the first has been stored."""
    shots = two_pictures(tmp_path)

    def vanish(done: int, total: int) -> None:
        if stored_files():
            (shots / "t1" / "d2.png").unlink(missing_ok=True)

    before = everything()
    with pytest.raises(BadFile):
        loading.load(pictures, "images", shots, progress=vanish)
    assert everything() == before
    assert Import.objects.get().problems == ["t1/d2.png: cannot be read: No such file or directory"]


def test_rows_that_cannot_be_committed_leave_no_file(pictures, tmp_path):
    """Its topics are opened while the file is being read, so that the end refuses it."""

    def meddle(done: int, total: int) -> None:
        if len(stored_files()) == 2:
            Topic.objects.update(opened_at=timezone.now())

    before = everything()
    with pytest.raises(CannotLoad, match="opened for judging while"):
        loading.load(pictures, "images", two_pictures(tmp_path), progress=meddle)
    Topic.objects.update(opened_at=None)
    assert everything() == before


def test_a_load_stopped_by_hand_leaves_nothing_and_says_so(pictures, tmp_path):
    def stop(done: int, total: int) -> None:
        if stored_files():
            raise KeyboardInterrupt

    before = everything()
    with pytest.raises(KeyboardInterrupt):
        loading.load(pictures, "images", two_pictures(tmp_path), progress=stop)
    assert everything() == before
    assert Import.objects.get().problems == ["Loading was stopped before its end. Nothing was loaded."]


def test_a_picture_loaded_again_replaces_the_file(load, pictures, django_capture_on_commit_callbacks):
    load(pictures, "images", zipped({"t1/d1.png": picture(), "t1/d2.png": picture()}))
    kept = Item.objects.get(docno="d2").image.name
    with django_capture_on_commit_callbacks(execute=True):
        load(pictures, "images", zipped({"t1/d1.png": picture(size=(9, 9))}))
    item = Item.objects.get(docno="d1")
    assert stored_files() == sorted([kept, item.image.name])
    assert (item.width, item.image.read()) == (9, picture(size=(9, 9)))


def test_a_picture_is_not_replaced_by_one_whose_rows_cannot_be_committed(load, pictures):
    load(pictures, "images", zipped({"t1/d1.png": picture()}))

    def meddle(done: int, total: int) -> None:
        if len(stored_files()) == 2:
            Topic.objects.update(opened_at=timezone.now())

    before = everything()
    with pytest.raises(CannotLoad, match="opened for judging while"):
        load(pictures, "images", zipped({"t1/d1.png": picture(size=(9, 9))}), progress=meddle)
    Topic.objects.update(opened_at=None)
    assert everything() == before
    assert Item.objects.get(docno="d1").image.read() == picture()


# Progress


LONG = {
    "topics": "".join(f"x{n}\tText\n" for n in range(500)),
    "items": "".join(f'{{"docno":"x{n}","topic":"t1","text":"x"}}\n' for n in range(2500)),
    "images": zipped({f"t1/x{n}.png": picture() for n in range(20)}),
    "descriptions": '{"docno":"d1","topic":"t1","description":"x"}\n',
    "sources": '{"docno":"d1","topic":"t1","sources":["x"]}\n',
    "answers": "prompt,model,answer\n" + "".join(f"Prompt {n},m,x\n" for n in range(900)),
    "groups": "topic,light\nt1,much\nt2,little\n",
    "qrels": "".join(f"t1 0 x{n} 1\n" for n in range(2500)),
    "run": "".join(f"t1 Q0 x{n} 1 {n} r\n" for n in range(2500)),
    "grid": "topic\tdocno\trow\tcolumn\n" + "".join(f"t1\tx{n}\t{n}\t0\n" for n in range(50)),
    "judgments": "t1 d1 d2 d1\n" * 2500,
    "challenges": "t1 d1 d2 d1\nt1 d1 d3 d1\n",
    "xie-positions": '{"q1": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 1]}}}',
    "xie-judgments": "Query\tP\ta\tb\tc\nt1\tbaidu/t1_0.jpg,sogou/t1_0.jpg\t-2\t0\t1\n",
    "xie-relevance": "Query\tImage\tScore\nt1\tbaidu/t1_0.jpg\t59.0\n",
    "pages": "t1 r s r\n" * 2500,
    "xie-pages": "Query\tWinner\nt1\t0\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LONG)
def test_progress_only_rises_and_ends_at_the_end(load, passages, pictures, kind):
    seen: list[tuple[int, int]] = []
    load(
        with_runs(pictures if kind in IMAGE_KINDS else passages, kind),
        kind,
        LONG[kind],
        progress=lambda done, total: seen.append((done, total)),
    )
    assert set(LONG) == set(loading.KINDS)
    parts = [done / total for done, total in seen]
    assert parts == sorted(parts)
    assert parts[0] == 0
    assert parts.index(1) == len(parts) - 1  # not at the end of a half


# Uploads and sweeps


def upload(study: Study, content: bytes, kind: str = "topics") -> Import:
    """Begin, and wait for the thread that loads; returns the row as it is then."""
    before = set(threading.enumerate())
    row = loading.begin(study, kind, "t.tsv", ContentFile(content, name="t.tsv"), {})
    run_in_background(jobs.load_next)
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    row.refresh_from_db()
    return row


@pytest.mark.django_db(transaction=True)
def test_an_upload_is_loaded_aside_and_its_file_removed(passages):
    row = upload(passages, b"t7\tSeven?\n")
    assert (row.state, row.summary, row.problems) == (Import.State.DONE, "1 topic", [])
    assert passages.topics.filter(name="t7").exists()
    assert stored_files() == []


@pytest.mark.django_db(transaction=True)
def test_a_bad_upload_is_refused_aside_and_its_file_removed(passages):
    row = upload(passages, b"t7 Seven?\n")
    assert (row.state, len(row.problems)) == (Import.State.REFUSED, 1)
    assert "t.tsv" in row.problems[0]
    assert stored_files() == []


def waiting(study: Study, **more) -> Import:
    """An upload whose task was lost, as when the server died or Redis did not take it."""
    row = Import.objects.create(
        study=study,
        kind="topics",
        name="t.tsv",
        file=default_storage.save("uploads/file", ContentFile(b"t7\tSeven?\n")),
        state=more.get("state", Import.State.WAITING),
    )
    age = timedelta(**{"minutes": 0} | {k: v for k, v in more.items() if k != "state"})
    Import.objects.filter(pk=row.pk).update(created_at=timezone.now() - age)
    return row


def test_an_upload_is_run_once_however_often_its_task_is_delivered(passages):
    row = waiting(passages)
    loading.run(row.pk)
    loading.run(row.pk)
    row.refresh_from_db()
    assert row.state == Import.State.DONE


def test_an_upload_whose_file_is_gone_is_refused(passages):
    row = waiting(passages)
    default_storage.delete(row.file)
    loading.run(row.pk)
    row.refresh_from_db()
    assert row.problems == ["The uploaded file is gone. Nothing was loaded: load it again."]


@pytest.mark.parametrize("alone", [False, True])
def test_a_sweep_starts_what_waits(passages, alone, django_capture_on_commit_callbacks):
    waiting(passages)
    with django_capture_on_commit_callbacks() as begun:
        jobs.sweep_imports(alone=alone)
    assert len(begun) == 1


def running(**more) -> Import:
    """An upload that a process is reading, of a study of its own."""
    row = waiting(make_study(), state=Import.State.RUNNING, **more)
    Import.objects.filter(pk=row.pk).update(attempts=1, alive_at=F("created_at"))
    row.refresh_from_db()
    return row


def test_an_import_whose_process_died_is_taken_up_once_more_after_ten_minutes(db):
    dead, young, alive = running(minutes=11), running(minutes=9), running(minutes=11)
    staging.still_running(alive)
    assert loading.sweep()
    states = {row.pk: row.state for row in Import.objects.all()}
    assert states == {dead.pk: "waiting", young.pk: "running", alive.pk: "running"}
    assert loading.run_next()
    dead.refresh_from_db()
    assert (dead.state, dead.summary) == ("done", "1 topic")


def test_a_file_that_ends_two_processes_is_refused(db):
    row = running(minutes=11)
    for _ in range(2):
        loading.sweep()
        loading._claim(row)
        Import.objects.filter(pk=row.pk).update(alive_at=F("created_at"))
    loading.sweep()
    row.refresh_from_db()
    assert (row.state, row.problems) == (
        "refused",
        ["The server stopped while the file was read. Nothing was loaded: load it again."],
    )
    assert stored_files() == []


def test_a_command_that_was_ended_while_it_waited_is_refused(passages):
    old = timezone.now() - timedelta(minutes=11)
    row = Import.objects.create(study=passages, kind="topics", name="t.tsv")
    Import.objects.filter(pk=row.pk).update(created_at=old)
    assert not loading.sweep()
    row.refresh_from_db()
    assert row.problems == ["Loading was stopped before it began. Nothing was loaded."]


@pytest.mark.django_db(transaction=True)
def test_catchup_starts_what_waits_and_takes_up_what_died(passages):
    """As at the start of one process that does everything."""
    row, dead = waiting(passages), running()
    before = set(threading.enumerate())
    call_command("catchup")
    for thread in set(threading.enumerate()) - before:
        thread.join(60)
    assert Import.objects.get(pk=row.pk).state == Import.State.DONE
    assert Import.objects.get(pk=dead.pk).state == Import.State.DONE
