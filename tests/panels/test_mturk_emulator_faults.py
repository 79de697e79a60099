"""The MTurk emulator under faults: what boto3 makes of them, tokens, and a program that is killed."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError, ReadTimeoutError

from simulation.emulators.emulator_base import Ground
from simulation.emulators.mturk import EmulatedTurk as MTurk
from simulation.emulators.mturk import wire
from tests.panels.emulated import Emulated, mturk
from tests.panels.turk import QUESTION, TERMS, Refused, Worker, client, hit

CREATE = "CreateHITWithHITType"
HOUR = 3600


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    with mturk(Path(tmp_path_factory.mktemp("mturk")) / "state") as running:
        yield running


@pytest.fixture
def market(program: Emulated) -> Iterator[Emulated]:
    yield program
    program.calm()


def made(market: Emulated, annotation: str) -> list[str]:
    """The HITs of an annotation, as ListHITs shows them."""
    pages = client(market).get_paginator("list_hits").paginate()
    return [
        row["HITId"] for page in pages for row in page["HITs"] if row.get("RequesterAnnotation") == annotation
    ]


def test_lost_reply_and_a_silent_retry_make_two_hits_without_a_token(market: Emulated) -> None:
    market.fault("lose_reply", CREATE)
    hit(client(market, attempts=3), RequesterAnnotation="no token")
    assert len(made(market, "no token")) == 2


def test_lost_reply_and_a_silent_retry_make_one_hit_with_a_token(market: Emulated) -> None:
    market.fault("lose_reply", CREATE)
    with pytest.raises(ClientError) as refused:
        hit(client(market, attempts=3), RequesterAnnotation="token", UniqueRequestToken="token")
    answer = refused.value.response
    assert answer["TurkErrorCode"] == "AWS.MechanicalTurk.HITAlreadyExists"
    assert answer["ResponseMetadata"]["RetryAttempts"] == 1
    (id,) = made(market, "token")
    assert id in answer["Message"]
    attempts = [row["attempt"] for row in market.log(CREATE)][-2:]
    assert [attempt.split(";")[0] for attempt in attempts] == ["attempt=1", "attempt=2"]


def test_token_is_dead_after_a_day(market: Emulated) -> None:
    requester = client(market)
    asked: dict[str, Any] = {"UniqueRequestToken": "a day", "RequesterAnnotation": "a day"}
    hit(requester, **asked)
    market.advance(24 * HOUR - 60)
    with pytest.raises(ClientError, match="already exists"):
        hit(requester, **asked)
    market.advance(120)
    hit(requester, **asked)
    assert len(made(market, "a day")) == 2


def test_token_of_a_refused_request_is_not_spent(market: Emulated) -> None:
    requester = client(market)
    kind = requester.create_hit_type(**TERMS)["HITTypeId"]
    asked = {"HITTypeId": kind, "LifetimeInSeconds": 60, "UniqueRequestToken": "refused"}
    with pytest.raises(ClientError, match="parsing"):
        requester.create_hit_with_hit_type(**asked, Question="no xml")
    requester.create_hit_with_hit_type(**asked, Question=QUESTION.format("https://x/"))


def test_spelling_of_the_error_and_the_id_in_it_are_switches(market: Emulated) -> None:
    requester = client(market)
    hit(requester, UniqueRequestToken="spelled")
    market.switch(already_exists_code="HitAlreadyExists", already_exists_names_hit=False)
    with pytest.raises(ClientError) as refused:
        hit(requester, UniqueRequestToken="spelled")
    market.switch(turk_error_code=False)
    with pytest.raises(ClientError) as bare:
        hit(requester, UniqueRequestToken="spelled")
    market.switch(already_exists_code="HITAlreadyExists", already_exists_names_hit=True, turk_error_code=True)
    assert refused.value.response["TurkErrorCode"] == "AWS.MechanicalTurk.HitAlreadyExists"
    assert not any(row["HITId"] in str(refused.value) for row in requester.list_hits(MaxResults=100)["HITs"])
    assert "TurkErrorCode" not in bare.value.response


def test_throttle_and_failures_are_worded_as_the_gateway_does(market: Emulated) -> None:
    requester = client(market)
    for fault, code, status in (
        ("throttle", "ThrottlingException", 400),
        ("503", "503", 503),
        ("500", "ServiceFault", 500),
        ("html403", "403", 403),
    ):
        market.fault(fault, "GetAccountBalance")
        with pytest.raises(ClientError) as refused:
            requester.get_account_balance()
        answer = refused.value.response
        assert (answer["Error"]["Code"], answer["ResponseMetadata"]["HTTPStatusCode"]) == (code, status)
    requester.get_account_balance()


def test_truncated_reply_is_no_error_to_boto3_and_the_hit_is_there(market: Emulated) -> None:
    market.fault("truncate", CREATE)
    requester = client(market)
    kind = requester.create_hit_type(**TERMS)["HITTypeId"]
    answer = requester.create_hit_with_hit_type(
        HITTypeId=kind,
        LifetimeInSeconds=60,
        Question=QUESTION.format("https://x/"),
        RequesterAnnotation="cut",
    )
    assert "HIT" not in answer
    assert len(made(market, "cut")) == 1


@pytest.mark.parametrize(("fault", "hits"), [("lose_reply", 1), ("drop_before", 0), ("duplicate", 2)])
def test_single_attempt_sees_one_failure_and_makes_one_request(
    market: Emulated, fault: str, hits: int
) -> None:
    before = len(market.log(CREATE))
    market.fault(fault, CREATE)
    if fault == "duplicate":
        hit(client(market), RequesterAnnotation=fault)
    else:
        with pytest.raises(ConnectionClosedError):
            hit(client(market), RequesterAnnotation=fault)
    assert len(made(market, fault)) == hits
    assert len(market.log(CREATE)) - before == max(1, hits)


def test_slow_reply_ends_in_a_timeout_and_the_work_is_done(market: Emulated) -> None:
    market.fault("slow", CREATE, seconds=600)
    with pytest.raises(ReadTimeoutError):
        hit(client(market, read_timeout=1), RequesterAnnotation="slow")
    assert len(made(market, "slow")) == 1


def test_submission_may_be_lost_though_the_worker_pressed_the_button(market: Emulated) -> None:
    requester = client(market)
    id = hit(requester)["HITId"]
    worker = Worker(market, "ALOST")
    work = worker.accept(id)["assignmentId"]
    market.fault("drop_before", "externalSubmit")
    with pytest.raises((OSError, Refused)):
        worker.submit(work, receipt="r")
    assert requester.list_assignments_for_hit(HITId=id)["NumResults"] == 0
    worker.submit(work, receipt="r")
    assert requester.list_assignments_for_hit(HITId=id)["NumResults"] == 1


def test_new_hit_may_be_listed_late(market: Emulated) -> None:
    market.switch(list_hits_delay=300)
    id = hit(client(market), RequesterAnnotation="late")["HITId"]
    assert made(market, "late") == []
    assert client(market).get_hit(HITId=id)["HIT"]["HITId"] == id
    market.advance(301)
    assert made(market, "late") == [id]
    market.switch(list_hits_delay=0)


def test_rate_limit_throttles_what_comes_too_fast(market: Emulated) -> None:
    requester = client(market)
    market.switch(rate_limit=1)
    try:
        codes = []
        for _ in range(8):
            try:
                requester.get_account_balance()
            except ClientError as refused:
                codes.append(refused.response["Error"]["Code"])
    finally:
        market.switch(rate_limit=0)
    assert codes.count("ThrottlingException") >= 1


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("GetAccountBalance", {"AvailableBalance": "-1.00"}),
        ("GetAccountBalance", {"AvailableBalance": 1}),
        ("GetAccountBalance", {"Balance": "1.00"}),
        ("GetHIT", {"HIT": {"HITId": "lower"}}),
        ("GetHIT", {"HIT": {"HITStatus": "Asleep"}}),
        ("GetHIT", {"HIT": {"CreationTime": "yesterday"}}),
        ("ListHITs", {"NextToken": "t" * 256}),
    ],
)
def test_reply_that_the_service_could_not_send_is_not_sent(tmp_path: Path, operation: str, body: Any) -> None:
    emulated = MTurk()
    Ground(emulated, tmp_path / "state")
    with pytest.raises(ValueError, match="a bad reply"):
        wire.reply(emulated, wire.MODEL.operation_model(operation), body)


def test_killed_program_comes_back_with_everything_it_had_answered(tmp_path: Path) -> None:
    with mturk(tmp_path / "state") as market:
        requester: Any = client(market)
        id = hit(requester, UniqueRequestToken="kept")["HITId"]
        work = Worker(market, "AKEPT").do(id)
        requester.approve_assignment(AssignmentId=work)
        market.advance(HOUR)
        market.fault("503", CREATE)
        before = {what: market.show(what) for what in ("books", "state", "faults", "log")}
        market.kill9()
        market.start()
        assert {what: market.show(what) for what in before} == before
        market.calm()
        with pytest.raises(ClientError, match=id):
            hit(requester, UniqueRequestToken="kept")
