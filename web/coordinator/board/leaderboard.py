"""Leaderboard pages: the leaderboard, the scores of each topic, and all scores as a file."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from collection.models import Run, Study, Topic
from prefir.formats import write_scores
from scoring.analysis import run_comparison
from scoring.analysis.run_comparison import TopicStats
from scoring.board import leaderboard, score_export, standings
from scoring.scores.stored_measures import AT_MOST, chosen
from scoring.scores.topic_scores import PERSISTENCES
from scoring.scores.topic_weights import is_whole
from tournament.plans import plan_of
from web.coordinator.board import decision
from web.coordinator.board.chances import chances_told
from web.coordinator.board.decision import BaselineForm
from web.coordinator.board.rank_history import race_beside
from web.live import leaderboard_headline, live_board
from web.shared import measure_names
from web.shared.access import May, for_organizers, for_viewers, may, steers
from web.shared.phrases import count, searched
from web.shared.view_choices import persistence_of, pins_of

# Topics on a page; fewer if there are many runs, since rendering time grows with the cells.
TOPICS_A_PAGE, FEWEST_A_PAGE, CELLS_A_PAGE = 100, 20, 8_000
# Sort orders of topics besides name and one run's scores: the key, and whether the largest comes first.
SORTS: dict[str, tuple[Callable[[run_comparison.TopicStats], float | None], bool]] = {
    "hard": (lambda figures: figures.mean, False),
    "apart": (lambda figures: figures.spread, True),
    "against": (lambda figures: figures.agreement, False),
}


def _sorted_by(value: float | None, down: bool) -> tuple[bool, float]:
    return (value is None, -(value or 0.0) if down else value or 0.0)


def asked_persistence(request: HttpRequest, study: Study) -> float:
    """Return the p that the request asks for; else the study's; else the largest that is scored."""
    return persistence_of(request.GET, study)


@for_viewers
@require_safe
def board(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the leaderboard. At most six queries with those of the login if no score has changed."""
    return _board(request, study)


@for_organizers
def set_baseline(request: HttpRequest, study: Study) -> HttpResponse:
    """Name the baseline and the least difference that matters; a refused form stands on the leaderboard."""
    form = BaselineForm(request.POST, study=study)
    if request.method == "POST" and not form.is_valid():
        return _board(request, study, form)
    if request.method == "POST":
        decision.set_baseline(study, form)
    return redirect("leaderboard", study.slug)


def _board(request: HttpRequest, study: Study, refused: BaselineForm | None = None) -> HttpResponse:
    found, p = standings.current(study), asked_persistence(request, study)
    view = live_board.View(p, request.GET.get("topics") == "all")
    follow = live_board.addresses(request, study, view)
    context: dict[str, Any] = {
        "study": study,
        "steers": steers(study),
        "shares": may(request.user, study, May.WATCH),
        "plan": plan_of(study),
        "p": p,
        "view": view,
        "whole": not view.every,
        "persistences": measure_names.LIKE_NDCG,
        "like": measure_names.LIKE_NDCG[p],
        "measures": measure_names.explained(study),
        "possible": measure_names.tells_what_is_possible(study),
        "runs": len(found.board["runs"]),
        "names": sorted(run["name"] for run in found.board["runs"]),
        "version": f'"{leaderboard.stamp(found)}"',
        "part": live_board.part(study, found, view),
        "follow": follow,
        "refused": refused,
    }
    if context["runs"] > 1 and study.opened_at and found.number > 1:
        context["race"] = race_beside(study, request.GET, p, view.every)
    if study.baseline:
        context |= decision.decision_told(request, study)
    if study.case == Study.Case.ANSWERS and context["runs"] > 1:
        context |= chances_told(study)
    status = 400 if refused else 200
    response = render(request, "coordinator/leaderboard.html", context, status=status)
    live_board.allow_stream(response, follow)
    return response


@for_viewers
@require_safe
def renew(request: HttpRequest, study: Study) -> HttpResponse:
    """Return fresh addresses for an open leaderboard to follow, as JSON."""
    view = live_board.View(asked_persistence(request, study), request.GET.get("topics") == "all")
    response = JsonResponse(live_board.addresses(request, study, view))
    response["Cache-Control"] = "no-store"
    return response


@for_viewers
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """Show the scores of every topic, a column for each run, with mean, spread and agreement of the topic.

    14 queries with those of the login, more if scores have changed since this process read them last.
    """
    p, search = asked_persistence(request, study), searched(request)
    measure = request.GET.get("measure", "")
    measure = measure if measure in chosen(study.measures) else chosen(study.measures)[0]
    runs = list(Run.objects.filter(study=study).order_by("name"))
    places = {row.run_id: n for n, row in enumerate(leaderboard.board(study, p).rows)}
    runs.sort(key=lambda run: places.get(run.pk, len(runs)))
    known = {run.pk for run in runs}
    pinned = [pin for pin in pins_of(request.GET) if pin in known]
    by = next((run for run in runs if str(run.pk) == request.GET.get("by")), None)
    sort = request.GET.get("sort", "")
    sort = sort if sort in SORTS and by is None else ""
    rows = leaderboard.ordered(study, p, measure=measure, by=by, search=search)
    figures = run_comparison.of_topics(study, measure, p) if len(runs) > 1 else {}
    if sort and figures:
        value, down = SORTS[sort]
        # None sorts last in both directions.
        rows = sorted(rows, key=lambda topic: _sorted_by(value(figures[topic]), down))
    a_page = max(FEWEST_A_PAGE, min(TOPICS_A_PAGE, CELLS_A_PAGE // max(1, len(runs))))
    page = Paginator(rows, a_page).get_page(request.GET.get("page"))
    lines = leaderboard.topic_lines(list(page.object_list), runs, p, measure=measure)
    filters = request.GET.copy()
    for other in ("page", "by", "sort"):
        filters.pop(other, None)
    context = {
        "study": study,
        "p": p,
        "persistences": measure_names.LIKE_NDCG,
        "like": measure_names.LIKE_NDCG[p],
        "measure": measure,
        "measures": measure_names.titled(study),
        "measure_name": measure_names.titled(study)[measure].title,
        "search": search,
        "filters": filters.urlencode(),
        "pinned": pinned,
        # Links to a topic's page pass on the pinned runs, the measure and p.
        "handed": urlencode([*(("run", run) for run in pinned), ("measure", measure), ("p", p)]),
        "file_query": urlencode({"measure": measure, "p": p}),
        "by": by,
        "sort": sort,
        "figures": bool(figures),
        # Of win rates the mean over all runs is one half on every topic.
        "answer": "" if measure == "win_rate" else says_of_topics(study, figures),
        "page": page,
        "runs": runs,
        "limited": any(leaderboard.shows_ceiling(line.ceiling) for line in lines),
        "at_most": measure in AT_MOST,
        "lines": [
            (line, leaderboard_headline.cells(line), figures.get(line.topic.pk), _in_part(line))
            for line in lines
        ],
    }
    return render(request, "coordinator/topic_scores.html", context)


def _in_part(line: leaderboard.TopicLine) -> bool:
    topic = line.topic
    return bool(line.judgments) and not is_whole(line.judgments, topic.asked, topic.full_rounds)


def says_of_topics(study: Study, figures: Mapping[int, TopicStats]) -> str:
    """Return in words which topic is the most difficult, and which contradicts the others most."""
    known = [(one.mean, topic) for topic, one in figures.items() if one.mean is not None]
    if len(known) < 2:
        return ""
    against = [(one.agreement, topic) for topic, one in figures.items() if one.agreement is not None]
    hardest, least = min(known), min(against, default=None)
    named = dict(Topic.objects.filter(pk__in=[hardest[1], (least or hardest)[1]]).values_list("pk", "name"))
    said = f"The most difficult topic is {named[hardest[1]]}, with a mean of {hardest[0]:.3f} over the runs."
    if least is None:
        return said
    turned = sum(agreement < 0 for agreement, _ in against)
    if turned:
        rank = "ranks" if turned == 1 else "rank"
        others = f"{count(turned, 'topic')} {rank} the runs the other way round than the others do"
        return f"{said} {others}, {named[least[1]]} most."
    return f"{said} None contradicts the others; {named[least[1]]} agrees with them least, {least[0]:.2f}."


@for_viewers
@require_safe
def scores(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """Download all scores as CSV, streamed, for every p: the means, then topic by topic.

    The file's name says how many judgments are provisional, if any, since these may still be discarded.
    """
    board = leaderboard.board(study, PERSISTENCES[0])
    counted = 0 if board.kept_only else board.provisional
    waiting = f"-{counted}-of-{board.judgments}-provisional" if counted else ""
    lines = write_scores(score_export.scores(study))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-scores{waiting}.csv"'
    return response
