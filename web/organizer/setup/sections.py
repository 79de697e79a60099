"""Sections of a long form: folded under headings, each saying in a few words what is set in it."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

from django.forms import BaseForm, ChoiceField

from collection.study import lifecycle


class Values:
    """What the fields of a form hold, in words. checked: whether batches can hold challenges."""

    def __init__(self, form: BaseForm, *, checked: bool) -> None:
        self.form = form
        self.checked = checked

    def __getitem__(self, name: str) -> str:
        field, value = self.form.fields[name], self.form[name].value()
        if isinstance(field, ChoiceField):
            titles = {str(key): title for key, title in dict(field.choices).items()}  # type: ignore[arg-type]
            value = titles.get(str(value), value)
        return "" if value is None else str(lifecycle.told(value))


@dataclass(frozen=True)
class Section:
    """Some fields of a form under one heading; say: what is set, in a few words."""

    key: str
    title: str
    fields: tuple[str, ...]
    say: Callable[[Values], list[str]]


def read(now: Values) -> list[str]:
    """Say what assessors read of a task."""
    return [f"“{now['wording']}”", "with instructions" if now["instructions"] else "no instructions"]


def batches(size: str, noun: str) -> Callable[[Values], list[str]]:
    """Return what says the batches of a task. size: the field of their questions, which are called `noun`."""

    def say(now: Values) -> list[str]:
        challenges = f"{now['batch_challenges']} challenges, at most {now['wrong_allowed']} wrong"
        if now["batch_challenges"] in ("", "0"):
            challenges = "no challenges"
        elif not now.checked:
            challenges = "no challenges, since no right answers are known"
        return [f"{now[size]} {noun}", challenges, f"{now['minutes']} minutes"]

    return say


def folded(
    form: BaseForm,
    section: Section,
    *,
    left_out: Collection[str] = (),
    rule: str = "",
    checked: bool = True,
) -> dict[str, Any]:
    """Return a section of a form for `organizer/_sections.html`; it is open where a field has an error.

    checked: whether right answers are known, from which challenges are made.
    """
    names = [name for name in section.fields if name in form.fields and name not in left_out]
    return {
        "key": section.key,
        "title": section.title,
        "rule": rule,
        "fields": [(form[name], _fixed(form, name)) for name in names],
        "said": ", ".join(said for said in section.say(Values(form, checked=checked)) if said),
        "open": any(form[name].errors for name in names),
    }


def _fixed(form: BaseForm, name: str) -> str | None:
    """Return the value, in words, of a field that can no longer be changed; None for other fields."""
    field = form.fields[name]
    if not field.disabled:
        return None
    value = form.get_initial_for_field(field, name)
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(field, ChoiceField):
        value = dict(field.choices).get(value, value)  # type: ignore[arg-type]
    return str(value) or "None"
