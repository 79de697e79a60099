"""The organizer's pages of campaigns: from draft to closed with the pages alone, and what they refuse."""

import re
from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone

from collection.models import Item, Membership
from panels.models import Budget, Call, Campaign, Entry, Payment, Place
from panels.payments import payouts
from panels.recruitment import campaigns
from panels.terms import terms_hash
from tests.judging.organizing import logged_in
from tests.judging.visiting import text_of
from tests.panels.campaigning import LINK, Sent, campaign_of, link_address, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(study):
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    study.asked_by, study.contact = "Ada", "ada@example.org"
    study.save()
    return client


def do(client, campaign, action, **given):
    """Press a button of the campaign's page; the page that follows."""
    address = reverse("campaign", args=["garden", campaign.pk])
    return client.post(address, {"action": action, **given}, follow=True)


def shown(client, campaign) -> str:
    return text_of(client.get(reverse("campaign", args=["garden", campaign.pk])))


def says_next(client) -> str:
    """What the page of money says is to be done about its only campaign."""
    page = client.get(reverse("campaigns", args=["garden"])).content.decode()
    found = re.search(r"<strong>Next:</strong> (?:<a[^>]*>)?([^<]+)", page)
    assert found
    return found[1]


def unfolded(page) -> list[str]:
    """The titles of the steps that a campaign's page shows unfolded; fails unless they stand first, and
    unless there is one main button at most.
    """
    a_step = r'<details class="fold wide"( open)?>\s*<summary><h2>([^<]+)'
    steps = re.findall(a_step, page.content.decode())
    is_open = [bool(one) for one, _ in steps]
    assert is_open == sorted(is_open, reverse=True)
    assert page.content.decode().count('class="main"') <= 1
    return [title for one, title in steps if one]


def test_from_draft_to_closed_by_pages_alone(study, alice):
    made = alice.post(reverse("campaigns", args=["garden"]), {"panel": "link"}, follow=True)
    campaign = Campaign.objects.get()
    assert f"/campaigns/{campaign.pk}/" in made.redirect_chain[-1][0]
    assert f"{campaign.places} with those that fail" in text_of(made)  # it begins with what is needed
    assert says_next(alice) == "Say what a place pays."
    assert unfolded(made) == ["What is offered"]
    form = {name: value for name, value in campaign.terms.items() if value is not False} | LINK
    form |= {"name": "First", "reward": "2.00", "currency": "USD", "minutes": "10", "floor": "12.00"}
    do(alice, campaign, "save", **form | {"places": "3", "finish": "code"})
    assert "Before it can be armed" in shown(alice, campaign)
    assert says_next(alice) == "Set what the study may spend."
    assert "in the way of arming it" in shown(alice, campaign)
    do(alice, campaign, "cap", cap="6.00")
    page = alice.get(reverse("campaign", args=["garden", campaign.pk]))
    assert unfolded(page) == ["What it costs", "Arm"]
    page = page.content.decode()
    agreed = re.search(r'name="hash" value="([0-9a-f]{64})"', page)[1]
    assert "6.00" in page
    assert says_next(alice) == "Read what it costs, then arm it."
    armed = do(alice, campaign, "arm", hash=agreed)
    assert unfolded(armed) == ["Publish in waves"]
    # The button that says the sum is the one that publishes.
    assert 'href="#publish"' not in armed.content.decode()
    assert (
        "3 places at 2.00 cost 6.00 USD: 0.00 would be left of the cap. 3 places of 3 are left."
        in text_of(armed)
    )
    do(alice, campaign, "cap", cap="5.00")
    assert "3 places at 2.00 cost 6.00 USD: 1.00 more than the cap leaves." in shown(alice, campaign)
    do(alice, campaign, "cap", cap="6.00")
    assert says_next(alice) == "Publish the first places."
    assert 'data-each="2.00" data-currency="USD">Publish</button>' in str(armed.content)
    published = do(alice, campaign, "publish", places="2")
    assert unfolded(published) == []
    told = text_of(published)
    assert says_next(alice) == "Wait: 2 places are out."
    assert "2 places set aside (4.00 USD)" in told
    Sent(link_address(campaign)).work()
    people = text_of(alice.get(reverse("campaign", args=["garden", campaign.pk])))
    assert "2.00 reward, owed" in people
    assert "p1" not in people
    assert says_next(alice) == "Pay 2.00 USD for 1 batch, and mark it as paid."
    page = alice.get(reverse("campaign", args=["garden", campaign.pk])).content.decode()
    assert 'class="main">Mark it as paid' in page
    alice.post(reverse("campaign-pay", args=["garden", campaign.pk]), {"action": "by-hand", "all": "1"})
    assert Payment.objects.get().state == "paid"
    stopped = do(alice, campaign, "stop")
    assert "1 place withdrawn" in text_of(stopped)
    assert unfolded(stopped) == ["Stop and close"]
    assert unfolded(do(alice, campaign, "cap", cap="-1")) == ["What is offered", "Stop and close"]
    assert "Its books are kept" in text_of(do(alice, campaign, "close"))
    assert says_next(alice) == "Nothing: it is closed, and its books are kept."
    campaign.refresh_from_db()
    assert campaign.state == "closed"
    assert Budget.objects.get().committed == Decimal("2.00")
    trail = text_of(alice.get(reverse("trail", args=["garden"])))
    assert "checksum of the terms: " in trail
    assert "a place costs: 2.00" in trail
    for said in ("armed a campaign", "published places", "marked as paid", "closed a campaign"):
        assert said in trail


@pytest.mark.parametrize(
    ("action", "given", "says"),
    [
        ("publish", {"places": "1"}, "not armed"),
        ("arm", {"hash": "0" * 64}, "others than those of the estimate"),
        ("close", {}, "not stopped yet"),
        ("cap", {"cap": "-1"}, "Enter a number, 0 or more."),
        ("cap", {"cap": "1.001"}, "at most 2 digits after the point"),
        ("nothing", {}, "does not say what is wanted"),
    ],
)
def test_what_cannot_be_done_is_said_with_the_next_step(study, alice, action, given, says):
    campaign = campaign_of(study)
    assert says in text_of(do(alice, campaign, action, **given))
    assert not Place.objects.exists()


def test_places_that_the_panel_refused_come_with_what_it_said(study, alice):
    campaign = running(study, places=10, publish=3)
    told = "The panel refused places, and what was set aside for them is free again: “Not enough money.”"
    for said in ("Long ago.", "Not enough money."):
        Call.objects.create(
            campaign=campaign, op="publish", key=said, state="refused", error=said, not_before=timezone.now()
        )
    assert "refused places" not in text_of(alice.get(reverse("campaigns", args=["garden"])))
    Place.objects.filter(campaign=campaign).update(state="refused")
    assert told in text_of(alice.get(reverse("campaigns", args=["garden"])))
    assert told in shown(alice, campaign)
    assert told in text_of(alice.get(reverse("campaign-counts", args=["garden", campaign.pk])))


def test_anyone_to_look_at_is_marked_among_the_people_of_a_campaign(study, alice):
    Item.objects.update(text="One of many words that nobody reads in a hundredth of a second. " * 9)
    campaign = running(study, publish=2)
    for name, seconds in (("slow", "90"), ("hasty", "0.01")):
        person = Sent(link_address(campaign, f"of-{name}", f"session-{name}"))
        person.begin()
        person.answer(seconds=seconds)
        person.send()
    rows = text_of(alice.get(reverse("campaign", args=["garden", campaign.pk]))).partition("then the newest")[
        2
    ]
    hasty, slow = rows.split("Person 1 ", 1)
    assert "Person 2 ▲ 5 of 5 answers faster than a reader could be" in hasty
    assert "▲" not in slow


def test_a_cap_below_what_is_set_aside_is_refused(study, alice):
    campaign = running(study, publish=2)
    assert "no cap below that" in text_of(do(alice, campaign, "cap", cap="3.99"))


def test_the_number_of_queries_does_not_grow_with_the_places(study, alice, django_assert_max_num_queries):
    campaign = running(study, publish=10, places=60, cap="500")
    for n in range(4):
        Sent(link_address(campaign, f"p{n}", f"s{n}")).work()
    for name, most in (("campaign", 83), ("campaigns", 66)):
        args = ["garden"] if name == "campaigns" else ["garden", campaign.pk]
        with django_assert_max_num_queries(most):
            assert alice.get(reverse(name, args=args)).status_code == 200
    assert Entry.objects.count() == 4


def test_what_moves_by_itself_is_fetched_only_when_it_has_changed(
    study, alice, django_assert_max_num_queries
):
    campaign = running(study, publish=3)
    args = ["garden", campaign.pk]
    counts, budget = reverse("campaign-counts", args=args), reverse("campaign-budget", args=args)
    page = alice.get(reverse("campaign", args=args)).content.decode()
    assert f'data-live="{counts}"' in page
    assert f'data-live="{budget}"' in page
    with django_assert_max_num_queries(10):
        first = alice.get(counts)
    assert "1 owed" not in text_of(first)
    assert "6.00" in text_of(alice.get(budget))
    assert alice.get(counts, headers={"If-None-Match": first["ETag"]}).status_code == 304
    Sent(link_address(campaign)).work()
    then = alice.get(counts, headers={"If-None-Match": first["ETag"]})
    assert "1 owed" in text_of(then)
    payouts.mark_paid(Payment.objects.values_list("pk", flat=True), "by hand")
    assert "USD spent 2.00" in text_of(alice.get(budget))


def test_production_needs_the_permission(study, alice, settings):
    settings.MTURK_MODE, settings.PUBLIC_URL = "production", "https://faceoff.example"
    settings.MTURK_ACCESS_KEY_ID = settings.MTURK_SECRET_ACCESS_KEY = "of-a-test"
    settings.MTURK_PRODUCTION_ACKNOWLEDGED_CLOSED_2026_09_30 = True
    campaign = campaign_of(study, "mturk", environment="production")
    page = shown(alice, campaign)
    assert "real people and real money" in page
    assert "closed to the public" in page
    refused = do(alice, campaign, "arm", hash="0" * 64, typed=campaign.name, acknowledged="on")
    assert refused.status_code == 403


@pytest.mark.parametrize("panel", ["mturk", "prolific"])
def test_a_marketplace_is_given_its_addresses_by_program_and_pays_something(study, alice, settings, panel):
    settings.MTURK_MODE, settings.MTURK_EMULATOR_URL = "emulator", "http://127.0.0.1:9"
    settings.PROLIFIC_URL = "http://127.0.0.1:9/api/v1"
    campaign = campaign_of(study, panel, reward=Decimal("0.00"))
    page = shown(alice, campaign)
    assert "placeholders" not in page
    assert "Say what a place pays" in page
    refused = text_of(do(alice, campaign, "arm", hash=terms_hash(campaign)))
    assert "Say what a place pays" in refused
    assert not Campaign.objects.get().armed_at


def test_pressing_publish_twice_publishes_once(study, alice):
    campaign = running(study, publish=2, places=20, cap="100")
    page = alice.get(reverse("campaign", args=["garden", campaign.pk])).content.decode()
    assert re.search(r'<input type="hidden" name="after" value="2"', page)
    said = [text_of(do(alice, campaign, "publish", places="5", after="2")) for _ in range(2)]
    assert "5 places set aside" in said[0]
    assert "7 places are published; there were 2 when this page was opened" in said[1]
    assert Place.objects.count() == 7


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("reward", "0.005"), ("reward", ""), ("reward", "123456789012"), ("minutes", ""), ("minutes", "1e9"),
        ("floor", ""), ("places", ""), ("places", "2.5"), ("name", ""), ("code_completed", "short"),
    ],
)  # fmt: skip
def test_bad_settings_are_named_beside_their_field_and_nothing_is_saved(study, alice, field, value):
    alice.post(reverse("campaigns", args=["garden"]), {"panel": "link"})
    campaign = Campaign.objects.get()
    form = {name: value for name, value in campaign.terms.items() if value is not False} | LINK
    form |= {
        "name": "Changed",
        "reward": "2.00",
        "currency": "USD",
        "minutes": "10",
        "floor": "12.00",
        "places": "3",
    }
    page = do(alice, campaign, "save", **form | {"finish": "code"} | {field: value})
    assert page.status_code == 200
    assert "Nothing was saved" in text_of(page)
    assert f'href="#id_{field}"' in page.content.decode()
    campaign.refresh_from_db()
    assert campaign.name != "Changed"


def test_campaign_that_is_over_asks_for_no_next_step(study, alice):
    campaign = running(study)
    do(
        alice,
        campaign,
        "save",
        name="Changed",
        minutes="11",
        currency="USD",
        reward="2.00",
        floor="1",
        places="10",
    )
    do(alice, campaign, "stop")
    assert "Arm it first" not in shown(alice, campaign)


def test_a_new_campaign_expects_and_allows_the_time_that_long_texts_take(study):
    """By hand: a pair of 3,000 words takes 12 minutes; at 200 words a minute 15."""
    for item in Item.objects.filter(topic__study=study):
        item.text = "tide " * 1500
        item.save()
    task = study.tasks.get()
    questions = task.batch_size + task.batch_challenges + task.repeats
    made = campaigns.new(study, "prolific")
    assert made.minutes == 12 * questions
    assert made.terms["duration_minutes"] == max(60, 15 * questions)


def test_people_without_answers_are_folded_and_those_to_decide_about_come_first(alice, study):
    campaign = running(study, publish=4)
    for name in ("p1", "p2"):
        Sent(link_address(campaign, name, name)).work()
    Sent(link_address(campaign, "p3", "s3"))
    Sent(link_address(campaign, "p4", "s4")).begin()
    first = Entry.objects.order_by("pk").first()
    Payment.objects.exclude(entry=first).update(state="paid", paid_at=timezone.now())
    first.payments.update(state="review")
    page = alice.get(reverse("campaign", args=["garden", campaign.pk]))
    shown = [entry.pk for entry, *_ in page.context["entries"]]
    by_age = list(Entry.objects.order_by("pk").values_list("pk", flat=True))
    assert shown == [by_age[0], by_age[3], by_age[1]]
    assert [entry.pk for entry in page.context["bare"]] == [by_age[2]]
    assert "1 place without answers" in text_of(page)
    assert "Reassigned: gave the place back, and the panel gave it to somebody else." in text_of(page)
    # A place that was begun and came back without answers joins them.
    Entry.objects.filter(pk=by_age[3]).update(state="superseded")
    page = alice.get(reverse("campaign", args=["garden", campaign.pk]))
    assert [entry.pk for entry in page.context["bare"]] == [by_age[3], by_age[2]]
    assert "2 places without answers" in text_of(page)
