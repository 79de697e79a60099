"""`manage.py demo`: both studies from nothing, and nothing more at the second call."""

import json
import re
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

import pytest
from django.contrib.auth.models import User
from django.core.files.storage import default_storage
from django.core.management import call_command

from collection.models import Item, Membership, Study
from config.task_queue import send_gathered
from judging.models import Assignment, Judgment
from panels import money
from scoring.board import leaderboard
from simulation.demo import paid, welcome
from simulation.demo.material import TEXT, read_truth
from simulation.demo.studies import PASSAGES, PICTURES, make
from simulation.turkers import text_of
from tests.judging.files import everything
from tests.judging.studies import make_study
from tournament.models import Tournament


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_the_demonstration_is_made_once_and_goes_on_where_it_was_cut_short(
    settings, tmp_path, capsys, client
):
    """The first start ends after two of the first study's batches; the second one does the rest; the third
    one nothing. Organizer and coordinator see both studies with the passwords that were printed.
    """
    settings.DATA_DIR = tmp_path
    settings.MEDIA_ROOT = tmp_path / "media"
    settings.GATHER_SECONDS = 60.0  # not scored anew at every answer, but as its process ends
    people = [User.objects.create_user(name) for name in ("organizer", "coordinator")]
    make(replace(PASSAGES, batches=2), *people, lambda words: None)
    assert Assignment.objects.count() == 2
    User.objects.all().delete()

    call_command("demo", "--address", "http://127.0.0.1:9999/")
    send_gathered()
    first = capsys.readouterr().out
    assert "http://127.0.0.1:9999/studies/passages/leaderboard/" in first
    for recipe in (PASSAGES, PICTURES):
        study = Study.objects.get(slug=recipe.slug)
        assert f"http://127.0.0.1:9999/join/{study.join_token}/" in first
        handed_in = Assignment.objects.filter(assessor__study=study, submitted_at__isnull=False)
        assert handed_in.count() == recipe.batches
        states = set(Tournament.objects.filter(topic__study=study).values_list("finished", flat=True))
        assert False in states  # something is left to judge for anyone who comes
        board = leaderboard.board(study, study.persistence)
        assert len(board.rows) >= 3
        assert all(row.means["pgc"].value is not None for row in board.rows)
        assert (
            board.judgments == Judgment.objects.counting().filter(question__topic__study=study).count() > 50
        )
    assert all(default_storage.exists(item.image.name) for item in Item.objects.exclude(image=""))

    rows = everything()
    call_command("demo", "--address", "http://127.0.0.1:9999/")
    send_gathered()
    second = capsys.readouterr().out
    assert everything() == rows
    assert second.strip() == first[first.index("Faceoff ") :].strip()
    for name, password in re.findall(r"log in as +(\w+) +password +(\S+)", first):
        assert client.login(username=name, password=password)
    assert set(Membership.objects.values_list("user__username", "study__slug", "role")) == {
        (role, slug, role) for role in ("organizer", "coordinator") for slug in ("passages", "pictures")
    }


def test_there_is_no_welcome_before_everything_is_there(settings, tmp_path, db, monkeypatch):
    """So a start that was cut short goes on where it was: passwords, accounts, studies."""
    settings.DATA_DIR = tmp_path
    there = {slug: Study.objects.create(slug=slug, name=slug, join_token=slug) for slug in welcome.RECIPES}
    monkeypatch.setattr(welcome, "made", lambda recipe: there.get(recipe.slug))
    address = "http://127.0.0.1:9999/"
    assert welcome.welcome(address) == ""
    welcome.keep(welcome.new_logins())
    assert welcome.welcome(address) == ""
    for name in welcome.NAMES:
        User.objects.create_user(name)
    assert "http://127.0.0.1:9999/join/pictures/" in welcome.welcome(address)
    del there["pictures"]
    assert welcome.welcome(address) == ""


def test_the_paid_campaign_is_made_once_where_a_marketplace_is_emulated(settings, db):
    """Its money is set aside for the first wave, and nothing is published before the emulator is asked."""
    settings.MTURK_MODE, settings.MTURK_EMULATOR_URL = "sandbox", ""
    assert not paid.wanted()
    settings.MTURK_MODE, settings.MTURK_EMULATOR_URL = "emulator", "http://127.0.0.1:9"
    assert paid.wanted()
    study = make_study(slug="paid", asked_by="Ada", contact="ada@example.org")
    made = paid.offer(study)
    campaign = paid.offer(study)
    assert campaign == made
    assert (campaign.state, campaign.slots.count(), money.budget_of(campaign).committed) == (
        "running",
        paid.FIRST,
        Decimal("24.00"),
    )


def test_simulated_workers_know_every_passage_by_its_text():
    prefer = paid.judge()
    truth = read_truth(TEXT)
    lines = (TEXT / "items.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    for one, other in pairwise(items):
        gap = truth[one["topic"]][one["docno"]] - truth[other["topic"]][other["docno"]]
        expected = 0 if abs(gap) < paid.ALIKE else 1 if gap > 0 else -1
        assert prefer(text_of(one["text"]), text_of(other["text"])) == expected
