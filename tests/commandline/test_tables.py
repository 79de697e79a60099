"""Runs, grades and answers as tables give the values that the same files of TREC give."""

from tests.formats.workbooks import workbook

from .conftest import PREFS, QRELS, RUNS


def test_tables_and_workbooks_give_the_same_values(values, folder):
    expected = values("compatibility qrels one two --per-topic")
    rows = [line.split() for line in QRELS.splitlines()]
    grades = [["topic", "docno", "grade"], *([topic, docno, int(grade)] for topic, _, docno, grade in rows)]
    (folder / "grades.xlsx").write_bytes(workbook(Sheet1=grades))
    for name, rankings in RUNS.items():
        ranked = [
            f"{topic},{docno},{rank},{name}\n"
            for topic, docnos in rankings.items()
            for rank, docno in enumerate(docnos)
        ]
        (folder / f"{name}.csv").write_text("".join(["qid,docno,rank,system\n", *ranked]), "utf-8")
    assert values("compatibility grades.xlsx one.csv two.csv --per-topic") == expected
    votes = "".join(line.replace(" ", ";") + "\n" for line in PREFS.splitlines())
    (folder / "votes.csv").write_text(f"topic;docno_a;docno_b;winner\n{votes}", "utf-16")
    assert values("pgc votes.csv one.csv two.csv") == values("pgc prefs one two")
