"""A study as a release, out of one database and into another: the same scores to the last byte."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse

from collection.models import Grade, Item, Placement, Run, Study, Topic
from collection.study import lifecycle, study_deletion
from collection.upload import loading
from judging.audit import hash_chain
from judging.batches import answering
from judging.models import FROM_FILES, Assessor, Assignment, Judgment, Question, Task
from judging.tasks.aspects import AspectSettings, Details
from judging.verdicts import decisions, question_set_aside
from scoring import jobs as scoring_jobs
from scoring.scores import topic_scores as scoring
from tests.judging.files import stored_files
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import give_pictures
from tests.makers import (
    add_run,
    answer,
    finish,
    invite,
    lose_questions,
    make_study,
    open_study,
    sit,
    whim,
)
from tournament import services as tournament
from web.release.files import CannotRelease, release, scores
from web.release.release_loader import BadRelease, load

pytestmark = pytest.mark.django_db


def judged(*, done: bool = False, **settings) -> Study:
    """A study with what can happen in one: ties, failed challenges, somebody excluded, somebody away, a
    challenge set aside, a topic that has ended and one that has not.
    """
    given = {"topics": 3, "items": 8, "k": 2, "final_size": 4, "pairings": 3, "batch_pairs": 4} | settings
    study = make_study(**given)
    rules = AspectSettings(aspects="Clear", remark="asked")
    Task.objects.filter(study=study).update(settings=asdict(rules))
    open_study(study)
    staff_of(study)
    docnos = {
        t.name: list(t.items.order_by("docno").values_list("docno", flat=True)) for t in study.topics.all()
    }
    add_run(study, "forth", docnos)
    add_run(study, "back", {name: found[::-1] for name, found in docnos.items()})
    add_run(
        study, "half", {name: found[: 1 + len(found) // 3] for name, found in docnos.items() if name != "t2"}
    )
    sit(invite(study), choose=whim)
    sit(invite(study), choose=whim, wrong=99)
    excluded = invite(study)
    sit(excluded, choose=whim)
    decisions.exclude(excluded.pk, "knows Mallory of the other lab", by=account("alice"))
    away = answering.arrive(invite(study).pk)
    other = lose_questions(away, invite(study))
    answer(other, choose=whim)
    answering.submit(other.pk)
    challenge = Question.objects.filter(expected__isnull=False, task__study=study).first()
    assert challenge is not None
    question_set_aside.set_aside(challenge.pk, "Mallory says it is ambiguous", by=account("alice"))
    begun = answering.arrive(invite(study).pk)
    for place in begun.batch.all():
        said = Details({"Clear": -1}, remark="Mallory wrote it", rules=rules.rules)
        told: dict[str, Any] = {"details": said, "paradata": {"by": "key", "keys": 2}}
        answering.record(begun.pk, place.question_id, 1, seconds=2.5, away=0.5, seen="100 40", **told)
    decisions.close_open(study.pk, by=account("alice"))
    if done:
        finish(study, choose=whim)
    lifecycle.close(study.pk)
    tournament.catch_up()
    scoring_jobs.sweep()
    hash_chain.seal()
    return Study.objects.get(pk=study.pk)


@pytest.fixture(scope="module")
def unfinished(module_data):
    return judged().pk


@pytest.fixture
def study(db, unfinished):
    return Study.objects.get(pk=unfinished)


def written(study: Study) -> bytes:
    return b"".join(scores(study))


def released(study: Study, folder: Path, name: str = "out") -> Path:
    path = folder / name
    call_command("release", study.slug, str(path), stdout=io.StringIO())
    return path


def changed(path: Path, name: str, before: str, after: str) -> None:
    """Change a file of a release, and its checksum with it, as somebody might who means to."""
    content = (path / name).read_text()
    assert before in content
    content = content.replace(before, after, 1)
    (path / name).write_text(content)
    sums = (path / "SHA256SUMS").read_text().splitlines()
    digest = hashlib.sha256(content.encode()).hexdigest()
    lines = [f"{digest}  {name}" if line.endswith(f"  {name}") else line for line in sums]
    (path / "SHA256SUMS").write_text("".join(f"{line}\n" for line in lines))


def everything() -> dict[str, int]:
    return {
        m.__name__: m._base_manager.count()
        for m in (Study, Topic, Item, Grade, Run, Placement, Task, Assessor, Assignment, Question, Judgment)
    }


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("name", ["out", "out.zip"])
def test_out_and_in_again_the_scores_are_the_same_to_the_last_byte(tmp_path, done, name):
    study = judged(done=done)
    before = written(study)
    assert before.count(b"\n") > 50
    path = released(study, tmp_path, name)
    lifecycle.close(study.pk)
    study_deletion.begin(study.pk)
    study_deletion.carry_out(study.pk)
    loaded = load(path, organizer=account("alice"))
    assert written(loaded) == before
    rounds = tournament.Tournament.objects.filter(topic__study=loaded, finished=True).count()
    assert (rounds == 3) is done
    assert not tournament.behind()
    assert scoring.to_be_scored(loaded) == 0


def test_a_release_of_what_was_loaded_holds_the_same_answers(study, tmp_path):
    """All but who gave them: labels of recorded judgments begin with "import-"."""
    first = released(study, tmp_path, "first")
    second = released(load(first, slug="again"), tmp_path, "second")
    for name in ("items", "questions", "asked", "judgments", "unanswered", "decisions", "pools", "topics"):
        one, other = ((path / f"{name}.jsonl").read_text() for path in (first, second))
        rows = [[json.loads(line) for line in told.splitlines()] for told in (one, other)]
        for row in (row for told in rows for row in told):
            for own in ("day", "assessor", "by"):
                row.pop(own, None)
        assert rows[0] == rows[1], name
        assert rows[0], name
    for name in ("scores.csv", "leaderboard.csv", "merged.qrels", "grades.qrels", "runs/001.run"):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name


def test_the_decisions_of_a_loaded_study_hold_against_its_ledger(study, tmp_path):
    loaded = load(released(study, tmp_path), slug="again")
    states = dict(
        Assignment.objects.filter(assessor__study=loaded)
        .order_by()
        .values_list("state")
        .distinct()
        .values_list("state", "state")
    )
    assert {"kept", "discarded"} <= states.keys()
    assert Assessor.objects.filter(study=loaded, excluded_at__isnull=False).count() == 2
    assert set(Assessor.objects.filter(study=loaded).values_list("panel", flat=True)) == {FROM_FILES}
    hash_chain.seal()
    call_command("verify", loaded.slug, stdout=io.StringIO())


def test_it_can_be_judged_further(study, tmp_path):
    loaded = load(released(study, tmp_path), slug="again")
    lifecycle.reopen(loaded.pk)
    finish(loaded, choose=whim)


def test_recorded_judgments_pictures_grids_and_a_study_that_never_opened(tmp_path):
    study = make_study(topics=1, items=4, kind="image")
    give_pictures(study)
    topic = study.topics.get()
    run = Run.objects.create(study=study, name="grid", topics=1)
    for rank, item in enumerate(topic.items.order_by("pk")[:4], 1):
        Placement.objects.create(
            run=run,
            topic=topic,
            item=item,
            rank=rank,
            row=(rank - 1) // 2,
            column=(rank - 1) % 2,
            row_length=2,
        )
    (tmp_path / "j.txt").write_text(
        "t1 t1-a t1-b t1-a anna\nt1 t1-b t1-c tie berta\nt1 t1-a t1-c t1-a anna\n"
    )
    loading.load(study, "judgments", tmp_path / "j.txt")
    scoring_jobs.sweep()
    before = written(study)
    path = released(study, tmp_path, "out.zip")
    loaded = load(path, slug="again")
    assert written(loaded) == before
    assert loaded.opened_at is None
    cells = ("item__docno", "rank", "row", "column", "row_length")
    assert list(Placement.objects.filter(run__study=loaded).order_by("rank").values_list(*cells)) == list(
        Placement.objects.filter(run__study=study).order_by("rank").values_list(*cells)
    )
    for own, other in zip(
        Item.objects.filter(topic__study=study).order_by("pk"),
        Item.objects.filter(topic__study=loaded).order_by("pk"),
        strict=True,
    ):
        assert own.image.name != other.image.name
        assert own.image.read() == other.image.read()
        assert (own.width, own.height) == (other.width, other.height)
    small = released_without(study, tmp_path)
    assert not [name for name in zipfile.ZipFile(small).namelist() if "/images/" in name]


def released_without(study: Study, folder: Path) -> Path:
    path = folder / "small.zip"
    call_command("release", study.slug, str(path), "--without-pictures", stdout=io.StringIO())
    return path


def test_nobody_is_named_and_no_free_words_leave(study, tmp_path):
    """Every byte of every file is looked through for names, reasons, links and times of day."""
    person = Assessor.objects.filter(study=study).exclude(excluded_at=None).first()
    content = b"".join(p.read_bytes() for p in released(study, tmp_path).rglob("*") if p.is_file()).decode()
    references = list(Assessor.objects.filter(study=study).values_list("reference", flat=True))
    for secret in (*references, "Mallory", "alice", f'local-{person.pk}"'):
        assert secret not in content
    at = Judgment.objects.latest("pk").created_at
    assert f"{at:%Y-%m-%d}" in content
    assert f"{at:%H:%M}:" not in content


def test_two_releases_name_people_otherwise(study, tmp_path):
    call_command("release", study.slug, str(tmp_path / "a"), "--release", "a", stdout=io.StringIO())
    call_command("release", study.slug, str(tmp_path / "b"), "--release", "b", stdout=io.StringIO())
    people = [
        {json.loads(line)["assessor"] for line in (tmp_path / n / "assessors.jsonl").open()}
        for n in ("a", "b")
    ]
    assert len(people[0]) == len(people[1]) > 3
    assert not people[0] & people[1]


def test_its_checksums_are_what_other_programs_read(study, tmp_path):
    path = released(study, tmp_path)
    if shutil.which("sha256sum") is None:
        pytest.skip("no sha256sum")
    subprocess.run(["sha256sum", "-c", "--quiet", "--strict", "SHA256SUMS"], cwd=path, check=True)


class TestWhatIsWrong:
    @pytest.fixture
    def path(self, study, tmp_path):
        return released(study, tmp_path)

    def refused(self, path: Path) -> str:
        before, files = everything(), stored_files()
        with pytest.raises(CommandError) as error:
            call_command("load_release", str(path), "--study", "again")
        assert everything() == before
        assert stored_files() == files
        return str(error.value)

    def test_a_changed_byte_is_found_and_its_file_named(self, path):
        content = (path / "judgments.jsonl").read_bytes()
        (path / "judgments.jsonl").write_bytes(content[:-3] + b"0" + content[-2:])
        (path / "topics.jsonl").unlink()
        (path / "more.txt").write_text("x")
        said = self.refused(path)
        assert "judgments.jsonl was changed: it has another checksum" in said
        assert "topics.jsonl is missing" in said
        assert "more.txt has no checksum" in said
        assert "items.jsonl" not in said

    def test_an_answer_that_was_turned_round_gives_other_scores(self, path):
        """The checksums fit, so that only the scores tell."""
        rows = [json.loads(line) for line in (path / "judgments.jsonl").open()]
        batches = [json.loads(line) for line in (path / "batches.jsonl").open()]
        kept = {row["batch"] for row in batches if row["state"] == "kept"}
        turned = [
            row | ({"value": -row["value"]} if row["batch"] in kept and not row["challenge"] else {})
            for row in rows
        ]

        def lines(some):
            return "".join(json.dumps(r, separators=(",", ":")) + "\n" for r in some)

        changed(path, "judgments.jsonl", lines(rows), lines(turned))
        assert "The scores come out otherwise" in self.refused(path)

    def test_a_line_that_does_not_fit_is_named(self, path):
        changed(path, "grades.qrels", "t1-a", "nobody")
        assert "grades.qrels, line 1: there is no ('t1', 'nobody')" in self.refused(path)

    def test_a_file_that_is_no_json_is_named_with_its_line(self, path):
        changed(path, "items.jsonl", '{"docno"', "{docno")
        assert "items.jsonl, line 1:" in self.refused(path)

    def test_a_later_format_is_refused(self, path):
        changed(path, "study.json", '"format": 1', '"format": 2')
        assert "it has the format 2; this version reads 1" in self.refused(path)

    def test_what_is_no_release(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "no.zip").write_text("not a zip")
        assert "this is no release" in self.refused(tmp_path / "empty")
        assert "neither a folder nor a zip" in self.refused(tmp_path / "no.zip")
        assert "neither a folder nor a zip" in self.refused(tmp_path / "nothing")

    def test_an_address_that_is_taken_is_refused(self, path):
        with pytest.raises(BadRelease, match="already exists"):
            load(path, slug=Study.objects.get().slug)


def test_it_waits_for_the_end_of_judging(tmp_path):
    study = open_study(make_study())
    with pytest.raises(CannotRelease, match="Judging is open"):
        release(study)
    batch = answering.arrive(invite(study).pk)
    lifecycle.pause(study.pk)
    with pytest.raises(CannotRelease, match="1 batch may still be judged"):
        release(Study.objects.get(pk=study.pk))
    decisions.close_open(study.pk)
    assert batch.pk
    release(Study.objects.get(pk=study.pk))


def test_a_study_that_changes_meanwhile_is_not_released(study, tmp_path):
    files = release(study)

    def read_all():
        for name, content in files:
            for _ in content:
                pass
            if name == "items.jsonl":
                # An action on record.
                lifecycle.reopen(study.pk)

    with pytest.raises(CannotRelease, match="was changed while"):
        read_all()


class TestThePage:
    def test_organizers_download_a_zip_that_loads(self, study, tmp_path):
        response = logged_in("alice").get(reverse("release", args=[study.slug]))
        assert response.status_code == 200
        assert response["Content-Disposition"] == f'attachment; filename="{study.slug}-release.zip"'
        (tmp_path / "r.zip").write_bytes(b"".join(response))
        assert written(load(tmp_path / "r.zip", slug="again")) == written(study)

    def test_while_judging_is_open_it_says_what_to_do(self):
        study = staff_of(open_study(make_study()))
        response = logged_in("alice").get(reverse("release", args=[study.slug]), follow=True)
        assert "Pause or end judging first" in text(response)

    def test_coordinators_do_not(self, study):
        assert logged_in("bob").get(reverse("release", args=[study.slug])).status_code == 403


ELSEWHERE = """
import sys
import django
django.setup()
from django.core.management import call_command
call_command("migrate", verbosity=0)
from tests.web.test_release import judged
call_command("release", judged(done=True).slug, sys.argv[1])
"""


def test_a_release_of_a_sqlite_database_is_loaded_into_this_one(tmp_path):
    """In a process of its own, with a database of its own; here PostgreSQL has its turn."""
    path = tmp_path / "other.zip"
    env = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "FACEOFF_DATA")}
    env |= {"DJANGO_SETTINGS_MODULE": "tests.on_sqlite", "FACEOFF_DATA": str(tmp_path / "data")}
    command = [sys.executable, "-c", ELSEWHERE, str(path)]
    subprocess.run(command, env=env, cwd=settings.BASE_DIR, check=True, capture_output=True)
    loaded = load(path)
    assert zipfile.ZipFile(path).read("other/scores.csv") == written(loaded)


def test_who_hands_out_batches_again_is_told_that_a_release_shows_the_known_answers(tmp_path):
    study = judged(done=True)
    alice, said = logged_in("alice"), "a release contains the known answers"
    lifecycle.close(study.pk)
    pages = [reverse(name, args=[study.slug]) for name in ("study", "topics")]
    study.releases.all().delete()
    assert not any(said in text(alice.get(page)) for page in pages)
    call_command("release", study.slug, str(tmp_path / "release"))
    assert all(said in text(alice.get(page)) for page in pages)
