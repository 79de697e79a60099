"""Scenarios 23 to 25, of paying, on the emulator of Mechanical Turk: nothing twice, and every cent in the
ledger.
"""

from decimal import Decimal

import pytest

from panels import money, reconciliation
from panels.models import Budget, Call, Entry, Payment, Place, Posting
from panels.payments import payouts
from panels.recruitment import closure
from tests.panels.at_turk import Turker, collect, due_now, make_all, published, shift
from tests.panels.turk import Worker, client

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def posted(kind) -> list[Decimal]:
    return list(Posting.objects.filter(kind=kind).values_list("amount", flat=True))


def confirmed(study, market, worker, **given):
    """A campaign of which one HIT was done, confirmed and paid, and that HIT's entry."""
    campaign = published(study, **given)
    Turker(market, worker).do()
    collect(campaign)
    return campaign, Entry.objects.get(state="confirmed")


def test_23_approving_races_the_auto_approval(study, own_market):
    campaign = published(study)
    Turker(own_market, "AWORKER23").do()
    own_market.fault("throttle", "ApproveAssignment", times=1)
    collect(campaign)
    assert Payment.objects.get().state == "due"
    own_market.advance(73 * 3600)
    due_now()
    make_all(campaign)
    assert Payment.objects.get().how == "approved before"
    collect(campaign)
    assert (posted("reward"), posted("fee")) == ([Decimal("2.00")], [Decimal("0.40")])
    assert Budget.objects.get().committed == Decimal("2.40")


def test_23_the_reply_to_an_approval_is_lost(study, market):
    campaign = published(study)
    Turker(market, "AWORKER23B").do()
    market.fault("lose_reply", "ApproveAssignment", times=1)
    collect(campaign)
    assert Call.objects.get(op="approve").state == "doubt"
    due_now()
    make_all(campaign)
    assert (Payment.objects.get().state, Payment.objects.get().how) == ("paid", "approved before")
    assert (posted("reward"), posted("fee")) == ([Decimal("2.00")], [Decimal("0.40")])
    for _ in range(2):
        collect(campaign)
    assert len(posted("reward")) == 1


def test_23_a_refusal_that_is_cut_short_on_its_way_is_no_answer(study, market):
    """The repeat of a lost approval is refused, since it is approved; half of that says nothing."""
    campaign = published(study)
    Turker(market, "AWORKER23C").do()
    market.fault("lose_reply", "ApproveAssignment", times=1)
    collect(campaign)
    market.fault("truncate", "ApproveAssignment", times=1)
    due_now()
    make_all(campaign)
    assert (Call.objects.get(op="approve").state, Payment.objects.get().state) == ("doubt", "due")
    due_now()
    make_all(campaign)
    assert (Payment.objects.get().state, Payment.objects.get().how) == ("paid", "approved before")
    assert len(posted("reward")) == 1


def test_24_bonus_unknown_after_24_hours(study, own_market, monkeypatch):
    campaign, entry = confirmed(study, own_market, "AWORKER24")
    own_market.fault("lose_reply", "SendBonus", times=1)
    payouts.owe_bonus(entry, Decimal("1.05"), "It took longer than we thought.", kind="top-up")
    make_all(campaign)
    assert Call.objects.get(op="bonus").state == "doubt"
    shift(monkeypatch, hours=25)
    own_market.advance(25 * 3600)
    make_all(campaign)
    assert own_market.log("ListBonusPayments")
    assert len(own_market.log("SendBonus")) == 1
    assert Payment.objects.get(kind="bonus").state == "paid"
    assert (posted("bonus"), posted("bonus fee")) == ([Decimal("1.05")], [Decimal("0.21")])
    assert reconciliation.compare_books(campaign) == []


def test_24_a_bonus_that_never_went_out_is_sent_once_it_is_proved(study, own_market, monkeypatch):
    campaign, entry = confirmed(study, own_market, "AWORKER24B")
    own_market.fault("drop_before", "SendBonus", times=1)
    payouts.owe_bonus(entry, Decimal("1.00"), "Thank you.", kind="top-up")
    make_all(campaign)
    shift(monkeypatch, hours=25)
    own_market.advance(25 * 3600)
    make_all(campaign)
    assert Payment.objects.get(kind="bonus").state == "due"
    shift(monkeypatch, minutes=11)
    make_all(campaign)
    assert Payment.objects.get(kind="bonus").state == "paid"
    pages = client(own_market).list_bonus_payments(AssignmentId=entry.outside)
    assert [paid["BonusAmount"] for paid in pages["BonusPayments"]] == ["1.00"]


def test_24_the_same_bonus_is_owed_once_and_never_above_the_cap(study, market):
    campaign, entry = confirmed(study, market, "AWORKER24C", cap="24.00", places=10)
    for _ in range(2):
        payouts.owe_bonus(entry, Decimal("1.00"), "Thank you.", kind="top-up")
    make_all(campaign)
    assert posted("bonus") == [Decimal("1.00")]
    with pytest.raises(money.OverCap):
        payouts.owe_bonus(entry, Decimal("30.00"), "Thank you.", kind="another")
    assert Payment.objects.filter(kind="bonus").count() == 1


def test_25_expire_page_and_settle(study, own_market, monkeypatch):
    campaign = published(study, 120, places=120, cap="300")
    for place in campaign.slots.order_by("number")[:105]:
        Worker(own_market, f"AWORKER{place.number}").do(place.outside, receipt="")
    collect(campaign)
    assert Entry.objects.count() == 105
    # A hundred, then five, each with a token, and an empty page.
    assert len(own_market.log("ListReviewableHITs")) == 3
    collect(campaign)
    assert (Entry.objects.count(), Payment.objects.count()) == (105, 105)
    for payment in Payment.objects.filter(state="review"):
        payouts.settle_review(payment.pk)
    make_all(campaign)
    assert Payment.objects.filter(state="paid").count() == 105
    assert closure.stop(campaign.pk) == 15
    make_all(campaign)
    assert dict(campaign.slots.order_by("state").values_list("state", "campaign")).keys() == {
        Place.State.EXPIRED,
        Place.State.SETTLED,
    }
    # Said once more, as after a lost reply: "already been processed" is done.
    Call.objects.filter(op="expire").update(state="waiting", settled_at=None)
    make_all(campaign)
    assert set(Call.objects.filter(op="expire").values_list("state", flat=True)) == {"done"}
    assert reconciliation.compare_books(campaign) == []
    assert money.check(Budget.objects.get()) == []
    assert Budget.objects.get().committed == Decimal("252.00")
    assert closure.close(campaign.pk).state == "closed"
    books = own_market.show("books")
    assert Decimal(str(books["rewards"])) + Decimal(str(books["fees"])) == Decimal("252.00")


def test_25_what_is_returned_after_the_stop_is_offered_to_nobody(study, market, monkeypatch):
    campaign = published(study)
    worker = Turker(market, "ARETURNS25")
    worker.begin()
    closure.stop(campaign.pk)
    make_all(campaign)
    assert worker.look().status_code == 200
    hit = campaign.slots.get().outside
    worker.worker.give_back(worker.assignment)
    assert hit not in Worker(market, "ANEXT25").offers()
    shift(monkeypatch, minutes=75)
    collect(campaign)
    collect(campaign)
    assert Place.objects.get().state == "expired"
    assert Budget.objects.get().committed == 0
    assert closure.close(campaign.pk).state == "closed"
