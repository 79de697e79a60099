"""Doubtful judgments of many answers: against plain counts, one judgment after another."""

import random

import pytest
from django.core.cache import cache

from collection.models import Grade, Item
from judging import ledger
from scoring.analysis import doubtful_judgments as analysis
from scoring.analysis.doubtful_judgments import DOUBTS, Doubts
from scoring.compute.doubtful_judgments import OTHERS, Doubt, Reason, Vote, doubtful_judgments
from tests.scoring.test_leaderboard_pages import judge, with_runs
from web.coordinator.answers.doubt_sentences import sentences


def test_others_and_those_of_them_who_are_against_are_counted_one_by_one():
    """Of five people, who answer some of three pairs several times; all are listed, since all fail."""
    draw = random.Random("against")
    pairs = [(1, 2), (2, 1), (1, 3), (2, 3)]
    votes = [Vote(n, draw.randrange(5), *draw.choice(pairs), draw.randint(-2, 2)) for n in range(60)]
    listed = {one.judgment: one for one in doubtful_judgments(votes, failing=range(5))}
    for vote in votes:
        asked = {vote.first, vote.second}
        others = [one for one in votes if {one.first, one.second} == asked and one.assessor != vote.assessor]
        with_it, against = (
            {one.assessor for one in others if one.lean and one.order == order}
            for order in (vote.order, vote.order[::-1])
        )
        found = listed[vote.judgment]
        assert (found.others, found.against) == (len({one.assessor for one in others}), len(against))
        alone = vote.lean != 0 and not with_it and len(against) >= OTHERS
        assert (Reason.AGAINST in found.reasons) == alone


@pytest.mark.django_db
def test_of_each_reason_those_with_most_against_them_are_listed(monkeypatch):
    study = with_runs(topics=3, runs=3)
    judge(study, 3)
    # What is read last has most against it.
    [*_, last] = ledger.given(study.topics.order_by("pk").last().pk).counting
    winner, loser = (last.first, last.second) if last.lean > 0 else (last.second, last.first)
    for item, value in ((winner, 0), (loser, 100)):
        Grade.objects.update_or_create(item_id=item, defaults={"value": value})
    people = study.assessors.order_by("pk").values_list("pk", flat=True)
    monkeypatch.setattr(analysis, "failed_by_assessor", lambda _: dict.fromkeys(people, (9, 9)))
    every = DOUBTS.now(study)
    monkeypatch.setattr(analysis, "MOST", 2)
    cache.clear()
    few = DOUBTS.now(study)
    assert (few.reasons, few.ids) == (every.reasons, every.ids)
    assert len(few.listed) < len(every.listed)
    assert few.listed[0].topic == last.topic
    firsts = [[one for one in every.listed if reason in one.doubt.reasons][:2] for reason in Reason]
    assert few.listed == [one for one in every.listed if any(one in own for own in firsts)]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("further", "said"),
    [
        (0, "Other judgments prefer B to A: by them B is better."),
        (1, "Other judgments prefer B to “rose”, and that to A: by them B is better."),
        (2, "Other judgments prefer B to “rose”, that to “oak”, and that to A: by them B is better."),
        (
            5,
            "Other judgments prefer B to “rose”, that to “oak”, that to “elm”, and so on to A: by them B is "
            "better.",
        ),
    ],
)
def test_a_cycle_is_told_as_the_way_from_the_other_item_to_the_preferred_one(further, said):
    study = with_runs(topics=1)
    words = ["fern", "moss", "rose", "oak", "elm", "yew", "ash"]
    items = {n: Item(docno=f"d{n}", text=word) for n, word in enumerate(words)}
    way = (1, *range(2, 2 + further), 0)
    doubt = Doubt(1, 1, 0, 1, False, (Reason.CYCLE,), 0, 0, way, None, None, 0.0)
    doubts = Doubts(1, {Reason.CYCLE: 1}, [], {}, {}, 0)
    assert list(sentences(doubt, doubts, items, study)) == [said]
