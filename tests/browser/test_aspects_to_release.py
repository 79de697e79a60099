"""Answers with aspects, reasons and a sentence, followed from the keys to a release, and back."""

import io
import json
from dataclasses import asdict

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from collection.models import Study
from collection.study import lifecycle, study_deletion
from judging.audit import hash_chain, verification
from judging.batches import answering
from judging.models import Assignment, Judgment
from judging.questions import asking
from judging.tasks.aspects import AspectSettings
from scoring import jobs as scoring_jobs
from tests.browser.batches import press, ready
from tests.judging.organizing import account
from tests.makers import invite, make_study, open_study
from tournament import services as tournament
from web.release.release_loader import load

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def study():
    study = make_study(topics=1, items=6, batch_pairs=3, batch_challenges=0, slug="kept")
    task = asking.task_of(study)
    task.settings = asdict(AspectSettings(aspects="Correct\nClear", reasons="Too long", remark="asked"))
    task.save()
    return open_study(study)


def judged_by_keys(page, address: str) -> None:
    page.goto(address)
    for position in (1, 2, 3):
        ready(page, position)
        for key in ("ArrowLeft", "ArrowRight", "t", "1", "w"):
            page.keyboard.press(key)
        page.keyboard.type("Says it twice")
        press(page, "Enter")
    ready(page, 4)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()


def released(study: Study, folder) -> list[dict]:
    call_command("release", study.slug, str(folder), stdout=io.StringIO())
    return [json.loads(line) for line in (folder / "judgments.jsonl").open()]


def test_what_was_pressed_is_sealed_rebuilt_released_and_loaded_again(page, live_server, study, tmp_path):
    person = invite(study)
    answering.arrive(person.pk)
    judged_by_keys(page, f"{live_server.url}/i/{person.reference}/")
    rows = list(Judgment.objects.order_by("pk"))
    assert [row.value for row in rows] == [1, 1, 1]
    assert Assignment.objects.get().state == Assignment.State.KEPT
    for row in rows:
        assert row.details["aspects"] == {"Correct": -1, "Clear": 0}
        assert (row.details["reasons"], row.remark[16:]) == (["Too long"], "Says it twice")
    hash_chain.seal()
    assert not verification.verify(study).problems
    call_command("rebuild", study.slug, stdout=io.StringIO())
    assert list(Judgment.objects.order_by("pk").values()) == [
        {name: value for name, value in vars(row).items() if not name.startswith("_")} for row in rows
    ]
    lifecycle.close(study.pk)
    tournament.catch_up()
    scoring_jobs.sweep()
    first = released(study, tmp_path / "first")
    assert [row["details"] for row in first] == [row.details for row in rows]
    study_deletion.begin(study.pk)
    study_deletion.carry_out(study.pk)
    loaded = load(tmp_path / "first", organizer=account("alice"))
    assert released(loaded, tmp_path / "second") == first
    hash_chain.seal()
    assert not verification.verify(loaded).problems
