"""Tables as spreadsheets, data frames and public collections write them: read, or refused in words."""

import pytest

from prefir.formats import BadFile, recognize
from tests.formats.test_tables_and_recognition import items, qrels, topics

TOPICS = [("q1", "Which?"), ("q2", "What, then?")]
GRADES = [("q1", "d1", 2.0), ("q2", "d2", 1.0)]


@pytest.mark.parametrize(
    "given",
    [
        b"topic_id\tquery\nq1\tWhich?\nq2\tWhat, then?\n",
        b"topic_id;query\nq1;Which?\nq2;What, then?\n",
        b'sep=;\r\nqid;lang;query\r\nq1;en;"Which?"\r\nq2;en;"What, then?"\r\n',
        b'sep=,\nqid,query\nq1,Which?\nq2,"What, then?"\n',
        b'{"_id": "q1", "text": "Which?"}\n{"_id": "q2", "text": "What, then?", "metadata": {}}\n',
    ],
)
def test_topics_come_as_spreadsheets_and_collections_write_them(given):
    assert recognize(given).kind == "topics"
    assert [(t.topic, t.text) for t in topics(given)] == TOPICS


@pytest.mark.parametrize(
    "given",
    [
        b"query-id\tcorpus-id\tscore\nq1\td1\t2\nq2\td2\t1\n",
        b"query_id;doc_id;relevance;iteration\nq1;d1;2;0\nq2;d2;1;0\n",
        b"qid,docno,label\nq1,d1,2\nq2,d2,1\n",
    ],
)
def test_grades_come_as_collections_write_them(given):
    assert recognize(given).kind == "qrels"
    assert [(r.topic, r.docno, r.grade) for r in qrels(given)] == GRADES


def test_items_in_tabs_keep_their_quotation_marks():
    given = b'qid\tpid\tpassage\nq1\td1\tHe said "no\nq1\td2\t"Yes"\n'
    assert recognize(given).kind == "items"
    assert [(i.docno, i.text) for i in items(given)] == [("d1", 'He said "no'), ("d2", '"Yes"')]


def test_a_table_of_runs_is_not_taken_for_grades():
    assert recognize(b"qid,docno,score,rank\nq1,d1,7.5,1\n").kind == ""


def test_a_corpus_without_topics_is_not_taken_for_topics():
    given = b'{"_id": "d1", "title": "A leaf", "text": "A leaf is green.", "metadata": {}}\n'
    assert recognize(given).kind == ""
    assert "add the topic of each" in recognize(given).why
    with pytest.raises(BadFile, match="it has not all of topic, text"):
        topics(given)
    assert [i.docno for i in items(given.replace(b'"_id"', b'"topic": "q1", "_id"'))] == ["d1"]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("null", "null"),
        ("NaN", "not a number"),
        ("Infinity", "infinite"),
        ("true", "true"),
        ('["x", "y"]', "a list"),
        ('{"a": 1}', "an object"),
        ("8.0", '8.0, a number with a decimal point; write it in quotation marks, such as "8"'),
    ],
)
@pytest.mark.parametrize("form", ["{}\n", "[{}]"])
def test_what_is_no_id_is_refused_with_its_record_and_column(value, said, form):
    row = f'{{"doc_id": {value}, "topic_id": "q1", "text": "x"}}'
    place = "line 1" if form == "{}\n" else "record 1"
    with pytest.raises(BadFile) as wrong:
        items(form.replace("{}", row).encode())
    assert [f"{place}: the doc_id is {said}"] == [
        str(one).split("f, ")[-1].split("f: ")[-1] for one in wrong.value.problems
    ]


@pytest.mark.parametrize("value", ["null", "NaN", "false", '["x", "y"]', '{"a": 1}'])
def test_what_is_no_text_is_refused(value):
    for read, row in (
        (items, f'{{"doc_id": "d", "topic_id": "q1", "text": {value}}}'),
        (topics, f'{{"qid": "q1", "query": {value}}}'),
    ):
        with pytest.raises(BadFile, match=r"line 1: the (text|query) is"):
            read(f"{row}\n".encode())


def test_whole_numbers_are_ids_and_texts_as_they_are_written():
    given = b'{"doc_id": 8, "topic_id": "q1", "text": 7.5}\n'
    assert [(i.docno, i.text) for i in items(given)] == [("8", "7.5")]


def test_lines_are_those_of_the_file_also_after_the_line_that_says_what_separates():
    with pytest.raises(BadFile, match="line 3"):
        qrels(b"sep=;\nqid;docno;grade\nq1;d1;high\n")
