"""GET /health: whether this process answers and reaches its database. For load balancers and containers."""

from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse


def health(request: HttpRequest) -> HttpResponse:
    """200 when the database answers, else 503. One query, no login, nothing about the studies."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return HttpResponse("The database does not answer.\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")
