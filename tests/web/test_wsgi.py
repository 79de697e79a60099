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


def get(path: str, method: str = "GET", **more: str) -> tuple[str, dict[str, str], bytes]:
    """Status, headers and body of a request through the entry point."""
    said: list = []
    environ = more | {
        "REQUEST_METHOD": method,
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
        assert "camera=()" in headers["Permissions-Policy"]
        assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
        assert int(headers["Content-Length"]) == len(body)
        assert ("Set-Cookie" in headers) == (path == "/login/")


@pytest.mark.parametrize(
    ("path", "length"),
    [
        ("/answer/", "65537"),
        ("/login/", "2500001"),
        ("/studies/garden/files/", str(2**32 + 1)),
        ("/studies/garden/settings/", "2500001"),
        ("/answer/", "a lot"),
    ],
)
def test_a_body_that_is_too_long_is_refused_before_it_is_read(path, length):
    """The stream that would be read is empty: anyone who read it would find the form's end."""
    assert get(path, "POST", CONTENT_LENGTH=length)[0].startswith("413")


def test_a_body_that_does_not_say_its_length_is_refused():
    assert get("/login/", "POST", HTTP_TRANSFER_ENCODING="chunked")[0].startswith("413")


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_an_assessor_does_not_notice_that_a_kept_connection_was_closed():
    """As after a restart of PostgreSQL: every thread holds one that is dead."""
    address = f"/i/{invite(make_study()).reference}/"
    connection.ensure_connection()
    connection.connection.close()
    assert Client().get(address).status_code == 200
