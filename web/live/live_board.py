"""Live leaderboard: changes are rendered once and sent to everyone who watches.

Anyone who opens the page is given a signed address of short life, which the page renews. Asking it what is
new costs no query (one without Redis): the version and the rendered part are in the cache, compressed. Where
a stream is served (`web.shared.streaming`), a message with the pieces that changed goes to everybody who has
it open.
"""

import gzip
import json
import re
import threading
import time
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.http.request import split_domain_port
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from config import broadcast
from scoring.board import leaderboard, standings
from scoring.board.leaderboard import number
from scoring.models import Standing
from scoring.scores.topic_scores import PERSISTENCES
from web.live import leaderboard_headline
from web.live.axis import WHOLE, Axis
from web.live.rank_caution import first_two_never_met
from web.shared import access, tokens

# How long an address lives; the page renews it when half of that is over.
WATCH_SECONDS = 600
# How long the last message is cached. After a longer silence, a watcher must ask.
SENT_SECONDS = 86400
PIECE = re.compile(r"<!--\[([\w-]+)\]-->(.*?)<!--/-->", re.DOTALL)


class View(NamedTuple):
    """A view of a leaderboard: one persistence; every: over all judged topics, also those without a full
    round.
    """

    p: float
    every: bool = False

    @property
    def name(self) -> str:
        """Its name in tokens and channels."""
        return f"{self.p}-every" if self.every else f"{self.p}"

    @property
    def query(self) -> str:
        """Its query in addresses."""
        return f"p={self.p}&topics=all" if self.every else f"p={self.p}"


VIEWS = {view.name: view for p in PERSISTENCES for view in (View(p), View(p, True))}


class ShownBoard(NamedTuple):
    """The rendered changing part of a leaderboard: compressed, and its pieces by name."""

    version: str
    compressed: bytes
    pieces: dict[str, str]
    frame: str  # what is left without the pieces
    is_open: bool = True  # whether judging was: only then something comes next


# Who follows a study in this process, as (study, person), and until when (`time.monotonic`).
_followers: dict[tuple[int, int], float] = {}
_following = threading.Lock()


def follow(study_id: int, user_id: int) -> None:
    """Note that a person follows a study while their address is valid; for `web.live.database_watch`."""
    if settings.REDIS_URL:
        return
    with _following:
        _followers[study_id, user_id] = time.monotonic() + WATCH_SECONDS


def followers() -> set[tuple[int, int]]:
    """Who follows which study by an address from this process, as (study, person)."""
    now = time.monotonic()
    with _following:
        for pair in [pair for pair, until in _followers.items() if until <= now]:
            del _followers[pair]
        return set(_followers)


def addresses(request: HttpRequest, study: Study, view: View) -> dict[str, str]:
    """Addresses by which an open page follows its leaderboard; `stream` is "" if there is none."""
    assert request.user.pk is not None
    token = tokens.sign_watch(study.pk, request.user.pk, view.name, WATCH_SECONDS)
    base = settings.LIVE_URL
    if base.startswith(":"):
        base = f"{request.scheme}://{split_domain_port(request.get_host())[0]}{base}"
    cache.set(_watched(study.pk, view), 1, timeout=WATCH_SECONDS)
    follow(study.pk, request.user.pk)
    return {
        "poll": reverse("leaderboard-live", args=[token]),
        "stream": f"{base}{token}" if base else "",
        "renew": f"{reverse('leaderboard-renew', args=[study.slug])}?{view.query}",
    }


def allow_stream(response: HttpResponse, addresses: dict[str, str]) -> None:
    """Allow a page, in its CSP, to connect to a stream on another port or host."""
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
    if has_left(watch, known=known):
        return HttpResponse(status=403)
    view = VIEWS.get(watch.view)
    if view is None:  # of a version that had others
        return HttpResponse(status=403)
    version = known.get(keys[0])
    if version is not None and request.headers.get("If-None-Match") == f'"{version}"':
        return HttpResponse(status=304, headers={"ETag": f'"{version}"', "Cache-Control": "no-store"})
    shown = cache.get(_board(watch.study_id, view))
    if shown is None or shown.version != version:
        study = Study.objects.get(pk=watch.study_id)
        shown = render(study, standings.latest(study) or standings.write(study), view)
        cache.set(_version(study.pk), shown.version, timeout=60)
    headers = {"ETag": f'"{shown.version}"', "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(shown.compressed, headers=headers | {"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(shown.compressed), headers=headers)


def has_left(watch: tokens.WatchToken, *, known: Collection[str]) -> bool:
    """Tell whether somebody lost their role in what they follow.

    known: the keys in the cache. Without Redis each process has its own cache, so the database is asked.
    """
    if settings.REDIS_URL:
        return tokens.left_channel(watch.study_id, watch.user_id) in known
    return not access.follows(watch.study_id, watch.user_id)


def part(study: Study, standing: Standing, view: View) -> str:
    """HTML of the changing part, cached."""
    shown = cache.get(_board(study.pk, view))
    # Whether judging is open may have changed by the clock, or by a command.
    known = (shown.version, shown.is_open) if shown else None
    if known != (leaderboard.stamp(standing), study.judging_is_open):
        shown = render(study, standing, view)
    # The first who watches: the next message tells what changed since what they see.
    sent = cache.get(_sent(study.pk, view))
    if sent is None or (sent.version == shown.version and sent.is_open != shown.is_open):
        cache.set(_sent(study.pk, view), shown, timeout=SENT_SECONDS)
    return gzip.decompress(shown.compressed).decode()


def told(
    study: Study, standing: Standing, view: View, before: Mapping[str, Axis] | None = None, group: str = ""
) -> dict[str, Any]:
    """The context of `_board.html`. before: the axes until now, while judging is open; group: that the
    standing is over, for links.
    """
    found = leaderboard.board_of(standing, view.p, every=view.every)
    other = leaderboard.board_of(standing, view.p, every=not view.every)
    # While judging is open an axis begins as 0 to 1, and stays where it can.
    axes = None if before is None else {**dict.fromkeys(found.measures, WHOLE), **before}
    drawing = leaderboard_headline.drawing(found, study.words, axes)
    switch = View(view.p, not view.every).query if found.whole != other.whole else ""
    more = f"&{urlencode({'group': group})}" if group else ""
    baseline = study.baseline if not group and view.p == study.persistence else ""
    return {
        "study": study,
        "p": view.p,
        "query": f"{view.query}{more}",
        "board": found,
        "over": leaderboard_headline.over_now(study, found, other),
        "switch": f"{switch}{more}" if switch else "",
        "verdict": leaderboard_headline.verdict(found, study.words, baseline),
        "never_met": first_two_never_met(study, found),
        "drawing": drawing,
    }


def render(study: Study, standing: Standing, view: View) -> ShownBoard:
    """Render the changing part and cache it."""
    before = cache.get(_axes(study.pk, view)) or {}
    context = told(study, standing, view, before if study.judging_is_open else None)
    cache.set(_axes(study.pk, view), context["drawing"].axes, timeout=SENT_SECONDS)
    found = context["board"]
    html = render_to_string("coordinator/_board.html", context)
    pieces = dict(PIECE.findall(html))
    whole = gzip.compress(html.encode(), 5)
    shown = ShownBoard(found.version, whole, pieces, PIECE.sub("", html), study.judging_is_open)
    cache.set(_board(study.pk, view), shown, timeout=3600)
    return shown


def forget(study_id: int) -> None:
    """Have a study's leaderboards rendered anew: what they say depends on the baseline too."""
    cache.delete_many([_board(study_id, view) for view in VIEWS.values()])


def spread(standing: Standing, **_: Any) -> None:
    """Render a new standing for its followers, and send them the changes."""
    study = standing.study
    for view in VIEWS.values():
        if cache.get(_watched(study.pk, view)):
            # Not what was rendered last: that may be this very standing, for somebody who asked for it.
            before = cache.get(_sent(study.pk, view))
            if before is not None and number(before.version) >= standing.number:
                continue  # another writer was quicker, and its message holds this one
            after = render(study, standing, view)
            cache.set(_sent(study.pk, view), after, timeout=SENT_SECONDS)
            text = json.dumps(message(before, after), separators=(",", ":"))
            broadcast.send(tokens.board_channel(study.pk, view.name), text)
        else:
            cache.delete(_sent(study.pk, view))  # anyone who opens the page next begins at what it shows
    # Last: anyone who finds the new version finds what belongs to it too.
    cache.set(_version(study.pk), leaderboard.stamp(standing), timeout=60)


def message(before: ShownBoard | None, after: ShownBoard) -> dict[str, Any]:
    """The message that turns a page showing `before` into `after`.

    {"version"} alone if the page must fetch the whole; else also {"base": version of before, "pieces": {name:
    HTML}, "order": all names}.
    """
    alike = before is not None and (before.is_open, before.frame) == (after.is_open, after.frame)
    if before is None or not alike or before.pieces.keys() != after.pieces.keys():
        return {"version": after.version}
    changed = {name: html for name, html in after.pieces.items() if before.pieces[name] != html}
    found = {"version": after.version, "base": before.version, "pieces": changed}
    order = list(after.pieces)
    return found if order == list(before.pieces) else found | {"order": order}


def revoke(study_id: int, user_id: int) -> None:
    """Revoke at once what a former member follows of a study."""
    cache.set(tokens.left_channel(study_id, user_id), 1, timeout=WATCH_SECONDS)
    broadcast.send(tokens.left_channel(study_id, user_id), "")


def restore(study_id: int, user_id: int) -> None:
    """Allow a person who is a member again to follow the study."""
    cache.delete(tokens.left_channel(study_id, user_id))


def known_version(study_id: int) -> str | None:
    """The version of a study's leaderboard that was last sent, by the cache."""
    found: str | None = cache.get(_version(study_id))
    return found


def is_marked_as_left(study_id: int, user_id: int) -> bool:
    """Tell whether the cache marks a person as having left a study."""
    return cache.get(tokens.left_channel(study_id, user_id)) is not None


def _version(study_id: int) -> str:
    return f"standing:{study_id}"


def _board(study_id: int, view: View) -> str:
    return f"board:{study_id}:{view.name}"


def _axes(study_id: int, view: View) -> str:
    return f"axes:{study_id}:{view.name}"


def _sent(study_id: int, view: View) -> str:
    return f"sent:{study_id}:{view.name}"


def _watched(study_id: int, view: View) -> str:
    return f"watched:{study_id}:{view.name}"
