"""The pages of the scoring room: the leaderboard, the topics behind it, and the scores as a file."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import render
from django.views.decorators.http import condition, require_safe

from collection.models import Run, Study
from prefir import measures
from prefir.formats import write_scores
from scoring import exporting, leaderboard
from scoring.services import PERSISTENCES
from web.access import for_members, steers
from web.coordinator import reading

TOPICS_A_PAGE = 100
# Their titles and sources are those of the library's table.
MEASURES = {name: measures.MEASURES[name] for name in ("pgc", "compatibility")}


def _persistence(request: HttpRequest, study: Study) -> float:
    """The p that the address asks for; else the study's; else the deepest that is scored."""
    for wanted in (request.GET.get("p", ""), study.persistence):
        try:
            p = float(wanted)
        except ValueError:
            continue
        if p in PERSISTENCES:
            return p
    return max(PERSISTENCES)


def _version(request: HttpRequest, study: Study, **_: Any) -> str:
    return f'"{leaderboard.version(study)}"'


@for_members
@require_safe
def board(request: HttpRequest, study: Study) -> HttpResponse:
    """The leaderboard. Four queries with those of the login, six more where scores have changed."""
    return render(
        request,
        "coordinator/leaderboard.html",
        _board(request, study) | {"tab": "leaderboard", "steers": steers(study)},
    )


@for_members
@require_safe
@condition(etag_func=_version)
def board_live(request: HttpRequest, study: Study) -> HttpResponse:
    """What moves on the leaderboard; 304 after four queries where nothing has changed."""
    return render(request, "coordinator/_board.html", _board(request, study))


def _board(request: HttpRequest, study: Study) -> dict[str, Any]:
    p = _persistence(request, study)
    found = leaderboard.board(study, p)
    return {
        "study": study,
        "p": p,
        "persistences": reading.LIKE_NDCG,
        "like": reading.LIKE_NDCG[p],
        "version": f'"{found.version}"',
        "measures": MEASURES,
        "board": found,
        "verdict": reading.verdict(found),
        "drawing": reading.drawing(found),
    }


@for_members
@require_safe
def topics(request: HttpRequest, study: Study) -> HttpResponse:
    """Every topic's scores, a column for each run. Eight queries with those of the login."""
    p, search = _persistence(request, study), request.GET.get("q", "").strip()
    measure = request.GET.get("measure", "")
    measure = measure if measure in MEASURES else "pgc"
    runs = list(Run.objects.filter(study=study).order_by("name"))
    by = next((run for run in runs if str(run.pk) == request.GET.get("by")), None)
    rows = leaderboard.ordered(study, p, by=by, compatibility=measure == "compatibility")
    if search:
        rows = rows.filter(Q(name__icontains=search) | Q(text__icontains=search))
    page = Paginator(rows, TOPICS_A_PAGE).get_page(request.GET.get("page"))
    topics_here = list(page.object_list)
    filters = request.GET.copy()
    for other in ("page", "by"):
        filters.pop(other, None)
    context = {
        "study": study,
        "tab": "leaderboard",
        "p": p,
        "persistences": reading.LIKE_NDCG,
        "like": reading.LIKE_NDCG[p],
        "measure": measure,
        "measures": MEASURES,
        "measure_name": MEASURES[measure].title,
        "search": search,
        "filters": filters.urlencode(),
        "by": by,
        "page": page,
        "runs": runs,
        "lines": leaderboard.topic_lines(topics_here, runs, p, compatibility=measure == "compatibility"),
    }
    return render(request, "coordinator/topic_scores.html", context)


@for_members
@require_safe
def scores(request: HttpRequest, study: Study) -> StreamingHttpResponse:
    """All scores as CSV, for every p: the means, then topic by topic. Streamed."""
    lines = write_scores(exporting.scores(study))
    response = StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-scores.csv"'
    return response
