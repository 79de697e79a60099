"""The page of control for style: the board of models before and after it, and what style does."""

from math import isnan
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from collection.models.study import Words
from scoring.analysis import head_to_head
from scoring.analysis.head_to_head import Duels
from scoring.analysis.style_control import STYLE, StyleReport
from web.coordinator import strength_lines
from web.coordinator.strength_lines import strength_axis
from web.coordinator.two_boards import TwoPlaces, moves, two_boards
from web.shared import waiting_pages
from web.shared.access import for_viewers
from web.shared.phrases import listed

HEADS = ("Without control", "With control")
# In the order of `prefir.measures.STYLES`.
MEDIANS = ("Characters, median", "Headings", "Bold", "List items")


class Wording(NamedTuple):
    """How a style's effect is said. difference: of the two answers, as `style_differences` has it."""

    wins: str
    loses: str
    named: str
    pair: str
    difference: float


# In the order of `prefir.measures.STYLES`.
WORDINGS = (
    Wording(
        "Longer answers win.",
        "Shorter answers win.",
        "Length",
        "twice as long",
        1 / 3,
    ),
    *(
        Wording(
            f"Answers with {style} win.",
            f"Answers without {style} win.",
            style.capitalize(),
            f"with {style} alone",
            1.0,
        )
        for style in ("headings", "bold words", "lists")
    ),
)


@for_viewers
@require_safe
def style(request: HttpRequest, study: Study) -> HttpResponse:
    """Show strengths before and after control for style; those of large studies are computed by a job."""
    told: dict[str, object] = {"study": study, "fits": study.case == study.Case.ANSWERS}
    runs = head_to_head.runs_of(study)
    told["runs"] = len(runs)
    if len(runs) < 2 or not told["fits"]:
        return render(request, "coordinator/style.html", told)
    found = waiting_pages.result(STYLE, study)
    if found is None:
        told["waiting"] = waiting_pages.waiting(STYLE, study)
        return waiting_pages.looks_again(request, "coordinator/style.html", told)
    named = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    names = [named[run] for run in found.runs]
    boards = found.control.plain, found.control.strengths
    styles = [n for n, value in enumerate(found.control.coefficients) if not isnan(value)]
    medians = [[_median(row[n], n) for n in styles] for row in found.medians]
    places = two_boards(names, *boards, medians)
    told |= {
        "found": found,
        "places": places,
        "axis": strength_axis(*boards),
        "heads": HEADS,
        "further": [MEDIANS[n] for n in styles],
        "effects": effects(found, study.words),
        "same": same_styles(found, study.words),
        "answer": answer(found, names, places, study.words),
        "tie": f"{found.control.strengths.tie:.2f}",
    }
    return render(request, "coordinator/style.html", told)


def answer(found: StyleReport, names: list[str], places: list[TwoPlaces], words: Words) -> tuple[str, str]:
    """Return in two texts what control for style does to the order."""
    own = found.control
    if not own.plain.tops or not own.plain.duels:
        return f"No two {words.runs} have met yet.", ""
    if all(isnan(value) for value in own.coefficients):
        why = f"Of no two {words.runs} with finite strengths do judged {words.items} differ in style."
        return "Style cannot be controlled for yet.", why
    after = strength_lines.answer(Duels(found.runs, True, own.strengths), names, words)
    if len(own.plain.tops) > 1:
        return after
    before, now = (next(i for i in one.order if one.groups[i] >= 0) for one in (own.plain, own.strengths))
    said = (
        f"{names[now]} leads with and without control for style."
        if before == now
        else f"With control for style {names[now]} leads, without it {names[before]}."
    )
    return said, f"{moves(places, words.runs)} With control: {' '.join(after)}"


def effects(found: StyleReport, words: Words) -> list[tuple[str, str]]:
    """Return in two texts each what styles do: the verdict, and in how many of 100 equal pairs the answer
    that has more of it is preferred. Nothing of styles in which no two answers differ.
    """
    shown = []
    for number, one in enumerate(WORDINGS):
        if isnan(found.control.coefficients[number]):
            continue
        chance, low, high = found.control.chances(number, one.difference)
        unsure = f"{one.named}: no significant difference."
        said = one.wins if low > 0.5 else one.loses if high < 0.5 else unsure
        ends = "" if isnan(low) else f" (95 % interval {100 * low:.0f} to {100 * high:.0f})"
        of = f"Of two otherwise equal {words.items} the one {one.pair} wins {100 * chance:.0f} of 100{ends}."
        shown.append((said, of))
    return shown


def same_styles(found: StyleReport, words: Words) -> str:
    """Return in a sentence which styles are not controlled for, and why; "" if all are."""
    same = [one.named.lower() for n, one in enumerate(WORDINGS) if isnan(found.control.coefficients[n])]
    if not same:
        return ""
    are, them = ("is", "it") if same == ["length"] else ("are", "them")
    no_two = f"no two {words.items} that were judged against each other differ in {them}"
    return f"{listed(same).capitalize()} {are} not controlled for: {no_two}."


def _median(value: float, style: int) -> str:
    """Format the median of a style; of characters as a whole number."""
    return "–" if isnan(value) else f"{value:,.{1 if style else 0}f}".removesuffix(".0")
