"""`prefir.read`: every kind of file in every form gives the same, told by looking; or one sentence."""

import gzip
import io
import os
import sys
import threading
from types import SimpleNamespace

import pandas
import pytest

import prefir

QRELS = "t1 0 a 2\nt1 0 b 0\nt2 0 c 1\n"
RUN = "t1 Q0 b 1 2.5 bm25\nt1 Q0 a 2 1 bm25\nt2 Q0 c 1 1 bm25\n"
PREFS = "t1 a b a kim\nt1 b c tie kim\n"
VOTES = "model_a,model_b,winner\nx,y,model_a\ny,z,tie\n"
GRADES = {"t1": {"a": 2, "b": 0}, "t2": {"c": 1}}
RANKINGS = {"bm25": {"t1": ["b", "a"], "t2": ["c"]}}


def plain(found):
    """What was read, for comparison."""
    if isinstance(found, prefir.Preferences):
        return [one[:5] for one in found.records]
    return {key: dict(value) for key, value in found.items()}


JUDGED = [("t1", "a", "b", "a", "kim"), ("t1", "b", "c", None, "kim")]
KINDS = [
    (QRELS, GRADES),
    (RUN, RANKINGS),
    (PREFS, JUDGED),
    ("t1 a b\nt1 c b\n", [("t1", "a", "b", "a", None), ("t1", "c", "b", "c", None)]),
    (VOTES, [("2", "x", "y", "x", None), ("3", "y", "z", None, None)]),
    ("qid,docno,label\nt1,a,2\nt1,b,0\nt2,c,1\n", GRADES),
    (
        '{"question_id": "q1", "model_a": "x", "model_b": "y", "winner": "model_b", "judge": "kim"}\n',
        [("q1", "x", "y", "y", "kim")],
    ),
    ("winner,loser\nx,y\nz,x\n", [("2", "x", "y", "x", None), ("3", "z", "x", "z", None)]),
]


WAYS = ["path", "text", "gzip", "stdin", "pipe", "comments"]
READ = [(*kind, way) for kind in KINDS for way in WAYS if way != "comments" or "," not in kind[0]]


@pytest.mark.parametrize(("text", "expected", "way"), READ)
def test_a_file_is_read_for_what_it_holds_by_every_way(tmp_path, monkeypatch, text, expected, way):
    data = text.encode()
    if way == "comments":
        data = b"# made today\n" + data.replace(b"\n", b"\n  # another\n", 1)
    path = tmp_path / "file"
    source = path
    if way == "stdin":
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        source = "-"
    elif way == "pipe":
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(data,), daemon=True).start()
    else:
        path.write_bytes(gzip.compress(data) if way == "gzip" else data)
    assert plain(prefir.read(str(source) if way == "text" else source)) == expected


FRAMES = [
    ({"qid": ["t1", "t1", "t2"], "docno": ["a", "b", "c"], "label": [2, 0, 1]}, GRADES),
    (  # as PyTerrier has results
        {
            "qid": ["t1", "t1", "t2"],
            "docid": [7, 8, 9],
            "docno": ["b", "a", "c"],
            "rank": [0, 1, 0],
            "score": [2.5, 1.0, 1.0],
            "tag": ["bm25"] * 3,
        },
        RANKINGS,
    ),
    (
        {"model_a": ["x", "y"], "model_b": ["y", "z"], "winner": ["a", "tie"]},
        [("1", "x", "y", "x", None), ("2", "y", "z", None, None)],
    ),
]


@pytest.mark.parametrize(("columns", "expected"), FRAMES)
def test_a_frame_is_read_for_what_it_holds(columns, expected):
    assert plain(prefir.read(pandas.DataFrame(columns))) == expected


def test_ids_may_be_as_long_and_as_odd_as_the_field_has_them(tmp_path):
    """URLs as docnos, the word of ties, ranks that are none, and two runs in a file."""
    url = "https://example.org/" + "x" * 400
    (tmp_path / "qrels").write_text(f"t1 0 {url} 1\nt1 0 tie 2\n")
    assert prefir.read(tmp_path / "qrels") == {"t1": {url: 1, "tie": 2}}
    lines = f"t1 Q0 {url} 1.0 3 one\nt1 Q0 tie -1 2 two\nt1 Q0 tie 2 2 one\n"
    (tmp_path / "run").write_text(lines)
    assert prefir.read(tmp_path / "run") == {"one": {"t1": [url, "tie"]}, "two": {"t1": ["tie"]}}


def test_what_follows_the_tag_of_a_run_is_left_out(tmp_path):
    """trec_eval's own test has such a run. A docno with a blank, which moves the rank, is refused."""
    path = tmp_path / "run"
    path.write_text("t1\tQ0\td2\t1\t 2.5\tbm25 more to say\nt1\tQ0\td1\t2\t 1.5\tbm25 again\n")
    found = prefir.read(path)
    assert {run: dict(topics) for run, topics in found.items()} == {"bm25": {"t1": ["d2", "d1"]}}
    path.write_text("t1 Q0 my doc 1 0.5 bm25\nt1 Q0 my other 2 0.4 bm25\n")
    with pytest.raises(prefir.BadFile, match=r'line 1: the rank "doc" is not a whole number from 0 up'):
        prefir.read(path, kind="run")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("t1 0 a 1\nt1 0 a 2\n", 'line 2: docno "a" of topic "t1" was already graded on line 1'),
        ("t1 a b a\nt1 a tie a\nt1 b c c kim\n", 'an item cannot have the docno "tie"'),
        ("t1\twhat is it?\n", "no grades, run, preferences or votes: an id, a tab and a text: topics"),
        ("", "the file is empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(tmp_path, text, said):
    (tmp_path / "file").write_text(text)
    with pytest.raises(prefir.BadFile) as refused:
        prefir.read(tmp_path / "file")
    assert said in str(refused.value)


def test_the_kind_is_asked_for_where_looking_does_not_tell(tmp_path):
    (tmp_path / "file").write_text('{"t1": {"a": 1.5}}')
    with pytest.raises(ValueError, match='say which by kind="run" or kind="grades"'):
        prefir.read(tmp_path / "file")
    assert prefir.read(tmp_path / "file", kind="grades") == {"t1": {"a": 1.5}}
    assert prefir.read(tmp_path / "file", kind="run") == {"file": {"t1": ["a"]}}
    with pytest.raises(ValueError, match="the kinds are grades, run, preferences, votes"):
        prefir.read(tmp_path / "file", kind="qrels")
    with pytest.raises(TypeError, match="a path or a data frame is read, no int"):
        prefir.read(7)
    with pytest.raises(ValueError, match="a frame with the columns x, y holds no grades"):
        prefir.read(pandas.DataFrame({"x": [1], "y": [2]}))
