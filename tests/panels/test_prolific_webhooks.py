"""Events of Prolific: subscribed to, signed, and read as a reason to look, whatever they say."""

import hashlib
import hmac
import io
import json
import time
from base64 import b64encode
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.utils import timezone

from panels import jobs, reconciliation
from panels.models import Campaign, Entry
from panels.prolific import webhooks
from simulation.emulators.prolific.tables import WORKSPACE, WORKSPACES
from tests.panels.at_prolific import Participant, client, published
from tests.servers import wait_until
from tests.web.receiving import receiver
from web.assessor import panel_events

__all__ = ["receiver"]
pytestmark = [pytest.mark.django_db, pytest.mark.services]
SECRET = "a secret of the workspace"


@pytest.fixture
def woken(monkeypatch) -> list[int]:
    """Campaigns that events have woken."""
    found: list[int] = []
    monkeypatch.setattr(panel_events, "nudge_at_most_every", lambda _, task, pk: found.append(pk))
    return found


def subscribed(settings, receiver, **options) -> str:
    """Subscribe a receiver in the place of this server; what the command says."""
    settings.PUBLIC_URL = receiver.url.partition("/hook")[0]
    out = io.StringIO()
    call_command("panel_events", "prolific", stdout=out, **options)
    return out.getvalue()


def signed(body: bytes, at: float | None = None, secret: str = SECRET) -> dict[str, str]:
    """Headers of an event, signed as Prolific documents."""
    sent = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest()
    return {"X-Prolific-Request-Timestamp": sent, "X-Prolific-Request-Signature": b64encode(digest).decode()}


def post(body: bytes, headers: dict[str, str]):
    return Client().post("/events/prolific/", body, "application/json", headers=headers)


def test_from_the_subscription_to_the_comparison(study, prolific, settings, receiver, woken):
    """What the emulator sends is taken as it is, and what was sent in there counts before the next sweep."""
    said = subscribed(settings, receiver)
    subscribed(settings, receiver)
    there = (
        client(prolific).get("/hooks/subscriptions/", params={"workspace_id": WORKSPACE}).json()["results"]
    )
    assert [(one["event_type"], one["is_enabled"]) for one in there] == [
        (kind, True) for kind in webhooks.EVENTS
    ]
    assert len(said.partition("PROLIFIC_WEBHOOK_SECRET=")[2].strip()) == 48
    settings.PROLIFIC_WEBHOOK_SECRET = subscribed(settings, receiver).partition("SECRET=")[2].strip()
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    wait_until(lambda: len(receiver.got) >= 4, seconds=30, what="the events arrive")
    kinds = {(one["event_type"], one["status"]) for one in receiver.bodies}
    assert ("submission.status.change", "AWAITING REVIEW") in kinds
    assert ("study.status.change", "ACTIVE") in kinds
    for headers, body in receiver.got:
        assert post(body, headers).status_code == 204
    assert {*woken} == {campaign.pk}
    assert Entry.objects.get().state != "confirmed"
    jobs.collect_now(campaign.pk)
    assert Entry.objects.get().state == "confirmed"


def test_only_what_prolific_signed_lately_is_taken(study, prolific, settings, woken):
    campaign = published(study)
    body = json.dumps({"event_type": "study.status.change", "resource_id": campaign.outside}).encode()
    assert post(body, signed(body)).status_code == 404, "nothing is subscribed"
    settings.PROLIFIC_WEBHOOK_SECRET = SECRET
    for headers in (
        {},
        signed(body, secret="another"),
        signed(body, at=time.time() - webhooks.TOLERANCE - 10),
        signed(body + b" "),
        {**signed(body), "X-Prolific-Request-Timestamp": "now"},
        {**signed(body), "X-Prolific-Request-Signature": "ä"},
    ):
        assert post(body, headers).status_code == 403
    assert Client().get("/events/prolific/").status_code == 405
    for wrong, status in ((b"[]", 400), (b"{", 400), (b" " * 30_000, 413)):
        assert post(wrong, signed(wrong)).status_code == status
    assert woken == []
    # One that comes twice only has the list read again.
    assert [post(body, signed(body)).status_code for _ in range(2)] == [204, 204]
    assert woken == [campaign.pk] * 2


def test_an_event_wakes_the_campaigns_that_it_may_be_of(study, prolific, settings, woken):
    settings.PROLIFIC_WEBHOOK_SECRET = SECRET
    one, other = published(study), published(study)
    worker = Participant(prolific, one, 1)

    def of(kind, resource) -> list[int]:
        woken.clear()
        body = json.dumps({"event_type": kind, "resource_id": resource}).encode()
        assert post(body, signed(body)).status_code == 204
        return [*woken]

    assert of("submission.status.change", worker.submission) == [one.pk]
    # Somebody who has taken a place and is not here yet.
    assert of("submission.status.change", "f" * 24) == [one.pk, other.pk]
    assert of("study.status.change", other.outside) == [other.pk]
    assert of("study.status.change", "f" * 24) == []
    assert of("workspace.renamed", "f" * 24) == []
    Campaign.objects.filter(pk=other.pk).update(state="closed")
    assert of("submission.status.change", "f" * 24) == [one.pk]
    jobs.collect_now(other.pk)


def test_lists_are_read_seldom_where_events_come(study, prolific, settings):
    campaign = published(study)
    campaign.surveyed_at = timezone.now() - timedelta(minutes=5)
    assert reconciliation.is_survey_due(campaign)
    settings.PROLIFIC_WEBHOOK_SECRET = SECRET
    assert not reconciliation.is_survey_due(campaign)
    # An event may be lost.
    campaign.surveyed_at = timezone.now() - reconciliation.SELDOM
    assert reconciliation.is_survey_due(campaign)
    campaign.surveyed_at = None
    assert reconciliation.is_survey_due(campaign)


def test_of_several_workspaces_one_is_named(prolific, settings, receiver):
    second = [*WORKSPACES][1]
    prolific.switch(workspaces=2)
    try:
        with pytest.raises(
            CommandError, match=f"Name one of the account's workspaces: {WORKSPACE}, {second}"
        ):
            subscribed(settings, receiver)
        subscribed(settings, receiver, workspace=second)
        there = client(prolific).get("/hooks/subscriptions/", params={"workspace_id": second}).json()
        assert len(there["results"]) == len(webhooks.EVENTS)
    finally:
        prolific.switch(workspaces=1)
