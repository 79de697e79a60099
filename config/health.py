"""GET /health: whether this process answers, reaches its database and can write. For load balancers."""

import shutil

from django.conf import settings
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse

# Bytes without which no answer can be stored, or soon none.
LEAST_FREE = 16 * 2**20


def health(request: HttpRequest) -> HttpResponse:
    """Return 200 if answers can be stored, else 503 and why; no login, nothing about the studies."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return HttpResponse("The database does not answer.\n", status=503, content_type="text/plain")
    if shutil.disk_usage(settings.DATA_DIR).free < LEAST_FREE:
        return HttpResponse("The disk of the data is full.\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
