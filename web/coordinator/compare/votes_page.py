"""The page of earlier votes: those loaded from files, compared with the judgments of the same pairs."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Item, Run, Study, Topic
from collection.models.study import Words
from collection.upload import pending_uploads
from scoring.analysis import vote_comparison
from scoring.analysis.vote_comparison import VOTES, Counts, VoteComparison, VotedPair
from web.coordinator.strength_lines import strength_axis
from web.coordinator.two_boards import moves, ranks, two_boards
from web.shared import waiting_pages
from web.shared.access import May, for_viewers, may
from web.shared.phrases import count, number

HEADS = ("Earlier votes", "Judged now")
OUTCOMES = ("Won", "Tied", "Lost")
# Of an agreement statistic up to which value it is called so (Landis & Koch, 1977).
STRENGTH = ((0.0, "no"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))


class PairLine(NamedTuple):
    """A pair with another majority now. first, second: docnos. earlier, later: votes in words."""

    topic: Topic
    pair: VotedPair
    first: str
    second: str
    earlier: str
    later: str


@for_viewers
@require_safe
def votes(request: HttpRequest, study: Study) -> HttpResponse:
    """Show earlier votes beside judgments of now; those of large studies are compared by a job."""
    told: dict[str, object] = {
        "study": study,
        "shares": may(request.user, study, May.WATCH),
        "loads": may(request.user, study, May.STEER),
        "has_votes": vote_comparison.has_earlier_votes(study),
        "kept": any(map(pending_uploads.is_kept, pending_uploads.of(study))),
    }
    if not told["has_votes"]:
        return render(request, "coordinator/votes.html", told)
    found = waiting_pages.result(VOTES, study)
    if found is None:
        told["waiting"] = waiting_pages.waiting(VOTES, study)
        return waiting_pages.looks_again(request, "coordinator/votes.html", told)
    told |= {
        "found": found,
        "answer": answer(found, study.words),
        "table": table(found),
        "outcomes": OUTCOMES,
        "pairs": _lines(found),
    }
    if found.answers and found.earlier_strengths.tops and found.later_strengths.tops:
        named = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
        names = [named[run] for run in found.runs]
        boards = found.earlier_strengths, found.later_strengths
        places = two_boards(names, *boards)
        told |= {
            "places": places,
            "axis": strength_axis(*boards),
            "heads": HEADS,
            "tau": _tau(found),
            "moves": moves(places, study.words.runs),
        }
    return render(request, "coordinator/votes.html", told)


def answer(found: VoteComparison, words: Words) -> tuple[str, str]:
    """Return in two texts how well earlier votes and those of now agree."""
    own = found.agreement
    if own.share is None:
        new = f"{count(found.later, 'new judgment')}, none" if found.later else "no new judgments"
        what = "Earlier votes came in a file, for example from an arena."
        shown = "Here you will see how often people agree with them."
        far = f"So far: {count(found.earlier, 'earlier vote')}, {new} of the same pairs."
        if found.earlier and found.later:
            return f"No pair of {words.items} has both earlier votes and judgments of now.", far
        return "Nothing to compare yet.", f"{what} {shown} {far}"
    every = f"{count(found.earlier, 'earlier vote')} and {count(found.later, 'judgment')} of now count"
    ends = (
        ""
        if own.share_low is None or own.share_high is None
        else f" (95 % interval {100 * own.share_low:.0f} to {100 * own.share_high:.0f} %)"
    )
    said = f"Earlier votes and those of now say the same in {100 * own.share:.0f} %{ends}."
    why = f"{count(own.pairs, 'pair')} of {words.items} {'has' if own.pairs == 1 else 'have'} both. {every}."
    if own.kappa is None:
        return said, f"{why} Cohen’s kappa has no value, since all votes are the same."
    between = (
        ""
        if own.kappa_low is None or own.kappa_high is None
        else f" (95 % interval {number(own.kappa_low)} to {number(own.kappa_high)})"
    )
    return said, f"{why} Cohen’s kappa is {number(own.kappa)}{between}, {strength(own.kappa)} agreement."


def strength(kappa: float) -> str:
    """Return what an agreement is called (Landis & Koch, Biometrics 33(1), 1977)."""
    return next((word for end, word in STRENGTH if kappa <= end), "almost perfect")


def table(found: VoteComparison) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return pairs by outcome earlier and now: of each line its heading, and pairs with their share."""
    lines = []
    for outcome, row in zip(OUTCOMES, found.agreement.table.tolist(), strict=True):
        total = sum(row)
        cells = [(f"{n:,.1f}".removesuffix(".0"), f"{100 * n / total:.0f} %" if total else "") for n in row]
        lines.append((outcome, cells))
    return lines


def _lines(found: VoteComparison) -> list[PairLine]:
    topics = Topic.objects.defer("earlier", "description").in_bulk({pair.topic for pair in found.pairs})
    items = {pk for pair in found.pairs for pk in (pair.first, pair.second)}
    docnos = dict(Item.objects.filter(pk__in=items).values_list("pk", "docno"))
    lines = []
    for pair in found.pairs:
        first, second = docnos.get(pair.first, ""), docnos.get(pair.second, "")
        said = [_votes(one, first, second) for one in (pair.earlier, pair.later)]
        lines.append(PairLine(topics[pair.topic], pair, first, second, *said))
    return lines


def _votes(votes: Counts, first: str, second: str) -> str:
    """Return votes in words: "first", "tie", or several as "first, 2 votes" and "2 first, 1 tie"."""
    named = [(n, name) for n, name in zip(votes, (first, "tie", second), strict=True) if n]
    if len(named) == 1:
        ((n, name),) = named
        return name if n == 1 else f"{name}, {count(n, 'vote')}"
    return ", ".join(f"{n} {name}" for n, name in named)


def _tau(found: VoteComparison) -> str:
    """Return Kendall's tau-b of the two orders; "" where fewer than two runs have a rank on both."""
    from prefir.measures import kendall_tau_b

    both = zip(ranks(found.earlier_strengths), ranks(found.later_strengths), strict=True)
    ranked = [pair for pair in both if all(pair)]
    if len(ranked) < 2:
        return ""
    value = kendall_tau_b(*zip(*ranked, strict=True))
    return "" if value != value else number(value)
