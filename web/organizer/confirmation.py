"""The page before something that people should not do by mistake: what it does, its reason, one button."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from collection.models import Study


@dataclass(frozen=True)
class Confirmation:
    """What the page says.

    says: paragraphs on what it does. back: title and address of the page that it came from. button: "" where
    there is nothing to do any more. about: a template that shows what it is about. since: what was decided
    before, when and why. do: what the form asks for, told back to the view. hows: in place of one button, one
    for each value of the field `how`.
    """

    heading: str
    says: Sequence[str]
    back: tuple[str, str]
    button: str
    grave: bool = False
    about: str = ""
    since: tuple[str, datetime, str] | None = None
    do: str = ""
    hows: Sequence[tuple[str, str]] = ()


def confirm(
    request: HttpRequest, study: Study, asked: Confirmation, form: forms.Form, **context: Any
) -> HttpResponse:
    """Render the page; further context is for the template `about`."""
    told = {"study": study, "asked": asked, "form": form, **context}
    return render(request, "organizer/confirm.html", told)
