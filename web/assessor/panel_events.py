"""Requests by which a panel says that something has changed there."""

import time
from http import HTTPStatus

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from config.task_queue import nudge_at_most_every
from panels import jobs
from panels.prolific import webhooks

# Seconds between two readings of a campaign's list, however many events come.
PAUSE_SECONDS = 5.0
# Bytes of an event, which names what has changed.
LONGEST = 20_000


@csrf_exempt
@require_POST
def prolific(request: HttpRequest) -> HttpResponse:
    """Have the campaigns of an event of Prolific's compared with its lists soon.

    Replies 403 to what Prolific has not signed, and 404 where no secret is set.
    """
    if not settings.PROLIFIC_WEBHOOK_SECRET:
        raise Http404
    if len(request.body) > LONGEST:
        return HttpResponse(status=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    signature = request.headers.get("X-Prolific-Request-Signature", "")
    sent = request.headers.get("X-Prolific-Request-Timestamp", "")
    if not webhooks.is_signed(request.body, sent, signature, time.time()):
        return HttpResponse(status=HTTPStatus.FORBIDDEN)
    try:
        found = webhooks.campaigns_of(request.body)
    except ValueError:
        return HttpResponse(status=HTTPStatus.BAD_REQUEST)
    for campaign in found:
        nudge_at_most_every(PAUSE_SECONDS, jobs.collect_now, campaign)
    return HttpResponse(status=HTTPStatus.NO_CONTENT)
