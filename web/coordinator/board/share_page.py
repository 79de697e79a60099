"""The page of share links: create and revoke them; and the leaderboard that a link shows."""

from dataclasses import replace
from http import HTTPStatus

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collection.models import Share, Study
from collection.study import share_links
from scoring.board import leaderboard
from scoring.board.leaderboard import Board
from web.coordinator.citations import of_study
from web.live import leaderboard_headline
from web.live.outcome import shown_persistence
from web.live.rank_caution import first_two_never_met
from web.shared import throttles
from web.shared.access import for_members
from web.shared.throttles import Limit

LOOKS = Limit("shared", 60, 60)


@never_cache
@for_members
def links(request: HttpRequest, study: Study) -> HttpResponse:
    """List the study's share links; on POST create one, whose URL is shown only this once."""
    context = {"study": study, "ends": share_links.ENDS, "address": "", "wrong": ""}
    if request.method == "POST":
        days, runs = request.POST.get("days", ""), request.POST.get("runs", "")
        if days in map(str, share_links.ENDS) and runs in ("blind", "named"):
            link, secret = share_links.share(study, blind=runs == "blind", days=int(days))
            context["address"] = address = request.build_absolute_uri(reverse("shared", args=[secret]))
            picture = request.build_absolute_uri(reverse("badge", args=[secret]))
            context["snippets"] = {
                "Badge in HTML": f'<a href="{address}"><img src="{picture}" alt="Leaderboard"></a>',
                "Badge in Markdown": f"[![Leaderboard]({picture})]({address})",
                "BibTeX": " ".join(of_study(study, link.created_at, address, link.ends_at).bibtex.split()),
            }
            context["badge"] = reverse("badge", args=[secret])
        else:
            context["wrong"] = (
                "No link was made: choose how runs are called, and for how long the link works."
            )
    made = Share.objects.filter(study=study).select_related("made_by").order_by("-pk")[:100]
    context |= {"links": made, "working": sum(link.works for link in made)}
    return render(request, "coordinator/share.html", context)


@for_members
@require_POST
def revoke(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Revoke a share link at once."""
    if not share_links.revoke(study, pk):
        raise Http404("No such link.")
    messages.success(request, "The link works no more.")
    return redirect("share-links", study.slug)


@never_cache
@require_safe
def shared(request: HttpRequest, token: str) -> HttpResponse:
    """Show the leaderboard of a share link, and nothing else. Reads no cookie.

    404 unless the link works; 429 beyond LOOKS requests from one network, before the link is looked up.
    """
    if (busy := busy_with(LOOKS, request)) is not None:
        return busy
    link = link_of(token)
    board, other = shown_board(link), shown_board(link, every=True)
    context = {
        "name": link.study.name,
        "link": link,
        "board": board,
        "verdict": leaderboard_headline.verdict(board, link.study.words),
        "never_met": first_two_never_met(link.study, board),
        "over": leaderboard_headline.over(board, other, link.study.words),
        "drawing": leaderboard_headline.drawing(board, link.study.words),
    }
    response = HttpResponse(_rendered(context))
    response["X-Robots-Tag"] = "noindex, nofollow"
    response["Referrer-Policy"] = "no-referrer"
    return response


def busy_with(limit: Limit, request: HttpRequest) -> HttpResponse | None:
    """Return the refusal where one network asks too often, else None. Counts the request."""
    if throttles.count(limit, throttles.address_of(request)):
        return None
    busy = HttpResponse("Too many requests. Wait a minute.", status=HTTPStatus.TOO_MANY_REQUESTS)
    busy["Retry-After"] = str(limit.seconds)
    return busy


def link_of(token: str) -> Share:
    """Return the link of a secret. Raises Http404 unless it works."""
    link = share_links.found(token)
    if link is None:
        raise Http404("No such page.")
    return link


def shown_board(link: Share, *, every: bool = False) -> Board:
    """Return the board that a link shows: without the names of topics, and of runs where it is blind."""
    board = leaderboard.board(link.study, shown_persistence(link.study), every=every)
    return replace(blinded(board, link) if link.blind else board, nearest=None)


def _rendered(context: dict[str, object]) -> str:
    # Rendered without the request, so that no account, message or form token can get onto the page.
    return render_to_string("coordinator/shared.html", context)


def blinded(board: Board, link: Share) -> Board:
    """Return a board with runs named by letters; runs with equal means are ordered by letter, not by name."""
    said = share_links.labels(link, [row.run_id for row in board.rows])
    rows = [replace(row, run_id=0, name=said[row.run_id]) for row in board.rows]

    def order(row: leaderboard.BoardRow) -> tuple[bool, float, int, str]:
        value = row.means[board.leading].value
        return (value is None, -(value or 0.0), len(row.name), row.name)

    return replace(board, rows=sorted(rows, key=order))
