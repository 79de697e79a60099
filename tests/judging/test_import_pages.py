"""Loading files through pages, with Django's test client: upload, progress, bad lines, what stands still."""

import io
import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from collection.models import Import, Item, Placement, Run, Study, Topic
from collection.study import lifecycle
from collection.upload import loading
from tests.judging.organizing import queries, staff_of, text
from tests.makers import study_with
from web.organizer.files.uploads import MOST_BYTES, SHOWN_PROBLEMS

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/pilot/files/"
IMPORTS = "/studies/pilot/load/"


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def study():
    return staff_of(study_with(name="Pilot", slug="pilot"))


def send(client, kind: str, *files: tuple[str, str], **options):
    """Post files of a kind as the page's form does. Whatever was sent waits to be read."""
    uploads = [SimpleUploadedFile(name, content.encode()) for name, content in files]
    return client.post(ADDRESS, {"kind": kind, "files": uploads} | options)


def read_all() -> None:
    """Read what waits, as the thread or worker does that the request starts once it is committed."""
    for row in Import.objects.filter(state=Import.State.WAITING):
        loading.run(row.pk)


def test_old_addresses_lead_to_the_part_of_the_page_that_took_their_place(alice, study):
    assert alice.get(IMPORTS)["Location"] == f"{ADDRESS}#loaded"
    assert alice.get(f"{IMPORTS}done/")["Location"] == f"{ADDRESS}#loaded"
    assert alice.get(f"{IMPORTS}?kind=run")["Location"] == f"{ADDRESS}?kind=run#run"


def test_a_file_is_sent_read_and_said_to_be_loaded(alice, study):
    response = send(alice, "topics", ("t.tsv", "t1\tOne?\nt2\tTwo?\n"))
    row = Import.objects.get()
    assert response["Location"] == f"{IMPORTS}{row.pk}/"
    page = alice.get(response["Location"]).content.decode()
    assert "Waiting to be read: a study's files are loaded one after another." in page
    assert '<noscript><meta http-equiv="refresh" content="2"></noscript>' in page
    assert not Topic.objects.exists()
    read_all()
    page = alice.get(response["Location"])
    assert "Loaded: 2 topics." in text(page)
    assert "http-equiv" not in page.content.decode()
    assert "imports.js" not in page.content.decode()
    assert [topic.name for topic in Topic.objects.all()] == ["t1", "t2"]


def test_the_page_shows_how_far_the_file_was_read_while_it_is_read(alice, study, tmp_path):
    """Looked at from inside an import, at each step that it reports."""
    path = tmp_path / "t.tsv"
    path.write_text("".join(f"t{n}\tTopic {n}?\n" for n in range(500)))
    seen = []

    def look(done: int, total: int) -> None:
        page = alice.get(f"{IMPORTS}{Import.objects.get().pk}/progress/").content.decode()
        assert "data-running" in page
        assert "<html" not in page
        percent = re.search(r'<progress value="(\d+)" max="100"', page)
        seen.append(int(percent[1]) if percent else 0)  # it waits at first

    loading.load(study, "topics", path, progress=look)
    assert seen == sorted(seen)
    assert len(set(seen)) > 50
    end = alice.get(f"{IMPORTS}{Import.objects.get().pk}/progress/").content.decode()
    assert "Loaded: 500 topics." in end
    assert "data-running" not in end


def test_every_bad_line_is_named_and_nothing_is_loaded(alice, study):
    send(alice, "topics", ("t.tsv", "t1\tOne?\nno tab\nt1\tAgain?\n"))
    read_all()
    page = text(alice.get(f"{IMPORTS}{Import.objects.get().pk}/"))
    assert "Nothing was loaded. 2 things are wrong." in page
    assert "t.tsv, line 2: expected an id, one tab and the text; found no tab" in page
    assert "t.tsv, line 3: topic &quot;t1&quot; was already given on line 1" in page
    assert "Tab-separated: the topic's id, a tab, its text." in page
    assert not Topic.objects.exists()


def test_of_many_bad_lines_the_first_are_shown_and_all_can_be_downloaded(alice, study):
    send(alice, "topics", ("t.tsv", "no tab\n" * 450))
    read_all()
    address = f"{IMPORTS}{Import.objects.get().pk}/"
    page = alice.get(address).content.decode()
    assert page.count("<li>t.tsv, line") == SHOWN_PROBLEMS == 200
    assert "Download all 450 as text" in page
    assert "450 things are wrong; the first 200 are below." in page
    assert "And 250 more, in the text." in page
    lines = b"".join(alice.get(f"{address}problems.txt").streaming_content).decode().splitlines()
    assert len(lines) == 450
    assert lines[449].startswith("t.tsv, line 450: ")


def test_of_very_many_bad_lines_a_thousand_are_kept_and_the_others_counted(alice, study):
    send(alice, "topics", ("t.tsv", "no tab\n" * 20_000))
    read_all()
    address = f"{IMPORTS}{Import.objects.get().pk}/"
    page = alice.get(address).content.decode()
    assert "10,000 things are wrong; the first 200 are below." in page
    assert "Download the first 1,001 as text" in page
    assert "<li>t.tsv: more than 9,999 things are wrong, so it was read no further</li>" in page
    lines = b"".join(alice.get(f"{address}problems.txt").streaming_content).decode().splitlines()
    assert lines[1000].startswith("t.tsv, line 1000: ")


def test_what_a_file_says_is_shown_as_text_never_as_markup(alice, study):
    send(alice, "qrels", ("<b>q</b>.qrels", "<script>alert(1)</script> 0 d1 1\n"))
    read_all()
    for address in (ADDRESS, f"{IMPORTS}{Import.objects.get().pk}/"):
        page = alice.get(address).content.decode()
        assert "<script>alert" not in page
        assert "<b>q" not in page


def test_a_refused_attempt_is_folded_once_its_file_is_loaded(alice, study):
    send(alice, "topics", ("t.tsv", "no tab\n"))
    send(alice, "topics", ("other.tsv", "no tab\n"))
    read_all()
    page = alice.get(ADDRESS)
    assert (len(page.context["files"]), page.context["mended"]) == (2, [])
    send(alice, "topics", ("t.tsv", "t9\tNine?\n"))
    read_all()
    page = alice.get(ADDRESS)
    assert [file.row.name for file in page.context["mended"]] == ["t.tsv"]
    assert [file.row.name for file in page.context["files"]] == ["t.tsv", "other.tsv"]
    assert "1 refused attempt that was mended" in text(page)


def test_what_a_file_brought_is_counted_in_the_words_of_the_study(alice, study):
    Study.objects.filter(pk=study.pk).update(case=Study.Case.ANSWERS)
    Import.objects.create(
        study=study, kind="qrels", name="q", state="done", summary="2 grades for 1,002 topics"
    )
    Import.objects.create(study=study, kind="topics", name="topics", state="done", summary="1 topic")
    page = text(alice.get(ADDRESS))
    assert "2 grades for 1,002 prompts" in page
    assert "1 prompt" in page


def test_several_runs_are_sent_at_once(alice, study):
    Topic.objects.create(study=study, name="t1", text="One?")
    runs = [(f"{tag}.run", f"t1 Q0 d1 1 1.0 {tag}\n") for tag in ("bm25", "dense", "hybrid")]
    assert send(alice, "run", *runs)["Location"] == f"{ADDRESS}#loaded"
    page = alice.get(ADDRESS)
    assert "3 files were sent. They are loaded one after another" in text(page)
    assert text(page).count("waiting") == 3
    assert "js/imports.js" in page.content.decode()
    assert "data-running" in alice.get(f"{IMPORTS}files/").content.decode()
    read_all()
    assert "data-running" not in alice.get(f"{IMPORTS}files/").content.decode()
    assert "js/imports.js" not in alice.get(ADDRESS).content.decode()
    assert {run.name for run in Run.objects.all()} == {"bm25", "dense", "hybrid"}
    assert text(alice.get(ADDRESS)).count("1 placements for 1 topic") == 3


def test_equal_scores_are_ordered_as_the_form_says(alice, study):
    Topic.objects.create(study=study, name="t1", text="One?")
    for ties, first in (("descending", "z"), ("ascending", "a")):
        send(alice, "run", ("r.run", "t1 Q0 a 2 1.0 r\nt1 Q0 z 1 1.0 r\n"), ties=ties)
        read_all()
        assert Placement.objects.get(rank=1).item.docno == first


def test_a_grid_takes_its_name_from_the_form(alice, study):
    Study.objects.update(kind=Study.Kind.IMAGE)
    Topic.objects.create(study=study, name="t1", text="One?")
    grid = "topic\tdocno\trow\tcolumn\nt1\ta\t0\t0\n"
    send(alice, "grid", ("x.grid", grid), name="System A")
    read_all()
    assert Run.objects.get().name == "System A"
    page = text(send(alice, "grid", ("x.grid", grid), ("y.grid", grid), name="System A"))
    assert "Several files cannot have one name." in page


def test_a_form_without_a_file_says_what_to_do(alice, study):
    page = text(alice.post(ADDRESS, {"kind": "topics"}))
    assert page.count("Choose a file first.") == 2
    assert "The file is empty. Choose another." in text(send(alice, "topics", ("t.tsv", "")))
    assert not Import.objects.exists()


@pytest.mark.parametrize("kind", [key for key, kind in loading.KINDS.items() if kind.locked_by_opening])
def test_what_decided_the_pools_cannot_be_loaded_once_judging_is_open(alice, study, kind):
    """A page that was loaded before, or a forged form."""
    Study.objects.update(kind=Study.Kind.TEXT if kind == "items" else Study.Kind.IMAGE)
    assert f'id="{kind}"' in alice.get(ADDRESS).content.decode()
    lifecycle.open_judging(study)
    response = send(alice, kind, ("f", "anything"))
    assert response.status_code == 409
    assert "Locked: judging is open and its candidates were chosen from these files." in text(response)
    assert f'id="{kind}"' not in response.content.decode()
    assert not Import.objects.exists()


def test_runs_and_challenges_can_still_be_loaded_then(alice, study):
    lifecycle.open_judging(study)
    page = alice.get(ADDRESS)
    assert "Topics that are open keep their texts, items and grades" in text(page)
    assert 'id="run"' in page.content.decode()
    assert 'id="challenges"' in page.content.decode()


def test_files_of_the_other_sort_of_study_are_neither_offered_nor_taken(alice, study):
    assert 'id="images"' not in alice.get(ADDRESS).content.decode()
    assert send(alice, "xie-positions", ("f", "{}")).status_code == 409
    Study.objects.update(kind=Study.Kind.IMAGE)
    assert 'id="items"' not in alice.get(ADDRESS).content.decode()
    assert send(alice, "items", ("f", "{}")).status_code == 409
    assert send(alice, "no-such-kind", ("f", "{}")).status_code == 404
    assert not Import.objects.exists()


class Unread(io.RawIOBase):
    """A body that raises if anything reads it."""

    def read(self, *args):
        raise AssertionError("the body was read")


def send_unread(client: Client, size: int):
    """Post a form of so many bytes that must not be read; CSRF is checked as a browser's is."""
    unread: dict[str, Any] = {"CONTENT_LENGTH": str(size), "wsgi.input": Unread()}
    return client.generic("POST", ADDRESS, content_type="multipart/form-data; boundary=x", **unread)


def test_a_request_that_is_too_large_is_refused_before_it_is_read(alice, study):
    response = send_unread(alice, MOST_BYTES + 1)
    assert response.status_code == 413
    assert "larger than 4,096 MB together" in response.content.decode()


def test_somebody_who_may_not_load_is_refused_before_their_files_are_read(study, bob, charlie):
    for client, status in ((bob, 403), (charlie, 404), (Client(), 302)):
        client.handler.enforce_csrf_checks = True
        client.cookies["csrftoken"] = "x" * 32
        assert send_unread(client, 10**6).status_code == status


def test_a_request_within_the_limit_reads_its_body(alice, study):
    """That the refusal above is for its size."""
    response = alice.generic(
        "POST", ADDRESS, b"kind=topics", content_type="application/x-www-form-urlencoded"
    )
    assert response.status_code == 200


@pytest.mark.parametrize("kind", ["text", "image"])
def test_each_example_can_be_downloaded_and_loads(alice, kind, tmp_path):
    """In the order in which the page offers them, into an empty study."""
    study = staff_of(study_with(name="Pilot", slug="pilot", kind=kind))
    order = (
        ["topics", "items", "qrels", "run", "challenges", "judgments"]
        if kind == "text"
        else ["xie-positions", "xie-relevance", "xie-judgments", "images", "grid"]
    )
    page = alice.get(ADDRESS).content.decode()
    for key in order:
        assert f'href="/load-examples/{key}"' in page
        response = alice.get(f"/load-examples/{key}")
        path = tmp_path / loading.KINDS[key].example_name
        path.write_bytes(response.content)
        assert path.name in response["Content-Disposition"]
        assert loading.load(study, key, path)
    assert Item.objects.filter(topic__study=study).exists()


def test_every_kind_has_its_place_on_the_page_of_one_sort_of_study(alice, study):
    """A kind added later would else be loadable from the command line only."""
    pages = []
    for kind in Study.Kind:
        Study.objects.update(kind=kind)
        pages.append(alice.get(ADDRESS).content.decode())
    for key in loading.KINDS:
        assert any(f'id="{key}"' in page and f"manage.py load pilot {key} " in page for page in pages)


def test_loading_takes_as_many_queries_after_many_files(alice, study):
    few = queries(alice, ADDRESS)
    for n in range(60):
        Import.objects.create(study=study, kind="run", name=f"r{n}", problems=["x"] * 100)
    # One counts the files that are not listed.
    assert queries(alice, ADDRESS) == few + 1 == 6
    row = Import.objects.latest("pk")
    assert queries(alice, f"{IMPORTS}{row.pk}/") == queries(alice, f"{IMPORTS}{row.pk}/progress/") == 4


def test_files_before_those_that_are_listed_are_counted(alice, study):
    before = study.imports.count()
    for n in range(63):
        Import.objects.create(study=study, kind="run", name=f"r{n}", state="done", summary="1 run")
    said = text(alice.get("/studies/pilot/files/"))
    assert f"{63 + before - 10} earlier files" in said
    assert f"{63 + before - 50} more came before these: Trail names them." in said
