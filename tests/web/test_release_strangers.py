"""Releases that a stranger made to do harm: refused by the file, and nothing of them is kept or run."""

import hashlib
import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
from PIL import Image

from tests.judging.studies import give_pictures
from tests.makers import add_run, make_study
from tests.web.test_release import released
from tests.web.test_release_damage import put, refused
from web.release import source

pytestmark = pytest.mark.django_db

POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 3000 3000\n{ } loop\n"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'


@pytest.fixture
def release(tmp_path):
    study = make_study(topics=1, items=4)
    add_run(study, "one", {"t1": ["t1-a", "t1-b"]})
    return released(study, tmp_path)


def png(width: int, height: int) -> bytes:
    packed = io.BytesIO()
    Image.new("1", (width, height)).save(packed, "PNG")
    return packed.getvalue()


def put_bytes(path: Path, name: str, content: bytes) -> None:
    """Write a file with its checksum."""
    (path / name).write_bytes(content)
    sums = (path / "SHA256SUMS").read_text().splitlines()
    digest = hashlib.sha256(content).hexdigest()
    told = [f"{digest}  {name}" if line.endswith(f"  {name}") else line for line in sums]
    (path / "SHA256SUMS").write_text("".join(f"{line}\n" for line in told))


def test_pictures_follow_the_rules_of_uploads(tmp_path, settings):
    """Programs, drawings with scripts, too many pixels, and what is no picture, whatever its name says."""
    settings.MEDIA_ROOT = tmp_path / "media"
    study = make_study(topics=1, items=4, kind="image")
    give_pictures(study)
    path = released(study, tmp_path)
    name = json.loads((path / "items.jsonl").read_text().splitlines()[0])["image"]
    kept = sorted(p.name for p in (tmp_path / "media").rglob("*"))
    for content, reason in (
        (POSTSCRIPT, "not a JPEG, PNG, WebP or GIF image"),
        (SVG, "not a JPEG, PNG, WebP or GIF image"),
        (png(6000, 6000), "more than 25,000,000 pixels"),
        (png(20_000, 20_000), "more than 25,000,000 pixels"),
        (b"", "the file is empty"),
    ):
        put_bytes(path, name, content)
        said = refused(path)
        assert name in said
        assert reason in said
    assert sorted(p.name for p in (tmp_path / "media").rglob("*")) == kept


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("items.jsonl", "docno", "a\nb"),
        ("items.jsonl", "docno", "a\u202eb"),
        ("items.jsonl", "docno", "a\x00b"),
        ("items.jsonl", "docno", "tie"),
        ("items.jsonl", "text", "a\x00b"),
        ("topics.jsonl", "topic", "a b"),
        ("topics.jsonl", "text", "x" * 100_001),
    ],
)
def test_ids_and_texts_follow_the_rules_of_uploads(release, name, field, value):
    first, *rest = (release / name).read_text().splitlines()
    put(release, name, "\n".join([json.dumps(json.loads(first) | {field: value}), *rest]) + "\n")
    assert refused(release).startswith(name)


def test_names_of_runs_follow_the_rules_of_uploads(release):
    runs = json.loads((release / "runs.json").read_text())
    runs[0]["name"] = "a\u202eb"
    put(release, "runs.json", json.dumps(runs))
    assert refused(release).startswith("runs.json")


def test_a_zip_that_unpacks_to_far_more_is_refused_before_it_is_read(release):
    put(release, "topics.jsonl", (release / "topics.jsonl").read_text() + " " * 50_000_000)
    made = Path(shutil.make_archive(str(release.parent / "bomb"), "zip", release.parent, release.name))
    with zipfile.ZipFile(made) as archive:
        assert sum(info.file_size for info in archive.infolist()) > 200 * made.stat().st_size
    assert "would unpack to more than 200 times its size" in refused(made)


def test_a_line_and_a_file_of_json_have_an_end(release, monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    put(release, "topics.jsonl", (release / "topics.jsonl").read_text() + " " * 2000)
    assert refused(release).startswith("topics.jsonl: line")
    monkeypatch.setattr(source, "LONGEST_JSON", 100)
    assert refused(release).startswith("study.json: it is larger")


def test_a_folder_with_a_link_to_a_file_outside_is_refused(release):
    (release / "notes.txt").symlink_to("/etc/hostname")
    assert "notes.txt is a symbolic link" in refused(release)
