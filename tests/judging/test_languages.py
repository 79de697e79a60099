"""Languages of the assessor's pages: whole catalogs, pages in the study's or the browser's language."""

import gettext
import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils import translation

from collection.models import Study
from judging.questions.wording import OURS
from judging.tasks import KINDS
from tests.judging.visiting import JSON
from tests.makers import invite, make_study
from web.shared import languages
from web.shared.jinja import environment

CATALOGS = sorted((settings.BASE_DIR / "locale").glob("*/LC_MESSAGES/django.po"))
PLACES = re.compile(r"%\(\w+\)s|\{\w+\}|</?[a-z]+")
SCALES = {"pair": "5", "grade": "0-4", "pick": "best-worst"}


def sentences() -> set:
    """What the sources say, as babel.cfg finds it."""
    with (settings.BASE_DIR / "babel.cfg").open() as file:
        methods, options = parse_mapping_cfg(file)
    keywords = {"_": None, "gettext": None, "ngettext": (1, 2), "gettext_noop": None}
    found = extract_from_dir(settings.BASE_DIR, methods, options, keywords=keywords)
    return {message for _, _, message, _, _ in found}


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file)


def forms(text) -> tuple:
    return text if isinstance(text, tuple) else (text,)


def test_each_language_but_english_has_a_catalog():
    wanted = {translation.to_locale(language) for language, _ in settings.LANGUAGES} - {"en"}
    assert {path.parts[-3] for path in CATALOGS} == wanted


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parts[-3])
def test_every_sentence_of_the_sources_is_translated(path):
    catalog = read(path)
    messages = {message.id: message for message in catalog if message.id}
    assert messages.keys() == sentences(), "Run scripts/languages and translate what is new."
    for message in messages.values():
        said = forms(message.string)
        assert all(said), f"{message.id!r} is not translated"
        assert not message.fuzzy, f"{message.id!r} is fuzzy"
        if isinstance(message.id, tuple):
            assert len(said) == catalog.num_plurals
        # A form for one thing may spell its number.
        places = [set(PLACES.findall(one)) for one in forms(message.id)]
        for one in said:
            assert set(PLACES.findall(one)) in places, f"{message.id!r} and {one!r} differ in their places"
        assert set(PLACES.findall(said[-1])) == places[-1]


@pytest.mark.parametrize("path", CATALOGS, ids=lambda path: path.parts[-3])
def test_compiled_catalogs_say_what_the_written_ones_say(path):
    compiled = BytesIO()
    write_mo(compiled, read(path))
    compiled.seek(0)
    with path.with_suffix(".mo").open("rb") as stored:
        assert gettext.GNUTranslations(stored)._catalog == gettext.GNUTranslations(compiled)._catalog


@pytest.mark.parametrize("language", [language for language, _ in settings.LANGUAGES])
def test_usual_guidelines_are_guidelines_in_each_language(language):
    ours = environment(language=language).filters["ours"]
    kind = KINDS["grade"]
    assert [level.value for level in kind.levels("0-4", ours(kind.usual("0-4")))] == [0, 1, 2, 3, 4]
    assert all(level.told for level in kind.levels("0-4", ours(kind.usual("0-4"))))
    assert ours("Picture") == "Picture"  # of a study's own, though there is such a sentence
    assert len({ours(text.replace("\n", "\r\n")) for text in OURS}) == len(OURS)


@pytest.mark.parametrize(
    ("chosen", "asked", "found"),
    [
        ("", "", "en"),
        ("", "de-AT,en;q=0.5", "de"),
        ("", "nl, zh-CN;q=0.8, en;q=0.5", "zh-hans"),
        ("", "nl", "en"),
        ("", "%%,;q=x", "en"),
        ("de", "zh", "de"),
        ("xx", "de", "de"),
    ],
)
def test_the_study_chooses_or_else_the_browser(chosen, asked, found):
    request = HttpRequest()
    request.META["HTTP_ACCEPT_LANGUAGE"] = asked
    assert languages.language_of(Study(language=chosen), request) == found


@pytest.mark.django_db
def test_pages_and_refusals_are_in_the_language_of_the_study(client):
    address = f"/i/{invite(make_study(language='de')).reference}/"
    page = client.get(address, headers={"accept-language": "zh"}).content.decode()
    assert '<html lang="de"' in page
    assert "Noch nicht geöffnet" in page
    assert translation.get_language() == "en"
    refused = client.post(reverse("answer"), {"token": "no"}, headers=JSON | {"accept-language": "zh-CN"})
    assert refused.json()["error"] == "本页面来自另一台服务器，或已被改动。"
    assert translation.get_language() == "en"
