"""The currency of a study: chosen once, and followed by what is paid, where a panel allows it."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Action, Study
from collection.study import study_copy
from panels.models import Campaign
from panels.recruitment import campaigns
from tests.judging.organizing import account, staff_of, text
from tests.makers import make_study
from tests.panels.campaigning import campaign_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return staff_of(make_study(currency="GBP"))


@pytest.mark.parametrize(
    ("panel", "currency"), [("link", "GBP"), ("prolific", "GBP"), ("mturk", "USD"), ("local", "GBP")]
)
def test_a_new_campaign_pays_in_the_studys_currency_if_its_panel_does(study, panel, currency):
    assert campaigns.new(study, panel).currency == currency


def test_a_panel_link_takes_every_currency_of_a_study():
    for one in Study.CURRENCIES:
        assert campaigns.new(make_study(currency=one, name=one), "link").currency == one


def test_the_currency_is_not_asked_for_a_second_time(study, alice):
    campaign = campaign_of(study)
    address = reverse("campaign", args=[study.slug, campaign.pk])
    page = alice.get(address)
    assert "currency" not in page.context["terms"].fields
    assert "A place pays, in GBP" in text(page)
    Campaign.objects.filter(pk=campaign.pk).update(currency="EUR")
    assert "currency" in alice.get(address).context["terms"].fields


def test_it_is_a_setting_on_record_and_a_copy_has_it(study, alice):
    address = reverse("study-settings", args=[study.slug])
    form = alice.get(address).context["form"]
    fields = {name: form[name].value() for name in form.fields}
    given = {name: value for name, value in fields.items() if value is not None and value is not False}
    assert alice.post(address, given | {"currency": "EUR"}).status_code == 302
    study.refresh_from_db()
    assert study.currency == "EUR"
    last = Action.objects.filter(study=study).latest("pk")
    assert (last.before["Currency"], last.after["Currency"]) == ("GBP", "EUR")
    alice.post(address, given | {"currency": "XXX"})
    alice.post(address, {name: value for name, value in given.items() if name != "currency"})
    study.refresh_from_db()
    assert study.currency == "EUR"
    assert study_copy.copy_settings(study, "Copied", account("alice")).currency == "EUR"


def test_a_study_that_a_command_makes_has_the_currency_that_it_says():
    call_command("study", "meadow", "--currency", "CHF")
    call_command("study", "lawn")
    assert list(Study.objects.order_by("pk").values_list("currency", flat=True)) == ["CHF", "USD"]
