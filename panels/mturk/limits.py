"""Limits of Mechanical Turk's requests that the service enforces and botocore does not check.

They are by the name of a request's field, for all operations, from botocore's service model of 2017-01-17 and
the documentation.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

ENTITY, WORKER = re.compile(r"[A-Z0-9]{1,64}"), re.compile(r"A[A-Z0-9]{1,63}")
AMOUNT = re.compile(r"[0-9]+\.[0-9]{2}")
QUESTION_BYTES = 65_535
TOKEN_LENGTH = 64
YEAR = 365 * 24 * 3600
# Control characters, which the service refuses in every text.
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class BadRequest(ValueError):
    """A request that the service would refuse, with the reasons; it was not sent."""


def check(asked: Mapping[str, Any]) -> None:
    """Raise BadRequest with all errors of a request, also in nested lists."""
    problems = [*_problems(asked)]
    if problems:
        raise BadRequest(" ".join(problems))


def _problems(asked: Mapping[str, Any]) -> list[str]:
    found = []
    for name, value in asked.items():
        rule = RULES.get(name)
        if rule and (why := rule(value)):
            found.append(f"{name} {why}.")
        for part in value if isinstance(value, list) else []:
            if isinstance(part, Mapping):
                found += _problems(part)
    return found


def _text(most: int, *, least: int = 0, ascii: bool = False) -> Callable[[str], str]:
    def why(value: str) -> str:
        if not least <= len(value) <= most:
            return f"has {least} to {most} characters, and not {len(value)}"
        if CONTROL.search(value):
            return "has control characters"
        return "is not ASCII" if ascii and not value.isascii() else ""

    return why


def _shape(pattern: re.Pattern[str], what: str) -> Callable[[str], str]:
    return lambda value: "" if pattern.fullmatch(value) else f"is no {what}: {value!r}"


def _number(least: int, most: int) -> Callable[[int], str]:
    return lambda value: "" if least <= value <= most else f"is from {least} to {most}, and not {value}"


def _most(number: int) -> Callable[[list[Any]], str]:
    return lambda value: "" if len(value) <= number else f"are at most {number}, and not {len(value)}"


def _bytes(most: int) -> Callable[[str], str]:
    return lambda value: "" if len(value.encode()) <= most else f"has at most {most} bytes"


ID = _shape(ENTITY, "id of the service")
RULES: Mapping[str, Callable[[Any], str]] = {
    "HITId": ID,
    "HITTypeId": ID,
    "AssignmentId": ID,
    "QualificationTypeId": ID,
    "WorkerId": _shape(WORKER, "id of a worker"),
    "UniqueRequestToken": _text(TOKEN_LENGTH, least=1, ascii=True),
    "RequesterAnnotation": _text(255, ascii=True),
    "Reward": _shape(AMOUNT, "amount in dollars and cents"),
    "BonusAmount": _shape(AMOUNT, "amount in dollars and cents"),
    "Title": _text(128, least=1),
    "Description": _text(2000, least=1),
    "Keywords": _text(1000),
    "Name": _text(200, least=1),
    "Reason": _text(1024, least=1),
    "RequesterFeedback": _text(1024),
    "Question": _bytes(QUESTION_BYTES),
    "LifetimeInSeconds": _number(30, YEAR),
    "AssignmentDurationInSeconds": _number(30, YEAR),
    "AutoApprovalDelayInSeconds": _number(0, 30 * 24 * 3600),
    "MaxAssignments": _number(1, 9),  # the fee doubles from ten on, which can never be undone
    "MaxResults": _number(1, 100),
    "QualificationRequirements": _most(10),
    "LocaleValues": _most(30),
    "IntegerValues": _most(15),
    "Country": _shape(re.compile(r"[A-Z]{2}"), "country of two capital letters"),
    "NextToken": _text(255, least=1),
}
