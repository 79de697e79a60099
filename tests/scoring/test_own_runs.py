"""A participant's page: their own runs beside the median, and no other run's name or value."""

import csv
import re

import pytest
from django.core.management import CommandError, call_command

from collection.models import Membership, Run
from collection.models.actions import Action
from collection.study import lifecycle
from scoring import jobs
from scoring.compute.medians import beside
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.judging.studies import make_study
from tests.makers import finish
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import with_runs

PARTICIPANT = Membership.Role.PARTICIPANT


@pytest.mark.parametrize(
    ("values", "own", "median"),
    [
        # By hand: of 0.1 0.2 0.4 0.9 the middle two are 0.2 and 0.4.
        ({1: 0.1, 2: 0.2, 3: 0.4, 4: 0.9}, [1], 0.3),
        ({1: 0.1, 2: 0.2, 3: 0.4, 4: 0.9, 5: None}, [5], 0.3),
        # Two others: one of them would be told.
        ({1: 0.1, 2: 0.2, 3: 0.4}, [1], None),
        ({1: 0.1, 2: 0.2, 3: 0.4, 4: 0.9}, [1, 2], None),
        ({1: 0.1, 2: 0.2, 3: 0.4, 4: None}, [1], None),
    ],
)
def test_the_median_is_of_all_runs_and_told_only_among_enough(values, own, median):
    found = beside(values, own)
    assert found.own == [values[run] for run in own]
    assert found.median == (None if median is None else pytest.approx(median))


@pytest.fixture
def study(db):
    study = staff_of(make_study())
    for n in range(5):
        Run.objects.get_or_create(study=study, name=f"secretrun{n}")
    return study


def test_a_participant_sees_the_runs_named_for_them_alone(study):
    own = study.runs.get(name="secretrun0")
    lifecycle.set_member(study.pk, account("erin").pk, PARTICIPANT, [own])
    page = logged_in("erin").get(f"/studies/{study.slug}/own/").content.decode()
    assert set(re.findall(r"secretrun\d", page)) == {"secretrun0"}
    assert not [name for name in study.runs.exclude(pk=own.pk).values_list("name", flat=True) if name in page]


def test_the_organizer_names_the_runs_on_the_page_of_people_and_the_trail_holds_them(study):
    alice = logged_in("alice")
    account("erin")
    form = {"username": "erin", "role": "participant", "runs": ""}
    address = f"/studies/{study.slug}/members/"
    assert "Name the runs" in text(alice.post(address, form))
    assert "no run nosuch" in text(alice.post(address, form | {"runs": "nosuch"}))
    assert "Only participants have runs" in text(
        alice.post(address, form | {"role": "viewer", "runs": "secretrun1"})
    )
    assert not study.members.filter(user__username="erin").exists()
    assert alice.post(address, form | {"runs": "secretrun1 secretrun2"}).status_code == 302
    named = study.members.get(user__username="erin").runs.values_list("name", flat=True)
    assert set(named) == {"secretrun1", "secretrun2"}
    noted = study.actions.filter(what=Action.What.MEMBER).latest("pk")
    assert noted.after == {"part": "participant", "runs": ["secretrun1", "secretrun2"]}
    assert "participant: secretrun1, secretrun2" in text(alice.get(f"/studies/{study.slug}/people/"))


def test_the_command_gives_parts_and_takes_them(study):
    account("erin")
    call_command("member", study.slug, "participant", "erin", "--runs", "secretrun3")
    assert study.members.get(user__username="erin").runs.get().name == "secretrun3"
    call_command("member", study.slug, "viewer", "erin")
    part = study.members.get(user__username="erin")
    assert (part.role, part.runs.count()) == ("viewer", 0)
    call_command("member", study.slug, "none", "erin")
    assert not study.members.filter(user__username="erin").exists()
    for given in (["participant", "erin"], ["viewer", "erin", "--runs", "secretrun3"], ["none", "alice"]):
        with pytest.raises(CommandError):
            call_command("member", study.slug, *given)


def test_runs_of_another_study_are_refused(study):
    theirs = Run.objects.create(study=make_study(name="Other", slug="other"), name="theirs")
    with pytest.raises(lifecycle.CannotSteer):
        lifecycle.set_member(study.pk, account("erin").pk, PARTICIPANT, [theirs])


@pytest.mark.django_db
def test_the_report_as_csv_holds_every_topic_and_no_other_run():
    """Own values as they are stored; the median where there are enough others, by hand."""
    study = with_runs(topics=2, runs=5)
    finish(study)
    jobs.sweep()
    own = study.runs.get(name="run-1")
    lifecycle.set_member(study.pk, account("erin").pk, PARTICIPANT, [own])
    content = logged_in("erin").get(f"/studies/{study.slug}/own.csv").content.decode()
    assert set(re.findall(r"run-\d", content)) == {"run-1"}
    rows = list(csv.DictReader(content.splitlines()))
    assert [row["topic"] for row in rows if row["measure"] == "pgc"] == ["mean", "t1", "t2"]
    for topic in ("t1", "t2"):
        row = next(row for row in rows if (row["topic"], row["measure"]) == (topic, "pgc"))
        every = sorted(stored.value(f"run-{n}", "pgc", study.persistence, topic) for n in range(5))
        assert float(row["run-1"]) == stored.value("run-1", "pgc", study.persistence, topic)
        assert float(row["median of all runs"]) == every[2]
    assert logged_in("alice").get(f"/studies/{study.slug}/own.csv").status_code in (403, 404)
