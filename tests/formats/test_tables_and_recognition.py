"""Tables and arrays read like the formats they stand for, and what a file is taken for by its content."""

import gzip
import io
import random
import zipfile

import pytest

from collection.upload.kinds import KINDS
from prefir.formats import BadFile, Known, read_items, read_qrels, read_table, read_topics, recognize
from prefir.formats.lines import BINARY
from prefir.formats.recognition import Guess

KNOWN = Known(topics={"q1", "q2"})


def topics(given: bytes):
    return read_table("topics", "f", given, lambda source: read_topics("f", source))


def items(given: bytes):
    return read_table("items", "f", given, lambda source: read_items("f", source, KNOWN))


def qrels(given: bytes):
    return read_table("qrels", "f", given, lambda source: read_qrels("f", source, KNOWN))


@pytest.mark.parametrize(
    "given",
    [
        b"q1\tWhich?\nq2\tWhat, then?\n",
        b'topic,text\nq1,Which?\nq2,"What, then?"\n',
        b'topic,text\rq1,Which?\rq2,"What, then?"\r',
        "\ufefftopic\ttext\r\nq1\tWhich?\r\nq2\tWhat, then?\r\n".encode("utf-16-le"),
        '\ufeff[{"qid": "q1", "query": "Which?"}, {"qid": "q2", "query": "What, then?"}]'.encode("utf-16-be"),
        b'\xef\xbb\xbfqid,lang,query\r\nq1,en,Which?\r\n\r\nq2,en,"What,\r\nthen?"\r\n',
        b'[{"topic": "q1", "text": "Which?"}, {"text": "What, then?", "topic": "q2", "more": 1}]',
        b'  [ {"query_id": "q1", "title": "Which?"},\n {"query_id": "q2", "title": "What,\\tthen?"}]\n',
    ],
)
def test_topics_are_the_same_however_they_come(given):
    assert [(t.topic, t.text) for t in topics(given)] == [("q1", "Which?"), ("q2", "What, then?")]


def test_items_keep_their_lines_and_grades_their_numbers():
    found = items(b'docid,qid,passage\nd1,q1,"One\nline, and another"\n')
    assert [(i.docno, i.topic, i.text) for i in found] == [("d1", "q1", "One\nline, and another")]
    rows = qrels(
        b'[{"qid": "q1", "docno": "d1", "relevance": 2}, {"qid": "q2", "docno": "d2", "relevance": "0.5"}]'
    )
    assert [(r.topic, r.docno, r.grade) for r in rows] == [("q1", "d1", 2.0), ("q2", "d2", 0.5)]


@pytest.mark.parametrize(
    ("read", "given", "said"),
    [
        (items, b'docno,topic,text\nd1,q1,"a\nb"\nd2,q9,x\n', 'line 4: unknown topic "q9"'),
        (items, b"docno,topic,text\nd1,q1\n", "line 2: it has 2 cells; the header has 3"),
        (qrels, b"topic,docno,grade\nq1,d1,good\n", 'line 2: the grade "good" is not a finite number'),
        (
            topics,
            b'[{"topic": "q1", "text": "x"}, {"topic": "q1", "text": "y"}]',
            'record 2: topic "q1" was already',
        ),
        (topics, b'[{"topic": "q1"}]', "record 1: it has not all of topic, text"),
        (topics, b"[1, 2]", "record 1: it is no object"),
        (topics, b'[{"topic": ', "not JSON"),
        (topics, b"[]", "the array is empty"),
        (topics, b"topic,text\n", "there is no row under the header"),
        (topics, b"topic,text\nq1,\xff\n", "not UTF-8: byte 0xff"),
    ],
)
def test_every_bad_row_is_named_where_it_stands(read, given, said):
    with pytest.raises(BadFile) as refused:
        read(given)
    assert said in str(refused.value)


@pytest.mark.parametrize("kind", ["topics", "items", "images", "qrels", "run", "grid"])
def test_the_examples_that_we_give_are_taken_for_what_they_are(kind):
    assert recognize(KINDS[kind].example()).kind == kind


def test_what_is_ambiguous_is_not_guessed():
    guess = recognize(KINDS["challenges"].example())
    assert (guess.kind, guess.others) == ("", ("judgments", "challenges"))
    assert recognize(KINDS["judgments"].example()).kind == "judgments"


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"topic,text\nq1,Which?\n", "topics"),
        (b"id,query\nq1,Which?\n", "topics"),
        (b"docno,topic,text,url\nd1,q1,x,u\n", "items"),
        (b"query_id,doc_id,relevance\nq1,d1,2\n", "qrels"),
        (b'[{"docno": "d1", "topic": "q1", "text": "x"}]', "items"),
        (b'{"topic": "q1", "text": "x"}\n', "topics"),
        (b"q1 0 d1 2\r\nq1 0 d2 0\r\n", "qrels"),
        (b"q1 Q0 d1 1 12.5 bm25\n", "run"),
        (b"q1 0 d1 1 12.5 bm25\n", "run"),
        (gzip.compress(b"q1 Q0 d1 1 12.5 bm25\n" * 9, mtime=0), "run"),
        (b"\xef\xbb\xbfq1\tWhich one, of all?\n", "topics"),
        (b"", ""),
        (b"\n\n", ""),
        (b"Some words that are nothing.\n", ""),
        (b"[not json", ""),
        ("\ufefftopic;query\r\nq1;Which?\r\n".encode("utf-16-le"), "topics"),
        (gzip.compress("\ufeffq1 0 d1 1\n".encode("utf-16-be"), mtime=0), "qrels"),
        (b"qid,query\rq1,Which?\r", "topics"),
        (b"q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 high\nq1 0 d4 0\n", "qrels"),
        (b"q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 high\n", "qrels"),
        (b"q1 0 d1 2\nq1 0 d2 high\n", ""),
        (b"q1 0 d1 2\nq1 0 d2 1\nq1 0 d3 high\nq1 0 d4 low\n", ""),
    ],
)
def test_files_are_taken_for_what_they_hold(head, kind):
    guess = recognize(head)
    assert guess.kind == kind
    assert guess.why


@pytest.mark.parametrize("size", [100, 1_000, 50_000])
def test_bytes_that_are_no_text_are_not_recognized(size):
    """Random ones hold tabs and line ends as well."""
    for seed in range(40):
        assert recognize(random.Random(seed).randbytes(size)) == Guess("", BINARY)
    assert recognize(bytes(size)) == Guess("", BINARY)
    # A text of another encoding stays what it is; reading it says how to save it.
    assert recognize("q1\tпочему небо синее?\n".encode("cp1251")).kind == "topics"


def test_a_zip_is_pictures():
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("q1/d1.png", b"x")
    assert recognize(packed.getvalue()).kind == "images"


def test_a_head_that_is_cut_off_within_a_line_is_no_reason_to_doubt():
    line = b"q1 Q0 d1 1 12.5 bm25\n"
    assert recognize((line * 4000)[: 64 * 1024]).kind == "run"


@pytest.mark.parametrize(
    ("table", "why"),
    [
        (
            "qid,question,system,output,ms,language\n1,Why?,a,Because.,9,en\n1,Why?,b,So.,8,en\n",
            "answers of models, in the columns qid (id of the prompt or topic), question (prompt or query), "
            "system (model), output (answer or passage); left out: ms",
        ),
        (
            "instruction,gpt,claude,topic area\n"
            + "".join(f"Why is {n} so odd?,Because {n} is.,So {n} was made.,home\n" for n in (1, 3, 5)),
            "instruction (prompt or query), and a column of answers for each of 2 models: gpt, claude; "
            "left out: topic area",
        ),
        (
            "prompt,model,answer\nWhy?,a,Because.\n",
            "answers of models, in the columns prompt (prompt or query), model (model), "
            "answer (answer or passage)",
        ),
    ],
)
def test_each_column_of_a_table_of_answers_is_told_also_those_left_out(table, why):
    assert recognize(table.encode()).why == why
