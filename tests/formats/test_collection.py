"""Topics, items and grades: what is read, and each way in which a line can be wrong."""

import json

import pytest

from prefir.formats import Known, read_items, read_qrels, read_topics
from tests.public_data import DATA, needs_data

from .helpers import IMAGES, KNOWN, refused


def topics(data):
    return read_topics("topics.tsv", data)


def items(*objects):
    lines = "\n".join(o if isinstance(o, str) else json.dumps(o) for o in objects)
    return read_items("items.jsonl", lines.encode(), KNOWN)


def grades(text, known=KNOWN):
    return read_qrels("q.txt", text.encode(), known)


def test_topics_are_an_id_and_a_text():
    data = "t1\tWhat is a café?\r\n t2 \t What’s next? \r\n".encode()
    assert [one[:3] for one in topics(data)] == [("t1", "What is a café?", 1), ("t2", "What’s next?", 2)]


def test_every_bad_topic_is_named():
    long = "x" * 201
    data = f"t1 no tab\nt2\ta\tb\n\tno id\nt3\t \nt 4\ttext\nt5\tone\nt5\ttwo\n{long}\ttext\nt\x01\ttext\n"
    assert refused(topics, data.encode()) == [
        "topics.tsv, line 1: expected an id, one tab and the text; found no tab",
        "topics.tsv, line 2: expected an id, one tab and the text; found 2 tabs",
        "topics.tsv, line 3: the topic is empty",
        "topics.tsv, line 4: the text is empty",
        'topics.tsv, line 5: the topic "t 4" contains a space; ids are written without spaces',
        'topics.tsv, line 7: topic "t5" was already given on line 6',
        f'topics.tsv, line 8: the topic "{"x" * 57}..." has 201 characters; at most 200 are allowed',
        r'topics.tsv, line 9: the topic "t\x01" contains the control or invisible character U+0001',
    ]


def test_items_are_read_with_their_line_breaks():
    assert items({"docno": "d9", "topic": "t1", "text": " one\n\ntwo "}) == [("t1", "d9", "one\n\ntwo", 1)]


def test_one_docno_may_stand_in_two_topics():
    found = items(*({"docno": "d9", "topic": topic, "text": "x"} for topic in ("t1", "t2")))
    assert [(r.topic, r.docno) for r in found] == [("t1", "d9"), ("t2", "d9")]


GOOD = {"docno": "d1", "topic": "t1", "text": "x"}
TOO_MUCH = "not JSON that can be read: a number too long or brackets too deep"
NO_OBJECT = "not a JSON object; each line is one object with docno, topic and text"
NO_ID = "contains the control or invisible character"
TAKEN = 'an item cannot have the docno "tie": judgment files use this word for a tie'


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": }', "not JSON: Expecting value at character 7; each line is one JSON object"),
        ("[" * 100_000, TOO_MUCH),
        ('{"docno": ' + "9" * 5000 + "}", TOO_MUCH),
        ("[1]", NO_OBJECT),
        ("null", NO_OBJECT),
        (GOOD | {"title": "y"}, 'unknown key "title"; the keys are docno, topic and text'),
        ({"docno": "d1", "topic": "t1"}, 'the key "text" is missing'),
        (GOOD | {"docno": 7}, 'the value of "docno" is not a string in quotes'),
        (GOOD | {"text": None}, 'the value of "text" is not a string in quotes'),
        ('{"docno": "a", "docno": "b", "topic": "t1", "text": "x"}', 'the key "docno" is given twice'),
        (GOOD | {"docno": ""}, "the docno is empty"),
        (GOOD | {"docno": "d 1"}, 'the docno "d 1" contains a space; ids are written without spaces'),
        (GOOD | {"docno": "d\n1"}, rf'the docno "d\n1" {NO_ID} U+000A'),
        (GOOD | {"docno": "d\ud800"}, rf'the docno "d\ud800" {NO_ID} U+D800'),
        (GOOD | {"docno": "tie"}, TAKEN),
        (GOOD | {"topic": "t9"}, 'unknown topic "t9"; load it with the topics first'),
        (GOOD | {"text": " \n"}, "the text is empty"),
        (GOOD | {"text": "a\0b"}, "the text contains a NUL character"),
        (GOOD | {"text": "a\udc00"}, "the text contains half a character (U+DC00)"),
        (GOOD | {"text": "x" * 100_001}, "the text has 100,001 characters; at most 100,000 are allowed"),
    ],
)
def test_a_bad_item_says_what_is_wrong_and_the_good_one_before_it_is_not_returned(line, reason):
    assert refused(items, {"docno": "d2", "topic": "t1", "text": "fine"}, line) == [
        f"items.jsonl, line 2: {reason}"
    ]


def test_an_item_given_twice_names_the_first_line():
    assert refused(items, GOOD, GOOD | {"topic": "t2"}, GOOD) == [
        'items.jsonl, line 3: docno "d1" of topic "t1" was already given on line 1'
    ]


def test_texts_are_refused_where_images_are_compared():
    assert refused(read_items, "items.jsonl", json.dumps(GOOD).encode(), IMAGES) == [
        "items.jsonl: this study compares images; load a folder or a zip of images, not texts"
    ]


def test_grades_may_be_fractional_negative_and_of_items_not_seen_before():
    found = grades("t1 0 d1 20.0\nt1 Q0 d2 -2\nt2 0 new 1e-3\nt2 0 d1 +.5\n")
    assert [(r.topic, r.docno, r.grade) for r in found] == [
        ("t1", "d1", 20.0),
        ("t1", "d2", -2.0),
        ("t2", "new", 0.001),
        ("t2", "d1", 0.5),
    ]


@pytest.mark.parametrize("grade", ["nan", "inf", "-Infinity", "1e400", "1_0", "٣", "0x1", "one"])
def test_a_grade_that_is_no_finite_number_is_refused(grade):
    assert refused(grades, f"t1 0 d1 {grade}\n") == [
        f'q.txt, line 1: the grade "{grade}" is not a finite number'
    ]


def test_a_decimal_comma_is_told_how_to_mend():
    reason = 'the grade "1,5" is not a finite number; write decimals with a point, as 0.5'
    assert refused(grades, "t1 0 d1 1,5\n") == [f"q.txt, line 1: {reason}"]


def test_a_docno_too_long_or_called_tie_is_refused_in_grades():
    assert refused(grades, f"t1 0 {'d' * 201} 1\nt1 0 tie 1\nt1 0 {'d' * 200} 1\n") == [
        f'q.txt, line 1: the docno "{"d" * 57}..." has 201 characters; at most 200 are allowed',
        'q.txt, line 2: an item cannot have the docno "tie": judgment files use this word for a tie',
    ]


class TestCast:
    """TREC CAsT 2019; the counts are those that the data's README gives."""

    pytestmark = needs_data

    @pytest.fixture
    def known(self):
        found = read_topics("topics", DATA / "cast2019/evaluation_topics_annotated_resolved_v1.0.tsv")
        assert len(found) == 479
        assert found[0][:2] == ("31_1", "What is throat cancer?")
        return Known(topics={record.topic for record in found})

    @pytest.mark.parametrize(
        ("file", "best", "count"), [("2019qrels.txt", 4.0, 1618), ("TREC-CAsT-2019.qrels", 50.0, 265)]
    )
    def test_29350_grades_for_173_topics(self, known, file, best, count):
        """How many have the best grade was counted with `awk '$4 == best' | wc -l`."""
        found = read_qrels(file, DATA / "cast2019" / file, known)
        assert len(found) == 29_350
        assert len({record.topic for record in found}) == 173
        assert sum(record.grade == best for record in found) == count
        assert max(record.grade for record in found) == best

    def test_grades_with_crlf_line_ends(self, known):
        found = read_qrels("local", DATA / "cast2019/TREC-CAST-2019.local.qrels", known)
        assert len(found) == 173
        assert {record.grade for record in found} == {1.0}
