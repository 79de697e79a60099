"""The MTurk emulator's site for workers: who may accept, what a frame is told, where the form leads."""

import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from botocore.exceptions import ClientError
from defusedxml import ElementTree

from simulation.emulators.mturk.money import MASTERS
from simulation.emulators.mturk.qualifications import ADULT, APPROVED, LOCALE, PERCENT
from tests.panels.emulated import Emulated, mturk
from tests.panels.turk import Refused, Worker, client, hit

ANSWERS = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd}"
)


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emulated]:
    with mturk(Path(tmp_path_factory.mktemp("mturk")) / "state") as running:
        yield running


@pytest.fixture
def requester(market: Emulated) -> Any:
    return client(market)


def told(frame: str) -> dict[str, list[str]]:
    return urllib.parse.parse_qs(urllib.parse.urlsplit(frame).query)


def test_frame_is_told_who_accepted_what_and_a_preview_names_nobody(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    worker = Worker(market, "AFRAME")
    preview = worker.preview(id)["frame"]
    assert told(preview) == {"assignmentId": ["ASSIGNMENT_ID_NOT_AVAILABLE"], "hitId": [id]}
    assert requester.get_hit(HITId=id)["HIT"]["NumberOfAssignmentsAvailable"] == 1
    task = worker.accept(id)
    assert told(task["frame"]) == {
        "assignmentId": [task["assignmentId"]],
        "hitId": [id],
        "workerId": ["AFRAME"],
        "turkSubmitTo": [market.site],
    }
    assert worker.accept(id)["assignmentId"] == task["assignmentId"], "a second press changes nothing"


def test_page_shows_the_requesters_page_in_a_sandboxed_frame_of_another_origin(
    market: Emulated, requester: Any
) -> None:
    id = hit(requester, url="http://127.0.0.1:9/w/slot/?a=1&amp;b=2")["HITId"]
    work = Worker(market, "APAGE").accept(id)["assignmentId"]
    with urllib.request.urlopen(f"{market.site}/mturk/APAGE/task/{work}", timeout=10) as reply:
        page = reply.read().decode()
        assert reply.headers["Server"] == "Faceoff MTurk emulator"
    assert "Faceoff MTurk emulator: no real marketplace, no real money." in page
    assert 'sandbox="allow-scripts allow-forms allow-same-origin"' in page
    assert f'src="http://127.0.0.1:9/w/slot/?a=1&amp;b=2&amp;assignmentId={work}&amp;' in page


def test_form_comes_back_as_answers_without_reserved_names_and_doubles(
    market: Emulated, requester: Any
) -> None:
    id = hit(requester)["HITId"]
    worker = Worker(market, "AFORM")
    work = worker.accept(id)["assignmentId"]
    worker.submit(work, receipt=["<r&1>", "second"], note="é\x00", hitId=id, turkSubmitTo="x")
    answer = requester.get_assignment(AssignmentId=work)["Assignment"]["Answer"]
    root = ElementTree.fromstring(answer)
    assert root.tag == f"{ANSWERS}QuestionFormAnswers"
    found = [
        (part.findtext(f"{ANSWERS}QuestionIdentifier"), part.findtext(f"{ANSWERS}FreeText")) for part in root
    ]
    assert found == [("receipt", "<r&1>"), ("note", "é")]


def test_form_is_refused_for_work_that_is_not_hers_or_no_longer(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    worker, other = Worker(market, "AMINE"), Worker(market, "ATHEIRS")
    work = worker.accept(id)["assignmentId"]
    for who, which in ((other, work), (worker, "NOSUCH"), (worker, "")):
        with pytest.raises(Refused):
            who.submit(which, receipt="r")
    assert requester.list_assignments_for_hit(HITId=id)["NumResults"] == 0
    worker.submit(work, receipt="r")
    with pytest.raises(Refused):
        worker.submit(work, receipt="again")
    request = urllib.request.Request(f"{market.site}/mturk/externalSubmit", f"assignmentId={work}".encode())
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)
    assert refused.value.headers["X-Frame-Options"] == "SAMEORIGIN", "as the real site: the frame stays empty"


def test_form_with_nothing_of_ours_is_refused_where_the_switch_says_so(
    market: Emulated, requester: Any
) -> None:
    worker = Worker(market, "ABLANK")
    work = worker.accept(hit(requester)["HITId"])["assignmentId"]
    market.switch(submit_needs_extra_field=True)
    with pytest.raises(Refused):
        worker.submit(work)
    market.switch(submit_needs_extra_field=False)
    worker.submit(work)


def test_returned_assignment_goes_to_the_next_worker_by_the_same_id(market: Emulated, requester: Any) -> None:
    id = hit(requester)["HITId"]
    first, second = Worker(market, "AFIRST"), Worker(market, "ASECOND")
    work = first.accept(id)["assignmentId"]
    assert id not in second.offers()
    first.give_back(work)
    assert first.accept(id)["assignmentId"] == work, "she may have it again"
    first.give_back(work)
    assert second.accept(id)["assignmentId"] == work
    with pytest.raises(Refused):
        first.submit(work, receipt="r")
    second.submit(work, receipt="r")
    assert requester.get_assignment(AssignmentId=work)["Assignment"]["WorkerId"] == "ASECOND"


def test_abandoned_assignment_comes_back_when_its_time_is_over(market: Emulated, requester: Any) -> None:
    id = hit(requester, lifetime=86400, AssignmentDurationInSeconds=600)["HITId"]
    slow = Worker(market, "ASLOW")
    work = slow.accept(id)["assignmentId"]
    market.advance(590)
    assert requester.get_hit(HITId=id)["HIT"]["NumberOfAssignmentsPending"] == 1
    market.advance(20)
    assert requester.get_hit(HITId=id)["HIT"]["NumberOfAssignmentsAvailable"] == 1
    with pytest.raises(Refused):
        slow.submit(work, receipt="r")
    assert Worker(market, "AQUICK").accept(id)["assignmentId"] == work
    happened = [row["what"] for row in market.show("state")["events"] if row["assignment"] == work]
    assert happened == ["accepted", "abandoned", "accepted"]


def test_nobody_does_a_hit_twice_and_next_takes_the_oldest_on_offer(market: Emulated, requester: Any) -> None:
    for old in client(market).get_paginator("list_hits").paginate():
        for row in old["HITs"]:
            if row["HITStatus"] == "Assignable":
                requester.update_expiration_for_hit(
                    HITId=row["HITId"], ExpireAt=datetime(1970, 1, 1, tzinfo=UTC)
                )
    ids = [hit(requester, MaxAssignments=2)["HITId"] for _ in range(2)]
    worker = Worker(market, "ATWICE")
    assert worker.offers() == ids
    for id in ids:
        task = worker.accept()
        assert task["hitId"] == id
        worker.submit(task["assignmentId"], receipt="r")
    with pytest.raises(Refused):
        worker.accept()
    with pytest.raises(Refused):
        worker.accept(ids[0])


@pytest.mark.parametrize(
    ("need", "profile", "let_in"),
    [
        (
            {"QualificationTypeId": LOCALE, "Comparator": "EqualTo", "LocaleValues": [{"Country": "US"}]},
            {},
            True,
        ),
        (
            {"QualificationTypeId": LOCALE, "Comparator": "EqualTo", "LocaleValues": [{"Country": "US"}]},
            {"country": "DE"},
            False,
        ),
        (
            {
                "QualificationTypeId": LOCALE,
                "Comparator": "In",
                "LocaleValues": [{"Country": "US", "Subdivision": "NY"}, {"Country": "DE"}],
            },
            {"country": "US", "subdivision": "CA"},
            False,
        ),
        (
            {"QualificationTypeId": APPROVED, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [1000]},
            {"approved": 999},
            False,
        ),
        (
            {"QualificationTypeId": PERCENT, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [95]},
            {"percent": 10, "approved": 99},
            True,  # fewer than a hundred: the service says 100
        ),
        (
            {"QualificationTypeId": PERCENT, "Comparator": "GreaterThanOrEqualTo", "IntegerValues": [95]},
            {"percent": 94, "approved": 100},
            False,
        ),
        ({"QualificationTypeId": ADULT, "Comparator": "EqualTo", "IntegerValues": [1]}, {"adult": 0}, False),
        ({"QualificationTypeId": MASTERS[0], "Comparator": "Exists"}, {}, False),
        ({"QualificationTypeId": MASTERS[1], "Comparator": "Exists"}, {"masters": 1}, True),
    ],
)
def test_requirement_lets_in_whom_it_should(
    market: Emulated, requester: Any, need: dict[str, Any], profile: dict[str, Any], let_in: bool
) -> None:
    id = hit(requester, QualificationRequirements=[need])["HITId"]
    worker = Worker(market, "APROFILE")
    worker.profile(country="US", subdivision="CA", approved=5000, percent=99, adult=1, masters=0)
    worker.profile(**profile)
    if let_in:
        worker.accept(id)
    else:
        with pytest.raises(Refused, match="qualifications"):
            worker.accept(id)


def test_exclusion_by_a_qualification_is_silent_repeatable_and_can_be_lifted(
    market: Emulated, requester: Any
) -> None:
    terms = {"Name": "Excluded (1)", "Description": "d", "QualificationTypeStatus": "Active"}
    kind = requester.create_qualification_type(**terms)["QualificationType"]["QualificationTypeId"]
    with pytest.raises(ClientError, match="You have already created a QualificationType with this name"):
        requester.create_qualification_type(**terms)
    asked = {"Query": "Excluded (1)", "MustBeRequestable": False, "MustBeOwnedByCaller": True}
    listed = requester.list_qualification_types(**asked)["QualificationTypes"]
    assert [row["QualificationTypeId"] for row in listed] == [kind]
    assert requester.list_qualification_types(**{**asked, "MustBeRequestable": True})["NumResults"] == 0
    who = {"QualificationTypeId": kind, "WorkerId": "AEXCLUDED"}
    for _ in range(2):
        requester.associate_qualification_with_worker(**who, IntegerValue=1, SendNotification=False)
    assert requester.get_qualification_score(**who)["Qualification"]["Status"] == "Granted"
    hidden = {"QualificationTypeId": kind, "Comparator": "DoesNotExist"}
    id = hit(requester, QualificationRequirements=[{**hidden, "ActionsGuarded": "DiscoverPreviewAndAccept"}])[
        "HITId"
    ]
    shown = hit(requester, QualificationRequirements=[hidden])["HITId"]
    worker = Worker(market, "AEXCLUDED")
    assert id not in worker.offers()
    assert shown in worker.offers(), "only accepting is guarded unless it says otherwise"
    for which in (id, shown):
        with pytest.raises(Refused):
            worker.accept(which)
    with pytest.raises(Refused):
        worker.preview(id)
    assert [row["notices"] for row in market.show("state")["qualifications"] if row["type"] == kind] == [0]
    requester.disassociate_qualification_from_worker(**who)
    with pytest.raises(ClientError, match="status of: Granted"):
        requester.disassociate_qualification_from_worker(**who)
    worker.accept(id)
    requester.associate_qualification_with_worker(**{**who, "WorkerId": "ATOLD"})
    told = [row["notices"] for row in market.show("state")["qualifications"] if row["worker"] == "ATOLD"]
    assert told == [1], "the service tells her unless it is asked not to"
