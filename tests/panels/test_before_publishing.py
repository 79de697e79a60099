"""Before a wave is published: what the account can pay, and offers that a restored backup does not know."""

import pytest

from collection.models import Membership
from panels import money
from panels.calls.effects import key_of
from panels.models import Call, Campaign, Place, Posting
from panels.recruitment import campaigns, closure
from tests.judging.organizing import logged_in
from tests.judging.visiting import text_of
from tests.panels.at_turk import EASY, collect, due_now, make_all, our_hits, published
from tests.panels.campaigning import armed
from tests.panels.test_campaign_command import run
from tests.panels.turk import Worker, client, hit

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def test_a_wave_that_the_account_cannot_pay_is_refused_with_both_amounts(study, own_market):
    campaign = armed(study, "mturk", terms=EASY)
    own_market.switch(opening_balance="10.00")
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    address = f"/studies/garden/campaigns/{campaign.pk}/"
    page = text_of(client.post(address, {"action": "publish", "places": "5"}, follow=True))
    assert "5 places cost 12.00 USD, and the account has 10.00" in page
    with pytest.raises(Exception, match=r"the account has 10\.00"):
        run("publish", "--places", "5")
    assert not Place.objects.exists()
    assert not Posting.objects.exists()
    assert run("publish", "--places", "4")["reserved"] == 4
    assert len(our_hits(own_market, campaign)) == 4


def test_a_balance_that_cannot_be_read_refuses_nothing_in_a_rehearsal(study, market, monkeypatch):
    campaign = armed(study, "mturk", terms=EASY)
    market.fault("503", "GetAccountBalance", times=None)
    campaigns.refuse_beyond_balance(campaign, 5)
    monkeypatch.setattr(Campaign, "is_rehearsal", False)
    with pytest.raises(campaigns.CannotCampaign, match="could not be read"):
        campaigns.refuse_beyond_balance(campaign, 5)


def test_after_an_older_backup_was_restored_nothing_is_published_before_somebody_has_looked(study, market):
    """The marketplace offers a HIT whose annotation is the campaign's, and whose place the backup has not."""
    campaign = published(study, 1, places=10, topped_up=True)
    later = key_of(campaign, 9, 1).replace(":", "-")
    made = hit(client(market), RequesterAnnotation=later)["HITId"]
    worker = Worker(market, "AWORKSON")
    worker.accept(made)
    Campaign.objects.filter(pk=campaign.pk).update(surveyed_at=None)
    report = collect(campaign)
    campaign.refresh_from_db()
    assert "backup was restored" in campaign.troubled
    assert any(f"{made} was offered" in said and "Somebody has taken it" in said for said in report.problems)
    assert Place.objects.count() == 1  # though more questions are open, and it publishes by itself
    assert made not in Worker(market, "ANOTHER").offers()
    with pytest.raises(campaigns.CannotCampaign, match="backup was restored"):
        campaigns.publish(campaign.pk, 1)
    # Once somebody has looked, it goes on; the same offer does not stop it again.
    campaigns.go_on(campaign.pk)
    Campaign.objects.filter(pk=campaign.pk).update(surveyed_at=None)
    collect(campaign)
    campaign.refresh_from_db()
    assert campaign.troubled == ""
    # It publishes by itself what open questions need only after the first wave came back.
    assert Place.objects.count() == 1
    Place.objects.update(state="settled")
    collect(campaign)
    assert Place.objects.count() > 1


@pytest.mark.parametrize("how", ["throttled", "gone"])
def test_what_was_asked_for_and_surely_not_done_is_not_published_after_the_stop(study, own_market, how):
    campaign = published(study, 1, places=5)
    if how == "throttled":
        own_market.fault("throttle", "CreateHITWithHITType", times=None)
    else:
        own_market.kill9()
    campaigns.publish(campaign.pk, 2)
    due_now()
    make_all(campaign)
    calls = Call.objects.filter(campaign=campaign, op="publish")
    assert list(calls.order_by("pk").values_list("state", "doubts")) == [("done", 0)] + 2 * [("waiting", 0)]
    alice = logged_in("alice")
    Membership.objects.create(study=study, user_id=alice.session["_auth_user_id"], role="organizer")
    page = f"/studies/garden/campaigns/{campaign.pk}/counts/"
    assert "2 calls to the panel could not be made yet." in text_of(alice.get(page))
    closure.stop(campaign.pk)
    assert "could not be made yet" not in text_of(alice.get(page))
    assert set(calls.values_list("state", flat=True)) == {"done", "refused"}
    assert Place.objects.filter(state="expired").count() == 2
    if how == "gone":
        own_market.start()
    own_market.calm()
    due_now()
    make_all(campaign)
    collect(campaign)
    assert len(our_hits(own_market, campaign)) == 1
    assert money.sums(campaign).reserved == 0


def test_what_may_have_been_done_is_looked_for_after_the_stop_and_withdrawn(study, market):
    campaign = published(study, 1, places=5)
    market.fault("lose_reply", "CreateHITWithHITType", times=1)
    campaigns.publish(campaign.pk, 1)
    make_all(campaign)
    assert Call.objects.filter(op="publish", state="doubt").count() == 1
    closure.stop(campaign.pk)
    assert Call.objects.filter(op="publish", state="doubt").count() == 1
    for _ in range(3):
        due_now()
        make_all(campaign)
    assert len(our_hits(market, campaign)) == 2
    ours = {one["HITId"] for one in our_hits(market, campaign)}
    assert not ours & set(Worker(market, "ALATE").offers())
