"""Preference judgments, challenges and scores: what is read, and each way in which a line can be wrong."""

import pytest

from prefir.formats import Known, read_challenges, read_preferences, read_qrels, read_scores
from tests.public_data import DATA, needs_data

from .helpers import CLOSED, KNOWN, refused


def preferences(text, known=KNOWN):
    return read_preferences("p.txt", text.encode(), known)


def challenges(text, known=KNOWN):
    return read_challenges("c.txt", text.encode(), known)


def scores(text, header="run,topic,measure,p,value\n"):
    return read_scores("s.csv", (header + text).encode())


def test_judgments_have_a_winner_or_tie_and_may_name_an_assessor():
    assert preferences("t1 d1 d2 d2\nt1 d1 d2 tie ann\nt2 x y x\n") == [
        ("t1", "d1", "d2", "d2", None, 1, None),
        ("t1", "d1", "d2", None, "ann", 2, None),
        ("t2", "x", "y", "x", None, 3, None),
    ]


def test_every_bad_judgment_is_named():
    text = (
        "t1 d1 d2 d3\nt1 d1 d1 d1\nt9 d1 d2 d1\nt1 d1 d2\nt1 d1 d2 d1 ann twice\n"
        "t1 tie d1 tie\nt1 d1 d2 TIE\nt1 d1 d2 d1 " + "x" * 201 + "\n"
    )
    assert refused(preferences, text) == [
        'p.txt, line 1: the winner "d3" is neither "d1" nor "d2" nor the word tie',
        'p.txt, line 2: docno "d1" is compared with itself',
        'p.txt, line 3: unknown topic "t9"; load it with the topics first',
        "p.txt, line 4: 3 fields where 4, 5 or 6 are expected: "
        "topic a b winner, then an assessor's label and a strength if you like",
        'p.txt, line 5: the strength "twice" is not 1, 2 (definitely), or 0 with a tie',
        'p.txt, line 6: an item cannot have the docno "tie": judgment files use this word for a tie',
        'p.txt, line 7: the winner "TIE" is neither "d1" nor "d2" nor the word tie',
        f'p.txt, line 8: the assessor "{"x" * 57}..." has 201 characters; at most 200 are allowed',
    ]


def test_unknown_items_are_refused_only_where_the_study_is_closed():
    text = "t1 d1 x x\nt2 d2 d3 d2\nt1 d1 d2 d1\n"
    assert len(preferences(text)) == 3
    assert refused(preferences, text, CLOSED) == [
        'p.txt, line 1: topic "t1" has no item "x"; load the items first',
        'p.txt, line 2: topic "t2" has no item "d2" and "d3"; load the items first',
    ]


def test_challenges_have_no_ties_and_each_pair_once():
    assert [r.winner for r in challenges("t1 d1 d2 d2\nt1 d1 d3 d1\nt2 d1 d2 d1\n")] == ["d2", "d1", "d1"]
    assert refused(challenges, "t1 d1 d2 d2\nt1 d1 d3 tie\nt1 d2 d1 d1\nt1 x x x\n") == [
        'c.txt, line 2: a challenge has a known winner; a tie cannot be one',
        "c.txt, line 3: this pair was already given on line 1",
        'c.txt, line 4: docno "x" is compared with itself',
    ]  # fmt: skip


def test_unknown_items_in_challenges_are_refused_where_the_study_is_closed():
    assert refused(challenges, "t1 d1 x x\n", CLOSED) == [
        'c.txt, line 1: topic "t1" has no item "x"; load the items first'
    ]


def test_scores_tell_absent_from_zero_and_quoted_names_apart():
    assert scores('bm25,t1,PGC,0.95,0\n"a, ""b""",,nDCG@10,,\n') == [
        ("bm25", "t1", "PGC", 0.95, 0.0, 2),
        ('a, "b"', None, "nDCG@10", None, None, 3),
    ]


def test_every_bad_score_is_named():
    text = (
        "r,t1,PGC,0.95,1\nr,t1,PGC,0.95\n"
        ",t1,PGC,.9,1\nr,t1,,.9,1\nr,t 1,PGC,.9,1\nr,t1,PGC,1,1\nr,t1,PGC,x,1\n"
        'r,t1,PGC,.9,nan\nr,t1,PGC,0.950,0\nr,"t1,PGC,.9,1\nr\t,t2,PGC,.9,1\n"r"x,t2,PGC,.9,1\n'
    )
    assert refused(scores, text) == [
        "s.csv, line 3: not 5 cells between commas: run,topic,measure,p,value",
        "s.csv, line 4: the run is empty",
        "s.csv, line 5: the measure is empty",
        's.csv, line 6: the topic "t 1" contains a space; ids are written without spaces',
        's.csv, line 7: p is "1", not a number between 0 and 1',
        's.csv, line 8: p is "x", not a number between 0 and 1',
        's.csv, line 9: the value "nan" is not a finite number',
        "s.csv, line 10: this run, topic, measure and p were already given on line 2",
        "s.csv, line 11: not 5 cells between commas: run,topic,measure,p,value",
        r's.csv, line 12: the run "r\t" contains the control or invisible character U+0009',
        "s.csv, line 13: not 5 cells between commas: run,topic,measure,p,value",
    ]


def test_scores_need_their_header_and_a_line_after_it():
    assert refused(scores, "r,t1,PGC,.9,1\n", header="") == [
        "s.csv, line 1: the first line must be the header run,topic,measure,p,value"
    ]
    assert refused(scores, "") == ["s.csv: nothing follows the header"]


class TestCast:
    """TREC CAsT 2019; the counts are those that the data's README gives."""

    pytestmark = needs_data

    @pytest.mark.parametrize(
        ("file", "count"), [("TREC-CAsT-2019.pref", 14_573), ("TREC-CAsT-2019.local.pref", 3_743)]
    )
    def test_every_judgment_is_of_graded_items(self, file, count):
        with (DATA / "cast2019/2019qrels.txt").open() as lines:
            topics = {line.split()[0] for line in lines}
        items: dict[str, set[str]] = {}
        for record in read_qrels("q", DATA / "cast2019/2019qrels.txt", Known(topics=topics)):
            items.setdefault(record.topic, set()).add(record.docno)
        known = Known(topics=topics, items=items, new_items=False)
        found = read_preferences(file, DATA / "cast2019" / file, known)
        assert len(found) == count
        assert all(record.winner in (record.a, record.b) for record in found)


def test_the_strength_follows_the_label_and_agrees_with_the_winner():
    """0 for a tie, else 1 or 2; without the column it is not known."""
    text = "t1 d1 d2 d1 ann 2\nt1 d1 d2 d2 ann 1\nt1 d1 d2 tie ann 0\nt1 d1 d2 d1 ann\n"
    assert [record.strength for record in preferences(text)] == [2, 1, 0, None]
    wrong = "t1 d1 d2 d1 ann 0\nt1 d1 d2 tie ann 1\nt1 d1 d2 d1 ann 3\n"
    assert refused(preferences, wrong) == [
        f'p.txt, line {line}: the strength "{strength}" is not 1, 2 (definitely), or 0 with a tie'
        for line, strength in ((1, 0), (2, 1), (3, 3))
    ]
