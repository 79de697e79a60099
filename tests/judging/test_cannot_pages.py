"""The pages of somebody who cannot judge a question, as a browser without JavaScript shows them; and what
somebody gets who looks closely."""

import re
from functools import partial

import pytest

from judging.batches import answering
from judging.models import Decline, Judgment, Task
from judging.questions import asking
from judging.questions.question_holds import declined_positions
from tests.judging.studies import invite, make_study
from tests.judging.test_same_for_all import seen
from tests.judging.visiting import JSON, Visitor, begin, form, text_of
from web.shared import tokens

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def address():
    return f"/i/{invite(make_study()).reference}/"


def cannot(visitor, batch, position: int, reason: str = "broken", headers=None, **more):
    fields = {"token": tokens.sign_assignment(batch.pk), "position": position, "reason": reason} | more
    return visitor.post("/cannot/", fields, headers=headers or {})


def test_the_panel_opens_by_an_address_and_its_form_goes_on_with_the_next_question(visitor, address):
    batch = begin(visitor, address)
    page = visitor.get(address).content.decode()
    assert 'href="?at=1&amp;cannot"' in page
    assert not re.search(r'<dialog id="cannot"[^>]* open', page)
    page = visitor.get(f"{address}?at=1&cannot").content.decode()
    assert re.search(r'<dialog id="cannot"[^>]* open', page)
    assert page.count('type="radio" name="reason"') == 5
    posted = cannot(visitor, batch, 1, "language", note=" Greek\0 ")
    assert (posted.status_code, posted["Location"]) == (303, address)
    assert Decline.objects.values_list("reason", "note").get() == ("language", "Greek")
    assert "2 of 13" in text_of(visitor.get(address))


def test_what_was_said_is_shown_until_it_is_answered_after_all(visitor, address):
    batch = begin(visitor, address)
    cannot(visitor, batch, 1)
    said = '<p class="could-not">'
    assert said in visitor.get(f"{address}?at=1").content.decode()
    assert said not in visitor.get(address).content.decode()
    visitor.post("/answer/", form(batch, batch.batch.get(position=1)))
    assert said not in visitor.get(f"{address}?at=1").content.decode()
    assert Judgment.objects.count() == 1


def test_of_an_answered_question_it_can_be_said_too(visitor, address):
    batch = begin(visitor, address)
    visitor.post("/answer/", form(batch, batch.batch.get(position=1)))
    page = visitor.get(f"{address}?at=1").content.decode()
    assert re.search(r'class="help cannot-judge" role="button" href="\?at=1&amp;cannot"', page)
    assert cannot(visitor, batch, 1).status_code == 303
    page = visitor.get(f"{address}?at=1").content.decode()
    assert '<p class="could-not">' in page
    assert 'aria-pressed="true"' not in page
    # Without a script too the panel opens with the reason that was given, and another one is taken.
    page = visitor.get(f"{address}?at=1&cannot").content.decode()
    [given] = re.findall(r'value="(\w+)" required[^>]* checked', page)
    assert Decline.objects.get().reason == given != "alike"
    assert cannot(visitor, batch, 1, reason="alike").status_code == 303
    assert declined_positions(batch) == {1: "alike"}


def test_the_last_page_names_what_could_not_be_judged_and_sends(visitor, address):
    batch = begin(visitor, address)
    cannot(visitor, batch, 3)
    for place in batch.batch.exclude(position=3):
        visitor.post("/answer/", form(batch, place))
    page = visitor.get(address).content.decode()
    assert 'class="label">cannot judge</span>' in page
    assert "One question that you could not judge goes to somebody else" in text_of(visitor.get(address))
    assert not asking.without_answer(batch.pk)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({"position": "x"}, 400, "form"),
        ({"position": 99}, 403, "not-asked"),
        ({"reason": "boring"}, 400, "refused"),
        ({"token": "forged"}, 403, "token"),
    ],
)
def test_what_no_page_sends_is_refused(visitor, address, fields, status, code):
    batch = begin(visitor, address)
    found = cannot(visitor, batch, **{"position": 1} | fields, headers=JSON)
    assert (found.status_code, found.json()["code"]) == (status, code)
    assert not Decline.objects.exists()


def test_a_grade_has_nothing_to_be_alike():
    study = make_study(batch_challenges=0)
    Task.objects.update(kind="grade", scale="0-4")
    batch = answering.arrive(invite(study).pk)
    page = Visitor().get(f"/i/{batch.assessor.reference}/?cannot").content.decode()
    assert page.count('type="radio" name="reason"') == 5
    assert 'value="alike"' not in page


@pytest.mark.parametrize(("scale", "offered"), [("2", True), ("3", False), ("4", True), ("5", False)])
def test_what_is_alike_is_a_tie_where_there_is_one(scale, offered):
    make_study(batch_challenges=0)
    Task.objects.update(scale=scale)
    batch = answering.arrive(invite(Task.objects.get().study).pk)
    page = Visitor().get(f"/i/{batch.assessor.reference}/?cannot").content.decode()
    assert ('value="alike"' in page) == offered


@pytest.mark.parametrize("headers", [JSON, {}])
def test_of_a_challenge_it_is_taken_as_of_any_other_question(visitor, address, headers):
    """Same statements, same reply: at first, repeated, answered after all, and withdrawn."""
    batch = begin(visitor, address)
    cannot(visitor, batch, 13)
    looks: dict[bool, list] = {}
    for place in batch.batch.exclude(position=13):
        steps = (
            partial(cannot, visitor, batch, place.position, headers=headers),
            partial(cannot, visitor, batch, place.position, "alike", headers=headers),
            partial(visitor.post, "/answer/", form(batch, place), headers=headers),
            partial(cannot, visitor, batch, place.position, headers=headers),
        )
        looks.setdefault(place.role == "challenge", []).append([seen(step) for step in steps])
    assert min(map(len, looks.values())) >= 2
    for look in looks[True] + looks[False]:
        assert look == looks[True][0]
