"""Following a leaderboard: what costs nothing while nothing changes, what is sent, and who may follow."""

import gzip
import json
import re

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from collection.credentials import accounts
from collection.models import Membership, Study
from collection.study import lifecycle
from config import broadcast
from judging.batches import answering
from judging.models import QuestionRole
from scoring import jobs
from scoring.board import standings
from tests.judging.organizing import account, logged_in, staff_of
from tests.makers import Choice, add_run, answer, invite, make_study, open_study, record, sit
from web.live import live_board
from web.live.axis import WHOLE
from web.shared import streaming

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _redis(settings):
    """As where every process has one cache: otherwise the database is asked who still has a part."""
    settings.REDIS_URL = "redis://shared"


@pytest.fixture(scope="module")
def unjudged(module_data):
    """Two topics, three runs, nothing judged."""
    study = staff_of(make_study(topics=2, items=4, batch_pairs=6, batch_challenges=0))
    for name, order in (("good", "abcd"), ("bad", "dcba"), ("odd", "bdca")):
        add_run(study, name, {t: [f"{t}-{letter}" for letter in order] for t in ("t1", "t2")})
    return open_study(study).pk


@pytest.fixture
def study(db, unjudged):
    return Study.objects.get(pk=unjudged)


@pytest.fixture
def messages(monkeypatch):
    """Messages that were sent to those who watch, as (channel, what)."""
    found: list[tuple[str, dict]] = []
    monkeypatch.setattr(
        broadcast, "send", lambda channel, text: found.append((channel, json.loads(text or "{}")))
    )
    return found


def opened(study, who="bob") -> tuple[str, str]:
    """Open the leaderboard; the address that its page asks, and the version that it shows."""
    page = logged_in(who).get(reverse("leaderboard", args=[study.slug])).content.decode()
    (address,) = re.findall(r'data-board-part data-live="([^"]+)"', page)
    (version,) = re.findall(r'data-version="([^"]+)"', page)
    return address, version.replace("&quot;", '"')


def ask(address, version=None):
    return Client().get(address, headers={"If-None-Match": version} if version else {})


def test_asking_needs_no_login_and_no_query_while_nothing_is_new(study):
    sit(invite(study))
    jobs.sweep()
    address, version = opened(study)
    ask(address)
    with CaptureQueriesContext(connection) as captured:
        response = ask(address, version)
    assert (response.status_code, response.content, response["ETag"]) == (304, b"", version)
    assert len(captured) == 0


def test_a_message_begins_at_the_one_before_it_no_matter_who_asked_in_between(study, messages):
    """A page that asks between the writing of a standing and its message has it rendered."""
    address, version = opened(study)
    sit(invite(study))
    standings.standing_written.disconnect(dispatch_uid="web")
    try:
        jobs.sweep()
    finally:
        standings.standing_written.connect(live_board.spread, dispatch_uid="web")
    cache.delete(live_board._version(study.pk))  # as when it has run out
    assert ask(address, version).status_code == 200
    live_board.spread(standings.latest(study))
    assert messages[-1][1]["base"] == version.strip('"')


def test_a_writer_that_comes_late_sends_nothing(study, messages):
    opened(study)
    first = standings.latest(study)
    sit(invite(study))
    jobs.sweep()
    sent = len(messages)
    live_board.spread(first)
    assert (len(messages), sent) == (sent, 1)


def test_axes_stay_while_judgments_come_and_what_is_said_of_them_is_a_piece(study, messages):
    """Axes that followed the means would let dots move while their numbers stay."""
    opened(study)
    view = live_board.View(study.persistence)
    frame = cache.get(live_board._board(study.pk, view)).frame
    sit(invite(study))
    jobs.sweep()
    assert "scales" in messages[-1][1]["pieces"]
    # So is the best possible mean in the head of a column.
    assert re.search(r"possible 0\.\d{3}<", messages[-1][1]["pieces"]["most-pgc"])
    assert not {"axes", "axes-below"} & messages[-1][1]["pieces"].keys()
    assert set(cache.get(live_board._axes(study.pk, view)).values()) == {WHOLE}
    assert cache.get(live_board._board(study.pk, view)).frame == frame


def test_what_is_new_is_rendered_once_for_all_who_ask(study):
    first, version = opened(study)
    second, _ = opened(study, "alice")
    sit(invite(study))
    jobs.sweep()
    with CaptureQueriesContext(connection) as captured:
        found = [ask(address, version) for address in (first, second)]
    assert [response.status_code for response in found] == [200, 200]
    assert found[0].content == found[1].content != b""
    assert len(captured) == 0


def test_it_comes_compressed_to_somebody_who_takes_that(study):
    address, _ = opened(study)
    plain = ask(address)
    packed = Client().get(address, headers={"Accept-Encoding": "gzip, br"})
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == plain.content


def test_without_the_cache_it_is_right_too(study):
    address, version = opened(study)
    cache.clear()
    assert ask(address, version).status_code == 200
    sit(invite(study))
    jobs.sweep()
    cache.clear()
    response = ask(address, version)
    assert response["ETag"] != version
    assert "1 of 2 topics" in re.sub(r"<[^>]+>", "", response.content.decode())


def test_every_scored_answer_and_correction_and_run_is_something_new(study):
    assignment = answering.arrive(invite(study).pk)
    address, version = opened(study)
    seen = [version]

    def expect_new() -> None:
        jobs.sweep()
        response = ask(address, seen[-1])
        assert response.status_code == 200
        seen.append(response["ETag"])

    answer(assignment, most=4)  # at least one of them is no challenge
    expect_new()
    pair = assignment.batch.filter(role=QuestionRole.COUNTS).first()
    record(assignment.pk, pair.question_id, Choice.TIE, nonce="another")
    expect_new()
    add_run(study, "late", {"t1": ["t1-a"]})
    expect_new()
    assert len(set(seen)) == 4


# Who may


def test_an_address_dies_with_the_membership_and_comes_back_with_it(study):
    address, version = opened(study)
    bob = account("bob")
    lifecycle.remove_member(study.pk, bob.pk)
    assert ask(address, version).status_code == 403
    assert logged_in("bob").get(reverse("leaderboard-renew", args=[study.slug])).status_code == 404
    Membership.objects.create(study=study, user=bob, role="coordinator")
    assert ask(address, version).status_code == 304


def test_an_address_dies_with_the_account(study):
    address, _ = opened(study)
    accounts.disable(account("bob").pk)
    assert ask(address).status_code == 403


@pytest.mark.parametrize("change", [lambda t: t[:-1], lambda t: "9" + t, lambda t: "x"])
def test_an_address_that_is_not_ours_leads_nowhere(study, change):
    address, _ = opened(study)
    token = address.split("/")[2]
    assert ask(f"/live/{change(token)}/").status_code == 403


def test_an_address_lives_for_a_while_and_is_renewed_by_members(study, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(live_board, "WATCH_SECONDS", 0)
        address, version = opened(study)
    assert ask(address, version).status_code == 403
    renewed = logged_in("bob").get(reverse("leaderboard-renew", args=[study.slug])).json()
    assert ask(renewed["poll"], version).status_code == 304


# What is sent


def test_only_pieces_that_changed_are_sent_and_together_they_are_the_whole(study, messages):
    """A plain page: the pieces put in place of the old ones, in their order."""
    opened(study)
    sit(invite(study))
    jobs.sweep()
    assignment = answering.arrive(invite(study).pk)
    for most in (4, 13):
        before = cache.get(f"board:{study.pk}:{study.persistence}")
        answer(assignment, most=most)
        jobs.sweep()
        after = cache.get(f"board:{study.pk}:{study.persistence}")
        channel, message = messages[-1]
        assert channel == f"board:{study.pk}:{study.persistence}"
        assert (message["base"], message["version"]) == (before.version, after.version)
        assert all(before.pieces[name] != html for name, html in message["pieces"].items())
        pieces = before.pieces | message["pieces"]
        order = message.get("order", list(before.pieces))
        assert [(name, pieces[name]) for name in order] == list(after.pieces.items())
        assert before.frame == after.frame


def test_where_the_frame_changed_the_whole_is_asked_for(study, messages):
    opened(study)
    jobs.sweep()
    add_run(study, "late", {"t1": ["t1-a"]})
    jobs.sweep()
    _, message = messages[-1]
    assert message.keys() == {"version"}


def test_nothing_is_rendered_that_nobody_watches(study, messages):
    sit(invite(study))
    jobs.sweep()
    assert messages == []


@pytest.mark.parametrize("p", ["", "?p=x", "?p=nan", "?p=2"])
def test_an_address_is_renewed_at_the_studys_persistence_where_none_is_said(study, p):
    _, version = opened(study)
    renewed = logged_in("bob").get(reverse("leaderboard-renew", args=[study.slug]) + p).json()
    assert ask(renewed["poll"], version).status_code in (200, 304)


@pytest.mark.parametrize("who", ["bob", "alice"])
def test_a_part_that_another_process_ended_ends_what_is_followed_without_redis(study, settings, who):
    """Its cache is not the one of the pages: the mark of who left is not there."""
    settings.REDIS_URL = ""
    address, _ = opened(study, who)
    assert ask(address).status_code == 200
    member = Membership.objects.get(study=study, user__username=who)
    role = member.role
    member.delete()
    cache.clear()
    assert ask(address).status_code == 403
    # And the other way round: the mark of this process is there, and no longer true.
    user = account(who)
    Membership.objects.bulk_create([Membership(study=study, user=user, role=role)])
    live_board.revoke(study.pk, user.pk)
    assert ask(address).status_code == 200


def test_a_superuser_follows_without_a_part(study, settings):
    settings.REDIS_URL = ""
    root = account("root")
    root.is_superuser = True
    root.save()
    address, _ = opened(study, "root")
    assert ask(address).status_code == 200


def test_the_hub_forgets_messages_that_every_page_has(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(streaming.time, "monotonic", lambda: now[0])
    hub = streaming.Hub()
    for number in range(100):
        hub.put(f"board:{number}:0.8", "{}")
    now[0] += streaming.KEPT_SECONDS + 1
    hub.put("board:7:0.8", '{"version":"2"}')
    assert list(hub.latest) == ["board:7:0.8"]
    with hub.mailbox("board:7:0.8", "left:7:1") as mailbox:
        assert mailbox.get_nowait() == b'data: {"version":"2"}\n\n'


@pytest.mark.parametrize("end", [lifecycle.close, lifecycle.pause])
def test_what_comes_next_goes_from_an_open_page_when_judging_ends(
    study, messages, end, django_capture_on_commit_callbacks
):
    answer(answering.arrive(invite(study).pk), most=1)
    jobs.sweep()
    address, version = opened(study)
    assert "Next comes" in ask(address).content.decode()
    for steer, comes in ((end, False), (lifecycle.reopen, True)):
        with django_capture_on_commit_callbacks(execute=True):
            steer(study.pk)
        assert messages[-1][1].keys() == {"version"}  # the page is to fetch the whole
        said = ask(address, version)
        assert ("Next comes" in said.content.decode()) == comes
        version = said.headers["ETag"]
