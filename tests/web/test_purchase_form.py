"""What more money would buy, by hand and on its page; and that asking for it is one step, done once."""

import re
from dataclasses import replace
from decimal import Decimal
from math import sqrt

import numpy as np
import pytest
from django.contrib.auth import get_user_model
from django.core.cache import cache
from django.urls import reverse
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from collection.models import Study, Topic, Watch
from panels.models import Budget, Campaign
from prefir.measures import compare_runs
from scoring.analysis import baseline_decision
from scoring.analysis.further_topics import RunDifference, chance_apart, interval_after, topics_until
from scoring.analysis.run_comparison import ComparedRuns, TopicGap
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.makers import add_run, make_study, open_study
from tests.panels.campaigning import campaign_of
from tests.scoring.loaded_judgments import recorded
from tournament import services
from tournament.remaining_work import left
from web.coordinator.answers import progress_page
from web.coordinator.board.decision import settles
from web.forecast import purchase_form
from web.forecast.completion import usual_pay, usual_price
from web.forecast.judging_cost import cost_of, parted
from web.forecast.needed_topics import (
    NeededRow,
    needed_further,
    needed_rows,
    needed_sentence,
    supply_sentence,
)
from web.forecast.needs import needed
from web.forecast.outlook import outlook
from web.forecast.purchase import HOURS, JUDGMENTS, MONEY, batches_for, purchase
from web.forecast.topic_work import TopicWork, judgments_a_topic, judgments_until, topic_work
from web.shared.number_fields import NumberField
from web.shared.phrases import duration

pytestmark = pytest.mark.django_db
NOW = RunDifference(1, 2, "pgc", 0.02, -0.01, 0.05, 0.95, frozenset(range(20)), 30.0)


@pytest.fixture(scope="module")
def opened(module_data):
    """Two topics of six are open, ten judgments a batch, two of them checked."""
    given = {"topics": 6, "items": 8, "k": 2, "final_size": 4, "pairings": 3, "batch_pairs": 10}
    study = staff_of(make_study(**given, batch_challenges=2))
    for n, docnos in enumerate(("abcdefgh", "hgfedcba")):
        rankings = {one.name: [f"{one.name}-{letter}" for letter in docnos] for one in study.topics.all()}
        add_run(study, f"run-{n}", rankings)
    services.start(study.pk, 2)
    services.catch_up()
    return study.pk


@pytest.fixture
def study(db, opened):
    cache.clear()
    return Study.objects.get(pk=opened)


@pytest.fixture
def alice():
    get_user_model().objects.filter(username="alice").update(email="alice@example.org")
    return logged_in("alice")


def progress(client, study, **given):
    return client.get(reverse("progress", args=[study.slug]), given)


def press(client, study, page, **changed):
    """Press the button of the answer that a page shows."""
    form = re.search(r'<form method="post" action="[^"]*/progress/ask/">.*?</form>', page, re.S)
    assert form, "there is no button"
    fields = dict(re.findall(r'name="([^"]+)" value="([^"]*)"', form[0])) | changed
    return client.post(reverse("progress-ask", args=[study.slug]), fields, follow=True)


class TestFurtherTopics:
    def test_an_interval_shrinks_with_the_root_of_the_topics_and_the_t_of_their_number(self):
        assert interval_after(NOW, 0) == pytest.approx((NOW.low, NOW.high))
        half = 0.015 * student.ppf(0.975, 79) / student.ppf(0.975, 19)
        assert interval_after(NOW, 60) == pytest.approx((0.02 - half, 0.02 + half))
        assert topics_until(NOW, 0.015) == 80

    def test_the_chance_is_four_in_five_where_two_runs_say_so_many_are_needed(self):
        gaps = [0.1, -0.05, 0.08, -0.02, 0.06, -0.07, 0.11, 0.03, -0.04, 0.02]
        found = compare_runs([0.5 + gap for gap in gaps], [0.5] * 10)
        now = RunDifference(
            1, 2, "pgc", found.difference, found.low, found.high, 0.95, frozenset(range(10)), 1
        )
        assert chance_apart(now, int(found.needed) - 10) == pytest.approx(0.8, abs=0.01)

    def test_the_chance_by_hand(self):
        error = 0.03 / student.ppf(0.975, 19)
        # Drawn: studies of 80 topics with this difference and spread, each tested.
        draws = np.random.default_rng(7).normal(0.02, error * sqrt(20), (40_000, 80))
        found = ttest_1samp(draws, 0, axis=1)
        apart = (found.pvalue < 0.05) & (found.statistic > 0)
        assert chance_apart(NOW, 60) == pytest.approx(apart.mean(), abs=0.01)
        assert chance_apart(NOW, 0) < chance_apart(NOW, 20) < chance_apart(NOW, 400)


class TestPurchase:
    def test_the_price_of_a_batch_is_reward_and_fee_of_the_last_campaign(self, study):
        campaign_of(study, reward=Decimal("1.20"), terms={"fee_percent": "10"})
        cost = cost_of(study)
        assert (cost.price, cost.currency) == (Decimal("1.32"), "USD")
        # 10 questions and 2 challenges, 30 seconds each.
        assert cost.batch_hours == pytest.approx(12 * 30 / 3600)
        assert batches_for(Decimal(200), MONEY, cost) == 151
        assert batches_for(Decimal(5), HOURS, cost) == 50
        # 95 judgments are 10 batches; one in ten fails.
        assert batches_for(Decimal(95), JUDGMENTS, cost) == 12

    def test_people_who_are_paid_by_the_hour_have_a_price_too(self, study):
        campaign_of(study, "local", reward=0, hourly=Decimal("15.00"), places=1, terms=None)
        assert cost_of(study).price == Decimal("1.50")

    def test_topics_are_finished_in_their_order_and_what_is_left_over_is_said(self, study):
        cost = cost_of(study)
        work = [TopicWork(n, f"t{n}", judgments, n < 2) for n, judgments in enumerate((5, 10, 30))]
        bought = purchase(6, cost, work, 20.0)
        # Of 6 batches 5 pass: 50 judgments.
        assert (bought.passing, bought.judgments) == (5, 50)
        assert [one.name for one in bought.finished] == ["t0", "t1", "t2"]
        assert [one.name for one in bought.to_open] == ["t2"]
        assert (bought.is_all, bought.beyond, bought.usable) == (True, 0, 6)
        assert purchase(12, cost, work, 20.0).beyond == 2
        assert purchase(12, cost, work, 20.0).usable == 6
        few = purchase(3, cost, work, 20.0)
        assert ([one.name for one in few.finished], few.beyond, few.is_all) == (["t0", "t1"], 0, False)

    def test_what_settles_a_decision_and_what_is_bought_for_it_agree(self, study):
        """Each is the other's inverse, whichever topics are compared already."""
        cost, work = cost_of(study), topic_work(study, left(study))
        for further in (1, 3, 6, 40):
            judgments = judgments_until(work, NOW, further, NOW.judgments_a_topic)
            bought = purchase(cost.batches(judgments), cost, work, NOW.judgments_a_topic)
            assert bought.further(NOW) >= further

    def test_open_topics_come_first_and_the_rest_is_what_opening_forecasts(self, study):
        work = topic_work(study, left(study))
        assert [one.is_open for one in work] == [True] * 2 + [False] * 4
        assert [one.name for one in work[2:]] == ["t3", "t4", "t5", "t6"]
        assert [one.judgments for one in work[:2]] == sorted(one.about for one in left(study))
        judgments = sum(one.judgments for one in work if not one.is_open)
        assert -(-judgments // 10) == needed(study).further

    def test_places_that_are_out_come_off(self, study):
        cost = cost_of(study)
        work = [TopicWork(n, f"t{n}", 15, True) for n in range(3)]
        assert purchase(20, cost, work).usable == 6
        bought = purchase(20, cost, work, out=4)
        assert (bought.usable, bought.is_all, bought.judgments) == (2, True, 180)
        assert purchase(2, cost, work, out=4).is_all
        assert not purchase(2, cost, work).is_all
        assert purchase(20, cost, work, out=9).usable == 0

    def test_the_topics_shares_add_up_to_the_whole(self, study):
        assert parted(Decimal("81.60"), [54, 45, 45, 36, 36, 28, 28, 28])[0] == Decimal("14.69")
        for weights in ([1, 1, 1], [54, 45, 45, 36, 36, 28, 28, 28], [7], [0, 0]):
            whole = Decimal("81.60") if sum(weights) else 0
            assert sum(parted(Decimal("81.60"), weights)) == whole

    def test_numbers_are_read_as_people_type_them(self):
        field = NumberField()
        for typed, read in (("0,02", "0.02"), ("1,500", "1500"), ("12,5", "12.5"), ("1,500.5", "1500.5")):
            assert field.clean(typed) == Decimal(read)


class TestThePage:
    def test_it_answers_at_once_for_what_finishing_costs_where_a_price_is_known(self, study):
        campaign_of(study, reward=Decimal("1.20"), terms={"fee_percent": "10"})
        begun = progress(logged_in("bob"), study)
        assert "all 6 topics that are not done." in text(begun)
        assert "would buy nothing" not in text(begun)
        said = text(progress(logged_in("bob"), study, more="200"))
        usable = cost_of(study).batches(sum(one.judgments for one in topic_work(study, left(study))))
        price, rest = usable * Decimal("1.32"), 200 - usable * Decimal("1.32")
        assert begun.context["form_more"]["more"].value() == str(price)
        finish = "judgments that count, which finish all 6 topics that are not done."
        about = re.search(rf"{price} USD buys about (\d+) {finish}", said)[1]
        assert int(about) == sum(one.judgments for one in topic_work(study, left(study)))
        assert f"The other {rest} USD would buy nothing" in said
        assert f"{usable} batches at 1.32 USD, fees included, as in Panel link 1, {price} USD in all" in said
        assert "No two runs are judged enough yet to say what that makes certain." in said
        assert "The cap leaves 100.00 USD, which is enough." in said.partition("Batches, hours and topics")[0]
        assert "2 open topics (" in said
        assert "4 further topics (t3, t4, t5 and 1 more)" in said
        assert "Ask for" not in said

    def test_without_a_price_it_begins_with_the_pay_of_new_campaigns_and_says_so(self, study, alice):
        page = progress(alice, study)
        cost = cost_of(study)
        price = usual_price(cost) / cost.task.batch_size
        form = page.context["form_more"]
        assert (form["of"].value(), form["price"].value()) == ("money", f"{price:.4f}")
        assert f"{price:.4f} USD a judgment is {usual_pay()} USD an hour, the pay with which" in text(page)
        assert "finish all 6 topics that are not done" in text(page)

    def test_without_a_price_it_asks_for_one_and_takes_it_from_the_address(self, study, alice):
        said = text(progress(alice, study, more="200", of="money"))
        assert "no campaign of this study has a price yet" in said
        for given in ({"price": "0,1", "per": "judgment"}, {"price": "0.16666667", "per": "minute"}):
            page = progress(alice, study, more="200", of="money", **given)
            bought = page.context["more"].bought
            assert bought.batches == 200
            assert f"{bought.usable} batches at 1.00 USD" in text(page)
        assert "batches: about" in text(progress(alice, study, more="95", of="judgments"))
        study.currency = "EUR"
        study.save()
        page = progress(alice, study, more="200", price="0.1")
        assert "at 1.00 EUR" in text(page)
        assert '<option value="money" selected>EUR</option>' in page.content.decode()

    def test_a_number_that_is_none_is_named_and_nothing_is_answered(self, study, alice):
        for given in ({"more": "much"}, {"more": "-1"}, {"of": "gold"}, {"more": "9" * 30}):
            page = progress(alice, study, price="1", **given)
            assert page.status_code == 200
            assert 'class="bad" role="alert"' in page.content.decode()
            assert "Ask for" not in text(page)
        assert "not enough for one batch" in text(progress(alice, study, more="0.5", price="1"))

    def test_it_says_what_becomes_of_the_first_two_runs_or_of_the_decision(self, study, alice, monkeypatch):
        ids = list(study.runs.order_by("pk").values_list("pk", flat=True))
        opened = frozenset(study.topics.filter(opened_at__isnull=False).values_list("pk", flat=True))
        now = RunDifference(ids[0], ids[1], "pgc", 0.02, -0.01, 0.05, 0.95, opened, 30.0)
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (now, None))
        said = text(progress(alice, study, more="10000", of="judgments"))
        assert "run-0 is ahead of run-1 by 0.020 over 2 topics: the interval is" in said
        assert "with the same difference and spread, it would be" in said
        # Over two topics no difference is called significant, whatever a test says.
        assert "by a test of these two alone, from 0 (no test is made below six topics) to 99 %" in said
        assert "That holds only if the difference stays +0.020, which 2 topics cannot tell." in said
        assert "Expected to settle" not in said
        wide = replace(now, low=-0.2, high=0.24)
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (wide, None))
        unsure = text(progress(alice, study, more="10000", of="judgments"))
        assert re.search(
            r"to tell run-0 and run-1 apart, by a test of these two alone, from 0 \([^)]*\) to \d+ %",
            unsure,
        )
        six = replace(now, compared=frozenset(range(-6, 0)))
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (six, None))
        said = text(progress(alice, study, more="10000", of="judgments"))
        assert "Expected to settle which is better." in said
        monkeypatch.setattr(
            purchase_form, "_in_question", lambda _: (replace(six, low=-0.2, high=0.24), None)
        )
        said = text(progress(alice, study, more="60", of="judgments"))
        assert "Below 80 %, the usual aim: which is better may stay open." in said
        assert 'opacity=".4"' in progress(alice, study, more="60", of="judgments").content.decode()
        apart = replace(now, low=0.01, compared=frozenset(range(-6, 0)))
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (apart, None))
        said = text(progress(alice, study, more="60", of="judgments"))
        assert "The two are told apart already; more makes it firmer." in said
        for count, told in ((1, "Expected to settle the decision to 0.02"), (9, "that takes 9 topics more.")):
            state = baseline_decision.BaselineState.OPEN
            decided = baseline_decision.BaselineDecision(state, now, 0.02, count, 1)
            monkeypatch.setattr(purchase_form, "_in_question", lambda _, found=decided: (found.of, found))
            amount = "10000" if count == 1 else "100"
            assert told in text(progress(alice, study, more=amount, of="judgments"))

    def test_what_finishes_nothing_or_only_what_is_compared_is_said_to_make_nothing_certain(
        self, study, alice, monkeypatch
    ):
        ids = list(study.runs.order_by("pk").values_list("pk", flat=True))
        every = frozenset(study.topics.values_list("pk", flat=True))
        now = RunDifference(ids[0], ids[1], "pgc", 0.02, -0.01, 0.05, 0.95, every, 30.0)
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (now, None))
        few = progress(alice, study, more="1", of="judgments").context["more"].heading
        nothing = "none of the 6 topics that are not done, and make nothing more certain."
        assert re.fullmatch(rf"About \d+ judgments finish {nothing}", few)
        some = progress(alice, study, more="40", of="judgments").context["more"].heading
        assert "of the 6 topics that are not done, and make nothing more certain; the two runs" in some

    def test_loaded_judgments_leave_topics_to_ask_again_and_say_what_would_settle_it(self, alice, tmp_path):
        """In the words of the page of two runs, which the same function says, with a price as entered."""
        study = recorded(tmp_path, items=8)
        asked = {"more": "1", "of": "judgments", "price": "0.5"}
        response = progress(alice, study, **asked)
        said = text(response)
        assert "none of the 3 topics that have pairs left to ask, and make nothing more certain" in said
        assert not re.search("are left(?! out)", said)
        compared = alice.get(reverse("compare", args=[study.slug]))
        assert response.context["settles"] in compared.context["more"]
        assert response.context["settles"] in said
        first, second = compared.context["first"].pk, compared.context["second"].pk
        assert f"?a={first}&amp;b={second}" in response.content.decode()

    @pytest.mark.parametrize(("gaps", "known"), [([0.3, -0.1, 0.05] * 3, True), ([0.1, 0.11, 0.12], False)])
    def test_what_would_settle_it_has_the_topics_of_its_sentence(self, study, gaps, known):
        of_two = compare_runs(gaps, [0.0] * len(gaps))
        lines = [TopicGap(n, gap, 0.0, 10, True) for n, gap in enumerate(gaps)]
        found = ComparedRuns("pgc", True, [], lines, of_two, of_two, None, 9, None, 9, 0, 30.0, False)
        topics, judgments = needed_further(found, 30.0)
        said = needed_sentence(found, study.words, 30.0)
        assert judgments == 30 * topics
        assert (topics > 0) == known
        assert (f"{topics:,} more topics, with some {judgments:,} judgments at 30 a topic" in said) == known
        first, *others = needed_rows(found, study.words, 30.0) or [NeededRow("", 0, 0)]
        assert (first.topics, first.judgments) == (topics, judgments)
        assert [f"{one.topics + len(gaps):,} in all at most" in said for one in others] == [True] * known

    @pytest.mark.parametrize(
        ("further", "rest"),
        [
            (0, ", which are all of this study: load further ones."),
            (1, "; 1 more of this study is not compared yet, which will hardly be enough."),
            (2, "; 2 more of this study are not compared yet, which should be enough."),
        ],
    )
    def test_what_is_compared_is_told_from_what_a_study_has_besides(self, study, further, rest):
        of_two = compare_runs([0.3, 0.1, 0.2], [0.0] * 3)
        found = ComparedRuns("pgc", True, [], [], of_two, of_two, None, 9, None, 9, further, 30.0, False)
        said = supply_sentence(found, study.words, 2)
        assert said == f"The two are compared on 3 topics so far{rest}"

    def test_what_can_be_used_now_is_told_from_what_waits_for_further_topics(self, study, alice, monkeypatch):
        ids = list(study.runs.order_by("pk").values_list("pk", flat=True))
        opened = frozenset(study.topics.filter(opened_at__isnull=False).values_list("pk", flat=True))
        now = RunDifference(ids[0], ids[1], "pgc", 0.02, -0.01, 0.05, 0.95, opened, 30.0)
        monkeypatch.setattr(purchase_form, "_in_question", lambda _: (now, None))
        needs = sum(one.judgments for one in topic_work(study, left(study)))
        usable = cost_of(study).batches(needs)
        said = text(progress(alice, study, more="10000", of="judgments"))
        rest = f"{10000 - needs:,} judgments need topics that are not loaded yet."
        assert f"{usable} batches finish the 6 topics that are not done; the other {rest}" in said
        assert re.search(r"All of it, with \d+ topics more that you load first, raises the chance", said)
        assert re.search(r"%; the (\d+ batches|batch) that the study can use now, to \d+ %\.", said)
        assert "not loaded yet" not in text(progress(alice, study, more="60", of="judgments"))
        # A sum is told whole, before what it can buy now; its chance is of the whole.
        campaign_of(study, reward=Decimal("1.20"), terms={"fee_percent": "0"})
        said = text(progress(alice, study, more="1200", of="money"))
        part = f"{usable} for {1.2 * usable:,.2f} USD finish the 6 topics that are not done; the other"
        assert f"1,200.00 USD buys 1,000 batches: {part}" in said

    def test_every_page_says_the_same_judgments_a_topic(self, study):
        """What the plan asks on average where nobody was asked yet; else what judged topics have had."""
        assert judgments_a_topic(study, 30.0) == 30.0
        fresh = staff_of(make_study(topics=3, items=8, k=2, name="Fresh"))
        a_topic = judgments_a_topic(fresh, 30.0)
        assert a_topic == pytest.approx(outlook(fresh).judgments.about / 3)
        assert a_topic == pytest.approx(sum(one.judgments for one in topic_work(fresh, [])) / 3, abs=1)

    def test_the_decision_leads_to_what_it_takes(self, study, alice):
        opened = frozenset(study.topics.filter(opened_at__isnull=False).values_list("pk", flat=True))
        now = RunDifference(1, 2, "pgc", 0.02, -0.01, 0.05, 0.95, opened, 30.0)
        decided = baseline_decision.BaselineDecision(baseline_decision.BaselineState.OPEN, now, 0.02, 3, 1)
        said, judgments = settles(study, decided)
        shown = progress(alice, study, more=judgments, of="judgments")
        hours = re.search(r"about ([^,]+) of judging", said)[1]
        assert duration(shown.context["more"].bought.hours) == hours
        assert shown.context["more"].bought.further(now) >= 3

    def test_no_figure_stands_twice(self, study, alice):
        """Key figures, sentence and table: what is needed in all is said once."""
        shown = progress(alice, study).content.decode()
        body = shown[shown.index("<h1>Progress") :]
        figures = re.search(r'<dl class="key-figures.*?</dl>', body, re.S)[0]
        numbers = re.findall(r"<dd>(.*?)</dd>", figures)
        assert len(numbers) == 5
        rest = re.sub(r"<tfoot>.*?</tfoot>|<[^>]*>", " ", body.replace(figures, ""), flags=re.S)
        rest = rest[: rest.index("What would more buy?")] + rest[rest.index("No judgments so far") :]
        about = progress_page.judgments_left(study, None)
        assert numbers[0] == f"{about.about:,}"
        for number in {f"{about.about:,}", duration(about.hours)}:
            assert not re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d.,])", rest), number

    def test_queries_do_not_grow_with_the_topics(self, study, alice):
        few = queries(alice, reverse("progress", args=[study.slug]))
        many = staff_of(make_study(topics=30, items=8, k=2, batch_challenges=2))
        services.start(many.pk, 10)
        services.catch_up()
        assert queries(alice, reverse("progress", args=[many.slug])) <= few + 1


class TestAsking:
    def test_one_button_opens_the_wave_drafts_the_campaign_and_registers_the_notice(self, study, alice):
        first = campaign_of(study, reward=Decimal("1.20"), terms={"fee_percent": "10"}, cap="50")
        Campaign.objects.filter(pk=first.pk).update(state="closed", terms_hash="x")
        page = progress(alice, study, more="95", of="judgments").content.decode()
        done = press(alice, study, page)
        said = text(done)
        made = Campaign.objects.latest("pk")
        assert (made.state, made.places, made.reward) == ("draft", 12, Decimal("1.20"))
        assert made.terms["fee_percent"] == "10"
        assert Topic.objects.filter(study=study, opened_at__isnull=False).count() > 2
        watch = Watch.objects.get(study=study, user=account("alice"))
        assert (watch.topics, watch.mail, watch.stalls) == (True, True, False)
        for told in ("further topic", f"{made.name} is drafted with 12 places", "You will be told"):
            assert told in said
        # Money is neither set aside nor allowed: the draft suggests a cap, and has to be armed.
        assert Budget.objects.get().cap == Decimal(50)
        assert done.context["cap"].initial["cap"] == Decimal(50)
        made.places = 100
        made.save()
        page = alice.get(reverse("campaign", args=[study.slug, made.pk]))
        assert page.context["cap"].initial["cap"] == Decimal("132.00")

    def test_a_second_press_does_nothing(self, study, alice):
        first = campaign_of(study, reward=Decimal("1.20"))
        Campaign.objects.filter(pk=first.pk).update(state="closed", terms_hash="x")
        page = progress(alice, study, more="95", of="judgments").content.decode()
        press(alice, study, page)
        before = (services.waiting(study.pk), Campaign.objects.count())
        said = text(press(alice, study, page))
        assert "nothing was done now" in said
        assert (services.waiting(study.pk), Campaign.objects.count()) == before

    def test_each_part_that_does_not_apply_is_named(self, study):
        carol = logged_in("carol")
        study.members.create(user=account("carol"), role="organizer")
        services.start(study.pk)
        page = progress(carol, study, more="30", of="judgments").content.decode()
        said = text(press(carol, study, page))
        assert "No further topic was opened: all are open." in said
        assert "No campaign was drafted: none has a price yet." in said
        assert "You are not told when it is done: give an e-mail address" in said
        assert not Campaign.objects.exists()
        assert not Watch.objects.exists()

    def test_a_draft_that_there_is_gets_the_places_and_a_watch_stays_as_it_is(self, study, alice):
        draft = campaign_of(study, reward=Decimal("1.20"), places=3)
        account_of = account("alice")
        hook = "https://example.org/hook"
        Watch.objects.create(study=study, user=account_of, topics=True, webhook=hook)
        page = progress(alice, study, more="95", of="judgments").content.decode()
        said = text(press(alice, study, page))
        draft.refresh_from_db()
        assert draft.places == 12
        assert "You are told already when topics end." in said
        watch = Watch.objects.get()
        assert (watch.webhook, watch.mail) == (hook, False)

    def test_people_paid_by_the_hour_need_no_places(self, study, alice):
        campaign_of(study, "local", reward=0, hourly=Decimal("15.00"), places=1, terms=None)
        page = progress(alice, study, more="95", of="judgments").content.decode()
        assert "pays invited people by the hour, without places" in text(press(alice, study, page))
        assert Campaign.objects.count() == 1

    def test_no_more_is_asked_for_than_the_study_can_use(self, study, alice):
        campaign_of(study, reward=Decimal("1.20"), places=3)
        page = progress(alice, study, more="10000")
        usable = page.context["more"].bought.usable
        assert usable == cost_of(study).batches(sum(one.judgments for one in topic_work(study, left(study))))
        press(alice, study, page.content.decode())
        assert Campaign.objects.get().places == usable

    def test_it_is_for_organizers_of_a_study_that_is_judged(self, study, alice):
        address = reverse("progress-ask", args=[study.slug])
        assert logged_in("bob").post(address).status_code == 403
        given = {"more": "95", "of": "judgments", "upon": purchase_form.state(study)}
        other = open_study(staff_of(make_study(name="Other")))
        Study.objects.filter(pk=other.pk).update(closed_at=other.opened_at)
        alice.post(reverse("progress-ask", args=[other.slug]), given | {"upon": purchase_form.state(other)})
        assert not Watch.objects.exists()
        assert alice.get(address).status_code == 302
