"""The doubtful judgments of a study on the page of trust, with their pairs in full; the list as CSV."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.http import require_safe

from collection.models import Item, Placement, Study, Topic
from judging.assessor_names import assessor_name
from judging.models import Judgment
from judging.people import person_names
from scoring.analysis.doubtful_judgments import DOUBTS, WITHOUT_DOUBTFUL, Doubts, Listed
from scoring.analysis.lead_changes import LEAD_CHANGES, LeadChanges
from scoring.compute.doubtful_judgments import Doubt, Reason
from web.coordinator.answers.doubt_sentences import sentences
from web.coordinator.answers.judgment_list import side
from web.shared import waiting_pages
from web.shared.access import for_members, steers
from web.shared.csv_files import csv_file
from web.shared.latest_trust import PAUSE_SECONDS
from web.shared.phrases import number
from web.shared.typesetting import first_words_apart
from web.shared.view_choices import choice_of

A_PAGE = 10
# Of the first page so many stand open, and the others in a fold.
FIRST = 3
# Letters of a text that name an item in a line; the page cuts what has no room.
LETTERS = 90
# Lines of the file that are read at once.
CHUNK = 500
TITLES = {
    Reason.AGAINST: "All others say the opposite",
    Reason.REPEAT: "Contradicts the same person",
    Reason.CYCLE: "Against other pairs",
    Reason.GRADES: "Contradicts the grades",
    Reason.FAST: "Too fast to be read",
    Reason.FAILED: "Person fails challenges",
}


@dataclass(frozen=True)
class DoubtfulRow:
    """A doubtful judgment as the page lists it.

    recorded_as: its assessor's name in the ledger. preferred, other: the two items; starts: how they are
    named. against: what speaks against it, in sentences. shown: how many items were shown. better, worse:
    runs that rank the preferred item higher, and the other one.
    """

    doubt: Doubt
    topic: Topic
    question: int
    assessor: int
    name: str
    recorded_as: str
    at: datetime
    preferred: Item
    other: Item
    starts: tuple[str, ...]
    shown: int
    against: list[str]
    better: int = 0
    worse: int = 0
    sides: list[dict[str, Any]] = field(default_factory=list)

    @property
    def named(self) -> bool:
        """Whether somebody is known to have given it."""
        return self.name != person_names.UNNAMED

    @property
    def verb(self) -> str:
        """What stands between the two names."""
        return "tied with" if self.doubt.tie else "over"


def section(request: HttpRequest, study: Study) -> dict[str, Any]:
    """Return what the page of trust shows of doubtful judgments; `doubts` is None while they are looked for.

    The number of queries does not depend on the number of judgments.
    """
    found, newer = waiting_pages.latest_result(DOUBTS, study, rest=PAUSE_SECONDS)
    if found is None:
        return {"doubts": None, "doubts_waiting": waiting_pages.waiting(DOUBTS, study)}
    doubts = found.value
    order, _ = waiting_pages.latest_result(WITHOUT_DOUBTFUL, study, rest=PAUSE_SECONDS)
    changes = None
    if order and order.value:
        lead, _ = waiting_pages.latest_result(LEAD_CHANGES, study, rest=PAUSE_SECONDS)
        changes = lead.value if lead else None
    why = choice_of(request.GET, "why", doubts.reasons)
    listed = [one for one in doubts.listed if why not in doubts.reasons or why in one.doubt.reasons]
    if changes:
        # Stable: those that change the lead alike stay in the order of what speaks against them.
        listed.sort(key=lambda one: -_moves(changes, one.doubt.judgment))
    page = Paginator(listed, A_PAGE).get_page(request.GET.get("doubts"))
    shown = list(rows(study, doubts, list(page.object_list), changes, full=True))
    unlisted = (doubts.reasons[Reason(why)] if why in doubts.reasons else doubts.doubtful) - len(listed)
    first = FIRST if page.number == 1 else A_PAGE
    chips = [(reason, TITLES[reason], n) for reason in Reason if (n := doubts.reasons.get(reason))]
    return {
        "doubts": doubts,
        "doubts_newer": newer,
        "order_waits": order is None and bool(doubts.ids),
        "order": order.value._replace(name="them") if order and order.value else None,
        "why": why if why in doubts.reasons else "",
        "changes": changes,
        # Where all are of one kind there is nothing to choose.
        "chips": chips if len(chips) > 1 or why in doubts.reasons else [],
        "doubts_page": page,
        "unlisted": unlisted,
        "doubtful_questions": list(dict.fromkeys(row.question for row in shown)),
        "shown": len(shown),
        "rows": shown[:first],
        "folded": shown[first:],
        "more": len(listed) + unlisted - first,
    }


def rows(
    study: Study,
    doubts: Doubts,
    listed: Sequence[Listed],
    changes: LeadChanges | None = None,
    *,
    full: bool = False,
) -> Iterator[DoubtfulRow]:
    """Yield the lines of these judgments; full: with both items in full, and how runs rank them. changes:
    what the lead would be without each.
    """
    fields = ("assignment__assessor", "question", "topic")
    given = Judgment.objects.select_related(*fields).in_bulk([one.doubt.judgment for one in listed])
    wanted = {pk for _, doubt in listed for pk in (doubt.preferred, doubt.other, *doubt.cycle)}
    items = Item.objects.in_bulk(wanted)
    # Each model gives one answer to a prompt, so that its ranks say nothing.
    is_ranked = full and study.case != Study.Case.ANSWERS
    ranks = _ranks([doubt for _, doubt in listed]) if is_ranked else {}
    people = {one.assignment.assessor_id for one in given.values()}
    names = person_names.names(study, people, labels=steers(study))
    for _, doubt in listed:
        if (judgment := given.get(doubt.judgment)) is None:
            continue
        person = judgment.assignment.assessor
        pair = (items[doubt.preferred], items[doubt.other])
        better, worse = _runs_between(ranks.get(doubt.preferred, {}), ranks.get(doubt.other, {}))
        yield DoubtfulRow(
            doubt=doubt,
            topic=judgment.topic,
            question=judgment.question_id,
            assessor=person.pk,
            name=names[person.pk],
            recorded_as=assessor_name(person.panel, person.label, person.pk),
            at=judgment.created_at,
            preferred=pair[0],
            other=pair[1],
            starts=tuple(first_words_apart(pair, study, LETTERS)) if full else (),
            shown=len(judgment.question.subject_ids),
            against=[*sentences(doubt, doubts, items, study), *_lead_without(changes, doubt.judgment)],
            better=better,
            worse=worse,
            sides=[side(one, study, chosen=not doubt.tie and one is pair[0]) for one in pair] if full else [],
        )


def _moves(changes: LeadChanges, judgment: int) -> float:
    """By how much the lead would change without a judgment, in either direction."""
    return abs(changes.without.get(judgment, changes.lead) - changes.lead)


def _lead_without(changes: LeadChanges | None, judgment: int) -> Iterator[str]:
    """Say what the lead would be without a judgment, where it would change."""
    if changes is None or judgment not in changes.without:
        return
    then = changes.without[judgment]
    if number(then, 3) == number(changes.lead, 3):
        return
    if then < 0:
        yield f"Without it {changes.second} leads, by {number(-then, 3)}."
    else:
        yield f"Without it {changes.first} leads by {number(then, 3)}, not {number(changes.lead, 3)}."


def _ranks(doubts: Iterable[Doubt]) -> dict[int, dict[int, int]]:
    """The rank of each item of these pairs in each run that ranks it."""
    wanted = {pk for doubt in doubts for pk in (doubt.preferred, doubt.other)}
    ranks: dict[int, dict[int, int]] = {pk: {} for pk in wanted}
    placed = Placement.objects.filter(item__in=wanted)
    for item, run, rank in placed.values_list("item_id", "run_id", "rank"):
        ranks[item][run] = rank
    return ranks


def _runs_between(preferred: dict[int, int], other: dict[int, int]) -> tuple[int, int]:
    """How many runs rank the preferred item higher, and how many the other; an item not ranked is last."""
    below = max((*preferred.values(), *other.values()), default=0) + 1
    runs = preferred.keys() | other.keys()
    better = sum(preferred.get(run, below) < other.get(run, below) for run in runs)
    return better, len(runs) - better


@for_members
@require_safe
def as_csv(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """The listed judgments as CSV; found now if no job has found them yet."""
    return csv_file(_lines(study), f"{study.slug}-doubtful-judgments")


def _lines(study: Study) -> Iterator[list[Any]]:
    yield [
        *("topic", "preferred", "other", "tie", "person", "assessor", "time", "seconds"),
        *("reasons", "others", "others_opposite", "cycle"),
    ]
    doubts = DOUBTS.now(study)
    for first in range(0, len(doubts.listed), CHUNK):
        listed = doubts.listed[first : first + CHUNK]
        names = dict(
            Item.objects.filter(pk__in={pk for _, doubt in listed for pk in doubt.cycle}).values_list(
                "pk", "docno"
            )
        )
        for row in rows(study, doubts, listed):
            doubt = row.doubt
            yield [
                row.topic.name,
                row.preferred.docno,
                row.other.docno,
                int(doubt.tie),
                row.name,
                row.recorded_as,
                row.at.isoformat(),
                doubt.seconds,
                " ".join(doubt.reasons),
                doubt.others,
                doubt.against,
                " ".join(names[pk] for pk in doubt.cycle),
            ]
