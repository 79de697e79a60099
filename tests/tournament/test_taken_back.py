"""Verdicts that are taken back after a round stood on them."""

import pytest

from collection.models import Study, Topic
from judging import ledger
from judging.models import Assessor, Question
from judging.verdicts import decisions
from tests.makers import (
    finish,
    invite,
    open_study,
    pairs_of,
    places,
    sit,
)
from tests.tournament.played import last, rounds
from tournament import services
from tournament.models import Pairing, Round, Tournament

pytestmark = pytest.mark.django_db


def first_round_by_one(study: Study) -> Assessor:
    """Open a study, let one person judge its first round, and play on; return who it was."""
    open_study(study)
    judge = invite(study)
    sit(judge)
    services.catch_up()
    return judge


def test_a_round_whose_assessor_is_excluded_later_is_asked_again_and_later_rounds_go(study):
    """Round 2 stands on round 1: without it there is no round 2, and nothing of it is asked."""
    judge = first_round_by_one(study)
    assert len(rounds(study)) == 2
    decisions.exclude(judge.pk, "slept")
    services.catch_up()
    assert rounds(study) == [(1, "reduction", 8, 0, False)]
    wanted = set(Question.objects.filter(wanted__gt=0).values_list("pk", flat=True))
    assert wanted == set(Pairing.objects.values_list("question_id", flat=True))


def test_an_ended_tournament_opens_again_when_its_judge_is_excluded(study):
    judge = first_round_by_one(study)
    finish(study)
    ended = rounds(study), places(study)
    revision = Topic.objects.get().revision
    decisions.exclude(judge.pk, "slept")
    services.catch_up()
    assert (places(study), rounds(study)) == ({}, [(1, "reduction", 8, 0, False)])
    assert Topic.objects.get().revision > revision + 1  # scores hear of the places that went
    finish(study)
    assert (rounds(study), places(study)) == ended


def test_answers_to_a_later_round_are_used_again_when_it_comes_back(study):
    """Round 1 is answered anew, in the same way, by somebody else: nobody has to answer the final again."""
    judge = first_round_by_one(study)
    sit(invite(study))
    services.catch_up()
    ended = places(study)
    assert ended
    decisions.exclude(judge.pk, "slept")
    services.catch_up()
    again = sit(invite(study))
    services.catch_up()
    asked = set(Pairing.objects.filter(round__number=1).values_list("question_id", flat=True))
    assert pairs_of(again) <= asked
    assert places(study) == ended


def test_other_answers_to_round_one_make_another_final(study):
    judge = first_round_by_one(study)
    before = set(Round.objects.get(number=2).pool)
    decisions.exclude(judge.pk, "slept")
    services.catch_up()
    sit(invite(study), choose=last)
    services.catch_up()
    assert set(Round.objects.get(number=2).pool) != before


def test_a_round_of_other_items_takes_the_place_of_a_stale_one(study):
    """Round 1 is taken back and answered anew the other way round before the tournament looks again."""
    judge = first_round_by_one(study)
    before = set(Round.objects.get(number=2).pool)
    decisions.exclude(judge.pk, "slept")
    sit(invite(study), choose=last)
    services.catch_up()
    second = Round.objects.get(number=2)
    asked = {pairing.question.subject_ids for pairing in second.pairings.select_related("question")}
    topic = study.topics.get()
    settled = ledger.settled(topic.pk, topic.study.plan.task_id)
    by_the_rules = services.replayed(study.plan, Tournament.objects.get(), topic, settled).rounds[1]
    assert (tuple(second.pool), asked) == (by_the_rules.pool, set(by_the_rules.pairs))
    assert set(second.pool) != before
