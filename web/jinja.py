"""Jinja2 for the assessor's pages, which are asked for most: it renders them in a quarter of the time."""

from functools import cache
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.template.defaultfilters import pluralize
from django.templatetags.static import static
from django.urls import reverse
from jinja2 import Environment

from web.typesetting import letter


def environment(**options: Any) -> Environment:
    """Environment of `templates/assessor/`: filters, `url(name, ...)`, `static(path)`."""
    made = Environment(trim_blocks=True, lstrip_blocks=True, **options)  # noqa: S701 - Django sets autoescape
    made.filters |= {"letter": letter, "pluralize": pluralize, "address": _address}
    made.globals |= {"static": _static, "url": _url}
    return made


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
_plain, _static = cache(reverse), cache(static)
