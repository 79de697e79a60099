"""What Mechanical Turk's answers mean for a call: done, refused, later, or in doubt; against the emulator."""

import secrets
from decimal import Decimal

import pytest
from django.test import RequestFactory
from django.utils import timezone

from panels import reconciliation
from panels.base import CannotEnter, Done, Doubt, Later, Looked, Refused, Unavailable, marketplace
from panels.calls import effects, outbox
from panels.models import Call, Campaign, PanelExclusion, Payment, Place
from panels.mturk import calls, environments, lists
from panels.mturk.client import ClientError, client, rows
from panels.mturk.limits import BadRequest
from panels.participants import people
from tests.panels.at_turk import Turker, collect, make_all, place_of, published
from tests.panels.turk import Worker
from tests.panels.turk import client as plain_client

SPACE = 'xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"'
RECEIPT = "<Answer><QuestionIdentifier>receipt</QuestionIdentifier><FreeText>abc</FreeText></Answer>"
pytestmark = [pytest.mark.django_db, pytest.mark.services]


@pytest.fixture
def study(study):
    """With a seed of its own, so that nothing at the emulator is an earlier test's."""
    study.seed = secrets.token_hex(16)
    study.save(update_fields=["seed"])
    return study


def perform(call):
    return marketplace("mturk").perform(call)


def ask(call) -> str:
    """Make a call through the outbox, whether its time has come or not; its state."""
    Call.objects.filter(pk=call.pk).update(not_before=call.created_at)
    outbox.make(call.pk)
    return Call.objects.get(pk=call.pk).state


def worked(study, market, worker):
    """A campaign with one HIT that was done and paid; its entry."""
    campaign = published(study)
    turker = Turker(market, worker, place_of(campaign).outside)
    turker.do()
    collect(campaign)
    return campaign, campaign.entries.get()


def excluding(campaign, market, op="exclude", worker="AEXCLUDED"):
    person = people.person_for("mturk", "emulator", worker)
    row = PanelExclusion.objects.get_or_create(campaign=campaign, person=person, study=campaign.study)[0]
    return effects.intend(campaign, op, f"{op}:{campaign.pk}:{worker}", exclusion=row)


def paying_bonus(campaign, entry, key="b1"):
    made = {
        "campaign": campaign,
        "entry": entry,
        "kind": "bonus",
        "amount": Decimal("0.50"),
        "reason": "time",
    }
    payment = Payment.objects.create(key=f"{key}:{campaign.pk}", **made)
    return effects.intend(campaign, "bonus", f"{campaign.token}:{key}", entry=entry, payment=payment)


@pytest.mark.parametrize(
    ("fault", "said", "closes"),
    [
        ("throttle", Later, None),
        ("503", Doubt, None),
        ("500", Doubt, None),
        ("lose_reply", Doubt, None),
        ("drop_before", Doubt, None),
        ("truncate", Doubt, None),
        ("html403", Refused, True),
    ],
)
def test_each_fault_means_what_can_be_known_of_it(study, market, fault, said, closes):
    campaign = published(study, settle=False)
    call = Call.objects.get(campaign=campaign, op="qualify")
    market.fault(fault, "CreateQualificationType")
    outcome = perform(call)
    assert type(outcome) is said, outcome
    if closes is not None:
        assert outcome.closes is closes
        assert "closed to the public" in outcome.message


def test_address_where_nobody_listens_was_surely_not_asked(study, market, settings):
    call = Call.objects.get(campaign=published(study, settle=False), op="qualify")
    settings.MTURK_EMULATOR_URL = "http://127.0.0.1:9"
    assert type(perform(call)) is Later


def test_missing_keys_stop_publishing_and_leave_nothing_in_doubt(study, market, settings):
    call = Call.objects.get(campaign=published(study, settle=False), op="qualify")
    settings.MTURK_MODE = call.campaign.environment = "sandbox"
    outcome = perform(call)
    assert type(outcome) is Refused
    assert outcome.closes


def test_lost_reply_is_known_by_the_token_whatever_the_error_is_called(study, market):
    for switches in ({}, {"turk_error_code": False, "already_exists_names_hit": False}):
        campaign = published(study, settle=False)
        for op in ("qualify", "prepare"):
            assert ask(Call.objects.get(campaign=campaign, op=op)) == "done"
        call = Call.objects.get(campaign=campaign, op="publish")
        market.fault("lose_reply", "CreateHITWithHITType")
        market.switch(**switches)
        try:
            assert [ask(call), ask(call)] == ["doubt", "done"]
        finally:
            market.switch(turk_error_code=True, already_exists_names_hit=True)
        assert Place.objects.get(campaign=campaign).outside


def test_bonus_whose_reply_was_lost_is_done_by_its_token_and_sent_once(study, market):
    campaign, entry = worked(study, market, "ABONUSED")
    call = paying_bonus(campaign, entry)
    market.fault("lose_reply", "SendBonus")
    assert [ask(call), ask(call)] == ["doubt", "done"]
    assert call.payment.__class__.objects.get(pk=call.payment_id).state == "paid"
    assert market.show("books")["hits"][entry.place.outside]["bonuses"] == "0.50"
    assert len(market.log("SendBonus")) >= 2


def test_approval_whose_reply_was_cut_short_is_in_doubt_and_paid_once(study, market):
    campaign = published(study)
    hit_id = place_of(campaign).outside
    market.fault("truncate", "ApproveAssignment")
    Turker(market, "AHALF", hit_id).do()
    collect(campaign)
    call = Call.objects.get(campaign=campaign, op="approve")
    assert call.state == "doubt"
    assert ask(call) == "done"
    assert market.show("books")["hits"][hit_id]["rewards"] == "2.00"
    assert Call.objects.get(pk=call.pk).answer == {"how": "approved before"}


@pytest.mark.parametrize(
    ("answer", "receipt"),
    [
        (f"<QuestionFormAnswers {SPACE}>{RECEIPT}</QuestionFormAnswers>", "abc"),
        (f"<QuestionFormAnswers>{RECEIPT}</QuestionFormAnswers>", ""),
        (f"<QuestionFormAnswers {SPACE}>{RECEIPT}", ""),
        (f'<!DOCTYPE a [<!ENTITY b "c">]><QuestionFormAnswers {SPACE}>{RECEIPT}</QuestionFormAnswers>', ""),
        ("", ""),
    ],
)
def test_receipt_is_read_from_a_sound_form_alone(answer, receipt):
    assert lists.receipt_in(answer) == receipt


def test_bonus_is_found_by_its_reference_and_not_by_another(study, market):
    campaign, entry = worked(study, market, "AREFERRED")
    first, second = paying_bonus(campaign, entry, "b1"), paying_bonus(campaign, entry, "b2")
    panel = marketplace("mturk")
    assert panel.look(first) is Looked.ABSENT
    assert type(perform(first)) is Done
    assert type(panel.look(first)) is Done
    assert panel.look(second) is Looked.ABSENT


def test_page_that_was_cut_short_proves_nothing(study, market):
    campaign, entry = worked(study, market, "ACUT")
    call = paying_bonus(campaign, entry)
    market.fault("truncate", "ListBonusPayments")
    assert marketplace("mturk").look(call) is Looked.UNCLEAR
    market.fault("truncate", "ListReviewableHITs")
    with pytest.raises(Unavailable) as unavailable:
        list(marketplace("mturk").survey(campaign))
    assert not unavailable.value.permanent


def test_what_was_sent_from_our_page_is_listed_before_anything_else_is_asked(study, market):
    campaign = published(study, 2, places=2)
    first, second = campaign.slots.order_by("number")
    Worker(market, "AASKED").do(first.outside)
    Worker(market, "ANOTASKED").do(second.outside)
    Place.objects.filter(pk=first.pk).update(state=Place.State.SUBMITTED)
    market.fault("html403", "ListReviewableHITs")
    listed = iter(marketplace("mturk").survey(campaign))
    assert next(listed).person == "AASKED"
    with pytest.raises(Unavailable):
        next(listed)
    assert sorted(one.person for one in marketplace("mturk").survey(campaign)) == ["AASKED", "ANOTASKED"]


def test_closed_marketplace_is_unavailable_for_good(study, market):
    campaign = published(study)
    market.switch(closed=410)
    try:
        with pytest.raises(Unavailable, match="closed to the public") as unavailable:
            list(marketplace("mturk").survey(campaign))
    finally:
        market.switch(closed=0)
    assert unavailable.value.permanent


def test_letting_in_again_is_done_once_nobody_is_kept_out(study, market):
    campaign = published(study)
    assert ask(excluding(campaign, market)) == "done"
    call = excluding(campaign, market, "readmit")
    market.fault("lose_reply", "DisassociateQualificationFromWorker")
    assert [ask(call), ask(call)] == ["doubt", "done"]
    never = excluding(campaign, market, "readmit", "ANEVEROUT")
    assert type(perform(never)) is Done


def test_letting_in_again_is_not_done_because_something_else_failed(study, market, monkeypatch):
    campaign = published(study)
    for fault, said in (("html403", Refused), ("throttle", Later), ("503", Doubt)):
        market.fault(fault, "DisassociateQualificationFromWorker")
        assert type(perform(excluding(campaign, market, "readmit"))) is said
    assert ask(excluding(campaign, market)) == "done"
    assert type(perform(excluding(campaign, market, "readmit"))) is Done
    assert ask(excluding(campaign, market, worker="AKEPTOUT")) == "done"

    class Stubborn:
        """Refuses to let in, and shows that somebody is kept out."""

        def disassociate_qualification_from_worker(self, **_):
            raise ClientError({"Error": {"Code": "RequestError", "Message": "No."}}, "Disassociate")

        def get_qualification_score(self, **asked):
            return client("emulator", once=False).get_qualification_score(**asked)

    monkeypatch.setattr(calls, "client", lambda *_, **__: Stubborn())
    assert type(perform(excluding(campaign, market, "readmit", "AKEPTOUT"))) is Refused


def test_withdrawing_what_is_gone_already_is_done(study, market):
    campaign = published(study)
    place = place_of(campaign)
    call = effects.intend(campaign, "expire", f"x:{campaign.pk}", place=place)
    assert type(perform(call)) is Done
    plain_client(market).delete_hit(HITId=place.outside)
    assert type(perform(call)) is Done
    place.outside = call.place.outside = "3NOSUCHHIT"
    assert type(perform(call)) is Done


def test_hit_on_which_somebody_works_is_not_disposed_of_yet(study, market):
    campaign = published(study)
    Worker(market, "ABUSY").accept(place_of(campaign).outside)
    call = effects.intend(campaign, "dispose", f"d:{campaign.pk}", place=place_of(campaign))
    assert type(perform(call)) is Later


def test_assignment_that_stays_unknown_is_looked_at_by_somebody(study, market):
    campaign, _ = worked(study, market, "AUNKNOWN")
    call = Call.objects.get(campaign=campaign, op="approve")
    call.entry.outside = "3NOSUCHASSIGNMENT"
    call.attempts = 1
    assert type(perform(call)) is Later
    call.attempts = 5
    assert type(perform(call)) is Refused


def test_survey_lists_what_was_sent_without_our_page_and_skips_what_nobody_touched(study, market):
    campaign = published(study, 3, places=3)
    first, second, third = (place.outside for place in campaign.slots.order_by("number"))
    Worker(market, "ABLANK").do(first, note="x")
    requester = plain_client(market)
    requester.update_expiration_for_hit(HITId=third, ExpireAt=0)
    before = len(market.log("ListAssignmentsForHIT"))
    seen = list(marketplace("mturk").survey(campaign))
    assert [(one.person, one.place, one.status, one.receipt) for one in seen] == [
        ("ABLANK", first, "submitted", "")
    ]
    assert len(market.log("ListAssignmentsForHIT")) - before <= 2, "pages of the first alone"
    assert second not in [one.place for one in seen]


def test_hit_that_no_place_stands_for_is_withdrawn_and_told_of(study, market):
    campaign = published(study, settle=False)
    for op in ("qualify", "prepare"):
        assert ask(Call.objects.get(campaign=campaign, op=op)) == "done"
    # It was made, and the answer says that it was not.
    market.fault("html403", "CreateHITWithHITType", when="after")
    call = Call.objects.get(campaign=campaign, op="publish")
    assert ask(call) == "refused"
    campaign.refresh_from_db()
    (stray,) = marketplace("mturk").strays(campaign)
    assert (stray.outside in market.log("CreateHITWithHITType")[-1]["answer"], stray.touched) == (True, False)
    worker = Worker(market, "ASTRAY")
    work = worker.accept(stray.outside)["assignmentId"]
    (said,) = reconciliation.withdraw_strays(campaign)
    assert f"{stray.outside} was offered" in said
    assert "Somebody has taken it" in said
    make_all(campaign)
    worker.give_back(work)
    assert stray.outside not in Worker(market, "ANOTHER").offers()
    Campaign.objects.filter(pk=campaign.pk).update(surveyed_at=timezone.now())
    campaign.refresh_from_db()
    assert not reconciliation.is_first_of_hour(campaign)


def test_what_is_published_or_in_doubt_is_no_stray(study, market):
    campaign = published(study)
    assert list(marketplace("mturk").strays(campaign)) == []
    place = place_of(campaign)
    Place.objects.filter(pk=place.pk).update(outside="")
    Call.objects.filter(campaign=campaign, op="publish").update(state="doubt")
    assert list(marketplace("mturk").strays(campaign)) == []
    Call.objects.filter(campaign=campaign, op="publish").update(state="done")
    assert [one.outside for one in marketplace("mturk").strays(campaign)] == [place.outside]


def test_survey_reads_every_page(study, market):
    campaign = published(study, 3, places=3)
    for number, hit_id in enumerate(campaign.slots.values_list("outside", flat=True)):
        Worker(market, f"APAGED{number}").do(hit_id)
    reads = client("emulator", once=False)
    ids = [
        row["HITId"]
        for page in reads.get_paginator("list_reviewable_hits").paginate(
            HITTypeId=campaign.outside, PaginationConfig={"PageSize": 2}
        )
        for row in page["HITs"]
    ]
    assert len(ids) == 3
    assert sorted(ids) == sorted(
        row["HITId"] for row in rows(reads, "list_reviewable_hits", "HITs", HITTypeId=campaign.outside)
    )
    assert len(list(marketplace("mturk").survey(campaign))) == 3


@pytest.mark.parametrize(
    ("operation", "asked"),
    [
        ("get_hit", {"HITId": "lower"}),
        ("send_bonus", {"WorkerId": "BOB", "AssignmentId": "A", "BonusAmount": "1.00", "Reason": "r"}),
        ("send_bonus", {"WorkerId": "ABOB", "AssignmentId": "A", "BonusAmount": "1", "Reason": "r"}),
        ("send_bonus", {"WorkerId": "ABOB", "AssignmentId": "A", "BonusAmount": "$1.00", "Reason": "r"}),
        (
            "create_hit_with_hit_type",
            {"HITTypeId": "T", "LifetimeInSeconds": 60, "UniqueRequestToken": "t" * 65},
        ),
        ("create_hit_with_hit_type", {"HITTypeId": "T", "LifetimeInSeconds": 29}),
        ("create_hit_with_hit_type", {"HITTypeId": "T", "LifetimeInSeconds": 60, "MaxAssignments": 10}),
        ("create_hit_with_hit_type", {"HITTypeId": "T", "LifetimeInSeconds": 60, "RequesterAnnotation": "é"}),
        ("create_hit_with_hit_type", {"HITTypeId": "T", "LifetimeInSeconds": 60, "Question": "é" * 32768}),
    ],
)
def test_what_boto3_would_let_through_is_not_sent(market, operation, asked):
    before = len(market.show("log"))
    with pytest.raises(BadRequest):
        getattr(client("emulator", once=True), operation)(**asked)
    assert len(market.show("log")) == before


def arrive(campaign, place, **given):
    return marketplace("mturk").arrival(RequestFactory().get("/p/x/", given), campaign, place)


def test_address_is_believed_only_where_it_fits(study, market):
    campaign = published(study)
    place = place_of(campaign)
    good = {"assignmentId": "3A", "hitId": place.outside, "workerId": "AONE", "turkSubmitTo": market.site}
    assert arrive(campaign, place, **good) == (False, "AONE", "3A")
    assert arrive(campaign, place, **{**good, "turkSubmitTo": market.url + "/"}).person == "AONE"
    assert arrive(campaign, place, **{**good, "workerId": ["AONE", "AONE"]}).person == "AONE"
    for bad in (
        {"workerId": ["AONE", "ATWO"]},
        {"workerId": "BOB"},
        {"assignmentId": "3a"},
        {"hitId": "3OTHER"},
        {"turkSubmitTo": "https://www.mturk.com"},
        {"turkSubmitTo": market.site.replace("localhost", "localhost.example.org")},
    ):
        with pytest.raises(CannotEnter):
            arrive(campaign, place, **{**good, **bad})
    for preview in ({"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE"}, {"workerId": ""}):
        assert arrive(campaign, place, **{**good, **preview}).preview


@pytest.mark.parametrize(
    ("url", "named"),
    [
        ("", "MTURK_EMULATOR_URL"),
        ("https://mturk-requester.us-east-1.amazonaws.com", "no emulator"),
        ("127.0.0.1:8100", "MTURK_EMULATOR_URL"),
    ],
)
def test_address_that_is_no_emulators_is_never_asked(settings, url, named):
    settings.MTURK_EMULATOR_URL = url
    with pytest.raises(ValueError, match=named):
        environments.endpoint("emulator")
