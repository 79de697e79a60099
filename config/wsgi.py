"""WSGI entry point for gunicorn and any other server."""

import math
import os
import re
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler

# Where organizers load files. Who they are is asked before the form is read, but by its length first.
UPLOADS = re.compile(r"/studies/[\w-]+/load/")


class WithoutAccounts(WSGIHandler):
    """Handler of pages that know no cookie, session or account: they pass the middleware that they need."""

    def load_middleware(self, is_async: bool = False) -> None:
        everything = settings.MIDDLEWARE
        settings.MIDDLEWARE = settings.MIDDLEWARE_WITHOUT_ACCOUNTS
        try:
            super().load_middleware(is_async)
        finally:
            settings.MIDDLEWARE = everything


def application(environ: dict[str, Any], start_response: Any) -> Any:
    """Serve one request; refuse a body that is too long before anything of it is read."""
    path = environ.get("PATH_INFO", "")
    known = path.startswith(settings.PATHS_WITHOUT_ACCOUNTS)
    kind = "assessors" if known else "uploads" if UPLOADS.fullmatch(path) else "forms"
    if _length(environ) > settings.MOST_BYTES[kind]:
        start_response("413 Content Too Large", [("Content-Type", "text/plain"), ("Connection", "close")])
        return [b"This is longer than anything that can be sent here.\n"]
    return (without_accounts if known else everything)(environ, start_response)


def _length(environ: dict[str, Any]) -> float:
    """The length that a request gives its body; infinite where it has a body and does not say."""
    if environ.get("HTTP_TRANSFER_ENCODING"):
        return math.inf
    length = environ.get("CONTENT_LENGTH") or "0"
    return int(length) if length.isdigit() else math.inf


django.setup(set_prefix=False)
without_accounts, everything = WithoutAccounts(), WSGIHandler()
