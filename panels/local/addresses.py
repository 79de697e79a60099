"""E-mail addresses of invited people: parsed from a list, stored encrypted, deleted on demand."""

import csv
import re
from dataclasses import dataclass
from email.utils import parseaddr
from typing import NamedTuple

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from collection import audit_log
from collection.models import Study
from judging.models import Assessor
from panels.encryption import digest, seal, unseal
from panels.local import PANEL, invite
from panels.models import Address, Mail

MOST = 5000
LONGEST = 120
COLUMNS = {"address": "address", "email": "address", "e-mail": "address", "mail": "address"}
COLUMNS |= {"name": "name", "label": "label"}
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")


class Invitee(NamedTuple):
    """One line of a list: an address, the name that mails greet, and the label that organizers see."""

    address: str
    name: str
    label: str


class BadList(Exception):
    """Errors in a list of addresses: one sentence for each bad line. Nothing of the list was stored."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Loaded:
    """Result of loading a list.

    made: new people. given: existing people without an address who got one. known: addresses that were
    already stored.
    """

    made: int
    given: int
    known: int


def read(text: str) -> list[Invitee]:
    """Parse a list of addresses.

    Lines such as `ada@example.org`, `ada@example.org, seat 4` or `Ada Lovelace <ada@example.org>`; or CSV
    whose first line names its columns (email, name, label). Raises BadList, which names every bad line.
    """
    lines = [(number, line) for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line.strip()]
    if not lines:
        raise BadList(["There is no address in it. Write one a line."])
    separator = next((one for one in ("\t", ";") if one in lines[0][1]), ",")
    columns = [COLUMNS.get(cell.strip().lower(), "") for cell in _cells(lines[0][1], separator)]
    if "address" in columns:
        lines = lines[1:]
    else:
        columns = []
    if len(lines) > MOST:
        raise BadList([f"{len(lines):,} lines; at most {MOST:,} at once."])
    if not lines:
        raise BadList(["Below the names of the columns there is no line."])
    found: list[Invitee] = []
    first: dict[str, int] = {}
    problems = []
    for number, line in lines:
        try:
            one = _invitee(line, separator, columns)
            earlier = first.setdefault(one.address.lower(), number)
            if earlier != number:
                raise ValueError(f"the address of line {earlier} again")
            found.append(one)
        except ValueError as error:
            problems.append(f"Line {number}: {error}.")
    if problems:
        raise BadList(problems)
    return found


def _cells(line: str, separator: str) -> list[str]:
    return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])


def _invitee(line: str, separator: str, columns: list[str]) -> Invitee:
    """Parse one line. Raises ValueError."""
    if not columns and "<" in line:
        name, address = parseaddr(line)
        if not address:
            raise ValueError('cannot be read; write Ada Lovelace <ada@example.org>, or "Lovelace, Ada" <…>')
        given = {"address": address, "name": name, "label": name}
    else:
        cells = [cell.strip() for cell in _cells(line, separator)]
        names = columns or ["address", "label"]
        if len(cells) > len(names):
            hint = "" if columns else ": let the first line name the columns, email, name, label"
            raise ValueError(f"{len(cells)} columns, {len(names)} expected{hint}")
        given = dict(zip(names, cells, strict=False))
    address, label = given.get("address", ""), given.get("label", "")
    name = given.get("name", "") or ("" if "name" in columns else label)
    label = label or name
    try:
        validate_email(address)
    except ValidationError as error:
        raise ValueError(f"“{address[:60]}” is no e-mail address" if address else "no address") from error
    for value in (name, label):
        if len(value) > LONGEST:
            raise ValueError(f"“{value[:30]}…” is longer than {LONGEST} characters")
        if _CONTROL.search(value):
            raise ValueError("a name or label has a control character in it")
    return Invitee(address, name, label)


@transaction.atomic
def load(study: Study, people: list[Invitee]) -> Loaded:
    """Create a personal invitation for each address that is new in the study. A repeat changes nothing.

    If a label belongs to exactly one invited person without an address, that person gets the address instead.
    """
    Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    keys = {_digest(study, one.address): one for one in people}
    live = Address.objects.filter(study=study).exclude(digest="")
    known = set(live.values_list("digest", flat=True))
    new = {key: one for key, one in keys.items() if key not in known}
    waiting = _without_address(study)
    given: list[tuple[str, Invitee, Assessor]] = []
    for key, one in list(new.items()):
        there = waiting.pop(one.label, None) if one.label else None
        if there is not None:
            given.append((key, one, there))
            del new[key]
    made = invite(study, [one.label for one in new.values()])
    rows = [(key, one, who) for (key, one), who in zip(new.items(), made, strict=True)]
    Address.objects.bulk_create(
        Address(study=study, assessor=who, digest=key, sealed=seal(f"{one.address}\n{one.name}"))
        for key, one, who in (*given, *rows)
    )
    if given or rows:
        audit_log.note(study.pk, audit_log.What.ADDRESSES, after={"addresses": len(given) + len(rows)})
    if made:
        audit_log.note(study.pk, audit_log.What.INVITED, after={"links": len(made)})
    return Loaded(len(made), len(given), len(keys) - len(given) - len(rows))


def _without_address(study: Study) -> dict[str, Assessor]:
    """Return invited people without an address, by label; labels that several of them have are left out."""
    invited = Assessor.objects.filter(study=study, panel=PANEL, by_link=False, excluded_at=None)
    found: dict[str, Assessor | None] = {}
    for one in invited.exclude(label="").exclude(Q(addresses__digest__gt="")):
        found[one.label] = None if one.label in found else one
    return {label: one for label, one in found.items() if one is not None}


def of(study: Study, address: str) -> QuerySet[Address]:
    """Return the row of an address in a study, as a queryset; empty if the address is unknown there."""
    return Address.objects.filter(study=study, digest=_digest(study, address))


def _digest(study: Study, address: str) -> str:
    return digest("address", str(study.pk), address.strip().lower())


def opened(address: Address) -> tuple[str, str]:
    """Return the decrypted address and name; two empty strings once they were deleted."""
    return unsealed(address.sealed)


def unsealed(sealed: bytes | memoryview | None) -> tuple[str, str]:
    """Decrypt an address and name that were encrypted together; two empty strings for an empty value."""
    if not sealed:
        return "", ""
    mail, _, name = unseal(bytes(sealed)).partition("\n")
    return mail, name


@transaction.atomic
def forget(study: Study, addresses: QuerySet[Address]) -> int:
    """Delete addresses of a study for good, and drop waiting mails to them; return how many.

    The people, their links and their answers stay.
    """
    found = list(addresses.filter(study=study, deleted_at=None).values_list("pk", flat=True))
    waiting = Mail.objects.filter(address__in=found, state__in=[Mail.State.WAITING, Mail.State.CLAIMED])
    now = timezone.now()
    waiting.update(state=Mail.State.DROPPED, error="The address was deleted.", settled_at=now)
    gone = Address.objects.filter(pk__in=found, deleted_at=None).update(sealed=b"", digest="", deleted_at=now)
    if gone:
        audit_log.note(study.pk, audit_log.What.FORGOT, after={"addresses": gone})
    return gone
