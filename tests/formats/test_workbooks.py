"""Workbooks and zips: each sheet and each file in them is read as if it had come alone, within the bounds."""

import io
import zipfile
from datetime import date

import pytest

from prefir.formats import BadFile, parts_of, read_images_zip, read_run, read_table, read_topics, recognize
from tests.formats.helpers import IMAGES, refused
from tests.formats.layouts import parquet
from tests.formats.pictures import picture, zipped
from tests.formats.test_tables_and_recognition import KNOWN, items, qrels, topics
from tests.formats.workbooks import files_of, sheet_of, workbook

DATE = b'<c r="PLACE" s="1"><v>45413</v></c>'  # 1 May 2024
GRADES = [["topic", "docno", "grade"], ["q1", "d1", 2], ["q2", 7, 0.5]]


def contents(name, given):
    found = {}
    for part in parts_of(name, given):
        with part.open() as file:
            found[part.name] = file.read()
    return found


def test_a_sheet_is_read_like_a_table_and_whole_numbers_are_ids_without_a_point():
    found = qrels(workbook(Sheet1=GRADES))
    assert [(r.topic, r.docno, r.grade) for r in found] == [("q1", "d1", 2.0), ("q2", "7", 0.5)]
    given = workbook(Sheet1=[["QID", "Query"], ["q1", "Which,\n“one”?"], ["q2", 1984]])
    assert [(r.topic, r.text) for r in topics(given)] == [("q1", "Which, “one”?"), ("q2", "1984")]


def test_texts_keep_their_lines_and_dates_are_written_as_days():
    given = workbook(Sheet1=[["docno", "topic", "text"], ["d1", "q1", "One\n\n two\t"], ["d2", "q1", DATE]])
    assert [i.text for i in items(given)] == ["One\n\n two", "2024-05-01"]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (None, "the docno is empty"),
        ("", "the docno is empty"),
        ("NaN", 'the docno is "NaN", as programs write what is missing'),
        (True, "the docno is true"),
        (1.5, "the docno is 1.5, a number with a decimal point"),
        (12345678901234567890, "the docno is 1.2345678901234567e+19, a number with a decimal point"),
    ],
)
def test_what_is_no_id_in_a_sheet_is_named_with_its_row(cell, said):
    given = workbook(Sheet1=[[None], [], *GRADES[:2], ["q2", cell, 1]])
    with pytest.raises(BadFile) as wrong:
        qrels(given)
    assert str(wrong.value).startswith(f"f, line 5: {said}")


def test_of_several_sheets_the_one_with_the_columns_of_the_kind_is_read():
    given = workbook(About=[["Grades of 2024"]], Topics=[["topic", "text"], ["q1", "Which?"]], Grades=GRADES)
    assert len(qrels(given)) == 2
    assert [t.text for t in topics(given)] == ["Which?"]
    assert list(contents("b.xlsx", given)) == ["b.xlsx/About", "b.xlsx/Topics", "b.xlsx/Grades"]
    reason = "it holds 3 sheets, About, Topics, Grades, and one is loaded at a time"
    with pytest.raises(BadFile, match=reason):
        items(given)


def test_a_workbook_names_a_run_without_a_tag():
    given = workbook(Sheet1=[["topic", "docno", "rank"], ["q1", "d1", 1]])
    assert read_table("run", "bm25.xlsx", given, lambda rows: read_run("r", rows, KNOWN)).tag == "bm25"


def test_an_empty_workbook_and_other_documents_are_named():
    assert refused(topics, workbook(Sheet1=[])) == ["f: no table of the workbook has anything in it"]
    assert refused(topics, zipped({"[Content_Types].xml": b"x", "word/document.xml": b"x"})) == [
        "f: a document of an office program, and no workbook; save its table as .xlsx or CSV"
    ]
    broken = zipped(files_of({"a": "<worksheet"}))
    assert refused(topics, broken)[0].startswith("f: the workbook cannot be read: ")
    assert recognize(workbook(Sheet1=GRADES)).kind == ""


def test_one_far_cell_cannot_take_the_memory_of_the_process():
    """Laid out in full the sheet would have 17 billion cells; the library would end the process."""
    rows = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
    given = zipped(files_of({"a": sheet_of(rows)}))
    assert refused(topics, given) == [
        "f: the workbook needs too much memory or time to read; save its table as CSV"
    ]


def test_a_shared_text_cannot_be_repeated_without_bound():
    """A hundred thousand cells that all show one text of 100 kB: 10 GB, from less than 1 MB."""
    rows = "".join(f'<row r="{n}"><c r="A{n}" t="s"><v>0</v></c></row>' for n in range(1, 100_001))
    text = "".join(chr(97 + (n * n) % 26) for n in range(100_000))
    given = zipped(files_of({"a": sheet_of(rows)}, strings=f"<si><t>{text}</t></si>"))
    (reason,) = refused(topics, given)
    assert "too much memory" in reason or "more than the limit of 256 MB of text" in reason


def test_a_workbook_that_unpacks_to_too_much_is_not_opened():
    given = zipped(files_of({"a": sheet_of(" " * 20_000_000)}))
    (reason,) = refused(topics, given)
    assert "more than 200 times its size" in reason


def test_a_zip_of_one_table_is_that_table(tmp_path):
    path = tmp_path / "archive.zip"
    path.write_bytes(zipped({"data/grades.qrels": b"q1 0 d1 2\n", "__MACOSX/._grades.qrels": b"x"}))
    for given in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        assert [r.docno for r in qrels(given)] == ["d1"]


def test_a_zip_of_everything_holds_each_file_and_its_pictures_as_one_zip():
    png = picture()
    given = zipped(
        {
            "study/topics.tsv": b"t1\tWhich?\n",
            "study/book.xlsx": workbook(Grades=GRADES),
            "study/pictures/t1/a.png": png,
            "study/pictures/t2/b.png": png,
            "study/.DS_Store": b"x",
        }
    )
    found = contents("all.zip", given)
    assert list(found) == ["all.zip/study/topics.tsv", "all.zip/study/book.xlsx", "all.zip (pictures)"]
    assert found["all.zip/study/topics.tsv"] == b"t1\tWhich?\n"
    images = read_images_zip("p", found["all.zip (pictures)"], IMAGES)
    assert [(i.topic, i.docno) for i in images] == [("t1", "a"), ("t2", "b")]
    alone = io.BytesIO(zipped({"t1/a.png": png}))
    assert parts_of("p.zip", alone) == []
    assert alone.tell() == 0
    assert parts_of("p.txt", b"t1\tWhich?\n") == []
    reason = "it holds 3 files, study/topics.tsv, study/book.xlsx, f (pictures), and one is loaded at a time"
    with pytest.raises(BadFile) as several:
        topics(given)
    assert reason in str(several.value)


def test_files_in_a_zip_keep_to_the_bounds_of_files_alone():
    reason = "all.zip/b.zip: a zip within a zip; unpack it and load what is in it"
    assert refused(parts_of, "all.zip", zipped({"a.tsv": b"x", "b.zip": zipped({"c": b"x"})})) == [reason]
    (reason,) = refused(parts_of, "all.zip", zipped({"a.tsv": b"q1\tx\n" * 4_000_000}))
    assert "more than 200 times its size" in reason
    assert refused(parts_of, "all.zip", zipped({f"{n}.tsv": b"x" for n in range(401)})) == [
        "all.zip: more than 400 files besides pictures"
    ]
    assert refused(parts_of, "all.zip", zipped({"../a.tsv": b"x"})) == [
        "all.zip/../a.tsv: the name climbs out of the zip with .."
    ]
    assert refused(parts_of, "all.zip", b"PK\x03\x04 and no more")[0].startswith("all.zip: not a zip archive")


def test_a_damaged_file_in_a_zip_is_named():
    given = bytearray(zipped({"a.tsv": b"q1\tWhich?\n", "b.tsv": b"q2\tWhat?\n"}, zipfile.ZIP_STORED))
    given[given.index(b"What?")] = ord("w")
    with pytest.raises(BadFile, match=r"all\.zip/b\.tsv: the zip is damaged here"):
        contents("all.zip", bytes(given))


# Parquet


def test_a_parquet_file_is_read_as_its_rows():
    columns = {"topic": ["q1", "q2"], "text": ["Which fern?", "Why moss?"], "at": [date(2026, 5, 1), None]}
    found = read_table("topics", "t.parquet", parquet(columns), lambda rows: read_topics("t.parquet", rows))
    assert [one[:3] for one in found] == [("q1", "Which fern?", 2), ("q2", "Why moss?", 3)]


def test_a_damaged_parquet_file_is_refused_in_a_sentence():
    for content in (b"PAR1", parquet({"topic": ["q1"]})[:-20], b"PAR1" + b"\xff" * 500):
        with pytest.raises(BadFile, match="the Parquet file cannot be read"):
            read_table("topics", "f", content, lambda rows: read_topics("f", rows))
