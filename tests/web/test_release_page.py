"""Loading a release by the page: a study comes of it, or sentences that say why not."""

import time
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from collection.models import Study
from tests.judging.files import stored_files
from tests.judging.organizing import logged_in, text
from tests.web.test_release import judged, released, written
from web.organizer.files import release_upload
from web.release import loading_job

pytestmark = pytest.mark.django_db
ADDRESS = "/releases/load/"


@pytest.fixture(autouse=True)
def _own_files(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def study():
    return judged()


@pytest.fixture
def zipped(study, tmp_path) -> Path:
    return released(study, tmp_path, "out.zip")


def send(client, content: bytes, monkeypatch) -> str:
    """Upload a file; the job waits until the test lets it run. Returns its token."""
    monkeypatch.setattr(release_upload, "run_in_background", lambda *_: None)
    sent = client.post(ADDRESS, {"release": SimpleUploadedFile("r.zip", content)})
    assert sent.status_code == 302
    return sent["Location"].rstrip("/").rpartition("/")[2]


def test_a_release_becomes_a_study_of_who_loaded_it(study, zipped, monkeypatch):
    User.objects.filter(username="alice").update(is_staff=True)
    alice = logged_in("alice")
    token = send(alice, zipped.read_bytes(), monkeypatch)
    page = alice.get(f"{ADDRESS}{token}/")
    assert "r.zip is being loaded: waiting to be read." in text(page)
    assert page["Retry-After"]
    loading_job.load_release(token)
    made = Study.objects.latest("pk")
    assert made.pk != study.pk
    done = alice.get(f"{ADDRESS}{token}/")
    assert done["Location"] == reverse("study", args=[made.slug])
    assert alice.get(done["Location"]).status_code == 200
    assert written(made) == written(study)
    assert not [name for name in stored_files() if "uploads" in str(name)]
    loading_job.load_release(token)
    assert Study.objects.latest("pk").pk == made.pk


def test_what_is_no_release_is_refused_in_sentences(monkeypatch):
    ada = logged_in("ada", is_staff=True)
    token = send(ada, b"no zip", monkeypatch)
    loading_job.load_release(token)
    said = text(ada.get(f"{ADDRESS}{token}/"))
    assert "Nothing was loaded from r.zip." in said
    assert "r.zip is neither a folder nor a zip" in said
    assert not Study.objects.exists()
    none = ada.post(ADDRESS)
    assert "Nothing was loaded. Correct this first: Release : Choose the zip of a release first" in text(none)
    assert 'class="bad" role="alert"' in none.text


def test_a_job_that_stopped_is_said_to_have(monkeypatch):
    ada = logged_in("ada", is_staff=True)
    token = send(ada, b"no zip", monkeypatch)
    now = time.time()
    monkeypatch.setattr(loading_job.time, "time", lambda: now + 2 * loading_job.DEAD_SECONDS)
    assert "The server stopped while it was read. Load it again." in text(ada.get(f"{ADDRESS}{token}/"))


def test_only_staff_load_releases_and_only_who_did_sees_how_far_it_is(monkeypatch):
    token = send(logged_in("ada", is_staff=True), b"no zip", monkeypatch)
    ben = logged_in("ben")
    assert ben.get(ADDRESS).status_code == 403
    assert ben.post(ADDRESS, {"release": SimpleUploadedFile("r.zip", b"x")}).status_code == 403
    assert ben.get(f"{ADDRESS}{token}/").status_code == 404
    cache.clear()
    assert logged_in("ada").get(f"{ADDRESS}{token}/").status_code == 404


def test_what_is_too_large_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(release_upload, "MOST_BYTES", 10)
    sent = logged_in("ada", is_staff=True).post(ADDRESS, {"release": SimpleUploadedFile("r.zip", b"x" * 99)})
    assert sent.status_code == 413
