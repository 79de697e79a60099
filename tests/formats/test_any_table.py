"""Whatever a file holds, it is read or refused in words, in a time that its size bounds."""

import io
import random
import zipfile
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prefir.formats import (
    BadFile,
    Known,
    parts_of,
    read_items,
    read_preferences,
    read_qrels,
    read_run,
    read_table,
    read_topics,
    recognize,
)
from tests.examples import examples
from tests.formats.layouts import LAYOUTS
from tests.formats.workbooks import workbook

KNOWN = Known(topics={"q1", "q2", "1"})
READERS = {
    "topics": lambda given: read_topics("f", given),
    "items": lambda given: read_items("f", given, KNOWN),
    "qrels": lambda given: read_qrels("f", given, KNOWN),
    "run": lambda given: read_run("f", given, KNOWN),
    "judgments": lambda given: read_preferences("f", given, KNOWN),
}
ALPHABET = '{}[]",;:\t\n\r q1d2a._-<>\\0é\u2028'


def tried(given: bytes) -> list[str]:
    """The kinds as which a file can be read; whatever else is raised but BadFile fails the test."""
    recognize(given)
    found = []
    for kind, read in READERS.items():
        with suppress(BadFile):
            read_table(kind, "f", given, read)
            found.append(kind)
    return found


@examples(60)
@given(st.text(ALPHABET, max_size=60))
def test_text_of_any_signs_is_read_or_refused(text):
    tried(text.encode())


@pytest.mark.parametrize("layout", LAYOUTS, ids=lambda one: one.name)
def test_a_file_with_a_wrong_byte_is_read_or_refused(layout):
    chance = random.Random(layout.name)
    for _ in range(20):
        changed = bytearray(layout.content)
        changed[chance.randrange(len(changed))] = chance.choice(b'\x00\xff\t",;{[\n\r ')
        tried(bytes(changed))
        tried(layout.content[: chance.randrange(len(layout.content))])


def test_a_workbook_with_wrong_bytes_is_read_or_refused():
    """Its parts are changed before they are packed: else only the checksums of the zip would be tried."""
    whole = workbook(Sheet1=[["topic", "docno", "grade"], ["q1", "d1", 2]])
    chance = random.Random(7)
    for _ in range(8):
        packed = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(whole)) as archive, zipfile.ZipFile(packed, "w") as changed:
            names = archive.namelist()
            hit = chance.choice(names)
            for name in names:
                data = bytearray(archive.read(name))
                if name == hit:
                    data[chance.randrange(len(data))] = chance.choice(b"<>&\"'/ 09\x00\xff")
                changed.writestr(name, bytes(data))
        with suppress(BadFile):
            parts_of("f.xlsx", packed.getvalue())


@pytest.mark.parametrize(
    "given",
    [
        "q1\td1\t" + "a " * 50_000,
        "q1\td1\t" + " \t" * 3 + "a " * 50_000,
        "<!--" + "a " * 50_000,
        '{"' + "\\\\" * 50_000,
        '{"a": {' * 20_000,
        "1 qid:" + "1 " * 50_000,
        "," * 100_000,
        "[[" * 50_000,
    ],
    ids=lambda text: text[:12],
)
def test_long_lines_that_nearly_fit_a_layout_are_told_at_once(given):
    """Patterns that try every place with every other would take minutes."""
    assert tried(given.encode()) in ([], ["topics"])
