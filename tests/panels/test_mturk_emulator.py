"""The MTurk emulator's API, asked by an unmodified boto3 client: what it checks, lists, pays and refuses."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.panels.emulated import Emulated, mturk
from tests.panels.turk import QUESTION, TERMS, Worker, client, hit

DAY = 86400


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    with mturk(Path(tmp_path_factory.mktemp("mturk")) / "state") as running:
        yield running


@pytest.fixture
def requester(market: Emulated) -> Any:
    return client(market)


def refusal(call: Any, **asked: Any) -> tuple[str, str]:
    """The code and the message with which a call is refused."""
    with pytest.raises(ClientError) as refused:
        call(**asked)
    answer = refused.value.response
    return answer.get("TurkErrorCode") or answer["Error"]["Code"], answer["Error"]["Message"]


def test_hit_round_trips_with_aware_times_and_its_annotation(requester: Any) -> None:
    made = hit(requester, RequesterAnnotation="v1-1-1", url="https://example.org/w/a/")
    again = requester.get_hit(HITId=made["HITId"])["HIT"]
    assert again == made
    assert made["Question"] == QUESTION.format("https://example.org/w/a/")
    assert made["Expiration"] - made["CreationTime"] == timedelta(days=1)
    assert made["CreationTime"].tzinfo is not None
    assert (made["HITStatus"], made["Reward"], made["RequesterAnnotation"]) == (
        "Assignable",
        "2.00",
        "v1-1-1",
    )
    assert (made["NumberOfAssignmentsAvailable"], made["NumberOfAssignmentsPending"]) == (1, 0)


def test_same_terms_are_the_same_type_and_other_terms_another(requester: Any) -> None:
    first = requester.create_hit_type(**TERMS)["HITTypeId"]
    assert requester.create_hit_type(**TERMS)["HITTypeId"] == first
    assert requester.create_hit_type(**{**TERMS, "Reward": "2.01"})["HITTypeId"] != first


@pytest.mark.parametrize(
    ("operation", "asked", "code", "said"),
    [
        ("get_hit", {"HITId": "abc"}, "ValidationException", "at 'hITId' failed to satisfy constraint"),
        ("get_hit", {"HITId": "A" * 65}, "ValidationException", "less than or equal to 64"),
        ("get_hit", {"HITId": "NOSUCH"}, "AWS.MechanicalTurk.HITDoesNotExist", "Hit NOSUCH does not exist."),
        ("list_hits", {"MaxResults": 101}, "ValidationException", "value less than or equal to 100"),
        ("create_hit_type", {**TERMS, "Reward": "$2.00"}, "ValidationException", "regular expression"),
        ("create_hit_type", {**TERMS, "Reward": "0.3000000004"}, "ValidationException", "regular expression"),
        ("create_hit_type", {**TERMS, "Reward": "0.00"}, "AWS.ParameterOutOfRange", "at least 0.01"),
        ("create_hit_type", {**TERMS, "Title": "x" * 129}, "AWS.ParameterOutOfRange", "at most 128"),
        (
            "send_bonus",
            {"WorkerId": "BOB", "BonusAmount": "1.00", "AssignmentId": "X", "Reason": "r"},
            "ValidationException",
            "'BOB' at 'workerId'",
        ),
        (
            "create_hit_with_hit_type",
            {"HITTypeId": "X", "LifetimeInSeconds": 60, "UniqueRequestToken": "t" * 65},
            "ValidationException",
            "length less than or equal to 64",
        ),
        (
            "create_hit_with_hit_type",
            {"HITTypeId": "NOSUCH", "LifetimeInSeconds": 60, "Question": "?"},
            "AWS.MechanicalTurk.HITTypeDoesNotExist",
            "HITType NOSUCH does not exist.",
        ),
        (
            "create_qualification_type",
            {"Name": "n", "Description": "d", "QualificationTypeStatus": "Asleep"},
            "ValidationException",
            "enum value set",
        ),
    ],
)
def test_refuses_what_boto3_lets_through(
    requester: Any, operation: str, asked: dict[str, Any], code: str, said: str
) -> None:
    found, message = refusal(getattr(requester, operation), **asked)
    assert found == code
    assert said in message


def test_error_has_the_time_in_milliseconds_and_its_code_at_the_top(requester: Any) -> None:
    with pytest.raises(requester.exceptions.RequestError) as refused:
        requester.get_hit(HITId="NOSUCH")
    answer = refused.value.response
    assert re.fullmatch(r"Hit NOSUCH does not exist\. \(\d{13} s\)", answer["Message"])
    assert answer["TurkErrorCode"] == "AWS.MechanicalTurk.HITDoesNotExist"
    assert answer["ResponseMetadata"]["HTTPHeaders"]["server"] == "Faceoff MTurk emulator"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Authorization": ""}, "InvalidSignatureException"),
        ({"scope": "sandbox"}, "InvalidSignatureException"),
        ({"Content-Type": "application/json"}, "SerializationException"),
        ({"X-Amz-Target": "MTurkRequesterServiceV20170117.CreateWorkerBlock"}, "UnknownOperationException"),
        ({"X-Amz-Target": "MTurkRequesterServiceV20170117.Nonsense"}, "UnknownOperationException"),
    ],
)
def test_refuses_requests_that_are_not_signed_and_addressed_as_the_service_wants(
    market: Emulated, changed: dict[str, str], said: str
) -> None:
    scope = f"20261123/{changed.pop('scope', 'us-east-1')}/mturk-requester/aws4_request"
    signed = f"Credential=AK/{scope}, SignedHeaders=host;x-amz-date;x-amz-target, Signature={'0' * 64}"
    headers = {
        "Content-Type": "application/x-amz-json-1.1",
        "X-Amz-Target": "MTurkRequesterServiceV20170117.GetAccountBalance",
        "Authorization": f"AWS4-HMAC-SHA256 {signed}",
        **changed,
    }
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(urllib.request.Request(market.url, b"{}", headers), timeout=10)
    answer = json.load(refused.value)
    assert answer["__type"] == said
    assert "TurkErrorCode" not in answer


@pytest.mark.parametrize(
    ("question", "code"),
    [
        ("<a", "AWS.MechanicalTurk.XMLParseError"),
        ("<a/>", "AWS.MechanicalTurk.XMLParseError"),
        (QUESTION.format("https://x/?a=1&b=2"), "AWS.MechanicalTurk.XMLParseError"),
        (
            '<!DOCTYPE a [<!ENTITY b "c">]>' + QUESTION.format("https://x/&b;"),
            "AWS.MechanicalTurk.XMLParseError",
        ),
        (QUESTION.format("http://example.org/"), "AWS.MechanicalTurk.InvalidParameterValue"),
        (QUESTION.format("https://x/" + "y" * 65535), "AWS.ParameterOutOfRange"),
    ],
)
def test_refuses_a_question_that_is_none(requester: Any, question: str, code: str) -> None:
    kind = requester.create_hit_type(**TERMS)["HITTypeId"]
    asked = {"HITTypeId": kind, "LifetimeInSeconds": 60, "Question": question}
    assert refusal(requester.create_hit_with_hit_type, **asked)[0] == code


def test_every_page_has_a_token_and_the_one_after_the_last_is_empty(market: Emulated, requester: Any) -> None:
    made = hit(requester, MaxAssignments=23)
    for n in range(23):
        Worker(market, f"APAGE{n}").do(made["HITId"])
    sizes: list[int] = []
    tokens: list[str] = []
    token: dict[str, str] = {}
    while True:
        page = requester.list_assignments_for_hit(HITId=made["HITId"], MaxResults=10, **token)
        sizes.append(page["NumResults"])
        if not page["Assignments"]:
            break
        token = {"NextToken": page["NextToken"]}
        tokens.append(page["NextToken"])
    assert sizes == [10, 10, 3, 0]
    assert len({*tokens}) == 3
    assert "NextToken" not in page
    pages = requester.get_paginator("list_assignments_for_hit").paginate(HITId=made["HITId"])
    workers = [work["WorkerId"] for page in pages for work in page["Assignments"]]
    assert workers == [f"APAGE{n}" for n in range(23)]


def test_hit_goes_through_its_states_and_can_be_deleted_only_at_the_end(
    market: Emulated, requester: Any
) -> None:
    id = hit(requester)["HITId"]

    def state() -> tuple[str, int, int, int]:
        now = requester.get_hit(HITId=id)["HIT"]
        counters = ("Available", "Pending", "Completed")
        return (now["HITStatus"], *(now[f"NumberOfAssignments{name}"] for name in counters))

    assert state() == ("Assignable", 1, 0, 0)
    assert "'Assignable'" in refusal(requester.delete_hit, HITId=id)[1]
    worker = Worker(market, "ASTATES")
    work = worker.accept(id)["assignmentId"]
    assert state() == ("Unassignable", 0, 1, 0)
    worker.submit(work, receipt="r")
    assert state() == ("Reviewable", 0, 0, 0)
    assert "neither approved nor rejected" in refusal(requester.delete_hit, HITId=id)[1]
    assert id in [row["HITId"] for row in requester.list_reviewable_hits(MaxResults=100)["HITs"]]
    requester.approve_assignment(AssignmentId=work)
    assert state() == ("Reviewable", 0, 0, 1)
    requester.delete_hit(HITId=id)
    assert state()[0] == "Disposed"
    assert "currently in the state 'Disposed'" in refusal(requester.delete_hit, HITId=id)[1]
    assert id not in [row["HITId"] for row in requester.list_hits(MaxResults=100)["HITs"]]


def test_accepted_work_is_invisible_until_it_is_sent(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "AHIDDEN").accept(id)["assignmentId"]
    assert requester.list_assignments_for_hit(HITId=id)["Assignments"] == []
    assert (
        "status of: Reviewable,Approved,Rejected" in refusal(requester.get_assignment, AssignmentId=work)[1]
    )
    assert "status of: null" in refusal(requester.approve_assignment, AssignmentId=work)[1]
    bonus = {"WorkerId": "AHIDDEN", "AssignmentId": work, "BonusAmount": "1.00", "Reason": "r"}
    assert f"Assignment {work} does not exist." in refusal(requester.send_bonus, **bonus)[1]


def test_approval_pays_reward_and_fee_once(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "APAID").do(id)
    before = float(requester.get_account_balance()["AvailableBalance"])
    requester.approve_assignment(AssignmentId=work)
    code, message = refusal(requester.approve_assignment, AssignmentId=work)
    assert code == "AWS.MechanicalTurk.InvalidAssignmentState"
    assert "status of: Submitted (" in message
    books = market.show("books")["hits"][id]
    assert (books["approved"], books["rewards"], books["fees"]) == (1, "2.00", "0.40")
    assert round(before - float(requester.get_account_balance()["AvailableBalance"]), 2) == 2.40
    assert requester.get_assignment(AssignmentId=work)["Assignment"]["AssignmentStatus"] == "Approved"


@pytest.mark.parametrize(
    ("reward", "places", "fee"),
    [("2.00", 1, "0.40"), ("0.01", 1, "0.01"), ("0.06", 1, "0.02"), ("2.00", 10, "0.80"), ("2", 9, "0.40")],
)
def test_fee_is_a_fifth_rounded_up_and_two_fifths_from_ten_places(
    market: Emulated, requester: Any, reward: str, places: int, fee: str
) -> None:
    id = hit(requester, Reward=reward, MaxAssignments=places)["HITId"]
    requester.approve_assignment(AssignmentId=Worker(market, "AFEE").do(id))
    assert market.show("books")["hits"][id]["fees"] == fee


def test_work_that_nobody_looks_at_is_approved_by_itself(market: Emulated, requester: Any) -> None:
    id = hit(requester, AutoApprovalDelayInSeconds=3 * DAY)["HITId"]
    work = Worker(market, "AAUTO").do(id)
    market.advance(3 * DAY - 60)
    assert requester.get_assignment(AssignmentId=work)["Assignment"]["AssignmentStatus"] == "Submitted"
    market.advance(61)
    done = requester.get_assignment(AssignmentId=work)["Assignment"]
    assert done["AssignmentStatus"] == "Approved"
    assert done["ApprovalTime"] == done["AutoApprovalTime"] == done["SubmitTime"] + timedelta(days=3)
    assert market.show("books")["hits"][id]["rewards"] == "2.00"
    assert "status of: Submitted" in refusal(requester.approve_assignment, AssignmentId=work)[1]


def test_no_delay_at_all_approves_at_once(market: Emulated, requester: Any) -> None:
    id = hit(requester, AutoApprovalDelayInSeconds=0)["HITId"]
    work = Worker(market, "ANOW").do(id)
    assert requester.get_assignment(AssignmentId=work)["Assignment"]["AssignmentStatus"] == "Approved"


def test_rejection_exists_on_the_wire_and_can_be_overridden(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "AREJECT").do(id)
    requester.reject_assignment(AssignmentId=work, RequesterFeedback="a mistake of ours")
    assert market.show("books")["hits"][id]["rewards"] == "0.00"
    assert "status of: Submitted" in refusal(requester.approve_assignment, AssignmentId=work)[1]
    requester.approve_assignment(AssignmentId=work, OverrideRejection=True)
    assert market.show("books")["hits"][id]["rewards"] == "2.00"


def test_bonus_is_listed_charged_and_refused_to_anybody_else(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "ABONUS").do(id)
    asked = {"WorkerId": "ABONUS", "AssignmentId": work, "BonusAmount": "0.52", "Reason": "time (ref b1)"}
    requester.send_bonus(**asked, UniqueRequestToken="b1")
    _, message = refusal(requester.send_bonus, **asked, UniqueRequestToken="b1")
    assert 'The idempotency token "b1" has already been processed.' in message
    assert "does not exist" in refusal(requester.send_bonus, **{**asked, "WorkerId": "AOTHER"})[1]
    listed = requester.list_bonus_payments(AssignmentId=work)["BonusPayments"]
    assert [(row["WorkerId"], row["BonusAmount"], row["Reason"]) for row in listed] == [
        ("ABONUS", "0.52", "time (ref b1)")
    ]
    assert requester.list_bonus_payments(HITId=id)["NumResults"] == 1
    books = market.show("books")["hits"][id]
    assert (books["bonuses"], books["bonus_fees"]) == ("0.52", "0.11")  # 10.4 cents, up


def test_expiry_ends_offers_but_not_work_that_was_accepted(market: Emulated, requester: Any) -> None:
    id = hit(requester, MaxAssignments=2)["HITId"]
    worker = Worker(market, "ALATE")
    work = worker.accept(id)["assignmentId"]
    requester.update_expiration_for_hit(HITId=id, ExpireAt=datetime(1970, 1, 1, tzinfo=UTC))
    assert id not in Worker(market, "ATOOLATE").offers()
    assert requester.get_hit(HITId=id)["HIT"]["HITStatus"] == "Unassignable"
    worker.submit(work, receipt="r")
    assert requester.get_hit(HITId=id)["HIT"]["HITStatus"] == "Reviewable"
    again = {"HITId": id, "ExpireAt": datetime(1970, 1, 1, tzinfo=UTC)}
    message = refusal(requester.update_expiration_for_hit, **again)[1]
    now = requester.get_hit(HITId=id)["HIT"]
    assert now["CreationTime"] <= now["Expiration"], "in the past means now"
    assert f'The idempotency token "{id}0" has already been processed.' in message
    market.switch(repeat_expire_raises=False)
    requester.update_expiration_for_hit(**again)
    market.switch(repeat_expire_raises=True)


def test_hit_is_forgotten_120_days_after_its_end(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "AOLD").do(id)
    requester.approve_assignment(AssignmentId=work)
    market.advance(120 * DAY - 60)
    assert requester.get_hit(HITId=id)["HIT"]["HITStatus"] == "Reviewable"
    market.advance(120)
    assert f"Hit {id} does not exist." in refusal(requester.get_hit, HITId=id)[1]
    assert f"Assignment {work} does not exist." in refusal(requester.get_assignment, AssignmentId=work)[1]
    assert market.show("books")["hits"][id]["rewards"] == "2.00"  # the books stay


def test_account_without_funds_creates_and_pays_nothing(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    work = Worker(market, "APOOR").do(id)
    spent = market.show("books")["spent"]
    market.switch(opening_balance=spent)
    try:
        assert refusal(hit, requester=requester)[0] == "AWS.MechanicalTurk.InsufficientFunds"
        assert refusal(requester.approve_assignment, AssignmentId=work)[0].endswith("InsufficientFunds")
    finally:
        market.switch(opening_balance="10000.00")
    requester.approve_assignment(AssignmentId=work)
    bonus = {"WorkerId": "APOOR", "AssignmentId": work, "BonusAmount": "10000.00", "Reason": "r"}
    assert refusal(requester.send_bonus, **bonus)[0].endswith("InsufficientFunds")


def test_fee_is_a_cent_at_least_however_it_is_rounded(market: Emulated, requester: Any) -> None:
    id = hit(requester, Reward="0.02")["HITId"]
    market.switch(fee_rounding="down")
    requester.approve_assignment(AssignmentId=Worker(market, "ACENT").do(id))
    market.switch(fee_rounding="up")
    assert market.show("books")["hits"][id]["fees"] == "0.01"


def test_closed_marketplace_answers_as_no_service_does(market: Emulated, requester: Any) -> None:
    market.switch(closed=410)
    try:
        with pytest.raises(ClientError) as refused:
            requester.get_account_balance()
    finally:
        market.switch(closed=0)
    assert refused.value.response["Error"]["Code"] == "410"
    assert "TurkErrorCode" not in refused.value.response
