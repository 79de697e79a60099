"""WSGI entry point for gunicorn and any other server."""

import os
import re
from collections.abc import Iterable
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.urls import get_resolver

from config.request_bodies import BodyLimit, length_of, too_long

# Where organizers load files, by page or by program. Who they are is asked before the form is read, but by
# its length first.
UPLOADS = re.compile(
    r"/studies/[\w-]+/files/|/api/v1/studies/[\w-]+/(topics|items|answers|pictures|qrels|runs|grids)"
)


class WithoutAccounts(WSGIHandler):
    """Handler of pages without cookies, sessions and accounts, with only the middleware they need."""

    def load_middleware(self, is_async: bool = False) -> None:
        everything = settings.MIDDLEWARE
        settings.MIDDLEWARE = settings.MIDDLEWARE_WITHOUT_ACCOUNTS
        try:
            super().load_middleware(is_async)
        finally:
            settings.MIDDLEWARE = everything


class Application:
    """The product as one WSGI application; a body that is too long is refused before it is read."""

    def __init__(self) -> None:
        self.without_accounts, self.everything = WithoutAccounts(), WSGIHandler()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Serve one request."""
        path = environ.get("PATH_INFO", "")
        if length_of(environ) > self.limit_of(path).bytes:
            kind, said = too_long(path, "This is longer than anything that can be sent here.")
            start_response("413 Content Too Large", [("Content-Type", kind), ("Connection", "close")])
            return [said]
        known = path.startswith(settings.PATHS_WITHOUT_ACCOUNTS)
        return (self.without_accounts if known else self.everything)(environ, start_response)

    def limit_of(self, path: str) -> BodyLimit:
        """Maximum body length at this path."""
        if UPLOADS.fullmatch(path):
            return BodyLimit(settings.MOST_BYTES["uploads"], in_pieces=True)
        if path.startswith(settings.PATHS_WITHOUT_ACCOUNTS):
            return BodyLimit(settings.MOST_BYTES["assessors"], in_pieces=False)
        return BodyLimit(settings.MOST_BYTES["forms"], in_pieces=False)


django.setup(set_prefix=False)
application = Application()
# Every page's module, now: otherwise anyone who comes first waits for them.
get_resolver().url_patterns  # noqa: B018
