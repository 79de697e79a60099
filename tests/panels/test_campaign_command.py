"""`manage.py campaign`: from new to closed, what it refuses, and its exit status."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from judging.models import Assessor
from panels.models import Campaign, Payment, Place
from panels.payments import payouts
from tests.judging.studies import make_study
from tests.panels.campaigning import Sent, link_address

pytestmark = pytest.mark.django_db
TERMS = ["--term", "code_completed=FINISHED-1234", "--term", "duration_minutes=30"]


@pytest.fixture
def study():
    study = make_study(pairs=20, challenges=9)
    study.tasks.update(batch_size=5, batch_challenges=2)
    return study


def run(*words) -> dict:
    out = io.StringIO()
    call_command("campaign", "garden", *words, "--json", stdout=out)
    return json.loads(out.getvalue())


def test_from_new_to_closed(study):
    made = run("new", "--panel", "link", "--reward", "2.00", "--places", "3", "--cap", "6.00", *TERMS)
    assert made["campaign"] == 1
    estimate = run("estimate")
    assert (estimate["all places"], estimate["left below the cap"]) == ("6.00 USD", "6.00")
    assert run("arm", "--hash", estimate["hash"])["armed"]
    assert run("publish")["reserved"] == 3
    Sent(link_address(Campaign.objects.get())).work()
    status = run("status")
    assert (status["places"], status["payments"]) == ({"live": 2, "submitted": 1}, {"due": 1})
    assert status["before it can be closed"] == [
        "It is not stopped yet.",
        "Places that are still with the panel, or with somebody who has taken them: 2.",
        "Payments that are not made, or wait to be looked at: 1.",
    ]
    run("stop")
    with pytest.raises(CommandError, match="Payments"):
        run("close")
    payouts.mark_paid(Payment.objects.values_list("pk", flat=True), "by hand")
    assert run("close")["spent"] == "2.00"
    assert dict(Place.objects.values_list("state", "number")).keys() == {"expired", "settled"}
    with pytest.raises(CommandError, match="is over"):
        run("publish", "--places", "1")


def test_it_publishes_nothing_that_was_not_armed_or_was_changed_since(study):
    run("new", "--panel", "link", "--reward", "2.00", "--places", "3", "--cap", "6.00", *TERMS)
    with pytest.raises(CommandError, match="not armed"):
        run("publish")
    with pytest.raises(CommandError, match="others than those"):
        run("arm", "--hash", "0" * 64)
    run("arm", "--hash", run("estimate")["hash"])
    run("set", "--reward", "1.50")
    with pytest.raises(CommandError, match="changed since it was armed"):
        run("publish")
    assert not Place.objects.exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["estimate"], "no such campaign"),
        (["new"], "--panel"),
        (["new", "--panel", "link", "--reward", "2.001"], "no amount"),
        (["new", "--panel", "link", "--reward", "-1"], "no amount"),
        (["new", "--panel", "link", "--reward", "NaN"], "no amount"),
        (["new", "--panel", "link", "--term", "code"], "NAME=VALUE"),
        (["new", "--panel", "link", "--term", "colour=red", *TERMS], "no setting 'colour'"),
        (["new", "--panel", "link", "--term", "duration_minutes=soon"], "not JSON"),
        (["new", "--panel", "link", "--environment", "sandbox", *TERMS], "no 'sandbox'"),
        (["new", "--panel", "account"], "local"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(study, words, says):
    with pytest.raises(CommandError, match=says):
        run(*words)
    assert not Campaign.objects.exists()


def test_a_study_that_there_is_not():
    with pytest.raises(CommandError, match="no study"):
        call_command("campaign", "nothing", "status")


def test_which_of_several_is_meant_is_asked(study):
    for _ in range(2):
        run("new", "--panel", "link", *TERMS)
    with pytest.raises(CommandError, match="--number"):
        run("status")
    assert run("status", "--number", "2")["campaign"] == 2


def test_reconciling_says_what_somebody_has_to_look_at_and_fails(study):
    run("new", "--panel", "link", "--reward", "2.00", "--places", "3", "--cap", "6.00", *TERMS)
    run("arm", "--hash", run("estimate")["hash"])
    assert run("reconcile")["to look at"] == []
    Campaign.objects.update(troubled="The account is empty.")
    out = io.StringIO()
    with pytest.raises(CommandError, match="Not everything is right"):
        call_command("campaign", "garden", "reconcile", "--json", stdout=out)
    assert json.loads(out.getvalue())["to look at"] == ["Publishing has stopped: The account is empty."]
    assert not Assessor.objects.exists()


def test_a_link_begins_as_on_its_page_with_a_code_for_each(study):
    run("new", "--panel", "link", "--reward", "2.00", "--places", "60", "--cap", "160")
    campaign = Campaign.objects.get()
    assert campaign.terms["finish"] == "own code"
    assert run("estimate")["all places"] == "120.00 USD"


def test_no_places_are_none(study):
    run("new", "--panel", "link", "--reward", "2.00", "--places", "20", "--cap", "60.00", *TERMS)
    run("arm", "--hash", run("estimate")["hash"])
    with pytest.raises(CommandError, match="at least one place"):
        run("publish", "--places", "0")
    assert not Place.objects.exists()


@pytest.mark.parametrize(
    ("words", "field"),
    [
        (["--places", "99999999999"], "places"),
        (["--minutes", "70000"], "minutes"),
        (["--minutes", "0"], "minutes"),
        (["--reward", "123456789.00"], "reward"),
        (["--floor", "1000000000000"], "floor"),
        (["--name", "x" * 101], "name"),
    ],
)
def test_values_beyond_any_sense_are_refused_by_name(study, words, field):
    with pytest.raises(CommandError, match=f"{field}: "):
        run("new", "--panel", "link", *TERMS, *words)
    assert not Campaign.objects.exists()
