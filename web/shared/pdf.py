"""Pages as PDF: printed by WeasyPrint in a process of its own, cached by the version of their data.

A view calls `answer` with a function that renders a whole HTML document; its style sheets stand in static/.
"""

import hashlib
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from collection.models import Study
from web.shared.pdf_program import NO_PANGO
from web.shared.waiting_pages import looks_again

KEPT_SECONDS, FAILURE_SECONDS = 24 * 3600, 60
# A request waits so long for its PDF; after that, a page that looks again, under an address that says so:
# a browser that saves files leaves the page as it is, so the page has to say that the file is there.
WAIT_SECONDS = 2.0
WAITS = "waits"
PRINTING_SECONDS = 60
# What a process that prints is told of this one: where programs and fonts are, and no secrets.
TOLD = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH")
TOLD_BEGINNINGS = ("FONTCONFIG_", "XDG_")
WITHOUT_PANGO = (
    "This server cannot make PDFs: the library Pango is not installed. The server's operator installs it "
    "(Debian and Ubuntu: apt-get install libpango-1.0-0 libpangoft2-1.0-0). Until then, print the page."
)
FAILED = "This PDF could not be made. The server's log says why. Until then, print the page."

logger = logging.getLogger(__name__)
# One at a time in a web process: whatever is asked for, one core prints.
_printer = ThreadPoolExecutor(1, thread_name_prefix="pdf")
_printing: dict[str, "Future[Printed]"] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Printed:
    """A PDF, or a sentence that says why it failed."""

    data: bytes
    problem: str = ""


def answer(
    request: HttpRequest, study: Study, name: str, version: str, html: Callable[[], str]
) -> HttpResponse:
    """The PDF of a page of a study; a waiting page if it takes long; 503 and the reason if it fails.

    name: the file's, without the slug. version: changes whenever `html()` may. The caller sees to access.
    """
    site = request.build_absolute_uri("/")
    told = (study.pk, name, version, site, style_edition())
    asked = request.GET.copy()
    waits = asked.pop(WAITS, None)
    file = f"{request.path}?{asked.urlencode()}"
    stamp = hashlib.sha256(repr(told).encode()).hexdigest()[:32]
    headers = {"ETag": f'"{stamp}"', "Cache-Control": "private, no-cache", "Vary": "Cookie"}
    if not waits and request.headers.get("If-None-Match") == headers["ETag"]:
        return HttpResponse(status=HTTPStatus.NOT_MODIFIED, headers=headers)
    printed: Printed | None = cache.get(_key(stamp))
    if printed is None:
        try:
            printed = _begin(stamp, html, site).result(WAIT_SECONDS)
        except TimeoutError:
            said = {"said": "The PDF is being made.", "more": "This page shows it as soon as it is there."}
            then = {"then": f"{file}&{WAITS}=1"}
            return looks_again(request, "notice.html", {"study": study, "heading": "PDF", **said, **then})
    if printed.problem:
        context = {"study": study, "heading": "PDF", "said": printed.problem}
        return render(request, "notice.html", context, status=HTTPStatus.SERVICE_UNAVAILABLE)
    if waits:
        said = {"said": "The PDF is ready.", "more": "It opens by itself.", "file": file}
        ready = render(request, "notice.html", {"study": study, "heading": "PDF", **said})
        ready["Refresh"] = f"0; url={file}"
        return ready
    headers |= {
        "Content-Type": "application/pdf",
        "Content-Disposition": f'inline; filename="{study.slug}-{name}.pdf"',
    }
    return HttpResponse(printed.data, headers=headers)


def print_page(html: str, site: str) -> Printed:
    """Print an HTML document of this site, in a process of its own. Takes 0.5 s and more."""
    program = [sys.executable, "-m", "web.shared.pdf_program"]
    program += [site, settings.STATIC_URL, str(settings.STATIC_ROOT or settings.STATICFILES_DIRS[0])]
    told = {k: v for k, v in os.environ.items() if k in TOLD or k.startswith(TOLD_BEGINNINGS)}
    try:
        done = subprocess.run(  # noqa: S603
            program,
            input=html.encode(),
            capture_output=True,
            cwd=settings.BASE_DIR,
            env=told,
            timeout=PRINTING_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        logger.error("A PDF was given up after %d seconds.", PRINTING_SECONDS)
        return Printed(b"", FAILED)
    if done.returncode == 0:
        return Printed(done.stdout)
    logger.error("A PDF could not be printed: %s", done.stderr.decode(errors="replace")[-2000:])
    return Printed(b"", WITHOUT_PANGO if done.returncode == NO_PANGO else FAILED)


@lru_cache(1)
def style_edition() -> str:
    """Digest of the style sheets, which the edition of the code does not cover."""
    found = hashlib.sha256()
    for path in sorted(Path(settings.STATICFILES_DIRS[0]).glob("css/*.css")):
        found.update(path.read_bytes())
    return found.hexdigest()[:12]


def _begin(stamp: str, html: Callable[[], str], site: str) -> "Future[Printed]":
    """Print a page that is not printed yet; those who ask for the same one meanwhile wait with the first."""
    with _lock:
        found = _printing.get(stamp)
    if found is not None:
        return found
    text = html()
    with _lock:
        if stamp not in _printing:
            _printing[stamp] = _printer.submit(_print, stamp, text, site)
        return _printing[stamp]


def _print(stamp: str, html: str, site: str) -> Printed:
    try:
        printed = print_page(html, site)
        cache.set(_key(stamp), printed, FAILURE_SECONDS if printed.problem else KEPT_SECONDS)
    finally:
        with _lock:
            del _printing[stamp]
    return printed


def _key(stamp: str) -> str:
    return f"pdf:{stamp}"
