"""Notices to members: what happened is told once, in few messages, by mail and by signed webhooks.

The other sides are real: an HTTP server of this machine, and a mail server that speaks SMTP.
"""

import hashlib
import hmac
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from django.core.cache import cache
from django.db import IntegrityError, transaction
from django.test import TestCase
from django.urls import reverse
from django.utils import timezone

from collection import notices, webhooks
from collection.models import Delivery, Event, Membership, Told, Watch
from judging.noticing import failing_challenges
from tests.judging.organizing import account, judge_batch, logged_in, queries, staff_of, text
from tests.makers import finish, invite, later, make_study, open_study
from tests.panels.mailing import mail_server
from tests.servers import free_port
from web import jobs, noticing

pytestmark = pytest.mark.django_db
EVERYTHING = {"topics": True, "stalls": True, "challenges": True}


class Receiver:
    """A web server that keeps what is posted to it. status: what it answers next, else 204."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status: list[int] = []
        self.location = ""
        self.url = ""

    @property
    def bodies(self) -> list[dict]:
        return [json.loads(body) for _, body in self.got]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    found = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.got.append((dict(self.headers), body))
            self.send_response(found.status.pop(0) if found.status else 204)
            if found.location:
                self.send_header("Location", found.location)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}/hook?a=b"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield found
    server.shutdown()
    server.server_close()


@pytest.fixture(autouse=True)
def to_this_machine(settings):
    cache.clear()
    settings.WEBHOOKS_TO_PRIVATE = True
    settings.PUBLIC_URL = "https://judging.example.org"


@pytest.fixture
def study():
    return staff_of(open_study(make_study(topics=2, items=3, slug="s", batch_challenges=0)))


def bobs(study, **wanted) -> Watch:
    given = {"topics": False, "stalls": False, "challenges": False, "mail": False, "webhook": ""}
    return noticing.watch(study, account("bob").pk, **(given | wanted))


def sent() -> list[tuple[str, str, str]]:
    return list(Delivery.objects.order_by("pk").values_list("kind", "way", "state"))


@contextmanager
def hours(n: float) -> Iterator[None]:
    with later(minutes=60 * n):
        yield


def test_a_topic_that_ends_is_told_once_and_the_body_is_signed(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    finish(study)
    for _ in range(3):
        jobs.sweep_notices()
    [(headers, body)] = receiver.got
    told = json.loads(body)
    assert told["study"] == "s"
    assert told["event"] == "topic"
    assert [event["name"] for event in told["events"]] == ["t1", "t2"]
    assert told["text"].startswith(f"{study.name}: 2 topics ended: t1 and t2.")
    assert told["link"] == "https://judging.example.org/studies/s/topics/"
    # By hand, as whoever receives it would.
    at, mac = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", headers["Faceoff-Signature"]).groups()
    secret = notices.secret_of(watch).encode()
    assert hmac.new(secret, at.encode() + b"." + body, hashlib.sha256).hexdigest() == mac
    assert headers["Faceoff-Delivery"] == str(Delivery.objects.get().pk)
    assert sent() == [("topic", "webhook", "sent")]
    assert Delivery.objects.get().outcome == "204 No Content"


def test_topics_that_end_in_quick_succession_come_together(receiver):
    study = staff_of(open_study(make_study(topics=3, items=2, slug="s", batch_challenges=0)))
    bobs(study, topics=True, webhook=receiver.url)
    for name in ("t1", "t2", "t3"):
        notices.record(study, "topic", {name: {"name": name}})
        jobs.sweep_notices()
    assert [len(body["events"]) for body in receiver.bodies] == [1]
    with later(minutes=9):
        jobs.sweep_notices()
    assert len(receiver.got) == 1
    with later(minutes=11):
        jobs.sweep_notices()
        jobs.sweep_notices()
    assert [[event["name"] for event in body["events"]] for body in receiver.bodies] == [["t1"], ["t2", "t3"]]


def test_what_happened_before_somebody_asked_is_not_told(study, receiver):
    finish(study)
    bobs(study, topics=True, webhook=receiver.url)
    jobs.sweep_notices()
    assert receiver.got == []
    assert Told.objects.filter(delivery=None).count() == 2
    # Nor is what somebody else was told already, by a way that is added.
    notices.record(study, "topic", {"x": {"name": "x"}})
    jobs.sweep_notices()
    account("bob").__class__.objects.filter(username="bob").update(email="bob@example.org")
    bobs(study, topics=True, webhook=receiver.url, mail=True)
    with later(minutes=11), mail_server() as office:
        jobs.sweep_notices()
    assert (len(receiver.got), office.to) == (1, [])


def test_the_database_takes_an_event_once_and_its_telling_once(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    notices.record(study, "topic", {"1": {"name": "t1"}})
    notices.record(study, "topic", {"1": {"name": "other"}})
    event = Event.objects.get(key="1")
    assert event.about == {"name": "t1"}
    notices.gather(study)
    with pytest.raises(IntegrityError), transaction.atomic():
        Event.objects.create(study=study, kind="topic", key="1")
    with pytest.raises(IntegrityError), transaction.atomic():
        Told.objects.create(watch=watch, way="webhook", event=event)


def test_mail_goes_to_the_accounts_address_and_only_once(study):
    user = account("bob")
    user.email = "bob@example.org"
    user.save()
    bobs(study, topics=True, mail=True)
    finish(study)
    with mail_server() as office:
        jobs.sweep_notices()
        jobs.sweep_notices()
        [(address, mail)] = office.mails
    assert address == "bob@example.org"
    assert mail["Subject"] == f"{study.name}: 2 topics ended"
    assert "2 topics ended: t1 and t2." in mail.get_payload()
    assert "https://judging.example.org/studies/s/topics/" in mail.get_payload()
    assert Delivery.objects.get().outcome == "taken by the mail server"


def test_mail_that_perhaps_went_out_is_not_sent_again_and_one_that_did_not_is(study):
    account("bob").__class__.objects.filter(username="bob").update(email="bob@example.org")
    watch = bobs(study, topics=True, mail=True)
    with mail_server() as office:
        office.dies_after = {"bob@example.org"}
        notices.record(study, "topic", {"1": {"name": "t1"}})
        jobs.sweep_notices()
        assert sent() == [("topic", "mail", "doubt")]
        jobs.sweep_notices()
        assert len(office.mails) == 1
        office.dies_after = set()
        office.refused = {"bob@example.org": "450 bob@example.org later"}
        with later(minutes=11):
            notices.record(study, "topic", {"2": {"name": "t2"}})
            jobs.sweep_notices()
        last = Delivery.objects.latest("pk")
        assert (last.state, last.outcome) == ("waiting", "The mail server answered 450 the address later")
        office.refused = {}
        with later(minutes=13):
            jobs.sweep_notices()
        assert len(office.mails) == 2
    # A process that died while a mail went out leaves a doubt.
    one = notices.try_out(watch, "mail")
    Delivery.objects.filter(pk=one.pk).update(state="sending", claimed_until=timezone.now())
    assert notices.claim(one.pk) is None
    assert Delivery.objects.get(pk=one.pk).state == "doubt"


def test_a_webhook_that_fails_is_tried_again_later_and_later_and_in_the_end_given_up(study, receiver):
    bobs(study, topics=True, webhook=receiver.url)
    notices.record(study, "topic", {"1": {"name": "t1"}})
    receiver.status = [500] * 99
    waits, minutes = [], 0.0
    for _ in range(notices.MOST_ATTEMPTS):
        with later(minutes=minutes):
            jobs.sweep_notices()
            one = Delivery.objects.get()
            if one.state == "waiting":
                waits.append(round((one.not_before - timezone.now()).total_seconds() / 60))
                jobs.sweep_notices()  # too early: nothing is sent
                minutes += waits[-1] + 0.1
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60]
    assert len(receiver.got) == 13
    assert one.state == "failed"
    assert one.outcome == "Given up after 13 attempts: It answered 500 Internal Server Error."
    assert len({headers["Faceoff-Delivery"] for headers, _ in receiver.got}) == 1


def test_gone_is_final_redirects_are_not_followed_and_nobody_at_home_is_said(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    receiver.status = [410]
    notices.record(study, "topic", {"1": {"name": "t1"}})
    jobs.sweep_notices()
    assert Delivery.objects.get().state == "failed"
    receiver.status, receiver.location = [302], receiver.url
    noticing.send(notices.try_out(watch, "webhook").pk)
    assert Delivery.objects.latest("pk").outcome == "It answered 302 Found."
    assert len(receiver.got) == 2
    watch = bobs(study, topics=True, webhook=f"http://127.0.0.1:{free_port()}/")
    noticing.send(notices.try_out(watch, "webhook").pk)
    last = Delivery.objects.latest("pk")
    assert (last.state, last.outcome) == ("failed", "It could not be reached (ConnectError).")


def test_a_webhook_whose_sender_died_is_posted_again(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    one = notices.try_out(watch, "webhook")
    assert notices.claim(one.pk) is not None
    noticing.send_due()
    assert receiver.got == []
    with later(minutes=4):
        noticing.send_due()
    assert [body["delivery"] for body in receiver.bodies] == [one.pk]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/x",
        "https://10.1.2.3/",
        "https://192.168.0.1:8443/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://224.0.0.1/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://[fe80::1]/",
        "https://[fc00::1]/",
        "https://[::127.0.0.1]/",
        "https://[fec0::1]/",
        "https://[64:ff9b:1::7f00:1]/",
        "https://192.88.99.1/",
        "https://name:word@example.org/",
        "ftp://example.org/",
        "https:///x",
        "https://example.org:99999/",
        "nonsense",
    ],
)
def test_addresses_of_this_network_are_refused_by_their_letters(settings, url):
    settings.WEBHOOKS_TO_PRIVATE = False
    assert webhooks.problem(url)
    with pytest.raises(webhooks.Forbidden):
        webhooks.post(url, {}, secret="s", number=1)


@pytest.mark.parametrize(
    "url", ["https://localhost/", "https://2130706433/", "https://127.1/", "https://0x7f.1/"]
)
def test_names_of_this_network_are_refused_where_they_are_looked_up(settings, url):
    settings.WEBHOOKS_TO_PRIVATE = False
    with pytest.raises(webhooks.Forbidden):
        webhooks.post(url, {}, secret="s", number=1)


def test_the_address_that_was_looked_at_is_connected_to(receiver, monkeypatch):
    """It is looked up once: a name that means another machine at the second look leads nowhere else."""
    port = int(receiver.url.split(":")[2].split("/")[0])
    asked = []

    def lookup(host, *_, **__):
        asked.append(host)
        return [(2, 1, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr("collection.webhooks.socket.getaddrinfo", lookup)
    url = f"http://hooks.example.org:{port}/"
    assert webhooks.post(url, {"a": 1}, secret="s", number=7) == "204 No Content"
    assert asked[0] == "hooks.example.org"
    assert "hooks.example.org" not in asked[1:]
    assert receiver.got[0][0]["Host"] == f"hooks.example.org:{port}"


def test_public_addresses_are_no_problem(settings):
    settings.WEBHOOKS_TO_PRIVATE = False
    for url in ("https://example.org/hook", "https://93.184.216.34:8443/", "https://[2606:2800:220:1::1]/x"):
        assert webhooks.problem(url) == ""


def test_judging_that_stalls_is_told_once_for_each_time_it_stops(receiver):
    study = staff_of(open_study(make_study(items=6, slug="s", batch_pairs=3, batch_challenges=0)))
    bobs(study, stalls=True, webhook=receiver.url)
    judge_batch(invite(study))
    jobs.sweep_notices()
    with hours(23):
        jobs.sweep_notices()
    assert receiver.got == []
    with hours(25):
        jobs.sweep_notices()
    with hours(40):
        jobs.sweep_notices()
    [body] = receiver.bodies
    assert re.search(r"Nobody has judged since 20\d\d-.*UTC, and \d+ questions? wait", body["text"])
    # Somebody comes, and judging stops once more.
    with hours(41):
        judge_batch(invite(study))
    with hours(60):
        jobs.sweep_notices()
    assert len(receiver.got) == 1
    with hours(66):
        jobs.sweep_notices()
    assert len(receiver.got) == 2


def test_a_study_that_is_closed_paused_or_done_does_not_stall(study, receiver):
    bobs(study, stalls=True, webhook=receiver.url)
    finish(study)
    with hours(48):
        jobs.sweep_notices()
    type(study).objects.filter(pk=study.pk).update(closed_at=timezone.now())
    with hours(48):
        jobs.sweep_notices()
    assert receiver.got == []


def test_a_challenge_that_fails_often_is_told_with_its_numbers(receiver):
    study = staff_of(
        open_study(make_study(topics=1, items=3, slug="s", batch_challenges=1, batch_pairs=1, failing="warn"))
    )
    bobs(study, challenges=True, webhook=receiver.url)
    for _ in range(40):
        if failing_challenges(study):
            break
        judge_batch(invite(study), fail=True)
    [one, *_] = failing_challenges(study)
    assert one.rate.answers >= 5
    assert one.rate.wrong / one.rate.answers >= 0.5
    jobs.sweep_notices()
    jobs.sweep_notices()
    assert len(receiver.got) == 1
    assert f"in t1 {one.rate.wrong} of {one.rate.answers}" in receiver.bodies[0]["text"]
    assert receiver.bodies[0]["events"][0]["wrong"] == one.rate.wrong


def test_who_has_no_part_any_more_is_told_nothing(study, receiver):
    bobs(study, topics=True, webhook=receiver.url)
    notices.record(study, "topic", {"1": {"name": "t1"}})
    notices.gather(study)
    Membership.objects.filter(user__username="bob").update(role=Membership.Role.VIEWER)
    notices.record(study, "topic", {"2": {"name": "t2"}})
    with later(minutes=11):
        jobs.sweep_notices()
    assert receiver.got == []
    assert sent() == [("topic", "webhook", "dropped")]


def test_the_end_of_a_topic_asks_for_its_message_at_once(study, monkeypatch):
    """After the commit, and only where somebody wants to know."""
    asked = []
    monkeypatch.setattr("config.queueing._aside.add", lambda job, args: asked.append((job.name, args)))
    with TestCase.captureOnCommitCallbacks(execute=True):
        finish(study)
    assert asked == []
    other = open_study(make_study(topics=1, items=3, batch_challenges=0))
    Membership.objects.create(study=other, user=account("bob"), role=Membership.Role.COORDINATOR)
    bobs(other, topics=True, webhook="http://127.0.0.1:1/")
    with TestCase.captureOnCommitCallbacks(execute=True):
        finish(other)
    assert asked == [("web.jobs.notice", (other.pk,))]


def test_the_page_stores_what_is_wanted_and_shows_a_secret_once(study, receiver):
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    assert "You are told nothing of this study yet." in text(bob.get(address))
    form = {"do": "save", "topics": "on", "stalls": "on", "webhook": receiver.url, "email": ""}
    page = bob.post(address, form).content.decode()
    watch = Watch.objects.get()
    assert notices.secret_of(watch) in page
    assert "You are told by a webhook when topics end and judging stalls." in page
    assert notices.secret_of(watch) not in bob.get(address).content.decode()
    response = bob.post(address, form | {"mail": "on", "email": "bob@example.org"})
    assert response.status_code == 302
    page = bob.get(address).content.decode()
    assert notices.secret_of(Watch.objects.get()) not in page
    assert "You are told by e-mail and by a webhook when" in page
    assert account("bob").email == "bob@example.org"
    before = notices.secret_of(Watch.objects.get())
    page = bob.post(address, {"do": "secret"}).content.decode()
    after = notices.secret_of(Watch.objects.get())
    assert after != before
    assert after in page
    bob.post(address, form | {"webhook": receiver.url + "c"})
    assert notices.secret_of(Watch.objects.get()) not in (before, after)


def test_the_page_refuses_what_cannot_work(study, settings):
    settings.WEBHOOKS_TO_PRIVATE = False
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    for form, why in (
        ({"topics": "on"}, "Say how you want to be told"),
        ({"topics": "on", "mail": "on"}, "Give an address, or untick e-mail."),
        ({"topics": "on", "mail": "on", "email": "bob"}, "Enter a valid email address."),
        ({"webhook": "https://10.0.0.1/"}, "leads into the server’s own network"),
        ({"webhook": "http://example.org/"}, "has to begin with https://"),
    ):
        assert why in text(bob.post(address, {"do": "save", **form})), form
    assert not Watch.objects.exists()


def test_a_test_is_sent_and_only_so_often(study, receiver, monkeypatch):
    monkeypatch.setattr("web.coordinator.notices.run_aside", lambda job: job())
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "Nothing was sent: save that way first." in said
    bobs(study, topics=True, webhook=receiver.url)
    said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "A test is on its way." in said
    assert "Sent : 204 No Content" in said.replace("Sent:", "Sent :")
    assert receiver.bodies[0]["event"] == "test"
    for _ in range(5):
        said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "five tests in ten minutes" in said
    assert len(receiver.got) == 5


def test_nobody_sees_what_others_are_told(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    notices.try_out(watch, "webhook")
    page = logged_in("alice").get(reverse("notices", args=["s"])).content.decode()
    assert receiver.url not in page
    assert "A test" not in text(logged_in("alice").get(reverse("notices", args=["s"])))


def test_queries_of_the_page_do_not_grow(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    few = queries(bob, address)
    for _ in range(20):
        notices.try_out(watch, "webhook")
    assert queries(bob, address) == few <= 8
