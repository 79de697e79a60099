"""Pages of a study of models in Chromium: columns of a table, the board, groups, pairs, a conversation."""

import json

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from collection.models import Membership, Run, Study
from collection.presets import ANSWERS, PRESETS
from collection.upload import loading
from scoring import jobs
from tests.browser.accessibility import assert_accessible
from tests.browser.test_organizer_pages import PASSWORD, log_in
from tests.formats.layouts import chat
from tests.makers import finish, invite, study_with
from tournament import services

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
MODELS = ("ape", "bat", "a-model-with-a-rather-long-name-2026-11-26")


@pytest.fixture
def models(tmp_path, settings):
    """Alice's: eight prompts in two categories, with a conversation before, answered by three models."""
    settings.MEDIA_ROOT = tmp_path / "media"
    alice = User.objects.create_user("alice", password=PASSWORD, is_staff=True)
    study = study_with(name="Models", slug="models", batch_challenges=0, **PRESETS[ANSWERS])
    Membership.objects.create(study=study, user=alice, role=Membership.Role.ORGANIZER)
    rows = [
        {
            "id": f"c{n}",
            "model": model,
            "category": "even" if n % 2 else "odd",
            "narrative": "Short and right is better than long.",
            "messages": [*chat("Hello", "Hello, what is it?"), *chat(f"Why {n}?", f"**{model}** knows {n}.")],
        }
        for n in range(8)
        for model in MODELS
    ]
    file = tmp_path / "chats.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    loading.load(study, "answers", file)
    return study


def test_a_table_is_mapped_with_the_keyboard_and_loaded(page, live_server, models, tmp_path):
    log_in(page, live_server)
    (tmp_path / "t.csv").write_text(
        "Frage;System A;System B\n" + "Warum denn?;Darum, sage ich.;Nein, sagt er.\n"
    )
    page.goto(f"{live_server.url}/studies/models/files/")
    page.locator("#files").set_input_files(tmp_path / "t.csv")
    page.get_by_role("button", name="Check the files").press("Enter")
    expect(page.get_by_text("What is each column?")).to_be_visible()
    for width, scheme in ((1280, "light"), (320, "dark")):
        page.set_viewport_size({"width": width, "height": 800})
        page.emulate_media(color_scheme=scheme)
        assert_accessible(page, schemes=[scheme])
    expect(page.get_by_label("Frage")).to_have_value("prompt")
    expect(page.get_by_label("System B")).to_have_value("named")
    page.get_by_role("button", name="Use these columns").press("Enter")
    expect(page.get_by_text("1 prompt, 2 answers of 2 models: System-A, System-B")).to_be_visible()
    page.get_by_role("button", name="Load it").press("Enter")
    expect(page.get_by_text("All files that were sent are done.")).to_be_visible()


def test_the_board_of_models_its_groups_and_pairs_are_accessible_and_move(page, live_server, models):
    services.start(models.pk)
    finish(models)
    jobs.sweep()
    Study.objects.filter(pk=models.pk).update(baseline="bat")
    log_in(page, live_server)
    told = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
    page.goto(f"{live_server.url}/studies/models/leaderboard/")
    expect(page.get_by_role("heading", name=f"{MODELS[2]} is better than the baseline bat.")).to_be_visible()
    expect(page.get_by_role("link", name="End judging")).to_be_visible()
    expect(page).to_have_title("✓ Leaderboard · Models · Faceoff")
    expect(page.get_by_role("region", name="Chances of models against each other")).to_be_visible()
    # The dashes of a cell that is not sure are below its counts, not through them.
    below = """cells => cells.map(cell => cell.getBoundingClientRect().bottom
        + parseFloat(getComputedStyle(cell).outlineOffset)
        - cell.querySelector("small").getBoundingClientRect().bottom)"""
    room = page.locator(".heat td.unsure:has(small)").evaluate_all(below)
    assert room
    assert min(room) >= 0
    for path in ("leaderboard/", "leaderboard/groups/", "leaderboard/pairs/", "leaderboard/topics/"):
        page.goto(f"{live_server.url}/studies/models/{path}")
        for width, scheme in ((1280, "light"), (320, "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            assert_accessible(page, path, schemes=[scheme])
    # What is said of judgments is as wide as what is said of means.
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/studies/models/leaderboard/groups/")
    expect(page.locator(".by-group")).to_have_count(2)
    assert len(set(page.locator(".by-group").evaluate_all("all => all.map((one) => one.offsetWidth)"))) == 1
    # Many runs have low rows; on a phone a group has a line, with its drawing.
    page.locator(".by-group").first.evaluate("table => table.classList.add('many')")
    assert page.get_by_role("row", name="ape").first.bounding_box()["height"] <= 28
    page.set_viewport_size({"width": 390, "height": 844})
    lines = page.locator(".by-group:not(.trust) td:has(svg)")
    assert lines.count() == 9
    assert max(lines.evaluate_all("cells => cells.map((cell) => cell.offsetHeight)")) <= 28
    expect(lines.first.locator("svg")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(f"{live_server.url}/studies/models/leaderboard/topics/")
    # Few columns begin with their numbers.
    number = page.locator(".dense td .number").first
    assert number.bounding_box()["width"] > 20
    page.get_by_label("Numbers").uncheck()
    assert number.bounding_box()["width"] <= 1
    assert told == []


def test_who_judges_unfolds_the_conversation_before(page, live_server, models):
    services.start(models.pk)
    services.catch_up()
    page.goto(f"{live_server.url}/i/{invite(models).reference}/")
    page.locator("form.begin button").first.click()
    before = page.get_by_text("Hello, what is it?").first
    expect(before).to_be_hidden()
    page.get_by_text("The conversation before").first.press("Enter")
    expect(before).to_be_visible()
    expect(page.get_by_text("Short and right is better than long.").first).to_be_visible()
    assert_accessible(page)
    assert Run.objects.filter(study=models).count() == 3


def test_a_field_for_a_number_is_as_wide_as_one_and_stands_beside_what_opening_fixes(
    page, live_server, models
):
    log_in(page, live_server)
    page.goto(f"{live_server.url}/studies/models/start/")
    field, fixed = page.locator("#most"), page.get_by_role("heading", name="What cannot change after opening")
    assert field.bounding_box()["width"] < 150
    assert field.bounding_box()["x"] > 600 > fixed.bounding_box()["x"]
