"""The API: its routes, its errors, and the OpenAPI description of both."""

from functools import cache
from typing import Any

from ninja import NinjaAPI
from ninja.operation import Operation

from config.request_bodies import PROBLEM_TYPE
from web.api import judge, load, problems, read

TITLE = "Faceoff"
ABOUT = (
    "Read results, load files and judge, by programs. Every request carries a personal token, which is made "
    "on the page of one's account, has scopes (read, load, judge) and an end, and never allows more than its "
    "owner may. Lists come in pages: `next` of one is the `cursor` of the following. Errors are "
    "application/problem+json (RFC 9457)."
)
HEADERS = {
    401: ("WWW-Authenticate", "the kind of token that is wanted"),
    429: ("Retry-After", "seconds after which to ask again"),
}


class Api(NinjaAPI):
    """The API, whose description gives errors the media type with which they are sent."""

    def get_openapi_schema(self, **how: Any) -> Any:
        """The OpenAPI description, as a dictionary."""
        schema = super().get_openapi_schema(path_prefix="/api/v1/", **how)
        for operation in (one for path in schema["paths"].values() for one in path.values()):
            for status, response in operation["responses"].items():
                if int(status) >= 400:
                    response["content"] = {PROBLEM_TYPE: response["content"].pop("application/json")}
                if int(status) in HEADERS:
                    name, said = HEADERS[int(status)]
                    response["headers"] = {name: {"description": said, "schema": {"type": "string"}}}
        return schema

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Call a route by its function's name; names are unique."""
        return str(operation.view_func.__name__)


api = Api(title=TITLE, version="1", description=ABOUT, docs_url=None, openapi_url=None, urls_namespace="api")
problems.handle(api)
for router in (read.router, load.router, judge.router):
    api.add_router("", router)


@cache
def described() -> dict[str, Any]:
    """The OpenAPI description, cached."""
    return dict(api.get_openapi_schema())
