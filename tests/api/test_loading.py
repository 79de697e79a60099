"""What programs load: files as bodies of requests, all of one or nothing, every bad line named."""

import io
import sys

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from collection.models import Action, Grade, Import, Item, Run, Study, Topic
from collection.upload import loading
from collection.upload.kinds import KINDS
from config.wsgi import WithoutAccounts, application
from tests.api.programs import Program, token_of
from tests.judging.organizing import account, staff_of
from tests.makers import make_study, open_study

pytestmark = pytest.mark.django_db
RUN = b"t1 Q0 t1-a 1 9 good\nt1 Q0 t1-b 2 8 good\n"


@pytest.fixture(autouse=True)
def _uploads(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path


@pytest.fixture
def study():
    return staff_of(make_study(topics=1))


@pytest.fixture
def alice(study):
    return Program("alice", "load")


def load(program: Program, study, route: str, content: bytes) -> dict:
    """Send a file, let the job run that reads it, and ask its outcome."""
    sent = program.load(f"/studies/{study.slug}/{route}", content)
    assert sent.status_code == 202, sent.content
    assert sent.json()["state"] == "waiting"
    loading.run_next()
    return program.ask(f"/studies/{study.slug}/imports/{sent.json()['id']}")


def test_a_run_is_loaded_and_the_trail_names_who_sent_it(study, alice):
    found = load(alice, study, "runs?name=good.run", RUN)
    assert (found["state"], found["name"], found["problems"]) == ("done", "good.run", [])
    assert Run.objects.get(study=study).placements.count() == 2
    noted = Action.objects.get(study=study, what=Action.What.LOADED)
    assert (noted.by, noted.about) == (account("alice"), "good.run")


def test_topics_items_and_qrels_are_loaded(alice):
    study = staff_of(make_study(topics=0, slug="empty"))
    assert load(alice, study, "topics", b"q1\tWhich plant?\n")["state"] == "done"
    item = b'{"topic": "q1", "docno": "d1", "text": "Fern."}\n'
    assert load(alice, study, "items", item)["state"] == "done"
    assert load(alice, study, "qrels", b"q1 0 d1 2\n")["state"] == "done"
    assert Topic.objects.get(study=study).text == "Which plant?"
    assert Grade.objects.get(item__topic__study=study).value == 2


def test_a_bad_file_is_refused_with_the_lines_that_the_command_names_and_nothing_of_it_is_there(
    study, alice, tmp_path
):
    bad = RUN + b"t1 Q0 t1-c\nt1 Q0 t1-d 4 many good\n"
    found = load(alice, study, "runs?name=bad.run", bad)
    assert found["state"] == "refused"
    assert found["problem_count"] == len(found["problems"]) == 2
    path = tmp_path / "bad.run"
    path.write_bytes(bad)
    with pytest.raises(CommandError) as refused:
        call_command("load", study.slug, "run", str(path), stdout=io.StringIO())
    for problem in found["problems"]:
        assert problem in str(refused.value)
    assert not Run.objects.filter(study=study).exists()


def test_pictures_and_grids_are_loaded_into_a_study_of_images(alice):
    study = staff_of(make_study(topics=0, slug="pictures", kind="image"))
    assert load(alice, study, "topics", KINDS["topics"].example())["state"] == "done"
    assert load(alice, study, "pictures", KINDS["images"].example())["state"] == "done"
    found = load(alice, study, "grids?run=wide&name=grid.tsv", KINDS["grid"].example())
    assert (found["state"], found["name"], found["problems"]) == ("done", "grid.tsv", [])
    assert Run.objects.get(study=study).name == "wide"
    assert Item.objects.filter(topic__study=study).exclude(image="").exists()


def test_the_order_of_equal_scores_is_an_option(study, alice):
    tied = b"t1 Q0 t1-b 2 9 good\nt1 Q0 t1-a 1 9 good\n"
    load(alice, study, "runs?ties=rank", tied)
    [run] = Run.objects.filter(study=study)
    assert run.placements.get(rank=1).item.docno == "t1-a"


def test_once_judging_is_open_what_it_rests_on_is_locked(study, alice):
    study.tasks.create(kind="grade", scale="0-4", position=2, settings={"grades_first": True})
    Study.objects.filter(pk=study.pk).update(opened_at=timezone.now())
    response = alice.load(f"/studies/{study.slug}/topics", b"q1\tWhich?\n")
    assert (response.status_code, response.json()["code"]) == (409, "locked")
    assert not Import.objects.exists()
    assert load(alice, study, "runs", RUN)["state"] == "done"


def test_further_topics_may_come_and_those_that_are_open_stand_still(study, alice):
    open_study(study)
    first = study.topics.first()
    assert load(alice, study, "topics", b"further\tWhich?\n")["state"] == "done"
    assert load(alice, study, "topics", f"{first.name}\tOther?\n".encode())["state"] == "refused"


def test_a_request_without_a_body_is_refused(study, alice):
    for route in ("topics", "items", "qrels", "runs"):
        sent = alice.load(f"/studies/{study.slug}/{route}", b"")
        assert (sent.status_code, sent.json()["code"]) == (422, "empty"), route
    assert not Import.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_body_that_breaks_off_is_not_kept(study):
    told: list = []
    environ = {
        "REQUEST_METHOD": "POST",
        "PATH_INFO": f"/api/v1/studies/{study.slug}/runs",
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "80",
        "wsgi.url_scheme": "http",
        "HTTP_AUTHORIZATION": f"Bearer {token_of('alice')}",
        "CONTENT_LENGTH": str(len(RUN) + 5),
        "wsgi.input": io.BytesIO(RUN),
        "wsgi.errors": sys.stderr,
    }
    body = b"".join(WithoutAccounts()(environ, lambda *parts: told.append(parts)))
    assert told[0][0].startswith("422")
    assert b'"code": "incomplete"' in body
    assert not Import.objects.exists()


def test_files_of_the_size_of_uploads_are_taken_and_longer_ones_refused_unread():
    for route in ("runs", "topics", "items", "qrels", "pictures", "grids"):
        assert application.limit_of(f"/api/v1/studies/a-study/{route}") == (4 * 2**30, True)
    assert application.limit_of("/api/v1/studies/a-study/sittings").bytes == 64 * 2**10
    told: list = []
    environ = {"PATH_INFO": "/api/v1/studies/a-study/sittings", "CONTENT_LENGTH": str(2**17)}
    body = b"".join(application(environ, lambda *parts: told.append(parts)))
    assert told[0][0].startswith("413")
    assert dict(told[0][1])["Content-Type"] == "application/problem+json"
    assert b'"code": "too-large"' in body
