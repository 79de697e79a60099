"""Addresses of pages that are parts of others now."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from collection.models import Study
from web.shared.access import for_organizers


def leads_to(
    name: str, part: str, guard: Callable[..., Any] = for_organizers, asks: str = ""
) -> Callable[..., HttpResponse]:
    """Return a view that leads on to a part of the page called `name`, for those whom `guard` lets through.

    What the address asked for (a page of a list, a filter) is passed on, and `asks` added.
    """

    @guard
    @require_safe
    def moved(request: HttpRequest, study: Study, **key: int) -> HttpResponse:
        given = request.GET.copy()
        if asks:
            given.setdefault(asks, "")
        query = given.urlencode()
        address = reverse(name, args=[study.slug, *key.values()])
        return redirect(f"{address}{'?' if query else ''}{query}#{part}")

    return moved
