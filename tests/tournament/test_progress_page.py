"""The page of a study's progress: pace, what is still needed held against playing to the end, and health."""

import re
from datetime import date, timedelta

import pytest
from django.core.cache import cache
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

import scoring.scores.topic_scores
from collection.models import Study, Topic
from collection.study import lifecycle
from judging.batches import answering
from judging.jobs import release_overdue
from judging.models import Assignment, Judgment, Question, QuestionRole
from judging.people import pace
from judging.questions.asking import open_questions
from panels.models import Campaign
from scoring.board import standings
from tests.emptying import unguarded
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.makers import answer, finish, invite, later, make_study, open_study, sit, whim
from tests.panels.campaigning import running
from tournament import services
from tournament.models import Tournament
from tournament.remaining_work import left
from web.alerts import health
from web.coordinator.answers import progress_page
from web.coordinator.answers.pulse import pulse_of
from web.forecast.needs import needed

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def opened(module_data):
    given = {"topics": 2, "items": 12, "k": 2, "final_size": 4, "pairings": 3, "batch_pairs": 4}
    return staff_of(open_study(make_study(**given))).pk


@pytest.fixture
def study(db, opened):
    return Study.objects.get(pk=opened)


def page(client, study):
    return client.get(reverse("progress", args=[study.slug]))


def figures(response) -> str:
    """The key figures, each after what it counts turned round."""
    shown = re.search(r'<dl class="key-figures.*?</dl>', response.content.decode(), re.S)
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", shown[0] if shown else "", re.S)
    return "; ".join(" ".join(f"{value} {name}".split()) for name, value in pairs)


def scored() -> None:
    services.catch_up()
    scoring.scores.topic_scores.catch_up()
    for study in Study.objects.all():
        standings.write(study)


def moved(study: Study, *, days: float) -> None:
    """As if all answers and verdicts had been given so many days earlier."""
    with unguarded():
        for row in Judgment.objects.filter(topic__study=study):
            Judgment.objects.filter(pk=row.pk).update(created_at=row.created_at - timedelta(days=days))


class TestStillNeeded:
    @pytest.mark.parametrize("mode", ["crowd", "dedicated", "heap"])
    def test_playing_to_the_end_takes_what_was_said(self, mode):
        """At each stage least and most hold the number of judgments that it really took from there."""
        given = {"topics": 2, "items": 12, "k": 2, "batch_pairs": 4, "mode": mode}
        study = open_study(
            make_study(**given, **({"final_size": 4, "pairings": 3} if mode == "crowd" else {}))
        )
        stages = []
        for _ in range(60):
            services.catch_up()
            told = left(study)
            asked = Judgment.objects.settled().filter(topic__study=study).count()
            stages.append(
                (
                    asked,
                    sum(one.least for one in told),
                    sum(one.about for one in told),
                    sum(one.most for one in told),
                )
            )
            if not Tournament.objects.filter(finished=False).exists():
                break
            sit(invite(study), choose=whim)
        total = stages[-1][0]
        assert len(stages) > 5
        for asked, least, about, most in stages:
            assert least <= about <= most
            assert least <= total - asked <= most
        assert stages[-1][1:] == (0, 0, 0)

    def test_what_is_not_open_is_not_among_it(self):
        study = make_study(topics=3)
        services.start(study.pk, 1)
        assert [one.name for one in left(study)] == ["t1"]

    def test_the_table_and_the_file_say_the_same(self, study, alice):
        services.catch_up()
        told = left(study)
        lines = alice.get(reverse("needed-csv", args=[study.slug])).content.decode().splitlines()
        assert lines[0] == "topic,least,about,most,hours,pay"
        assert [line.split(",")[:4] for line in lines[1:]] == [
            [one.name, str(one.least), str(one.about), str(one.most)] for one in told
        ]
        shown = figures(page(alice, study))
        assert f"{sum(one.about for one in told)} judgments still needed, about" in shown
        assert f"{sum(one.most for one in told)} judgments at most" in shown
        assert f"{open_questions(study).count()} questions waiting now" in shown

    def test_hours_and_rewards(self, study, alice):
        """By hand: 4 + 3 questions of 30 seconds a batch; a place pays 1.50."""
        Campaign.objects.create(
            study=study,
            panel="link",
            environment="live",
            number=1,
            name="Link 1",
            reward="1.50",
            terms={"fee_percent": 0},
            currency="EUR",
        )
        cost = progress_page.cost_of(study)
        assert cost.hours(40) == round(10 * 7 * 30 / 3600, 2)
        # Ten batches must pass their challenges, one in ten fails, and a panel link takes no fee.
        assert cost.pay(40) == "18.00 EUR"
        assert "Pay as in Link 1, 1.50 EUR for a batch of 4 questions" in text(page(alice, study))


class TestPace:
    def test_answers_by_day_are_those_of_the_ledger_however_often_they_are_counted(self, study):
        cache.clear()
        sit(invite(study))
        assert pace.per_day(study) == {timezone.now().date(): 4}
        moved(study, days=3)
        cache.clear()
        early = timezone.now().date() - timedelta(days=3)
        assert pace.per_day(study) == {early: 4}
        sit(invite(study), wrong=99)
        for _ in range(2):
            assert pace.per_day(study) == {early: 4, timezone.now().date(): 4}

    def test_a_sweep_adds_up_so_that_no_page_has_to(self, study):
        """After a restart without Redis, say: what the page then counts is what came since the sweep."""
        sit(invite(study))
        moved(study, days=1)
        cache.clear()
        release_overdue()
        with CaptureQueriesContext(connection) as queries:
            counted = pace.per_day(study)
        assert sum(counted.values()) == 4
        [total] = [one["sql"] for one in queries if "MAX(" in one["sql"]]
        last = Judgment.objects.filter(role=QuestionRole.COUNTS).latest("pk").pk
        assert re.search(rf'"id" > {last}\b', total)

    def test_the_pace_is_that_of_the_last_seven_days(self):
        today = date(2026, 3, 20)
        assert pace.recent({}, today) == 0
        assert pace.recent({today: 70}, today) == 70
        assert pace.recent({date(2026, 3, 19): 10, today: 20}, today) == 15
        assert pace.recent({date(2026, 1, 1): 999, date(2026, 3, 14): 70}, today) == 10
        assert pace.recent({date(2026, 1, 1): 999}, today) == 0

    def test_the_end_is_where_the_pace_leads(self):
        today = date(2026, 3, 20)
        assert (
            progress_page._end(10, 20, 40, 10, today)
            == "about 22 March 2026, between 21 March and 24 March 2026"
        )
        assert progress_page._end(10, 10, 10, 10, today) == "about 21 March 2026"
        assert progress_page._end(10, 20, 40, 0, today) == progress_page._end(0, 0, 0, 5, today) == ""
        assert progress_page._end(1, 10**9, 10**9, 1, today) == ""


class TestHealth:
    def test_a_study_whose_topics_are_all_decided_is_finished(self, study, alice):
        finish(study)
        assert "Finished: judging can be ended, and the release taken." in text(page(alice, study))

    def said(self, study) -> str:
        return " ".join(one.said for one in health.troubles(study, pace.last_answer(study)))

    def test_all_is_well_while_somebody_judges(self, study, alice):
        sit(invite(study))
        services.catch_up()
        assert self.said(study) == ""
        while_judged = re.search(r"[\d,]+ an hour while they judged", text(page(alice, study)))[0]
        assert "All is well." in text(page(alice, study))
        moved(study, days=0.03)
        assert while_judged in text(page(alice, study))
        assert self.said(study) == ""
        said = text(page(alice, study))
        assert "Nobody has judged for 43 minutes." in said
        assert "At the pace so far" not in said
        assert "nobody has judged for 43 minutes" in pulse_of(study).parts
        assert not any(part.startswith("ends") for part in pulse_of(study).parts)

    def test_nobody_came_or_comes_any_more(self, study, alice):
        services.catch_up()
        assert "nobody has judged yet" in self.said(study)
        sit(invite(study))
        services.catch_up()
        moved(study, days=2.1)
        assert "nobody has judged for 2 days" in self.said(study)
        shown = page(alice, study).content.decode()
        assert f'href="{reverse("people", args=[study.slug])}">Invite or remind people</a>' in shown
        assert re.search(r"<strong>[^<]*nobody has judged for 2 days", shown)
        assert shown.count("nobody has judged for 2 days") == 1

    def test_one_problem_is_said_as_the_headline(self):
        one = health.Trouble("Panel 1 stands still: nobody answers. Call them.")
        assert health.headline([one]) == ("Panel 1 stands still.", "Nobody answers. Call them.")
        assert health.headline([one, one]) == health.headline([one])
        assert health.headline([health.Trouble("Nobody has judged yet.")]) == ("Nobody has judged yet.", "")

    def test_no_worker_is_there(self, study):
        sit(invite(study))
        assert "no worker" not in self.said(study)
        with later(minutes=6):
            assert "no worker is at it" in self.said(study)
        services.catch_up()
        with later(minutes=6):
            assert "no worker" not in self.said(study)

    def test_further_topics_are_no_remedy_while_the_first_questions_are_made(self, alice):
        study = staff_of(make_study(topics=2))
        services.start(study.pk, 1)
        study.refresh_from_db()
        assert self.said(study) == ""
        with later(minutes=6):
            assert "no worker is at it" in self.said(study)
            assert "not open yet" not in self.said(study)

    def test_a_limit_is_reached(self, study):
        services.catch_up()
        sit(invite(study))
        Study.objects.filter(pk=study.pk).update(judgments_most=1)
        assert "so no batch is handed out" in self.said(Study.objects.get(pk=study.pk))

    def test_a_campaign_is_troubled(self, study):
        Campaign.objects.create(
            study=study,
            panel="link",
            environment="live",
            number=1,
            name="Link 1",
            troubled="no money is left",
        )
        assert "Link 1 publishes nothing more: no money is left" in self.said(study)

    def test_a_campaign_meant_for_another_environment_is_said_first(self, study, alice, settings):
        services.catch_up()
        settings.MTURK_MODE, settings.MTURK_EMULATOR_URL = "emulator", "http://127.0.0.1:9"
        campaign = running(study, "mturk", publish=2)
        assert "stands still" not in self.said(study)
        settings.MTURK_MODE = "sandbox"
        said = health.troubles(study, None)
        why = "This campaign is meant for the emulator; the server is set to the sandbox (MTURK_MODE)."
        assert said[0].said == f"{campaign.name} stands still: {why}"
        Campaign.objects.filter(pk=campaign.pk).update(troubled=why)
        assert len(health.blocks(study, None)) == 1
        Campaign.objects.filter(pk=campaign.pk).update(troubled="")
        shown = text(page(alice, study))
        assert f"{campaign.name} stands still. {why} Stop it, or change the setting" in shown
        assert "No judgments so far." in shown
        assert "nobody has judged" not in self.said(study)
        own = reverse("campaign", args=[study.slug, campaign.pk])
        money = alice.get(reverse("campaigns", args=[study.slug])).content.decode()
        assert re.search(
            rf'stands still\.</strong> <span[^>]*>{re.escape(why)} <a href="{own}">Stop it', money
        )
        assert money.count("Stop it, or change the setting") == 1
        assert '<strong class="look">stands still</strong>' in money
        people = text(alice.get(reverse("people", args=[study.slug])))
        assert f"Nobody yet: people come from {campaign.name} , which stands still." in people
        assert "Nothing reaches the panel." in text(alice.get(own))
        assert 'value="publish"' not in alice.get(own).content.decode()
        told = text(alice.post(own, {"action": "publish", "places": "1"}, follow=True))
        assert "This campaign is meant for the emulator" in told
        assert campaign.slots.count() == 2

    def test_publishing_that_does_not_move_is_said_first(self, study, settings):
        services.catch_up()
        settings.MTURK_MODE, settings.MTURK_EMULATOR_URL = "emulator", "http://127.0.0.1:9"
        campaign = running(study, "mturk", publish=2)
        then = timezone.now() - timedelta(minutes=11)
        campaign.calls.update(created_at=then)
        said = health.troubles(study, None)
        assert "No call to Mechanical Turk has gone through for over 10 minutes." in said[0].said
        assert said[0].mend == "See its calls"
        first = campaign.calls.first()
        type(first).objects.filter(pk=first.pk).update(state="done", settled_at=timezone.now())
        assert "stands still" not in self.said(study)

    def test_a_campaign_has_no_place_that_somebody_could_take(self, study, alice):
        services.catch_up()
        campaign = running(study, publish=2)
        assert "published and taken" not in self.said(study)
        campaign.slots.update(state="settled")
        waiting = open_questions(study).count()
        wait = f"2 of 10 places are published and taken, and {waiting} questions wait."
        said = f"{campaign.name} has no free place: {wait}"
        assert said in self.said(study)
        shown = page(alice, study)
        assert "Publish more places" in text(shown)
        first = f"{campaign.name} has 8 planned places that are not published yet: publish them before you"
        assert first in text(shown)
        assert "Ask for the" not in text(shown)
        assert "Ask for these" not in text(shown)
        money = alice.get(reverse("campaigns", args=[study.slug]))
        address = reverse("campaign", args=[study.slug, campaign.pk])
        publish = f'href="{address}#publish">Publish more places'
        assert publish in money.content.decode()
        # Also while some are out, which nothing is wrong with: one way to more, from either page.
        campaign.slots.filter(pk=campaign.slots.first().pk).update(state="taken")
        for one in ("progress", "campaigns"):
            html = alice.get(reverse(one, args=[study.slug])).content.decode()
            assert html.count(publish) == 1
            assert "Ask for the" not in html
            assert len(re.findall(r'class="(button )?main"', html)) == 1
        assert "Ask for" not in text(money)
        assert len(re.findall(r'class="(button )?main"', shown.content.decode())) == 1
        shown = text(page(logged_in("bob"), study))
        assert f"{campaign.name} has no free place. {wait} For an organizer: publish more." in shown
        assert "0.00 USD are spent, fees included, 4.00 set aside, of a cap of 100.00: 96.00 left." in shown
        Campaign.objects.update(places=2)
        assert f"All 2 places of {campaign.name} are taken" in self.said(study)

    def test_places_that_are_out_and_enough_are_no_alarm(self, study, alice):
        services.catch_up()
        enough = needed(study).places(0)
        campaign = running(study, publish=enough, places=enough + 5)
        campaign.slots.update(state="taken")
        address = reverse("campaign", args=[study.slug, campaign.pk])
        assert "no free place" not in self.said(study)
        assert f"The {enough} places already out are enough" in text(
            alice.get(reverse("campaigns", args=[study.slug]))
        )
        assert f"Wait: {enough} places are out." in text(alice.get(address))
        # One that comes back without answers leaves too few: then each page asks for one more.
        campaign.slots.filter(pk=campaign.slots.first().pk).update(state="expired")
        assert f"{campaign.name} has no free place" in self.said(study)
        shown = alice.get(address)
        assert f"Publish more: all {enough} published places are taken." in text(shown)
        assert shown.context["publish"]["places"].value() == 1

    def test_a_campaign_that_publishes_by_itself_is_left_to_it(self, study):
        services.catch_up()
        running(study, publish=2, topped_up=True).slots.update(state="settled")
        assert "places" not in self.said(study)

    def test_a_challenge_fails_often_and_many_batches_are_discarded(self, study):
        services.catch_up()
        for n in range(12):
            try:
                sit(invite(study), wrong=99 if n % 2 else 0)
            except answering.NothingLeft:
                break
        said = self.said(study)
        assert "batches were discarded" in said
        often = Question.objects.filter(expected__isnull=False).first()
        assert often is not None

    def test_two_batches_are_enough_where_all_are_discarded(self, study, alice):
        """And the end comes no nearer by what does not count."""
        services.catch_up()
        sit(invite(study), wrong=99)
        services.catch_up()
        assert self.said(study) == ""
        sit(invite(study), wrong=99)
        services.catch_up()
        assert "2 of 2 batches were discarded." in self.said(study)
        assert "are there in about" not in text(page(alice, study))
        sit(invite(study))
        services.catch_up()
        assert "batches were discarded" not in self.said(study)
        assert pace.share_kept(study) == 1 / 3
        assert "it ends in about" in text(page(alice, study))

    def test_further_topics_wait_to_be_opened(self):
        study = make_study(topics=2)
        services.start(study.pk, 1)
        finish(study)
        assert "No question waits for an assessor, and 1 topic" in self.said(study)


class TestThePage:
    def test_it_takes_as_many_queries_for_many_topics_and_people(self, study, alice):
        services.catch_up()
        sit(invite(study))
        page(alice, study)
        few = queries(alice, reverse("progress", args=[study.slug]))
        many = staff_of(open_study(make_study(topics=20, items=12, batch_pairs=4)))
        services.catch_up()
        for _ in range(6):
            batch = answering.arrive(invite(many).pk)
            answer(batch)
        page(alice, many)
        assert queries(alice, reverse("progress", args=[many.slug])) <= few + 1

    def test_before_it_is_open_and_after_it_is_over(self, alice):
        study = staff_of(make_study())
        assert "Judging is not open yet." in text(page(alice, study))
        open_study(study)
        finish(study)
        lifecycle.close(study.pk)
        said = text(page(alice, study))
        assert "Judging is over." in said
        assert "Every topic that is open has ended." in said

    def test_a_coordinator_sees_troubles_and_no_mends(self, study):
        services.catch_up()
        shown = page(logged_in("bob"), study).content.decode()
        assert "nobody has judged yet" in shown
        assert "For an organizer: invite people." in shown
        assert reverse("people", args=[study.slug]) not in shown

    def test_labels_of_people_are_for_organizers_alone(self, study, alice):
        services.catch_up()
        person = invite(study)
        answering.arrive(person.pk)
        assert "1 · somebody : 0 of" in text(page(alice, study))
        shown = text(page(logged_in("bob"), study))
        assert "somebody" not in shown
        assert "Person 1: 0 of" in shown

    def test_judgments_that_do_not_count_are_told_from_those_that_do(self, study, alice):
        services.catch_up()
        sit(invite(study))
        scored()
        assert "The leaderboard counts" not in text(page(alice, study))
        sit(invite(study), wrong=99)
        scored()
        assert "People gave 8 judgments so far" in text(page(alice, study))
        assert "The leaderboard counts 4: without what was discarded" in text(page(alice, study))

    def test_a_viewer_does_not_see_it(self, study):
        study.members.create(user=account("vera"), role="viewer")
        assert page(logged_in("vera"), study).status_code == 403
        assert "Progress" not in text(logged_in("vera").get(reverse("topics", args=[study.slug])))

    def test_its_figure_has_a_bar_for_each_day(self, study, alice):
        sit(invite(study))
        response = alice.get(reverse("figure-svg", args=[study.slug, "pace"]))
        assert response.status_code == 200
        assert b"Judgments a day" in response.content
        assert Topic.objects.count() == 2
        assert Assignment.objects.count() == 1
