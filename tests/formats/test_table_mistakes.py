"""Tables that are packed or written line by line are read as the others; a mistake is named by its line."""

import gzip
import json

import pytest

from prefir.formats import BadFile, Known, read_items, read_qrels, read_table, read_topics, recognize

CSV = b'topic,text\nq1,"Which, of both?"\nq2,What next?\n'
ARRAY = b'[{"id": "q1", "text": "Which, of both?"}, {"id": "q2", "text": "What next?"}]'
LINES = b'{"id": "q1", "text": "Which, of both?"}\n{"id": "q2", "text": "What next?"}\n'
NO_END = "a quotation mark opens a text here that does not end"


def packed(raw: bytes) -> bytes:
    return gzip.compress(raw, mtime=0)


def topics(raw: bytes) -> list[tuple[str, str]]:
    records = read_table("topics", "t", raw, lambda given: read_topics("t", given))
    return [(record.topic, record.text) for record in records]


@pytest.mark.parametrize("raw", [CSV, ARRAY, LINES, packed(CSV), packed(ARRAY), packed(LINES)])
def test_the_same_topics_in_every_form_packed_or_not(raw):
    assert recognize(raw).kind == "topics"
    assert topics(raw) == [("q1", "Which, of both?"), ("q2", "What next?")]


def test_grades_and_passages_come_in_lines_of_json_with_other_names():
    known = Known(topics={"q1"}, items={"q1": {"d1"}}, new_items=True)
    raw = b'{"qid": "q1", "docid": "d1", "rel": 2}\n'
    [grade] = read_table("qrels", "g", raw, lambda given: read_qrels("g", given, known))
    assert (grade.topic, grade.docno, grade.grade) == ("q1", "d1", 2)
    raw = b'{"pid": "d7", "qid": "q1", "passage": "A\\nB"}\n'
    [item] = read_table("items", "i", raw, lambda given: read_items("i", given, known))
    assert (item.topic, item.docno, item.text) == ("q1", "d7", "A\nB")


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (
            CSV + b'q3,"never ended\nq4,next\nq5,last\n',
            f"t, line 4: {NO_END}",
        ),
        (
            b'topic,text\nq1,"' + b"x\n" * 70_000,
            f"t, line 2: {NO_END}",
        ),
        (b'topic,text\nq1,"a"b\n', "t, line 2: not CSV"),
        (b"topic,text,TEXT\nq1,a,b\n", "t, line 1: the header has the column TEXT twice"),
        (b'[{"id": "q1", "id": "q2", "text": "x"}]', '"id"'),
        (LINES + b'{"id": "q3"\n', "t, line 3: not JSON"),
        (LINES + b'{"id": "q3"}\n', "t, line 3: it has not all of topic, text"),
        (LINES + b"[1]\n", "t, line 3: it is no object"),
        (LINES + b'{"id": "q1", "text": "again"}\n', "line 3"),
        (b'[{"id": "q1", "text": ' + b"9" * 5000 + b"}]", "a number too long"),
        (
            LINES + b'{"id": "q3", "text": ' + b"[" * 100_000 + b"\n",
            "t, line 3: not JSON that can be read: brackets",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_line(raw, said):
    with pytest.raises(BadFile) as wrong:
        topics(raw)
    assert said in str(wrong.value)


def test_a_first_passage_of_the_greatest_length_is_recognized():
    text = "\u3042" * 90_000
    for escaped in (True, False):
        raw = json.dumps({"docno": "d", "text": text, "topic": "q"}, ensure_ascii=escaped).encode() + b"\n"
        assert recognize(raw).kind == "items"


def test_signs_inside_of_a_text_end_no_line():
    raw = '{"docno": "d", "topic": "q", "text": "one\u2028two\x85three"}\n'.encode()
    assert recognize(raw).kind == "items"
    assert recognize("q1\tone\u2028two\nq2\tthree\x85four\n".encode()).kind == "topics"
