"""Recorded judgments: they count like any other, a tournament does not ask them again, labels are people."""

import pytest

from collection.models import Import, Item
from judging import ledger
from judging.models import Assessor, Judgment
from judging.questions import asking
from judging.verdicts import decisions
from tests.makers import Choice, make_study, open_study
from tournament import services
from tournament.models import Round

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]


def test_recorded_judgments_count_for_rounds_and_scores(load, passages):
    load(passages, "judgments", "t1 d2 d1 d2\nt1 d2 d1 tie\n")
    topic = passages.topics.get(name="t1")
    a, b = Item.objects.filter(docno__in=["d1", "d2"]).order_by("pk").values_list("pk", flat=True)
    assert ledger.settled(topic.pk, asking.task_of(topic.study).pk) == {(a, b): [Choice.B, Choice.TIE]}
    found = [(p.topic, p.first, p.second, p.lean) for p in ledger.counting(topic.pk)]
    assert found == [(topic.pk, a, b, Choice.B), (topic.pk, a, b, Choice.TIE)]
    assert (topic.revision, topic.settled) == (1, 1)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_tournament_does_not_ask_what_was_recorded(load, when):
    """Six pairs; three of them recorded before or after judging opens."""
    study = make_study(items=4)
    lines = "t1 t1-a t1-b t1-a\nt1 t1-a t1-c t1-a\nt1 t1-c t1-d tie\n"
    if when == "before":
        load(study, "judgments", lines)
    open_study(study)
    if when == "after":
        load(study, "judgments", lines)
    services.catch_up()
    assert asking.open_questions(study).count() == 3
    assert [(r.answered, r.complete) for r in Round.objects.all()] == [(3, False)]


def test_a_label_that_judges_a_pair_again_is_one_person_with_further_batches(load, passages):
    load(passages, "judgments", "t1 d1 d2 d1 x\nt1 d2 d1 tie x\nt1 d1 d3 d1 x\nt1 d1 d2 d2\nt1 d1 d2 d2\n")
    labels = Judgment.objects.order_by("pk").values_list("assignment__assessor__label", flat=True)
    assert list(labels) == ["x", "x", "x", "recorded", "recorded (2)"]
    assert Assessor.objects.get(label="x").assignments.count() == 2
    assert Import.objects.latest("pk").summary.endswith("1 of them by somebody who judged the pair before")


def test_labels_may_be_as_long_as_ids(load, passages):
    label = "x" * 200
    load(passages, "judgments", f"t1 d1 d2 d1 {label}\nt1 d1 d2 d1 {label}\n")
    assert Assessor.objects.get().label == label


def test_excluding_a_recorded_label_lets_others_answer_its_pairs(load):
    study = make_study(items=3)
    load(study, "judgments", "t1 t1-a t1-b t1-a x\nt1 t1-a t1-c t1-a y\n")
    open_study(study)
    assert asking.open_questions(study).count() == 1
    decisions.exclude(Assessor.objects.get(label="x").pk, "copied")
    services.catch_up()
    assert asking.open_questions(study).count() == 2
    assert list(Round.objects.values_list("answered", flat=True)) == [1]
