"""The routes of the HTTP API by scope, from its OpenAPI description."""

from http import HTTPStatus
from typing import Any, NamedTuple

from web.api.description import described
from web.api.problems import ALWAYS


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


def reference() -> dict[str, Any]:
    """Return the routes by scope, and the answers that any of them may give."""
    groups: dict[str, list[Route]] = {}
    for path, methods in described()["paths"].items():
        for method, route in methods.items():
            groups.setdefault(route["tags"][0], []).append(_route(method, path, route))
    return {"groups": list(groups.items()), "always": [(one, HTTPStatus(one).phrase) for one in ALWAYS]}


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
