"""A small track as files, and a way to call the program and see its lines."""

from types import SimpleNamespace

import pytest

from prefir.cli.program import main
from prefir.measures.scores import Line
from tests.public_data import DATA, needs_data

IMAGES, CAST = DATA / "image-preferences", DATA / "cast2019"

QRELS = "t1 0 a 3\nt1 0 b 1\nt1 0 c 0\nt1 0 d 2\nt2 0 a 1\nt2 0 b 0\nt2 0 e 2\n"
PREFS = "t1 a b a\nt1 a b b\nt1 b c b\nt1 d a d\nt2 a b tie\nt2 e a e\nt2 e a e\n"
RUNS = {
    "one": {"t1": ["b", "a", "x", "d"], "t2": ["a", "e", "b"]},
    "two": {"t1": ["c", "d", "a"], "t2": ["x", "b", "a", "e"]},
}


def on_data(test):
    """Marks a test that reads the public data."""
    for mark in needs_data:
        test = mark(test)
    return test


def trec(rankings, tag):
    """A run file's text, every score below the one before."""
    return "".join(
        f"{topic} Q0 {docno} {rank} {-rank} {tag}\n"
        for topic, ranking in rankings.items()
        for rank, docno in enumerate(ranking, 1)
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder, with qrels, prefs, and the runs one and two."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "prefs").write_text(PREFS)
    for tag, rankings in RUNS.items():
        (tmp_path / tag).write_text(trec(rankings, tag))
    return tmp_path


@pytest.fixture
def call(capsys):
    """A function: run a command line; gives code, out (lines as they are), err, and lines as `Line`s."""

    def run(words):
        code = main(words.split())
        out, err = capsys.readouterr()
        lines = []
        if not code and "--json" not in words and "-h" not in words.split():
            for line in out.splitlines():
                run, topic, measure, value = line.split("\t")
                lines.append(Line(run, topic, measure, float(value)))
        return SimpleNamespace(code=code, out=out, err=err, lines=lines)

    return run


@pytest.fixture
def values(folder, call):
    """A function: run a command line that must succeed; gives (run, topic, measure) -> value."""

    def run(words):
        result = call(words)
        assert result.code == 0, result.err
        found = {line[:3]: line.value for line in result.lines}
        assert len(found) == len(result.lines) > 0
        return found

    return run
