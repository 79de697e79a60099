"""What the product sends to Mechanical Turk, recorded as it leaves boto3, is held against botocore's model.

The validator reads the model's file itself, and shares nothing with the emulator or the product.
"""

import ast
import copy
import gzip
import json
import re
import secrets
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import boto3
import botocore
import pytest
from defusedxml import ElementTree

from panels.base import marketplace
from panels.calls import effects, outbox
from panels.models import Call, PanelExclusion
from panels.mturk import terms
from panels.mturk.client import client
from panels.participants import people
from panels.payments import payouts
from tests.ground import ROOT
from tests.panels.at_turk import Turker, collect, make_all, place_of, published

pytestmark = [pytest.mark.django_db, pytest.mark.services]

MODEL = json.loads(
    gzip.decompress(
        next(Path(botocore.__file__).parent.glob("data/mturk/2017-01-17/service-2.json*")).read_bytes()
    )
)
KINDS: dict[str, Any] = {
    "string": str,
    "integer": int,
    "long": int,
    "boolean": bool,
    "timestamp": (int, float),
}


def faults(shape: str, value: Any, at: str) -> list[str]:
    """What a value has that its shape in the model does not allow."""
    rule = MODEL["shapes"][shape]
    if rule["type"] == "structure":
        if not isinstance(value, dict):
            return [f"{at} is no structure"]
        found = [f"{at} lacks {name}" for name in rule.get("required", []) if name not in value]
        found += [f"{at} has {name}, which is unknown" for name in value if name not in rule["members"]]
        for name, part in value.items():
            if name in rule["members"]:
                found += faults(rule["members"][name]["shape"], part, f"{at}.{name}")
        return found
    if rule["type"] == "list":
        if not isinstance(value, list):
            return [f"{at} is no list"]
        return [
            f for n, part in enumerate(value) for f in faults(rule["member"]["shape"], part, f"{at}[{n}]")
        ]
    if not isinstance(value, KINDS[rule["type"]]) or (isinstance(value, bool) and rule["type"] != "boolean"):
        return [f"{at} is no {rule['type']}: {value!r}"]
    size = len(value) if isinstance(value, str) else value
    found = []
    if size < rule.get("min", size) or size > rule.get("max", size):
        found.append(f"{at} is too small or too large: {value!r}")
    if "enum" in rule and value not in rule["enum"]:
        found.append(f"{at} is not among the choices: {value!r}")
    if "pattern" in rule and not re.search(rule["pattern"], value):
        found.append(f"{at} does not match {rule['pattern']}: {value!r}")
    return found


# What the documentation says beyond the model.
BEYOND = {
    "Title": lambda v: 0 < len(v) <= 128,
    "Description": lambda v: 0 < len(v) <= 2000,
    "Keywords": lambda v: len(v) <= 1000,
    "RequesterAnnotation": lambda v: len(v) <= 255 and v.isascii(),
    "Question": lambda v: len(v.encode()) <= 65535,
    "Reward": lambda v: re.fullmatch(r"\d+\.\d\d", v) and Decimal(v) > 0,
    "BonusAmount": lambda v: re.fullmatch(r"\d+\.\d\d", v) and Decimal(v) > 0,
    "LifetimeInSeconds": lambda v: 30 <= v <= 31_536_000,
    "AssignmentDurationInSeconds": lambda v: 30 <= v <= 31_536_000,
    "AutoApprovalDelayInSeconds": lambda v: 0 <= v <= 2_592_000,
    "MaxAssignments": lambda v: v == 1,
    "SendNotification": lambda v: v is False,
}


def beyond(operation: str, body: dict[str, Any]) -> list[str]:
    """What the model does not say: lengths, one assignment, no notice, a token for what happens once."""
    found = [
        f"{name} is {body[name]!r}" for name, fits in BEYOND.items() if name in body and not fits(body[name])
    ]
    must = {
        "CreateHITWithHITType": ("UniqueRequestToken", "RequesterAnnotation", "MaxAssignments", "Question"),
        "SendBonus": ("UniqueRequestToken",),
        "AssociateQualificationWithWorker": ("SendNotification", "IntegerValue"),
        "ListQualificationTypes": ("MustBeOwnedByCaller",),
        "CreateHITType": ("AutoApprovalDelayInSeconds", "QualificationRequirements"),
    }
    return found + [f"no {name}" for name in must.get(operation, ()) if name not in body]


def held(operation: str, body: dict[str, Any]) -> list[str]:
    """All that is wrong with a request."""
    return faults(MODEL["operations"][operation]["input"]["shape"], body, operation) or beyond(
        operation, body
    )


@pytest.fixture
def sent(market) -> Iterator[list[dict[str, Any]]]:
    """Requests as they leave boto3: headers, address, body."""
    found: list[dict[str, Any]] = []

    def note(request: Any, **_: Any) -> None:
        plain = {name.lower(): _text(value) for name, value in request.headers.items()}
        found.append({"method": request.method, "url": request.url, "headers": plain, "body": request.body})

    both = [client("emulator", once=once) for once in (True, False)]
    for one in both:
        one.meta.events.register("before-send.mturk", note, unique_id="requests")
    yield found
    for one in both:
        one.meta.events.unregister("before-send.mturk", unique_id="requests")


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def operation_of(request: dict[str, Any]) -> str:
    return request["headers"]["x-amz-target"].rpartition(".")[2]


def everything(study, market) -> None:
    """Make every call that the product has, with the looking that follows where an answer is lost."""
    study.seed = secrets.token_hex(16)
    study.save(update_fields=["seed"])
    market.fault("lose_reply", "CreateHITWithHITType")
    market.fault("lose_reply", "ApproveAssignment")
    campaign = published(study)
    again(campaign)
    Turker(market, "AREQUESTS", place_of(campaign).outside).do()
    collect(campaign)
    again(campaign)
    entry = campaign.entries.get()
    market.fault("lose_reply", "SendBonus")
    payouts.owe_bonus(entry, Decimal("0.5"), "for the time it took", kind="top-up")
    make_all(campaign)
    again(campaign)
    panel = marketplace("mturk")
    panel.balance(campaign)
    for op in ("publish", "qualify"):
        panel.look(Call.objects.get(campaign=campaign, op=op))
    person = people.person_for("mturk", "emulator", "AREQUESTS")
    row = PanelExclusion.objects.create(campaign=campaign, person=person, study=study)
    for op in ("exclude", "readmit", "readmit"):
        effects.intend(campaign, op, f"{campaign.token}:{op}:{Call.objects.count()}", exclusion=row)
        make_all(campaign)
    named = {"outside": place_of(campaign).outside}
    effects.intend(campaign, "withdraw", f"{campaign.token}:withdraw", request=named)
    for op in ("expire", "total"):  # "dispose" follows by itself
        effects.intend(campaign, op, f"{campaign.token}:{op}", place=place_of(campaign))
        make_all(campaign)
    panel.books(campaign)
    assert set(Call.objects.filter(campaign=campaign).values_list("state", flat=True)) == {"done"}


def again(campaign) -> None:
    """Make what is in doubt again, or look for it."""
    Call.objects.filter(campaign=campaign, state="doubt").update(not_before=campaign.created_at)
    for call in Call.objects.filter(campaign=campaign, state="doubt"):
        outbox.make(call.pk)


def used() -> set[str]:
    """Operations that the panel's sources name: methods of a client, and lists that are read by pages."""
    names = boto3.client("mturk", region_name="us-east-1").meta.method_to_api_mapping
    found = set()
    for path in (ROOT / "panels" / "mturk").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "value", None)
            if isinstance(named, str) and named in names:
                found.add(names[named])
    return found


def test_every_request_is_one_that_the_service_takes(study, market, sent):
    everything(study, market)
    assert {operation_of(request) for request in sent} == used()
    for request in sent:
        name, headers = operation_of(request), request["headers"]
        assert held(name, json.loads(request["body"])) == [], name
        assert (request["method"], request["url"]) == ("POST", f"{market.url}/")
        assert headers["content-type"] == "application/x-amz-json-1.1"
        assert headers["x-amz-target"] == f"{MODEL['metadata']['targetPrefix']}.{name}"
        assert "/us-east-1/mturk-requester/aws4_request" in headers["authorization"]
    assert "RejectAssignment" not in used() | {operation_of(request) for request in sent}


def test_each_attempt_that_creates_or_pays_is_one_request(study, market, sent):
    everything(study, market)
    counted = {
        name: sum(operation_of(request) == name for request in sent)
        for name in ("CreateHITWithHITType", "ApproveAssignment", "SendBonus")
    }
    # By hand: each was lost once and made again, under the same token where it has one.
    assert counted == dict.fromkeys(counted, 2)
    for name in ("CreateHITWithHITType", "SendBonus"):
        tokens = {json.loads(r["body"])["UniqueRequestToken"] for r in sent if operation_of(r) == name}
        assert len(tokens) == 1
    assert all(r["headers"]["amz-sdk-request"].startswith("attempt=1") for r in sent)


def test_validator_refuses_what_is_wrong(study, market, sent):
    """Each request, spoilt in every member: else the validator would have nothing to say above."""
    everything(study, market)
    for request in {operation_of(one): one for one in sent}.values():
        name, body = operation_of(request), json.loads(request["body"])
        shape = MODEL["shapes"][MODEL["operations"][name]["input"]["shape"]]
        for member in shape.get("required", []):
            assert held(name, {key: value for key, value in body.items() if key != member}), member
        assert held(name, {**body, "Colour": "red"})
        for member in body:
            spoilt = copy.deepcopy(body)
            spoilt[member] = [0.5] if not isinstance(body[member], list) else "text"
            assert held(name, spoilt), f"{name}.{member}"
    for name, body in (
        ("GetHIT", {"HITId": "a"}),
        ("GetHIT", {"HITId": "A" * 65}),
        ("ListHITs", {"MaxResults": 101}),
        ("SendBonus", {"WorkerId": "B", "AssignmentId": "A", "BonusAmount": "1.00", "Reason": "r"}),
    ):
        assert held(name, body), name


def test_question_is_an_external_one_that_shows_the_place_by_its_path(study, market, sent, settings):
    settings.PUBLIC_URL = "http://127.0.0.1:9"
    campaign = published(study)
    (question,) = {
        json.loads(r["body"])["Question"] for r in sent if operation_of(r) == "CreateHITWithHITType"
    }
    root = ElementTree.fromstring(question)
    # The schema's name as the documentation of ExternalQuestion gives it.
    space = (
        "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd}"
    )
    assert [(part.tag, part.text) for part in root] == [
        (f"{space}ExternalURL", f"http://127.0.0.1:9/p/{place_of(campaign).token}/"),
        (f"{space}FrameHeight", "0"),
    ]


@pytest.mark.parametrize("environment", ["production", "sandbox"])
def test_requirements_are_what_the_service_takes(market, sent, environment):
    all_of_them = {**terms.DEFAULTS, "countries": ["US", "DE"], "adult": True, "masters": True}
    asked = client("emulator", once=True)
    excluded = asked.create_qualification_type(
        Name=secrets.token_hex(8), Description="d", QualificationTypeStatus="Active"
    )["QualificationType"]["QualificationTypeId"]
    needs = terms.qualifications(all_of_them, environment, excluded)
    asked.create_hit_type(
        AssignmentDurationInSeconds=60, AutoApprovalDelayInSeconds=60, Reward="1.00",
        Title="t", Description="d", QualificationRequirements=needs,
    )  # fmt: skip
    body = json.loads(sent[-1]["body"])
    assert held("CreateHITType", body) == []
    kinds = [
        (need["QualificationTypeId"][-2:], need["Comparator"]) for need in body["QualificationRequirements"]
    ]
    # Ids and comparators from the documentation's table of system qualifications.
    real = [
        ("71", "In"),
        ("40", "GreaterThanOrEqualTo"),
        ("L0", "GreaterThanOrEqualTo"),
        ("60", "EqualTo"),
        ("LH", "Exists"),
    ]
    assert kinds[1:] == (real if environment == "production" else [])
    assert kinds[0] == (excluded[-2:], "DoesNotExist")
    assert body["QualificationRequirements"][0]["ActionsGuarded"] == "DiscoverPreviewAndAccept"


def test_comparing_asks_for_those_hits_alone_that_were_submitted(study, market):
    campaign = published(study, 3)
    one, two = (Turker(market, f"ALOAD{n}") for n in range(2))
    one.begin()
    two.do()
    before = len(market.log("ListAssignmentsForHIT"))
    list(marketplace("mturk").survey(campaign))
    asked = {json.loads(row["request"])["HITId"] for row in market.log("ListAssignmentsForHIT")[before:]}
    assert asked == {two.task["hitId"]}
