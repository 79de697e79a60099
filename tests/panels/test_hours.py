"""Campaigns of invited people: measured time is owed by the hour, from arming to closing, by pages alone."""

import re
from decimal import ROUND_UP, Decimal

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Membership
from judging.batches import answering
from judging.models import Assignment, Judgment
from judging.questions.expected_time import USUAL
from panels import local, money, reconciliation
from panels.models import Campaign, Entry, Payment
from panels.payments import payouts
from panels.recruitment import campaigns, closure
from panels.terms import terms_hash
from tests.judging.organizing import logged_in
from tests.judging.studies import invite
from tests.judging.visiting import side_of_known, text_of
from tests.makers import later
from tests.panels.campaigning import Sent, link_address, running
from web.forecast.needs import needed

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(study):
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    return client


def campaign_of(study, *, hourly="20.00", cap="100", arm=True) -> Campaign:
    made = campaigns.new(study, "local", hourly=Decimal(hourly))
    money.set_cap(made, Decimal(cap))
    return campaigns.arm(made.pk, terms_hash(made)) if arm else made


def begun(study) -> Assignment:
    return answering.arrive(invite(study).pk)


def finished(batch: Assignment, *, seconds: float = 60.0) -> None:
    """Answer the whole batch, so many seconds a question."""
    for place in batch.batch.all():
        value = 1 if side_of_known(place) == "left" else -1
        answering.answer(batch.pk, place.position, value, kind="pair", seconds=seconds)
    answering.submit(batch.pk)


def look(campaign) -> reconciliation.ReconciliationReport:
    return reconciliation.reconcile(Campaign.objects.get(pk=campaign.pk))


def amounts() -> list[Decimal]:
    return list(Payment.objects.order_by("pk").values_list("amount", flat=True))


def test_from_draft_to_closed_by_pages_alone(study, alice):
    made = alice.post(reverse("campaigns", args=["garden"]), {"panel": "local"}, follow=True)
    campaign = Campaign.objects.get()
    address = reverse("campaign", args=["garden", campaign.pk])
    assert "Say what an hour pays." in text_of(made)
    given = {"name": "Lab", "hourly": "15.00", "currency": "USD", "floor": "12.00"}
    page = alice.post(address, {"action": "save", **given}, follow=True)
    assert "The cap leaves nothing" in text_of(page)
    alice.post(address, {"action": "cap", "cap": "100"})
    page = alice.get(address).content.decode()
    assert 'value="arm"' in page
    alice.post(address, {"action": "arm", "hash": terms_hash(Campaign.objects.get())})
    finished(begun(study))
    look(campaign)
    # Seven answers of a minute each.
    assert amounts() == [Decimal("1.75")]
    people = reverse("campaign", args=["garden", campaign.pk])
    assert "Mark as paid" in text_of(alice.get(people))
    alice.post(address, {"action": "stop"})
    assert "Payments that are not made" in text_of(alice.post(address, {"action": "close"}, follow=True))
    payment = Payment.objects.get()
    alice.post(
        reverse("campaign-pay", args=["garden", campaign.pk]), {"action": "by-hand", "payment": payment.pk}
    )
    assert "Its books are kept" in text_of(alice.post(address, {"action": "close"}, follow=True))


def test_before_arming_page_and_command_say_what_the_hours_will_cost(study, alice, capsys):
    campaign = campaign_of(study, hourly="20.00", cap="1.00", arm=False)
    needs = needed(study)
    # One batch in ten fails; a batch has seven questions of usual length.
    hours = needs.with_failing * 7 * USUAL["text"] / 3600
    pay = (Decimal("20.00") * Decimal(str(hours))).quantize(Decimal("0.01"), ROUND_UP)
    told = text_of(alice.get(reverse("campaign", args=["garden", campaign.pk])))
    assert f"about {hours:.1f} hours: {pay} USD , more than the cap leaves" in told
    call_command("campaign", "garden", "estimate")
    assert f"{pay} USD" in capsys.readouterr().out


def test_who_judges_without_javascript_is_owed_the_time_between_answers(study):
    """Seven answers a minute apart, and a break before one of them that counts two minutes at most."""
    campaign = campaign_of(study, hourly="60.00")
    batch = begun(study)
    minutes = 0
    for place in batch.batch.all():
        minutes += 31 if place.position == 4 else 1
        with later(minutes=minutes):
            answering.answer(
                batch.pk, place.position, 1 if side_of_known(place) == "left" else -1, kind="pair"
            )
    with later(minutes=minutes):
        answering.submit(batch.pk)
    look(campaign)
    assert amounts() == [Decimal("8.00")]


def test_people_are_sorted_by_what_they_are_owed_for_hours_and_for_places(study, alice):
    campaign = campaign_of(study)
    for label, seconds in (("Little", 30), ("Much", 90), ("Nothing", 0)):
        person = local.invite(study, [label])[0]
        if seconds:
            finished(answering.arrive(person.pk), seconds=seconds)
    look(campaign)
    # Seven answers each: 210 s and 630 s of $20.00 an hour.
    Sent(link_address(running(study, reward=Decimal("9.00")), "somebody", "s1")).work()
    entry = Entry.objects.get()
    entry.state = Entry.State.CONFIRMED
    entry.save()
    payouts.owe(entry)
    page = alice.get("/studies/garden/people/", {"sort": "-owed"}).content.decode()
    rows = re.findall(r'scope="row">.*?(Little|Much|Nothing|Panel link)', page, re.DOTALL)
    assert rows == ["Panel link", "Much", "Little", "Nothing"]
    assert re.findall(r"([\d.]+) USD</td>", page) == ["9.00", "3.50", "1.17"]
    assert 'aria-sort="descending"' in page
    rising = alice.get("/studies/garden/people/", {"sort": "owed"}).content.decode()
    assert re.findall(r"([\d.]+) USD</td>", rising) == ["1.17", "3.50", "9.00"]
    Payment.objects.update(state="paid", paid_at=entry.arrived_at)
    assert "sort=owed" not in alice.get("/studies/garden/people/").content.decode()


def test_it_is_not_armed_for_nothing_or_under_an_empty_cap(study):
    for given in ({"hourly": "0"}, {"cap": "0"}):
        with pytest.raises(campaigns.CannotCampaign):
            campaign_of(study, **given)


def test_what_the_cap_leaves_no_room_for_is_owed_by_a_button_once_it_does(study, alice):
    campaign = campaign_of(study, cap="1.00")
    finished(begun(study), seconds=600)
    look(campaign)
    assert Payment.objects.get().state == "review"
    people = reverse("campaign", args=["garden", campaign.pk])
    assert "Owe it" in text_of(alice.get(people))
    money.set_cap(Campaign.objects.get(), Decimal("100"))
    pay = reverse("campaign-pay", args=["garden", campaign.pk])
    alice.post(pay, {"action": "review", "payment": Payment.objects.get().pk})
    assert Payment.objects.get().state == "due"
    alice.post(pay, {"action": "by-hand", "payment": Payment.objects.get().pk})
    assert Payment.objects.get().state == "paid"


def test_all_that_waits_to_be_looked_at_is_paid_by_one_button(study, alice):
    campaign = campaign_of(study, cap="1.00")
    for label in ("One", "Two"):
        finished(answering.arrive(local.invite(study, [label])[0].pk), seconds=600)
    look(campaign)
    address = reverse("campaign", args=["garden", campaign.pk])
    assert "2 payments wait for you to look at;" in text_of(alice.get(address))
    pay = reverse("campaign-pay", args=["garden", campaign.pk])
    refused = alice.post(pay, {"action": "review-all"}, follow=True)
    assert "The cap leaves too little for it." in text_of(refused)
    money.set_cap(Campaign.objects.get(), Decimal("100"))
    assert "2 payments will be paid." in text_of(alice.post(pay, {"action": "review-all"}, follow=True))
    assert set(Payment.objects.values_list("state", flat=True)) == {"due"}


def test_another_pay_is_owed_only_once_it_is_armed_and_then_nobody_is_left_out(study):
    campaign = campaign_of(study)
    first = begun(study)
    campaigns.change(campaign.pk, hourly=Decimal("30.00"))
    finished(first)
    report = look(campaign)
    assert amounts() == []
    assert "The hourly pay was changed" in report.problems[-1]
    assert any("was changed" in said for said in closure.unfinished(Campaign.objects.get()))
    changed = Campaign.objects.get()
    campaigns.arm(changed.pk, terms_hash(changed))
    # It was opened before it was armed anew, and after it was armed first.
    look(campaign)
    assert amounts() == [Decimal("3.50")]


def test_it_is_not_closed_while_somebody_judges_and_what_they_send_is_owed(study):
    campaign = campaign_of(study)
    batch = begun(study)
    closure.stop(campaign.pk)
    with pytest.raises(campaigns.CannotCampaign, match="in the middle of a batch: 1"):
        closure.close(campaign.pk)
    finished(batch)
    # Closed a moment ago, and not swept yet.
    with pytest.raises(campaigns.CannotCampaign, match="Payments that are not made"):
        closure.close(campaign.pk)
    assert amounts() == []
    look(campaign)
    payouts.mark_paid(Payment.objects.values_list("pk", flat=True), "by hand")
    assert closure.close(campaign.pk).state == "closed"
    assert Judgment.objects.count() == 7


def test_batches_from_before_it_was_armed_are_not_owed(study):
    draft = campaign_of(study, arm=False)
    batch = begun(study)
    campaigns.arm(draft.pk, terms_hash(draft))
    finished(batch)
    look(draft)
    assert amounts() == []
