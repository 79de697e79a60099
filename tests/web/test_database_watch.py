"""What other processes write reaches the pages that are followed, also without Redis."""

import json
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection.models import Membership
from collection.study import lifecycle
from config import broadcast
from judging.batches import answering
from scoring import jobs
from scoring.board import standings
from tests.judging.organizing import account, logged_in, staff_of
from tests.makers import add_run, answer, invite, make_study, open_study, sit
from web.live import database_watch, live_board

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = staff_of(make_study(topics=2, items=4, batch_pairs=6, batch_challenges=0))
    for name, order in (("good", "abcd"), ("bad", "dcba")):
        add_run(study, name, {t: [f"{t}-{letter}" for letter in order] for t in ("t1", "t2")})
    return open_study(study)


@pytest.fixture
def sent(monkeypatch):
    """Messages that this process sent, as (channel, what)."""
    found: list[tuple[str, dict]] = []
    monkeypatch.setattr(
        broadcast, "send", lambda channel, text: found.append((channel, json.loads(text or "{}")))
    )
    return found


@pytest.fixture
def elsewhere(monkeypatch):
    """A function: do something as another process would, whose cache and stream are its own."""

    def do(act):
        with monkeypatch.context() as patched:
            patched.setattr(broadcast, "send", lambda *_: None)
            patched.setattr(cache, "set", lambda *_, **__: None)
            patched.setattr(cache, "delete", lambda *_, **__: None)
            act()

    return do


@pytest.fixture(autouse=True)
def _nobody_follows():
    live_board._followers.clear()
    yield
    live_board._followers.clear()


def opened(study, name="leaderboard", who="bob") -> tuple[str, str]:
    """Open a page that is followed: the address that it asks, and the version that it shows."""
    page = logged_in(who).get(reverse(name, args=[study.slug])).content.decode()
    (address,) = re.findall(r'data-live="([^"]+)"', page)
    (version,) = re.findall(r'data-version="([^"]+)"', page)
    return address.replace("&amp;", "&"), version.replace("&quot;", '"')


def judge(study):
    sit(invite(study))
    standings.standing_written.disconnect(dispatch_uid="web")
    standings.standing_written.disconnect(dispatch_uid="web.topics")
    jobs.sweep()


@pytest.fixture
def written(study, elsewhere):
    """A function: another process has a batch judged, and writes the standing."""
    from django.apps import apps

    yield lambda: elsewhere(lambda: judge(study))
    apps.get_app_config("web").ready()


def compare():
    database_watch.compare(live_board.followers())


def test_a_standing_of_another_process_is_sent_to_who_watches_as_any_other(study, written, sent):
    address, version = opened(study)
    for _ in range(2):
        written()
        assert Client().get(address, headers={"If-None-Match": version}).status_code == 304
        compare()
        channel, message = sent[-1]
        assert channel == f"board:{study.pk}:{study.persistence}"
        assert (message["base"], message["pieces"] != {}) == (version.strip('"'), True)
        answer = Client().get(address, headers={"If-None-Match": version})
        assert (answer.status_code, answer["ETag"]) == (200, f'"{message["version"]}"')
        version = answer["ETag"]
    compare()
    assert len(sent) == 2


def test_the_page_of_topics_follows_too(study, written):
    address, version = opened(study, "topics")
    assert Client().get(address, headers={"If-None-Match": version}).status_code == 304
    written()
    assert Client().get(address, headers={"If-None-Match": version}).status_code == 304
    compare()
    assert Client().get(address, headers={"If-None-Match": version}).status_code == 200


def test_who_is_removed_by_a_command_is_told_by_the_stream_and_who_comes_back_follows(study, elsewhere, sent):
    opened(study)
    opened(study, who="alice")
    bob = account("bob")
    gone = f"left:{study.pk}:{bob.pk}"
    elsewhere(lambda: lifecycle.remove_member(study.pk, bob.pk))
    compare()
    compare()
    assert sent == [(gone, {})]
    assert cache.get(gone)
    elsewhere(lambda: Membership.objects.create(study=study, user=bob, role="coordinator"))
    compare()
    assert cache.get(gone) is None


def test_a_superuser_follows_without_a_part(study, sent):
    root = account("root")
    root.is_superuser = True
    root.save()
    opened(study, who="root")
    compare()
    assert sent == []


def test_nothing_is_asked_while_nothing_is_followed(study):
    with CaptureQueriesContext(connection) as captured:
        assert not database_watch.DatabaseWatch().look()
    assert len(captured) == 0


def test_a_board_says_what_is_true_no_matter_who_ended_judging(study):
    answer(answering.arrive(invite(study).pk), most=1)
    jobs.sweep()
    client, address = logged_in("bob"), reverse("leaderboard", args=[study.slug])
    assert "Next comes" in client.get(address).content.decode()
    lifecycle.close(study.pk)
    assert "Next comes" not in client.get(address).content.decode()
    lifecycle.reopen(study.pk)
    assert "Next comes" in client.get(address).content.decode()
