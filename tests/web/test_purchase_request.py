"""Several presses at once of the button that asks for more, on PostgreSQL: one of them is done."""

from decimal import Decimal

import pytest

from panels.models import Campaign
from tests.judging.organizing import account, staff_of
from tests.judging.test_at_once import together
from tests.makers import make_study
from tests.panels.campaigning import campaign_of
from tournament import services
from tournament.remaining_work import left
from web.forecast import purchase_form
from web.forecast.judging_cost import cost_of
from web.forecast.purchase import purchase
from web.forecast.topic_work import topic_work
from web.organizer.recruitment.purchase_request import ask_for

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_of_several_presses_one_opens_the_wave_and_drafts_the_campaign():
    study = staff_of(make_study(topics=8, items=6, k=2))
    services.start(study.pk, 1)
    services.catch_up()
    paid = campaign_of(study, reward=Decimal("1.00"))
    Campaign.objects.filter(pk=paid.pk).update(state="closed", terms_hash="x")
    cost, alice = cost_of(study), account("alice")
    bought = purchase(6, cost, topic_work(study, left(study)))
    upon = purchase_form.state(study)
    done = together([lambda: ask_for(study, alice, bought, cost.campaign, upon)] * 6)
    assert not [one for one in done if isinstance(one, Exception)]
    assert len([one for one in done if one is not None]) == 1
    assert Campaign.objects.count() == 2
    assert services.waiting(study.pk) == 7 - len(bought.to_open)
