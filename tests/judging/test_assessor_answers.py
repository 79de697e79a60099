"""Answers and batches as an assessor's forms post them: sides, repeats, corrections, tokens, sending.

Every response that any test here receives is checked for cookies: none may ever be set.
"""

import re

import pytest
from django.core import signing

from judging.models import Assignment, Judgment, Question
from judging.people.receipt_numbers import receipt_number
from tests.emptying import unguarded
from tests.judging.studies import invite, make_study
from tests.judging.visiting import JSON, Visitor, answer_all, begin, form, send, side_of_known, text_of
from tests.makers import lean_given
from web.shared import tokens

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def study():
    return make_study(join_token="open-to-all")


@pytest.fixture
def address(study):
    """The personal address of somebody who has not begun."""
    return f"/i/{invite(study).reference}/"


@pytest.mark.parametrize("order", ["01", "10"])
def test_sides_are_the_items_that_stood_there(visitor, address, order):
    """The page puts a where the order says, an answer names the item of that side, and shows it again."""
    assignment = begin(visitor, address)
    place = assignment.batch.earliest("position")
    with unguarded():
        assignment.batch.update(shown=order)
    html = visitor.get(address).content.decode()
    left, right = re.findall(r">(About [^<]+)</p>", html)[:2]
    question = place.question
    items = [subject.item for subject in question.subjects.all()]
    assert (left, right) == tuple(items[int(position)].text for position in order)
    for side, chosen in (("left", left), ("right", right)):
        visitor.post("/answer/", form(assignment, place, side))
        judgment = Judgment.objects.current().get()
        item = items[0 if lean_given(judgment) > 0 else 1]
        assert (item.text, judgment.shown) == (chosen, order)
        page = visitor.get(address + f"?at={place.position}").content.decode()
        assert f'data-position="{place.position}"' in page
        assert page.count('aria-pressed="true"') == 1
        assert re.search(f'value="{side}" [^>]*aria-pressed="true"', page)


def test_an_answer_goes_back_to_the_batch_or_comes_as_json(visitor, address):
    assignment = begin(visitor, address)
    first, second = assignment.batch.all()[:2]
    response = visitor.post("/answer/", form(assignment, second))
    assert (response.status_code, response["Location"]) == (303, address)
    response = visitor.post("/answer/", form(assignment, first), headers=JSON)
    assert response.json() == {"stored": True}
    assert [j.seconds for j in Judgment.objects.all()] == [1.5, 1.5]


def test_a_repeated_post_is_stored_once(visitor, address):
    assignment = begin(visitor, address)
    place = assignment.batch.earliest("position")
    for _ in range(2):
        response = visitor.post("/answer/", form(assignment, place, nonce="a1"), headers=JSON)
        assert response.json()["stored"] is True
    assert Judgment.objects.count() == 1


def test_a_correction_is_a_further_row(visitor, address):
    assignment = begin(visitor, address)
    place = assignment.batch.earliest("position")
    for side in ("left", "right"):
        visitor.post("/answer/", form(assignment, place, side))
    assert [j.revision for j in Judgment.objects.order_by("pk")] == [0, 1]
    assert len({j.value for j in Judgment.objects.all()}) == 2


@pytest.mark.parametrize("seconds", ["", "soon", "nan", "inf", "-1", "1e9"])
def test_an_answer_counts_without_a_believable_time(visitor, address, seconds):
    assignment = begin(visitor, address)
    given = form(assignment, assignment.batch.earliest("position"), seconds=seconds, plain="browser")
    visitor.post("/answer/", given)
    assert Judgment.objects.get().seconds is None


def test_an_answer_from_before_the_page_was_ready_is_asked_for_again(visitor, address):
    """Its form tells neither times, as a script does, nor that there is no script."""
    assignment = begin(visitor, address)
    place = assignment.batch.get(position=2)
    early = form(assignment, place, seconds="")
    assert visitor.post("/answer/", early)["Location"] == f"{address}?at=2"
    assert not Judgment.objects.exists()


def test_a_page_without_scripts_that_was_asked_for_is_followed_by_another(visitor, address):
    assignment = begin(visitor, address)
    page = visitor.get(f"{address}?plain=1").content.decode()
    assert "js/judge" not in page
    given = form(assignment, assignment.batch.get(position=1), seconds="", plain="page")
    assert 'name="plain" value="page"' in page
    assert visitor.post("/answer/", given)["Location"] == f"{address}?plain=1"
    assert Judgment.objects.get().seconds is None


@pytest.mark.parametrize(
    ("seen", "kept"),
    [
        ("100 43", "100 43"),
        ("0", "0"),
        (" ".join(["100"] * 9), " ".join(["100"] * 9)),
        (" ".join(["100"] * 10), None),
        ("101 3", None),
        ("100  43", None),
        ("all", None),
        ("", None),
    ],
)
def test_what_was_seen_is_stored_where_it_can_be(visitor, address, seen, kept):
    assignment = begin(visitor, address)
    visitor.post("/answer/", form(assignment, assignment.batch.earliest("position"), seen=seen))
    assert Judgment.objects.get().seen == kept


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("choice", "up", "left, right or tie"),
        ("position", "x", "which question"),
        ("position", "9" * 30, "which question"),
        ("nonce", "\x00", "nonce"),
        ("nonce", "n" * 41, "nonce"),
    ],
)
def test_a_form_that_we_do_not_send_is_refused(visitor, address, field, value, said):
    assignment = begin(visitor, address)
    wrong = form(assignment, assignment.batch.earliest("position")) | {field: value}
    response = visitor.post("/answer/", wrong, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (400, "form")
    assert said in response.json()["error"]
    assert Judgment.objects.count() == 0


def test_a_tie_is_refused_where_the_study_takes_none(visitor, study, address):
    study.tasks.update(scale="2")
    assignment = begin(visitor, address)
    assert 'value="tie"' not in visitor.get(address).content.decode()
    response = visitor.post(
        "/answer/", form(assignment, assignment.batch.earliest("position"), "tie"), headers=JSON
    )
    assert (response.status_code, response.json()["code"]) == (400, "refused")


def test_an_answer_is_corrected_fifty_times_at_most(visitor, address):
    assignment = begin(visitor, address)
    place = assignment.batch.earliest("position")
    for n in range(51):
        side = ("left", "right")[n % 2]
        assert visitor.post("/answer/", form(assignment, place, side), headers=JSON).status_code == 200
    response = visitor.post("/answer/", form(assignment, place, "right"), headers=JSON)
    assert (response.status_code, Judgment.objects.count()) == (400, 51)
    assert "changed too often" in response.json()["error"]


# Tokens


@pytest.mark.parametrize("address_of", ["/answer/", "/submit/"])
def test_forged_tokens_are_refused(visitor, address, address_of):
    """Altered, cut, empty, signed for a picture, and of a batch that does not exist."""
    assignment = begin(visitor, address)
    fields = form(assignment, assignment.batch.earliest("position"))
    real = fields["token"]
    wrong_salt = signing.Signer(salt=tokens.IMAGE_SALT).sign(str(assignment.pk))
    foreign_key = signing.Signer(key="other", salt=tokens.ASSIGNMENT_SALT).sign(str(assignment.pk))
    gone = tokens.sign_assignment(assignment.pk + 999)
    for forged in (real[:-1], "9" + real, "", wrong_salt, foreign_key, gone):
        response = visitor.post(address_of, fields | {"token": forged})
        assert response.status_code == 403
        assert "Open the address that you were given" in text_of(response)
    assert Judgment.objects.count() == 0
    assert Assignment.objects.get().state == "working"


@pytest.mark.parametrize("position", ["0", "14", "70000", "9" * 18])
def test_a_position_that_the_batch_does_not_have_is_refused(visitor, address, position):
    mine = begin(visitor, address)
    fields = form(mine, mine.batch.earliest("position")) | {"position": position}
    response = visitor.post("/answer/", fields, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (403, "not-asked")
    assert Judgment.objects.count() == 0


# Sending the batch


def test_an_unfinished_batch_is_not_taken(visitor, address):
    assignment = begin(visitor, address)
    visitor.post("/answer/", form(assignment, assignment.batch.earliest("position")))
    response = send(visitor, assignment)
    assert response.status_code == 409
    assert "12 of 13 questions have no answer yet." in text_of(response)
    assert f'href="{address}"' in response.content.decode()
    assert send(visitor, assignment, **JSON).json()["code"] == "unfinished"


def test_a_finished_batch_is_sent_and_another_offered(visitor, address):
    assignment = begin(visitor, address)
    answer_all(visitor, assignment)
    assert "All 13 questions are done" in text_of(visitor.get(address))
    assert send(visitor, assignment)["Location"] == address
    assert Assignment.objects.get().state == "kept"
    assert "Judge another batch" in text_of(visitor.get(address))
    assert "Your 13 answers were received. You can stop here" in text_of(visitor.get(address))
    assert send(visitor, assignment, **JSON).json() == {"submitted": True, "next": address}
    second = begin(visitor, address)
    assert not set(second.batch.values_list("question")) & set(assignment.batch.values_list("question"))


def test_a_receipt_says_what_came_how_long_it_took_and_how_many_batches_there_were(visitor, address):
    """Thirteen times 5 and 11 seconds are 208, and 416 in two batches; a correction is no further answer."""
    for in_all in ("", "In all 2 batches, with 26 answers. You judged for about 7 minutes."):
        batch = begin(visitor, address)
        for place in batch.batch.all():
            right = side_of_known(place)
            wrong = "right" if right == "left" else "left"
            for side, seconds in ((wrong, "5"), (right, "11")):
                visitor.post("/answer/", form(batch, place, side, seconds=seconds))
        send(visitor, batch)
        batch.refresh_from_db()
        times = f"Begun {batch.opened_at:%H:%M} UTC Sent {batch.submitted_at:%H:%M} UTC"
        told = text_of(visitor.get(address))
        number = f"Your receipt Number {receipt_number(batch.pk)} Copy"
        assert f"{number} Answers 13 Time in view about 3 minutes {times} Your answers help" in told
        assert in_all in told
        assert ("In all" in told) == bool(in_all)


def test_a_receipt_counts_what_could_not_be_judged_and_stays_where_nothing_is_left(visitor, address):
    batch = begin(visitor, address)
    fields = {"token": tokens.sign_assignment(batch.pk), "position": 1, "reason": "broken"}
    visitor.post("/cannot/", fields)
    for place in batch.batch.exclude(position=1):
        visitor.post("/answer/", form(batch, place, side_of_known(place)))
    send(visitor, batch)
    assert "Copy Answers 12 Not judged 1" in text_of(visitor.get(address))
    Question.objects.update(wanted=0)
    nothing = visitor.post(address, {"action": "begin"})
    assert "Answers 12 Not judged 1" in text_of(nothing)


def test_after_a_failed_batch_the_same_thanks_and_no_other(visitor, address):
    assignment = begin(visitor, address)
    answer_all(visitor, assignment, wrong=True)
    assert send(visitor, assignment)["Location"] == address
    assert Assignment.objects.get().state == "discarded"
    page = visitor.get(address)
    assert "answers were received" in text_of(page)
    assert "Judge another batch" not in text_of(page)
    assert "wrong" not in text_of(page)


def test_an_answer_after_sending_is_over(visitor, address):
    """The second tab of somebody who has sent the batch: told so, and how to go on."""
    assignment = begin(visitor, address)
    answer_all(visitor, assignment)
    send(visitor, assignment)
    late = form(assignment, assignment.batch.earliest("position"), "tie")
    response = visitor.post("/answer/", late, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (409, "over")
    assert response.json()["error"] == "This batch was already sent."
    page = visitor.post("/answer/", late)
    assert (page.status_code, "This batch is over" in text_of(page)) == (409, True)
    assert f'href="{address}"' in page.content.decode()
    assert Judgment.objects.count() == 13
