"""Counts behind the study page that are kept from one visit to the next: they are those of a plain count."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db.models import F

from collection.upload import loading
from judging.batches import answering
from judging.models import Assignment
from judging.verdicts import decisions
from tests.makers import add_run, invite, make_study, open_study, sit
from web.forecast import overview

pytestmark = pytest.mark.django_db


def plainly(study) -> dict[str, int]:
    states = Counter(Assignment.objects.filter(assessor__study=study).values_list("state", flat=True))
    return {state: states[state] for state in ("working", "kept", "discarded")}


def test_batches_are_those_of_a_plain_count_whatever_happens_to_old_ones(monkeypatch):
    """Long after each batch was opened, so that it belongs to the sum that is kept."""
    monkeypatch.setattr(overview, "MANY", 0)
    study = open_study(make_study(topics=3, items=6, batch_pairs=3, batch_challenges=2))
    people = [sit(invite(study)).assessor_id for _ in range(3)]
    answering.arrive(invite(study).pk)
    steps = (
        lambda: None,
        lambda: decisions.exclude(people[0], "slept"),
        lambda: sit(invite(study)),
        lambda: decisions.readmit(people[0], "awake"),
        lambda: sit(invite(study), wrong=2),
        lambda: answering.arrive(invite(study).pk),
    )
    for step in steps:
        step()
        Assignment.objects.update(opened_at=F("opened_at") - timedelta(hours=1))
        assert overview.batches(study) == plainly(study)
        assert overview.batches(study) == plainly(study)
    assert plainly(study) == {"working": 2, "kept": 4, "discarded": 1}


def test_decided_batches_are_not_counted_again(monkeypatch, django_assert_num_queries):
    monkeypatch.setattr(overview, "MANY", 0)
    study = open_study(make_study(items=6, batch_pairs=3))
    for _ in range(3):
        sit(invite(study))
    Assignment.objects.update(opened_at=F("opened_at") - timedelta(hours=1))
    with django_assert_num_queries(5):
        overview.batches(study)
    with django_assert_num_queries(4):
        assert overview.batches(study)["kept"] == 3


def test_what_is_loaded_later_is_counted_at_once(tmp_path):
    study = make_study(topics=2, items=3, junk=1)
    assert (overview.stock(study).items, overview.runs(study)) == (8, [])
    (tmp_path / "own.run").write_text("t1 Q0 t1-new 1 2 own\nt1 Q0 t1-a 2 1 own\n")
    loading.load(study, "run", tmp_path / "own.run")
    assert (overview.stock(study).items, overview.runs(study)) == (9, [("own", 1)])
    assert overview.stock(study).challenges == 0
    study = open_study(study)
    assert overview.stock(study).challenges == 2 * 3


def test_a_runs_topics_are_those_of_its_placements():
    study = make_study(topics=3)
    run = add_run(study, "run", {"t1": ["t1-a", "t1-b"], "t3": ["t3-a"], "t2": []})
    assert run.topics == run.placements.values("topic").distinct().count() == 2
