"""One's own API tokens: created, shown once, revoked; and the API reference."""

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
    """List one's valid tokens, with the form that creates one."""
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
            return render(request, "accounts/shown_once.html", {"token": token, "text": text})
    return render(request, "accounts/tokens.html", {"form": form, "tokens": api_tokens.own(me)})


@login_required
@require_POST
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of one's own tokens."""
    assert isinstance(request.user, User)  # login_required
    if not api_tokens.revoke(request.user, pk):
        raise Http404("No such token.")
    messages.success(request, "The token is revoked: whatever uses it is refused from now on.")
    return redirect("tokens")


class Route(NamedTuple):
    """A route of the reference.

    parameters: (name, allowed values). answers: (status, meaning), without those common to all routes.
    """

    method: str
    path: str
    summary: str
    parameters: list[tuple[str, str]]
    body: str
    answers: list[tuple[str, str]]


@login_required
@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The API's routes by scope, from its OpenAPI description."""
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
    """The body of a request, in a line."""
    if body is None:
        return ""
    [(kind, content)] = body["content"].items()
    name = content["schema"].get("$ref", "").rpartition("/")[2]
    if not name:
        return f"the file's content ({kind})"
    fields = described()["components"]["schemas"][name]["properties"]
    return f"JSON: {', '.join(fields)}"


def _said(schema: dict[str, Any]) -> str:
    """The allowed values of a parameter, in a line."""
    options = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    words = [", ".join(map(str, options[0]["enum"]))] if "enum" in options[0] else []
    words += [schema["description"]] if "description" in schema else []
    if schema.get("default") not in (None, ""):
        words.append(f"{schema['default']} if not given")
    return "; ".join(words).replace("`", "")
