"""Files exchanged with a link panel's service: whom to pay, whom to exclude, and the service's own list.

The service's list is read completely before anything is changed; one bad line, and nothing is.
"""

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.db import transaction

from collection import audit_log
from judging.people import person_names
from panels.base import marketplace
from panels.link import session_of
from panels.models import Campaign, Entry, IdentityAccess, Payment, Person
from panels.participants import people
from panels.payments import payouts
from prefir.formats import text_of
from prefir.formats.lines import read_lines
from prefir.formats.problems import BadFile, Problems

# Names of columns in the services' lists, in lower case; the first one found is used.
PERSON = (
    "participant id",
    "participantid",
    "participant",
    "prolific_pid",
    "worker id",
    "workerid",
    "pid",
    "id",
)
SESSION = ("submission id", "session_id", "session", "assignment id", "assignmentid")
STATUS = ("status", "state")
CODE = ("completion code", "completioncode", "entered code", "completion_code", "code")
# Statuses that mean that a person was already paid there.
PAID = ("approved", "paid", "complete", "credited")
GONE = ("returned", "timed-out", "timed out", "rejected", "screened out")


@dataclass(frozen=True)
class ComparedPayments:
    """The comparison of a service's list with our entries.

    matched: lines with an entry here. paid: payments newly marked as paid. unknown: the service's ids without
    an entry here. missing: number of our entries that are not in the list. other_codes: our names of matched
    people whose line has a code that they were not given here. They are paid like the others; an organizer
    checks if the line is theirs.
    """

    matched: int
    paid: int
    unknown: tuple[str, ...]
    missing: int
    other_codes: tuple[str, ...] = ()


def to_pay(campaign: Campaign) -> Iterator[list[str]]:
    """Yield rows of people to pay, with the service's ids and the amounts; every id shown is logged."""
    yield ["participant", "session", "amount", "currency"]
    due = Payment.objects.filter(campaign=campaign, state=Payment.State.DUE, entry__isnull=False)
    owed = list(due.select_related("entry__person").order_by("pk"))
    _saw([one.entry.person for one in owed if one.entry is not None], "whom to pay")
    for payment in owed:
        assert payment.entry is not None
        entry = payment.entry
        yield [people.raw(entry.person), session_of(entry), str(payment.amount), campaign.currency]


def to_exclude(campaign: Campaign) -> Iterator[list[str]]:
    """Yield rows of people whom the service has to exclude; every id shown is logged."""
    yield ["participant"]
    kept = Entry.objects.filter(campaign=campaign, person__destroyed_at=None)
    out = kept.filter(assessor__excluded_at__isnull=False).select_related("person")
    found = {entry.person_id: entry.person for entry in out.order_by("pk")}
    _saw(list(found.values()), "whom to exclude")
    for person in found.values():
        yield [people.raw(person)]


def _saw(found: list[Person], why: str) -> None:
    """Log that somebody is shown these people's ids; call this before they are shown."""
    by, actor = audit_log.account_id(), audit_log.actor()
    IdentityAccess.objects.bulk_create(
        IdentityAccess(person=one, by_id=by, actor=actor, why=why) for one in found
    )


def compare(campaign: Campaign, content: bytes, name: str) -> ComparedPayments:
    """Read a service's list (CSV or workbook, with a header line), and mark as paid whom it paid.

    Raises BadFile with every bad line: no id, a duplicate id and session, missing columns.
    """
    problems = Problems(name)
    lines = [text for _, text in read_lines(text_of(name, content).encode(), problems)]
    problems.settle()
    if not lines:
        raise problems.stop("there is no line in it")
    # In some countries spreadsheets separate by semicolons.
    rows = list(csv.reader(lines, delimiter=max(",;\t", key=lines[0].count)))
    heads = [head.strip().lower() for head in rows[0]]
    columns = {wanted: _column(heads, wanted) for wanted in (PERSON, SESSION, STATUS, CODE)}
    at = columns[PERSON]
    if at is None:
        raise problems.stop(f"no column with the participant's id; its heads are {', '.join(rows[0])}")
    listed: dict[tuple[str, str], tuple[str, str]] = {}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(heads):
            problems.add(number, f"{len(row)} columns, and the first line has {len(heads)}")
            continue
        key = (row[at].strip(), _cell(row, columns[SESSION]))
        if not key[0]:
            problems.add(number, "no participant's id")
        elif key in listed:
            problems.add(number, "the same participant and session as on an earlier line")
        else:
            listed[key] = (_cell(row, columns[STATUS]).lower(), _cell(row, columns[CODE]))
    problems.settle()
    return _note(campaign, listed)


def _column(heads: list[str], wanted: tuple[str, ...]) -> int | None:
    return next((heads.index(name) for name in wanted if name in heads), None)


def _cell(row: list[str], at: int | None) -> str:
    return row[at].strip() if at is not None else ""


@transaction.atomic
def _note(campaign: Campaign, listed: Mapping[tuple[str, str], tuple[str, str]]) -> ComparedPayments:
    kept = Entry.objects.filter(campaign=campaign, person__destroyed_at=None)
    done = kept.filter(state=Entry.State.CONFIRMED)
    entries = done.select_related("person", "assessor", "campaign", "assignment")
    own: dict[tuple[str, str], Entry] = {}
    for entry in entries.iterator(500):
        raw = people.raw(entry.person)
        own[raw, session_of(entry)] = entry
        own.setdefault((raw, ""), entry)
    found = {key: own[key] for key in listed if key in own}
    paid = [entry.pk for key, entry in found.items() if listed[key][0] in PAID]
    # People type the codes, possibly with spaces around them or in lower case.
    others = [
        entry.assessor_id
        for key, entry in found.items()
        if entry.assessor_id is not None
        and (code := listed[key][1])
        and code.casefold() not in {one.casefold() for one in _codes_of(entry)}
    ]
    due = Payment.objects.filter(campaign=campaign, entry__in=paid, state=Payment.State.DUE)
    noted = payouts.mark_paid(list(due.values_list("pk", flat=True)), "by the service's list")
    unknown = tuple(key[0] for key in listed if key not in own and listed[key][0] not in GONE)
    missing = len({entry.pk for entry in own.values()} - {entry.pk for entry in found.values()})
    names = person_names.names(campaign.study, others, labels=True)
    return ComparedPayments(len(found), noted, unknown, missing, tuple(names.values()))


def _codes_of(entry: Entry) -> set[str]:
    """Return the codes that a person may have been shown at the end: their own, or that of their outcome."""
    ends = [marketplace("link").finish(entry, outcome) for outcome in ("completed", "failed")]
    terms = entry.campaign.terms
    return {end.code for end in ends} | {terms["code_completed"], terms["code_failed"]} - {""}


__all__ = ["BadFile", "ComparedPayments", "compare", "to_exclude", "to_pay"]
