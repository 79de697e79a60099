"""Versions of texts: what assessors read is on record, changed in the open, and agreed to again."""

import json
import re

import pytest
from django.core.management import call_command

from collection import audit_log
from collection.models import Action, Study
from collection.study import lifecycle
from judging.audit import hash_chain, verification
from judging.batches import answering
from judging.models import Assignment, TextVersion
from judging.questions import asking, grading, texts
from judging.questions.texts import NotRead, SeenText
from tests.judging.organizing import staff_of, text
from tests.judging.test_studies_pages import settings_of
from tests.judging.visiting import Visitor, answer_all, begin, form, send, side_of_known, text_of
from tests.makers import add_run, invite, make_study, open_study

pytestmark = pytest.mark.django_db
SETTINGS = "/studies/pilot/settings/"


@pytest.fixture
def visitor():
    return Visitor()


@pytest.fixture
def study():
    made = make_study(items=8, slug="pilot", batch_pairs=4, batch_challenges=2, consent="I take part.")
    return open_study(staff_of(made))


@pytest.fixture
def address(study):
    return f"/i/{invite(study).reference}/"


def change(alice, study: Study, sentence: str = "A typo.", **fields):
    """Change texts by the page of settings."""
    study.refresh_from_db()
    return alice.post(SETTINGS, settings_of(study, change=sentence, **fields))


def read(visitor, address) -> dict[str, str]:
    """The fields of the button that takes a batch."""
    page = visitor.get(address).content.decode()
    return dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', page))


def finish(visitor, address) -> Assignment:
    """Judge a batch to its end."""
    assert visitor.post(address, read(visitor, address)).status_code == 303
    batch = Assignment.objects.get(state="working")
    answer_all(visitor, batch)
    send(visitor, batch)
    return batch


def test_opening_puts_the_texts_on_record(study):
    [first] = TextVersion.objects.filter(task__study=study)
    assert (first.number, first.consent, first.asked_by) == (1, "I take part.", "The Garden Lab")
    open_study(study)  # a repeat
    assert TextVersion.objects.count() == 1


def test_a_typo_is_mended_as_a_new_version_that_the_trail_shows(alice, study):
    assert change(alice, study, "Fern, not fren.", instructions="Choose the fern.").status_code == 302
    old, new = TextVersion.objects.all()
    assert (old.instructions, new.instructions, new.number) == ("", "Choose the fern.", 2)
    assert (new.actor, new.change) == ("alice", "Fern, not fren.")
    told = text(alice.get("/studies/pilot/trail/"))
    assert "changed what assessors read: pair, version 2: Fern, not fren." in told
    assert "Choose the fern." in told
    assert "Fern, not fren. alice" in text(alice.get(SETTINGS))


def test_what_changes_has_to_be_said_and_nothing_is_stored_without(alice, study):
    page = change(alice, study, "", instructions="Choose the fern.")
    assert "Say in a sentence what changes" in text(page)
    assert TextVersion.objects.count() == 1
    assert asking.task_of(study).instructions == ""


def test_settings_saved_without_a_change_of_texts_make_no_version(alice, study):
    assert change(alice, study, "", name="Another name").status_code == 302
    assert TextVersion.objects.count() == 1
    assert not Action.objects.filter(what="texts").exists()


def test_before_opening_texts_are_drafts(alice):
    study = staff_of(make_study(slug="pilot"))
    assert alice.post(SETTINGS, settings_of(study, consent="Other.")).status_code == 302
    assert not TextVersion.objects.exists()
    assert asking.task_of(study).version == 1


def test_a_batch_keeps_the_version_that_its_assessor_saw(alice, visitor, study, address):
    assert finish(visitor, address).version == 1
    change(alice, study, instructions="Choose the fern.")
    page = visitor.get(address)
    assert "The instructions have been changed since your last batch" in text_of(page)
    assert finish(visitor, address).version == 2
    assert [one.batches for one in texts.versions(asking.task_of(study))] == [1, 1]


@pytest.mark.parametrize("field", ["consent", "asked_by", "contact"])
def test_after_a_change_of_what_they_agree_to_people_are_asked_again(alice, visitor, study, address, field):
    """At their next batch, and once."""
    finish(visitor, address)
    change(alice, study, **{field: "Changed."})
    page = text_of(visitor.get(address))
    assert "What you agree to was changed since your last batch" in page
    assert "Changed." in page
    assert "I agree, start judging" in page
    finish(visitor, address)
    assert "What you agree to was changed" not in text_of(visitor.get(address))


def test_who_agreed_while_the_consent_was_changed_reads_the_new_one_first(alice, visitor, study, address):
    old = read(visitor, address)
    change(alice, study, consent="I take part gladly.")
    assert visitor.post(address, old).status_code == 303
    assert not Assignment.objects.exists()
    assert "I take part gladly." in text_of(visitor.get(address))
    assert finish(visitor, address).version == 2


def test_a_batch_names_what_was_seen_where_only_a_typo_was_mended_meanwhile(alice, visitor, study, address):
    old = read(visitor, address)
    change(alice, study, instructions="Choose the fern.")
    visitor.post(address, old)
    assert Assignment.objects.get().version == 1


@pytest.mark.parametrize("door", [answering.begin, answering.arrive])
@pytest.mark.parametrize("wrong", ["task", "older", "never"])
def test_no_door_opens_a_batch_by_other_texts(alice, study, door, wrong):
    """By the written statements and by the plain form alike."""
    change(alice, study, consent="Other.")
    task = asking.task_of(study)
    seen = {"task": SeenText(task.pk + 1, 2), "older": SeenText(task.pk, 1), "never": SeenText(task.pk, 3)}[
        wrong
    ]
    with pytest.raises(NotRead):
        door(invite(study).pk, seen)
    assert not Assignment.objects.exists()
    door(invite(study).pk, SeenText(task.pk, 2))
    assert Assignment.objects.get().version == 2


def test_a_change_in_the_middle_costs_nobody_their_place(alice, visitor, study, address):
    """The open page's answers are taken; the next page shows the new text at the same question."""
    batch = begin(visitor, address)
    before = visitor.get(address)
    assert visitor.post("/answer/", _form(batch, 1)).status_code == 303
    change(alice, study, question="Which would you rather read?", consent="Other.")
    assert visitor.post("/answer/", _form(batch, 2)).status_code == 303
    page = text_of(visitor.get(address))
    assert "Which would you rather read?" not in text_of(before)
    assert "Which would you rather read?" in page
    assert "3 of 6" in page
    answer_all(visitor, batch)
    send(visitor, batch)
    batch.refresh_from_db()
    assert (batch.state, batch.version) == ("kept", 1)


def _form(batch, position):
    place = batch.batch.get(position=position)
    return form(batch, place, side_of_known(place))


def test_consent_names_who_asks_and_whom_to_write_to(visitor, study, address):
    page = visitor.get(address)
    assert "Who asks. The Garden Lab" in text_of(page)
    assert 'href="mailto:lab@example.org"' in page.content.decode()
    Study.objects.update(contact="the warden, room 3")
    page = visitor.get(address)
    assert "Write to the warden, room 3" in text_of(page)
    assert "mailto:" not in page.content.decode()


def test_the_open_link_needs_both(alice):
    study = staff_of(make_study(slug="pilot", consent="I take part."))
    Study.objects.update(contact=" ")
    open_study(study)
    with pytest.raises(lifecycle.CannotSteer, match="who asks and whom to write to"):
        lifecycle.open_link(study.pk, on=True)
    link = "/studies/pilot/people/open-link/"
    page = alice.post(link, {"on": "1"}, follow=True)
    assert "who asks and whom to write to" in text(page)
    study.refresh_from_db()
    assert study.join_token is None
    assert 'name="contact"' in page.content.decode()
    alice.post(link, {"on": "1", "asked_by": "Others", "contact": "lab@example.org"})
    study.refresh_from_db()
    assert study.join_token
    assert [one.contact for one in TextVersion.objects.order_by("number")] == [" ", "lab@example.org"]
    # Who agreed before is asked again: who asks is a part of what people agree to.
    assert asking.task_of(study).consent_version == 2
    with pytest.raises(lifecycle.CannotSteer, match="under Settings"):
        texts.set_requester(study.pk, "Somebody else", "lab@example.org")


def test_both_are_filled_in_where_the_open_link_is_turned_on(alice):
    study = staff_of(make_study(slug="pilot", asked_by=""))
    link = "/studies/pilot/people/open-link/"
    assert 'name="contact"' in alice.get("/studies/pilot/people/").content.decode()
    alice.post(link, {"on": "1", "asked_by": "The Lab", "contact": " "})
    study.refresh_from_db()
    assert (study.join_token, study.asked_by) == (None, "")
    alice.post(link, {"on": "1", "asked_by": "The Lab", "contact": "lab@example.org"})
    study.refresh_from_db()
    assert study.join_token
    assert (study.asked_by, study.contact) == ("The Lab", "lab@example.org")
    noted = Action.objects.filter(study=study.pk, what=audit_log.What.SETTINGS).first()
    assert noted.after["Who asks"] == "The Lab"


def test_the_page_that_opens_a_study_says_when_nobody_is_said_to_ask(alice):
    staff_of(make_study(slug="pilot", asked_by=""))
    assert "Assessors are not told who asks them" in text(alice.get("/studies/pilot/start/"))
    Study.objects.update(asked_by="The Lab")
    assert "Assessors are not told" not in text(alice.get("/studies/pilot/start/"))


def test_what_each_batch_saw_is_exported_and_sealed(alice, visitor, study, address, capsys):
    finish(visitor, address)
    change(alice, study, "Who asks.", asked_by="The Moss Lab")
    finish(visitor, address)
    lines = b"".join(alice.get("/studies/pilot/texts.jsonl")).decode().splitlines()
    found = [json.loads(line) for line in lines]
    assert [(one["number"], one["asked_by"]) for one in found[:2]] == [
        (1, "The Garden Lab"),
        (2, "The Moss Lab"),
    ]
    assert [one["version"] for one in found[2:]] == [1, 2]
    call_command("export", "pilot", "texts")
    assert capsys.readouterr().out.splitlines() == lines
    hash_chain.seal()
    ledger = b"".join(alice.get("/studies/pilot/ledger.jsonl")).decode()
    sealed = [json.loads(line) for line in ledger.splitlines()]
    assert [one["version"] for one in sealed if one["kind"] == "batch"] == [1, 2]
    assert not verification.verify(study).problems


def test_what_assessors_read_is_exported_for_organizers_alone(bob, study):
    assert bob.get("/studies/pilot/texts.jsonl").status_code == 403


def test_what_grades_mean_is_mended_as_a_version_too(alice):
    study = staff_of(make_study(slug="pilot", batch_challenges=0))
    task = grading.usual(study)
    grading.put_first(task)
    task.save()
    add_run(study, "run", {"t1": ["t1-a", "t1-b"]})
    open_study(study)
    mended = task.settings["guidelines"].replace("fully", "in full")
    sent = {"wording": task.wording, "guidelines": mended, "depth": "99", "change": "In full."}
    page = alice.post("/studies/pilot/grading/", sent | {"guidelines": "3 Good"})
    assert "No line begins with" in text(page)
    assert "Say in a sentence" in text(alice.post("/studies/pilot/grading/", sent | {"change": ""}))
    assert alice.post("/studies/pilot/grading/", sent).status_code == 302
    task.refresh_from_db()
    assert (task.version, task.settings["depth"]) == (2, 10)
    assert "in full" in TextVersion.objects.get(task=task, number=2).guidelines
    assert "In full. alice" in text(alice.get("/studies/pilot/grading/"))
