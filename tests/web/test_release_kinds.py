"""Releases of studies that ask for picks and for grades: out and in again with every answer and score."""

import json

import pytest

from collection.study import lifecycle
from judging.audit import hash_chain
from judging.models import Judgment, Question
from judging.verdicts import decisions
from scoring import jobs as scoring_jobs
from tests.judging import picking
from tests.judging.organizing import account, staff_of
from tests.judging.test_grading import give, graded_study
from tests.makers import add_run
from tests.web.test_release import released, written
from tests.web.test_release_damage import put
from tournament import services as tournament
from web.release.release_loader import BadRelease, load

pytestmark = pytest.mark.django_db


def ended(study) -> None:
    decisions.close_open(study.pk, by=account("alice"))
    lifecycle.close(study.pk)
    tournament.catch_up()
    scoring_jobs.sweep()
    hash_chain.seal()
    study.refresh_from_db()


def answers(study) -> list[tuple]:
    rows = Judgment.objects.filter(topic__study=study).order_by("pk")
    return list(rows.values_list("value", "shown", "role", "revision"))


def expected(study) -> list:
    return list(Question.every.filter(study=study).order_by("pk").values_list("expected", flat=True))


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_picks_come_back(tmp_path, scale):
    study, _ = picking.pick_study(scale=scale)
    staff_of(study)
    add_run(study, "r", {"t1": ["t1-a", "t1-b", "t1-c"]})
    tournament.start(study.pk)
    picking.finish(study)
    ended(study)
    path = released(study, tmp_path)
    loaded = load(path, slug="again")
    assert written(loaded) == written(study)
    assert answers(loaded) == answers(study)
    assert any(expected(study))
    assert expected(loaded) == expected(study)


def test_grades_come_back_and_what_is_none_is_refused(tmp_path):
    study, _ = graded_study(assessors=2, grades_first=True)
    staff_of(study)
    tournament.start(study.pk)
    for grades in ({"t1-a": 4, "t1-b": 1}, {"t1-a": 2, "t1-b": 1}):
        give(study, grades)
    ended(study)
    path = released(study, tmp_path)
    loaded = load(path, slug="again")
    assert answers(loaded) == answers(study)
    first, *rest = (path / "judgments.jsonl").read_text().splitlines()
    row = json.loads(first) | {"value": -1}
    put(path, "judgments.jsonl", "\n".join([json.dumps(row), *rest]) + "\n")
    with pytest.raises(BadRelease, match=r"judgments\.jsonl: question 1: -1 is no answer to it"):
        load(path, slug="third")
