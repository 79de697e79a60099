"""Descriptions of pictures and recordings: read by every door, and read out wherever assessors meet them."""

import io
import json
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from collection.models import Item, Study
from collection.study import lifecycle
from collection.upload import loading
from judging.batches import answering
from prefir.formats import BadFile, Known, read_descriptions, read_table
from tests.api.programs import Program
from tests.api.test_loading import load
from tests.formats.pictures import zipped
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import give_pictures, invite, make_study, picture
from web.organizer.setup import whole_study

KNOWN = Known({"t"}, {"t": {"a", "b"}}, "image", fixed=())
GOOD = [
    {"topic": "t", "docno": "a", "description": "Two dogs\non a beach"},
    {"topic": "t", "docno": "b", "description": "<b>"},
]


def jsonl(rows) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def read(given: bytes, known: Known = KNOWN):
    return read_table("descriptions", "f", given, lambda given: read_descriptions("f", given, known))


@pytest.mark.parametrize(
    "given",
    [
        jsonl(GOOD),
        b'topic,docno,alt\nt,a,"Two dogs\non a beach"\nt,b,<b>\n',
        b'qid;doc_id;Alt text\nt;a;"Two dogs\non a beach"\nt;b;<b>\n',
        json.dumps(
            [{"topic": r["topic"], "docno": r["docno"], "caption": r["description"]} for r in GOOD]
        ).encode(),
    ],
)
def test_descriptions_are_read_from_lines_and_tables(given):
    assert [record[:3] for record in read(given)] == [
        ("t", "a", "Two dogs on a beach"),
        ("t", "b", "<b>"),
    ]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"docno": "c"}, 'topic "t" has no docno "c"; load its file first'),
        ({"topic": "u"}, 'unknown topic "u"'),
        ({"docno": "a"}, "was already described on line 1"),
        ({"description": " "}, "the description is empty"),
        ({"description": "x" * 2001}, "at most 2,000 are allowed"),
        ({"description": None}, "null|not a string"),
        ({"more": "x"}, "unknown key"),
    ],
)
def test_what_describes_no_picture_is_named_by_its_line(change, reason):
    with pytest.raises(BadFile) as caught:
        read_descriptions("f", jsonl([GOOD[0], GOOD[1] | change]), KNOWN)
    (problem,) = caught.value.problems
    assert problem.line == 2
    assert re.search(reason, problem.reason)


def test_a_word_for_what_is_missing_is_no_description():
    with pytest.raises(BadFile, match="as programs write what is missing"):
        read(b"topic,docno,alt\nt,a,NaN\n")


def test_a_study_of_texts_takes_none():
    with pytest.raises(BadFile, match="compares texts"):
        read_descriptions("f", jsonl(GOOD), Known({"t"}, {"t": {"a", "b"}}, "text"))


@pytest.fixture
def study(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    made = staff_of(make_study(kind=Study.Kind.IMAGE))
    give_pictures(made)
    return made


def said_of(item: Item) -> str:
    return f"{item.docno[6:]} & <i>its leaves</i>"


def rows_of(study) -> list[dict[str, str]]:
    items = Item.objects.filter(topic__study=study).select_related("topic").order_by("pk")
    return [{"topic": one.topic.name, "docno": one.docno, "description": said_of(one)} for one in items]


@pytest.mark.django_db
def test_every_door_takes_descriptions_while_judging_is_open(study, tmp_path):
    rows = rows_of(study)
    described = Item.objects.filter(topic__study=study).exclude(description="")
    (tmp_path / "d.jsonl").write_bytes(jsonl(rows[:4]))
    call_command("load", study.slug, "descriptions", tmp_path / "d.jsonl")
    assert described.count() == 4
    load(Program("alice", "load"), study, "descriptions", jsonl(rows[4:8]))
    assert described.count() == 8
    alice = logged_in("alice")
    assert "4 of 12 pictures have no description" in text(alice.get(reverse("study", args=[study.slug])))
    dropped = SimpleUploadedFile("d.jsonl", jsonl(rows[8:]))
    files = reverse("files", args=[study.slug])
    assert "4 descriptions" in text(alice.post(files, {"files": [dropped]}, follow=True))
    (tmp_path / "rest.jsonl").write_bytes(jsonl(rows[8:]))
    loading.load(study, "descriptions", tmp_path / "rest.jsonl")
    assert "Each picture has a description" in text(alice.get(reverse("study", args=[study.slug])))
    loading.load(study, "descriptions", tmp_path / "rest.jsonl")  # again: the same
    assert all(item.description == said_of(item) for item in described)


@pytest.mark.django_db
def test_what_descriptions_and_pictures_leave_open_is_said(study, tmp_path):
    rows = rows_of(study)
    Item.objects.filter(docno="DOCNO-shade-oak").update(image="")
    (tmp_path / "d.jsonl").write_bytes(jsonl(rows[:2]))
    row = loading.load(study, "descriptions", tmp_path / "d.jsonl")
    assert row.doubts == ["1 described item has no picture: DOCNO-shade-oak"]
    Study.objects.filter(pk=study.pk).update(opened_at=None)
    pictures = {f"shade/{one['docno']}.png": picture((1, 2, 3)).read() for one in rows[1:3]}
    (tmp_path / "p.zip").write_bytes(zipped(pictures))
    row = loading.load(study, "images", tmp_path / "p.zip")
    said = "1 replaced picture keeps its description; load others where they differ: DOCNO-shade-fern"
    assert said in row.doubts


@pytest.mark.django_db
def test_a_picture_is_called_by_its_description_wherever_it_is_met(study, tmp_path):
    (tmp_path / "d.jsonl").write_bytes(jsonl(rows_of(study)))
    loading.load(study, "descriptions", tmp_path / "d.jsonl")
    person = invite(study)
    answering.arrive(person.pk)
    page = Client().get(f"/i/{person.reference}/").content.decode()
    called = re.findall(r'<img[^>]* alt="([^"]*)"', page)
    assert called
    assert all(one.endswith("&amp; &lt;i&gt;its leaves&lt;/i&gt;") for one in called)
    item = Item.objects.filter(topic__study=study).first()
    shown = text(logged_in("bob").get(reverse("data-item", args=[study.slug, item.pk])))
    assert "&amp; &lt;i&gt;its leaves" in shown


@pytest.mark.django_db
def test_a_recording_is_called_by_its_description_too_and_shows_it_where_asked(study, tmp_path):
    Study.objects.update(kind="sound")
    Item.objects.update(image="x.wav")
    (tmp_path / "d.jsonl").write_bytes(jsonl(rows_of(study)))
    loading.load(study, "descriptions", tmp_path / "d.jsonl")
    person = invite(study)
    answering.arrive(person.pk)
    page = Client().get(f"/i/{person.reference}/").content.decode()
    told = re.findall(r'<p id="(q1-(?:left|right)-described)" dir="auto">([^<]*)</p>', page)
    assert len(told) == 2
    for name, said in told:
        assert said.endswith("&amp; &lt;i&gt;its leaves&lt;/i&gt;")
        assert f'role="group" aria-labelledby="{name.removesuffix("described")}name {name}"' in page
    alice = logged_in("alice")
    assert "Each recording has a description" in text(alice.get(reverse("study", args=[study.slug])))
    item = Item.objects.filter(topic__study=study).first()
    assert "&amp; &lt;i&gt;its leaves" in text(alice.get(reverse("data-item", args=[study.slug, item.pk])))


@pytest.mark.django_db
def test_descriptions_go_with_a_copy_and_a_release(study, tmp_path):
    (tmp_path / "d.jsonl").write_bytes(jsonl(rows_of(study)))
    loading.load(study, "descriptions", tmp_path / "d.jsonl")
    whole_study.copy(study, "Copy", account("alice"), what=whole_study.ITEMS, members=False)
    loading.run_next()
    lifecycle.close(study.pk)
    call_command("release", study.slug, str(tmp_path / "out"), stdout=io.StringIO())
    call_command("load_release", str(tmp_path / "out"), "--study=again", stdout=io.StringIO())
    assert [rows_of_stored(one) for one in Study.objects.order_by("pk")] == [rows_of(study)] * 3


def rows_of_stored(study) -> list[dict[str, str]]:
    items = Item.objects.filter(topic__study=study).select_related("topic").order_by("pk")
    return [{"topic": one.topic.name, "docno": one.docno, "description": one.description} for one in items]
