"""The public layouts of rankings, grades, answers and votes: each read with its values, or refused with how
to mend it.
"""

import re
from pathlib import Path

import pytest

from prefir.formats import (
    BadFile,
    Known,
    parts_of,
    read_answers,
    read_items,
    read_preferences,
    read_qrels,
    read_run,
    read_table,
    read_topics,
    recognize,
    topic_by_text,
)
from tests.formats.layouts import LAYOUTS

KNOWN = Known(topics={"q1", "q2"})
TEXTS = {"Which fern?": "q1", "Why moss?": "q2"}
KINDS = ("topics", "items", "qrels", "run", "judgments")


def read(kind: str, name: str, given: bytes):
    if kind == "topics":
        return [
            (r.topic, r.text) for r in read_table(kind, name, given, lambda rows: read_topics(name, rows))
        ]
    if kind == "items":
        items = read_table(kind, name, given, lambda rows: read_items(name, rows, KNOWN))
        return [(r.topic, r.docno, r.text) for r in items]
    if kind == "answers":
        answers = read_answers(name, given, KNOWN)
        prompts = [(r.topic, r.text) for r in answers.prompts]
        texts = [(r.topic, r.docno, r.text) for r in answers.items]
        assert {r.docno for r in answers.items} == answers.rankings.keys()
        return prompts, texts, [(r.topic, r.a, r.b, r.winner) for r in answers.votes]
    if kind == "qrels":
        grades = read_table(kind, name, given, lambda rows: read_qrels(name, rows, KNOWN))
        return [(r.topic, r.docno, r.grade) for r in grades]
    if kind == "run":
        return read_table(kind, name, given, lambda rows: read_run(name, rows, KNOWN)).rankings
    by_text = topic_by_text(KNOWN, TEXTS)
    found = read_table(kind, name, given, lambda rows: read_preferences(name, rows, KNOWN), topic_of=by_text)
    return [(r.topic, r.a, r.b, r.winner) for r in found]


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
def test_a_layout_is_read_with_its_values_or_refused_with_how_to_mend_it(layout):
    if layout.kind and not isinstance(layout.loaded, str):
        assert read(layout.kind, layout.file, layout.content) == layout.loaded
        return
    for kind in [layout.kind] if layout.kind else KINDS:
        with pytest.raises(BadFile) as refused:
            read(kind, layout.file, layout.content)
        assert layout.loaded in str(refused.value)
        assert len(refused.value.problems) == 1


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
def test_a_layout_is_recognized_or_asked_about_or_told_how_to_mend(layout):
    # Tables of other programs come out of them as text.
    parts = parts_of(layout.file, layout.content)
    guess = recognize(parts[0].open().read() if parts else layout.content)
    if not layout.kind:
        assert (guess.kind, guess.others) == ("", ())
        assert layout.loaded in guess.why
    elif layout.asked:
        assert (guess.kind, guess.others) == ("", layout.asked)
    else:
        assert guess.kind == layout.kind


def test_the_table_of_layouts_in_the_documentation_has_each_of_them_and_what_it_becomes():
    text = Path(__file__).parents[2].joinpath("docs", "layouts.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|", text, re.M))
    assert {one.name for one in LAYOUTS} <= rows.keys()
    for one in LAYOUTS:
        refused = not one.kind or isinstance(one.loaded, str)
        assert rows[one.name].startswith("refused") == refused, one.name
        if not refused:
            assert rows[one.name].split(",")[0] == one.kind, one.name
        assert ("asked" in rows[one.name]) == bool(one.asked), one.name


HEADED = {one.name: one for one in LAYOUTS}
MENDED = [
    ("MS MARCO top1000.tsv", "items", lambda given: b"qid\tpid\tquery\tpassage\n" + given),
    ("MS MARCO run (Anserini, Pyserini)", "run", lambda given: b"qid\tdocno\trank\n" + given),
    ("Amazon ESCI", "qrels", lambda given: given.replace(b",split", b",grade").replace(b",train", b",3")),
    (
        "Winners and losers without topics",
        "judgments",
        lambda given: given.replace(b"winner", b"topic,winner").replace(b"m2", b"q1,m2"),
    ),
    ("BEIR corpus.jsonl", "items", lambda given: given.replace(b'{"_id"', b'{"topic": "q1", "_id"')),
    ("MT-bench votes in several turns", "judgments", lambda given: given.replace(b'"q1"', b'"q2"', 1)),
]


@pytest.mark.parametrize(("name", "kind", "mend"), MENDED, ids=[one[0] for one in MENDED])
def test_what_is_mended_as_the_sentence_says_is_read(name, kind, mend):
    given = mend(HEADED[name].content)
    assert given != HEADED[name].content
    assert read(kind, HEADED[name].file, given)
    guess = recognize(given)
    assert kind in (guess.kind, *guess.others)
