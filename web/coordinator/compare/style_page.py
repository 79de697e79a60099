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
from web.coordinator.two_boards import TwoPlaces, moves, two_boards
from web.shared import waiting_pages
from web.shared.access import for_viewers

HEADS = ("Without control", "With control")
MEDIANS = ("Characters, median", "Headings", "Bold", "List items")


class Wording(NamedTuple):
    """How a style's effect is said. difference: of the two answers, as `style_differences` has it."""

    wins: str
    loses: str
    unsure: str
    pair: str
    difference: float


# In the order of `prefir.measures.STYLES`.
WORDINGS = (
    Wording(
        "Longer answers win.",
        "Shorter answers win.",
        "Length makes no significant difference.",
        "twice as long as the other",
        1 / 3,
    ),
    *(
        Wording(
            f"Answers with {style} win.",
            f"Answers without {style} win.",
            f"{style[0].upper()}{style[1:]} make no significant difference.",
            f"the only one with {style}",
            1.0,
        )
        for style in ("headings", "bold words", "lists")
    ),
)


class Effect(NamedTuple):
    """What a style does: in words, and in how many of 100 equal pairs the answer that has it is preferred."""

    said: str
    pair: str
    chance: str
    ends: str


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
        return waiting_pages.looks_again(request, "coordinator/style.html", told | {"waits": True})
    named = dict(Run.objects.filter(pk__in=found.runs).values_list("pk", "name"))
    names = [named[run] for run in found.runs]
    places = two_boards(
        names, found.control.plain, found.control.strengths, [_medians(row) for row in found.medians]
    )
    told |= {
        "found": found,
        "places": places,
        "heads": HEADS,
        "further": MEDIANS,
        "effects": effects(found),
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


def effects(found: StyleReport) -> list[Effect]:
    """Return what each style does; nothing of those in which no two answers differ."""
    shown = []
    for number, words in enumerate(WORDINGS):
        if isnan(found.control.coefficients[number]):
            continue
        chance, low, high = found.control.chances(number, words.difference)
        said = words.wins if low > 0.5 else words.loses if high < 0.5 else words.unsure
        ends = "–" if isnan(low) else f"{100 * low:.0f} to {100 * high:.0f}"
        shown.append(Effect(said, words.pair, f"{100 * chance:.0f}", ends))
    return shown


def _medians(row: "list[float]") -> list[str]:
    return ["–" if isnan(value) else f"{value:,.1f}".removesuffix(".0") for value in row]
