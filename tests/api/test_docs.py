"""The programs of docs/api.md, as they stand there, against a server: a loader, one that judges."""

import re
import subprocess
import sys

import pytest

from collection.models import Run
from judging.models import Assignment, Judgment
from tests.api.programs import make_assessor, token_of
from tests.ground import ROOT, clean_environment
from tests.judging.organizing import staff_of
from tests.judging.studies import make_study

PAGE = (ROOT / "docs" / "api.md").read_text()
PROGRAMS = {
    name: code
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    for name in re.findall(r'^"""(\w+\.py)', code)
}
RUN = "shade Q0 DOCNO-shade-oak 1 9 good\ndrought Q0 DOCNO-drought-fern 1 8 good\n"


@pytest.fixture
def folder(tmp_path, settings):
    settings.MEDIA_ROOT = tmp_path / "media"
    for name, code in PROGRAMS.items():
        (tmp_path / name).write_text(code)
    return tmp_path


def run(folder, *words: str) -> str:
    """What a program prints; it must end well."""
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=clean_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_page_has_three_programs():
    assert PROGRAMS.keys() == {"client.py", "nightly.py", "judge.py"}


@pytest.mark.django_db(transaction=True)
def test_the_judge_judges_a_study_until_nothing_is_left_for_it(folder, live_server):
    # No known answers: anyone who has nothing to show of them is kept.
    study = make_study(pairs=12, challenges=0, batch_pairs=5, batch_challenges=0)
    make_assessor(study, "model")
    said = run(folder, "judge.py", live_server.url, token_of("model", "judge"), study.slug)
    batches = Assignment.objects.filter(assessor__user__username="model")
    assert {batch.state for batch in batches} == {"kept"}
    assert Judgment.objects.filter(assignment__in=batches).count() == 12
    assert said.count("Judged") == len(batches) >= 2
    assert said.endswith("Nothing to do: nothing\n")


@pytest.mark.django_db(transaction=True)
def test_the_loader_loads_a_run_and_prints_the_leaderboard(folder, live_server):
    study = staff_of(make_study())
    words = ("nightly.py", live_server.url, token_of("alice", "read", "load"), study.slug)
    (folder / "good.run").write_text(RUN)
    said = run(folder, *words, "good.run")
    assert said.startswith("done\n")
    assert said.endswith("good None\n")
    assert Run.objects.get(study=study).name == "good"
    (folder / "bad.run").write_text(RUN + "shade Q0\n")
    said = run(folder, *words, "bad.run")
    assert said.startswith("refused\n")
    assert "line 3" in said


@pytest.mark.django_db(transaction=True)
def test_what_is_refused_is_told_in_words(folder, live_server):
    study = make_study()
    said = run(folder, "judge.py", live_server.url, token_of("charlie"), study.slug)
    assert said == "not-found: There is no such thing here for the owner of this token.\n"
