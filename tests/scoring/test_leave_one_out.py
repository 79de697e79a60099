"""What would change without one assessor: held against scores after that person was excluded in earnest."""

import numpy as np
import pytest
from django.urls import reverse

from collection.models import Topic
from judging.models import Assessor
from judging.verdicts import decisions
from scoring import jobs
from scoring.analysis import leave_one_out
from scoring.analysis.leave_one_out import INFLUENCE
from scoring.compute.influence import effect
from scoring.models import StoredScores
from tests.judging.organizing import logged_in, queries, text
from tests.makers import invite, sit, whim
from tests.scoring import stored
from tests.scoring.test_leaderboard_pages import judge, with_runs
from web.shared.phrases import signed

pytestmark = pytest.mark.django_db
RUNS = ("run-0", "run-1", "run-2")


@pytest.fixture
def study():
    study = with_runs(topics=4, runs=3)
    judge(study, 2)
    sit(invite(study), choose=whim)
    jobs.sweep()
    return study


def values() -> "np.ndarray":
    scored = Topic.objects.exclude(scored=None)
    names = scored.order_by("name").values_list("name", flat=True)
    table = [[stored.value(run, "pgc", 0.95, name) for run in RUNS] for name in names]
    return np.array([[np.nan if value is None else value for value in row] for row in table])


def test_it_is_what_excluding_them_gives_and_nothing_is_stored(study):
    rows = list(StoredScores.objects.order_by("pk").values_list("revision", "judgments", "numbers"))
    found = INFLUENCE.compute(study)
    assert list(StoredScores.objects.order_by("pk").values_list("revision", "judgments", "numbers")) == rows
    assert len(found.people) == 3
    last = Assessor.objects.latest("pk").pk
    own = next(one for one in found.people if one.pk == last)
    before = values()
    assert own.judgments > 0
    decisions.exclude(last, "in earnest")
    jobs.sweep()
    after = values()
    there = [i for i, row in enumerate(before) if not np.isnan(row).all()]
    assert found.over == len(there)
    assert own.effect.before == pytest.approx(np.nanmean(before[there], axis=0))
    assert own.effect.after == pytest.approx(np.nanmean(after[there], axis=0))
    assert own.effect.before != own.effect.after


def test_ranks_and_tau_are_those_counted_by_hand():
    """Of three runs the last two change places: 2 of 3 pairs stay, so tau is 1/3; ties share a rank."""
    found = effect(np.array([[0.9, 0.5, 0.4]]), np.array([[0.9, 0.3, 0.4]]))
    assert (found.ranks_before, found.ranks_after) == ([1, 2, 3], [1, 3, 2])
    assert found.tau == pytest.approx(1 / 3)
    assert (found.moved, found.largest) == (2, pytest.approx(0.2))
    assert found.leads == pytest.approx((0.4, 0.5))
    tied = effect(np.array([[0.5, 0.5, 0.1]]), np.array([[0.5, np.nan, 0.1]]))
    assert (tied.ranks_before, tied.ranks_after) == ([1, 1, 3], [1, None, 2])


def test_the_page_waits_for_the_job_and_then_says_who_changes_most(study, monkeypatch):
    monkeypatch.setattr(leave_one_out, "AT_ONCE", 0)
    alice, address = logged_in("alice"), reverse("trust", args=[study.slug]) + "?person="
    response = alice.get(address)
    assert "You will see whose judgments change the board most. It waits for its turn." in text(response)
    assert response["Retry-After"] == "3"
    INFLUENCE.job(study.pk)
    found = INFLUENCE.cached(study)
    assert "Without 3 · somebody," in text(alice.get(address + str(max(one.pk for one in found.people))))
    shown = text(logged_in("bob").get(address))
    assert f"Without {found.people[0].name}," in shown
    leads = [signed(then - now) for now, then in (one.effect.leads for one in found.people) if then >= 0]
    assert leads
    assert all(f"{lead} without" in shown for lead in leads)
    for one in found.people:
        assert f"{one.name} {one.judgments}" in shown
    sorted_by = alice.get(reverse("trust", args=[study.slug]), {"sort": "lead"}).context
    assert sorted_by["sort"] == "lead"
    changes = {one.pk: one.effect.leads for one in found.people}
    moves = [changes[row.one.pk] for row in sorted_by["people"]]
    assert moves == sorted(moves, key=lambda lead: (lead[1] >= 0, -abs(lead[1] - lead[0])))
    assert alice.get(address + "999999").status_code == 404
    plain = queries(alice, address.partition("?")[0])
    assert queries(alice, address) <= plain + 4


def test_everybody_is_looked_at_until_the_scores_are_many(study, monkeypatch):
    assert len(leave_one_out._most_active(study)) == 3
    monkeypatch.setattr(leave_one_out, "LEAST", 1)
    scores = study.topics.count() * len(RUNS)
    monkeypatch.setattr(leave_one_out, "CELLS", 2 * scores)
    assert len(leave_one_out._most_active(study)) == 2


def test_where_nobody_else_judged_it_is_not_said_that_another_run_would_lead():
    study = with_runs(topics=2)
    judge(study)
    said = text(logged_in("alice").get(reverse("without", args=[study.slug]), follow=True))
    assert "no run would have a score: nobody else judged these topics" in said
    assert "would lead" not in said


def test_without_runs_there_is_nothing_to_compare():
    study = with_runs(runs=0)
    judge(study)
    shown = text(logged_in("alice").get(reverse("without", args=[study.slug]), follow=True))
    assert "There is nothing to compare yet." in shown
