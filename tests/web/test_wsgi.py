"""The WSGI entry point: assessors' pages pass less middleware than others, and say the same to browsers."""

import io
import sys

import pytest
from django.db import connection
from django.test import Client

from config.wsgi import application
from tests.judging.studies import invite, make_study

SAFE = {
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
}


def get(path: str) -> tuple[str, dict[str, str], bytes]:
    """Status, headers and body of a GET through the entry point."""
    said: list = []
    environ = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }
    body = b"".join(application(environ, lambda status, headers: said.append((status, dict(headers)))))
    return (*said[0], body)


@pytest.mark.django_db(transaction=True)
def test_every_path_has_the_headers_of_a_safe_page_and_assessors_get_no_cookie():
    person = invite(make_study())
    for path, status in ((f"/i/{person.reference}/", "200"), ("/i/nobody/", "404"), ("/login/", "200")):
        found, headers, body = get(path)
        assert found[:3] == status
        assert headers.items() >= SAFE.items(), path
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert int(headers["Content-Length"]) == len(body)
        assert ("Set-Cookie" in headers) == (path == "/login/")


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_an_assessor_does_not_notice_that_a_kept_connection_was_closed():
    """As after a restart of PostgreSQL: every thread holds one that is dead."""
    address = f"/i/{invite(make_study()).reference}/"
    connection.ensure_connection()
    connection.connection.close()
    assert Client().get(address).status_code == 200
