"""One's own tokens of the HTTP API: made, shown once, revoked; and the API's routes as a page."""

from http import HTTPStatus
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collection.credentials import api_tokens
from web.accounts.forms import TokenForm
from web.api.description import described
from web.api.problems import ALWAYS


@login_required
@never_cache
def own_tokens(request: HttpRequest) -> HttpResponse:
    """One's tokens that work, and the form that makes one. One query beside the login's."""
    me = request.user
    assert isinstance(me, User)  # login_required
    form = TokenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        given = form.cleaned_data
        try:
            token, text = api_tokens.make(me, given["name"], given["scopes"], given["days"])
        except api_tokens.CannotMake as error:
            form.add_error(None, str(error))
        else:
            # In the answer to the form itself, so that it is kept nowhere for a next page.
            return render(request, "accounts/token.html", {"token": token, "text": text})
    return render(request, "accounts/tokens.html", {"form": form, "tokens": api_tokens.own(me)})


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """End one of one's own tokens."""
    assert isinstance(request.user, User)  # login_required
    if not api_tokens.revoke(request.user, pk):
        raise Http404("No such token.")
    messages.success(request, "The token is revoked: whatever uses it is refused from now on.")
    return redirect("tokens")


class Route(NamedTuple):
    """A route as the page tells it. parameters: (name, what it may be); answers: (status, what it means), but
    for those that any route may give."""

    method: str
    path: str
    summary: str
    parameters: list[tuple[str, str]]
    body: str
    answers: list[tuple[str, str]]


@login_required
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The API's routes as its OpenAPI description has them, by scope."""
    groups: dict[str, list[Route]] = {}
    for path, methods in described()["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route["tags"][0], []).append(_route(method, path, route))
    always = [(status, HTTPStatus(status).phrase) for status in ALWAYS]
    return render(request, "accounts/api.html", {"groups": groups.items(), "always": always})


def _route(method: str, path: str, told: dict[str, Any]) -> Route:
    parameters = [(one["name"], _said(one["schema"])) for one in told["parameters"]]
    return Route(
        method.upper(),
        path,
        told.get("description", told["summary"]).replace("`", ""),
        parameters,
        _body(told.get("requestBody")),
        [
            (str(status), answer["description"])
            for status, answer in told["responses"].items()
            if int(status) not in ALWAYS
        ],
    )


def _body(body: dict[str, Any] | None) -> str:
    """What a request's body holds, in a line."""
    if body is None:
        return ""
    [(kind, content)] = body["content"].items()
    name = content["schema"].get("$ref", "").rpartition("/")[2]
    if not name:
        return f"the file's content ({kind})"
    fields = described()["components"]["schemas"][name]["properties"]
    return f"JSON: {', '.join(fields)}"


def _said(schema: dict[str, Any]) -> str:
    """What a parameter may be, in a line."""
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    words = [", ".join(map(str, options[0]["enum"]))] if "enum" in options[0] else []
    words += [schema["description"]] if "description" in schema else []
    if schema.get("default") not in (None, ""):
        words.append(f"{schema['default']} if not given")
    return "; ".join(words).replace("`", "")
