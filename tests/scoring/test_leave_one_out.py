"""What would change without one assessor: held against scores after that person was excluded in earnest."""

import numpy as np
import pytest
from django.urls import reverse

from collection.models import Topic
from judging.models import Assessor
from judging.people import person_names
from judging.verdicts import decisions
from scoring import jobs
from scoring.analysis import leave_one_out
from scoring.analysis.leave_one_out import INFLUENCE
from scoring.board import standings
from scoring.compute.influence import effect
from scoring.models import StoredScores
from scoring.scores.stored_measures import options
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
    before, scored = values(), leave_one_out.first_scores(study)
    assert own.judgments > 0
    decisions.exclude(last, "in earnest")
    jobs.sweep()
    after = values()
    there = [i for i, row in enumerate(before) if not np.isnan(row).all()]
    assert found.over == len(there)
    weights = scored.weights
    for told, table in ((own.effect.before, before[there]), (own.effect.after, after[there])):
        known = np.ma.masked_invalid(table)
        assert told == pytest.approx(np.ma.average(known, axis=0, weights=weights).tolist())
    assert own.effect.before != own.effect.after


def test_means_are_those_of_the_leaderboard_where_topics_are_answered_in_part():
    study = with_runs(topics=3, runs=3, batch_pairs=4)
    for _ in range(4):
        sit(invite(study), choose=whim)
    jobs.sweep()
    board = standings.write(study).board
    on_board = {run["name"]: run["means"]["pgc"][options(0.95)][0] for run in board["runs"]}
    assert len(set(leave_one_out.first_scores(study).weights)) > 1
    found = INFLUENCE.compute(study)
    for one in found.people:
        assert one.effect.before == pytest.approx([on_board[name] for name in found.runs], abs=1e-4)


def test_ranks_and_tau_are_those_counted_by_hand():
    """Of three runs the last two change places: 2 of 3 pairs stay, so tau is 1/3; ties share a rank."""
    once = np.array([1.0])
    found = effect(np.array([[0.9, 0.5, 0.4]]), np.array([[0.9, 0.3, 0.4]]), once)
    assert (found.ranks_before, found.ranks_after) == ([1, 2, 3], [1, 3, 2])
    assert found.tau == pytest.approx(1 / 3)
    assert (found.moved, found.largest) == (2, pytest.approx(0.2))
    assert found.leads == pytest.approx((0.4, 0.5))
    tied = effect(np.array([[0.5, 0.5, 0.1]]), np.array([[0.5, np.nan, 0.1]]), once)
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
    assert "Without any one of 3 people" in shown
    leads = [signed(then - now) for now, then in (one.effect.leads for one in found.people) if then >= 0]
    assert leads
    assert all(f"{lead} without" in shown for lead in leads)
    own = logged_in("bob").get(address + str(found.people[1].pk))
    # What was asked about one person stands in the row below theirs, and names nobody else.
    row = own.content.decode().partition('id="without"')[2].partition("</tr>")[0]
    names = person_names.names(study, [one.pk for one in found.people], labels=False)
    assert {name for name in names.values() if name in row} == {names[found.people[1].pk]}
    assert own.content.decode().count('id="without"') == 1
    sorted_by = alice.get(reverse("trust", args=[study.slug]), {"sort": "lead"}).context
    assert sorted_by["sort"] == "lead"
    changes = {one.pk: one.effect.leads for one in found.people}
    moves = [changes[row.one.pk] for row in sorted_by["people"]]
    assert moves == sorted(moves, key=lambda lead: (lead[1] >= 0, -abs(lead[1] - lead[0])))
    assert alice.get(address + "999999").status_code == 404
    plain = queries(alice, address.partition("?")[0])
    assert queries(alice, address) <= plain + 4


def test_the_page_of_a_person_says_it_too(study):
    alice, person = logged_in("alice"), study.assessors.first()
    own = text(alice.get(reverse("person", args=[study.slug, person.pk])))
    trusted = text(alice.get(reverse("trust", args=[study.slug]) + f"?person={person.pk}"))
    said = trusted.partition("Without 1 · somebody, ")[2].partition(" Each run")[0]
    assert said.endswith(".")
    assert f"Effect on the board Without them, {said} Each run" in own


def test_everybody_is_looked_at_until_the_scores_are_many(study, monkeypatch):
    assert len(leave_one_out._most_active(study)) == 3
    monkeypatch.setattr(leave_one_out, "LEAST", 1)
    scores = study.topics.count() * len(RUNS)
    monkeypatch.setattr(leave_one_out, "CELLS", 2 * scores)
    assert len(leave_one_out._most_active(study)) == 2


def test_where_nobody_else_judged_it_is_not_said_that_another_run_would_lead():
    study = with_runs(topics=2)
    judge(study)
    one = study.assessors.get().pk
    said = text(logged_in("alice").get(reverse("without", args=[study.slug]) + f"?person={one}", follow=True))
    assert "no run would have a score: nobody else judged these topics" in said
    assert "would lead" not in said


def test_without_runs_there_is_nothing_to_compare():
    study = with_runs(runs=0)
    judge(study)
    shown = text(logged_in("alice").get(reverse("without", args=[study.slug]), follow=True))
    assert "There is nothing to compare yet." in shown
