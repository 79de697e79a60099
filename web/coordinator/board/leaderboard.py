"""Leaderboard pages: the leaderboard, and all scores as a file."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from collection.models import Run, Study
from prefir.formats import write_scores
from scoring.board import history, leaderboard, score_export, standings
from scoring.scores.topic_scores import PERSISTENCES
from tournament.plans import plan_of
from web.coordinator.board import decision
from web.coordinator.board.chances import chances_told
from web.coordinator.board.decision import BaselineForm
from web.coordinator.board.group_board import board_over, board_version, groups_told, turned_told
from web.coordinator.board.rank_history import race_beside
from web.coordinator.significance_sentences import tests_of_ranks
from web.live import live_board
from web.shared import measure_names
from web.shared.access import May, for_organizers, for_viewers, may, steers
from web.shared.view_choices import persistence_of, whole_of


def asked_persistence(request: HttpRequest, study: Study) -> float:
    """Return the p that the request asks for; else the study's; else the largest that is scored."""
    return persistence_of(request.GET, study)


def by_rank(study: Study, p: float) -> list[Run]:
    """Return a study's runs in the order of the leaderboard; those in no standing yet are last, by name."""
    runs = list(Run.objects.filter(study=study).order_by("name"))
    places = {row.run_id: n for n, row in enumerate(leaderboard.board(study, p).rows)}
    return sorted(runs, key=lambda run: places.get(run.pk, len(runs)))


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
    view = live_board.View(p, whole_of(request.GET) is False)
    grouped = groups_told(request, study)
    group = grouped["group"]
    follow = {} if group else live_board.addresses(request, study, view)
    context: dict[str, Any] = grouped | {
        "study": study,
        "steers": steers(study),
        "reports": may(request.user, study, May.WATCH) and found.board["runs"] and found.board["judgments"],
        "trusts": may(request.user, study, May.WATCH) and found.board["judgments"],
        "plan": plan_of(study),
        "p": p,
        "view": view,
        "whole": not view.every,
        "persistences": measure_names.LIKE_NDCG,
        "like": measure_names.LIKE_NDCG[p],
        "measures": measure_names.explained(study),
        "possible": measure_names.tells_what_is_possible(study),
        "runs": len(found.board["runs"]),
        "tests_of_ranks": tests_of_ranks(len(found.board["runs"]), study.words),
        "names": sorted(run["name"] for run in found.board["runs"]),
        "version": board_version(study, found, group),
        "part": board_over(study, found, view, grouped) if group else live_board.part(study, found, view),
        "turned": turned_told(study, found) if grouped["group_choices"] else [],
        "follow": follow,
        "refused": refused,
    }
    races = context["runs"] > 1 and study.opened_at and found.board["judgments"] and not group
    if races and history.has_race(study, found.number):
        context["race"] = race_beside(study, request.GET, p, view.every)
    if study.baseline:
        context |= decision.decision_told(request, study)
    if study.case == Study.Case.ANSWERS and context["runs"] > 1 and not group:
        context |= chances_told(study)
    status = 400 if refused else 200
    response = render(request, "coordinator/leaderboard.html", context, status=status)
    if follow:
        live_board.allow_stream(response, follow)
    return response


@for_viewers
@require_safe
def renew(request: HttpRequest, study: Study) -> HttpResponse:
    """Return fresh addresses for an open leaderboard to follow, as JSON."""
    view = live_board.View(asked_persistence(request, study), whole_of(request.GET) is False)
    response = JsonResponse(live_board.addresses(request, study, view))
    response["Cache-Control"] = "no-store"
    return response


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
