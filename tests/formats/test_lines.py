"""Every text file is opened, decoded and cut in one way; here through the reader of qrels or topics."""

import gzip
import io
import pickle
import random

import pytest

from prefir.formats import BadFile, BadLine, read_preferences, read_qrels, read_topics
from prefir.formats.lines import read_lines
from prefir.formats.problems import Problems

from .helpers import KNOWN, refused

GOOD = b"t1 0 d1 1\nt1 0 d2 0\n"


def qrels(source):
    return read_qrels("q.txt", source, KNOWN)


def test_bytes_a_path_an_open_file_and_gzip_give_the_same_records(tmp_path):
    path = tmp_path / "q.txt"
    path.write_bytes(GOOD)
    expected = qrels(GOOD)
    assert [(r.topic, r.docno, r.grade, r.line) for r in expected] == [
        ("t1", "d1", 1, 1),
        ("t1", "d2", 0, 2),
    ]
    assert qrels(path) == qrels(io.BytesIO(GOOD)) == qrels(gzip.compress(GOOD)) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + GOOD,
        GOOD.replace(b"\n", b"\r\n"),
        GOOD.rstrip(),
        GOOD + b"\n \n\r\n\t\n",
        b" t1\t0  d1 1 \n\tt1 0 d2\t0\n",
    ],
    ids=["BOM", "CRLF", "no last line end", "blank lines at the end", "spaces and tabs around"],
)
def test_harmless_variants_read_the_same(data):
    assert qrels(data) == qrels(GOOD)


@pytest.mark.parametrize("data", [b"", b"\n", b" \r\n\t\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_a_file_without_a_filled_line_is_empty(data):
    assert refused(qrels, data) == ["q.txt: the file is empty"]


def test_a_blank_line_between_others_is_named():
    assert refused(qrels, b"t1 0 d1 1\n\n \nt1 0 d2 0\n") == [
        "q.txt, line 2: the line is empty",
        "q.txt, line 3: the line is empty",
    ]


def test_latin_1_is_named_by_line_and_byte():
    assert refused(read_topics, "topics.tsv", b"t1\tcafe\nt2\tcaf\xe9 au lait\n") == [
        "topics.tsv, line 2: not UTF-8: byte 0xe9 at byte 7 of the line; save the file as UTF-8"
    ]


def test_the_byte_is_counted_from_the_files_start_when_a_bom_comes_first():
    assert refused(read_topics, "topics.tsv", b"\xef\xbb\xbft2\tcaf\xe9\n") == [
        "topics.tsv, line 1: not UTF-8: byte 0xe9 at byte 10 of the line; save the file as UTF-8"
    ]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_utf_16_and_utf_32_with_their_mark_are_read(encoding, pack, tmp_path):
    path = tmp_path / "topics.tsv"
    path.write_bytes(pack(("\ufefft1\tEin Café\r\nt2\t茶\r\n").encode(encoding)))
    assert [(r.topic, r.text) for r in read_topics("topics.tsv", path)] == [("t1", "Ein Café"), ("t2", "茶")]
    assert read_topics("topics.tsv", path.read_bytes()) == read_topics("topics.tsv", path)
    assert read_qrels("q", ("\ufeff" + GOOD.decode()).encode(encoding), KNOWN) == qrels(GOOD)


def test_half_a_character_of_utf_16_is_refused():
    reason = "q.txt: not UTF-16, as its first bytes say; save it as UTF-8"
    assert refused(qrels, b"\xff\xfet\x001") == [reason]


def test_utf_16_without_a_mark_shows_as_nul_bytes():
    assert refused(qrels, "t1 0 d1 1".encode("utf-16-le")) == [
        "q.txt, line 1: a NUL byte at byte 2 of the line; is this a text file?"
    ]


def test_carriage_returns_alone_end_lines(tmp_path):
    given = b"\xef\xbb\xbft1 0 d1 1\rt1 0 d2 0\r"
    path = tmp_path / "q.txt"
    path.write_bytes(given)
    assert qrels(given) == qrels(path) == qrels(gzip.compress(given)) == qrels(GOOD)
    assert refused(qrels, b"t1 0 d1 1\rt1 0 d2 x\r") == [
        'q.txt, line 2: the grade "x" is not a finite number'
    ]


def test_a_zip_in_place_of_a_text_file_is_named():
    assert refused(qrels, b"PK\x03\x04rest") == [
        "q.txt: the file is a zip archive; unpack it and load the text file in it"
    ]


def test_a_missing_file_and_a_folder_cannot_be_read(tmp_path):
    assert refused(qrels, tmp_path / "none") == ["q.txt: cannot be read: No such file or directory"]
    assert refused(qrels, tmp_path) == ["q.txt: cannot be read: Is a directory"]


def test_every_bad_line_is_named_whatever_is_wrong_with_it():
    data = b"t1 0 d1 1\nt1 0 d1\n\nt1 0 d\x00 1\nt1 0 \xff 1\nt9 0 d1 1\nt1 0 d1 0\nt1 0 d2 x\n"
    assert refused(qrels, data) == [
        "q.txt, line 2: 3 fields where 4 are expected: topic 0 docno grade",
        "q.txt, line 3: the line is empty",
        "q.txt, line 4: a NUL byte at byte 7 of the line; is this a text file?",
        "q.txt, line 5: not UTF-8: byte 0xff at byte 6 of the line; save the file as UTF-8",
        'q.txt, line 6: unknown topic "t9"; load it with the topics first',
        'q.txt, line 7: docno "d1" of topic "t1" was already graded on line 1',
        'q.txt, line 8: the grade "x" is not a finite number',
    ]


def test_of_many_bad_lines_a_thousand_are_kept_and_fifty_shown():
    with pytest.raises(BadFile) as caught:
        qrels(b"nonsense\n" * 9_999)
    assert [problem.line for problem in caught.value.problems] == list(range(1, 1001))
    assert caught.value.count == 9_999
    shown = str(caught.value).splitlines()
    assert len(shown) == 51
    assert shown[49].startswith("q.txt, line 50: 1 field ")
    assert shown[50] == "... and 9,949 more"


@pytest.mark.parametrize("line", [b"nonsense\n", b"\n"])
def test_at_ten_thousand_bad_lines_reading_stops(line):
    """The lines behind them are not told apart any more; nor are those of a file of blank lines."""
    with pytest.raises(BadFile) as caught:
        qrels(line * 100_000 + GOOD)
    assert caught.value.count == 10_000
    problems = [str(problem) for problem in caught.value.problems]
    assert problems[0] == "q.txt: more than 9,999 things are wrong, so it was read no further"
    assert len(problems) == 1_001
    assert problems[1000].startswith("q.txt, line 1000: ")


def test_blank_lines_at_the_end_are_harmless_however_many():
    assert qrels(GOOD + b"\n" * 100_000) == qrels(GOOD)


def test_a_gzip_file_that_unpacks_to_far_more_than_texts_do_is_refused(tmp_path):
    path = tmp_path / "q.gz"
    path.write_bytes(gzip.compress(GOOD + b" " * 3_000_000))
    expected = ["q.txt: the gzip file unpacks to more than 200 times its size: not a text file"]
    assert refused(qrels, path) == refused(qrels, path.read_bytes()) == expected


def test_a_bad_file_survives_pickling():
    """Task queues and process pools hand exceptions on in this way."""
    error = BadFile([BadLine("q.txt", 3, "wrong")])
    assert pickle.loads(pickle.dumps(error)).problems == error.problems


@pytest.mark.parametrize(
    ("character", "name"),
    [("\xa0", "U+00A0"), ("\u200b", "U+200B"), ("\x07", "U+0007"), ("\ufeff", "U+FEFF"), ("\x85", "U+0085")],
)
def test_invisible_characters_in_a_line_of_ids_are_named(character, name):
    """Each of them would make two ids that look the same, or cut a line at an unseen place."""
    assert refused(qrels, f"t1 0 d{character}1 1\n".encode()) == [
        f"q.txt, line 1: the line contains the control or invisible character {name}"
    ]


def test_a_persian_docno_keeps_its_joiner():
    docno = "می\u200cخواهم"
    assert qrels(f"t1 0 {docno} 1\n".encode())[0].docno == docno


@pytest.mark.parametrize("cut", [5, -9, -1])
def test_a_gzip_file_cut_short_is_refused(cut):
    assert refused(qrels, gzip.compress(GOOD)[:cut]) == ["q.txt: the gzip file is cut short"]


def test_a_damaged_gzip_file_is_refused():
    packed = bytearray(gzip.compress(random.Random(1).randbytes(500).hex().encode()))
    packed[200] ^= 0xFF
    (problem,) = refused(qrels, bytes(packed))
    assert problem.startswith("q.txt: the gzip file is damaged (")


def test_gzip_members_one_after_the_other_are_one_file():
    assert qrels(gzip.compress(GOOD[:10]) + gzip.compress(GOOD[10:])) == qrels(GOOD)


def test_a_gzip_bomb_and_a_large_file_stop_at_the_limit():
    def read(data):
        problems = Problems("q.txt")
        return list(read_lines(data, problems, limit=10_000))

    assert refused(read, gzip.compress(b"a" * 10_000_000)) == [
        "q.txt: the gzip file unpacks to more than the limit of 10,000 bytes"
    ]
    assert refused(read, b"a" * 10_001) == ["q.txt: larger than the limit of 10,000 bytes"]
    assert read(b"a" * 10_000) == [(1, "a" * 10_000)]


class Slow(io.RawIOBase):
    """A file that hands over three bytes at a time, as sockets and pipes may."""

    def __init__(self, data):
        self.data = data

    def read(self, size=-1):
        part, self.data = self.data[:3], self.data[3:]
        return part


def test_a_source_that_reads_in_small_pieces_is_read_to_its_end():
    assert qrels(Slow(GOOD)) == qrels(GOOD)


def test_progress_rises_to_the_total_in_about_a_hundred_calls():
    data = b"".join(b"t1 d1 d2 d1 a%d\n" % i for i in range(5000))
    calls = []
    read_preferences("p.txt", data, KNOWN, progress=lambda done, total: calls.append((done, total)))
    assert 50 < len(calls) <= 102
    assert calls == sorted(calls)
    assert calls[-1] == (len(data), len(data))
