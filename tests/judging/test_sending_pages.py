"""The page of links to send: what it hands out, before and after opening, and that each link works."""

import re

import pytest
from django.urls import reverse

from collection.models import Study
from collection.study import lifecycle
from panels import local
from tests.judging.organizing import judge_batch, queries, staff_of, text
from tests.judging.visiting import Visitor, begin
from tests.makers import invite, make_study, open_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return open_study(staff_of(make_study(items=8, slug="pilot", consent="I take part.")))


@pytest.fixture
def address(study):
    return reverse("study-send", args=[study.slug])


def links(page) -> list[str]:
    return re.findall(r'href="http://testserver([^"]+)" data-copied', page.content.decode())


def test_the_open_link_is_turned_on_here_and_somebody_who_follows_it_can_judge(alice, study, address):
    Study.objects.update(asked_by="", contact="")
    page = alice.get(address)
    assert links(page) == []
    given = {"on": "1", "back": "send", "asked_by": "The Lab", "contact": "lab@example.org"}
    page = alice.post(reverse("open-link", args=[study.slug]), given, follow=True)
    assert page.redirect_chain[-1][0] == address
    [link] = links(page)
    # Assessors' pages know no session, so that one comes back by closing a tab.
    assert 'target="_blank">Follow it yourself' in page.content.decode()
    assert "Begin" in Visitor().get(link).content.decode()


def test_personal_links_that_nobody_has_used_are_shown_and_work(alice, study, address):
    people = local.invite(study, [f"seat {n}" for n in range(7)])
    begin(Visitor(), f"/i/{people[0].reference}/")
    page = alice.get(address)
    assert links(page) == [f"/i/{one.reference}/" for one in people[1:6]]
    assert "And 1 more." in text(page)
    assert "seat 0" not in text(page)
    assert "2 · seat 1" in text(page)


def test_it_says_what_links_do_now(alice, study, address):
    lifecycle.open_link(study.pk, on=True)
    assert "The first judgment comes as soon as" in text(alice.get(address))
    judge_batch(invite(study))
    said = text(alice.get(address))
    assert "wait for anyone who follows one of these links" in said
    assert "Follow it yourself" in said
    for how, reads in (
        (lifecycle.pause, "people to come back later"),
        (lifecycle.close, "nothing more is needed"),
    ):
        how(study.pk)
        said = text(alice.get(address))
        assert reads in said
        assert "Follow it yourself" not in said


def test_who_asks_is_asked_for_here_where_nobody_said_it(alice, study, address):
    Study.objects.update(asked_by="", contact="")
    page = alice.post(reverse("open-link", args=[study.slug]), {"on": "1", "back": "send"}, follow=True)
    assert page.redirect_chain[-1][0] == address
    assert "say who asks, and whom to write to" in text(page)


def test_before_opening_it_says_what_somebody_who_follows_a_link_reads(alice):
    study = staff_of(make_study(slug="draft"))
    response = alice.get(reverse("study-send", args=[study.slug]))
    assert 'aria-current="step">6. Judge' in response.content.decode()
    page = text(response)
    assert "Judging is not open yet" in page


def test_it_takes_as_many_queries_for_many_people(alice, study, address):
    invite(study)
    alice.get(address)  # which the trail notes, once an hour
    few = queries(alice, address)
    for _ in range(20):
        invite(study)
    assert queries(alice, address) == few
