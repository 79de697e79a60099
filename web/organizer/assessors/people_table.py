"""The table of assessors: its query parameters, rows and columns."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.http import HttpRequest, QueryDict
from django.urls import reverse

from collection.models import Study
from judging.models import FROM_FILES, Assessor, Assignment
from judging.people import person_names, roster
from judging.people.roster import Wanted
from panels import local
from panels.base import PANELS
from panels.payments import payouts
from scoring.compute.answer_stats import AnswerFigures
from scoring.compute.trust_figures import PersonTrust
from scoring.quality.trust import TRUST, TrustFigures
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.objections import DoubtedPerson, doubted_people, objections_to_people
from web.shared.phrases import count
from web.shared.presence import Present, present
from web.shared.sorted_heads import Head, heads, sort_of
from web.shared.view_choices import choice_of
from web.shared.waiting_pages import recent_result

# Columns that sort (`web.shared.sorted_heads.Column`).
COLUMNS = [
    ("number", "Person", False),
    ("state", "State", False),
    ("batches", "Batches", True),
    ("seconds", "Seconds", False),
    ("left", "Left", True),
    ("tie", "Ties", True),
    ("agreement", "Agreement", False),
    ("challenges", "Challenges", False),
]
# The fields of `PersonTrust` that some of them show.
OF_TRUST = dict(zip(roster.GIVEN, ("seconds", "left", "ties", "agree"), strict=True))
# A further column if anything is owed to anybody in the study.
OWED = ("owed", "Owed", True)
STATES = {
    "look": "To look at",
    "judging": "Judging",
    "away": "Away",
    "finished": "No open batch",
    "never": "Not come yet",
    "warned": "Warned",
    "paused": "Paused",
    "excluded": "Excluded",
}
# How many people to look at the sentence above the table names.
NAMED = 3
# Of these each person is in one; in the sentence above the table.
NOW = {
    "judging": "judging",
    "away": "away",
    "finished": "who came and judge nothing now",
    "never": "not come yet",
    "excluded": "excluded",
}


@dataclass(frozen=True)
class PersonRow:
    """An assessor as the table shows them.

    link: personal link of an invited assessor, else "". origin: where others come from, in words. batches:
    how many, without those not finished in time. said: the outcomes of the batches. there: their open batch.
    trusted, own: figures of their answers that count, None without such; against: what speaks against these.
    owed: in words, "" for nothing.
    """

    assessor: Assessor
    number: int
    name: str
    link: str
    origin: str
    state: str
    warned: bool
    batches: int
    said: str
    there: Present | None
    trusted: PersonTrust | None
    own: AnswerFigures | None
    against: list[str]
    right_ones: int
    challenges: int
    owed: str

    @property
    def recorded(self) -> bool:
        return self.assessor.panel == FROM_FILES


@dataclass(frozen=True)
class PeopleTable:
    """One page of the table: rows, heads, the query, and links to the previous and next page.

    excluded: how many of the whole study are. doubted: the first of those of the study to look at;
    doubted_n: how many there are.
    """

    rows: list[PersonRow]
    columns: list[Head]
    wanted: Wanted
    states: dict[str, str]
    total: int
    excluded: int
    doubted: list[DoubtedPerson]
    doubted_n: int
    first: int
    previous: str
    next: str
    owes: bool

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1

    @property
    def said(self) -> str:
        """How many people there are, and in which states where the page has all of them; "" of some alone."""
        if not self.total or self.wanted.search or self.wanted.state:
            return ""
        if self.total > len(self.rows):
            out = f", {self.excluded:,} of them excluded" if self.excluded else ""
            return f"{count(self.total, 'assessor')}{out}."
        if {row.state for row in self.rows} == {"finished"} and not any(row.recorded for row in self.rows):
            passed = " and passed" if all(row.said == "all kept" for row in self.rows) else ""
            return f"{count(self.total, 'assessor')} came{passed}; nobody judges now."
        states = Counter("from files" if row.recorded else NOW[row.state] for row in self.rows)
        told = [f"{states[word]} {word}" for word in (*NOW.values(), "from files") if states[word]]
        return f"{count(self.total, 'assessor')}: {', '.join(told)}."

    @property
    def judging(self) -> bool:
        """Whether somebody on this page is in the middle of a batch, which could be released."""
        return any(row.there and not row.there.away for row in self.rows)

    @property
    def kept(self) -> bool:
        """Whether the sort column is as old as the last sweep, rather than current."""
        return self.wanted.sort in roster.KEPT


def wanted(given: QueryDict) -> Wanted:
    """Parse the query parameters of the table; invalid ones are replaced by their defaults."""
    (sort, down), page = sort_of(given, list(roster.SORTS)), given.get("page", "")
    return Wanted(
        search=given.get("search", "").strip()[:200].replace("\x00", ""),
        state=choice_of(given, "state", roster.FILTERS),
        sort=sort,
        down=down,
        page=max(1, int(page)) if page.isdecimal() and len(page) < 8 else 1,
    )


def table(request: HttpRequest, study: Study) -> PeopleTable:
    """Return the page of the table that the request asks for.

    The number of queries does not depend on the number of people.
    """
    asked = wanted(request.GET)
    found_trust = recent_result(TRUST, study, rest=PAUSE_SECONDS)
    trusted = found_trust.value if found_trust else None
    against = objections_to_people(study, trusted) if trusted else {}
    doubted = doubted_people(study, against, labels=True)
    found = roster.find(
        study, replace(asked, given=_figures(trusted, asked.sort), named=[one.pk for one in doubted])
    )
    numbers = dict(found.people)
    people = {one.pk: one for one in Assessor.objects.filter(pk__in=numbers)}
    owes = payouts.owes(study)
    owed = owed_to(study, list(numbers)) if owes else {}
    rows = _rows(request, [(people[pk], n) for pk, n in found.people], owed, trusted, against)
    before, after = found.page - 1, found.page + 1
    columns = [*COLUMNS, OWED] if owes else COLUMNS
    return PeopleTable(
        rows=rows,
        columns=heads(columns, asked.sort, asked.down, lambda sort: _address(asked, sort=sort)),
        wanted=asked,
        states=STATES,
        total=found.total,
        excluded=Assessor.objects.filter(study=study, excluded_at__isnull=False).count(),
        doubted=doubted[:NAMED],
        doubted_n=len(doubted),
        first=before * roster.A_PAGE + 1,
        previous=_address(asked, page=before) if before else "",
        next=_address(asked, page=after) if found.page * roster.A_PAGE < found.total else "",
        owes=owes,
    )


def owed_to(study: Study, people: Sequence[int]) -> dict[int, str]:
    """Return what is owed to each of these people, in words; people who are owed nothing are left out."""
    return {pk: f"{amount} {currency}" for pk, (amount, currency) in payouts.owed_to(study, people).items()}


def _figures(found: TrustFigures | None, sort: str) -> dict[int, float]:
    """Return of each person, by id, the figure of the page of trust that a list is sorted by."""
    if found is None or sort not in OF_TRUST:
        return {}
    told = {one.pk: getattr(one, OF_TRUST[sort]) for one in found.trust.people}
    return {pk: figure for pk, figure in told.items() if figure is not None}


def _rows(
    request: HttpRequest,
    people: Sequence[tuple[Assessor, int]],
    owed: dict[int, str],
    trusted: TrustFigures | None,
    against: dict[int, list[str]],
) -> list[PersonRow]:
    pks = [assessor.pk for assessor, _ in people]
    states, warned = roster.states(pks), roster.warned(pks)
    found = {fact: roster.facts(fact, pks) for fact in roster.FACTS}
    there = {one.assessor_id: one for one in present(Assignment.objects.filter(assessor__in=pks))}
    figures = {one.pk: one for one in trusted.trust.people} if trusted else {}
    rows = []
    for assessor, number in people:
        pk = assessor.pk
        batches, kept, discarded, lapsed = found["batches"].get(pk, (0, 0, 0, 0))
        right_ones, challenges, _ = found["challenges"].get(pk, (0, 0, 0))
        link = reverse("invitation", args=[assessor.reference]) if assessor.panel == local.PANEL else ""
        rows.append(
            PersonRow(
                assessor=assessor,
                number=number,
                name=person_names.worded(number, assessor.label),
                link=request.build_absolute_uri(link) if link else "",
                origin=origin(assessor.panel),
                state=states[pk],
                warned=pk in warned,
                batches=batches,
                said=outcomes(batches, kept, discarded, lapsed),
                there=there.get(pk),
                trusted=figures.get(pk),
                own=trusted.answers.people.get(pk) if trusted else None,
                against=against.get(pk, []),
                right_ones=right_ones,
                challenges=challenges,
                owed=owed.get(pk, ""),
            )
        )
    return rows


def outcomes(batches: int, kept: int, discarded: int, lapsed: int) -> str:
    """Say what somebody's batches came to: "all kept", "2 kept, 1 discarded"; "" while none is decided."""
    if 0 < kept == batches:
        return "all kept"
    became = ((kept, "kept"), (discarded, "discarded"), (lapsed, "closed unfinished"))
    return ", ".join(f"{n:,} {word}" for n, word in became if n)


def origin(panel: str) -> str:
    """Return in words where assessors of this panel come from; "" for invited ones."""
    if panel == FROM_FILES:
        return "From a file of recorded judgments"
    if panel == local.PANEL:
        return ""
    return PANELS[panel].title if panel in PANELS else panel


def _address(asked: Wanted, *, page: int = 1, sort: str | None = None) -> str:
    now = f"-{asked.sort}" if asked.down else asked.sort
    given = {
        "search": asked.search,
        "state": asked.state,
        "sort": (sort or now) if (sort or now) != "number" else "",
        "page": page if page > 1 else "",
    }
    return f"?{urlencode({name: value for name, value in given.items() if value})}#invitations"
