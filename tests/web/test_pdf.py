"""PDFs of pages: what they may fetch, how long a request waits, and what is said when printing fails."""

import http.server
import sys
import threading
from pathlib import Path

import pytest
from django.conf import settings
from django.test import RequestFactory

from tests.judging.organizing import account, staff_of
from tests.makers import make_study
from tests.web.printed import page_sizes, streams
from web.shared import pdf, pdf_program

SITE = "http://testserver/"
A4 = (595, 842)


def page(body: str, head: str = "") -> str:
    return f'<!doctype html><html lang="en"><head><title>T</title>{head}</head><body>{body}</body></html>'


@pytest.fixture
def ask(db, monkeypatch):
    """A function that asks for the PDF of a page of a study, as a view does, and waits until it is there."""
    monkeypatch.setattr(pdf, "WAIT_SECONDS", None)
    study = staff_of(make_study())

    def answer(html, version="1", address="/studies/x/report.pdf", **headers):
        request = RequestFactory().get(address, **headers)
        request.user = account("bob")
        request.session, request._messages = {}, []
        return pdf.answer(request, study, "report", version, html)

    return answer


def test_a_page_becomes_a_pdf_of_its_size_once(ask):
    made = []

    def html():
        made.append(1)
        return page("<p>x</p>", "<style>@page { size: A4 }</style>")

    first, second = ask(html, "twice"), ask(html, "twice")
    assert page_sizes(first.content) == [A4]
    assert (second.content, len(made)) == (first.content, 1)
    assert ask(html, "twice", HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 304
    assert ask(html, "thrice").status_code == 200
    assert len(made) == 2


def test_a_page_has_its_styles_where_static_files_are_collected_under_hashed_names(ask, settings, tmp_path):
    """As wherever the product runs: `static/` has no file of such a name."""
    settings.STATIC_ROOT = tmp_path
    (tmp_path / "page.0123456789ab.css").write_text("@page { size: A4 landscape }")
    link = '<link rel="stylesheet" href="/static/page.0123456789ab.css">'
    assert page_sizes(ask(lambda: page("<p>x</p>", link), "collected").content) == [A4[::-1]]


def test_a_page_gets_static_files_and_data_and_nothing_else(tmp_path):
    asked = []

    class Listening(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)

    server = http.server.HTTPServer(("127.0.0.1", 0), Listening)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    secret = tmp_path / "secret.txt"
    secret.write_text("the-secret-of-the-disk")
    outside = f"http://127.0.0.1:{server.server_port}/static"
    page_of = page(
        f'<link rel="attachment" href="file://{secret}"><link rel="attachment" href="{outside}/a">'
        f'<img src="{outside}/b.png"><img src="/studies/x/image/1/"><p class="soft">own</p>'
        f'<svg width="9" height="9"><image href="{outside}/c.svg" width="9" height="9"/></svg>',
        f'<link rel="stylesheet" href="{outside}/d.css"><style>@import url("{outside}/e.css");'
        f'p {{ background: url("{outside}/f.png") }}</style>',
    )
    printed = pdf.print_page(page_of, SITE)
    server.shutdown()
    assert page_sizes(printed.data)
    assert asked == []
    assert not any(b"the-secret-of-the-disk" in part for part in streams(printed.data))


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("http://testserver/static/css/base.css", "css/base.css"),
        ("http://testserver/static/css/base.css?1", "css/base.css"),
        ("http://testserver/static/../manage.py", ""),
        ("http://testserver/static/%2e%2e/manage.py", ""),
        ("http://testserver/static//etc/passwd", ""),
        ("http://testserver/static/css/", ""),
        ("http://testserver/staticfile", ""),
        ("https://testserver/static/css/base.css", ""),
        ("http://testserver.example/static/css/base.css", ""),
        ("http://testserver@example.com/static/css/base.css", ""),
        ("file:///static/css/base.css", ""),
    ],
)
def test_an_address_leads_to_a_static_file_or_nowhere(address, found):
    root = Path(settings.STATICFILES_DIRS[0]).resolve()
    assert pdf_program.static_file(address, SITE, "/static/", root) == (root / found if found else None)


def test_a_request_waits_no_longer_than_it_must_and_the_page_that_waits_leads_to_the_pdf(ask, monkeypatch):
    may_go_on, printed = threading.Event(), threading.Event()
    own = pdf._print

    def slow(*told):
        may_go_on.wait()
        try:
            return own(*told)
        finally:
            printed.set()

    monkeypatch.setattr(pdf, "_print", slow)
    monkeypatch.setattr(pdf, "WAIT_SECONDS", 0.01)
    waiting = ask(lambda: page("slow"), "slow", "/studies/x/report.pdf?p=0.9")
    assert 'url=/studies/x/report.pdf?p=0.9&amp;waits=1"' in waiting.content.decode()
    assert (waiting.status_code, waiting["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert waiting["Retry-After"] == "3"
    assert "is being made" in waiting.content.decode()
    may_go_on.set()
    printed.wait()
    # Where a browser saves files, and does not show them, the page that waited stays.
    ready = ask(lambda: page("never asked"), "slow", "/studies/x/report.pdf?p=0.9&waits=1")
    assert ready["Refresh"] == "0; url=/studies/x/report.pdf?p=0.9"
    assert 'href="/studies/x/report.pdf?p=0.9">Open the PDF</a>' in ready.content.decode()
    assert page_sizes(ask(lambda: page("never asked"), "slow").content)


def test_where_pango_is_missing_the_answer_says_what_to_install(ask, monkeypatch):
    """A process without the library ends as one does that cannot load it: by `import weasyprint`."""
    without = Path(__file__).parent / "without_pango"
    monkeypatch.setattr(pdf, "TOLD", (*pdf.TOLD, "PYTHONPATH"))
    monkeypatch.setenv("PYTHONPATH", str(without))
    answer = ask(lambda: page("x"), "without")
    assert answer.status_code == 503
    assert "apt-get install libpango-1.0-0 libpangoft2-1.0-0" in answer.content.decode()


def test_a_page_that_cannot_be_printed_is_told_and_not_tried_at_once_again(ask, monkeypatch):
    tried = []
    monkeypatch.setattr(sys, "executable", "/bin/false")

    def html():
        tried.append(1)
        return page("x")

    for _ in range(2):
        answer = ask(html, "broken")
        assert answer.status_code == 503
        assert "could not be made" in answer.content.decode()
    assert len(tried) == 1


def test_secrets_of_the_server_are_not_told_to_what_prints(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "x" * 60)
    given = {}

    def run(command, **options):
        given.update(options["env"])
        raise pdf.subprocess.TimeoutExpired(command, 1)

    monkeypatch.setattr(pdf.subprocess, "run", run)
    assert pdf.print_page(page("x"), SITE).problem == pdf.FAILED
    assert "PATH" in given
    assert "SECRET_KEY" not in given
