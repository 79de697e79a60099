"""What organizers see of questions that could not be judged: their page, the person's, the export."""

import re
from io import StringIO

import pytest
from django.core.management import call_command

from collection.models import Action
from judging.batches import answering, declines, sittings
from judging.models import Decline, Question
from judging.verdicts import question_set_aside
from tests.judging.organizing import logged_in, queries, staff_of, text
from tests.judging.studies import make_study
from tests.makers import Choice, invite, record

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/cannot-judge/"
PAGE = "/studies/garden/challenges/"


@pytest.fixture
def study():
    return staff_of(make_study(pairs=4, challenges=2, batch_pairs=4, batch_challenges=0))


def say(study, position: int = 1, reason: str = "broken", note: str = "", people: int = 1) -> Question:
    for _ in range(people):
        batch = answering.arrive(invite(study).pk)
        declines.decline(batch.pk, position, reason, note)
        question = batch.batch.get(position=position).question
        sittings.release(batch.pk)
    return question


def docnos(page) -> set[str]:
    """What is shown of questions that could not be judged; challenges follow them on the page."""
    return set(re.findall(r"DOCNO-[\w-]+", page.content.decode().partition('id="challenges"')[0]))


def test_the_study_page_leads_there_once_there_is_something(study):
    alice, bob = logged_in("alice"), logged_in("bob")
    assert "could not judge" not in text(alice.get("/studies/garden/"))
    say(study)
    assert "1 question that somebody could not judge" in text(alice.get("/studies/garden/"))
    assert f"{PAGE}#declined" in alice.get("/studies/garden/").content.decode()
    assert PAGE not in bob.get("/studies/garden/").content.decode()
    assert bob.get(PAGE).status_code == 403


def test_each_question_with_its_reasons_notes_and_material(study):
    say(study, note="<b>no text</b>")
    say(study, reason="alike")
    page = logged_in("alice").get(PAGE)
    said = text(page)
    assert (
        "2 people could not judge it : They are too much alike (1); It is broken, or cannot be read (1)"
        in (said)
        or "2 people could not judge it : It is broken, or cannot be read (1); They are too much alike (1)"
        in said
    )
    assert "&lt;b&gt;no text&lt;/b&gt;" in page.content.decode()
    assert len(docnos(page)) == 2
    assert "About" in said


def test_a_question_that_was_set_aside_is_listed_though_nobody_declined_it(study):
    question = Question.objects.filter(study=study, expected__isnull=True).earliest("pk")
    question_set_aside.set_aside(question.pk, "the same passage twice")
    assert len(docnos(logged_in("alice").get(PAGE))) == 2


def test_set_aside_at_once_and_asked_again(study):
    question = say(study)
    alice = logged_in("alice")
    address = f"{ADDRESS}{question.pk}/"
    assert "Set this question aside?" in text(alice.get(address))
    assert alice.post(address, {"do": "aside", "why": ""}).status_code == 200
    alice.post(address, {"do": "aside", "why": "the file is lost"})
    question.refresh_from_db()
    assert question.set_aside_at is not None
    assert "Set aside by alice" in text(alice.get(address))
    assert "Ask it again" in text(alice.get(PAGE))
    for _ in range(2):
        alice.post(address, {"do": "again", "why": "found"})
    question.refresh_from_db()
    assert question.set_aside_at is None
    done = Action.objects.filter(about=f"question {question.pk}").values_list("what", flat=True)
    assert list(done.order_by("pk")) == ["set aside", "asked again"]


def test_a_challenge_has_its_own_page(study):
    challenge = Question.objects.filter(expected__isnull=False).earliest("pk")
    answer = logged_in("alice").get(f"{ADDRESS}{challenge.pk}/")
    assert answer["Location"] == f"/studies/garden/challenges/{challenge.pk}/"


def test_the_page_asks_the_same_however_many_there_are(study):
    alice = logged_in("alice")
    say(study, 1, note="one")
    before = queries(alice, PAGE)
    for position in (2, 3):
        say(study, position, note="more", people=2)
    assert queries(alice, PAGE) == before


def test_somebody_who_could_not_judge_most_is_named_there(study):
    study.tasks.update(batch_size=6)
    Question.objects.update(wanted=1)
    batch = answering.arrive(invite(study).pk)
    for position in range(1, 6):
        declines.decline(batch.pk, position, "unknown")
    person = f"/studies/garden/people/{batch.assessor_id}/"
    page = logged_in("alice").get(PAGE)
    assert "could not judge 5 questions, answered 0" in text(page)
    assert f'href="{person}"' in page.content.decode()


def test_the_persons_page_says_what_they_could_not_judge_and_why(study):
    batch = answering.arrive(invite(study).pk)
    declines.decline(batch.pk, 1, "offensive", "blood")
    record(batch.pk, batch.batch.get(position=2).question_id, Choice.A)
    said = text(logged_in("alice").get(f"/studies/garden/people/{batch.assessor_id}/"))
    assert "1 question that they could not judge." in said
    assert "Could not judge it: It is offensive . “blood”" in said


def test_a_note_is_no_formula_in_the_export(study):
    """What somebody typed may be opened by a spreadsheet."""
    say(study, reason="other", note="=HYPERLINK(1)")
    out = StringIO()
    call_command("export", "garden", "declined", stdout=out)
    assert out.getvalue().splitlines()[1].split("\t")[8] == "'=HYPERLINK(1)"


def test_the_export_has_a_line_for_each(study):
    question = say(study, reason="language", note="in\tGreek\nand Latin")
    batch = Decline.objects.get().assignment
    line = answering.arrive(batch.assessor_id).batch.get(question=question)
    answering.answer(batch.pk, line.position, 1, kind="pair")
    out = StringIO()
    call_command("export", "garden", "declined", stdout=out)
    head, row = (found.split("\t") for found in out.getvalue().splitlines())
    assert head == ["topic", "kind", "compared", "reason", "challenge", "answered", "assessor", "day", "note"]
    docnos = [subject.item.docno for subject in question.subjects.all() if subject.item]
    assert row[:6] == [question.topic.name, "pair", " ".join(docnos), "language", "no", "yes"]
    assert row[8] == "in Greek and Latin"
    downloaded = logged_in("alice").get("/studies/garden/cannot-judge.tsv")
    assert b"".join(downloaded).decode() == out.getvalue()
    assert logged_in("bob").get("/studies/garden/cannot-judge.tsv").status_code == 403
