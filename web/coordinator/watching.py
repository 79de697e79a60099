"""Following a leaderboard: what changes on it is rendered once for all who watch, and sent to them.

Whoever opens the page is given a signed address of short life, which the page renews. Asking it what is new
costs no query: the version and the rendered part are in the cache, compressed. Where a stream is served
(`web.streaming`), a message with the pieces that changed goes to everybody who has it open.
"""

import gzip
import json
import re
from typing import Any, NamedTuple

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from config import broadcast
from scoring import leaderboard, standings
from scoring.leaderboard import number
from scoring.models import Standing
from scoring.services import PERSISTENCES
from web import tokens
from web.coordinator import reading

# How long an address lives; the page renews it when half of that is over.
WATCH_SECONDS = 600
# How long it is known what was sent last. Who watches a study of which nothing is heard for longer must ask.
SENT_SECONDS = 86400
PIECE = re.compile(r"<!--\[([\w-]+)\]-->(.*?)<!--/-->", re.DOTALL)


class Shown(NamedTuple):
    """The part of a leaderboard that changes, as it was rendered: compressed, and its pieces by name."""

    version: str
    compressed: bytes
    pieces: dict[str, str]
    frame: str  # what is left without the pieces


def addresses(request: HttpRequest, study: Study, p: float) -> dict[str, str]:
    """Addresses by which the reader of a page follows its leaderboard; `stream` is empty if there is none."""
    assert request.user.pk is not None
    token = tokens.sign_watch(study.pk, request.user.pk, p, WATCH_SECONDS)
    base = settings.LIVE_URL
    if base.startswith(":"):
        base = f"{request.scheme}://{split_domain_port(request.get_host())[0]}{base}"
    cache.set(_watched(study.pk, p), 1, timeout=WATCH_SECONDS)
    return {
        "poll": reverse("leaderboard-live", args=[token]),
        "stream": f"{base}{token}" if base else "",
        "renew": f"{reverse('leaderboard-renew', args=[study.slug])}?p={p}",
    }


def allow_stream(response: HttpResponse, addresses: dict[str, str]) -> None:
    """Let a page connect to its stream where that is served by another port or host."""
    if "://" in addresses["stream"]:
        origin = "/".join(addresses["stream"].split("/")[:3])
        response._csp_update = {"connect-src": ["'self'", origin]}  # type: ignore[attr-defined]


@require_safe
def poll(request: HttpRequest, token: str) -> HttpResponse:
    """The part of a leaderboard that changes; 304 if nothing has. No query as long as the cache knows."""
    try:
        watch = tokens.read_watch(token)
    except tokens.BadToken:
        return HttpResponse(status=403)
    keys = (_version(watch.study_id), tokens.left_channel(watch.study_id, watch.user_id))
    known = cache.get_many(keys)
    if keys[1] in known:
        return HttpResponse(status=403)
    version = known.get(keys[0])
    if version is not None and request.headers.get("If-None-Match") == f'"{version}"':
        return HttpResponse(status=304, headers={"ETag": f'"{version}"', "Cache-Control": "no-store"})
    shown = cache.get(_board(watch.study_id, watch.p))
    if shown is None or shown.version != version:
        study = Study.objects.get(pk=watch.study_id)
        shown = render(study, standings.latest(study) or standings.write(study), watch.p)
        cache.set(_version(study.pk), shown.version, timeout=60)
    headers = {"ETag": f'"{shown.version}"', "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(shown.compressed, headers=headers | {"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(shown.compressed), headers=headers)


def part(study: Study, standing: Standing, p: float) -> str:
    """HTML of the part that changes, from the cache if it has it."""
    shown = cache.get(_board(study.pk, p))
    if shown is None or shown.version != leaderboard.stamp(standing):
        shown = render(study, standing, p)
    # The first who watches: the next message tells what changed since what they see.
    cache.add(_sent(study.pk, p), shown, timeout=SENT_SECONDS)
    return gzip.decompress(shown.compressed).decode()


def render(study: Study, standing: Standing, p: float) -> Shown:
    """Render the part that changes, and keep it in the cache. No query; grows with the runs."""
    found = leaderboard.board_of(standing, p)
    context = {
        "study": study,
        "p": p,
        "board": found,
        "verdict": reading.verdict(found),
        "drawing": reading.drawing(found),
    }
    html = render_to_string("coordinator/_board.html", context)
    pieces = dict(PIECE.findall(html))
    shown = Shown(found.version, gzip.compress(html.encode(), 5), pieces, PIECE.sub("", html))
    cache.set(_board(study.pk, p), shown, timeout=3600)
    return shown


def spread(standing: Standing, **_: Any) -> None:
    """Render a standing that was just written for those who watch, and send them what changed."""
    study = standing.study
    for p in PERSISTENCES:
        if cache.get(_watched(study.pk, p)):
            # Not what was rendered last: that may be this very standing, for somebody who asked for it.
            before = cache.get(_sent(study.pk, p))
            if before is not None and number(before.version) >= standing.number:
                continue  # another writer was quicker, and its message holds this one
            after = render(study, standing, p)
            cache.set(_sent(study.pk, p), after, timeout=SENT_SECONDS)
            broadcast.send(
                tokens.board_channel(study.pk, p), json.dumps(message(before, after), separators=(",", ":"))
            )
        else:
            cache.delete(_sent(study.pk, p))  # whoever opens the page next begins at what it shows
    # Last: whoever finds the new version finds what belongs to it too.
    cache.set(_version(study.pk), leaderboard.stamp(standing), timeout=60)


def message(before: Shown | None, after: Shown) -> dict[str, Any]:
    """What a page that shows `before` needs to show `after`; only the version if it must fetch the whole.

    {"version"}, and where pieces are enough {"base": version of before, "pieces": {name: HTML of each that
    changed}, "order": names of all}.
    """
    if before is None or before.frame != after.frame or before.pieces.keys() != after.pieces.keys():
        return {"version": after.version}
    changed = {name: html for name, html in after.pieces.items() if before.pieces[name] != html}
    found = {"version": after.version, "base": before.version, "pieces": changed}
    order = list(after.pieces)
    return found if order == list(before.pieces) else found | {"order": order}


def leave(study_id: int, user_id: int) -> None:
    """End at once what a person follows of a study in which they have no part any more."""
    cache.set(tokens.left_channel(study_id, user_id), 1, timeout=WATCH_SECONDS)
    broadcast.send(tokens.left_channel(study_id, user_id), "")


def come_back(study_id: int, user_id: int) -> None:
    """Let a person follow a study again of which they are a member once more."""
    cache.delete(tokens.left_channel(study_id, user_id))


def _version(study_id: int) -> str:
    return f"standing:{study_id}"


def _board(study_id: int, p: float) -> str:
    return f"board:{study_id}:{p}"


def _sent(study_id: int, p: float) -> str:
    return f"sent:{study_id}:{p}"


def _watched(study_id: int, p: float) -> str:
    return f"watched:{study_id}:{p}"
