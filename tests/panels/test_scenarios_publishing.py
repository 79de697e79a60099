"""Scenarios 1 to 11 of publishing on Mechanical Turk, against the emulator: nothing twice, nothing beyond
the cap.
"""

import json
import os
import threading
from decimal import Decimal

import pytest
from django.db import connection
from django.utils import timezone

from panels import money
from panels.calls import effects, outbox
from panels.models import Budget, Call, Campaign, Place, Posting
from panels.mturk import client as mturk_client
from panels.recruitment import campaigns
from panels.terms import terms_hash
from tests.panels.at_turk import due_now, make_all, our_hits, place_of, published, shift
from tests.panels.campaigning import armed, campaign_of

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def publishing(campaign) -> Call:
    return Call.objects.get(campaign=campaign, op="publish")


def reservations(campaign) -> list[Decimal]:
    return list(Posting.objects.filter(campaign=campaign, kind="reserve").values_list("amount", flat=True))


def test_1_reply_lost_after_creation(study, market):
    market.fault("lose_reply", "CreateHITWithHITType", times=1)
    campaign = published(study)
    assert publishing(campaign).state == "doubt"
    due_now()
    make_all(campaign)
    [hit] = our_hits(market, campaign)
    place = place_of(campaign)
    assert (place.state, place.outside) == (Place.State.LIVE, hit["HITId"])
    assert reservations(campaign) == [Decimal("2.40")]
    assert (publishing(campaign).attempts, publishing(campaign).doubts) == (2, 1)


class Killed(BaseException):
    """The process ends here."""


def test_2_crash_between_call_and_commit(study, market, monkeypatch):
    campaign = published(study, settle=False)
    make = outbox.settle

    def die(call, said, **how):
        if call.op == "publish":
            raise Killed
        return make(call, said, **how)

    monkeypatch.setattr(outbox, "settle", die)
    with pytest.raises(Killed):
        make_all(campaign)
    monkeypatch.setattr(outbox, "settle", make)
    assert publishing(campaign).state == "calling"
    # Nobody else takes it while its maker may live.
    assert make_all(campaign) == 0
    shift(monkeypatch, minutes=3)
    make_all(campaign)
    [hit] = our_hits(market, campaign)
    assert place_of(campaign).outside == hit["HITId"]
    assert publishing(campaign).settled_how == "made after a lost reply"


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("sqlite" in os.environ.get("DJANGO_SETTINGS_MODULE", ""), reason="threads share one lock")
def test_3_two_workers_one_slot(study, market, monkeypatch):
    # The nudge would make the call before the two have begun.
    monkeypatch.setattr(effects.calls_intended, "send", lambda **about: None)
    campaign = armed(study, "mturk", terms={"approved_least": 0, "approved_percent": 0})
    campaigns.publish(campaign.pk, 1)
    for op in ("qualify", "prepare"):
        outbox.make(Call.objects.get(op=op).pk)
    call = publishing(campaign)
    gate, made = threading.Barrier(2), []

    def work():
        try:
            gate.wait()
            made.append(outbox.make(call.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(made) == [False, True]
    assert publishing(campaign).attempts == 1
    assert len(our_hits(market, campaign)) == 1
    # And anyone who comes when it is done leaves it alone.
    assert not outbox.make(call.pk)
    assert publishing(campaign).attempts == 1


def test_4_token_older_than_24_hours(study, own_market, monkeypatch):
    own_market.fault("lose_reply", "CreateHITWithHITType", times=1)
    campaign = published(study)
    shift(monkeypatch, hours=25)
    own_market.advance(25 * 3600)
    make_all(campaign)
    [hit] = our_hits(own_market, campaign)
    assert place_of(campaign).outside == hit["HITId"]
    assert len(own_market.log("CreateHITWithHITType")) == 1
    assert publishing(campaign).settled_how == "found in what the panel lists"


def test_5_proved_absence(study, own_market, monkeypatch):
    own_market.fault("drop_before", "CreateHITWithHITType", times=1)
    campaign = published(study)
    shift(monkeypatch, hours=25)
    own_market.advance(25 * 3600)
    make_all(campaign)
    # Once is no proof: the list may be late.
    assert len(own_market.log("CreateHITWithHITType")) == 1
    shift(monkeypatch, minutes=11)
    make_all(campaign)
    [hit] = our_hits(own_market, campaign)
    place = place_of(campaign)
    assert (place.attempt, place.outside, place.state) == (2, hit["HITId"], "live")
    first, second = Call.objects.filter(op="publish").order_by("pk")
    assert (first.state, second.state) == ("refused", "done")
    assert "proved absent" in first.settled_how
    tokens = {
        json.loads(entry["request"])["UniqueRequestToken"] for entry in own_market.log("CreateHITWithHITType")
    }
    assert len(tokens) == 2
    assert reservations(campaign) == [Decimal("2.40")]


def test_6_silent_sdk_retry(study, market):
    before = len(market.log("CreateHITWithHITType"))
    market.fault("503", "CreateHITWithHITType", times=2)
    campaign = published(study)
    for _ in range(4):
        due_now()
        make_all(campaign)
    assert place_of(campaign).state == "live"
    assert len(market.log("CreateHITWithHITType")) - before == publishing(campaign).attempts == 3


def test_7_throttled_batch(study, market):
    market.fault("throttle", "CreateHITWithHITType", times=50, every=3)
    campaign = published(study, 150, places=150, cap="360")
    for _ in range(12):
        due_now()
        make_all(campaign)
    assert len(our_hits(market, campaign)) == 150
    assert Place.objects.filter(campaign=campaign, state="live").count() == 150
    assert Budget.objects.get().committed == Decimal("360.00")


def test_7_the_rate_stays_under_the_limit(study, market, settings, monkeypatch):
    settings.PANEL_CALLS_A_SECOND = 5.0
    waited: list[float] = []
    monkeypatch.setattr(outbox.call_rate, "pause", waited.append)
    # The clock stands, so that what a call waits for is its turn alone.
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    campaign = published(study, 10)
    # Nobody waited in truth, so each call's turn came a fifth of a second after the one before.
    assert [round(seconds, 1) for seconds in waited] == [n / 5 for n in range(len(waited))]
    assert len(our_hits(market, campaign)) == 10


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif("sqlite" in os.environ.get("DJANGO_SETTINGS_MODULE", ""), reason="threads share one lock")
def test_8_the_cap_holds_under_concurrency(study, market):
    campaign = armed(
        study, "mturk", places=40, cap="24.00", terms={"approved_least": 0, "approved_percent": 0}
    )
    gate, refused, lock = threading.Barrier(4), [], threading.Lock()

    def work():
        try:
            gate.wait()
            for _ in range(10):
                try:
                    campaigns.publish(campaign.pk, 1)
                except money.OverCap as error:
                    with lock:
                        refused.append(str(error))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    make_all(campaign)
    assert len(our_hits(market, campaign)) == 10
    budget = Budget.objects.get()
    assert budget.committed == budget.cap == Decimal("24.00")
    assert len(refused) == 30
    assert all("cap" in why for why in refused)


def test_9_definite_refusal_frees_money(study, market, monkeypatch):
    monkeypatch.setattr("panels.mturk.terms.external_question", lambda address: "no XML")
    campaign = published(study)
    assert place_of(campaign).state == Place.State.REFUSED
    assert Budget.objects.get().committed == 0
    call = publishing(campaign)
    assert (call.state, call.attempts) == ("refused", 1)
    assert call.error
    due_now()
    assert make_all(campaign) == 0


def test_9_a_refused_preparation_frees_money_and_is_asked_for_anew_once_it_is_mended(study, market, settings):
    campaign = published(study, settle=False)
    settings.MTURK_EMULATOR_URL = ""
    make_all(campaign)
    campaign.refresh_from_db()
    assert "MTURK_EMULATOR_URL" in campaign.troubled
    assert place_of(campaign).state == Place.State.REFUSED
    assert Budget.objects.get().committed == 0
    settings.MTURK_EMULATOR_URL = market.url
    campaigns.go_on(campaign.pk)
    campaigns.publish(campaign.pk, 1)
    make_all(campaign)
    assert len(our_hits(market, campaign)) == 1
    assert Budget.objects.get().committed == Decimal("2.40")


def test_10_sandbox_by_default_production_explicit(study, settings, monkeypatch):
    opened = []
    monkeypatch.setattr("socket.socket.connect", lambda self, address: opened.append(address))
    monkeypatch.setenv("AWS_ENDPOINT_URL", "https://elsewhere.example")
    monkeypatch.setenv("AWS_ENDPOINT_URL_MTURK", "https://elsewhere.example")
    settings.PUBLIC_URL = "https://faceoff.example"
    settings.MTURK_ACCESS_KEY_ID = settings.MTURK_SECRET_ACCESS_KEY = "of-a-test"
    sandbox = campaign_of(study, "mturk")
    assert sandbox.environment == "sandbox"
    for environment, address in mturk_client.ENDPOINTS.items():
        assert mturk_client.client(environment, once=True).meta.endpoint_url == address
    real = campaign_of(study, "mturk", environment="production", cap="100")
    agreed = terms_hash(real)
    refusals = [
        ({}, {}, "sandbox"),
        ({"MTURK_MODE": "production"}, {}, "closed to the public"),
        ({"MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30": True}, {}, "Type the campaign's name"),
        ({}, {"typed": real.name}, "Acknowledge"),
        ({"PUBLIC_URL": "http://faceoff.example"}, {"typed": real.name, "acknowledged": True}, "HTTPS"),
    ]
    for wanted, said, why in refusals:
        for name, value in wanted.items():
            setattr(settings, name, value)
        with pytest.raises(campaigns.CannotCampaign, match=why):
            campaigns.arm(real.pk, agreed, **said)
        with pytest.raises(campaigns.CannotCampaign, match="not armed"):
            campaigns.publish(real.pk, 1)
    settings.PUBLIC_URL = "https://faceoff.example"
    with pytest.raises(campaigns.CannotCampaign, match="others than those"):
        campaigns.arm(real.pk, "0" * 64, typed=real.name, acknowledged=True)
    assert campaigns.arm(real.pk, agreed, typed=real.name, acknowledged=True).state == "armed"
    # Armed, and the server set back to the sandbox: nothing goes out.
    settings.MTURK_MODE = "sandbox"
    with pytest.raises(campaigns.CannotCampaign, match="sandbox"):
        campaigns.publish(real.pk, 1)
    Campaign.objects.filter(pk=real.pk).update(state="running")
    effects.intend(real, "qualify", "test")
    make_all(real)
    assert Call.objects.get().state == "refused"
    assert opened == []


def test_11_estimate_changed_after_arming(study, market):
    campaign = armed(study, "mturk")
    campaigns.change(campaign.pk, reward=Decimal("1.00"))
    with pytest.raises(campaigns.CannotCampaign, match="changed since it was armed"):
        campaigns.publish(campaign.pk, 1)
    campaigns.arm(campaign.pk, terms_hash(Campaign.objects.get(pk=campaign.pk)))
    campaigns.publish(campaign.pk, 1)
    assert reservations(campaign) == [Decimal("1.20")]
