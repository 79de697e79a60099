"""What forms say about a value that they do not take: what to enter, in place of Django's own sentences."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

TOO_LONG = "%(show_value)d characters are too many: write at most %(limit_value)d."
ANY = {
    "required": "Fill this in.",
    "invalid": "This cannot be read. Enter it anew.",
    "max_length": TOO_LONG,
    "min_length": "Write at least %(limit_value)d characters.",
    "null_characters_not_allowed": "There is a character in it that cannot be stored. Type it anew.",
}
A_FILE = {
    "required": "Choose a file.",
    "invalid": "The file did not arrive. Choose it again.",
    "missing": "The file did not arrive. Choose it again.",
    "empty": "The file is empty. Choose another.",
    "max_length": "The name of the file is longer than %(max)d characters. Rename it first.",
}


class Worded(forms.BaseForm):
    """A form whose fields say what to enter. Where a field has a message of its own, that stands."""

    def full_clean(self) -> None:
        """Word the fields first: only now are all of them there."""
        for field in self.fields.values():
            word(field)
        super().full_clean()


def word(field: forms.Field) -> None:
    """Replace those error messages of a field that are Django's."""
    usual = _messages_of_django(field)
    for code, said in _words(field).items():
        if field.error_messages.get(code, usual.get(code)) is usual.get(code):
            field.error_messages[code] = said


def reworded(field: forms.Field, problems: list[ValidationError]) -> list[ValidationError]:
    """Return what a model refuses about a field's value, in the words of the field."""
    for problem in problems:
        problem.message = field.error_messages.get(problem.code or "", problem.message)
    return problems


def _messages_of_django(field: forms.Field) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for cls in reversed(type(field).__mro__):
        if cls.__module__.startswith("django."):
            found |= vars(cls).get("default_error_messages", {})
    return found


def _words(field: forms.Field) -> dict[str, str]:
    """Return what a field says, by the codes of Django's errors."""
    for kind, worded in KINDS.items():
        if isinstance(field, kind):
            return ANY | dict(worded if isinstance(worded, Mapping) else worded(field))
    return ANY


def _choice(field: Any) -> dict[str, str]:
    several = isinstance(field, forms.MultipleChoiceField | forms.ModelMultipleChoiceField)
    return {
        "required": "Choose at least one." if several else "Choose one.",
        "invalid_choice": "“%(value)s” is not offered. Choose from the list.",
        "invalid_list": "Choose from the list.",
    }


def _number(field: Any) -> dict[str, str]:
    """Return one sentence for all that can be wrong with a number: what is taken.

    Where only one limit is known, the other, or a narrower one, may be the model's.
    """
    whole = type(field) is forms.IntegerField
    kind = "a whole number" if whole else "a number"
    least, most = field.min_value, field.max_value
    told = {"min_value": f"Enter {kind}, %(limit_value)s or more."}
    told["max_value"] = f"Enter {kind}, %(limit_value)s or less."
    if least is not None and most is not None:
        said = f"Enter {kind} from {least:,} to {most:,}."
        told = dict.fromkeys(told, said)
    elif least is not None:
        said = f"Enter {kind}, {least:,} or more."
    elif most is not None:
        said = f"Enter {kind}, {most:,} or less."
    else:
        said = f"Enter {kind}, such as {5 if whole else 0.5}."
    return told | {
        "required": said,
        "invalid": said,
        "max_digits": f"Enter {kind} of at most %(max)s digits.",
        "max_whole_digits": f"Enter {kind} of at most %(max)s digits before the point.",
        "max_decimal_places": f"Enter {kind} with at most %(max)s digits after the point.",
    }


# The first that fits is taken.
KINDS: dict[Any, Mapping[str, str] | Callable[[Any], dict[str, str]]] = {
    forms.FileField: A_FILE,
    forms.ChoiceField: _choice,
    forms.IntegerField: _number,
    forms.BooleanField: {"required": "Tick this to go on."},
    forms.DateTimeField: dict.fromkeys(
        ("required", "invalid"), "Enter a date and a time, such as 2027-01-31 17:00."
    ),
    forms.EmailField: dict.fromkeys(
        ("required", "invalid"), "Enter an e-mail address, such as ada@example.org."
    ),
}
