"""Addresses of the API: its routes, and their OpenAPI description."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponseBase, HttpResponseNotAllowed, JsonResponse
from django.urls import URLPattern, include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from web.api import problems
from web.api.description import api, described


@require_safe
def openapi(request: HttpRequest) -> JsonResponse:
    """The OpenAPI description. Public: it tells nothing about a study."""
    return JsonResponse(described())


def _answered(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Forbid caching of a route's responses, and answer an unsupported method with a problem."""

    @wraps(view)
    def door(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        response = view(request, **parts)
        if isinstance(response, HttpResponseNotAllowed):
            response = problems.not_allowed(response)
        response["Cache-Control"] = "no-store"
        return response

    return door


def _routes() -> list[URLPattern]:
    patterns, _, _ = api.urls
    # Ninja adds a root of its own, from which its pages would be found.
    found = [one for one in patterns if isinstance(one, URLPattern) and one.name != "api-root"]
    for one in found:
        one.callback = _answered(one.callback)
    return found


urlpatterns = [
    path("api/v1/openapi.json", openapi, name="openapi"),
    path("api/v1/", include((_routes(), "api"), namespace="api")),
    re_path("^api/", csrf_exempt(lambda request: problems.no_such_route(request)), name="no-route"),
]
