"""Disposal: HITs that are over and paid are forgotten at Mechanical Turk, and the books stay as they were."""

import secrets
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from panels import jobs, reconciliation
from panels.base import Books, marketplace
from panels.models import Call, Payment, Place
from panels.participants import retention
from panels.payments import payouts
from tests.panels.at_turk import Turker, collect, due_now, make_all, our_hits, published
from tests.panels.turk import client

pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def study(study):
    """With a seed of its own, so that nothing at the emulator is an earlier test's."""
    study.seed = secrets.token_hex(16)
    study.save(update_fields=["seed"])
    return study


@pytest.fixture
def paid(study, market):
    """A campaign with two HITs done and paid, one of them with a bonus, and one that nobody took."""
    campaign = published(study, 3, places=3)
    for worker in ("APAIDONE", "APAIDTWO"):
        Turker(market, worker).do()
    collect(campaign)
    payouts.owe_bonus(campaign.entries.first(), Decimal("0.50"), "for the time it took", kind="top-up")
    make_all(campaign)
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    return campaign


def later(days: float):
    return timezone.now() + timedelta(days=days)


def dispose(campaign, days: float = 31) -> int:
    intended = retention.dispose_due(later(days))
    make_all(campaign)
    return intended


def reviewable(market, campaign) -> set[str]:
    listed = client(market).list_reviewable_hits(HITTypeId=campaign.outside, MaxResults=100)["HITs"]
    return {hit["HITId"] for hit in listed}


def test_what_was_paid_long_ago_is_forgotten_there_and_the_books_stay(paid, market):
    before = marketplace("mturk").books(paid)
    assert before == Books(paid.reward * 2, 2, Decimal("0.50"), 1)
    assert len(reviewable(market, paid)) == 2
    assert dispose(paid) == 2
    assert reviewable(market, paid) == set()
    assert len(our_hits(market, paid)) == 1  # the one that is still on offer
    asked = len(market.log("ListAssignmentsForHIT"))
    assert marketplace("mturk").books(paid) == before
    assert len(market.log("ListAssignmentsForHIT")) == asked
    assert reconciliation.compare_books(paid) == []
    assert dispose(paid) == 0
    assert collect(paid).problems == []


def test_lost_answer_loses_no_figure(paid, market):
    market.fault("lose_reply", "DeleteHIT", times=2)
    dispose(paid)
    assert Call.objects.filter(op="dispose", state="doubt").count() == 2
    due_now()
    make_all(paid)
    assert set(Call.objects.filter(op="dispose").values_list("state", flat=True)) == {"done"}
    assert marketplace("mturk").books(paid) == Books(paid.reward * 2, 2, Decimal("0.50"), 1)


def test_nothing_is_disposed_of_that_is_recent_owed_or_on_offer(paid):
    assert dispose(paid, days=29) == 0
    late, other = Payment.objects.filter(kind="reward")
    Payment.objects.filter(pk=late.pk).update(paid_at=later(20))
    Payment.objects.filter(pk=other.pk).update(state="review")
    assert dispose(paid) == 0
    Payment.objects.filter(pk=other.pk).update(state="paid")
    assert dispose(paid) == 1
    assert Place.objects.exclude(disposed_at=None).get() == other.entry.place


def test_hit_that_nobody_took_is_disposed_of_some_time_after_its_end(paid, market):
    empty = paid.slots.get(state="live")
    client(market).update_expiration_for_hit(HITId=empty.outside, ExpireAt=0)
    Place.objects.filter(pk=empty.pk).update(state="expired", expires_at=later(5))
    assert dispose(paid) == 2
    assert dispose(paid, days=36) == 1
    assert our_hits(market, paid) == []
    assert marketplace("mturk").books(paid).approved == 2


def test_the_beat_does_so_unless_it_is_told_not_to(paid, settings):
    long_ago = timezone.now() - timedelta(days=40)
    paid.slots.update(published_at=long_ago)
    Payment.objects.update(paid_at=long_ago)
    settings.PANEL_DISPOSE_DAYS = 0
    jobs.dispose()
    assert not Call.objects.filter(op="total").exists()
    settings.PANEL_DISPOSE_DAYS = 30
    jobs.dispose()
    assert Call.objects.filter(op="total").count() == 2


def test_no_place_is_noted_as_gone_without_its_books(paid):
    with pytest.raises(IntegrityError, match="place_disposed_with_books"), transaction.atomic():
        paid.slots.update(disposed_at=timezone.now())
