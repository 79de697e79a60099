"""Releases that were damaged or changed: refused by the file, and nothing is left of them."""

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.web.test_release import everything, judged, released
from web.release.release_loader import BadRelease, load

pytestmark = pytest.mark.django_db

DEEP = "[" * 100_000
ROWS = [
    *(("judgments.jsonl", "shown", value) for value in ("zzz", "0", "012", 5, None, "00")),
    *(("judgments.jsonl", "value", value) for value in (99, -99, "x", 0.5, 1e30, True, None)),
    *(("judgments.jsonl", "revision", value) for value in (10**30, -1, "1")),
    ("judgments.jsonl", "batch", 10**9),
    *(("questions.jsonl", "compared", value) for value in ([], "one", "same", ["no-such-item"], 7)),
    ("questions.jsonl", "expected", 77),
    ("asked.jsonl", "shown", "xy"),
    ("pools.jsonl", "pool", ["no-such-item"]),
    ("decisions.jsonl", "what", "praised"),
    ("topics.jsonl", "topic", ["q"]),
]
TEXTS = [
    ("grades.qrels", "nan"),
    ("grades.qrels", "1e999"),
    ("runs", "0"),
    ("runs", "-5"),
    ("runs", "99999999999999999999"),
]
STUDY: list[tuple[str, object]] = [
    ("plan", None),
    ("format", 0),
    ("tasks", 5),
    ("settings", {}),
    ("language", "zzz"),
    ("measures", ["zzz"]),
]


@pytest.fixture(scope="module")
def whole(module_data, tmp_path_factory):
    return released(judged(), tmp_path_factory.mktemp("whole"))


@pytest.fixture
def release(db, whole, tmp_path):
    return Path(shutil.copytree(whole, tmp_path / "out"))


def put(path: Path, name: str, content: str) -> None:
    """Write a file with its checksum, as somebody might who means to."""
    (path / name).write_text(content)
    digest = hashlib.sha256(content.encode()).hexdigest()
    sums = (path / "SHA256SUMS").read_text().splitlines()
    told = [f"{digest}  {name}" if line.endswith(f"  {name}") else line for line in sums]
    (path / "SHA256SUMS").write_text("".join(f"{line}\n" for line in told))


def copied(release: Path, number: int) -> Path:
    return Path(shutil.copytree(release, release.parent / f"copy-{number}"))


def refused(path: Path, **options) -> str:
    before = everything()
    with pytest.raises(BadRelease) as wrong:
        load(path, slug="again", **options)
    assert everything() == before
    return str(wrong.value)


def test_a_row_that_no_study_can_hold_is_refused_by_its_file(release):
    for number, (name, field, value) in enumerate(ROWS):
        path = copied(release, number)
        first, *rest = (path / name).read_text().splitlines()
        row = json.loads(first)
        given = {"one": row.get("compared", [])[:1], "same": row.get("compared", [])[:1] * 2}
        row[field] = given.get(value, value) if isinstance(value, str) else value
        put(path, name, "\n".join([json.dumps(row), *rest]) + "\n")
        assert refused(path), (name, field, value)


def test_a_line_of_grades_or_of_a_run_that_cannot_be_is_refused_by_its_file(release):
    for number, (name, value) in enumerate(TEXTS):
        path = copied(release, number)
        name = name if name != "runs" else json.loads((path / "runs.json").read_text())[0]["file"]
        first, *rest = (path / name).read_text().splitlines()
        fields = first.split()
        fields[3] = value
        put(path, name, "\n".join([" ".join(fields), *rest]) + "\n")
        assert name in refused(path)
        # the same line twice
        put(path, name, "\n".join([*rest, rest[-1]]) + "\n")
        assert name in refused(path)


def test_settings_that_are_unknown_here_are_refused(release):
    for number, (name, value) in enumerate(STUDY):
        path = copied(release, number)
        told = json.loads((path / "study.json").read_text())
        (told if name in told else told["settings"])[name] = value
        put(path, "study.json", json.dumps(told))
        assert "study.json" in refused(path), name


def test_brackets_too_deep_and_files_that_are_no_text_are_named(release):
    for number, name in enumerate(("study.json", "judgments.jsonl", "runs.json")):
        path = copied(release, number)
        put(path, name, DEEP)
        assert refused(path).startswith(name)
    (release / "SHA256SUMS").write_bytes(b"\xff\xfe\x00" * 50)
    assert "SHA256SUMS" in refused(release)


def test_a_damaged_zip_is_refused_wherever_the_damage_is(release):
    made = Path(shutil.make_archive(str(release.parent / "whole"), "zip", release.parent, release.name))
    load(made, slug="whole")
    raw = made.read_bytes()
    inside = [info for info in zipfile.ZipFile(io.BytesIO(raw)).infolist() if info.compress_size]
    assert len(inside) > 10
    for info in inside:
        place = info.header_offset + 30 + len(info.filename) + info.compress_size // 2
        made.write_bytes(raw[:place] + bytes([raw[place] ^ 255]) + raw[place + 1 :])
        assert refused(made)
    made.write_bytes(raw[: len(raw) // 2])
    assert refused(made)


def test_an_encrypted_zip_is_refused(release):
    made = Path(shutil.make_archive(str(release.parent / "whole"), "zip", release.parent, release.name))
    raw = bytearray(made.read_bytes())
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = raw.find(mark)
        while at >= 0:
            raw[at + flags] |= 1
            at = raw.find(mark, at + 4)
    made.write_bytes(raw)
    assert "encrypted" in refused(made)


def test_no_study_takes_the_address_of_the_page_that_makes_one(release):
    with pytest.raises(BadRelease, match="new"):
        load(release, slug="new")
    with pytest.raises(CommandError, match="new"):
        call_command("study", "new", stdout=io.StringIO())
