"""One's own answers, read again by the link that one judged by."""

import re
from html import unescape

import pytest
from django.utils import timezone

from judging.models import Judgment, QuestionRole
from tests.judging.studies import invite, make_study
from tests.judging.test_desk_answers import bare, listed
from tests.judging.visiting import Visitor, answer_all, begin, form, send, side_of_known, text_of
from tests.makers import sit
from tests.panels.campaigning import Sent, link_address, running
from web.shared import tokens

pytestmark = pytest.mark.django_db
OFFERED = "Read your answers"


@pytest.fixture
def study():
    return make_study()


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def address(study):
    return f"/i/{invite(study).reference}/"


def read(visitor, address) -> str:
    return visitor.get(address, {"answers": ""}).content.decode()


def test_after_sending_they_are_listed_and_nothing_tells_challenges_or_others(visitor, study, address):
    sit(invite(study))
    batch = begin(visitor, address)
    answer_all(visitor, batch)
    assert not listed(read(visitor, address))
    send(visitor, batch)
    assert OFFERED in text_of(visitor.get(address))
    page = read(visitor, address)
    rows = listed(page)
    assert len(rows) == 13
    for row, place in zip(rows, batch.batch.order_by("position").select_related("question"), strict=True):
        subjects = [place.question.subjects.get(position=int(n)).item for n in place.shown]
        left, right = (row.rindex(item.text) for item in subjects)
        assert left < right
        assert f'class="label {side_of_known(place)}"' in row
    assert page.count(study.tasks.get().wording) == 1
    plain = [re.sub(r'"a[\d-]+"|<p dir="auto"><strong>.*?</strong></p>', "", row) for row in rows]
    assert len({bare(row) for row in plain}) == 1
    assert not re.search(r"challenge|known|kept|second time|DOCNO|77\.25|<form", page)


def test_what_could_not_be_judged_stands_among_them(visitor, address):
    batch = begin(visitor, address)
    visitor.post("/cannot/", {"token": tokens.sign_assignment(batch.pk), "position": 1, "reason": "broken"})
    for place in batch.batch.exclude(position=1):
        visitor.post("/answer/", form(batch, place, side_of_known(place)))
    send(visitor, batch)
    first, *others = listed(read(visitor, address))
    assert "You cannot judge it:" in first
    assert len(others) == Judgment.objects.count() == 12


def test_those_of_all_batches_are_listed_by_pages_the_last_batch_first(visitor, address):
    for _ in range(2):
        batch = begin(visitor, address)
        answer_all(visitor, batch)
        send(visitor, batch)
    page = read(visitor, address)
    assert len(listed(page)) == 20
    assert f'id="a{batch.pk}-1"' in listed(page)[0]
    [older] = re.findall(r'href="(\?page=2[^"]*)"', page)
    assert len(listed(visitor.get(address + unescape(older)).content.decode())) == 6


@pytest.mark.parametrize("paused", [True, False])
def test_they_are_read_while_judging_is_paused_and_once_it_is_over(visitor, study, address, paused):
    batch = begin(visitor, address)
    answer_all(visitor, batch)
    send(visitor, batch)
    study.closed_at, study.paused = timezone.now(), paused
    study.save()
    page = text_of(visitor.get(address))
    assert OFFERED in page
    assert f"Write to {study.contact}" in page
    assert listed(read(visitor, address))


def test_somebody_from_a_panel_reads_the_same_whether_they_failed_or_not(study):
    study.tasks.update(batch_size=5, batch_challenges=2)
    campaign = running(study)
    pages = []
    for number in range(2):
        person = Sent(link_address(campaign, f"p{number}", f"s{number}"))
        assert OFFERED in text_of(person.work(wrong=2 * number))
        batch = person.client.get(person.home, {"answers": ""}).content.decode()
        pages.append(re.sub(r'class="[^"]*"|"a[\d-]+"', "", batch.replace(person.home, "HOME")))
    assert [len(listed(page)) for page in pages] == [7, 7]
    assert QuestionRole.CHALLENGE not in "".join(pages)
