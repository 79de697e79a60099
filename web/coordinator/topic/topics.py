"""Topic pages: all topics of a study with their progress, and one topic's tournament."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Max, Min, OuterRef, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from collection.models import Grade, Run, Study, Topic
from scoring.analysis import aspects, explanation
from scoring.board import standings
from tournament.plans import plan_of
from web.coordinator import placements
from web.coordinator.board.leaderboard import asked_persistence, by_rank
from web.coordinator.placements import Ranking
from web.coordinator.topic import preference_graph, score_explanation, topic_verdict
from web.coordinator.topic.detail import PlayedRound, detail
from web.live import live_topics, progress
from web.shared import measure_names
from web.shared.access import May, for_viewers, may, steers
from web.shared.phrases import natural, searched
from web.shared.rail import Pinned, pinned
from web.shared.view_choices import choice_of

TOPICS_A_PAGE = 100
# Limits on one topic's page: what takes long to render is shown in part, and whole on request.
RUNS_A_PAGE, CANDIDATES_SHOWN, PAIRS_SHOWN, LINES_SHOWN = 12, 60, 60, 100
# So many candidates stand at the head of the page, the others in a fold.
FIRST = 10


@for_viewers
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """List all topics of a study with their progress. The number of queries does not grow with it."""
    # Read the version first, so that what is shown may be newer than it, but never older.
    context = _topics(request, study, live_topics.look(study))
    context |= {"steers": steers(study), "follow": live_topics.addresses(request, study)}
    return render(request, "coordinator/topics.html", context)


@require_safe
def topics_live(request: HttpRequest, token: str) -> HttpResponse:
    """Render the part of the topics page that changes; 304 without any query if nothing has changed."""

    def part(study: Study, version: str) -> str:
        return render_to_string("coordinator/_topics.html", _topics(request, study, version))

    return live_topics.poll(request, token, part)


@for_viewers
@require_safe
def renew(request: HttpRequest, study: Study) -> HttpResponse:
    """Return fresh addresses for an open page of topics to follow, as JSON."""
    response = JsonResponse(live_topics.addresses(request, study))
    response["Cache-Control"] = "no-store"
    return response


def _topics(request: HttpRequest, study: Study, version: str) -> dict[str, Any]:
    states = {"not-open": progress.NOT_OPEN} | progress.STATES
    state, search = choice_of(request.GET, "state", states), searched(request)
    sort = choice_of(request.GET, "sort", ("name", "judgments"), "name")
    rows = progress.topics(study, state=state, search=search, most_first=sort == "judgments")
    standing = None if study.opened_at else standings.latest(study)
    loaded = standing.board["judgments"] if standing else 0
    listed: Any = rows
    if loaded and sort == "name":
        listed = [pk for pk, _ in sorted(rows.values_list("pk", "name"), key=lambda one: natural(one[1]))]
    page = Paginator(listed, TOPICS_A_PAGE).get_page(request.GET.get("page"))
    shown: list[Any] = list(page.object_list)
    if listed is not rows:
        found = Topic.objects.in_bulk(shown)
        shown = [found[pk] for pk in shown if pk in found]
    filters = request.GET.copy()
    filters.pop("page", None)
    unsorted = filters.copy()
    unsorted.pop("sort", None)
    lines = progress.lines(study, shown)
    compared = progress.compared([one.pk for one in shown]) if loaded else {}
    return {
        "study": study,
        "plan": plan_of(study),
        "loaded": loaded,
        "version": f'"{version}"',
        "query": request.GET.urlencode(),
        "filters": filters.urlencode(),
        "unsorted": unsorted.urlencode(),
        "sort": sort,
        "state": state,
        "search": search,
        "states": states,
        "summary": live_topics.summary(study, version),
        "page": page,
        "lines": lines,
        "runs_on": any(line.state not in ("finished", "nothing") for line in lines),
        "rows": [(line, *compared.get(line.topic.pk, (0, 0))) for line in lines],
        "most": max((line.answered for line in lines), default=0),
    }


@for_viewers
@require_safe
def topic(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Show where a topic's scores come from: preference graph, rounds, and runs beside the ideal ranking.

    The number of queries does not grow with the topic. Viewers do not see who judged, or when.
    """
    found = get_object_or_404(_between(study), pk=pk)
    p = asked_persistence(request, study)
    runs = by_rank(study, p)
    pins = pinned(request.GET, runs)
    choice = score_explanation.asked(request.GET, study, runs, p)
    listed = [*pins, *(run for run in runs if run not in pins)]
    shown = Paginator(listed, RUNS_A_PAGE).get_page(request.GET.get("page"))
    whole = request.GET.get("whole", "")
    others = request.GET.copy()
    for key in ("page", "part", "whole", "aspect"):
        others.pop(key, None)
    names = aspects.asked(study).aspect_names
    aspect = preference_graph.asked_aspect(request.GET, names)
    told = detail(study, found, [run.pk for run in shown.object_list])
    candidates = told.candidates[: None if whole == "candidates" else CANDIDATES_SHOWN]
    part = preference_graph.asked_part(request.GET)
    picture = explanation.graph_picture(study, found, part, aspect)
    drawn = placements.named(found, [one.docno for one in picture.items])
    context = {
        "study": study,
        "topic": found,
        "verdict": topic_verdict.verdict(study, found, runs, told, p),
        "watches": may(request.user, study, May.WATCH),
        "detail": told,
        "whole": whole,
        "first": candidates[:FIRST],
        "others_out": candidates[FIRST:],
        "scale": _scale(study),
        "listed": len(candidates),
        "round_asked": whole.startswith("round-"),
        "rounds": _listed(told.rounds, whole),
        "runs": runs,
        "shown": shown,
        "choice": choice,
        "explained": [(one, pins.get(one.run)) for one in score_explanation.explained(study, found, choice)],
        "rankings": _in_order(told.rankings, list(shown.object_list), pins),
        "pins": pins,
        "persistences": measure_names.LIKE_NDCG,
        "others": others.urlencode(),
        "graph": picture,
        "graph_answer": preference_graph.answer(picture),
        "graph_lines": preference_graph.table(picture, drawn)[:LINES_SHOWN],
        "figure": preference_graph.graph_shown(study, found, picture, pins, aspect=aspect)
        if picture.items
        else None,
        "aspects": names,
        "aspect": aspect,
        # Of the links to other parts and aspects.
        "graph_others": _with(others, aspect=aspect),
        "numbered": [(one.number, drawn[one.docno]) for one in picture.items if one.docno in drawn],
    }
    return render(request, "coordinator/topic.html", context)


def _with(query: QueryDict, **more: str) -> str:
    """A query with these parameters too, those that are empty left out."""
    given = query.copy()
    given.update({name: value for name, value in more.items() if value})
    return given.urlencode()


def _between(study: Study) -> QuerySet[Topic]:
    """Return a study's topics, each with the ids of those before and after it by name, None at the ends."""
    rows = Topic.objects.filter(study=study)
    before = rows.filter(name__lt=OuterRef("name")).order_by("-name").values("pk")
    after = rows.filter(name__gt=OuterRef("name")).order_by("name").values("pk")
    return rows.annotate(before=Subquery(before[:1]), after=Subquery(after[:1]))


def _scale(study: Study) -> tuple[float, float] | None:
    """Return the lowest and the highest grade of a study; None where it has none."""
    ends = Grade.objects.filter(item__topic__study=study).aggregate(low=Min("value"), high=Max("value"))
    return None if ends["high"] is None else (ends["low"], ends["high"])


def _in_order(
    rankings: Sequence[Ranking], runs: Sequence[Run], pins: Mapping[Run, Pinned]
) -> list[tuple[Ranking, Pinned | None]]:
    """Return the rankings of these runs in their order, each with its pin."""
    by_name = {ranking.run: ranking for ranking in rankings}
    return [(by_name[run.name], pins.get(run)) for run in runs if run.name in by_name]


def _listed(rounds: list[PlayedRound], whole: str) -> list[dict[str, Any]]:
    """Return the rounds with their first PAIRS_SHOWN pairs; the round that `whole` names with all of them."""
    return [
        {
            "number": one.number,
            "name": one.name,
            "pool": one.pool,
            "open": one.open,
            "asked": one.asked,
            "answered": one.answered,
            "stayed": one.stayed,
            "pairs": one.pairs,
            "listed": one.pairs if whole == f"round-{one.number}" else one.pairs[:PAIRS_SHOWN],
            "open_here": whole == f"round-{one.number}" or (one is rounds[-1] and len(one.pairs) <= 60),
        }
        for one in rounds
    ]
