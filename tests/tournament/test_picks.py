"""Tournaments fed by picks: from the pages' answers to places, scores and files, and back from the ledger."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from collection.models import Item, Study
from judging import ledger
from judging.models import Judgment, Question
from judging.transfer import judgment_export
from scoring.models import StoredScores
from scoring.scores import topic_scores as scoring
from simulation.replay import digest
from tests.judging.picking import finish, pick_study, shown, sit
from tests.makers import add_run, invite, make_study, open_study, places
from tournament import services
from tournament.models import Pairing, Plan, Round, Tournament
from web.forecast import overview
from web.forecast.outlook import outlook
from web.organizer.setup.study_form import StudyForm

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("scale", ["best", "best-worst"])
def test_the_true_best_items_come_out_on_top(scale):
    """The first three letters, anyone who judges: answers that agree with an order find its top exactly."""
    study, _ = pick_study(items=12, topics=2, scale=scale)
    open_study(study)
    finish(study)
    found = places(study)
    assert found == {f"t{n}-{letter}": place for n in (1, 2) for place, letter in enumerate("abc", 1)}
    rounds = Round.objects.filter(tournament__topic__name="t1")
    assert rounds.filter(kind="reduction").exists()
    assert rounds.filter(kind="final").count() >= 2
    assert all(len(key.split()) == 4 for key in Pairing.objects.values_list("question__key", flat=True))


def questions():
    return list(Question.objects.order_by("pk").values_list("key", "wanted", "taken"))


def test_a_rebuild_from_the_ledger_gives_the_same():
    study, _ = pick_study(items=9, junk=5)
    open_study(study)
    for _ in range(3):
        sit(invite(study))
        services.catch_up()
    before = digest(study), questions()
    services.rebuild(study.pk)
    assert (digest(study), questions()) == before
    finish(study)
    end = digest(study)
    services.rebuild(study.pk)
    assert digest(study) == end


def test_one_pick_from_the_ledger_to_scores_and_files():
    """Its g - 1 preferences are edges of the graph, and lines of the file; a run that ranks them so gains."""
    study, _ = pick_study(items=8, batch_size=1, batch_challenges=0)
    open_study(study)
    first = list("abcdefgh")
    add_run(study, "right", {"t1": [f"t1-{letter}" for letter in first]})
    add_run(study, "wrong", {"t1": [f"t1-{letter}" for letter in reversed(first)]})
    assignment = sit(invite(study))
    place = assignment.batch.get()
    names = sorted(item.docno for item in shown(place))
    topic = study.topics.get()
    settled = ledger.settled_picks(topic.pk, study.plan.task_id)
    docnos = dict(Item.objects.values_list("pk", "docno"))
    [(grid, [pick])] = settled.items()
    assert sorted(docnos[item] for item in grid) == names
    assert [(docnos[a], docnos[b]) for a, b in pick] == [(names[0], other) for other in names[1:]]
    lines = list(judgment_export.judgments(study))
    assert [line.split() for line in lines] == [["t1", names[0], other, names[0]] for other in names[1:]]
    scoring.rescore(topic.pk)
    assert StoredScores.objects.get(topic=topic).judgments == 1
    assert {one.judgment for one in ledger.counting(topic.pk)} == {Judgment.objects.get().pk}


def test_the_page_that_opens_a_study_counts_grids(client):
    study, _ = pick_study(items=12, junk=6, topics=2)
    found = outlook(study)
    assert found.first_pairs == 2 * 6
    assert found.challenges == overview.stock(study).challenges_possible == 2 * 10
    open_study(study)
    assert Question.objects.filter(expected__isnull=False).count() == 2 * 10
    assert Question.objects.filter(wanted=1).count() == 2 * 6


# Choosing it


def posted(study: Study, **changes) -> dict:
    form = StudyForm(instance=study)
    values = {name: form.get_initial_for_field(field, name) for name, field in form.fields.items()}
    values |= changes
    return {name: value for name, value in values.items() if value is not None and value is not False}


def saved(study: Study, **changes) -> Study:
    study = Study.objects.get(pk=study.pk)
    form = StudyForm(posted(study, **changes), instance=study)
    assert form.is_valid(), form.errors
    return Study.objects.get(pk=form.store().pk)


@pytest.fixture
def of_pairs(db):
    call_command("study", "plain")
    return Study.objects.get()


def test_the_settings_choose_picks_and_pairs_again(of_pairs):
    study = saved(of_pairs, mode="picks", grid_size=7, appearances=2, worst=True, batch_pairs=5)
    task = study.tasks.get()
    assert (task.kind, task.scale, task.batch_size) == ("pick", "best-worst", 5)
    assert task.wording == "Which one answers the question best?"
    assert study.plan.settings == {"k": 5, "grid_size": 7, "appearances": 2, "judgments_per_pair": 1}
    study = saved(study, worst=False)
    assert study.tasks.get().scale == "best"
    study = saved(study, mode="crowd")
    task = study.tasks.get()
    assert (task.kind, task.scale, task.batch_size) == ("pair", "3", 5)
    assert study.plan.task == task
    assert task.wording == "Which one answers the question better?"


def test_a_task_of_pairs_that_has_questions_stays_beside_that_of_picks(of_pairs):
    pairs = of_pairs.tasks.get()
    topic = of_pairs.topics.create(name="t1", text="?")
    Question.objects.create(study=of_pairs, topic=topic, task=pairs, key="1 2")
    study = saved(of_pairs, mode="picks")
    assert [task.kind for task in study.tasks.all()] == ["pick", "pair"]
    assert study.plan.task.kind == "pick"
    study = saved(study, mode="dedicated")
    assert [task.kind for task in study.tasks.all()] == ["pair"]
    assert study.plan.task == pairs


def test_the_command_makes_a_study_of_picks():
    call_command("study", "small", pick=4, pick_worst=True, appearances=2, k=3)
    plan = Plan.objects.get()
    assert (plan.strategy, plan.task.kind, plan.task.scale) == ("picks", "pick", "best-worst")
    assert plan.settings == {"k": 3, "grid_size": 4, "appearances": 2, "judgments_per_pair": 1}
    with pytest.raises(CommandError, match="at most 9"):
        call_command("study", "large", pick=10)
    assert not Study.objects.filter(slug="large").exists()


def test_coordinators_see_grids_and_who_was_picked(client, django_user_model):
    study, _ = pick_study(items=8)
    open_study(study)
    sit(invite(study))
    services.catch_up()
    client.force_login(django_user_model.objects.create_superuser("root"))
    study.members.create(user=django_user_model.objects.get(), role="organizer")
    page = client.get(f"/studies/{study.slug}/topics/{study.topics.get().pk}/")
    assert page.status_code == 200, page
    text = " ".join(page.content.decode().split())
    assert "1 grid open" in text
    assert "0 of 1 grid answered" in text
    assert "8 items, 4 grids" in text
    assert re.search('<bdi class="won" title="t1-a">[^<]*</bdi> <span class="soft">over</span>', text)
    assert Tournament.objects.get().finished is False


def test_every_page_of_an_organizer_shows_a_study_of_picks(client, django_user_model):
    study, _ = pick_study(items=8, scale="best-worst")
    add_run(study, "run", {"t1": ["t1-a", "t1-b"]})
    user = django_user_model.objects.create_superuser("root")
    study.members.create(user=user, role="organizer")
    client.force_login(user)
    before = client.get(reverse("tournament-start", args=[study.slug])).content.decode()
    assert "Grids in the first round" in before
    open_study(study)
    person = invite(study)
    sit(person)
    services.catch_up()
    scoring.rescore(study.topics.get().pk)
    names = "study study-settings tournament-start challenges people topics leaderboard"
    for name in names.split():
        assert client.get(reverse(name, args=[study.slug])).status_code == 200, name
    page = client.get(reverse("person", args=[study.slug, person.pk]))
    assert page.status_code == 200
    assert page.content.decode().count("t1-a") >= 1
    checklist = client.get(reverse("study", args=[study.slug])).content.decode()
    assert "10 challenges: grids with a known answer" in checklist


def test_opening_by_command_names_a_final_only_where_there_is_one(capsys):
    picks, _ = pick_study(items=12, topics=2, scale="best")
    call_command("start", picks.slug)
    assert "fewer" not in capsys.readouterr().out
    call_command("start", make_study(topics=2, items=5).slug)
    assert capsys.readouterr().out.endswith("; 2 have 9 or fewer.\n")
