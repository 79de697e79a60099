"""Sources that answers cite: read, loaded, shown to assessors and organizers, copied, released."""

import io
import json

import pytest
from django.core.cache import cache
from django.core.management import call_command

from collection.models import Item, Study
from collection.study import lifecycle
from collection.upload import loading
from judging.batches import answering
from prefir.formats import BadFile, Known, read_sources
from tests.judging.organizing import account, staff_of, text
from tests.judging.studies import invite, make_study
from tests.judging.visiting import Visitor
from web.organizer.setup import whole_study

KNOWN = Known(topics={"t1"}, items={"t1": {"d1", "d2"}})


def rows(*objects) -> bytes:
    return "".join(f"{json.dumps(one)}\n" for one in objects).encode()


def one(listed, **more):
    return {"docno": "d1", "topic": "t1", "sources": listed} | more


def test_sources_are_texts_or_objects_under_the_usual_names():
    given = one(["Plain.", {"page_content": "Found.", "title": "T", "url": "https://x.example/a"}, {"id": 7}])
    [record] = read_sources("s.jsonl", rows(given | {"score": 3}), KNOWN)
    assert [tuple(source) for source in record.sources] == [
        ("Plain.", "", ""),
        ("Found.", "T", "https://x.example/a"),
        ("", "7", ""),
    ]
    [record] = read_sources("s.jsonl", rows({"docno": "d2", "topic": "t1", "contexts": ["A."]}), KNOWN)
    assert record.docno == "d2"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (one([]), "a list of 1 to 50"), (one(["x"] * 51), "a list of 1 to 50"), (one("x"), "a list"),
        (one([{}]), "source 1: it has neither a text"), (one(["a", 3]), "source 2: neither a text"),
        (one(["x" * 100_001]), "source 1: its text has 100,001 characters"),
        (one([{"title": "a\u200bb"}]), "its title has U+200B"), (one(["x"], docno="d9"), "no docno"),
        (one(["x"], topic="t9"), "t9"), ({"docno": "d1", "topic": "t1"}, '"sources" is missing'),
        (one(["x"], docno=4), "not a string"), ([1], "not a JSON object"),
    ],
)  # fmt: skip
def test_what_is_no_list_of_sources_is_refused_with_its_line(given, why):
    with pytest.raises(BadFile) as found:
        read_sources("s.jsonl", rows(one(["x"]), given), KNOWN)
    assert "line 2" in str(found.value)
    assert why in str(found.value)


def test_an_answer_has_its_sources_once():
    with pytest.raises(BadFile, match="already given on line 1"):
        read_sources("s.jsonl", rows(one(["x"]), one(["y"])), KNOWN)


@pytest.fixture
def study(db, tmp_path):
    """A study whose answers cite two sources each."""
    cache.clear()
    made = staff_of(make_study())
    path = tmp_path / "sources.jsonl"
    items = Item.objects.filter(topic__study=made).select_related("topic")
    listed = [{"title": "Flora <i>", "text": "Ferns like shade.", "url": "https://flora.example/1"}, "[2]"]
    path.write_bytes(
        rows(*({"docno": item.docno, "topic": item.topic.name, "sources": listed} for item in items))
    )
    loading.load(made, "sources", path)
    return made


def test_assessors_see_them_folded_below_each_answer_and_follow_no_link(study):
    assessor = invite(study)
    answering.arrive(assessor.pk)
    page = Visitor().get(f"/i/{assessor.reference}/").content.decode()
    question = page.partition('data-position="2"')[0]
    assert question.count('<details class="cited">') == 2
    assert question.count("Flora &lt;i&gt;") == 2
    assert "https://flora.example/1" in question
    assert 'href="https://flora' not in question


def test_organizers_see_them_with_the_item(alice, study):
    item = Item.objects.filter(topic__study=study).first()
    page = text(alice.get(f"/studies/garden/data/items/{item.pk}/"))
    assert "Ferns like shade." in page


def test_a_copy_of_the_study_has_them(study, alice):
    copy, material = whole_study.copy(study, "Copy", account("alice"), what=whole_study.ITEMS)
    loading.run(material.pk)
    assert Item.objects.filter(topic__study=copy, sources__0__title="Flora <i>").count() == 12


def test_a_release_has_them_and_brings_them_back(study, tmp_path):
    lifecycle.close(study.pk)
    call_command("release", study.slug, str(tmp_path / "out"), stdout=io.StringIO())
    call_command("load_release", str(tmp_path / "out"), "--study", "again", stdout=io.StringIO())
    before, after = (
        list(Item.objects.filter(topic__study__slug=slug).order_by("docno").values_list("docno", "sources"))
        for slug in (study.slug, "again")
    )
    assert before == after
    assert before[0][1][1] == {"text": "[2]"}


def test_images_have_none(db, tmp_path):
    image = make_study(kind="image", slug="pictures")
    (tmp_path / "s.jsonl").write_bytes(rows(one(["x"])))
    with pytest.raises(BadFile, match="compares no texts"):
        loading.load(Study.objects.get(pk=image.pk), "sources", tmp_path / "s.jsonl")
