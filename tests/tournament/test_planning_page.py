"""The page on which a tournament is planned: what it says, what it costs, and that it can be used."""

from urllib.parse import urlencode

import pytest
from django.urls import reverse

from collection.models import Action, Grade
from prefir.rules import STRATEGIES, simulate
from tests.judging.organizing import queries, staff_of, text
from tests.makers import make_study, open_study
from tournament import planning
from tournament.models import Plan

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    return staff_of(make_study(topics=3, items=12, k=3, final_size=6, pairings=5))


def address(study, **given) -> str:
    """Where plans are shown: with what opening asks for, then with the progress."""
    page = reverse("progress" if study.opened_at else "tournament-start", args=[study.slug])
    return page + "?" + urlencode({"accuracy": 85} | given)


def use(client, study, name):
    return client.post(reverse("planning", args=[study.slug]), {"use": name}, follow=True)


def test_the_figures_are_those_of_the_simulation_repeated_by_hand(study):
    """Topic by topic, play by play, with the mean taken here."""
    found = planning.PLANS.compute(study, 0.3, ())
    usual = next(one for one in found.figures if one.name == "usual")
    grades = [1.0] * 12
    plays = [
        simulate(
            STRATEGIES["crowd"], usual.settings, grades, noise=0.3, seed=f"{study.seed}:planning:{topic}:{n}"
        )
        for topic in range(3)
        for n in range(planning.REPEATS)
    ]
    assert usual.judgments[0] == pytest.approx(sum(p.judgments for p in plays) / len(plays))
    assert usual.top[0] == pytest.approx(sum(p.top for p in plays) / len(plays))
    assert (found.topics, found.played, found.graded, found.largest) == (3, 3, True, 12)


def test_three_plans_and_the_studys_own_stand_side_by_side(study, alice):
    page = text(alice.get(address(study)))
    for name in ("Cheap", "Usual", "Careful", "Own"):
        assert name in page
    assert "Final of 6, 5 pairings a round, 1 judgment a pair" in page
    assert "the study's" in page
    assert "Pay" not in page.replace("Pay of an hour, in USD", "")
    assert "Of the true top 3" in page


def test_what_it_costs_follows_from_pay_and_hours(study, alice):
    response = alice.get(address(study, pay="10", accuracy="100"))
    for line in response.context["plan_lines"]:
        amount, currency = line.cost.split()
        assert abs(float(amount.replace(",", "")) - 10 * float(line.hours)) <= 1
        assert currency == "USD"


def test_hours_follow_the_time_that_answers_took_once_it_is_measured_and_it_is_said_which(study, alice):
    before = alice.get(address(study))
    assert "Hours: at 30 seconds a question, estimated from what your items show" in text(before)
    study.tasks.update(average_seconds=15.0)
    after = alice.get(address(study))
    assert "Hours: at 15 seconds a question, as this study’s latest answers took" in text(after)
    hours = [[float(line.hours) for line in one.context["plan_lines"]] for one in (before, after)]
    assert [2 * one for one in hours[1]] == pytest.approx(hours[0], abs=0.16)  # rounded


def test_a_plan_is_taken_by_a_button_on_record_and_not_once_judging_is_open(study, alice):
    said = text(use(alice, study, "careful"))
    assert "The tournament is now: final of 9, 9 pairings a round, 3 judgments a pair" in said
    assert Plan.objects.get().settings == {"k": 3, "final_size": 9, "pairings": 9, "judgments_per_pair": 3}
    last = Action.objects.latest("pk")
    assert last.before == {"final_size": 6, "judgments_per_pair": 1, "pairings": 5}
    assert last.after == {"final_size": 9, "judgments_per_pair": 3, "pairings": 9}
    open_study(study)
    said = text(use(alice, study, "cheap"))
    assert "stand still" in said
    assert Plan.objects.get().settings["pairings"] == 9


def test_settings_of_ones_own_are_tried_and_impossible_ones_named(study, alice):
    assert "Final of 4, 2 pairings a round, 5 judgments a pair" in text(
        alice.get(address(study, final_size="4", pairings="2", judgments_per_pair="5"))
    )
    response = alice.get(address(study, final_size="2"))
    assert response.status_code == 400
    assert "at least the 3 items that it is to find" in text(response)
    for wrong in ({"accuracy": "49"}, {"accuracy": "x"}, {"pay": "-1"}, {"pairings": "0"}):
        response = alice.get(address(study, **wrong))
        assert response.status_code == 400
        assert "Correct this:" in text(response)
        assert "Nothing was saved" not in text(response)  # there was nothing to save
    assert use(alice, study, "no").status_code == 404


def test_a_large_study_is_simulated_by_a_job(study, alice, monkeypatch):
    monkeypatch.setattr(planning, "AT_ONCE", 1)
    response = alice.get(address(study))
    assert "being simulated" in text(response)
    assert response["Retry-After"]
    planning.PLANS.compute_requested(study)
    assert "The usual plan takes" in text(alice.get(address(study)))


def test_without_grades_or_items_the_page_says_so(alice):
    study = staff_of(make_study(topics=2, items=0, junk=0))
    assert "No topic has two items to compare." in text(alice.get(address(study)))
    other = make_study(topics=2, items=8, name="No grades")
    Grade.objects.all().delete()
    other.members.create(user=study.members.get(role="organizer").user, role="organizer")
    assert "The study has no grades" in text(alice.get(address(other)))


def test_it_takes_as_many_queries_for_many_topics(study, alice):
    many = make_study(topics=30, items=3, name="Many")
    many.members.create(user=study.members.get(role="organizer").user, role="organizer")
    for one in (study, many):
        alice.get(address(one))
    plain = reverse("tournament-start", args=[study.slug])
    few = queries(alice, address(study))
    assert few == queries(alice, address(many)) <= queries(alice, plain) + 7


def test_the_old_page_leads_to_the_plans_before_and_after_opening(study, alice):
    old = reverse("planning", args=[study.slug]) + "?pay=10"
    shown = alice.get(old, follow=True)
    assert shown.redirect_chain == [(f"{address(study)[:-12]}?pay=10&accuracy=85#plans", 302)]
    assert "Open for judging" in text(shown)
    assert "The usual plan takes" in text(shown)
    assert "Use the plan" in text(shown)
    open_study(study)
    study.refresh_from_db()
    shown = alice.get(old, follow=True)
    assert "The usual plan takes" in text(shown)
    assert "Use the plan" not in text(shown)
    assert shown.request["PATH_INFO"] == reverse("progress", args=[study.slug])


def test_nothing_is_simulated_before_somebody_asks(study, alice):
    for one in (study, open_study(make_study(topics=2))):
        one.members.get_or_create(user=study.members.get(role="organizer").user, role="organizer")
        page = reverse("progress" if one.opened_at else "tournament-start", args=[one.slug])
        said = text(alice.get(page))
        assert "Other settings, simulated" in said
        assert "The usual plan takes" not in said


def test_a_phone_shows_a_plan_as_a_block_with_its_pay(study, alice):
    shown = alice.get(address(study, pay="10")).content.decode()
    assert '<table class="stack" role="table">' in shown
    assert shown.count('data-label="Pay"') == shown.count('data-label="Rounds"') == 4


def test_its_figure_shows_every_plan(study, alice):
    alice.get(address(study))
    response = alice.get(reverse("figure-svg", args=[study.slug, "plans"]))
    assert response.status_code == 200
    for name in (b"Cheap", b"Usual", b"Careful"):
        assert name in response.content
    assert alice.get(reverse("figure-svg", args=[study.slug, "plans"]) + "?accuracy=1").status_code == 404
