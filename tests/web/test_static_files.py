"""Static files as they are collected: hashed names that all lead somewhere, compressed, kept by browsers."""

import gzip
import re
from pathlib import Path

import brotli
import pytest
from django.core.management import call_command
from django.templatetags.static import static
from django.test import Client
from django.urls import reverse

from config.static_files import BUNDLES, HashedStaticFiles, files_of
from tests.ground import ROOT
from tests.judging.organizing import staff_of
from tests.makers import make_study
from web.shared import tokens

JSON = {"accept": "application/json"}
MODULE = re.compile(r"""(?:from|import)\s*["'](\./[^"']+)["']""")
DECODE = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}
ADDRESS = re.compile(r"""url\(["']?(?!data:)([^"')#]+)""")


@pytest.fixture
def collected(settings, tmp_path):
    settings.STORAGES = settings.STORAGES | {
        "staticfiles": {
            "BACKEND": "config.static_files.HashedStaticFiles",
            "OPTIONS": {"location": tmp_path / "collected"},
        }
    }
    settings.STATIC_ROOT = tmp_path / "collected"
    call_command("collectstatic", interactive=False, verbosity=0)
    return tmp_path / "collected"


def hashed(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if re.fullmatch(r".+\.[0-9a-f]{12}\.\w+", path.name)]


def test_every_file_has_a_hashed_name_and_what_it_names_is_one_of_them(collected):
    files = hashed(collected)
    plain = [path for path in (ROOT / "static").rglob("*") if path.is_file()]
    assert len(files) == len(plain) + len(BUNDLES)
    assert len(plain) > 80
    named = [
        (path, path.parent / found)
        for path in files
        if path.suffix in (".js", ".css")
        for found in (MODULE if path.suffix == ".js" else ADDRESS).findall(path.read_text())
    ]
    assert len(named) > 50
    assert [(path.name, other.name) for path, other in named if other.resolve() not in files] == []


def test_they_are_compressed_and_kept_for_good(collected):
    address = static("js/judge/judge.js")
    assert re.fullmatch(r"/static/js/judge/judge\.[0-9a-f]{12}\.js", address)
    reply = Client(headers={"host": "localhost", "accept-encoding": "br"}).get(address)
    assert reply.headers["Content-Encoding"] == "br"
    assert reply.headers["Cache-Control"] == "max-age=315360000, public, immutable"
    # Policies are for pages, and some 500 bytes.
    assert not reply.headers.keys() & {"Content-Security-Policy", "Permissions-Policy"}


@pytest.mark.parametrize("bundle", ["css/judging-zoom.css", "js/judge-pair-compared.js"])
def test_a_bundle_is_one_file_once_collected_and_its_parts_before(collected, settings, bundle):
    [address] = files_of(bundle)
    name, _, ending = bundle.partition(".")
    assert re.fullmatch(rf"/static/{name}\.[0-9a-f]{{12}}\.{ending}", address)
    assert Client(headers={"host": "localhost"}).get(address).status_code == 200
    settings.DEBUG = True
    assert files_of(bundle) == [f"/static/{name}" for name in BUNDLES[bundle]]


def test_what_was_not_collected_has_its_plain_name(collected):
    assert static("js/new.js") == "/static/js/new.js"
    nothing = HashedStaticFiles(location=collected / "none")
    assert nothing.url("js/judge/judge.js") == "/static/js/judge/judge.js"


def test_pages_without_cookies_are_compressed_and_nothing_else_is(db, settings):
    wanted = {"host": "localhost", "accept-encoding": "gzip"}
    assert "Content-Encoding" not in Client(headers=wanted).get("/login/").headers
    settings.MIDDLEWARE = settings.MIDDLEWARE_WITHOUT_ACCOUNTS
    for accepted, given in (("gzip", "gzip"), ("gzip, br;q=0", "gzip"), ("gzip, deflate, br, zstd", "br")):
        page = Client(headers=wanted | {"accept-encoding": accepted}).get("/i/nobody/")
        assert page.headers["Content-Encoding"] == given
        assert b"<h1>" in (brotli if given == "br" else gzip).decompress(page.content)
        assert page.headers["Vary"] == "Accept-Encoding"
        assert int(page.headers["Content-Length"]) == len(page.content)
    assert "Content-Encoding" not in Client(headers=wanted).post("/answer/", headers=JSON).headers


@pytest.mark.parametrize("accepted", ["", "gzip", "br", "gzip, deflate, br, zstd"])
def test_what_is_kept_compressed_is_compressed_once(db, settings, accepted):
    """What an open leaderboard and an open page of topics ask for, once it has changed."""
    settings.MIDDLEWARE = settings.MIDDLEWARE_WITHOUT_ACCOUNTS
    study = staff_of(make_study())
    member = study.members.get(user__username="bob").user_id
    for address in (
        reverse("leaderboard-live", args=[tokens.sign_watch(study.pk, member, str(study.persistence), 60)]),
        reverse("topics-live", args=[tokens.sign_topics_watch(study.pk, member, 60)]),
    ):
        plain = Client(headers={"accept-encoding": ""}).get(address)
        assert "Content-Encoding" not in plain.headers
        reply = Client(headers={"accept-encoding": accepted}).get(address)
        assert reply.status_code == 200
        decoded = DECODE[reply.headers.get("Content-Encoding", "")](reply.content)
        assert decoded == plain.content
