"""Live page of topics: polling costs no query while nothing has changed.

Anyone who changes what the page shows notes it in the cache. The first who asks after that looks which
version the page has now, at most once in STANDING_SECONDS for a study anyone who asks; a part that many ask
for is rendered once. What nobody noted is found within VERSION_SECONDS. Anyone who opens the page is given a
signed address of short life, as on the leaderboard (`web.live.live_board`).
"""

import gzip
import hashlib
from collections.abc import Callable

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from collection.models import Study
from web.live import progress
from web.live.live_board import WATCH_SECONDS, follow, has_left
from web.shared import tokens

VERSION_SECONDS = 60
# A renderer that takes longer has died: the next one who asks renders.
RENDER_SECONDS = 10


def addresses(request: HttpRequest, study: Study) -> dict[str, str]:
    """Addresses by which an open page of topics follows its study."""
    assert request.user.pk is not None
    token = tokens.sign_topics_watch(study.pk, request.user.pk, WATCH_SECONDS)
    query = request.GET.urlencode()
    follow(study.pk, request.user.pk)
    return {
        "poll": f"{reverse('topics-live', args=[token])}?{query}",
        "stream": "",
        "renew": f"{reverse('topics-renew', args=[study.slug])}?{query}",
    }


def note(study_id: int) -> None:
    """Note a change that a study's page of topics shows."""
    cache.set(_noted(study_id), 1, timeout=VERSION_SECONDS)


def poll(request: HttpRequest, token: str, render: Callable[[Study, str], str]) -> HttpResponse:
    """The part that changes; 304 if nothing has. No query as long as nothing was noted."""
    try:
        watch = tokens.read_topics_watch(token)
    except tokens.BadToken:
        return HttpResponse(status=403)
    study_id = watch.study_id
    keys = (_version(study_id), _noted(study_id), tokens.left_channel(study_id, watch.user_id))
    known = cache.get_many(keys)
    if has_left(watch, known=known):
        return HttpResponse(status=403)
    version = known.get(keys[0])
    if version is None or (keys[1] in known and _may_look(study_id)):
        version = look(Study.objects.get(pk=study_id))
    if request.headers.get("If-None-Match") == f'"{version}"':
        return _unchanged(version)
    return _part(request, study_id, version, render)


def _may_look(study_id: int) -> bool:
    """Tell whether this request may read the version: one request a study in STANDING_SECONDS."""
    seconds = settings.STANDING_SECONDS
    return not seconds or bool(cache.add(f"topics:{study_id}:look", 1, timeout=seconds))


def look(study: Study) -> str:
    """Read and cache the version of a study's page of topics."""
    cache.delete(_noted(study.pk))  # before: what changes from here on is noted again
    version = progress.version(study)
    cache.set(_version(study.pk), version, timeout=VERSION_SECONDS)
    return version


def summary(study: Study, version: str) -> progress.ProgressSummary:
    """The summary of all topics, cached by version."""
    key = f"topics:{study.pk}:summary"
    kept = cache.get(key)
    if kept is not None and kept[0] == version:
        return kept[1]
    found = progress.summary(study)
    cache.set(key, (version, found), timeout=3600)
    return found


def _part(
    request: HttpRequest, study_id: int, version: str, render: Callable[[Study, str], str]
) -> HttpResponse:
    name = hashlib.sha256(request.GET.urlencode().encode()).hexdigest()[:32]
    key = f"topics:{study_id}:part:{name}"
    kept = cache.get(key)
    if kept is None or kept[0] != version:
        if not cache.add(f"{key}:rendering", 1, timeout=RENDER_SECONDS) and kept is not None:
            # Somebody is at it: what they render is there at the next question.
            return _unchanged(request.headers.get("If-None-Match", "").strip('"'))
        try:
            html = render(Study.objects.get(pk=study_id), version)
            kept = (version, gzip.compress(html.encode(), 5))
            cache.set(key, kept, timeout=600)
        finally:
            cache.delete(f"{key}:rendering")
    headers = {"ETag": f'"{version}"', "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        return HttpResponse(kept[1], headers=headers | {"Content-Encoding": "gzip"})
    return HttpResponse(gzip.decompress(kept[1]), headers=headers)


def _unchanged(version: str) -> HttpResponse:
    return HttpResponse(status=304, headers={"ETag": f'"{version}"', "Cache-Control": "no-store"})


def _version(study_id: int) -> str:
    return f"topics:{study_id}:version"


def _noted(study_id: int) -> str:
    return f"topics:{study_id}:noted"
