"""Waiting for a job: pages that look again by themselves, with scripts and without, until it has found what
they show; and parts of pages that a script asks for again.
"""

import hashlib

from celery import Task
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from config.task_queue import nudge_at_most_every

AGAIN_SECONDS = 3


def start(job: Task, study_id: int) -> None:
    """Ask for a job on a study, however many look at its page: it runs once while they wait."""
    nudge_at_most_every(AGAIN_SECONDS, job, study_id)


def looks_again(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    """A page that says that something is being computed, and is fetched again in a moment."""
    response = render(request, template, context)
    response["Refresh"] = str(AGAIN_SECONDS)
    return response


def changed_part(request: HttpRequest, template: str, context: dict[str, object]) -> HttpResponse:
    """A part of a page; 304 where it is as the page has it."""
    text = render_to_string(template, context, request)
    version = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = {"ETag": version, "Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if request.headers.get("If-None-Match") == version:
        return HttpResponse(status=304, headers=headers)
    return HttpResponse(text, headers=headers)
