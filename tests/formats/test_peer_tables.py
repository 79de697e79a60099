"""Tables as spreadsheets, data frames and public collections write them: read, or refused in words."""

import pytest

from prefir.formats import (
    BadFile,
    Known,
    each_preference,
    read_answers,
    read_grid,
    read_judgments,
    read_preferences,
    read_run,
    read_table,
    recognize,
)
from tests.formats.test_tables_and_recognition import KNOWN, items, qrels, topics

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
    assert recognize(b"qid,docno,score,rank\nq1,d1,7.5,1\n").kind == "run"
    guess = recognize(b"qid,docno,score\nq1,d1,7.5\n")
    assert (guess.kind, guess.others) == ("", ("run", "qrels"))


@pytest.mark.parametrize("missing", ["NaN", "null", "None", "<NA>", ""])
def test_what_is_missing_in_a_table_is_no_id_and_no_grade(missing):
    said = "is empty" if not missing else f'is "{missing}", as programs write what is missing'
    for given, column in (
        (f"topic,docno,grade\nq1,d1,1\nq1,{missing},2\n", "docno"),
        (f"topic,docno,grade\nq1,d1,1\nq1,d2,{missing}\n", "grade"),
    ):
        with pytest.raises(BadFile, match=f"^f, line 3: the {column} {said}$"):
            qrels(given.encode())
    with pytest.raises(BadFile, match=f"^f, line 2: the (qid|topic) {said}$"):
        topics(f"qid,query\n{missing},Which?\n".encode())
    with pytest.raises(BadFile, match=f"^f, line 2: the (doc_id|docno) {said}$"):
        items(f"doc_id,topic,text\n{missing},q1,x\n".encode())


def test_a_decimal_comma_is_named():
    with pytest.raises(
        BadFile, match='line 2: the grade "0,5" is not a finite number; write decimals with a point'
    ):
        qrels(b"topic;docno;grade\nq1;d1;0,5\n")


def test_an_id_with_a_space_in_a_table_of_grades_is_named_and_not_cut():
    with pytest.raises(BadFile, match='line 2: the docno "d 1" contains a space'):
        qrels(b"topic,docno,grade\nq1,d 1,2\n")


def votes(given: str):
    found = read_table("judgments", "f", given.encode(), lambda rows: read_preferences("f", rows, KNOWN))
    return [(r.topic, r.a, r.b, r.winner, r.assessor, r.strength) for r in found]


def test_votes_keep_their_assessors_and_strengths_where_they_are_given():
    given = "topic,docno_a,docno_b,winner,assessor,strength\nq1,d1,d2,d2,anna,2\nq1,d1,d2,tie,,\n"
    assert votes(given) == [("q1", "d1", "d2", "d2", "anna", 2), ("q1", "d1", "d2", None, None, None)]


def test_a_docno_that_also_means_a_side_is_not_guessed():
    with pytest.raises(BadFile, match='line 2: the winner "b" is a docno and means the other side'):
        votes("topic,a,b,winner\nq1,b,a,b\n")
    assert votes("topic,a,b,winner\nq1,a,b,b\n") == [("q1", "a", "b", "b", None, None)]


def test_a_winner_that_is_none_of_the_two_is_named_in_its_line_also_where_lines_are_read_one_by_one():
    known = KNOWN
    found = read_table(
        "judgments", "f", b"topic,a,b,winner\nq1,d1,d2,d3\n", lambda rows: each_preference("f", rows, known)
    )
    with pytest.raises(BadFile, match=r'^f, line 2: the winner "d3" is neither "d1" nor "d2"'):
        list(found)


@pytest.mark.parametrize(
    ("name", "tag"),
    [("bm25.csv", "bm25"), ("my run.csv.gz", "my-run"), ("a.b.csv", "a.b"), ("run", "run")],
)
def test_a_run_without_a_tag_is_named_after_its_file(name, tag):
    given = b"topic,docno,rank\nq1,d1,1\nq1,d2,2\n"
    found = read_table("run", name, given, lambda rows: read_run(name, rows, KNOWN))
    assert (found.tag, found.rankings) == (tag, {"q1": ["d1", "d2"]})


def test_a_table_of_several_runs_is_refused():
    given = b"topic,docno,rank,system\nq1,d1,1,x\nq1,d1,1,y\n"
    with pytest.raises(BadFile, match='line 3: the tag "y" differs from "x" above; a file holds one run'):
        read_table("run", "f", given, lambda rows: read_run("f", rows, KNOWN))


def test_a_corpus_without_topics_is_not_taken_for_topics():
    given = b'{"_id": "d1", "title": "A leaf", "text": "A leaf is green.", "metadata": {}}\n'
    assert recognize(given).kind == ""
    assert "add the column topic" in recognize(given).why
    with pytest.raises(BadFile, match="passages that name no topic"):
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


def test_records_of_a_table_have_the_lines_of_their_rows():
    given = b"sep=;\nqid;docno;grade\nq1;d1;2\n\nq2;d2;1\n"
    assert [one.line for one in qrels(given)] == [3, 5]
    rows = b"topic,a,b,winner\nq1,d1,d2,d1\n"
    found = read_table("judgments", "f", rows, lambda given: each_preference("f", given, KNOWN))
    assert [one.line for one in found] == [2]


@pytest.mark.parametrize("mark", ["\t", ",", ";"])
def test_a_header_of_which_one_name_is_unknown_is_no_record(mark):
    given = f"identifier{mark}question\nq1{mark}Which?\nq2{mark}What?\n".encode()
    said = "the columns identifier, question: rename them: topics have topic and text"
    assert recognize(given).kind == ""
    assert recognize(given).why.startswith(said)
    for read in (topics, items, qrels):
        with pytest.raises(BadFile, match=f"^f: {said}"):
            read(given)


def test_a_first_topic_that_asks_for_a_word_that_columns_have_is_a_record():
    assert [(t.topic, t.text) for t in topics(b"31\tmodel\n32\ttitle\n")] == [
        ("31", "model"),
        ("32", "title"),
    ]
    assert recognize(b"31\tmodel\n32\ttitle\n").kind == "topics"


def test_what_a_file_is_taken_for_by_short_texts_is_said():
    assert "short texts beside an id are taken for topics" in recognize(b'{"_id": "1", "text": "A?"}\n').why


def test_grids_come_in_tables_with_the_lines_of_their_rows():
    def grid(given):
        return read_table("grid", "f", given, lambda rows: read_grid("f", rows, KNOWN)).rankings

    plain = b"topic\tdocno\trow\tcolumn\nq1\td1\t0\t0\nq1\td2\t0\t1\n"
    assert grid(plain) == read_grid("f", plain, KNOWN).rankings
    assert grid(b"QID;Column;Row;Doc ID\nq1;1;0;d2\nq1;0;0;d1\n") == grid(plain)
    assert recognize(b"qid,docno,row,column\nq1,d1,0,0\n").kind == "grid"
    with pytest.raises(BadFile, match=r'^f, line 3: unknown topic "q9"'):
        grid(b"topic,docno,row,column\nq1,d1,0,0\nq9,d1,0,0\n")


@pytest.mark.parametrize(
    ("winner", "won"), [("model_b", "GPT-4"), ("Claude 3.5  Sonnet", "Claude-3.5-Sonnet"), ("both_bad", None)]
)
def test_votes_name_models_with_blanks_as_their_answers_are_named(winner, won):
    answers = "prompt_id,prompt,model,response\nq1,Why?,Claude 3.5 Sonnet,So.\nq1,Why?,GPT 4,No.\n"
    loaded = read_answers("a.csv", answers.encode(), Known(topics={}, items={}))
    votes = f"prompt_id,model_a,model_b,winner\nq1,Claude 3.5 Sonnet,GPT 4,{winner}\n"
    items = {"q1": {one.docno for one in loaded.items}}
    (found,) = read_judgments("v.csv", votes.encode(), Known(topics={"q1"}, items=items))
    assert (found.a, found.b, found.winner) == ("Claude-3.5-Sonnet", "GPT-4", won)
