"""MTurk as tests use it: an unmodified boto3 client for an emulator, and a worker who asks for JSON."""

import json
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

import boto3
from botocore.config import Config

from tests.panels.emulated import Emulated

QUESTION = (
    '<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/'
    'ExternalQuestion.xsd"><ExternalURL>{}</ExternalURL><FrameHeight>0</FrameHeight></ExternalQuestion>'
)
TERMS = {
    "Title": "Which answer is better?",
    "Description": "Compare two answers, ten times.",
    "Reward": "2.00",
    "AssignmentDurationInSeconds": 3600,
    "AutoApprovalDelayInSeconds": 72 * 3600,
}


def client(at: Emulated, attempts: int = 1, **config: Any) -> Any:
    """boto3's client, as it comes."""
    return boto3.client(
        "mturk",
        endpoint_url=at.url,
        region_name="us-east-1",
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
        config=Config(retries={"mode": "standard", "total_max_attempts": attempts}, **config),
    )


def hit(
    requester: Any, *, lifetime: int = 86400, url: str = "http://127.0.0.1:9/w/slot/", **more: Any
) -> Any:
    """A HIT of a new type that has these terms; `more` are the terms and parameters that differ."""
    terms = {
        **TERMS,
        **{name: more.pop(name) for name in [*more] if name in {*TERMS, "QualificationRequirements"}},
    }
    kind = requester.create_hit_type(**terms)["HITTypeId"]
    made = requester.create_hit_with_hit_type(
        HITTypeId=kind, LifetimeInSeconds=lifetime, Question=QUESTION.format(url), **more
    )
    return made["HIT"]


class Refused(Exception):
    """The worker's site said no: its status and why."""


class Worker:
    """A simulated worker at the emulator's site."""

    def __init__(self, at: Emulated, id: str) -> None:
        self.at, self.id = at, id

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        request = urllib.request.Request(f"{self.at.site}{path}", body, method=method)
        request.add_header("Accept", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return json.load(reply)
        except urllib.error.HTTPError as refused:
            raise Refused(refused.code, json.load(refused)["error"]) from None

    def offers(self) -> list[str]:
        return [hit["HITId"] for hit in self.ask("GET", f"/mturk/{self.id}/")["hits"]]

    def preview(self, hit: str) -> Any:
        return self.ask("GET", f"/mturk/{self.id}/preview/{hit}")

    def accept(self, hit: str = "next") -> Any:
        return self.ask("POST", f"/mturk/{self.id}/accept/{hit}")

    def give_back(self, assignment: str) -> None:
        self.ask("POST", f"/mturk/{self.id}/return/{assignment}")

    def submit(self, assignment: str, **fields: Any) -> Any:
        form = {"assignmentId": assignment, "workerId": self.id, **fields}
        return self.ask("POST", "/mturk/externalSubmit", urllib.parse.urlencode(form, doseq=True).encode())

    def profile(self, **values: Any) -> None:
        self.ask("POST", f"/mturk/{self.id}/profile", json.dumps(values).encode())

    def do(self, hit: str, **fields: Any) -> str:
        """Accept and submit; the assignment's id."""
        assignment = self.accept(hit)["assignmentId"]
        self.submit(assignment, **(fields or {"receipt": "r"}))
        return str(assignment)
