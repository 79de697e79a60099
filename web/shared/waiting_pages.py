"""Waiting pages: what they wait for arrives by itself, with or without scripts. Also parts of pages that a
script polls.
"""

import hashlib
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from collection.cached_results import CachedResult, Computed, Result
from collection.models import Study
from config.task_queue import nudge_at_most_every
from web.shared.phrases import seconds_said

AGAIN_SECONDS = 3


class Waiting(NamedTuple):
    """How far a figure is. has_begun: whether a process computes it. done, of: topics, 0 of 0 where that is
    not known. took: how long it took last, in words; "" before.
    """

    has_begun: bool
    done: int
    of: int
    took: str


def waiting(kind: CachedResult[Any], study: Study, *params: Any) -> Waiting:
    """Tell how far a result is."""
    state, seconds = kind.progress(study, *params), kind.took(study)
    return Waiting(
        state is not None, *(state or (0, 0)), took="" if seconds is None else seconds_said(seconds)
    )


def result(kind: CachedResult[Result], study: Study, *params: Any) -> Result | None:
    """The result of the present data: cached, or computed now if it is small; else None, and a job is asked
    for it. Queries as of the kind's `version` and `is_small`.
    """
    found, newer = latest_result(kind, study, *params)
    return None if found is None or newer else found.value


def latest_result(
    kind: CachedResult[Result], study: Study, *params: Any, rest: float = 0
) -> tuple[Computed[Result] | None, bool]:
    """The result as it was computed last, None if never, and whether its data have changed since.

    As `result`, but what is cached is shown while a job computes it anew, which is at least `rest` seconds
    after the last time.
    """
    found = kind.latest(study, *params)
    if found is not None and found.version == kind.version(study):
        return found, False
    if kind.is_small(study) and (now := kind.refresh(study, *params)) is not None:
        return now, False
    if found is None or not found.is_younger(rest):
        kind.request(study, *params)
        # However many look at the page, it runs once while they wait.
        if kind.progress(study, *params) is None:
            nudge_at_most_every(AGAIN_SECONDS, kind.job, study.pk)
    return found, True


def recent_result(
    kind: CachedResult[Result], study: Study, *params: Any, rest: float
) -> Computed[Result] | None:
    """The last result, asked for anew once it is older than `rest` seconds. No query while it is younger."""
    found = kind.latest(study, *params)
    if found is not None and found.is_younger(rest):
        return found
    return latest_result(kind, study, *params, rest=rest)[0]


def looks_again(
    request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """A page that says that something is being computed. Its script asks for it again in a moment, and
    exchanges what has arrived; without scripts it reloads.
    """
    response = render(request, template, context | {"again": AGAIN_SECONDS}, status=status)
    response["Retry-After"] = str(AGAIN_SECONDS)
    return response


def changed_part(request: HttpRequest, template: str, context: dict[str, object], *, of: str) -> HttpResponse:
    """A part of a page; 304 where it is as the page has it. of: the page's address, to which a browser is led
    that opens the part by itself.
    """
    if request.headers.get("Sec-Fetch-Mode") == "navigate":
        return redirect(of)
    text = render_to_string(template, context, request)
    version = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = {"ETag": version, "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if request.headers.get("If-None-Match") == version:
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(text, headers=headers)
