"""What a file leaves open is said alike by the page, the command and the HTTP API."""

import io
import json
import unicodedata

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.urls import reverse

from collection.models import Import, Item, Topic
from collection.upload import doubts, loading, pending_uploads
from prefir.formats import (
    GradeRecord,
    ItemRecord,
    Known,
    RunRecord,
    TopicRecord,
    read_answers,
    read_images_zip,
)
from tests.api.programs import Program
from tests.formats.pictures import picture, zipped
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
KNOWN = Known(topics={"q1", "q2"}, items={"q1": {"d1", "d2", "café"}, "q2": {"d1"}})
STRANGE = b"q1 Q0 D1 1 3 up\nq1 Q0 d2.txt 2 2 up\nq2 Q0 D4 1 3 up\n"
NONE = (
    "None of the 3 ranked docnos has an item, so nobody can be shown any: D1 of q1, d2.txt of q1, D4 of q2."
)
CAPITALS = "1 docno of these differs from an item's only in capital letters: D1 for d1"


@pytest.fixture
def study():
    made = staff_of(make_study(topics=0))
    for name, docnos in KNOWN.items.items():
        topic = Topic.objects.create(study=made, name=name, text="?")
        Item.objects.bulk_create(Item(topic=topic, docno=docno, text="x") for docno in docnos)
    return made


def of_run(**rankings):
    return doubts.of_records("run", [RunRecord("r", rankings)], KNOWN)


def test_a_file_that_fits_leaves_no_doubts():
    assert of_run(q1=["d1", "d2"], q2=["d1"]) == []
    assert doubts.of_records("qrels", [GradeRecord("q1", "d1", 1)], KNOWN) == []
    assert doubts.of_records("items", [ItemRecord("q1", "new", "x")], KNOWN) == []
    assert doubts.of_records("topics", [TopicRecord("q3", "Which fern?")], KNOWN) == []
    assert doubts.of_records("run", [RunRecord("r", {"q1": ["x"]})], Known(topics={"q1"})) == []


def test_topics_that_are_not_ranked_and_docnos_without_items_are_named():
    assert of_run(q1=["d1", "new"]) == [
        "1 topic is not ranked, and scores 0: q2",
        "1 ranked docno has no item, so nobody can be shown it: new of q1",
    ]
    assert doubts.of_records("items", [ItemRecord("q3", "d", "x")], Known(topics={"q1", "q3"})) == [
        "1 topic has no item: q1"
    ]


def test_each_docno_is_spelt_once_however_many_are_bare(monkeypatch):
    spelt: list[str] = []
    plain = doubts._plain
    monkeypatch.setattr(doubts, "_plain", lambda docno: spelt.append(docno) or plain(docno))
    known = Known(topics={"q1"}, items={"q1": {f"d{n}" for n in range(50)}})
    doubts.of_records("run", [RunRecord("r", {"q1": [f"x{n}" for n in range(40)]})], known)
    assert len(spelt) == 50 + 40


def test_that_not_one_docno_is_known_is_said_loudly():
    records = [GradeRecord("q1", "x", 1), GradeRecord("q2", "y", 0)]
    (said,) = doubts.of_records("qrels", records, KNOWN)
    assert said.startswith(
        "None of the 2 graded docnos has an item, so nobody can be shown any: x of q1, y of q2"
    )


def test_spellings_that_look_alike_are_named_and_stay_two_ids():
    decomposed = unicodedata.normalize("NFD", "café")
    assert decomposed != "café"
    _, encoded = of_run(q1=[decomposed, "d1"], q2=["d1"])
    assert encoded == (
        "1 docno of these looks like an item's, with accents encoded otherwise (NFC and NFD of Unicode): "
        f"{decomposed} of q1"
    )
    _, capitals = of_run(q1=["D1", "CAFÉ", "d2"], q2=["d1"])
    assert (
        capitals
        == "2 docnos of these differ from an item's only in capital letters: D1 for d1, CAFÉ for café"
    )


def test_texts_as_long_as_passages_are_doubted_as_topics():
    (said,) = doubts.of_records("topics", [TopicRecord("0", "A fern. " * 40)], KNOWN)
    assert "Passages are no topics" in said


def test_the_command_says_what_a_file_leaves_open(study, tmp_path):
    path, said = tmp_path / "up.run", io.StringIO()
    path.write_bytes(STRANGE)
    call_command("load", study.slug, "run", str(path), stdout=io.StringIO(), stderr=said)
    assert f"up.run: {NONE}" in said.getvalue()
    assert f"up.run: {CAPITALS}" in said.getvalue()


def test_programs_are_told_what_a_file_leaves_open(study):
    alice = Program("alice", "load")
    sent = alice.load(f"/studies/{study.slug}/runs?name=up.run", STRANGE).json()
    assert sent["doubts"] == []
    loading.run_next()
    told = alice.ask(f"/studies/{study.slug}/imports/{sent['id']}")
    assert told["state"] == "done"
    assert told["doubts"][0].startswith(NONE)
    assert told["doubts"][1] == CAPITALS


def test_pages_say_what_a_file_leaves_open_before_and_after_it_is_loaded(study):
    alice, address = logged_in("alice"), reverse("files", args=[study.slug])
    said = text(alice.post(address, {"files": [SimpleUploadedFile("up.run", STRANGE)]}, follow=True))
    assert NONE in said
    assert pending_uploads.ready(pending_uploads.of(study))
    alice.post(address, {"what": "load"})
    loading.run_next()
    for page in ("import", "files"):
        parts = [study.slug, Import.objects.get().pk][: 2 if page == "import" else 1]
        assert NONE in text(alice.get(reverse(page, args=parts)))


def test_docnos_of_pictures_that_are_not_named_like_their_files_are_told():
    known = Known(topics={"sea"}, kind="image")
    found = read_images_zip("z.zip", zipped({"sea/img 1.png": picture(), "sea/b.png": picture()}), known)
    assert doubts.of_records("images", found, known) == ["1 docno with _ or - for spaces: img_1"]


def test_answers_that_meet_no_other_answer_and_ids_of_rows_are_told():
    """Of one model, or beside what is loaded already, answers have others to meet."""

    def told(*rows, known=KNOWN):
        content = "".join(f"{json.dumps(row)}\n" for row in rows).encode()
        return doubts.of_answers(read_answers("a.jsonl", content, known), known)

    rows = [{"prompt_id": n, "prompt": f"{n}?", "model": m, "answer": "x"} for n, m in enumerate("abc")]
    [alone] = [one for one in told(*rows) if "nothing to compare" in one]
    assert alone.startswith("No prompt has answers of two models")
    there = Known(topics={"0"}, items={"0": {"other"}})
    assert not any("nothing to compare" in one for one in (*told(*rows, known=there), *told(rows[0])))
    again = [row | {"prompt_id": n, "prompt": f"{n % 2}?"} for n, row in enumerate((*rows, rows[0]))]
    assert told(*again)[0].startswith("4 ids stand for 2 different prompts, so they are ids of rows")
