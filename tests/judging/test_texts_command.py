"""`manage.py texts`: what assessors read, shown and changed from files, as versions."""

import io

import pytest
from django.core.management import CommandError, call_command

from collection.models import Study
from judging.models import Task, TextVersion
from judging.questions import grading
from tests.judging.studies import make_study

pytestmark = pytest.mark.django_db
GRADES = "0 Nothing\n1 Little\n2 Some\n3 Much\n4 Perfect"


def run(*words) -> str:
    out = io.StringIO()
    call_command("texts", "garden", *words, stdout=out)
    return out.getvalue()


@pytest.fixture
def study():
    study = make_study(asked_by="Ada", contact="ada@example.org", closes_at=None)
    study.tasks.update(instructions="Read both.\nChoose one.", consent="I agree.")
    return study


def file(tmp_path, text):
    path = tmp_path / "text.md"
    path.write_text(text, "utf-8")
    return str(path)


def test_it_shows_them(study):
    shown = run()
    assert "## Instructions\nRead both.\nChoose one.\n" in shown
    assert "## Whom to write to\nada@example.org" in shown


def test_a_change_of_an_open_study_is_a_version_and_shows_what_changes(study, tmp_path):
    before = Study.objects.values().get()
    changed = file(tmp_path, "Read both.\nChoose the better one.")
    with pytest.raises(CommandError, match=r"\(--change\): Say in a sentence"):
        run("--instructions", changed)
    assert not TextVersion.objects.exists()
    said = run("--instructions", changed, "--change", "Which one is meant.")
    assert "-Choose one.\n+Choose the better one.\n" in said
    assert said.endswith("Version 2.\n")
    assert Task.objects.get().instructions == "Read both.\nChoose the better one."
    assert list(TextVersion.objects.order_by("number").values_list("number", "change")) == [
        (1, ""),
        (2, "Which one is meant."),
    ]
    assert Study.objects.values().get() == before
    assert "Nothing changes" in run("--instructions", changed, "--change", "Once more.")
    assert TextVersion.objects.count() == 2


def test_who_asks_is_changed_too(study):
    run("--asked-by", "Grace", "--change", "Another asks.")
    assert Study.objects.get().asked_by == "Grace"
    assert Task.objects.get().consent_version == 2


def test_a_draft_is_changed_without_a_version(study, tmp_path):
    Study.objects.update(opened_at=None)
    assert "draft" in run("--consent", file(tmp_path, "I agree to it."))
    assert Task.objects.get().consent == "I agree to it."
    assert not TextVersion.objects.exists()


def test_texts_of_grading(study, tmp_path):
    with pytest.raises(CommandError, match="asks for no grades"):
        run("--of", "grading")
    grading.put_first(task := grading.usual(study))
    task.save()
    told = run("--of", "grading", "--guidelines", file(tmp_path, GRADES), "--change", "Shorter.")
    assert "+4 Perfect" in told
    with pytest.raises(CommandError, match="belongs to grading"):
        run("--guidelines", file(tmp_path, "x"))


def test_what_cannot_be_read_changes_nothing(study, tmp_path):
    bad = tmp_path / "bad.md"
    bad.write_bytes(b"fine \xff")
    with pytest.raises(CommandError, match=r"not UTF-8: its byte 6 is none"):
        run("--consent", str(bad), "--change", "Never.")
    with pytest.raises(CommandError, match="No such file"):
        run("--consent", str(tmp_path / "none.md"), "--change", "Never.")
    assert Task.objects.get().consent == "I agree."
