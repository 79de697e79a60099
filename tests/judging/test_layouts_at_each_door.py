"""Layouts of other programs come out alike by the page, the command and the HTTP API."""

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from collection.models import Grade, Import, Item, Placement, Topic
from collection.upload import loading, pending_uploads
from judging.models import Judgment
from tests.api.programs import Program
from tests.formats.layouts import LAYOUTS, TOPICS
from tests.judging.organizing import logged_in, staff_of
from tests.makers import make_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]
ROUTES = {"topics": "topics", "items": "items", "answers": "answers", "qrels": "qrels", "run": "runs"}
BY_NAME = {one.name: one for one in LAYOUTS}
LOADED = [
    "BEIR queries.jsonl",
    "BEIR qrels/test.tsv",
    "MS MARCO collection.tsv",
    "PyTerrier results",
    "ranx and pytrec_eval run",
    "Answers of systems with ids",
    "AlpacaEval outputs",
    "MT-Bench questions",
    "OpenAI chat lines",
    "Parquet",
    "Prompts with a column for each model",
    "Unicode text of spreadsheets",
    "Rows as lists of JSON",
    "LMArena battles, JSON",
]
REFUSED = [
    "Amazon ESCI",
    "MS MARCO top1000.tsv",
    "Label Studio export",
]


@pytest.fixture
def study():
    made = staff_of(make_study(topics=0))
    Topic.objects.bulk_create(Topic(study=made, name=name, text="?") for name, _ in TOPICS)
    return made


def by_page(study, kind, layout) -> list[str]:
    """Drop the file, say what it is where that is asked, and load it; return what is wrong."""
    alice = logged_in("alice")
    address = reverse("files", args=[study.slug])
    alice.post(address, {"files": [SimpleUploadedFile(layout.file, layout.content)]})
    (row,) = pending_uploads.of(study)
    if not row.kind and layout.asked:
        alice.post(address, {"what": "kind", "file": row.pk, "kind": kind})
    alice.get(address)
    (row,) = pending_uploads.of(study)
    if not row.kind:
        return [row.options["why"]]
    alice.post(address, {"what": "load"})
    while loading.run_next():
        pass
    return Import.objects.get().problems


def by_command(study, kind, layout, folder) -> list[str]:
    path = folder / layout.file
    path.write_bytes(layout.content)
    try:
        call_command("load", study.slug, kind, str(path), stdout=io.StringIO())
    except CommandError as error:
        return [str(error)]
    return []


def by_api(study, kind, layout) -> list[str]:
    sent = Program("alice", "load").load(
        f"/studies/{study.slug}/{ROUTES[kind]}?name={layout.file}", layout.content
    )
    assert sent.status_code == 202
    loading.run_next()
    return Import.objects.get().problems


def load(door, study, kind, layout, folder) -> list[str]:
    if door == "page":
        return by_page(study, kind, layout)
    return by_api(study, kind, layout) if door == "api" else by_command(study, kind, layout, folder)


def stored(kind):
    if kind == "topics":
        return list(Topic.objects.exclude(text="?").values_list("name", "text"))
    if kind == "items":
        return list(Item.objects.order_by("topic__name").values_list("topic__name", "docno", "text"))
    if kind == "answers":
        items = Item.objects.order_by("topic__name", "docno")
        return stored("topics"), list(items.values_list("topic__name", "docno", "text")), []
    if kind == "qrels":
        grades = Grade.objects.order_by("item__docno")
        return list(grades.values_list("item__topic__name", "item__docno", "value"))
    if kind == "run":
        ranked = {}
        for topic, docno in Placement.objects.order_by("topic__name", "rank").values_list(
            "topic__name", "item__docno"
        ):
            ranked.setdefault(topic, []).append(docno)
        return ranked
    return Judgment.objects.count()


# Answers are not loaded over HTTP.
@pytest.mark.parametrize(
    ("door", "name"),
    [
        (door, name)
        for door in ("page", "command", "api")
        for name in LOADED
        if door != "api" or BY_NAME[name].kind in ROUTES
    ],
)
def test_a_layout_is_stored_with_its_values(study, door, name, tmp_path):
    layout = BY_NAME[name]
    assert load(door, study, layout.kind, layout, tmp_path) == []
    assert stored(layout.kind) == (len(layout.loaded) if layout.kind == "judgments" else layout.loaded)


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("door", ["page", "command", "api"])
def test_a_layout_is_refused_with_how_to_mend_it(study, door, name, tmp_path):
    layout = BY_NAME[name]
    (told,) = load(door, study, "items", layout, tmp_path)
    assert layout.loaded in told
    assert not Item.objects.exists()
