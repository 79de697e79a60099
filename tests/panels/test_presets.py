"""Presets of services that send people by a link: from a choice on the page to somebody's way back."""

import re
from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse

from collection.models import Membership
from panels import link, money
from panels.link import presets
from panels.models import Campaign
from panels.recruitment import campaigns
from panels.terms import terms_hash
from tests.judging.organizing import logged_in
from tests.judging.visiting import text_of
from tests.panels.campaigning import Sent

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(study):
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    return client


def begun(alice, preset) -> tuple[Campaign, str]:
    """A draft that was begun on the page; what its page says."""
    page = alice.post(reverse("campaigns", args=["garden"]), {"panel": f"link/{preset}"}, follow=True)
    return Campaign.objects.latest("pk"), unescape(text_of(page))


def running(campaign, **terms) -> Campaign:
    campaigns.change(campaign.pk, reward=Decimal(2), places=5, terms={**campaign.terms, **terms})
    money.set_cap(campaign, Decimal(100))
    campaign.refresh_from_db()
    campaigns.arm(campaign.pk, terms_hash(campaign))
    campaigns.publish(campaign.pk, 5)
    return campaign


def test_prolific_by_hand_has_its_ids_and_leads_back_with_a_code_of_this_campaign(study, alice):
    campaign, page = begun(alice, "prolific-by-hand")
    token = campaign.token
    assert f"/p/{token}/?PROLIFIC_PID={{{{%PROLIFIC_PID%}}}}&SESSION_ID={{{{%SESSION_ID%}}}}" in page
    assert "enter the codes as completion codes" in page
    codes = {value for name, value in campaign.terms.items() if name.startswith("code_")}
    assert len(codes) == 4
    other, _ = begun(alice, "prolific-by-hand")
    assert codes.isdisjoint(other.terms.values())
    running(campaign)
    last = Sent(f"/p/{token}/?PROLIFIC_PID=5f0a&SESSION_ID=77aa").work().content.decode()
    back = f"https://app.prolific.com/submissions/complete?cc={campaign.terms['code_completed']}"
    assert f'href="{back}"' in last
    refused = Sent(f"/p/{token}/?PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D&SESSION_ID=1").arrived
    assert "did not fill in" in text_of(refused)


def test_connect_adds_its_ids_by_itself_and_takes_a_code(study, alice):
    campaign, page = begun(alice, "connect")
    assert re.search(rf"/p/{campaign.token}/(?!\?)", page)
    assert "fixed completion code" in page
    # Connect knows one code: people who fail the known answers get it too.
    codes = {name: value for name, value in campaign.terms.items() if name.startswith("code_") and value}
    assert list(codes) == ["code_completed"]
    assert f"Completion code, finished: {codes['code_completed']}" in page
    # A quarter of the reward, as Connect takes it.
    assert link.Link().fee(Decimal(2), "reward", campaign.terms) == Decimal("0.50")
    running(campaign)
    last = Sent(f"/p/{campaign.token}/?participantId=AB12&assignmentId=9&projectId=3").work()
    assert campaign.terms["code_completed"] in text_of(last)
    entry = campaign.entries.get()
    assert link.Link().finish(entry, "failed") == link.Link().finish(entry, "completed")


def test_sona_is_not_armed_before_its_address_is_typed_and_gives_the_id_back_in_it(study, alice):
    campaign, page = begun(alice, "sona")
    assert f"/p/{campaign.token}/?survey_code=%SURVEY_CODE% " in page
    assert "replace what begins with YOUR-" in page
    with pytest.raises(campaigns.CannotCampaign, match="YOUR-"):
        running(campaign)
    credit = "https://lab.sona-systems.com/webstudy_credit.aspx?experiment_id=7&survey_code={person}"
    running(campaign, redirect=credit)
    last = Sent(f"/p/{campaign.token}/?survey_code=4%263/1").work().content.decode()
    # An id cannot add a parameter of its own to the address.
    assert f'href="{credit.replace("&", "&amp;").format(person="4%263%2F1")}"' in last


def test_address_that_asks_for_a_code_needs_one(study):
    terms = {"finish": "redirect", "redirect": "https://panel.example/?cc={code}"}
    with pytest.raises(campaigns.CannotCampaign, match="enter the code of who finishes"):
        campaigns.new(study, "link", terms=terms)


def test_there_is_no_other_preset_and_no_other_panel_has_any(study):
    with pytest.raises(campaigns.CannotCampaign, match="connect"):
        campaigns.new(study, "link", preset="nonesuch")
    with pytest.raises(campaigns.CannotCampaign, match="none"):
        campaigns.new(study, "mturk", preset="sona")
    assert campaigns.new(study, "link").terms["finish"] == "own code"


@pytest.mark.parametrize("name", presets.PRESETS)
def test_every_preset_makes_settings_that_fit(study, name):
    made = campaigns.new(study, "link", preset=name)
    assert made.name.startswith(presets.PRESETS[name].title)
