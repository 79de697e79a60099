"""Pages that take files: how much may be sent to them, and how many files."""

import re

import pytest
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from collection.models import Import
from config.wsgi import application
from tests.judging.organizing import logged_in, staff_of
from tests.makers import make_study
from tests.proxy import ROOT

PAGES = [reverse("files", args=["some-study"])]
KINDS = ("topics", "items", "answers", "pictures", "qrels", "runs", "grids")
ROUTES = [f"/api/v1/studies/some-study/{kind}" for kind in KINDS]


@pytest.mark.parametrize("path", [*PAGES, *ROUTES])
def test_long_bodies_are_taken_by_the_product_and_by_the_proxy_before_it(path):
    assert application.limit_of(path).bytes == configured.MOST_BYTES["uploads"]
    proxy = (ROOT / "docs" / "nginx.conf").read_text()
    patterns = re.findall(r"location ~ (\S+) \{\n\s*client_max_body_size 4g", proxy)
    assert any(re.search(pattern, path) for pattern in patterns)


@pytest.mark.django_db
def test_hundreds_of_runs_are_dropped_at_once_and_too_many_are_refused_in_words(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study = staff_of(make_study(topics=1))
    alice = logged_in("alice")

    def drop(number):
        files = [SimpleUploadedFile(f"r{n}.run", f"q1 Q0 d 1 1 r{n}\n".encode()) for n in range(number)]
        return alice.post(reverse("files", args=[study.slug]), {"files": files})

    assert drop(300).status_code == 302
    assert Import.objects.filter(study=study, state=Import.State.DRAFT).count() == 300
    assert drop(101).status_code == 302
    assert Import.objects.filter(study=study, state=Import.State.DRAFT).count() == 300
    assert "At most 400 files at a time" in alice.get(reverse("records", args=[study.slug])).content.decode()
    answer = drop(1001)
    assert answer.status_code == 413
    assert answer.content.decode().startswith("These are more than 1,000 files.")


@pytest.mark.parametrize(
    "address",
    [
        "/i/x",
        "/p/x",
        "/e/x",
        "/join/x",
        "/image/x",
        "/live/x",
        "/stream/x",
        "/shared/x",
        "/choose-password/x",
    ],
)
def test_the_log_of_the_proxy_keeps_no_secret_of_an_address(address):
    proxy = (ROOT / "docs" / "nginx.conf").read_text()
    [pattern] = re.findall(r'"~(\^\(\?<secret_kind>\S+)"', proxy)
    assert re.match(pattern.replace("?<", "?P<"), address)
