"""What forms say: each of them in the product's own words, none in Django's."""

import importlib
import pkgutil
import re

import pytest
from django import forms
from django.core import validators
from django.core.exceptions import ValidationError
from django.forms.forms import BaseForm

import web
from judging.questions import result_pages
from tests.makers import make_study
from web.organizer.setup.result_pages import PagesForm
from web.shared.form_words import Worded, word

# Values that people type, or that a program sends; not all are wrong everywhere.
GIVEN: tuple = (
    *(None, "", [], "abc", "zzz\x00", "-99999999999", "99999999999", "0.123456789", "1e999", "NaN"),
    *("9" * 40, "x" * 100_000, ["zzz"], "31.2.", "ada@"),
)


def form_classes():
    for found in pkgutil.walk_packages(web.__path__, "web."):
        importlib.import_module(found.name)
    todo, seen = [BaseForm], set()
    while todo:
        new = set(todo.pop().__subclasses__()) - seen
        seen |= new
        todo += new
    return sorted(
        (one for one in seen - {Worded} if one.__module__.startswith("web.")), key=lambda one: one.__name__
    )


def sentences_of_django():
    """Patterns of all that Django's fields and validators say by themselves."""
    found = set()
    for module in (forms.fields, forms.models, validators):
        for one in vars(module).values():
            if isinstance(one, type):
                found |= set(getattr(one, "default_error_messages", {}).values())
                found |= {one.message} if isinstance(getattr(one, "message", None), str) else set()
    found = {
        str(said % {"limit_value": 1, "max": 1} if hasattr(said, "_proxy____args") else said)
        for said in found
    }
    return [re.compile(re.sub(r"%\\?\(\w+\\?\)[sd]|\d+", ".*", re.escape(said))) for said in found if said]


def said_of(field):
    for given in GIVEN:
        try:
            field.clean(given, None) if isinstance(field, forms.FileField) else field.clean(given)
        except ValidationError as error:
            yield from ((given, said) for said in error.messages)
        except (TypeError, AttributeError):
            continue  # no widget hands a value of that type to this field


def test_every_form_is_worded():
    classes = form_classes()
    assert len(classes) > 25
    assert not [one.__name__ for one in classes if not issubclass(one, Worded)]


@pytest.mark.django_db
@pytest.mark.parametrize("form", form_classes(), ids=lambda form: form.__name__)
def test_no_field_speaks_as_django_does(form):
    of_django = sentences_of_django()
    assert len(of_django) > 20
    for name, field in form.base_fields.items():
        word(field)
        told = [(name, given, said) for given, said in said_of(field)]
        assert not [one for one in told if any(each.fullmatch(one[2]) for each in of_django)]


def test_a_number_is_told_its_range_in_one_sentence():
    class Form(Worded, forms.Form):
        number = forms.IntegerField(min_value=50, max_value=100)
        price = forms.DecimalField(min_value=0, decimal_places=2)
        own = forms.CharField(error_messages={"required": "Say why."})

    said = Form({"number": "abc", "price": "-1"}).errors
    assert said == {
        "number": ["Enter a whole number from 50 to 100."],
        "price": ["Enter a number, 0 or more."],
        "own": ["Say why."],
    }
    assert Form({"number": "7", "price": "0.123", "own": "."}).errors == {
        "number": ["Enter a whole number from 50 to 100."],
        "price": ["Enter a number with at most 2 digits after the point."],
    }


@pytest.mark.django_db
def test_a_limit_of_the_model_is_told_as_one_of_the_form():
    form = PagesForm(
        {"minutes": "4", "batch_size": "99", "depth": "0"}, instance=result_pages.usual(make_study())
    )
    assert form.errors["minutes"] == ["Enter a whole number, 5 or more."]
    assert form.errors["batch_size"] == ["Enter a whole number, 50 or less."]
    assert form.errors["depth"] == ["Enter a whole number, 1 or more."]
