"""The page of money: what finishing costs and whether the cap allows it, against slow sums; its drawing."""

import re
from datetime import timedelta
from decimal import Decimal
from html import unescape

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from collection.models import Study
from panels import money
from panels.models import Budget, Campaign
from tests.judging.organizing import logged_in, staff_of, text
from tests.makers import finish, make_study
from tests.panels.campaigning import campaign_of, running
from tournament import services
from tournament.remaining_work import left
from web.forecast.completion import usual_pay
from web.organizer.recruitment.budget_bar import axis_end, drawn_budget
from web.shared.phrases import duration, time_taken

pytestmark = pytest.mark.django_db
SIZE, REWARD = 4, Decimal("2.00")


@pytest.fixture
def study():
    """Three topics, all open, four questions a batch with three challenges."""
    cache.clear()
    made = staff_of(make_study(topics=3, items=8, k=2, final_size=4, pairings=3, batch_pairs=SIZE))
    services.start(made.pk)
    services.catch_up()
    return Study.objects.get(pk=made.pk)


@pytest.fixture
def alice():
    return logged_in("alice")


def page(client, study):
    return client.get(reverse("campaigns", args=[study.slug]))


def answer(response) -> str:
    """The sentences of the answer, without tags."""
    found = re.search(r'<p class="answer verdict wide">(.*?)</p>', response.content.decode(), re.S)
    assert found
    return " ".join(unescape(re.sub(r"<[^>]*>", "", found[1])).split())


def links(response) -> dict[str, str]:
    """Words and addresses of the links on a page."""
    found = re.findall(r'<a [^>]*href="([^"]+)"[^>]*>(.*?)</a>', response.content.decode(), re.S)
    return {said: unescape(address) for address, said in found}


def batches_by_counting(study) -> int:
    """Batches for all judgments, one at a time, and as many more that nine of ten are enough."""
    judgments = sum(one.about for one in left(study))
    kept = 0
    while kept * SIZE < judgments:
        kept += 1
    asked = kept
    while asked * 9 < kept * 10:
        asked += 1
    return asked


def test_a_cap_that_is_enough_and_what_it_would_leave(study, alice):
    running(study, cap="500", places=10, publish=3)
    out, whole = 3, batches_by_counting(study)
    cost = sum([REWARD] * (whole - out), Decimal(0))
    shown = page(alice, study)
    assert answer(shown) == (
        f"Finishing costs about {cost} USD more, and the cap allows it. "
        f"The cap of 500.00 USD would leave {500 - 3 * REWARD - cost}."
    )
    # Four questions and three challenges a batch, of 30 seconds each.
    time = duration((whole - out) * (SIZE + 3) * 30 / 3600)
    said = f"about {whole - out} batches beyond the 3 places already out, {time} with those that fail."
    assert said in text(shown)
    assert "A question costs 0.50 USD: 2.00 for a batch of 4 questions" in text(shown)
    assert f"people earn {REWARD / (SIZE + 3) / 30 * 3600:.2f} USD an hour." in text(shown)
    # The checklist says the same, and what is spent.
    line = text(alice.get(reverse("study", args=[study.slug])))
    assert f"Finishing costs about {cost} USD more, and the cap allows it." in line
    assert f"0.00 USD spent and {3 * REWARD} set aside, of a cap of 500.00, by 1 campaign." in line
    # What is set aside and what is still needed are together what Progress says of all.
    progress = text(alice.get(reverse("progress", args=[study.slug])))
    assert f"{3 * REWARD + cost}" in progress


def test_a_cap_that_is_too_low_leads_to_its_field_with_the_sum_to_enter(study, alice):
    campaign = running(study, places=10, publish=2)
    money.set_cap(campaign, Decimal(7))
    cost = REWARD * (batches_by_counting(study) - 2)
    shown = page(alice, study)
    assert f"more: {cost - 3} beyond the cap. The cap of 7.00 USD leaves 3.00: 1 batch still fits." in answer(
        shown
    )
    address, field = links(shown)[f"Raise the cap to {cost + 4} USD"].split("#")
    there = alice.get(address).content.decode()
    form = re.search(rf'<form [^>]*id="{field}".*?</form>', there, re.S)
    assert form
    assert '<input type="number" name="cap" ' in form[0]
    alice.post(address, {"action": "cap", "cap": str(cost + 4)})
    assert "and the cap allows it. The cap of" in answer(page(alice, study))
    # A closed campaign has no field of the cap.
    money.set_cap(campaign, Decimal(7))
    Campaign.objects.update(state="closed", closed_at=timezone.now())
    assert links(page(alice, study))[f"Draft another campaign, with a cap of {cost + 4} USD"] == "#new"


def test_a_draft_without_a_cap_leads_to_its_cap(study, alice):
    campaign = campaign_of(study, cap="0")
    cost = REWARD * batches_by_counting(study)
    shown = page(alice, study)
    assert answer(shown).startswith(
        f"Finishing costs about {cost} USD, and no cap is set yet. Nothing is spent"
    )
    assert links(shown)[f"Set the cap to {cost} USD"].endswith(f"/{campaign.pk}/#cap")


def test_without_a_price_the_time_is_that_of_progress(study, alice):
    shown = page(alice, study)
    found = re.match(
        r"Finishing takes about (\d+) (minutes) of judging, and no price is set yet.", answer(shown)
    )
    progress = text(alice.get(reverse("progress", args=[study.slug])))
    said = rf"{found[2]} of work, of all people {found[1]} "
    assert re.search(said, progress)
    assert links(shown)["Choose where paid people come from"] == "#new"
    assert links(shown)["invite people without pay"] == reverse("people", args=[study.slug])
    campaign = campaign_of(study, reward=Decimal(0), cap="0")
    assert links(page(alice, study))["Set the pay of Panel link 1"].endswith(f"/{campaign.pk}/#terms")


@pytest.mark.parametrize("reward", [None, "2.00"])
def test_the_page_says_what_a_sum_would_buy_as_progress_does(study, alice, reward):
    """At first the sum that finishing takes; then any that is asked, which the address keeps."""
    amount = REWARD * batches_by_counting(study)
    if reward:
        campaign_of(study, reward=Decimal(reward))
    else:
        # Seven questions of 30 seconds a batch, at the pay of an hour with which campaigns begin.
        amount = batches_by_counting(study) * (usual_pay() * 7 * 30 / 3600).quantize(Decimal("0.01"))
    shown = page(alice, study)
    assert shown.context["form_more"]["more"].value() == str(amount)
    assert re.search(r"USD buys? about \d+ judgments that count, which finish", text(shown))
    asked = {"more": "200", "of": "money"}
    if not reward:
        asked |= {"price": shown.context["form_more"]["price"].value(), "per": "judgment"}
    shown = alice.get(reverse("campaigns", args=[study.slug]), asked)
    there = alice.get(reverse("progress", args=[study.slug]), asked)
    assert shown.context["form_more"]["more"].value() == "200"
    assert shown.context["more"] == there.context["more"]
    assert shown.context["more"].heading in text(shown)
    assert "How much more" in text(alice.get(reverse("campaigns", args=[study.slug]), {"more": "x"}))


def test_what_is_true_before_and_after_judging(study, alice):
    bare = staff_of(make_study(slug="bare", topics=1, items=1, k=1))
    shown = page(alice, bare)
    assert "not known yet: nothing that can be compared is loaded." in answer(shown)
    assert links(shown)["Load files"] == reverse("files", args=["bare"])
    assert "more buy?" not in text(shown)
    unasked = staff_of(Study.objects.create(slug="unasked", name="Unasked"))
    assert "nothing is asked in this study. Choose what is asked" in answer(page(alice, unasked))
    Study.objects.filter(pk=study.pk).update(closed_at=timezone.now(), paused=True)
    assert answer(page(alice, study)).startswith("Finishing takes")
    Study.objects.filter(pk=study.pk).update(paused=False)
    assert answer(page(alice, study)).startswith("Judging is over, so nothing more is bought.")


def test_when_all_is_judged_nothing_is_left_to_buy(study, alice):
    finish(study)
    said = "All that is planned is judged: finishing costs nothing more."
    assert answer(page(alice, study)).startswith(said)


def test_a_rehearsal_is_called_one_and_real_money_is_left_alone(study, alice):
    Budget.objects.create(study=study, rehearsal=False, currency="USD", cap=5)
    campaign = campaign_of(study)
    Campaign.objects.filter(pk=campaign.pk).update(environment="sandbox")
    Budget.objects.create(study=study, rehearsal=True, currency="USD", cap=90)
    shown = page(alice, study)
    cost = REWARD * batches_by_counting(study)
    assert f"Finishing this rehearsal costs about {cost} USD, and the cap allows it." in answer(shown)
    assert [one.needed for one in shown.context["drawings"]] == [0, cost]


def slow_axis(most: Decimal) -> tuple[Decimal, Decimal]:
    """The end and step of an axis by trying: the finest round step of which five reach, two of long ones."""
    parts = 5 if most < 10_000 else 2
    steps = sorted(Decimal(n).scaleb(power) for power in range(-2, 9) for n in (1, 2, Decimal("2.5"), 5))
    step = next(one for one in steps if one >= Decimal("0.01") and one * parts >= most)
    end = Decimal(0)
    while end < most:
        end += step
    return end, step


@pytest.mark.parametrize(
    "most", ["0.01", "0.04", "0.18", "1", "7.5", "24", "126", "150", "189999.99", "99999999.99"]
)
def test_an_axis_ends_at_a_round_number_just_beyond(most):
    end, step = axis_end(Decimal(most))
    assert (end, step) == slow_axis(Decimal(most))
    assert end % step == 0
    assert Decimal(most) <= end < Decimal(most) + step


@pytest.mark.parametrize(
    ("cap", "spent", "held", "needed"),
    [
        ("150", "20", "10", "60"),
        ("0.01", "0", "0", "0.18"),
        ("100000", "76543.21", "23456.78", "90000"),
        ("99999999.99", "12", "3", "36"),
    ],
)
def test_parts_stand_end_to_end_in_proportion(cap, spent, held, needed):
    spent, held, needed = map(Decimal, (spent, held, needed))
    drawn = drawn_budget(
        Budget(cap=Decimal(cap), spent=spent, committed=spent + held, currency="USD"), needed
    )
    end = float(drawn.ticks[-1][1].replace(",", ""))
    at = 0.0
    for part, amount in zip(drawn.parts, [one for one in (spent, held, needed) if one], strict=True):
        assert float(part.start) == pytest.approx(100 * at / end, abs=0.01)
        assert float(part.length) > 0
        assert float(part.length) == pytest.approx(100 * float(amount) / end, abs=0.01)
        at += float(amount)
    assert float(drawn.cap) == pytest.approx(100 * float(cap) / end, abs=0.01)
    assert [said for _, said in drawn.ticks] == sorted(
        {said for _, said in drawn.ticks}, key=lambda s: float(s.replace(",", ""))
    )


def test_measured_times_are_said_in_short():
    said = {0.4: "0 s", 59.6: "1 min 0 s", 252: "4 min 12 s", 3600: "1 h 0 min", 3905: "1 h 5 min"}
    assert {seconds: time_taken(seconds) for seconds in said} == said


def test_times_are_said_as_people_say_them():
    for seconds, said in {
        1: "1 minute",
        60: "1 minute",
        2880: "48 minutes",
        3599: "1 hour",
        3600: "1 hour",
        12240: "3.4 hours",
        36000: "10 hours",
        4320000: "1,200 hours",
    }.items():
        assert duration(timedelta(seconds=seconds) / timedelta(hours=1)) == said
