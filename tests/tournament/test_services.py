"""Starting and advancing tournaments: pools, rounds, places."""

from itertools import combinations

import pytest

from collection.models import Item, Study
from collection.study.lifecycle import close, reopen
from judging import ledger
from judging.batches import answering
from judging.models import Question, Task
from judging.questions import asking, challenges
from judging.verdicts import decisions
from prefir import rules
from tests.makers import (
    Choice,
    add_items,
    answer,
    docnos,
    finish,
    first,
    invite,
    make_study,
    open_study,
    places,
    sit,
    whim,
)
from tests.tournament.played import rounds
from tournament import services
from tournament.models import Pairing, Round, Tournament
from tournament.services import CannotStart

pytestmark = pytest.mark.django_db


def docnos_with(ids) -> list[str]:
    return sorted(Item.objects.filter(pk__in=ids).values_list("docno", flat=True))


def pool(name: str) -> list[str]:
    return docnos_with(Tournament.objects.get(topic__name=name).pool)


# Starting


def test_a_pool_is_made_of_whole_grades_from_the_top_and_never_of_grade_0():
    """k = 2: grade 3 has one item, so all of grade 2 join; grade 1 and 0 stay out."""
    study = make_study(items=0, junk=0)
    graded = {"best": 3.0, "good1": 2.0, "good2": 2.0, "fair": 1.0, "bad": 0.0}
    add_items(study.topics.get(), graded | {"ungraded": None})
    services.start(study.pk)
    assert pool("t1") == ["best", "good1", "good2"]


def test_where_a_topic_has_no_grades_all_its_items_that_can_be_shown_compete():
    study = make_study(topics=2, items=0, junk=0)
    graded, ungraded = study.topics.order_by("name")
    add_items(graded, {"a": 1.0, "b": 1.0, "c": None})
    add_items(ungraded, {"d": None, "e": None})
    Item.objects.create(topic=ungraded, docno="blank")
    assert services.start(study.pk) == 2
    assert (pool("t1"), pool("t2")) == (["a", "b"], ["d", "e"])


def test_where_nothing_can_be_shown_all_items_compete():
    """As with recorded judgments, whose items are known by docno alone."""
    study = make_study(items=0, junk=0)
    Item.objects.bulk_create(Item(topic=study.topics.get(), docno=docno) for docno in "xyz")
    services.start(study.pk)
    assert pool("t1") == ["x", "y", "z"]


def test_starting_twice_is_harmless(study):
    open_study(study)
    before = list(Tournament.objects.values()), list(Question.objects.values()), study.opened_at
    sit(invite(study))
    services.catch_up()
    state = rounds(study)
    add_items(study.topics.get(), {"late": 9.0})
    assert services.start(study.pk) == 0
    services.catch_up()
    study.refresh_from_db()
    assert rounds(study) == state
    assert study.opened_at == before[2]
    assert Tournament.objects.get().pool == before[0][0]["pool"]


def test_starting_makes_challenges_from_the_grades_unless_there_are_some(study):
    topic = study.topics.get()
    a, b = topic.items.order_by("pk")[:2]
    challenges.set_challenges(study, [(topic.pk, a.pk, b.pk, Choice.A)])
    services.start(study.pk)
    assert Question.objects.filter(expected__isnull=False).count() == 1


@pytest.mark.parametrize("items", [{}, {"alone": 1.0}, {"a": 0.0, "b": 0.0}])
def test_a_study_without_two_items_to_compare_cannot_start(items):
    study = make_study(items=0, junk=0)
    add_items(study.topics.get(), items)
    with pytest.raises(CannotStart, match="No topic has two items to compare: load items"):
        services.start(study.pk)
    study.refresh_from_db()
    assert study.opened_at is None
    assert not Tournament.objects.exists()


def test_a_closed_study_cannot_start(study):
    open_study(study)
    close(study.pk)
    with pytest.raises(CannotStart, match="This study is closed"):
        services.start(study.pk)


def test_topics_without_a_pair_are_finished_at_once():
    """A pool of none and a pool of one; the one item has the first place, and nothing is asked."""
    study = make_study(topics=3, items=0, junk=0)
    add_items(study.topics.get(name="t1"), {"a": 1.0, "b": 1.0})
    add_items(study.topics.get(name="t2"), {"alone": 1.0})
    open_study(study)
    finished = Tournament.objects.filter(finished=True).values_list("topic__name", flat=True)
    assert set(finished) == {"t2", "t3"}
    assert places(study) == {"alone": 1}
    assert asking.open_questions(study).count() == 1


# Rounds


def test_the_first_round_asks_random_pairs_and_the_final_asks_all(study):
    open_study(study)
    assert rounds(study) == [(1, "reduction", 8, 0, False)]
    sit(invite(study))
    services.catch_up()
    survivors = Round.objects.get(number=2).pool
    asked = Pairing.objects.filter(round__number=2)
    assert rounds(study)[1][1] == "final"
    assert {pairing.question.subject_ids for pairing in asked} == set(combinations(survivors, 2))


def test_nothing_happens_while_the_round_is_open(study):
    Task.objects.filter(study=study).update(batch_size=11)
    study.save()
    open_study(study)
    sit(invite(study))
    services.catch_up()
    assert rounds(study) == [(1, "reduction", 8, 11, False)]
    assert not services.advance(study.topics.get().pk)


def test_answers_of_batches_that_are_not_submitted_move_no_round(study):
    """They count for scores at once, but may yet be corrected or discarded."""
    open_study(study)
    assignment = answering.arrive(invite(study).pk)
    answer(assignment)
    services.catch_up()
    Tournament.objects.update(seen=-1)
    services.catch_up()
    assert rounds(study) == [(1, "reduction", 8, 0, False)]
    answering.submit(assignment.pk)
    services.catch_up()
    assert rounds(study)[0] == (1, "reduction", 8, 12, True)


def test_a_batch_that_lapsed_moves_no_round(study):
    open_study(study)
    assignment = answering.arrive(invite(study).pk)
    answer(assignment)
    decisions.close_open(study.pk)
    Tournament.objects.update(seen=-1)
    services.catch_up()
    assert rounds(study) == [(1, "reduction", 8, 0, False)]


def test_a_round_stores_who_won_how_often(study):
    """Round 1 as Pairing rows and `first` as oracle: each pair's winner is the smaller docno."""
    open_study(study)
    sit(invite(study))
    services.catch_up()
    wins = dict.fromkeys((str(item) for item in Tournament.objects.get().pool), 0)
    for pairing in Pairing.objects.filter(round__number=1).select_related("question"):
        wins[str(pairing.question.subject_ids[0])] += 1  # loaded in order of docno
    assert Round.objects.get(number=1).wins == wins


def test_the_end_gives_places_and_asks_nothing_more(study):
    open_study(study)
    finish(study)
    assert places(study)["t1-a"] == 1
    assert sum(1 for place in places(study).values() if place <= study.plan.k) >= study.plan.k
    assert not asking.open_questions(study).exists()
    assert all(r[4] for r in rounds(study))


def test_ties_at_the_last_place_all_stay():
    """Four items; a beats all, the others tie: all three share place 2, though k is 2."""
    study = open_study(make_study(items=4, k=2))

    def a_or_tie(question: Question) -> Choice:
        return first(question) if "t1-a" in docnos(question) else Choice.TIE

    finish(study, choose=a_or_tie)
    assert places(study) == {"t1-a": 1, "t1-b": 2, "t1-c": 2, "t1-d": 2}


def test_each_pair_is_wanted_as_often_as_the_study_says():
    study = open_study(make_study(items=3, judgments_per_pair=3))
    assert set(Question.objects.filter(wanted__gt=0).values_list("wanted", flat=True)) == {3}
    for _ in range(2):
        sit(invite(study))
    services.catch_up()
    assert rounds(study) == [(1, "final", 3, 0, False)]
    sit(invite(study))
    services.catch_up()
    assert places(study) == {"t1-a": 1, "t1-b": 2}


def test_dedicated_assessors_play_waves_of_matches_to_k_single_places():
    """Eight items: 4 + 2 + 1 matches for the best; at most 8 + (k - 1) * 3 in all."""
    study = make_study(items=8, k=3, mode="dedicated", batch_challenges=0)
    open_study(study)
    assert rounds(study) == [(1, "match", 8, 0, False)]
    finish(study)
    assert places(study) == {"t1-a": 1, "t1-b": 2, "t1-c": 3}
    assert [r[3] for r in rounds(study)][:3] == [4, 2, 1]
    assert Question.objects.filter(wanted=1).count() <= rules.bound([8], 3)


def test_advance_sees_the_verdict_once_and_a_repeat_does_nothing(study):
    open_study(study)
    topic = study.topics.get()
    sit(invite(study))
    assert services.behind() == [topic.pk]
    assert services.advance(topic.pk)
    assert services.behind() == []
    assert not services.advance(topic.pk)


def test_a_topic_without_a_tournament_is_passed_over(study):
    assert not services.advance(study.topics.get().pk)


def test_catching_up_tells_how_far_it_is():
    study = make_study(topics=3)
    services.start(study.pk)
    seen = []
    assert services.catch_up(lambda done, total: seen.append((done, total))) == 3
    assert seen == [(1, 3), (2, 3), (3, 3)]


# Closing


def test_a_closed_study_hands_out_no_batch_but_takes_those_that_were_begun(study):
    open_study(study)
    assignment = answering.arrive(invite(study).pk)
    close(study.pk)
    with pytest.raises(answering.NothingLeft, match="not open"):
        answering.arrive(invite(study).pk)
    assert answering.arrive(assignment.assessor_id) == assignment
    answer(assignment)
    answering.submit(assignment.pk)
    services.catch_up()
    assert len(rounds(study)) == 2
    reopen(study.pk)
    assert answering.arrive(invite(study).pk)


# What a tournament is a function of


def test_the_seed_and_the_topic_decide_the_pairings():
    """Two studies with one seed ask the same pairs; another seed, others; two topics differ."""
    settings = {"topics": 2, "items": 12, "pairings": 3}
    same, again, other = (open_study(make_study(seed=seed, **settings)) for seed in ("x", "x", "y"))

    def asked(study: Study, topic: str) -> set[tuple[str, str]]:
        rows = Question.objects.filter(topic__study=study, topic__name=topic, wanted=1)
        return {(a[3:], b[3:]) for a, b in map(docnos, rows)}

    assert asked(same, "t1") == asked(again, "t1")
    assert asked(same, "t1") != asked(other, "t1")
    assert asked(same, "t1") != asked(same, "t2")


@pytest.mark.slow
def test_services_end_where_the_rules_alone_end():
    """Cycles and ties, 14 items, batches of 5 by many people: against `rules.play` fed with the ledger."""
    study = open_study(make_study(items=14, final_size=5, pairings=4, k=3, batch_pairs=5))
    finish(study, choose=whim)
    topic = study.topics.get()
    answers = {
        pair: [int(c) for c in choices]
        for pair, choices in ledger.settled(topic.pk, topic.study.plan.task_id).items()
    }
    state = rules.play(Tournament.objects.get().pool, answers, k=3, final_size=5, pairings=4, seed="s:t1")
    by_place = {docno: place for place, ids in enumerate(state.top, 1) for docno in docnos_with(ids)}
    assert places(study) == by_place
    assert [r[0] for r in rounds(study)] == [r.number for r in state.rounds]


def test_complete_rounds_are_counted_with_their_topic_and_fall_with_them():
    study = open_study(make_study(topics=1))
    topic = study.topics.get()
    assert topic.full_rounds == 0
    people = []
    while not Round.objects.filter(complete=True).exists():
        people.append(invite(study))
        sit(people[-1])
        services.catch_up()
    topic.refresh_from_db()
    assert topic.full_rounds == Round.objects.filter(complete=True).count() == 1
    for person in people:
        decisions.exclude(person.pk, "in a hurry", by=None)
    services.catch_up()
    topic.refresh_from_db()
    assert topic.full_rounds == Round.objects.filter(complete=True).count() == 0
