"""Languages of the assessor's pages: which one a study or a browser asks for, and its pages.

A study chooses, or leaves it to each browser. No cookie remembers anything.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation.trans_real import parse_accept_lang_header

from collection.models import Study


def language_of(study: Study | None, request: HttpRequest) -> str:
    """The language of a study's pages for a browser, one of the settings' LANGUAGES."""
    chosen = study.language if study else ""
    return (
        chosen
        if chosen in dict(settings.LANGUAGES)
        else _asked_for(request.headers.get("Accept-Language", ""))
    )


def speaking(study: Study | None, request: HttpRequest) -> AbstractContextManager[Any]:
    """While it lasts, pages and sentences of this thread are in the language of a study for a browser."""
    return translation.override(language_of(study, request))


def speak(study: Study, request: HttpRequest) -> None:
    """Go over to the language of a study, within `speaking`."""
    translation.activate(language_of(study, request))


def render(name: str, context: Mapping[str, Any]) -> str:
    """An assessor's page in the language that is spoken."""
    return render_to_string(
        f"assessor/{name}.html", dict(context), using=f"assessor-{translation.get_language()}"
    )


@lru_cache(maxsize=1000)
def _asked_for(header: str) -> str:
    """The first language of an Accept-Language header that there is; else that of the settings."""
    for language, _ in parse_accept_lang_header(header):
        try:
            return translation.get_supported_language_variant(language)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE
