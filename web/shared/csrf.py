"""Page for a form that failed the CSRF check: from an untrusted address, or without its token."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Say whether the form came from an untrusted address or was too old."""
    return render(request, "403_csrf.html", {"reason": reason}, status=403)
