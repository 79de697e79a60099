"""Simulated workers over HTTP: each manner of going through a HIT, against the emulator and our own pages."""

from collections import Counter

import pytest

from judging.models import Assignment, Judgment
from panels.models import Entry, Payment, Place
from simulation.turkers import Became, Habits, Turker
from tests.judging.studies import make_study
from tests.panels.at_turk import collect, published
from tests.panels.conftest import point_at
from tests.panels.emulated import mturk

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PLAIN = Habits(careless=0, returns=0, leaves=0, doubles=0, reloads=0)


def better(one: str, other: str) -> int:
    """Prefer as the study's challenges do: their known item comes first in the order of texts."""
    return 1 if one < other else -1


@pytest.fixture
def market(tmp_path, settings, live_server):
    with mturk(tmp_path / "state") as running:
        point_at(running, settings)
        settings.PUBLIC_URL = live_server.url.replace("localhost", "127.0.0.1")
        yield running


@pytest.fixture
def campaign(market):
    study = make_study(pairs=20, challenges=9)
    study.tasks.update(batch_size=5, batch_challenges=2)
    return published(study, 4)


def turker(market, name, **habits) -> Turker:
    return Turker(market.site, name, better, habits=PLAIN.__class__(**(PLAIN.__dict__ | habits)))


def test_somebody_who_is_careful_is_kept_and_paid(market, campaign):
    worker = turker(market, "ACAREFUL")
    assert [worker.visit(), worker.visit()] == [Became.SUBMITTED] * 2
    collect(campaign)
    assert Counter(Assignment.objects.values_list("state", flat=True)) == {"kept": 2}
    assert Counter(Payment.objects.values_list("state", flat=True)) == {"paid": 2}
    assert worker.became == {Became.SUBMITTED: 2}


def test_somebody_who_comes_again_takes_other_times(market, campaign):
    for _ in range(2):
        assert turker(market, "AAGAIN").visit() is Became.SUBMITTED
    batches = Assignment.objects.all()
    first, second = (set(one.judgments.values_list("seconds", flat=True)) for one in batches)
    assert first != second


def test_somebody_who_is_careless_fails_and_is_paid(market, campaign):
    worker = turker(market, "ACARELESS", careless=1)
    worker.judge = lambda one, other: -better(one, other)
    worker.careless = False  # always wrong instead of by chance
    assert worker.visit() is Became.SUBMITTED
    collect(campaign)
    assert Assignment.objects.get().state == "discarded"
    assert Payment.objects.get().state == "paid"


def test_pressing_twice_stores_each_answer_once(market, campaign):
    assert turker(market, "ADOUBLE", doubles=1).visit() is Became.SUBMITTED
    assert Judgment.objects.count() == 7
    collect(campaign)
    assert Payment.objects.get().state == "paid"


def test_an_older_page_is_refused_and_the_newer_one_goes_on(market, campaign):
    assert turker(market, "ARELOADS", reloads=1).visit() is Became.SUBMITTED
    assert Judgment.objects.count() == 7
    assert Assignment.objects.get().state in ("submitted", "kept")


def test_what_is_returned_is_free_for_somebody_else(market, campaign):
    assert turker(market, "ARETURNS", returns=1).visit() is Became.RETURNED
    assert turker(market, "ANEXT").visit() is Became.SUBMITTED
    collect(campaign)
    assert Payment.objects.get().state == "paid"
    assert sorted(Entry.objects.values_list("state", flat=True)) == ["confirmed", "superseded"]


def test_who_leaves_stays_away_from_that_hit(market, campaign):
    worker = turker(market, "ALEAVES", leaves=1)
    assert worker.visit() is Became.LEFT
    assert Assignment.objects.get().state == "working"
    # The open batch follows to another one.
    assert worker.visit() is Became.LEFT
    assert Assignment.objects.get().entry.outside == Entry.objects.latest("pk").outside
    assert Place.objects.filter(state="submitted").count() == 0


def test_without_hits_there_is_nothing_to_do(market):
    assert turker(market, "AEARLY").visit() is Became.NOTHING
