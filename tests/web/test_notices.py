"""Notices to members: what happened is told once, in few messages, by mail and by signed webhooks.

The other sides are real: an HTTP server of this machine, and a mail server that speaks SMTP.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import IntegrityError, transaction
from django.test import TestCase
from django.utils import timezone

from collection import notices
from collection.models import Delivery, Event, Membership, NotificationLog
from judging.people.judging_alerts import failing_challenges
from panels.models import Budget, Campaign
from tests.judging.organizing import account, judge_batch, staff_of
from tests.makers import finish, invite, later, make_study, open_study
from tests.panels.mailing import mail_server
from tests.servers import free_port
from tests.web.receiving import bobs
from web import jobs
from web.alerts import notifications

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("to_this_machine")]
EVERYTHING = dict.fromkeys(("topics", "stalls", "challenges", "finished", "money"), True)


@pytest.fixture
def study():
    return staff_of(open_study(make_study(topics=2, items=3, slug="s", batch_challenges=0)))


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
    # By hand, as anyone who receives it would.
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


def test_that_everything_is_decided_is_told_once(study, receiver):
    bobs(study, finished=True, webhook=receiver.url)
    jobs.sweep_notices()
    assert receiver.bodies == []
    finish(study)
    for _ in range(2):
        jobs.sweep_notices()
    [told] = receiver.bodies
    assert told["event"] == "finished"
    assert "All is answered, and 2 topics are decided." in told["text"]
    assert told["link"].endswith("/studies/s/progress/")


def test_a_cap_that_is_nearly_reached_and_a_campaign_that_stops_are_told_once(study, receiver):
    bobs(study, money=True, webhook=receiver.url)
    budget = Budget.objects.create(study=study, rehearsal=False, currency="USD", cap=100, committed=89)
    jobs.sweep_notices()
    assert receiver.bodies == []
    Budget.objects.filter(pk=budget.pk).update(committed=90)
    Campaign.objects.create(study=study, number=1, name="Prolific 1", panel="mturk", troubled="No funds.")
    for _ in range(2):
        jobs.sweep_notices()
    [told] = receiver.bodies
    assert "10.00 of the cap of 100.00 USD is left" in told["text"]
    assert "Prolific 1 publishes nothing more (No funds)." in told["text"]
    assert told["link"].endswith("/studies/s/campaigns/")


def test_what_happened_before_somebody_asked_is_not_told(study, receiver):
    finish(study)
    bobs(study, topics=True, webhook=receiver.url)
    jobs.sweep_notices()
    assert receiver.got == []
    assert NotificationLog.objects.filter(delivery=None).count() == 2
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
        NotificationLog.objects.create(watch=watch, way="webhook", event=event)


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
    notifications.send(notices.try_out(watch, "webhook").pk)
    assert Delivery.objects.latest("pk").outcome == "It answered 302 Found."
    assert len(receiver.got) == 2
    watch = bobs(study, topics=True, webhook=f"http://127.0.0.1:{free_port()}/")
    notifications.send(notices.try_out(watch, "webhook").pk)
    last = Delivery.objects.latest("pk")
    assert (last.state, last.outcome) == ("failed", "It could not be reached (ConnectError).")


def test_a_webhook_whose_sender_died_is_posted_again(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    one = notices.try_out(watch, "webhook")
    assert notices.claim(one.pk) is not None
    notifications.send_due()
    assert receiver.got == []
    with later(minutes=4):
        notifications.send_due()
    assert [body["delivery"] for body in receiver.bodies] == [one.pk]


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
    monkeypatch.setattr("config.task_queue._aside.add", lambda job, args: asked.append((job.name, args)))
    with TestCase.captureOnCommitCallbacks(execute=True):
        finish(study)
    assert asked == []
    other = open_study(make_study(topics=1, items=3, batch_challenges=0))
    Membership.objects.create(study=other, user=account("bob"), role=Membership.Role.COORDINATOR)
    bobs(other, topics=True, webhook="http://127.0.0.1:1/")
    with TestCase.captureOnCommitCallbacks(execute=True):
        finish(other)
    assert asked == [("web.jobs.notice", (other.pk,))]
