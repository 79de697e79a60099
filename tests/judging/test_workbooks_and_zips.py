"""Workbooks and zips of everything by the page, the command and the HTTP API."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from collection.models import Grade, Import, Item, Run, Topic
from collection.upload import loading, pending_uploads
from tests.api.programs import Program
from tests.formats.pictures import picture, zipped
from tests.formats.workbooks import workbook
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
BOOK = workbook(
    Topics=[["Topic", "Text"], ["q1", "Which?"], [2, "What?"]],
    Grades=[["topic", "docno", "grade"], ["q1", "d1", 2], [2, 7, 0]],
)
RUNS = zipped({f"{name}.run": f"q1 Q0 d1 1 9 {name}\n".encode() for name in ("bm25", "dense")})
GRADED = [("2", "7", 0), ("q1", "d1", 2)]


@pytest.fixture
def study():
    return staff_of(make_study(topics=0, name="Mine", slug="mine"))


def graded():
    return list(
        Grade.objects.order_by("item__docno").values_list("item__topic__name", "item__docno", "value")
    )


def drop(study, name: str, content: bytes) -> str:
    alice, address = logged_in("alice"), reverse("files", args=[study.slug])
    said = text(alice.post(address, {"files": [SimpleUploadedFile(name, content)]}, follow=True))
    if pending_uploads.ready(pending_uploads.of(study)):
        alice.post(address, {"what": "load"})
        while loading.run_next():
            pass
    return said


def test_the_page_loads_every_sheet_of_a_workbook(study):
    said = drop(study, "book.xlsx", BOOK)
    assert "book.xlsx/Topics" in said
    assert "book.xlsx/Grades" in said
    assert graded() == GRADED


def test_a_mended_workbook_takes_the_place_of_all_its_sheets(study):
    topics = [["topic", "text"], ["q1", "Which?"]]
    rows = [["topic", "docno", "grade"], ["q1", "d1"]]
    assert "1 thing to fix" in drop(study, "book.xlsx", workbook(T=topics, G=[rows[0], [*rows[1], "high"]]))
    drop(study, "book.xlsx", workbook(T=topics, G=[rows[0], [*rows[1], 2]]))
    assert graded() == [("q1", "d1", 2)]
    assert Import.objects.count() == 2


def test_the_page_loads_every_file_of_a_zip(study):
    drop(study, "all.zip", zipped({"s/book.xlsx": BOOK, "s/runs/bm25.run": b"q1 Q0 d1 1 9 bm25\n"}))
    assert graded() == GRADED
    assert [row.name for row in Import.objects.order_by("pk")] == [
        "all.zip/s/book.xlsx/Topics",
        "all.zip/s/book.xlsx/Grades",
        "all.zip/s/runs/bm25.run",
    ]
    assert Run.objects.get().name == "bm25"


def test_the_page_loads_the_pictures_of_a_zip_beside_its_topics():
    study = staff_of(make_study(topics=0, slug="pictures", kind="image"))
    drop(study, "all.zip", zipped({"s/topics.tsv": b"t1\tsea\n", "s/pictures/t1/a.png": picture()}))
    assert Item.objects.exclude(image="").get().docno == "a"


def test_the_page_says_what_is_wrong_with_a_zip_or_workbook(study):
    said = drop(study, "all.zip", zipped({"a.tsv": b"x", "b.zip": zipped({"c": b"x"})}))
    assert "a zip within a zip; unpack it and load what is in it" in said
    said = drop(study, "letter.docx", zipped({"[Content_Types].xml": b"x", "word/document.xml": b"x"}))
    assert "a document of an office program, and no workbook" in said
    said = drop(study, "notes.xlsx", workbook(Notes=[["Only words"]]))
    assert "Say what" in said
    assert not Topic.objects.exists()


def test_the_command_loads_the_sheet_of_the_kind_and_each_run_of_a_zip(study, tmp_path):
    book, runs = tmp_path / "book.xlsx", tmp_path / "runs.zip"
    book.write_bytes(BOOK)
    runs.write_bytes(RUNS)
    said = io.StringIO()
    for kind, path in (("topics", book), ("qrels", book), ("run", runs)):
        call_command("load", study.slug, kind, str(path), stdout=said)
    assert graded() == GRADED
    assert set(Run.objects.values_list("name", flat=True)) == {"bm25", "dense"}
    assert "runs.zip/dense.run: run dense: 1 placements" in said.getvalue()
    with pytest.raises(CommandError, match="it holds 2 sheets, Topics, Grades, and one is loaded at a time"):
        call_command("load", study.slug, "items", str(book), stdout=said)


def test_programs_load_the_sheet_of_the_kind(study):
    alice = Program("alice", "load")
    for route in ("topics?name=book.xlsx", "qrels?name=book.xlsx", "runs?name=runs.zip"):
        assert (
            alice.load(f"/studies/{study.slug}/{route}", RUNS if "runs" in route else BOOK).status_code == 202
        )
        loading.run_next()
    assert graded() == GRADED
    assert (
        "it holds 2 files, bm25.run, dense.run, and one is loaded at a time"
        in Import.objects.last().problems[0]
    )
