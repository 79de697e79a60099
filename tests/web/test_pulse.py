"""The pulse of an open study: what it says at each stage, to whom, and how often it is computed."""

import re
import time
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.core.cache import cache
from django.db.models import F
from django.test import TestCase
from django.urls import reverse

from collection.models import Membership, Topic
from collection.study import lifecycle
from collection.upload.loading import load
from judging.batches import answering
from panels.models import Budget
from scoring.board import standings
from scoring.quality.trust import TRUST
from scoring.scores import topic_scores
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.makers import add_run, finish, invite, make_study, open_study, sit
from tournament import services
from tournament.models import Round
from web import jobs
from web.alerts import health
from web.coordinator.answers import pulse
from web.coordinator.answers.pulse import DONE, GOOD, LOOK, QUIET, pulse_of
from web.live import leaderboard_headline, outcome
from web.shared import finished_figures

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    cache.clear()
    return open_study(staff_of(make_study(topics=2, batch_pairs=4, batch_challenges=0)))


def address(study) -> str:
    return reverse("pulse", args=[study.slug])


def test_a_study_that_nobody_judges_asks_for_people(study):
    found = pulse_of(study)
    assert (found.state, found.percent, found.title) == (LOOK, 0, "! 0 %")
    assert found.parts[0] == "0 of 2 topics done"
    assert found.parts[1].endswith(" waiting")
    assert "nobody has judged yet" in found.trouble.said
    organizer, coordinator = (
        logged_in(name).get(address(study)).content.decode() for name in ("alice", "bob")
    )
    assert "Invite people" in organizer
    assert "nobody has judged yet" in coordinator
    assert "Invite people" not in coordinator


def test_in_the_list_of_studies_no_line_counts_nothing(study):
    alice = logged_in("alice")
    assert "0 judging now" in alice.get(address(study)).content.decode()
    for path in (f"{address(study)}?leader", reverse("studies")):
        listed = alice.get(path).content.decode()
        assert "0 of 2 topics done" in listed
        assert "0 judging now" not in listed


def test_somebody_who_is_at_their_first_batch_is_not_called_nobody(study):
    answering.begin(invite(study).pk)
    assert pulse_of(study).trouble is None


def test_while_a_first_round_is_being_made_it_asks_for_nobody(study):
    Round.objects.filter(tournament__topic=study.topics.first()).delete()
    Topic.objects.filter(pk=study.topics.first().pk).update(settled=F("settled") + 1)
    found = pulse_of(study)
    assert (found.state, found.parts[1], found.trouble) == (GOOD, "Making the first round", None)


def test_while_somebody_judges_it_says_how_fast_and_how_far(study, monkeypatch):
    sit(invite(study))
    services.catch_up()
    answering.begin(invite(study).pk)
    first = pulse_of(study)
    assert first.state == GOOD
    assert "1 judging now" in first.parts
    sit(invite(study))
    now = time.time()
    monkeypatch.setattr(pulse.time, "time", lambda: now + 60)
    answers = sum(pulse.pace.per_day(study).values())
    seen = cache.get(f"pulse-pace:{study.pk}")[0][1]
    later = pulse_of(study)
    assert f"{answers - seen} a minute" in later.parts
    assert any(part.startswith("ends in about") for part in later.parts)


def test_what_stands_still_has_no_end_and_no_pace_of_nothing(study, monkeypatch):
    sit(invite(study))
    services.catch_up()
    answering.begin(invite(study).pk)
    pulse_of(study)
    now = time.time()
    monkeypatch.setattr(pulse.time, "time", lambda: now + 60)
    assert not [part for part in pulse_of(study).parts if part.startswith(("ends", "0 a minute"))]
    monkeypatch.setattr(pulse, "_a_minute", lambda study, answers: 3.0)
    assert any(part.startswith("ends") for part in pulse_of(study).parts)
    monkeypatch.setattr(pulse.health, "blocks", lambda study, last: [health.Trouble("No free place.")])
    assert not any(part.startswith("ends") for part in pulse_of(study).parts)
    shown = text(logged_in("alice").get(reverse("progress", args=[study.slug])))
    assert "No free place." in shown
    assert "At the pace so far" not in shown


def test_where_judgments_came_from_files_nobody_has_judged_here_yet(study, monkeypatch):
    monkeypatch.setattr(health.standings, "latest", lambda study: SimpleNamespace(board={"judgments": 700}))
    assert "nobody has judged here yet: 700 judgments came from files." in pulse_of(study).trouble.said


def test_what_is_spent_of_which_cap_is_said(study):
    Budget.objects.create(
        study=study,
        rehearsal=False,
        currency="USD",
        cap=Decimal(150),
        committed=Decimal(30),
        spent=Decimal("21.6"),
    )
    Budget.objects.create(study=study, rehearsal=True, currency="USD", cap=Decimal(9))
    assert pulse_of(study).parts[-1] == "21.60 of 150.00 USD"


def test_the_end_is_said_and_what_comes_after_it(study):
    finish(study)
    found = pulse_of(study)
    assert (found.state, found.percent, found.title) == (DONE, 100, "✓")
    assert found.parts == ["2 of 2 topics done"]
    close = reverse("study-close", args=[study.slug]) + "?how=end"
    seen, seen_by_bob = (logged_in(name).get(address(study)).content.decode() for name in ("alice", "bob"))
    assert f'Finished</span> <a href="{close}">End judging' in seen
    assert close not in seen_by_bob
    lifecycle.pause(study.pk)
    study.refresh_from_db()
    assert (pulse_of(study).state, pulse_of(study).parts[0]) == (QUIET, "Paused")
    lifecycle.close(study.pk)
    study.refresh_from_db()
    assert pulse_of(study).parts == ["Judging is over", "2 of 2 topics done"]


def test_while_the_best_run_is_not_settled_the_end_is_a_choice(study, monkeypatch):
    finish(study)
    monkeypatch.setattr(outcome, "is_open", lambda study: True)
    choice = reverse("progress", args=[study.slug])
    seen = logged_in("alice").get(address(study)).content.decode()
    assert "All answered; which run is best is not settled</span>" in seen
    assert f'</span> <a href="{choice}">Ask more, or end</a>' in seen
    page = " ".join(logged_in("alice").get(choice).content.decode().split())
    assert "All is answered, but which run is best is not settled." in page
    close = reverse("study-close", args=[study.slug]) + "?how=end"
    assert page.index("What would more buy?") < page.index(f'"{close}">End judging')
    assert page.count(f'<a class="button" href="{close}"') == 1
    files = reverse("files", args=[study.slug])
    assert re.search(rf'<a class="button( main)?" href="{files}">Load more topics</a>', page)
    for name in ("study", "study-send"):
        page = logged_in("alice").get(reverse(name, args=[study.slug])).content.decode()
        assert f'<a class="button main" href="{choice}">Ask more</a> <a class="button" href="{close}"' in page


def test_a_page_that_says_that_all_is_answered_has_the_one_next_step_and_its_pulse_none(study):
    finish(study)
    alice, close = logged_in("alice"), reverse("study-close", args=[study.slug]) + "?how=end"
    assert close in alice.get(address(study)).content.decode()
    assert close not in alice.get(address(study), {"finished": ""}).content.decode()
    for name in ("progress", "study", "study-send"):
        page = alice.get(reverse(name, args=[study.slug])).content.decode()
        assert page.count(f'"{close}">End judging') == 1
        assert page.count(close) == 1
        assert "data-finished" in page


def test_figures_of_a_finished_study_are_asked_for_once_and_computed(study, monkeypatch):
    asked = []
    monkeypatch.setattr(pulse, "run_in_background", lambda job, *args: asked.append((job.name, args)))
    page = logged_in("bob")
    page.get(address(study))
    assert asked == []
    add_run(study, "run", {"t1": ["t1-a"]})
    add_run(study, "other", {"t1": ["t1-b"]})
    finish(study)
    for topic in study.topics.values_list("pk", flat=True):
        topic_scores.rescore(topic)
    standings.write(study)
    for _ in range(2):
        cache.delete(pulse.pulse_key(study))
        page.get(address(study))
    assert asked == [("web.jobs.prepare_figures", (study.pk,))]
    with TestCase.captureOnCommitCallbacks(execute=True):
        jobs.prepare_figures(study.pk)
    shown = finished_figures.shown_first(study)
    assert len(shown) > 5
    assert all(kind.latest(study, *params) is not None for kind, params in shown)
    assert not finished_figures.compute_next(study)


def test_figures_of_an_open_study_are_left_to_its_pages(study):
    sit(invite(study))
    with TestCase.captureOnCommitCallbacks(execute=True):
        jobs.prepare_figures(study.pk)
    assert TRUST.latest(study) is None


def test_further_topics_that_are_not_open_are_no_end(study):
    finish(study)
    Topic.objects.create(study=study, name="t3", text="More?")
    found = pulse_of(study)
    assert found.state == LOOK
    assert found.trouble.mend == "Open further topics"


def test_who_watches_costs_no_computation_and_hears_of_changes_alone(study):
    alice = logged_in("alice")
    first = alice.get(address(study))
    assert alice.get(address(study), headers={"If-None-Match": first["ETag"]}).status_code == 304
    assert queries(alice, address(study)) <= 4
    cache.delete(pulse.pulse_key(study))
    sit(invite(study))
    services.catch_up()
    assert alice.get(address(study), headers={"If-None-Match": first["ETag"]}).status_code == 200


@pytest.mark.parametrize(
    "part", ["pulse", "leaderboard-chances", "leaderboard-decision", "leaderboard-trust"]
)
def test_a_part_that_is_opened_by_itself_leads_to_its_page(study, part):
    page = "progress" if part == "pulse" else "leaderboard"
    alone = logged_in("alice").get(reverse(part, args=[study.slug]), headers={"Sec-Fetch-Mode": "navigate"})
    assert alone.url == reverse(page, args=[study.slug])


def test_a_page_that_is_not_there_keeps_its_study_for_those_with_a_part_in_it(study):
    address = f"/studies/{study.slug}/nothing-is-here/"
    own, strange = (logged_in(name).get(address) for name in ("alice", "vera"))
    assert (own.status_code, strange.status_code) == (404, 404)
    assert f'href="{reverse("leaderboard", args=[study.slug])}"' in own.content.decode()
    assert study.name not in strange.content.decode()


def test_a_page_has_the_latest_pulse_from_the_start(study):
    alice, page = logged_in("alice"), reverse("topics", args=[study.slug])
    assert "pulse-line" not in alice.get(page).content.decode()
    alice.get(address(study))
    assert 'class="pulse-line' in alice.get(page).content.decode()


@pytest.fixture
def loaded(tmp_path):
    """A study that is not open, with two runs and one judgment."""
    study = staff_of(make_study(topics=1))
    add_run(study, "good", {"t1": ["t1-a", "t1-b"]})
    add_run(study, "bad", {"t1": ["t1-b", "t1-a"]})
    (tmp_path / "judged.txt").write_text("t1 t1-a t1-b t1-a\n")
    load(study, "judgments", tmp_path / "judged.txt")
    for topic in topic_scores.behind():
        topic_scores.rescore(topic)
    standings.current(study)
    return study


def test_the_list_of_studies_hears_who_leads_as_the_board_says_it(loaded, monkeypatch):
    alice = logged_in("alice")
    assert "good leads" not in alice.get(address(loaded)).content.decode()
    assert "Too early to say who leads" in alice.get(address(loaded), {"leader": ""}).content.decode()
    cache.clear()
    monkeypatch.setattr(leaderboard_headline.run_comparison, "too_few", lambda topics: False)
    assert "good leads, not sure" in alice.get(address(loaded), {"leader": ""}).content.decode()


def test_a_study_with_loaded_judgments_says_how_many(loaded):
    assert pulse_of(loaded).parts == ["1 judgment loaded", "nobody is asked"]


def test_a_draft_says_the_step_that_comes_next():
    alice = logged_in("alice")
    draft = staff_of(make_study())
    assert pulse_of(draft).parts == ["Not open yet", "1 topic"]
    link = '<a href="/studies/{}/{}/">Next: {}</a>'
    said = alice.get(address(draft)).content.decode()
    assert link.format(draft.slug, "start", "Open") in said
    empty = staff_of(make_study(topics=0, name="Empty"))
    assert link.format(empty.slug, "files", "Files") in alice.get(address(empty)).content.decode()


def test_pages_of_open_studies_have_a_place_for_it_and_others_none(study):
    alice = logged_in("alice")
    place = f'data-pulse="{address(study)}'
    for page in (
        reverse("studies"),
        reverse("study", args=[study.slug]),
        reverse("topics", args=[study.slug]),
    ):
        assert place in alice.get(page).content.decode()
    Membership.objects.create(study=study, user=account("eve"), role=Membership.Role.VIEWER)
    assert place not in logged_in("eve").get(reverse("topics", args=[study.slug])).content.decode()
    waiting = staff_of(make_study())
    assert "data-pulse" not in alice.get(reverse("study", args=[waiting.slug])).content.decode()
    assert "4 of" not in text(alice.get(reverse("study", args=[waiting.slug])))
