"""Texts of which nothing can be seen are called empty on every page that shows items."""

import pytest
from django.urls import reverse

from collection.models import Item
from judging.models import Question
from tests.judging.organizing import staff_of
from tests.judging.paged import RUNS, ask_all, paged_study
from tests.judging.studies import invite, make_study
from tests.judging.visiting import Visitor, begin

pytestmark = pytest.mark.django_db

EMPTY = "this answer is empty"
NOTHING = " \u200b"


@pytest.fixture
def visitor():
    return Visitor()


@pytest.mark.parametrize("markup", ["plain", "markdown", "html"])
def test_an_empty_text_is_told_from_one_that_was_not_loaded(visitor, markup):
    study = make_study(markup=markup)
    address = f"/i/{invite(study).reference}/"
    begin(visitor, address)
    Item.objects.update(text=NOTHING)
    assert visitor.get(address).content.decode().count(EMPTY) == 26
    Item.objects.update(text="")
    page = visitor.get(address).content.decode()
    assert (page.count(EMPTY), page.count("no text was loaded")) == (0, 26)


def test_a_result_page_says_which_of_its_texts_are_empty(visitor):
    study, task = paged_study(topics=3, runs=RUNS)
    ask_all(task)
    address = f"/i/{invite(study).reference}/"
    begin(visitor, address)
    assert EMPTY not in visitor.get(address).content.decode()
    Item.objects.update(text=NOTHING)
    assert EMPTY in visitor.get(address).content.decode()


def test_organizers_and_coordinators_read_that_an_item_is_empty(alice):
    study = staff_of(make_study())
    Item.objects.update(text=NOTHING)
    item = Item.objects.first()
    assert (
        "This answer is empty" in alice.get(reverse("data-item", args=[study.slug, item.pk])).content.decode()
    )
    assert Question.objects.exclude(expected=None).exists()
    assert EMPTY in alice.get(reverse("challenges", args=[study.slug])).content.decode()
