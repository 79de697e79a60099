"""What an assessor's pages show and when; pictures, headers and cost.

Every response that any test here receives is checked for cookies: none may ever be set.
"""

import re
from datetime import timedelta

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collection.models import Item, Study, Topic
from judging.batches import answering
from judging.models import Assessor, Assignment, Judgment, Question, QuestionRole
from judging.verdicts import decisions
from tests.judging.studies import give_pictures, invite, make_study, picture
from tests.judging.visiting import JSON, Visitor, answer_all, begin, form, send, text_of
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


def rows() -> tuple[int, ...]:
    return tuple(m.objects.count() for m in (Assessor, Assignment, Judgment, Question))


# Joining, instructions, consent


def test_joining_gives_a_personal_address(visitor, study):
    page = visitor.get("/join/open-to-all/")
    assert "Questions 13 Time" in text_of(page)
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
    study.tasks.update(
        consent="Ethics approval 17/3. Write to garden@example.org.",
        instructions="Choose the plant that lives.",
    )
    page = text_of(visitor.get(address))
    assert "Ethics approval 17/3. Write to garden@example.org." in page
    assert "Choose the plant that lives." in page
    assert "Some questions have answers that are known" in page
    begin(visitor, address)
    page = text_of(visitor.get(address))
    assert "I agree" not in page
    assert "1 of 13" in page


def test_no_script_comes_with_what_organizers_wrote(visitor, study, address):
    bad = "<script>alert(1)</script>"
    study.tasks.update(consent=bad, instructions=bad, wording=bad)
    Topic.objects.update(text=bad)
    Item.objects.update(text=bad)
    pages = [visitor.get(address), visitor.get("/join/open-to-all/")]
    begin(visitor, address)
    pages.append(visitor.get(address))
    for page in pages:
        assert "&lt;script&gt;alert(1)" in page.content.decode()
        assert "<script>" not in page.content.decode()


@pytest.mark.parametrize(
    ("markup", "shown"),
    [
        ("plain", '<p class="plain">**a**\n    &lt;b&gt;b&lt;/b&gt;</p>'),
        ("markdown", "<p><strong>a</strong>\n<b>b</b></p>"),
        ("html", "**a**\n    <b>b</b>"),
    ],
)
def test_texts_are_set_as_the_study_says(visitor, study, address, markup, shown):
    Study.objects.update(markup=markup)
    Item.objects.update(text="**a**\n    <b>b</b>")
    begin(visitor, address)
    page = visitor.get(address).content.decode()
    assert shown in page


def test_instructions_and_consent_are_set_from_markdown(visitor, study, address):
    study.tasks.update(instructions="## Look\n- *first*\n- then", consent="One\ntwo")
    page = visitor.get(address).content.decode()
    assert "<h3>Look</h3>\n<ul>\n<li><em>first</em></li>\n<li>then</li>\n</ul>" in page
    assert "<p>One<br>\ntwo</p>" in page


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
    assert "This study is over" in text_of(visitor.get(address))
    assert visitor.post(address, {"action": "begin"}).status_code == 303
    assert Assignment.objects.count() == 0
    assert Assessor.objects.count() == 1  # nobody joined


def test_the_page_says_when_nothing_is_left(visitor, study, address):
    Question.objects.filter(topic__study=study).update(wanted=0)
    assert "Nothing to judge right now" in text_of(visitor.get(address))
    page = visitor.post(address, {"action": "begin"})
    assert (page.status_code, "Nothing to judge right now" in text_of(page)) == (200, True)


def test_who_found_nothing_at_first_is_shown_what_to_agree_to_before_they_begin(visitor, study, address):
    """Questions that come while the page is open: looking again is no consent to texts never shown."""
    Question.objects.filter(topic__study=study).update(wanted=0)
    html = visitor.get(address).content.decode()
    assert 'value="begin"' not in html
    Question.objects.filter(topic__study=study).update(wanted=1)
    again = re.search(r'data-looks href="([^"]*)">Check for more questions</a>', html)[1]
    assert "What you agree to" in text_of(visitor.get(address + again))
    assert not Assignment.objects.exists()


def test_the_page_offers_exactly_the_batches_that_can_be_drawn(visitor):
    """Judged to the end by one person: 20 pairs in batches of 10, but only 5 challenges in pairs of 2."""
    study = make_study(pairs=20, challenges=5, batch_pairs=5, batch_challenges=2)
    address = f"/i/{invite(study).reference}/"
    offered = []
    while "<form" in (html := visitor.get(address).content.decode()) and "Check for more" not in html:
        offered += [int(number) for number in re.findall(r"<strong>(\d+) question", html)]
        assignment = begin(visitor, address)
        assert assignment.batch.count() == offered[-1]
        answer_all(visitor, assignment)
        send(visitor, assignment)
    assert offered == [7, 7]
    # What was received comes first, then what one can do.
    assert html.index("Your receipt") < html.index("Check for more questions")
    with pytest.raises(answering.NothingLeft):
        answering.arrive(study.assessors.get().pk)


def test_what_an_overdue_batch_held_is_offered_to_others(visitor):
    """Nobody may have swept yet; who arrives gets those questions all the same, so the page offers them."""
    study = make_study(pairs=4, join_token="open-to-all")
    gone, here = (f"/i/{invite(study).reference}/" for _ in range(2))
    begin(visitor, gone)
    assert "Nothing to judge right now" in text_of(visitor.get(here))
    Assignment.objects.update(deadline=timezone.now())
    assert "7 questions" in text_of(visitor.get(here))
    # Anyone who joins by the open link is given half of so few, and three challenges.
    assert "Questions 5 Time" in text_of(visitor.get("/join/open-to-all/"))
    assert begin(visitor, here).batch.count() == 7


def test_an_excluded_person_is_told_that_nothing_is_open_and_stores_nothing(visitor, address):
    assignment = begin(visitor, address)
    decisions.exclude(Assessor.objects.get().pk, "answers by a script")
    refused = visitor.post("/answer/", form(assignment, assignment.batch.first()))
    assert (refused.status_code, Judgment.objects.count()) == (409, 0)
    assert f'href="{address}"' in refused.content.decode()
    page = visitor.get(address)
    assert "Nothing to judge right now" in text_of(page)
    assert "script" not in page.content.decode().split("</head>")[1]  # not why
    looked = visitor.get(f"{address}?looked")
    assert "Looked just now" in text_of(looked)
    assert visitor.post(address, {"action": "begin"}).content == looked.content


@pytest.mark.parametrize(
    ("answered", "said"), [(0, "The time was over before you had answered"), (1, "its answers do not count")]
)
def test_a_batch_whose_time_ran_out_can_be_begun_again(visitor, address, answered, said):
    first = begin(visitor, address)
    for place in first.batch.filter(role="counts")[:answered]:
        visitor.post("/answer/", form(first, place))
    Assignment.objects.update(deadline=timezone.now() - timedelta(seconds=1))
    page = visitor.get(address)
    assert said in text_of(page)
    # It was all read.
    assert page.content.decode().count('<details class="read">') == 2
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


def test_an_item_without_content_can_still_be_judged(visitor, address):
    Item.objects.update(text="")
    assignment = begin(visitor, address)
    assert text_of(visitor.get(address)).count("(no text was loaded for this item)") == 26
    assert (
        visitor.post("/answer/", form(assignment, assignment.batch.earliest("position"))).status_code == 303
    )


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


def test_an_assessors_pictures_are_named_by_their_places_and_die_with_the_batch(
    visitor, study, address, settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study)
    assignment = begin(visitor, address)
    html = visitor.get(address).content.decode()
    found = re.findall(r'data-position="(\d+)"|<img src="(/image/[^"]+)"', html)
    pictures, position = {}, 0
    for number, source in found:
        position = int(number) if number else position
        if source:
            pictures.setdefault(position, []).append(source)
    assert len(pictures) == 13
    for place in assignment.batch.select_related("question"):
        subjects = place.question.subject_ids
        shown = [Item.objects.get(pk=subjects[int(digit)]) for digit in place.shown]
        # As the page is read, from left to right.
        for source, item in zip(pictures[place.position], shown, strict=True):
            assert b"".join(visitor.get(source)) == item.image.read()
            key = source.split("/")[2].split(":")[0]
            assert re.fullmatch(rf"{assignment.pk}_\d+_[01]", key)
    # A picture that stands at several places has one address: it is loaded once.
    shown_items = {
        pk for place in assignment.batch.select_related("question") for pk in place.question.subject_ids
    }
    assert len({source for own in pictures.values() for source in own}) == len(shown_items)
    some = pictures[1][0]
    assert visitor.get(some)["Cache-Control"] == "private, max-age=31536000, immutable"
    forged = tokens.sign_shown(assignment.pk, 99, 0), tokens.sign_shown(assignment.pk, 1, 7)
    for token in forged:
        assert visitor.get(f"/image/{token}/").status_code == 404
    answer_all(visitor, assignment)
    assert visitor.get(some).status_code == 200
    send(visitor, assignment)
    assert visitor.get(some).status_code == 404


def test_a_members_picture_token_lives_for_two_weeks(visitor, study, settings, tmp_path, monkeypatch):
    settings.MEDIA_ROOT = tmp_path
    give_pictures(study)
    week = 7 * 24 * 3600
    monkeypatch.setattr(tokens.time, "time", lambda: 1000.5 * week)
    address = f"/image/{tokens.sign_image(Item.objects.earliest('pk').pk)}/"
    for weeks, status in ((0, 200), (1, 200), (2, 403), (-1, 403)):
        monkeypatch.setattr(tokens.time, "time", lambda weeks=weeks: (1000.5 + weeks) * week)
        assert visitor.get(address).status_code == status


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP", "BMP"])
def test_a_picture_is_called_what_it_is(visitor, study, settings, tmp_path, kind):
    """Whatever ending its uploader gave it; the expected types are the registered ones."""
    settings.MEDIA_ROOT = tmp_path
    item = Item.objects.earliest("pk")
    item.image.save("claims-to-be.png", picture((1, 2, 3), kind))
    assert visitor.get(f"/image/{tokens.sign_image(item.pk)}/")["Content-Type"] == f"image/{kind.lower()}"


def test_what_is_no_picture_is_not_called_one(visitor, study, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    item = Item.objects.earliest("pk")
    assert visitor.get(f"/image/{tokens.sign_image(item.pk)}/").status_code == 404
    item.image.save("x.svg", ContentFile(b"<svg onload='alert(1)'/>"))
    address = f"/image/{tokens.sign_image(item.pk)}/"
    assert visitor.get(address)["Content-Type"] == "application/octet-stream"
    item.image.storage.delete(str(item.image))
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
    first, second = assignment.batch.filter(role=QuestionRole.COUNTS)[:2]
    costs.append(queries(visitor.get, address))
    costs.append(queries(visitor.post, "/answer/", form(assignment, first), headers=JSON))
    costs.append(queries(visitor.post, "/answer/", form(assignment, second)))
    assert costs == [3, 2, 1, 2]


def test_a_text_cannot_show_its_letters_in_another_order(visitor, study, address):
    """Overrides are left out; marks of languages that are written from right to left stay."""
    Item.objects.update(text="one \u202eowt\u202c \u2067שלום\u2069 \u202dthree")
    Topic.objects.update(text="Which \u202etnalp?")
    begin(visitor, address)
    page = visitor.get(address).content.decode()
    assert "one owt\u202c \u2067שלום\u2069 three" in page
    assert "Which tnalp?" in page
    assert not {"\u202d", "\u202e"} & set(page)


@pytest.mark.parametrize("markup", ["plain", "markdown", "html"])
def test_an_empty_text_is_called_empty_and_two_equal_ones_equal(visitor, address, markup):
    """A blank and a sign without width: not what was left out at loading."""
    Item.objects.update(text=" \u200b")
    Study.objects.update(markup=markup)
    begin(visitor, address)
    page = text_of(visitor.get(address))
    assert page.count("(this answer is empty)") == 26
    # Once more in the panel that asks about answers to such a pair.
    assert page.count("Both sides show the same.") == 14
    assert "(no text was loaded" not in page
