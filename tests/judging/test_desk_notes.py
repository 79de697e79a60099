"""The desk of people with accounts: their record, marks and notes, search, one answer in full."""

import re
from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judging.batches import answering, declines
from judging.models import AnswerNote, Assessor, Judgment, QuestionRole, Task
from judging.people import remarks
from judging.people.answer_notes import write_note
from judging.people.own_record import own_record
from judging.tasks.pair import lean_of
from tests.emptying import unguarded
from tests.judging.organizing import logged_in, staff_of, text
from tests.judging.studies import make_study
from tests.judging.test_desk_answers import judged, listed
from tests.judging.test_desk_pages import begin, seated
from tests.makers import invite

pytestmark = pytest.mark.django_db
ANSWERS, NOTE = "/desk/garden/answers/", "/desk/garden/note/"


@pytest.fixture
def study():
    made = make_study(pairs=20, challenges=9, slug="garden")
    Task.objects.filter(study=made).update(batch_challenges=2, batch_size=3)
    return made


@pytest.fixture
def dora(study):
    return seated(study)


def note(browser, batch, position=1, **given):
    return browser.post(NOTE, {"batch": batch.pk, "position": position, **given})


def rows(browser, **asked) -> list[str]:
    return listed(browser.get(ANSWERS, asked).content.decode())


def test_a_mark_and_a_note_are_kept_found_again_and_taken_back(dora, study):
    batch = judged(dora, study)
    response = note(dora, batch, 2, uncertain="on", text=" Looks copied ")
    assert response["Location"] == f"{ANSWERS}{batch.pk}/2/"
    note(dora, batch, 3, text="Read again")
    page = dora.get(f"{ANSWERS}{batch.pk}/2/").content.decode()
    assert "Looks copied" in page
    assert re.search(r'name="uncertain" checked', page)
    assert (len(rows(dora)), len(rows(dora, show="uncertain")), len(rows(dora, show="noted"))) == (5, 1, 2)
    assert len(rows(dora, search="copied")) == 1
    note(dora, batch, 2)
    assert list(AnswerNote.objects.values_list("text", flat=True)) == ["Read again"]


def test_words_are_looked_for_in_topics_and_notes(dora, study):
    judged(dora, study)
    assert len(rows(dora, search="DROUGHT")) == 5
    assert rows(dora, search="zebra") == []
    assert "Nothing matches." in text(dora.get(ANSWERS, {"search": "zebra"}))
    assert "show = all is not known" not in text(dora.get(ANSWERS, {"show": "all"}))


def test_notes_are_their_writers_and_nobody_elses(dora, study):
    batch = judged(dora, study)
    erik = seated(study, "erik")
    assert note(erik, batch, text="Mine").status_code == 404
    assert erik.get(f"{ANSWERS}{batch.pk}/1/").status_code == 404
    assert note(dora, batch, 77, text="Nowhere").status_code == 404
    with pytest.raises(answering.JudgingError, match="accounts"):
        write_note(invite(study), batch.pk, 1, uncertain=True, text="")
    assert not AnswerNote.objects.exists()


def test_a_note_says_something_and_stands_once(dora, study):
    batch = judged(dora, study)
    place = batch.batch.first()
    for _ in range(2):
        note(dora, batch, place.position, text="x" * 600 + "\0")
    own = AnswerNote.objects.get()
    assert own.text == "x" * 500
    empty = {"assessor": batch.assessor, "question_id": place.question_id + 1}
    for wrong in (empty, {"assessor": batch.assessor, "question_id": place.question_id, "uncertain": True}):
        with pytest.raises(IntegrityError), transaction.atomic():
            AnswerNote.objects.create(**wrong)


def test_a_note_changes_no_answer_and_no_hash(dora, study):
    batch = judged(dora, study)
    before = list(Judgment.objects.values())
    note(dora, batch, uncertain="on", text="Hm")
    assert list(Judgment.objects.values()) == before


def test_what_they_cannot_judge_is_listed_apart_with_its_reason(dora, study):
    batch = begin(dora, study, study.topics.get(name="drought"))
    declines.decline(batch.pk, 2, "language")
    assert rows(dora) == []
    assert "in a language that I do not read" in rows(dora, show="cannot")[0]
    assert "You cannot judge it" in text(dora.get(f"{ANSWERS}{batch.pk}/2/"))


def test_one_answer_stands_in_full(dora, study):
    batch = judged(dora, study)
    page = dora.get(f"{ANSWERS}{batch.pk}/1/").content.decode()
    place = batch.batch.select_related("question").get(position=1)
    assert all(subject.item.text in page for subject in place.question.subjects.all())
    assert 'class="answers whole"' in page


def test_the_judging_page_knows_the_notes_of_its_batch_and_offers_them_to_accounts_alone(dora, study):
    batch = begin(dora, study, study.topics.get(name="drought"))
    note(dora, batch, 3, uncertain="on", text='"so" <b>')
    page = dora.get("/desk/garden/judge/").content.decode()
    assert "{&#34;3&#34;: [true, &#34;\\&#34;so\\&#34; &lt;b&gt;&#34;]}" in page
    link = invite(study)
    answering.arrive(link.pk)
    assert 'id="note"' not in dora.get(f"/i/{link.reference}/").content.decode()


def test_the_desk_adds_up_today_and_all(dora, study):
    batch = judged(dora, study)
    with unguarded():
        Judgment.objects.update(seconds=30.0)
        first = batch.judgments.earliest("pk")
        Judgment.objects.filter(pk=first.pk).update(created_at=timezone.now() - timedelta(days=2))
    answers, minutes, today, minutes_today, *_ = own_record(batch.assessor)
    assert (answers, minutes, today, minutes_today) == (5, 3, 4, 2)
    page = text(dora.get("/desk/garden/"))
    assert "Today 4 answers, 2 min In all 5 answers, 3 min" in page
    assert "0 of 2 topics done" in page


@pytest.mark.parametrize("same", [True, False])
def test_questions_asked_twice_tell_how_far_one_agrees_with_oneself(dora, study, same):
    """Whichever side the items stood on."""
    Task.objects.filter(study=study).update(repeats=1)
    batch = begin(dora, study, study.topics.get(name="drought"))
    for place in batch.batch.all():
        lean = -1 if place.role == QuestionRole.REPEAT and not same else 1
        answering.record(batch.pk, place.question_id, lean_of(lean, place.shown))
    found = own_record(batch.assessor)
    assert (found.twice, found.alike) == (1, int(same))
    assert f"Asked twice {int(same)} of 1 answered alike" in text(dora.get("/desk/garden/"))


def test_organizers_read_notes_and_erase_them_with_the_sentences(dora, study):
    staff_of(study)
    alice = logged_in("alice")
    batch = judged(dora, study)
    note(dora, batch, 1, uncertain="on", text="My neighbour wrote it")
    person = Assessor.objects.get(user__username="dora")
    page = text(alice.get(f"/studies/garden/people/{person.pk}/"))
    assert "Marked as uncertain." in page
    assert "My neighbour wrote it" in page
    assert remarks.erase(person) == 1
    assert not AnswerNote.objects.exists()
