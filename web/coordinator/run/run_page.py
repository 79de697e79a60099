"""The page of a run, and of a participant's own: its context, and what it says in words."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from scoring.analysis import run_profile
from scoring.analysis.item_costs import ItemCost
from scoring.analysis.run_profile import BeatenBy, RunProfile, TopicBeside
from scoring.board import leaderboard
from scoring.board.leaderboard import Board, Mean
from scoring.compute.medians import FEWEST_OTHERS, beside
from web.coordinator.board.leaderboard import asked_persistence
from web.coordinator.placements import PlacedItem, by_id
from web.coordinator.run import nearby
from web.coordinator.run.sparkline import sparkline
from web.coordinator.significance_sentences import beside_baseline, tests_of_ranks
from web.live.leaderboard_headline import per_cent_of_possible
from web.shared import measure_names, pdf, waiting_pages
from web.shared.access import May, for_run_readers, may
from web.shared.phrases import count, number, ranks_said, signed
from web.shared.typesetting import start
from web.shared.view_choices import measure_of, whole_of

MIDDLE = 100.0
# Letters of an answer that are quoted.
QUOTED = 160
# Fewer means are not drawn beside each other.
FEWEST_MARKED = 3


@dataclass(frozen=True)
class TopicLine:
    """A topic's line: the score beside the median, and the bar of the difference, from the middle."""

    topic: Topic
    found: TopicBeside
    said: str
    start: str
    length: str


@dataclass(frozen=True)
class CostLine:
    """What an item costs: the two items, why the other should stand above it, and by how much."""

    cost: ItemCost
    item: PlacedItem | None
    better: PlacedItem | None
    why: str
    said: str


@dataclass(frozen=True)
class BeatenLine:
    """An answer that beat the model's on a prompt: both answers, and the names of the models that gave it."""

    found: BeatenBy
    item: PlacedItem | None
    answer: PlacedItem | None
    runs: list[str]


@dataclass(frozen=True)
class MeasureLine:
    """The run's mean by one measure; median: of all runs, for participants alone."""

    title: str
    mean: Mean
    ranks: str
    median: float | None

    @property
    def possible(self) -> str:
        """How much the mean has of what is possible, "62 %"; "" where that is 1 or unknown."""
        return per_cent_of_possible(self.mean)


@never_cache
@for_run_readers
@require_safe
def page(request: HttpRequest, study: Study, pk: int, own: Sequence[int] | None) -> HttpResponse:
    """Show a run: its place, best and worst topics, what costs it most, and the runs near it.

    The number of queries does not grow with topics or runs.
    """
    told = run_told(request, study, pk, own)
    if told["compared"] and told.get("mapped", True):
        return render(request, "coordinator/run.html", told)
    return waiting_pages.looks_again(request, "coordinator/run.html", told)


@for_run_readers
@require_safe
def report(request: HttpRequest, study: Study, pk: int, own: Sequence[int] | None) -> HttpResponse:
    """Download the page of a run as PDF."""
    told = run_told(request, study, pk, own)
    html = paper(told)
    name = slugify(told["run"].name)[:60] or str(pk)
    return pdf.answer(request, study, name, hashlib.sha256(html.encode()).hexdigest(), lambda: html)


def paper(told: dict[str, Any]) -> str:
    """Return the HTML document that the PDF is printed from. told: as of `run_told`."""
    return render_to_string("coordinator/run_report.html", told | {"on_paper": True})


def run_told(request: HttpRequest, study: Study, pk: int, own: Sequence[int] | None) -> dict[str, Any]:
    """Return the context of the page and of the report. own: as `for_run_readers` gives it.

    For a participant it has no name or value of another run.
    """
    run = get_object_or_404(Run, study=study, pk=pk)
    p, measure = asked_persistence(request, study), measure_of(request.GET, study)
    whole = whole_of(request.GET)
    board = leaderboard.board(study, p, every=whole is False)
    found = run_profile.profile(study, run, measure, p, whole, own)
    mean = _mean(board, run.pk, measure)
    means = _means(study, board, run, own)
    watches = own is None and may(request.user, study, May.WATCH)
    topics = Topic.objects.in_bulk([one.topic for one in (*found.best, *found.worst)])
    lines = {
        "best": _lines(found.best, topics, found),
        "worst": _lines(found.worst, topics, found),
    }
    told = {
        "study": study,
        "run": run,
        "is_own": own is not None,
        "watches": watches,
        "p": p,
        "measure": measure,
        "measures": measure_names.titled(study),
        "title": measure_names.within(measure),
        "persistences": measure_names.LIKE_NDCG,
        "depth": measure_names.depth(measure, p),
        "found": found,
        "fewest": FEWEST_OTHERS,
        "handed": urlencode({"measure": measure, "p": p, "topics": "whole" if found.whole else "all"}),
        "line": sparkline(study, run, len(board.rows), measure, p, whole is False),
        "means": means,
        "limited": any(one.possible for one in means),
        "groups": found.groups,
        **lines,
        **_told_of_items(found, lines["worst"], study, own),
        **nearby.copies(study, run, found.judged.depth),
    }
    if own is not None:
        middle = next((one.median for one in means if one.title == measure_names.TITLES[measure]), None)
        return told | {"answer": own_answer(mean, middle, measure, study)}
    near = nearby.neighbours(study, found)
    said, rest = answer(mean, board, found, near, measure, study)
    against, why = beside_baseline(study, run, measure, p, found.whole)
    return (
        told
        | _strip(board, run, measure)
        | {
            "answer": (said, f"{rest} {against}".strip()),
            "near": near,
            "tests": why or tests_of_ranks(len(board.rows), study.words),
        }
        | {"all_whole": board.topics_whole >= board.topics}
        | (nearby.nearest(study, run) if study.case != Study.Case.ANSWERS else {})
    )


def _strip(board: Board, run: Run, measure: str) -> dict[str, Any]:
    """Return where all means, their median and the run's interval lie on an axis, in hundredths."""
    means = {row.run_id: row.means.get(measure, NONE).value for row in board.rows}
    there = {pk: value for pk, value in means.items() if value is not None}
    if run.pk not in there or len(there) < FEWEST_MARKED:
        return {}
    own = _mean(board, run.pk, measure)
    ends = [one for one in (own.low, own.high) if one is not None]
    low, high = min(*there.values(), *ends), max(*there.values(), *ends)
    middle = median(there.values())

    def at(value: float) -> float:
        return round(99 * (value - low) / ((high - low) or 1.0), 1)

    def anchor(place: float) -> str:
        return "start" if place < 30 else "end" if place > 70 else "middle"

    return {
        "own": number(there[run.pk], 3),
        "anchor_own": anchor(at(there[run.pk])),
        # Between the ends of the axis, which have room beside it.
        "middle_said_at": min(max(at(middle), 14), 86),
        "anchor_middle": anchor(at(middle)),
        "others": [at(value) for pk, value in there.items() if pk != run.pk],
        "at_own": at(there[run.pk]),
        "at_middle": at(middle),
        "middle": number(middle, 3),
        "reach": (at(ends[0]), round(at(ends[1]) - at(ends[0]), 1)) if len(ends) > 1 else None,
        "least": number(low, 3),
        "most": number(high, 3),
    }


def _mean(board: Board, run: int, measure: str) -> Mean:
    row = next((row for row in board.rows if row.run_id == run), None)
    # A run that was loaded a moment ago is in no standing yet.
    return row.means.get(measure, NONE) if row else NONE


NONE = Mean(None, None, None, 0, None)


def _means(study: Study, board: Board, run: Run, own: Sequence[int] | None) -> list[MeasureLine]:
    found = []
    for name, one in measure_names.titled(study).items():
        values = {row.run_id: row.means.get(name, NONE).value for row in board.rows}
        middle = beside(values, own).median if own is not None else None
        mean = _mean(board, run.pk, name)
        found.append(MeasureLine(one.title, mean, ranks_said(mean.ranks, len(board.rows)), middle))
    return found


def mean_said(mean: Mean) -> str:
    """Return a mean with its interval: "0.412 (0.380–0.444)"."""
    ends = "" if mean.low is None or mean.high is None else f" ({number(mean.low, 3)}–{number(mean.high, 3)})"
    return "" if mean.value is None else f"{number(mean.value, 3)}{ends}"


def answer(
    mean: Mean,
    board: Board,
    found: RunProfile,
    near: Sequence[nearby.NearRun],
    measure: str,
    study: Study,
) -> tuple[str, str]:
    """Return in two texts where the run ranks and by which mean, and from which runs it is not told."""
    title = measure_names.within(measure)
    if mean.value is None:
        return f"No {title} yet.", f"No {study.words.topic} is judged that would give it a score."
    share = per_cent_of_possible(mean)
    possible = f", {share} of what is possible here" if share else ""
    over = f"Its mean {title} is {mean_said(mean)} over {count(mean.topics, study.words.topic)}{possible}."
    others = len(board.rows) - 1
    if not others:
        return f"Mean {title} {mean_said(mean)}.", f"It is the only {study.words.run}."
    if mean.ranks is None:
        return "No rank yet.", over
    first, last = mean.ranks
    if (first, last) == (1, len(board.rows)):
        runs = f"any of {len(board.rows):,}: it cannot be told from any other {study.words.run}."
        return f"Its rank may be {runs}", f"{over} {untold(found, near, others, study)}"
    where = f"Rank {first}" if first == last else f"Ranks {first} to {last}"
    return f"{where} of {len(board.rows):,}.", f"{over} {untold(found, near, others, study)}"


def untold(found: RunProfile, near: Sequence[nearby.NearRun], others: int, study: Study) -> str:
    """Return in a sentence from how many runs it does not differ significantly."""
    if found.too_few:
        return f"With fewer than six {study.words.topics} no difference is called significant."
    runs = f"all pairs of {count(others + 1, study.words.run)}"
    family = f", corrected for {runs} (Holm)" if others > 1 else ""
    if not near:
        return f"It differs significantly from every other {study.words.run}{family}."
    if len(near) == 1:
        return f"It does not differ significantly from {near[0].name}{family}."
    from_all = "any other" if len(near) == others else f"{len(near):,} of the {others:,} others"
    return f"It does not differ significantly from {from_all}, {near[0].name} the nearest{family}."


def own_answer(mean: Mean, middle: float | None, measure: str, study: Study) -> tuple[str, str]:
    """Return in two texts a participant's mean, and the side of the median on which it is."""
    title = measure_names.within(measure)
    if mean.value is None:
        return f"No {title} yet.", f"No {study.words.topic} is judged that would give it a score."
    said = f"Mean {title} {mean_said(mean)}."
    over = f"It is over {count(mean.topics, study.words.topic)}."
    if middle is None:
        return said, over
    value = mean.value
    side = "at" if round(value, 3) == round(middle, 3) else "above" if value > middle else "below"
    return said, f"It is {side} the median of all {study.words.runs}, {number(middle, 3)}. {over}"


def _lines(shown: Sequence[TopicBeside], topics: Mapping[int, Topic], found: RunProfile) -> list[TopicLine]:
    widest = max((abs(one.gap) for one in (*found.best, *found.worst)), default=0.0) or 1.0
    lines = []
    for one in shown:
        length = MIDDLE * abs(one.gap) / widest
        start = MIDDLE if one.gap >= 0 else MIDDLE - length
        lines.append(TopicLine(topics[one.topic], one, signed(one.gap), f"{start:.1f}", f"{length:.1f}"))
    return lines


def _told_of_items(
    found: RunProfile, worst: Sequence[TopicLine], study: Study, own: Sequence[int] | None
) -> dict[str, Any]:
    """Return what costs most on each of the worst topics: items, or the answers that beat the run's."""
    beaten = [one for of_topic in found.beaten.values() for one in of_topic]
    items = by_id({*found.items.values(), *(pk for one in beaten for pk in (one.item, one.answer))})
    said = {pk: replace(item, text=start(item.text, study.set_as, QUOTED)) for pk, item in items.items()}
    givers = [run for one in beaten for run in one.runs]
    names = dict(Run.objects.filter(pk__in=givers).values_list("pk", "name")) if own is None else {}

    def item(topic: int, docno: str) -> PlacedItem | None:
        return items.get(found.items.get((topic, docno), 0))

    costs = [
        (
            line,
            [
                CostLine(
                    one,
                    item(line.topic.pk, one.docno),
                    item(line.topic.pk, one.better),
                    why(one),
                    signed(-one.cost),
                )
                for one in found.costs.get(line.topic.pk, ())
            ],
        )
        for line in worst
    ]
    lost = [
        (
            line,
            [
                BeatenLine(
                    one,
                    said.get(one.item),
                    said.get(one.answer),
                    [names[run] for run in one.runs if run in names],
                )
                for one in found.beaten.get(line.topic.pk, ())
            ],
        )
        for line in worst
    ]
    return {
        "costs": [(line, own_costs) for line, own_costs in costs if own_costs],
        "lost": [(line, own_lost) for line, own_lost in lost if own_lost],
    }


def why(cost: ItemCost) -> str:
    """Return in words what speaks for the item below: its predicate."""
    if cost.lost > cost.won:
        return f"was preferred to it, {cost.lost} to {cost.won}"
    if cost.grade is not None and cost.better_grade is not None and cost.better_grade > cost.grade:
        return f"has the grade {cost.better_grade:g}, not {cost.grade:g}"
    if not cost.is_judged:
        return "did well in judgments; the first was never judged"
    return "is worth more by all judgments together"
