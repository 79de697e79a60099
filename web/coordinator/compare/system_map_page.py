"""The map of systems: which runs rank alike, computed without judgments, and where judging would pay."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collection.cached_results import CachedResult
from collection.models import Study, Topic
from prefir import plots
from scoring.analysis import system_maps
from scoring.analysis.system_maps import Systems, TopicApart
from scoring.analysis.topic_filter import topics_in
from scoring.board import leaderboard
from scoring.scores.topic_scores import PERSISTENCES
from web.coordinator.board.chances import chances_told
from web.coordinator.chosen_group import group_query, groups_told
from web.coordinator.likeness import NEARLY_SAME, least_different
from web.shared import waiting_pages
from web.shared.access import for_viewers
from web.shared.phrases import count, listed
from web.shared.plots import Drawing, ShownPlot, figure
from web.shared.rail import GLYPHS
from web.shared.view_choices import MOST_PINS, choice_of, pins_of

if TYPE_CHECKING:
    from scoring.compute.map_layout import Mapped

USUAL = "rbo"
# Distances in words, where their names say little.
IN_WORDS = {"rbo": "items not shared at the top (1 − RBO)"}
TOPICS_SHOWN = 10
# Of more runs only the first of the leaderboard have names: as many as may come first, so many at most.
MANY, NAMED = 20, 12
# Words for Kruskal's stress-1 (1964), each up to a limit.
ROUGH = 0.2
# Of fewer runs the table of distances says more than a map.
FEWEST = 5
GOODNESS_OF_FIT = ((0.05, "good"), (0.1, "fair"), (ROUGH, "rough"))


@for_viewers
@require_safe
def system_map(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the cached map of systems.

    If there is none, a small one is computed at once, others by a job while the page refreshes. Eleven
    queries at most with those of the login and the rail, once it is cached. Answers of models have none:
    each has one answer a prompt, so that there are no rankings to compare. Their chances are shown instead.
    """
    if study.case == Study.Case.ANSWERS:
        return render(request, "coordinator/map.html", chances_told(study))
    of, known = system_maps.systems(study), system_maps.kinds()
    kind = choice_of(request.GET, "by", known, USUAL, said=known[USUAL].title)
    told: dict[str, object] = {
        "study": study,
        "kinds": {name: IN_WORDS.get(name, one.title) for name, one in known.items()},
        "kind": kind,
        "known": known[kind],
        "depth": system_maps.DEPTH,
        "runs": of.runs,
    } | groups_told(request, study)
    group = str(told["group"])
    if len(of.runs) < 2:
        return render(request, "coordinator/map.html", told)
    pair = _pair(request, study, of)
    maps, params = _cached(kind, group)
    found = waiting_pages.result(maps, study, *params)
    if found is None:
        told |= {"waiting": waiting_pages.waiting(maps, study, *params)}
        return waiting_pages.looks_again(request, "coordinator/map.html", told)
    names = [name for _, name in of.runs]
    title = known[kind].title
    ranked = system_maps.by_topic(study, of, kind, *pair, group)
    undecided = [line for line in ranked if not line.decided]
    listed_topics = undecided or ranked
    others = request.GET.copy()
    others.pop("whole", None)
    told |= {
        "pair": pair,
        "others": others.urlencode(),
        "found": found,
        "answer": answer(found, names),
        "folded": little(found),
        "left_out": [names[i] for i in range(len(names)) if i not in set(found.drawn)],
        "figure": _shown(study, of, kind, title, found, pair, group, _pins(request.GET, of)),
        "shepard": _shepard(study, kind, title, found, group),
        "lines": (lines := _lines(found, of.runs)),
        # Bars from 0 that are nearly of one length say nothing.
        "bars": bool(lines) and lines[-1].distance > 1.5 * lines[0].distance,
        "first": dict(of.runs)[pair[0]],
        "second": dict(of.runs)[pair[1]],
        "topics": _topics(listed_topics[: None if request.GET.get("whole") == "topics" else TOPICS_SHOWN]),
        "topics_ranked": len(listed_topics),
        "undecided": bool(undecided),
        "left": len(ranked) - len(listed_topics),
    }
    return render(request, "coordinator/map.html", told)


def _pair(request: HttpRequest, study: Study, of: Systems) -> tuple[int, int]:
    """Return the two runs whose topics are shown: `?a=` and `?b=`, else the two that lead."""
    asked = [request.GET.get(name, "") for name in ("a", "b")]
    if not any(asked):
        asked = [str(pin) for pin in pins_of(request.GET)[:2]]
    known = {str(pk): pk for pk, _ in of.runs}
    chosen = [known[one] for one in asked if one in known]
    led = [row.run_id for row in leaderboard.board(study, max(PERSISTENCES)).rows]
    for one in [*led, *known.values()]:
        if len(set(chosen)) < 2 and one in known.values() and one not in chosen:
            chosen.append(one)
    first, second = list(dict.fromkeys(chosen))[:2]
    return first, second


def answer(found: "Mapped", names: list[str]) -> tuple[str, str]:
    """Return which runs rank most alike; and which is farthest, and that the map is poor, if it is."""
    if len(found.drawn) < 2:
        return "No two runs rank a topic in common.", ""
    pairs = zip(found.drawn, (near[0] for near in found.nearest), strict=True)
    near, (other, distance) = min(pairs, key=lambda line: line[1][1])
    far, mean = max(zip(found.drawn, found.means, strict=True), key=lambda line: line[1])
    alike = "rank most alike" if distance < NEARLY_SAME else f"are the {least_different(distance)}"
    alike = f"{names[near]} and {names[other]} {alike}, at a distance of {distance:.2f}."
    if len(found.drawn) == 2:
        return f"{names[near]} and {names[other]} are at a distance of {distance:.2f}.", ""
    farthest = f"{names[far]} is farthest from the others, at {mean:.2f} on average."
    if found.stress > ROUGH:
        return alike, f"{farthest} No flat map shows these distances: go by the table below."
    return alike, farthest


def little(found: "Mapped") -> str:
    """Say why a map tells little, and what to look at instead; "" for a map that is worth a look."""
    if len(found.drawn) < FEWEST:
        return f"{count(len(found.drawn), 'run')} are few: the table above says all that a map of them could."
    if found.stress > ROUGH:
        return f"It misplaces the runs (stress {found.stress:.2f}): read the table above instead."
    return ""


def goodness_of_fit(stress: float) -> str:
    """Return in words how well a map represents the distances."""
    word = next((word for most, word in GOODNESS_OF_FIT if stress <= most), "poor")
    return f"{word} (stress {stress:.3f})"


def _shown(
    study: Study,
    of: Systems,
    kind: str,
    title: str,
    found: "Mapped",
    pair: tuple[int, int],
    group: str,
    pins: Sequence[int],
) -> ShownPlot:
    names = dict(of.runs)
    steady = (
        " The wider the circle, the more a run's distances vary over topics."
        if any(found.stabilities)
        else ""
    )
    named = "Names without room are left out"
    if len(found.drawn) > MANY:
        named = "The first of the leaderboard are named; the table names all"
    caption = (
        f"The nearer two runs stand, the more alike they rank, by {title} of the top {system_maps.DEPTH}; "
        f"directions mean nothing.{steady} {names[pair[0]]} and {names[pair[1]]} are marked. {named}. "
        f"As a picture of the distances the map is {goodness_of_fit(found.stress)}."
    )
    alt = f"Map of {count(len(found.drawn), 'run')} by {title}; the distances are in the table below."
    asked = {"by": kind, "a": pair[0], "b": pair[1], **group_query(group)}
    if pins:
        asked["pin"] = ",".join(map(str, pins))
        signs = listed([f"{GLYPHS[n]} {names[pin]}" for n, pin in enumerate(pins)])
        caption = f"{caption} Pinned: {signs}."
    return ShownPlot(study, "map", alt, caption, asked)


def _pins(asked: QueryDict, of: Systems) -> list[int]:
    known = dict(of.runs)
    return [pin for pin in pins_of(asked)[:MOST_PINS] if pin in known]


def _shepard(study: Study, kind: str, title: str, found: "Mapped", group: str) -> ShownPlot:
    some = " (an even pick of the pairs)" if len(found.drawn) * (len(found.drawn) - 1) / 2 > 2000 else ""
    caption = (
        f"Each point is a pair of runs{some}: their distance in the rankings across, on the map upwards. On "
        f"a true map all points are on the line; this one is {goodness_of_fit(found.stress)}."
    )
    alt = f"Shepard plot: the map is {goodness_of_fit(found.stress)}."
    return ShownPlot(study, "shepard", alt, caption, {"by": kind, **group_query(group)})


def _cached(kind: str, group: str) -> "tuple[CachedResult[Mapped | None], tuple[str, ...]]":
    """Return where maps are cached, of all topics or of groups, and the parameters of this one."""
    return (system_maps.GROUP_MAPS, (kind, group)) if group else (system_maps.MAPS, (kind,))


@dataclass(frozen=True)
class MapLine:
    """A run's line in the table: its nearest run and the distance to it. mutual: it is that one's nearest."""

    run: int
    name: str
    nearest_run: int
    nearest: str
    distance: float
    mutual: bool


def _lines(found: "Mapped", runs: list[tuple[int, str]]) -> list[MapLine]:
    """Return the lines, nearest first; two runs that are each other's nearest share one."""
    nearest = {i: one for i, (one, *_) in zip(found.drawn, found.nearest, strict=False)}
    lines = []
    for i, (near, distance) in nearest.items():
        mutual = near in nearest and nearest[near][0] == i
        if not mutual or i < near:
            lines.append(MapLine(*runs[i], *runs[near], distance, mutual))
    return sorted(lines, key=lambda line: line.distance)


def _topics(lines: Sequence[TopicApart]) -> list[Mapping[str, object]]:
    """Return these topics, with how differently two runs rank them and their numbers of judgments."""
    named = Topic.objects.in_bulk([line.topic for line in lines])
    return [
        {"topic": named[line.topic], "distance": line.distance, "judgments": line.judgments}
        for line in lines
        if line.topic in named
    ]


def _version(study: Study) -> str:
    """Return the version of the figures: it changes with the runs, and when a map has been computed."""
    of = system_maps.systems(study)
    latest = {kind: system_maps.MAPS.latest(study, kind) for kind in system_maps.kinds()}
    there = [kind for kind, last in latest.items() if last and last.version == of.version]
    return f"{of.version} {there}"


def _kept(asked: QueryDict, study: Study) -> "tuple[Systems, str, str, Mapped | None]":
    of, known = system_maps.systems(study), system_maps.kinds()
    kind = asked.get("by", "") if asked.get("by") in known else USUAL
    assert kind is not None
    asked_group = asked.get("group", "")
    group = asked_group if topics_in(study, asked_group) else ""
    maps, params = _cached(kind, group)
    found = waiting_pages.result(maps, study, *params)
    return of, kind, known[kind].title, found


WAITS = {"title": "Map of systems", "said": "The map is being computed."}


@figure("map", asks=("by", "a", "b", "group", "pin"), version=_version, wide=560, narrow=400)
def map_figure(asked: QueryDict, study: Study) -> Drawing:
    """Draw the map; runs are labelled in the leaderboard's order as long as there is room."""
    of, _, title, found = _kept(asked, study)
    if found is None:
        return Drawing(plots.nothing, WAITS)
    board = leaderboard.board(study, max(PERSISTENCES))
    rank = {row.run_id: i for i, row in enumerate(board.rows)}
    order = sorted(range(len(found.drawn)), key=lambda i: rank.get(of.runs[found.drawn[i]][0], len(rank)))
    runs = [of.runs[found.drawn[i]] for i in order]
    marked = {asked.get("a"), asked.get("b")}
    pins = {pin: n for n, pin in enumerate(_pins(asked, of), 1)}
    may_lead = sum((row.means[board.leading].ranks or (0,))[0] == 1 for row in board.rows)
    given = {
        "named": min(NAMED, may_lead) if len(runs) > MANY else len(runs),
        "names": [name for _, name in runs],
        "points": [found.points[i] for i in order],
        "stabilities": [found.stabilities[i] for i in order],
        "distance": title,
        "marked": [i for i, (pk, _) in enumerate(runs) if str(pk) in marked],
        "pins": {i: pins[pk] for i, (pk, _) in enumerate(runs) if pk in pins},
    }
    return Drawing(plots.system_map, given)


@figure("shepard", asks=("by", "group"), version=_version, wide=420, narrow=350)
def shepard_figure(asked: QueryDict, study: Study) -> Drawing:
    """Draw the Shepard plot: distances in the rankings against distances on the map."""
    *_, title, found = _kept(asked, study)
    if found is None:
        return Drawing(plots.nothing, WAITS)
    return Drawing(plots.shepard, {"pairs": found.shepard, "distance": title})
