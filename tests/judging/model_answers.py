"""Studies of models for tests: answers as lines of JSON, dropped on Files and loaded."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from collection.models import Study
from collection.upload import dry_run, loading, pending_uploads
from tests.judging.organizing import logged_in, text
from tests.judging.visiting import Visitor, begin
from tests.makers import invite
from tournament import services

MODELS = ("ape", "bat", "cat")

PROMPTS = [f"Why {n}?" for n in range(6)]

# Which is better: the first of these letters.
ANSWERS = [{"prompt": p, "model": m, "answer": f"{m} says {p}", "category": "even" if n % 2 else "odd"}
           for n, p in enumerate(PROMPTS) for m in MODELS]  # fmt: skip


def lines(*rows: object) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


@pytest.fixture
def alice():
    return logged_in("alice", is_staff=True)


def drop(client, study, **files: bytes) -> str:
    sent = [SimpleUploadedFile(f"{name}.jsonl", content) for name, content in files.items()]
    return text(client.post(reverse("files", args=[study.slug]), {"files": sent}, follow=True))


def load_all(client, study) -> None:
    client.post(reverse("files", args=[study.slug]), {"what": "load"})
    while loading.run_next():
        pass


def new_study(client, name="Models", **more) -> Study:
    """Make a study of answers by the page, with the values that its form shows."""
    page = client.get(reverse("study-new") + "?preset=answers")
    form = page.context["form"]
    sent = {
        field.html_name: value
        for field in form
        if (value := field.value()) is not None and value is not False
    }
    made = client.post(reverse("study-new"), sent | {"name": name, "preset": "answers"} | more)
    assert made.status_code == 302, made.context["form"].errors
    return Study.objects.get(name=name)


def loaded(client) -> Study:
    study = new_study(client)
    drop(client, study, answers=lines(*ANSWERS))
    load_all(client, study)
    return study


def judging_page(study) -> str:
    """What the first page says to somebody who judges."""
    services.start(study.pk)
    services.catch_up()
    visitor, address = Visitor(), f"/i/{invite(study).reference}/"
    begin(visitor, address)
    return text(visitor.get(address))


def files_page(client, study, **sent: bytes) -> str:
    """Drop CSV files, and return the page that follows."""
    given = [SimpleUploadedFile(f"{name}.csv", content) for name, content in sent.items()]
    return text(client.post(reverse("files", args=[study.slug]), {"files": given}, follow=True))


def findings(client, study, **sent: bytes):
    """Drop CSV files beside those that are there, and return what was found in each, by name."""
    files_page(client, study, **sent)
    return [(row.name, found) for row, found in dry_run.look_over(study, pending_uploads.of(study))]
