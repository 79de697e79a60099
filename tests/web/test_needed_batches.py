"""Batches that a study still needs: one number on every page and in the command, at every state."""

import json
import re
from math import ceil

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Study
from judging.models import Task
from panels.recruitment.cost_estimate import with_repeats
from tests.judging.organizing import staff_of, text
from tests.makers import finish, invite, make_study, sit
from tests.panels.campaigning import campaign_of
from tournament import services
from tournament.remaining_work import left
from web.forecast import needs
from web.forecast.needs import has_enough_places, needed

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return staff_of(make_study(topics=3, items=6, k=2, final_size=4, pairings=3, batch_pairs=4))


def on_the_campaign(client, study: Study, campaign) -> tuple[str, str]:
    said = text(client.get(reverse("campaign", args=[study.slug, campaign.pk])))
    return re.search(r"The study is expected to need ([\d,]+) batch", said)[1], said  # type: ignore[index]


def by_command(study: Study, capsys) -> dict:
    capsys.readouterr()
    call_command("campaign", study.slug, "estimate", "--json")
    return json.loads(capsys.readouterr().out)


def test_page_command_and_progress_say_the_same_from_the_draft_to_the_end(study, alice, capsys):
    campaign = campaign_of(study)
    states = {}
    for state in ("draft", "a first wave", "all open", "half judged", "finished"):
        if state == "a first wave":
            services.start(study.pk, 1)
            services.catch_up()
        elif state == "all open":
            services.start(study.pk)
            services.catch_up()
        elif state == "half judged":
            for _ in range(3):
                sit(invite(study))
            services.catch_up()
        elif state == "finished":
            finish(study)
        study = Study.objects.get(pk=study.pk)
        found = needed(study)
        open_judgments = sum(one.about for one in left(study))
        assert found.open == ceil(open_judgments / 4)
        said, _ = on_the_campaign(alice, study, campaign)
        told = by_command(study, capsys)
        assert int(said) == found.open + found.further
        assert told["sittings that the study is expected to need"] == int(said)
        if open_judgments:
            progress = text(alice.get(reverse("progress", args=[study.slug])))
            assert f"judgments still needed, about {open_judgments} batch" in progress
            batches = with_repeats(found.open, checked=True)
            assert re.search(rf"batch(es)?[a-z0-9,; ]* {batches} ", progress)
        states[state] = (found.open > 0, found.further > 0)
    assert states == {
        "draft": (False, True),
        "a first wave": (True, True),
        "all open": (True, False),
        "half judged": (True, False),
        "finished": (False, False),
    }


def test_whether_places_are_enough_is_known_without_all_that_is_done(
    study, monkeypatch, django_assert_max_num_queries
):
    for most in (1, None):
        services.start(study.pk, most)
        services.catch_up()
        study, found = Study.objects.get(pk=study.pk), needed(study)
        for out in (0, 1, found.places(0) - 1, found.places(0)):
            monkeypatch.setattr(needs, "places_out", lambda _, out=out: out)
            assert has_enough_places(study) == bool(out and not found.places(out))
    # No item is read, which would take longer in a larger study.
    with django_assert_max_num_queries(8) as read:
        has_enough_places(study)
    assert not any("collection_item" in one["sql"] for one in read.captured_queries)


def test_the_two_parts_are_told_apart_where_there_are_both(study, alice):
    campaign = campaign_of(study)
    services.start(study.pk, 1)
    services.catch_up()
    found = needed(Study.objects.get(pk=study.pk))
    _, said = on_the_campaign(alice, study, campaign)
    assert f"{found.open} of topics that are open, and {found.further} of those that are not open yet" in said
    opening = text(alice.get(reverse("tournament-start", args=[study.slug])))
    assert f"those that are open are expected to need {found.open} more batches" in opening
    progress = text(alice.get(reverse("progress", args=[study.slug])))
    assert f"they are expected to take {found.further} batches" in progress


def test_without_challenges_no_share_fails_and_the_page_warns(study, alice, capsys):
    campaign = campaign_of(study)
    _, said = on_the_campaign(alice, study, campaign)
    assert "fail their challenges" in said
    assert "No paid answer is checked" not in said
    Task.objects.filter(study=study).update(batch_challenges=0)
    needs, said = on_the_campaign(alice, study, campaign)
    assert "fail their challenges" not in said
    assert "No paid answer is checked" in said
    told = by_command(study, capsys)
    assert told["with those that fail and are asked again"] == int(needs)
    assert "No paid answer is checked" in told["warning"]
