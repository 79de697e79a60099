"""A pseudo-language for tests, written from right to left: every sentence of assessors' pages in marks, in
Hebrew letters and 40 % longer. It is made of the product's sentences when a test runs.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import override_settings

# Django knows it as one that is written from right to left.
LANGUAGE = "he"
LETTERS = str.maketrans("abcdefghijklmnopqrstuvwxyz", "אבגדהוזחטיכלמנסעפצקרשתאבגד")
# What stays as it is: places to fill in, and elements.
KEPT = re.compile(r"(%\(\w+\)s|\{\w+\}|</?[a-z][^<>]*>|%%)")
LONGER = 0.4
WORD = 6
# Visible letters of a page that went through no catalog; "UTC" names a zone in every language.
LATIN = re.compile(r"\b(?!UTC\b)[A-Za-z]{2,}")


def pseudo(sentence: str) -> str:
    """A sentence of English in the pseudo-language: lines, places and elements stay."""
    return "\n".join(_line(line) if line.strip() else line for line in sentence.split("\n"))


def _line(line: str) -> str:
    parts = KEPT.split(line)
    letters = sum(map(len, parts[::2]))
    said = "".join(part if n % 2 else part.lower().translate(LETTERS) for n, part in enumerate(parts))
    more = "ארוך" * (1 + int(LONGER * letters) // 4)
    more = " ".join(more[at : at + WORD] for at in range(0, int(LONGER * letters), WORD))
    # A grade's line begins with its number, and ends as a sentence does.
    rest = said.lstrip("0123456789 ")
    number = said[: len(said) - len(rest)]
    return f"{number}«{rest}{' ' + more if more else ''}»"


def sentences() -> Iterable[Any]:
    """What the product's catalogs translate: a sentence, or one for one thing and one for more."""
    with (settings.BASE_DIR / "locale/de/LC_MESSAGES/django.po").open("rb") as file:
        return [message.id for message in read_po(file) if message.id]


def write_catalog(folder: Path) -> None:
    """Write the compiled catalog of the pseudo-language below a folder, as Django and gettext read it."""
    catalog = Catalog(locale=LANGUAGE)
    for message in sentences():
        if isinstance(message, str):
            catalog.add(message, pseudo(message))
        else:
            catalog.add(message, [pseudo(message[0])] + [pseudo(message[1])] * (catalog.num_plurals - 1))
    place = folder / LANGUAGE / "LC_MESSAGES"
    place.mkdir(parents=True)
    with (place / "django.mo").open("wb") as file:
        write_mo(file, catalog)


@contextmanager
def spoken(folder: Path) -> Iterator[None]:
    """While it lasts, a study may choose the pseudo-language."""
    write_catalog(folder)
    english: dict[str, Any] = next(one for one in settings.TEMPLATES if one.get("NAME") == "assessor-en")
    options = {**english["OPTIONS"], "language": LANGUAGE}
    templates = [*settings.TEMPLATES, {**english, "NAME": f"assessor-{LANGUAGE}", "OPTIONS": options}]
    languages = [*settings.LANGUAGES, (LANGUAGE, "pseudo")]
    with override_settings(LANGUAGES=languages, LOCALE_PATHS=[folder], TEMPLATES=templates):
        yield
