"""The assessor's pages through Django's test client, as a browser without JavaScript meets them.

Every answer that any test here receives is checked for cookies: none may ever be set.
"""

import re
from datetime import timedelta

import pytest
from django.core import signing
from django.core.files.base import ContentFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging import answering, tokens
from judging.models import Assessor, Assignment, Choice, Item, Judgment, Question
from tests.judging.studies import give_pictures, invite, make_study, picture

pytestmark = pytest.mark.django_db
JSON = {"accept": "application/json"}


class Visitor(Client):
    """A browser that holds stale cookies of its own, and is never given one."""

    def request(self, **request):
        self.cookies["sessionid"] = "of-a-session-that-is-gone"
        response = super().request(**request)
        sent = {morsel.OutputString() for morsel in response.cookies.values()}
        assert not sent, f"{request.get('PATH_INFO')} sets {sent}"
        return response


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


def begin(visitor, address) -> Assignment:
    """Agree and begin; the open assignment."""
    response = visitor.post(address, {"action": "begin"})
    assert (response.status_code, response["Location"]) == (303, address)
    return Assignment.objects.get(assessor__reference=address.split("/")[2], state="working")


def form(assignment, place, side="left", **more) -> dict:
    """The fields that the page posts for a question of a batch."""
    token = tokens.sign_assignment(assignment.pk)
    return {"token": token, "question": place.question_id, "choice": side, "seconds": "1.5"} | more


def side_of_known(place) -> str:
    """The side on which the expected item (a) of a challenge stands; left for other questions."""
    return "left" if place.a_left or not place.challenge else "right"


def answer_all(visitor, assignment, wrong=False) -> None:
    """Answer a whole batch, its challenges rightly or all wrongly."""
    for place in assignment.batch.all():
        side = side_of_known(place)
        if wrong and place.challenge:
            side = "right" if side == "left" else "left"
        assert visitor.post("/answer/", form(assignment, place, side)).status_code == 303


def send(visitor, assignment, **headers):
    return visitor.post("/submit/", {"token": tokens.sign_assignment(assignment.pk)}, headers=headers)


def rows() -> tuple[int, ...]:
    return tuple(m.objects.count() for m in (Assessor, Assignment, Judgment, Question))


def text_of(response) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


# Joining, instructions, consent


def test_joining_gives_a_personal_address(visitor, study):
    page = visitor.get("/join/open-to-all/")
    assert "13 questions" in text_of(page)
    assert study.name in text_of(page)
    response = visitor.post("/join/open-to-all/", {"action": "begin"})
    assert response.status_code == 303
    assert response["Location"] == f"/i/{study.assessors.get().reference}/"
    assert "I agree, start judging" in text_of(visitor.get(response["Location"]))


def test_looking_writes_nothing(visitor, study, address):
    """Link previews and prefetching browsers open addresses; questions must not be held for them."""
    before = rows()
    for _ in range(2):
        assert visitor.get("/join/open-to-all/").status_code == 200
        assert visitor.get(address).status_code == 200
        assert visitor.head(address).status_code == 200
    assert rows() == before
    begin(visitor, address)
    before = rows()
    visitor.get(address + "?at=3")
    assert rows() == before


def test_consent_is_asked_once(visitor, study, address):
    study.consent = "Ethics approval 17/3. Write to garden@example.org."
    study.instructions = "Choose the plant that lives."
    study.save()
    page = text_of(visitor.get(address))
    assert study.consent in page
    assert study.instructions in page
    assert "Some questions have answers that are known" in page
    begin(visitor, address)
    page = text_of(visitor.get(address))
    assert "I agree" not in page
    assert "1 of 13" in page


def test_beginning_twice_keeps_the_batch(visitor, address):
    assert begin(visitor, address) == begin(visitor, address)


def test_unknown_addresses_are_refused(visitor, study):
    for unknown in ("/join/no-such-link/", "/i/no-such-person/"):
        page = visitor.get(unknown)
        assert page.status_code == 404
        assert "the person who sent it to you" in text_of(page)


def test_an_action_that_no_page_offers_is_refused(visitor, address):
    assert visitor.post(address, {"action": "other"}).status_code == 400
    assert visitor.delete(address).status_code == 405


# What stands in the way of judging


def test_nobody_judges_before_opening_or_after_closing(visitor, study, address):
    study.opened_at = None
    study.save()
    assert "Not open yet" in text_of(visitor.get(address))
    assert "Not open yet" in text_of(visitor.post("/join/open-to-all/"))
    study.opened_at = study.closed_at = timezone.now()
    study.save()
    assert "This study is closed" in text_of(visitor.get(address))
    assert visitor.post(address, {"action": "begin"}).status_code == 303
    assert Assignment.objects.count() == 0
    assert Assessor.objects.count() == 1  # nobody joined


def test_the_page_says_when_nothing_is_left(visitor, study, address):
    Question.objects.filter(topic__study=study).update(wanted=0)
    assert "Nothing to judge right now" in text_of(visitor.get(address))
    page = visitor.post(address, {"action": "begin"})
    assert (page.status_code, "Nothing to judge right now" in text_of(page)) == (200, True)


def test_the_page_offers_exactly_the_batches_that_can_be_drawn(visitor):
    """Judged to the end by one person: 20 pairs in batches of 10, but only 5 challenges in pairs of 2."""
    study = make_study(pairs=20, challenges=5, batch_pairs=5, batch_challenges=2)
    address = f"/i/{invite(study).reference}/"
    offered = []
    while "<form" in (html := visitor.get(address).content.decode()) and "Look again" not in html:
        offered.append(int(re.search(r"<strong>(\d+) question", html)[1]))
        assignment = begin(visitor, address)
        assert assignment.batch.count() == offered[-1]
        answer_all(visitor, assignment)
        send(visitor, assignment)
    assert offered == [7, 7]
    with pytest.raises(answering.NothingLeft):
        answering.arrive(study.assessors.get().pk)


def test_an_excluded_person_is_thanked_and_asked_nothing(visitor, address):
    begin(visitor, address)
    answering.exclude(Assessor.objects.get().pk, "answers by a script")
    page = visitor.get(address).content.decode()
    assert "Thank you" in page
    assert "<form" not in page
    assert "script" not in page.split("</head>")[1]  # not why
    assert visitor.post(address, {"action": "begin"})["Location"] == address


def test_a_batch_whose_time_ran_out_can_be_begun_again(visitor, address):
    first = begin(visitor, address)
    Assignment.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    assert "ran out before it was sent" in text_of(visitor.get(address))
    assert begin(visitor, address) != first


# Judging


def test_the_page_shows_one_question_and_what_was_answered(visitor, address):
    assignment = begin(visitor, address)
    first, second = assignment.batch.all()[:2]
    visitor.post("/answer/", form(assignment, first, "right"))
    visitor.post("/answer/", form(assignment, second, "tie"))

    def shown(page):
        return re.findall(r'data-position="(\d+)"[^>]*data-choice="(\w*)"[^>]*"\s*>', page.content.decode())

    page = visitor.get(address)
    assert shown(page) == [("3", "")]
    assert "3 of 13" in text_of(page)
    assert shown(visitor.get(address + "?at=1")) == [("1", "right")]
    assert shown(visitor.get(address + "?at=99")) == [("3", "")]


def test_nothing_on_the_page_tells_what_is_known_of_an_item(visitor, address):
    """Docnos, grades and challenges would each give an answer away."""
    begin(visitor, address)
    html = visitor.get(address).content.decode()
    for secret in ("DOCNO", "77.25", "challenge", "expected"):
        assert secret not in html


@pytest.mark.parametrize("a_left", [True, False])
def test_sides_are_the_items_that_stood_there(visitor, address, a_left):
    """The page puts a where a_left says, an answer names the item of that side, and shows it again."""
    assignment = begin(visitor, address)
    place = assignment.batch.first()
    assignment.batch.update(a_left=a_left)
    html = visitor.get(address).content.decode()
    left, right = re.findall(r"<p>(About [^<]+)</p>", html)[:2]
    question = place.question
    shown = (question.item_a.text, question.item_b.text)
    assert (left, right) == (shown if a_left else shown[::-1])
    for side, chosen in (("left", left), ("right", right)):
        visitor.post("/answer/", form(assignment, place, side))
        judgment = Judgment.objects.current().get()
        item = question.item_a if judgment.choice == Choice.A else question.item_b
        assert (item.text, judgment.a_left) == (chosen, a_left)
        page = visitor.get(address + f"?at={place.position}").content.decode()
        assert f'data-position="{place.position}" data-question="{place.question_id}"' in page
        assert page.count('aria-pressed="true"') == 1
        assert re.search(f'value="{side}" [^>]*aria-pressed="true"', page)


def test_an_answer_goes_back_to_the_batch_or_comes_as_json(visitor, address):
    assignment = begin(visitor, address)
    first, second = assignment.batch.all()[:2]
    response = visitor.post("/answer/", form(assignment, second))
    assert (response.status_code, response["Location"]) == (303, address)
    response = visitor.post("/answer/", form(assignment, first), headers=JSON)
    assert response.json() == {"stored": True, "position": 1, "answered": 2, "total": 13}
    assert [j.seconds for j in Judgment.objects.all()] == [1.5, 1.5]


def test_a_repeated_post_is_stored_once(visitor, address):
    assignment = begin(visitor, address)
    place = assignment.batch.first()
    for _ in range(2):
        response = visitor.post("/answer/", form(assignment, place, nonce="a1"), headers=JSON)
        assert response.json()["stored"] is True
    assert Judgment.objects.count() == 1


def test_a_correction_is_a_further_row(visitor, address):
    assignment = begin(visitor, address)
    place = assignment.batch.first()
    for side in ("left", "right"):
        visitor.post("/answer/", form(assignment, place, side))
    assert [j.revision for j in Judgment.objects.order_by("pk")] == [0, 1]
    assert len({j.choice for j in Judgment.objects.all()}) == 2


@pytest.mark.parametrize("seconds", ["", "soon", "nan", "inf", "-1", "1e9"])
def test_an_answer_counts_without_a_believable_time(visitor, address, seconds):
    assignment = begin(visitor, address)
    visitor.post("/answer/", form(assignment, assignment.batch.first(), seconds=seconds))
    assert Judgment.objects.get().seconds is None


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("choice", "up", "left, right or tie"),
        ("question", "x", "which question"),
        ("question", "9" * 30, "which question"),
        ("nonce", "\x00", "nonce"),
        ("nonce", "n" * 41, "nonce"),
    ],
)
def test_a_form_that_we_do_not_send_is_refused(visitor, address, field, value, said):
    assignment = begin(visitor, address)
    wrong = form(assignment, assignment.batch.first()) | {field: value}
    response = visitor.post("/answer/", wrong, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (400, "form")
    assert said in response.json()["error"]
    assert Judgment.objects.count() == 0


def test_a_tie_is_refused_where_the_study_takes_none(visitor, study, address):
    study.ties_allowed = False
    study.save()
    assignment = begin(visitor, address)
    assert 'value="tie"' not in visitor.get(address).content.decode()
    response = visitor.post("/answer/", form(assignment, assignment.batch.first(), "tie"), headers=JSON)
    assert (response.status_code, response.json()["code"]) == (400, "refused")


def test_an_item_without_content_can_still_be_judged(visitor, address):
    Item.objects.update(text="")
    assignment = begin(visitor, address)
    assert text_of(visitor.get(address)).count("(no text was loaded for this item)") == 26
    assert visitor.post("/answer/", form(assignment, assignment.batch.first())).status_code == 303


# Tokens


@pytest.mark.parametrize("address_of", ["/answer/", "/submit/"])
def test_forged_tokens_are_refused(visitor, address, address_of):
    """Altered, cut, empty, signed for a picture, and of a batch that does not exist."""
    assignment = begin(visitor, address)
    fields = form(assignment, assignment.batch.first())
    real = fields["token"]
    wrong_salt = tokens.sign_image(assignment.pk)
    foreign_key = signing.Signer(key="other", salt=tokens.ASSIGNMENT_SALT).sign(str(assignment.pk))
    gone = tokens.sign_assignment(assignment.pk + 999)
    for forged in (real[:-1], "9" + real, "", wrong_salt, foreign_key, gone):
        response = visitor.post(address_of, fields | {"token": forged})
        assert response.status_code == 403
        assert "Open the address that you were given" in text_of(response)
    assert Judgment.objects.count() == 0
    assert Assignment.objects.get().state == "working"


def test_the_question_of_another_batch_is_refused(visitor, study, address):
    mine = begin(visitor, address)
    theirs = begin(visitor, f"/i/{invite(study).reference}/")
    others = theirs.batch.exclude(question__in=mine.batch.values("question")).first()
    response = visitor.post("/answer/", form(mine, others), headers=JSON)
    assert (response.status_code, response.json()["code"]) == (403, "not-asked")
    assert Judgment.objects.count() == 0


# Sending the batch


def test_an_unfinished_batch_is_not_taken(visitor, address):
    assignment = begin(visitor, address)
    visitor.post("/answer/", form(assignment, assignment.batch.first()))
    response = send(visitor, assignment)
    assert response.status_code == 409
    assert "12 of 13 questions have no answer yet." in text_of(response)
    assert f'href="{address}"' in response.content.decode()
    assert send(visitor, assignment, **JSON).json()["code"] == "unfinished"


def test_a_finished_batch_is_sent_and_another_offered(visitor, address):
    assignment = begin(visitor, address)
    answer_all(visitor, assignment)
    assert "All 13 questions are answered" in text_of(visitor.get(address))
    assert send(visitor, assignment)["Location"] == address
    assert Assignment.objects.get().state == "kept"
    assert "Judge another batch" in text_of(visitor.get(address))
    assert "Your answers were received." in text_of(visitor.get(address))
    assert send(visitor, assignment, **JSON).json() == {"submitted": True, "next": address}
    second = begin(visitor, address)
    assert not set(second.batch.values_list("question")) & set(assignment.batch.values_list("question"))


def test_after_a_failed_batch_the_same_thanks_and_no_other(visitor, address):
    assignment = begin(visitor, address)
    answer_all(visitor, assignment, wrong=True)
    assert send(visitor, assignment)["Location"] == address
    assert Assignment.objects.get().state == "discarded"
    page = visitor.get(address)
    assert "Your answers were received." in text_of(page)
    assert "<form" not in page.content.decode()
    assert "wrong" not in text_of(page)


def test_an_answer_after_sending_is_over(visitor, address):
    """The second tab of somebody who has sent the batch: told so, and how to go on."""
    assignment = begin(visitor, address)
    answer_all(visitor, assignment)
    send(visitor, assignment)
    late = form(assignment, assignment.batch.first(), "tie")
    response = visitor.post("/answer/", late, headers=JSON)
    assert (response.status_code, response.json()["code"]) == (409, "over")
    page = visitor.post("/answer/", late)
    assert (page.status_code, "This batch is over" in text_of(page)) == (409, True)
    assert f'href="{address}"' in page.content.decode()
    assert Judgment.objects.count() == 13


# Pictures


def test_a_picture_comes_by_its_token_only(visitor, study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study)
    one, other = Item.objects.all()[:2]
    response = visitor.get(f"/image/{tokens.sign_image(one.pk)}/")
    assert b"".join(response) == one.image.read()
    assert response["Content-Type"] == "image/png"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, max-age=31536000, immutable"
    signature = tokens.sign_image(one.pk).split(":")[1]
    for forged in (f"{other.pk}:{signature}", str(other.pk), tokens.sign_assignment(one.pk)):
        assert visitor.get(f"/image/{forged}/").status_code == 403


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP", "BMP"])
def test_a_picture_is_called_what_it_is(visitor, study, settings, tmp_path, kind):
    """Whatever ending its uploader gave it; the expected types are the registered ones."""
    settings.MEDIA_ROOT = tmp_path
    item = Item.objects.first()
    item.image.save("claims-to-be.png", picture((1, 2, 3), kind))
    assert visitor.get(f"/image/{tokens.sign_image(item.pk)}/")["Content-Type"] == f"image/{kind.lower()}"


def test_what_is_no_picture_is_not_called_one(visitor, study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    item = Item.objects.first()
    assert visitor.get(f"/image/{tokens.sign_image(item.pk)}/").status_code == 404
    item.image.save("x.svg", ContentFile(b"<svg onload='alert(1)'/>"))
    address = f"/image/{tokens.sign_image(item.pk)}/"
    assert visitor.get(address)["Content-Type"] == "application/octet-stream"
    item.image.storage.delete(item.image.name)
    assert visitor.get(address).status_code == 404


# Headers and cost


def test_every_page_has_the_headers_of_a_private_page(visitor, address):
    assignment = begin(visitor, address)
    refused = visitor.post("/answer/", {"token": "x"})
    for response in (visitor.get(address), send(visitor, assignment), refused, visitor.get("/i/nobody/")):
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["Cache-Control"] == "no-store"
        assert response["X-Frame-Options"] == "DENY"
        assert "frame-ancestors 'none'" in response["Content-Security-Policy"]
        assert "Cookie" not in response.get("Vary", "")


def queries(act, *args, **more) -> int:
    with CaptureQueriesContext(connection) as captured:
        act(*args, **more)
    return len(captured)


@pytest.mark.parametrize("pairs", [2, 20])
def test_pages_cost_the_same_however_large_the_batch(visitor, pairs):
    """Queries of the instructions, the judging page, an answer by JSON and one by a plain form."""
    study = make_study(batch_pairs=pairs, batch_challenges=1)
    address = f"/i/{invite(study).reference}/"
    costs = [queries(visitor.get, address)]
    assignment = begin(visitor, address)
    first, second = assignment.batch.filter(challenge=False)[:2]
    costs.append(queries(visitor.get, address))
    costs.append(queries(visitor.post, "/answer/", form(assignment, first), headers=JSON))
    costs.append(queries(visitor.post, "/answer/", form(assignment, second)))
    assert costs == [5, 4, 10, 10]
