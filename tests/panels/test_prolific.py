"""Campaigns on the Prolific emulator: nothing published or paid twice, whatever answer is lost."""

from decimal import Decimal
from pathlib import Path

import pytest

import panels.prolific
from panels import money, reconciliation
from panels.models import Budget, Call, Campaign, Entry, Payment, Place, Posting
from panels.payments import payouts
from panels.prolific import client as prolific_client
from panels.recruitment import campaigns, closure
from panels.terms import terms_hash
from simulation.emulators.prolific.tables import PROJECT, WORKSPACE, WORKSPACES
from tests.judging.visiting import text_of
from tests.panels.at_prolific import Participant, Site, client, pid, published
from tests.panels.at_turk import collect, due_now, make_all, shift
from tests.panels.campaigning import armed, campaign_of

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def our_studies(market, campaign) -> list[dict]:
    """The studies at the emulator that are this campaign's."""
    own = f"-{campaign.pk}-{campaign.token[:6]}-"
    found = client(market).get("/studies/", params={"limit": 1000}).json()["results"]
    return [
        client(market).get(f"/studies/{one['id']}/").json() for one in found if own in one["internal_name"]
    ]


def settle(campaign) -> None:
    """Make calls, those in doubt too, until nothing is to be made at once."""
    for _ in range(4):
        due_now()
        make_all(campaign)
    campaign.refresh_from_db()


def troubled(campaign) -> str:
    campaign.refresh_from_db()
    return campaign.troubled


def call(op) -> Call:
    return Call.objects.filter(op=op).latest("pk")


@pytest.mark.parametrize(
    ("fault", "operation"),
    [
        ("lose_reply", "create_group"),
        ("truncate", "create_group"),
        ("lose_reply", "create_study"),
        ("truncate", "create_study"),
        ("500", "create_study"),
        ("throttle", "create_study"),
        ("lose_reply", "change_study"),
        ("lose_reply", "transition_study"),
        ("duplicate", "transition_study"),
    ],
)
def test_one_study_is_published_whatever_becomes_of_an_answer(study, prolific, fault, operation):
    when = {"when": "after"} if fault == "500" else {}
    prolific.fault(fault, operation, times=1, **when)
    campaign = published(study, 3, places=10)
    settle(campaign)
    [there] = our_studies(prolific, campaign)
    assert (there["status"], there["total_available_places"]) == ("ACTIVE", 3)
    assert there["reward"] == 200
    assert there["external_study_url"].endswith("SESSION_ID={{%SESSION_ID%}}")
    assert set(Place.objects.values_list("state", flat=True)) == {"live"}
    asked = {"limit": 1000, "workspace_id": WORKSPACE}
    groups = client(prolific).get("/participant-groups/", params=asked).json()["results"]
    assert len([one for one in groups if one["id"] == campaign.refs["group"]]) == 1
    assert len([one for one in groups if one["name"].startswith("Faceoff garden")]) == 1


def test_further_waves_only_raise_the_number_of_places(study, prolific):
    campaign = published(study, 3, places=10)
    campaigns.publish(campaign.pk, 4)
    make_all(campaign)
    [there] = our_studies(prolific, campaign)
    assert there["total_available_places"] == 7
    assert [one["status"] for one in prolific.log("transition_study")[-1:]] == [200]
    assert money.budget_of(campaign).committed == 7 * (Decimal("2.00") + Decimal("0.67"))


def test_a_draft_whose_absence_is_proved_is_made_anew(study, prolific, monkeypatch):
    prolific.fault("drop_before", "create_study", times=1)
    campaign = published(study)
    assert call("draft").state == "doubt"
    due_now()
    make_all(campaign)
    assert our_studies(prolific, campaign) == []
    shift(monkeypatch, minutes=11)
    make_all(campaign)
    shift(monkeypatch, minutes=22)
    make_all(campaign)
    assert len(our_studies(prolific, campaign)) == 1
    assert Place.objects.get().state == "live"


@pytest.mark.parametrize("fault", ["lose_reply", "truncate", "duplicate", "500", "throttle"])
def test_a_submission_is_approved_and_posted_once(study, prolific, fault):
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    prolific.fault(fault, "transition_submission", times=1)
    collect(campaign)
    settle(campaign)
    collect(campaign)
    assert Payment.objects.get().state == "paid"
    posted = dict(Posting.objects.filter(kind__in=["reward", "fee"]).values_list("kind", "amount"))
    assert posted == {"reward": Decimal("2.00"), "fee": Decimal("0.67")}
    assert Posting.objects.filter(kind="reward").count() == 1
    assert reconciliation.compare_books(campaign) == []


@pytest.mark.parametrize("operation", ["create_bonuses", "pay_bonuses"])
@pytest.mark.parametrize("fault", ["lose_reply", "drop_before"])
def test_a_bonus_is_paid_once_whatever_becomes_of_an_answer(study, prolific, monkeypatch, operation, fault):
    """Paying a bulk of bonuses again pays again: only a look shows whether it was paid."""
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    collect(campaign)
    prolific.fault(fault, operation, times=1)
    payouts.owe_bonus(Entry.objects.get(), Decimal("1.05"), "It took longer.", kind="top-up")
    make_all(campaign)
    for minutes in (1, 12, 23):
        shift(monkeypatch, minutes=minutes)
        make_all(campaign)
    assert Payment.objects.get(kind="bonus").state == "paid"
    shown = client(prolific).get(f"/submissions/{Entry.objects.get().outside}/").json()
    assert shown["bonus_payments"] == [105]
    assert reconciliation.compare_books(campaign) == []
    assert Posting.objects.filter(kind="bonus").count() == 1


def test_two_bonuses_of_one_amount_are_told_apart(study, prolific, monkeypatch):
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    collect(campaign)
    entry = Entry.objects.get()
    payouts.owe_bonus(entry, Decimal("0.50"), "One.", kind="one")
    make_all(campaign)
    prolific.fault("drop_before", "pay_bonuses", times=1)
    payouts.owe_bonus(entry, Decimal("0.50"), "Two.", kind="two")
    make_all(campaign)
    # The one that is listed is the first: the second is not taken for it.
    due_now()
    make_all(campaign)
    assert call("pay_bonus").state == "doubt"
    for minutes in (12, 24):
        shift(monkeypatch, minutes=minutes)
        make_all(campaign)
    assert client(prolific).get(f"/submissions/{entry.outside}/").json()["bonus_payments"] == [50, 50]
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}


def test_lists_are_read_to_the_last_page_in_whatever_spelling(study, prolific):
    prolific.switch(page_size=2, spelling="underscores")
    try:
        campaign = published(study, 3, cap="100")
        for number in (1, 2, 3):
            Participant(prolific, campaign, 300 + number).do()
        prolific.switch(processing=3600)
        collect(campaign)
        assert Entry.objects.filter(state="confirmed").count() == 3
    finally:
        prolific.switch(page_size=20, spelling="usual", processing=0)


def test_a_list_that_ends_too_soon_is_no_list(study, prolific, monkeypatch):
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    asked = prolific_client._asked

    def short(*words):
        page = asked(*words)
        return page | {"results": []} if "submissions" in words[1] else page

    monkeypatch.setattr(prolific_client, "_asked", short)
    report = reconciliation.reconcile(campaign)
    assert any("ended after 0" in problem for problem in report.problems)


def test_a_list_that_goes_on_elsewhere_does_not_get_the_token(study, prolific, monkeypatch):
    campaign = published(study)
    asked, seen = prolific_client._asked, []

    def elsewhere(method, address, *rest):
        seen.append(address)
        page = asked(method, address, *rest)
        page["_links"] = {"next": {"href": "https://evil.example/api/v1/submissions/"}}
        return page

    monkeypatch.setattr(prolific_client, "_asked", elsewhere)
    report = reconciliation.reconcile(campaign)
    assert any("another server" in problem for problem in report.problems)
    assert not any("evil" in address for address in seen)


def test_stopping_waits_for_somebody_who_has_taken_a_place_and_is_not_here_yet(study, prolific):
    campaign = published(study, 3)
    site = Site(prolific, pid(31))
    late = site.take(campaign.outside)
    closure.stop(campaign.pk)
    make_all(campaign)
    [there] = our_studies(prolific, campaign)
    assert there["status"] == "AWAITING REVIEW"
    assert call("expire").state == "waiting"
    assert Place.objects.filter(state="live").count() == 3
    site.give_back(late["submission"])
    settle(campaign)
    assert set(Place.objects.values_list("state", flat=True)) == {"expired"}
    assert Budget.objects.get().committed == 0
    assert closure.close(campaign.pk).state == "closed"


def test_a_study_that_no_campaign_here_stands_for_is_stopped(study, prolific):
    campaign = published(study)
    lost = campaign.outside
    client(prolific).patch(
        f"/studies/{lost}/", json={"internal_name": call("draft").key.replace(":", "-") + "-x"}
    )
    type(campaign).objects.filter(pk=campaign.pk).update(outside="0" * 24, surveyed_at=None)
    campaign.refresh_from_db()
    said = reconciliation.withdraw_strays(campaign)
    make_all(campaign)
    assert any(lost in one for one in said)
    [there] = our_studies(prolific, campaign)
    assert there["status"] == "AWAITING REVIEW"


def test_want_of_money_and_a_refused_token_stop_publishing_with_a_sentence(study, prolific, settings):
    prolific.switch(balance=100)
    try:
        campaign = published(study)
        assert "too little money" in campaign.troubled
    finally:
        prolific.switch(balance=1_000_000)
    settings.PROLIFIC_TOKEN = "of-a-file\n"
    prolific.fault("html403", "list_study_submissions", times=1)
    report = reconciliation.reconcile(campaign)
    assert any("does not serve this token" in problem for problem in report.problems), report.problems


SECOND = list(WORKSPACES)[1]
ITS_PROJECT = WORKSPACES[SECOND][1][1]


@pytest.mark.parametrize(
    ("terms", "made"),
    [
        ({"workspace": WORKSPACE}, (WORKSPACE, PROJECT)),
        ({"project": PROJECT}, (WORKSPACE, PROJECT)),
        ({"project": ITS_PROJECT}, (SECOND, ITS_PROJECT)),
        ({"workspace": SECOND, "project": ITS_PROJECT}, (SECOND, ITS_PROJECT)),
        ({}, "has 2 workspaces: Emulated workspace (777"),
        ({"workspace": "5" * 24}, f"no workspace {'5' * 24}. It has Emulated workspace"),
        ({"project": "5" * 24}, f"no workspace with the project {'5' * 24}"),
        ({"workspace": WORKSPACE, "project": ITS_PROJECT}, f"no project {ITS_PROJECT}. It has {PROJECT}."),
        ({"workspace": SECOND}, f"Put the id of a project of {SECOND} into the campaign's settings"),
    ],
)
def test_group_and_study_are_made_in_the_workspace_that_is_meant(study, prolific, terms, made):
    """Where several are there, it has to be said; each refusal says what there is, and nothing is made."""
    prolific.switch(workspaces=2)
    try:
        campaign = armed(study, "prolific", terms=terms)
        if isinstance(made, str):
            with pytest.raises(campaigns.CannotCampaign) as refused:
                campaigns.refuse_beyond_balance(campaign, 1)
            assert made in str(refused.value)
        else:
            campaigns.refuse_beyond_balance(campaign, 1)
        campaigns.publish(campaign.pk, 1)
        make_all(campaign)
        campaign.refresh_from_db()
        there = our_studies(prolific, campaign)
        if isinstance(made, str):
            assert made in campaign.troubled
            assert there == []
        else:
            asked = {"limit": 1000, "workspace_id": made[0]}
            groups = client(prolific).get("/participant-groups/", params=asked).json()["results"]
            assert campaign.refs["group"] in [one["id"] for one in groups]
            assert [(one["status"], one["project"]) for one in there] == [("ACTIVE", made[1])]
    finally:
        prolific.switch(workspaces=1)


def test_a_wave_is_refused_that_the_workspace_cannot_pay_or_pays_in_another_currency(study, prolific):
    """2.00 and a third of it are 2.67 a place."""
    campaign = armed(study, "prolific")
    left = client(prolific).get(f"/workspaces/{WORKSPACE}/balance/").json()["available_balance"]
    prolific.switch(balance=1_000_000 - left + 1000)
    try:
        campaigns.refuse_beyond_balance(campaign, 3)
        with pytest.raises(
            campaigns.CannotCampaign, match=r"4 places cost 10\.68 USD, and the account has 10\.00"
        ):
            campaigns.refuse_beyond_balance(campaign, 4)
        prolific.switch(currency="GBP")
        with pytest.raises(campaigns.CannotCampaign, match=r"pays in GBP, and this campaign in USD\. Make a"):
            campaigns.refuse_beyond_balance(campaign, 1)
    finally:
        prolific.switch(balance=1_000_000, currency="USD")


def test_a_wave_is_refused_for_which_the_account_is_charged_more_than_is_set_aside(study, prolific):
    """A company's fee is 42.8 %: 2.86 a place where 33.3 % sets 2.67 aside, so that a cap would be passed."""
    prolific.switch(fee_rate="0.428")
    try:
        campaign = armed(study, "prolific")
        with pytest.raises(
            campaigns.CannotCampaign,
            match=r"charges 28\.60 USD for 10 places, with fee and tax, and the campaign sets 26\.70 aside\. "
            r"Set its fee to 43\.0 %\. Nothing",
        ):
            campaigns.refuse_beyond_balance(campaign, 10)
        campaigns.refuse_beyond_balance(armed(study, "prolific", terms={"fee_percent": "43"}), 10)
    finally:
        prolific.switch(fee_rate="0.333")


def test_publishing_stops_where_more_is_charged_than_is_set_aside(study, prolific):
    """A fee that was raised meanwhile: 0.86 on 2.00 where 0.67 is set aside."""
    campaign = published(study)
    Participant(prolific, campaign, 1).do()
    collect(campaign)
    assert reconciliation.reconcile(campaign).problems == []
    prolific.switch(fee_rate="0.428")
    try:
        Campaign.objects.filter(pk=campaign.pk).update(surveyed_at=None)
        campaign.refresh_from_db()
        (said,) = {*reconciliation.reconcile(campaign).problems} - {
            f"Publishing has stopped: {troubled(campaign)}"
        }
        assert said.startswith(
            "Prolific charged 0.86 USD of fees and tax on 2.00, and this campaign sets 0.67 a"
        )
        assert troubled(campaign) == said
    finally:
        prolific.switch(fee_rate="0.333")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"PROLIFIC_TOKEN": ""}, "PROLIFIC_TOKEN"),
        ({"PUBLIC_URL": "http://judging.example.org"}, "HTTPS"),
        ({"DEBUG": True}, "DEBUG"),
        ({"PROLIFIC_URL": "http://127.0.0.1:9/api/v1"}, "meant for live"),
    ],
)
def test_the_real_one_is_asked_only_with_all_that_it_needs(study, settings, changed, says):
    settings.PROLIFIC_URL, settings.PROLIFIC_TOKEN = "https://api.prolific.com/api/v1", "secret"
    settings.PUBLIC_URL = "https://judging.example.org"
    campaign = campaign_of(study, "prolific")
    assert campaign.environment == "live"
    assert not campaign.is_rehearsal
    assert panels.prolific.Prolific().refusal(campaign) == ""
    for name, value in changed.items():
        setattr(settings, name, value)
    assert says in panels.prolific.Prolific().refusal(campaign)
    with pytest.raises(campaigns.CannotCampaign):
        armed(study, "prolific", environment="live")


@pytest.mark.parametrize(
    ("terms", "says"),
    [
        ({"title": " "}, "title"),
        ({"devices": ["watch"]}, "desktop"),
        ({"filters": "{"}, "JSON"),
        ({"filters": '[{"id": 1}]'}, "filter_id"),
        ({"fee_percent": "much"}, "percentage"),
        ({"duration_minutes": 4}, "5 minutes"),
    ],
)
def test_settings_that_make_no_sense_are_refused(study, terms, says):
    with pytest.raises(campaigns.CannotCampaign, match=says):
        campaign_of(study, "prolific", terms=terms)


@pytest.mark.parametrize(("minutes", "least"), [(9, 17), (16, 26), (49, 65)])
def test_people_have_the_time_that_prolific_gives_at_least(study, prolific, minutes, least):
    """2 + 9 + 2 · 3 = 17: with a minute less the emulator refuses the study, and arming says so before."""
    short = campaign_of(study, "prolific", minutes=minutes, terms={"duration_minutes": least - 1})
    with pytest.raises(campaigns.CannotCampaign, match=f"Let people have {least} minutes at least"):
        campaigns.arm(short.pk, terms_hash(short))
    campaign = published(study, minutes=minutes, terms={"duration_minutes": least})
    body = client(prolific).get(f"/studies/{campaign.outside}/").json()
    wrong = {name: body[name] for name in body if name not in ("id", "status")}
    refused = client(prolific).post("/studies/", json={**wrong, "maximum_allowed_time": least - 1})
    assert refused.status_code == 400
    assert "maximum_allowed_time" in refused.json()["error"]["detail"]


def test_somebody_who_does_not_agree_is_asked_to_return_and_gets_no_code(study, prolific):
    campaign = published(study)
    worker = Participant(prolific, campaign, 1)
    page = worker.client.post(worker.home, {"action": "decline"})
    assert "return your place" in text_of(page)
    assert not any(code in page.content.decode() for code in campaign.refs["codes"].values())


def test_no_call_rejects_anything():
    for file in Path(panels.prolific.__file__).parent.glob("*.py"):
        assert '"REJECT"' not in file.read_text("utf-8")
