"""Plans: settings that no tournament could be played with are refused, no matter who makes them."""

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction

from collection.models import Study
from judging.models import Task
from tests.makers import make_study
from tournament.models import Plan
from tournament.plans import plan_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"k": 9, "final_size": 3}, "at least the 9 items"),
        ({"k": 0}, "at least 1"),
        ({"pairings": 2000}, "at most 1000"),
        ({"heat": 3}, "no setting 'heat'"),
    ],
)
def test_settings_that_cannot_be_played_are_not_stored(settings, said):
    plan = plan_of(make_study())
    plan.settings = settings
    with pytest.raises(ValidationError, match=said):
        plan.full_clean()
    with pytest.raises(ValidationError, match=said):
        plan.save()


def test_an_unknown_strategy_is_not_stored():
    plan = plan_of(make_study())
    plan.strategy = "guess"
    with pytest.raises(ValidationError, match="no strategy 'guess'"):
        plan.save()


def test_what_is_left_out_has_the_strategys_default():
    plan = plan_of(make_study(k=3))
    plan.settings = {"k": 3}
    plan.save()
    expected = {"k": 3, "final_size": 9, "pairings": 7, "judgments_per_pair": 1}
    assert Plan.objects.get(pk=plan.pk).settings == expected


def test_the_database_refuses_a_task_whose_challenges_cannot_fail():
    study = make_study()
    with pytest.raises(ValidationError, match="every batch passes"):
        Task(study=study, position=2, batch_challenges=3, wrong_allowed=9).full_clean()
    with pytest.raises(DatabaseError), transaction.atomic():
        Task.objects.create(study=study, position=2, batch_challenges=3, wrong_allowed=9)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--k", "9", "--final-size", "3"], "at least the 9 items"),
        (["--batch-challenges", "3", "--wrong-allowed", "9"], "every batch passes"),
        (["--batch-pairs", "4", "--repeats", "5"], "5 cannot be asked again"),
        (["--minutes", "1"], "greater than or equal to 5"),
    ],
)
def test_the_command_makes_no_study_with_settings_that_contradict_each_other(options, said):
    with pytest.raises(CommandError, match=said):
        call_command("study", "pilot", *options)
    assert not Study.objects.exists()


def test_the_command_makes_study_task_and_plan():
    call_command("study", "pilot", "--mode", "dedicated", "--k", "3", "--batch-pairs", "4", "--seed", "s")
    plan = Plan.objects.get(study__slug="pilot")
    assert (plan.strategy, plan.settings, plan.seed) == ("dedicated", {"k": 3, "judgments_per_pair": 1}, "s")
    assert (plan.task.batch_size, plan.task.kind) == (4, "pair")
