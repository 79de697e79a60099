"""Languages of the assessor's pages: chosen by the study, else by the browser. No cookie is set."""

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
    """Context manager: use the language of a study for a browser in this thread."""
    return translation.override(language_of(study, request))


def speak(study: Study, request: HttpRequest) -> None:
    """Switch to the language of a study, within `speaking`."""
    translation.activate(language_of(study, request))


def render(name: str, context: Mapping[str, Any]) -> str:
    """Render an assessor's page in the current language."""
    return render_to_string(
        f"assessor/{name}.html", dict(context), using=f"assessor-{translation.get_language()}"
    )


@lru_cache(maxsize=1000)
def _asked_for(header: str) -> str:
    """The first supported language of an Accept-Language header; else the default."""
    for language, _ in parse_accept_lang_header(header):
        try:
            return translation.get_supported_language_variant(language)
        except LookupError:
            continue
    return settings.LANGUAGE_CODE
