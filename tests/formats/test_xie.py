"""The image data set of Xie et al. in its own formats."""

import json
from collections import Counter

import pytest

from prefir.formats import (
    SerpPreferenceRecord,
    known_of,
    read_xie_annotations,
    read_xie_positions,
    read_xie_relevance,
    read_xie_serp_preferences,
    write_xie_serp_preferences,
)
from tests.public_data import DATA, needs_data

from .helpers import refused

A, B = "baidu/q_0.jpg", "sogou/q_0.jpg"
PLACES = {"q": {"0": {"0": [0, 0, 1]}, "1": {"0": [0, 0, 2], "7": [0, 1, 2], "1": [1, 0, 1]}}}


Q0 = ': query "q", engine 0'
NO_PLACE = "the place is not [row, column, images in the row]"


def positions(queries):
    text = queries if isinstance(queries, str) else json.dumps(queries, ensure_ascii=False)
    return read_xie_positions("positions.json", text.encode())


def annotations(text, known=None):
    return read_xie_annotations("pairs", ("Query\tpair\tlabels\n" + text).encode(), known)


def relevance(text, known=None):
    return read_xie_relevance("relevance", ("Query\tImage\tScore\n" + text).encode(), known)


def serps(text, known=None):
    return read_xie_serp_preferences("serp", ("Query\tWinner\n" + text).encode(), known)


def test_a_line_gives_three_judgments_with_their_strength():
    assert annotations(f"q\t{A},{B}\t-2\t1.0\t-0.0\n") == [
        ("q", A, B, A, "1", 2, 2),
        ("q", A, B, B, "2", 2, 1),
        ("q", A, B, None, "3", 2, 0),
    ]


def test_every_bad_annotation_is_named():
    text = (
        f"q\t{A},{B}\t0\t0\t0\nq\t{B},{A}\t0\t0\t0\nq\t{A},{B}\t0\t0\nq\t{A} {B}\t0\t0\t0\n"
        f"q\t{A},{A}\t0\t0\t0\nq\t{A},baidu/q_1.jpg\t0\t3\t0\nq\tbing/q_0.jpg,{B}\t0\t0\t0\n"
        f"r\t{A},{B}\t0\t0\t0\nq\t{A},{B}.png\t0\t0\t0\nq\tbaidu/0,{B}\t0\t0\t0\n"
    )
    assert refused(annotations, text) == [
        "pairs, line 3: this pair was already judged on line 2",
        "pairs, line 4: 4 cells between tabs where 5 are expected",
        'pairs, line 5: "baidu/q_0.jpg sogou/q_0.jpg" is not two images with a comma between',
        'pairs, line 6: the image "baidu/q_0.jpg" is compared with itself',
        'pairs, line 7: the label "3" is not one of -2, -1, 0, 1, 2',
        'pairs, line 8: "bing/q_0.jpg" is not an image of this query, such as "baidu/q_0.jpg"',
        'pairs, line 9: "baidu/q_0.jpg" is not an image of this query, such as "baidu/r_0.jpg"',
        'pairs, line 10: "sogou/q_0.jpg.png" is not an image of this query, such as "baidu/q_0.jpg"',
        'pairs, line 11: "baidu/0" is not an image of this query, such as "baidu/q_0.jpg"',
    ]


def test_the_grids_of_both_engines_are_read_in_order():
    sogou, baidu = positions(PLACES)
    assert sogou.rankings == {"q": [("sogou/q_0.jpg", 0, 0, 1)]}
    assert baidu.rankings == {
        "q": [("baidu/q_0.jpg", 0, 0, 2), ("baidu/q_7.jpg", 0, 1, 2), ("baidu/q_1.jpg", 1, 0, 1)]
    }


@pytest.mark.parametrize(
    ("queries", "problem"),
    [
        ('{\n"q": ', ", line 2: not JSON: Expecting value at character 6 of the line"),
        ('{"q": {}, "q": {}}', ': not JSON that can be read: the key "q" is given twice'),
        ([], ": not a JSON object from queries to engines"),
        ({"a b": {}}, ': the query "a b" contains a space; ids are written without spaces'),
        ({"q": {"2": {}}}, ': query "q": not an object with the engines "0" and "1"'),
        ({"q": {"0": {}}}, f"{Q0}: not an object from image numbers to places"),
        ({"q": {"0": {"x": [0, 0, 1]}}}, f'{Q0}, image "x": the image is not named by a whole number'),
        ({"q": {"0": {"0": [0, 1]}}}, f'{Q0}, image "0": {NO_PLACE}'),
        ({"q": {"0": {"0": [0, True, 1]}}}, f'{Q0}, image "0": {NO_PLACE}'),
        (
            {"q": {"0": {"0": [0, 0, 2], "1": [0, 0, 2]}}},
            f'{Q0}, image "1": row 0, column 0 already holds "sogou/q_0.jpg"',
        ),
        ({"q": {"0": {"0": [1, 0, 1]}}}, f"{Q0}: an item stands in row 1, but row 0 is empty"),
        ({"q": {"0": {"0": [0, 1, 1]}}}, f"{Q0}: row 0 has an item in column 1, but none in 0"),
        (
            {"q": {"0": {"0": [0, 0, 2]}}},
            f'{Q0}: "sogou/q_0.jpg" is said to stand in a row of 2, but the row has 1',
        ),
    ],
)
def test_a_place_that_does_not_fit_is_named(queries, problem):
    assert refused(positions, queries) == ["positions.json" + problem]


def test_every_place_that_does_not_fit_is_named():
    places = {"q": {"0": {"0": [1, 0, 1]}, "1": {"0": "x", "1": 7}}, "a b": {}}
    assert len(refused(positions, places)) == 4


def test_the_other_files_may_name_only_what_the_grids_hold():
    known = known_of(positions(PLACES))
    assert len(annotations(f"q\t{A},{B}\t0\t0\t0\n", known)) == 3
    assert refused(annotations, f"q\t{A},sogou/q_1.jpg\t0\t0\t0\n", known) == [
        'pairs, line 2: topic "q" has no image "sogou/q_1.jpg"'
    ]
    assert refused(relevance, "r\tbaidu/r_0.jpg\t7\n", known) == [
        'relevance, line 2: unknown topic "r"; load it with the topics first'
    ]
    assert refused(serps, "r\t0\n", known) == [
        'serp, line 2: unknown topic "r"; load it with the topics first'
    ]


def test_relevance_goes_from_0_to_100():
    assert relevance(f"q\t{A}\t83.33333333333333\n") == [("q", A, 83.33333333333333, 2)]
    assert refused(relevance, f"q\t{A}\t101\nq\t{B}\tnan\nq\t{A}\t100\nq\t{A}\t0\n") == [
        'relevance, line 2: the grade "101" is not a number from 0 to 100',
        'relevance, line 3: the grade "nan" is not a number from 0 to 100',
        'relevance, line 5: the image "baidu/q_0.jpg" was already graded on line 4',
    ]


def test_result_pages_are_preferred_by_engine():
    assert serps("a\t0\nb\t1\nc\t2\n") == [("a", "sogou", 2), ("b", None, 3), ("c", "baidu", 4)]
    assert refused(serps, "a\t0\na\t1\nb\t3\nc\n") == [
        'serp, line 3: the query "a" was already judged on line 2',
        'serp, line 4: the winner "3" is not 0 (Sogou), 1 (tie) or 2 (Baidu)',
        "serp, line 5: 1 cell between tabs where 2 are expected",
    ]


def test_a_file_without_its_header_is_refused():
    assert refused(read_xie_serp_preferences, "serp", b"a\t0\nb\t1\n") == [
        "serp, line 1: the first line must be the header, starting with Query"
    ]


FOLDER = DATA / "image-preferences"


@pytest.fixture(scope="module")
def grids():
    return read_xie_positions("positions", FOLDER / "Image_position.json")


class TestRealFiles:
    """The published files; counts from the data's README, label totals counted with `sort | uniq -c`."""

    pytestmark = needs_data

    def test_the_page_preferences_are_written_as_they_are(self):
        file = DATA / "image-preferences" / "SERP_level_preference"
        records = read_xie_serp_preferences(file.name, file)
        assert "".join(write_xie_serp_preferences(records)) == file.read_text()

    def test_the_grids_hold_2919_images_of_102_queries(self, grids):
        sogou, baidu = grids
        assert len(sogou.rankings) == len(baidu.rankings) == 102
        assert sum(map(len, sogou.rankings.values())) == 1417
        assert sum(map(len, baidu.rankings.values())) == 1502

    def test_every_image_of_the_grids_has_its_relevance(self, grids):
        known = known_of(grids)
        found = read_xie_relevance("relevance", FOLDER / "relevance_data", known)
        assert len({(record.topic, record.docno) for record in found}) == 2919
        assert min(record.grade for record in found) == pytest.approx(1 / 3)
        assert max(record.grade for record in found) == 99

    def test_every_pair_has_three_judgments(self, grids):
        found = read_xie_annotations("pairs", FOLDER / "image_pairs_annotation", known_of(grids))
        assert len(found) == 41_538 * 3
        assert len({(r.topic, image) for r in found for image in (r.a, r.b)}) == 2919
        signs = Counter((r.strength, r.winner == r.a if r.winner else None) for r in found)
        assert signs == {
            (2, True): 1947 + 15,
            (1, True): 30_388 + 69,
            (0, None): 44_208 + 52,
            (1, False): 44_283 + 103,
            (2, False): 3536 + 13,
        }

    def test_result_pages_are_preferred_28_46_28(self, grids):
        found = read_xie_serp_preferences("serp", FOLDER / "SERP_level_preference", known_of(grids))
        assert Counter(record.winner for record in found) == {"sogou": 28, None: 46, "baidu": 28}


def test_page_preferences_that_are_written_are_read_again():
    given = [("q", "sogou"), ("r", None), ("s", "baidu")]
    lines = list(write_xie_serp_preferences(SerpPreferenceRecord(*one) for one in given))
    read = read_xie_serp_preferences("serp", "".join(lines).encode())
    assert [record[:2] for record in read] == given
    for bad in (("q", "bing"), ("", "sogou")):
        with pytest.raises(ValueError, match=r"neither sogou nor baidu|query"):
            list(write_xie_serp_preferences([SerpPreferenceRecord(*bad)]))
