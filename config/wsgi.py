"""WSGI entry point for gunicorn and any other server."""

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

import django
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler


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
    """Serve one request."""
    path = environ.get("PATH_INFO", "")
    handler = without_accounts if path.startswith(settings.PATHS_WITHOUT_ACCOUNTS) else everything
    return handler(environ, start_response)


django.setup(set_prefix=False)
without_accounts, everything = WithoutAccounts(), WSGIHandler()
