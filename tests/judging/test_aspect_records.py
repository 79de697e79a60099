"""Aspects in what leaves a study: files, the API, preference pairs, releases, copies; and what is erased."""

import io
import json
from dataclasses import asdict
from hashlib import sha256

import pytest
from django.core.management import call_command
from django.urls import reverse

from collection.models import Action, Item, Study
from collection.study import lifecycle
from judging.audit import derived_state, hash_chain, verification
from judging.models import Judgment, Task
from judging.people import remarks
from judging.questions import asking
from judging.tasks.aspects import AspectSettings, Details
from scoring import jobs as scoring_jobs
from tests.api.programs import Program
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.makers import invite, make_study, open_study, sit
from tournament import services as tournament
from web.organizer.setup import whole_study
from web.release.release_loader import BadRelease, load

pytestmark = pytest.mark.django_db
TASK = AspectSettings(aspects="Correct\nClear\nSafe", reasons="Too long\nOff topic", remark="asked")
WROTE = "Tells it twice"


def longer(place) -> Details:
    """The item with the smaller docno is more correct, the other clearer; the left one is wordy."""
    first, second = [one.item.docno for one in place.question.subjects.all()]
    smaller = 1 if (first < second) == (place.shown == "01") else -1
    aspects = {"Correct": smaller, "Clear": -smaller}
    return Details(aspects, ("Too long",), WROTE if place.role == "counts" else "", TASK.rules)


@pytest.fixture(scope="module")
def told(module_data):
    """Two people judged a batch each; of two items the one with the smaller docno is preferred."""
    study = staff_of(make_study(topics=2, items=5, k=2, pairings=2, batch_pairs=3, batch_challenges=1))
    task = asking.task_of(study)
    task.settings = asdict(TASK)
    task.save()
    Item.objects.update(text="A text.")
    open_study(study)
    for _ in range(2):
        sit(invite(study), say=longer)
    tournament.catch_up()
    scoring_jobs.sweep()
    hash_chain.seal()
    return study.pk


@pytest.fixture
def study(db, told):
    return Study.objects.get(pk=told)


def lines(client, name, study, query="") -> list[dict]:
    body = client.get(reverse(name, args=[study.slug]) + query).getvalue().decode()
    return [json.loads(line) for line in body.splitlines()]


def test_the_file_names_winners_by_docno_whichever_side_they_stood_on(study):
    found = lines(logged_in("bob"), "aspects-export", study)
    assert len(found) == Judgment.objects.settled().filter(topic__study=study).count() == 6
    for one in found:
        smaller, larger = sorted((one["a"], one["b"]))
        assert one["winner"] == smaller
        assert one["aspects"] == {"Correct": smaller, "Clear": larger}
        assert one["reasons"] == ["Too long"]
        assert "sentence" not in one
    assert len({one["assessor"] for one in found}) == 2
    out = io.StringIO()
    call_command("export", study.slug, "aspects", stdout=out)
    assert [json.loads(line) for line in out.getvalue().splitlines()] == found


def test_sentences_are_for_organizers_alone(study):
    address = reverse("aspects-export", args=[study.slug]) + "?sentences=1"
    assert logged_in("bob").get(address).status_code == 404
    found = lines(logged_in("alice"), "aspects-export", study, "?sentences=1")
    assert {one["sentence"] for one in found} == {WROTE}
    for name, sees in (("alice", True), ("bob", False)):
        page = logged_in(name).get(reverse("records", args=[study.slug])).content.decode()
        assert "Aspects and reasons" in page
        assert ("with sentences" in page) is sees


def test_programs_read_them_with_the_judgments(study):
    found = Program("bob", "read").ask(f"/studies/{study.slug}/judgments")["judgments"]
    exported = lines(logged_in("bob"), "aspects-export", study)
    told = [{name: one[name] for name in ("a", "b", "aspects", "reasons")} for one in found]
    assert told == [{name: one[name] for name in ("a", "b", "aspects", "reasons")} for one in exported]


def test_preference_pairs_have_a_margin_for_each_aspect(study):
    out = io.StringIO()
    call_command("export", study.slug, "pairs", stdout=out)
    rows = [json.loads(line) for line in out.getvalue().splitlines()]
    assert rows
    assert {row["aspects"] for row in rows} == {'{"Clear": -1.0, "Correct": 1.0}'}


def test_a_person_s_page_shows_what_they_said_and_their_sentences_can_be_erased(study):
    person = study.assessors.order_by("pk").first()
    alice, address = logged_in("alice"), reverse("person", args=[study.slug, person.pk])
    shown = text(alice.get(address))
    assert "Clear : left, Correct : right." in shown
    assert f"“{WROTE}”" in shown
    before = verification.verify(study)
    erase = reverse("person-sentences", args=[study.slug, person.pk])
    assert "The words of 3 sentences are deleted for good." in text(alice.get(erase))
    assert remarks.number_of(person) == 3
    alice.post(erase)
    assert WROTE not in text(alice.get(address))
    assert remarks.number_of(person) == 0
    assert Judgment.objects.filter(remark__isnull=False).count() == 3
    assert not before.problems
    assert not verification.verify(study).problems
    assert derived_state.rebuild(study) == 0
    noted = Action.objects.get(what=Action.What.ERASED)
    assert (noted.actor, noted.after) == ("alice", {"sentences": 3})
    assert remarks.erase(person) == 0


def released(study, folder) -> dict[str, list[dict]]:
    call_command("release", study.slug, str(folder), stdout=io.StringIO())
    return {
        name: [json.loads(line) for line in (folder / f"{name}.jsonl").open()]
        for name in ("judgments", "questions", "asked")
    }


def test_out_in_a_release_and_in_again_they_are_the_same(study, tmp_path):
    lifecycle.close(study.pk)
    first = released(study, tmp_path / "first")
    everything = b"".join(path.read_bytes() for path in (tmp_path / "first").rglob("*") if path.is_file())
    assert WROTE.encode() not in everything
    # As written: in the same order, whichever database holds it.
    assert [*first["judgments"][0]["details"]["aspects"]] == ["Clear", "Correct"]
    loaded = load(tmp_path / "first", slug="again", organizer=account("alice"))
    again = released(loaded, tmp_path / "second")
    for name, rows in first.items():
        for row in (*rows, *again[name]):
            row.pop("day", None)
        assert again[name] == rows, name
    hash_chain.seal()
    assert not verification.verify(loaded).problems
    own, other = (lines(logged_in("alice"), "aspects-export", one) for one in (study, loaded))
    for one in (*own, *other):
        one.pop("assessor")
    assert own == other


def test_a_release_with_what_its_task_does_not_ask_is_refused(study, tmp_path):
    lifecycle.close(study.pk)
    released(study, tmp_path / "out")
    path, sums = tmp_path / "out" / "judgments.jsonl", tmp_path / "out" / "SHA256SUMS"
    path.write_text(path.read_text().replace('"Clear"', '"Funny"', 1))
    sums.write_text("".join(line for line in sums.open() if not line.endswith("judgments.jsonl\n")))
    with sums.open("a") as file:
        file.write(f"{sha256(path.read_bytes()).hexdigest()}  judgments.jsonl\n")
    with pytest.raises(BadRelease, match="Funny"):
        load(tmp_path / "out", slug="again", organizer=account("alice"))
    assert not Study.objects.filter(slug="again").exists()


def test_a_copy_asks_the_same(study):
    made, _ = whole_study.copy(study, "Copy", account("alice"), what=whole_study.NOTHING)
    assert Task.objects.get(study=made, kind="pair").settings_of_kind == TASK
