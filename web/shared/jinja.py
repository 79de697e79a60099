"""Jinja2 for the assessor's pages, which are requested most: it takes a quarter of the time of Django's
templates.

Each language has its own environment, with sentences from its catalog in locale/.
"""

import gettext
from functools import cache
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import to_locale
from jinja2 import Environment, nodes
from jinja2.compiler import CodeGenerator, Frame
from jinja2.ext import InternationalizationExtension

from collection.material.claims import most_of_a_pair
from config.static_files import files_of
from judging.questions.wording import OURS
from web.shared.typesetting import letter, phrase, raise_citations, shows_nothing


class Sentences(InternationalizationExtension):
    """`{% trans %}`: a sentence with nothing to fill in is translated once, when its page is compiled."""

    def _make_node(self, singular: str, plural: str | None, *others: Any) -> nodes.Output:
        made = super()._make_node(singular, plural, *others)
        if plural is not None or "%(" in singular:
            return made
        said = self.environment.globals["gettext"](singular.replace("%%", "%"))  # type: ignore[operator]
        return nodes.Output([nodes.TemplateData(said)])


class SentenceCompiler(CodeGenerator):
    """`_()`: a sentence is translated once, when its page is compiled."""

    def visit_Call(  # noqa: N802 - Jinja's name
        self, node: nodes.Call, frame: Frame, *args: Any, **options: Any
    ) -> None:
        """Write `_("...")` as the sentence in the language, and any other call as a call."""
        match node:
            case nodes.Call(node=nodes.Name(name="_"), args=[nodes.Const(value=str(sentence))]):
                said = self.environment.globals["gettext"](sentence)  # type: ignore[operator]
                self.visit_Const(nodes.Const(said), frame)
            case _:
                super().visit_Call(node, frame, *args, **options)


def environment(*, language: str, **options: Any) -> Environment:
    """Environment of `templates/assessor/` in a language: filters, `url(name, ...)`, `static(path)`,
    `bundled(name)`, `most_claims(study)`.

    `{% trans %}` and `_()` say a sentence in the language; `|ours` says one of the usual wordings in it, and
    leaves any other text of a study as it is.
    """
    made = Environment(  # noqa: S701 - Django sets autoescape
        trim_blocks=True, lstrip_blocks=True, extensions=[Sentences], **options
    )
    made.code_generator_class = SentenceCompiler
    made.policies["ext.i18n.trimmed"] = True
    catalog = catalog_of(language)
    # Not the new style, which formats every sentence, those too that have nothing to fill in.
    made.install_gettext_translations(catalog, newstyle=False)  # type: ignore[attr-defined]
    said = catalog.gettext
    made.filters |= {"letter": letter, "phrase": phrase, "address": _address}
    made.filters["raise_citations"] = raise_citations
    made.filters["ours"] = lambda text: _ours(text, said)
    made.tests["shows_nothing"] = shows_nothing
    made.globals |= {"static": _static, "bundled": _bundled, "url": _url, "language": _tag(language)}
    made.globals["most_claims"] = most_of_a_pair
    made.globals["direction"] = "rtl" if language in settings.LANGUAGES_BIDI else "ltr"
    return made


def catalog_of(language: str) -> gettext.NullTranslations:
    """The sentences of a language; those of English are the sources' own."""
    return gettext.translation("django", settings.LOCALE_PATHS[0], [to_locale(language)], fallback=True)


def _tag(language: str) -> str:
    """As HTML spells it: zh-Hans for "zh-hans"."""
    return "-".join([part.title() if len(part) == 4 else part for part in language.split("-")])


def _ours(text: str, said: Any) -> str:
    # Forms send lines as \r\n.
    plain = text.strip().replace("\r\n", "\n")
    return str(said(plain)) if plain in OURS else text


def _url(name: str, *args: Any) -> str:
    return reverse(name, args=args) if args else _plain(name)


def _address(text: str) -> str:
    """The text where it is an e-mail address; "" for any other."""
    try:
        validate_email(text.strip())
    except ValidationError:
        return ""
    return text.strip()


# The same for every page of a process, and a page of a batch asks dozens of times.
_plain, _static, _bundled = cache(reverse), cache(static), cache(files_of)
