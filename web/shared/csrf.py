"""The page for a form that was refused: from an address that is not trusted, or without its token."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say whether the form came from an address that the server does not trust, or was too old."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)
