"""Opening a study that has recorded judgments: the page says what is still to be asked."""

import re

import pytest

from collection.models import Item
from judging.models import Task
from judging.questions import asking
from tests.judging.organizing import staff_of, text
from tests.makers import make_study
from tournament import prior_judgments, services
from web.forecast import concerns

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_files")]

RECORDED = {
    # Pairs of items by their letters, all won by the first: of four candidates that all meet ...
    "some": ("ab ac cd", 3, 3),
    "twice": ("ab ab ab", 1, 5),
    "all": ("ab ac ad bc bd cd", 6, 0),
    # ... and one of grade 0, which is no candidate.
    "none that meet": ("aj bj", 0, 6),
}


@pytest.mark.parametrize("mode", ["crowd", "dedicated", "heap"])
@pytest.mark.parametrize("which", RECORDED)
def test_opening_counts_what_recorded_judgments_leave_to_ask(alice, load, which, mode):
    """Questions are counted in the database after opening; for the crowd's also by hand, as above."""
    study = staff_of(make_study(topics=2, items=4, batch_pairs=1, mode=mode))
    pairs, taken, left = RECORDED[which]
    names = {"j": "t1-junk0"} | {letter: f"t1-{letter}" for letter in "abcd"}
    load(study, "judgments", "".join(f"t1 {names[a]} {names[b]} {names[a]}\n" for a, b in pairs.split()))
    page = text(alice.get(f"/studies/{study.slug}/start/"))
    alice.post(f"/studies/{study.slug}/start/")
    services.catch_up()
    open_now = list(asking.open_questions(study).values_list("wanted", "taken"))
    recorded = len(pairs.split())
    assert f"{recorded} recorded judgments are there already" in page
    assert f"and {len(open_now)} pairs are asked about at once" in page
    answers = sum(wanted - had for wanted, had in open_now)
    assert f"{answers} judgments, {answers} batches of 1" in page
    if mode == "crowd":
        assert len(open_now) == left + 6
        assert f"The first rounds take over {taken} of them" in page
        said = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
        assert f"in all about {left + 6} no more, unless many pairs end in a tie" in said


def test_what_cannot_change_stands_with_the_button_and_what_is_simulated_after_it(alice):
    study = staff_of(make_study())
    page = text(alice.get(f"/studies/{study.slug}/start/"))
    assert page.index("What cannot change") < page.index("Open 1 topic for judging") < page.index("Simulate")
    # Of one task a table would repeat the first sentence.
    found = re.search(r"batch(?:es)?(?:, with those that fail,)? and about (\d+ minutes) of judging", page)
    assert found
    # Few judgments are one batch, which takes as long here as on the page of money.
    money = text(alice.get(f"/studies/{study.slug}/campaigns/"))
    assert f"Finishing takes about {found[1]} of judging" in money
    assert "in the order of asking" not in page


def test_opening_says_that_very_many_recorded_judgments_are_not_counted(alice, load, monkeypatch):
    monkeypatch.setattr(prior_judgments, "MOST", 1)
    study = staff_of(make_study(items=3))
    load(study, "judgments", "t1 t1-a t1-b t1-a\nt1 t1-a t1-c t1-a\n")
    page = text(alice.get(f"/studies/{study.slug}/start/"))
    assert "2 recorded judgments are there already" in page
    assert "too many to count here: the numbers below ignore them" in page
    assert "and 3 pairs are asked about at once" in page


def test_recorded_judgments_are_played_once_until_they_or_the_plan_change(load, monkeypatch):
    """As many taken as a fresh count has, at each turn."""
    played = []

    def replayed(*args):
        played.append(args)
        return services.replayed(*args)

    monkeypatch.setattr(prior_judgments, "replayed", replayed)
    study = staff_of(make_study(items=4))
    plan = study.plan

    def taken(then):
        before = len(played)
        return prior_judgments.taken_over(study, plan).taken == then, len(played) - before

    load(study, "judgments", "t1 t1-a t1-b t1-a\n")
    assert [taken(1), taken(1)] == [(True, 1), (True, 0)]
    load(study, "judgments", "t1 t1-c t1-d t1-c\n")
    assert [taken(2), taken(2)] == [(True, 1), (True, 0)]
    plan.settings |= {"judgments_per_pair": 3}
    assert [taken(2), taken(2)] == [(True, 1), (True, 0)]
    Item.objects.create(topic=study.topics.get(), docno="t1-z", text="One more.")
    load(study, "judgments", "t1 t1-a t1-z t1-a\n")  # without a grade it is no candidate
    assert [taken(2), taken(2)] == [(True, 1), (True, 0)]


@pytest.mark.parametrize(("size", "repeats", "warned"), [(5, 2, True), (5, 0, False), (12, 2, False)])
def test_repeats_in_short_batches_are_warned_of(size, repeats, warned):
    task = Task(batch_size=size, batch_challenges=0, repeats=repeats)
    assert bool(concerns.repeats(task)) == warned
