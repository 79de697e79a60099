"""Random schedules of several assessors who come, answer, submit, fail, run out of time or are excluded."""

import pytest
from django.db.models import Count, F
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collection.models import Study
from judging import answering
from judging.models import Assignment, BatchQuestion, Choice, Judgment, Question
from prefir import rules
from tests.makers import (
    answer,
    finish,
    invite,
    make_study,
    open_study,
    pairs_of,
    places,
    run_out,
    taken_by_rows,
    whim,
)
from tournament import services
from tournament.models import Tournament

PEOPLE = 4
acts = st.tuples(
    st.integers(0, PEOPLE - 1),
    st.sampled_from(
        ["arrive", "some", "submit", "submit", "fail", "run out", "sweep", "exclude", "advance", "advance"]
    ),
)


def act(study: Study, people: list, who: int, what: str) -> None:
    """One step; what a person is told they cannot do is passed over, as a page would."""
    if what == "sweep":
        answering.release_overdue()
    elif what == "advance":
        services.catch_up()
    elif what == "exclude":
        answering.exclude(people[who].pk, "for a test")
    else:
        try:
            assignment = answering.arrive(people[who].pk)
        except (answering.NothingLeft, answering.Excluded):
            return
        if what == "run out":
            answer(assignment, choose=whim, most=2)
            run_out(assignment)
        elif what == "some":
            answer(assignment, choose=whim, most=2)
        elif what != "arrive":
            answer(assignment, choose=whim, wrong=what == "fail")
            answering.submit(assignment.pk)


def check(study: Study, most_wanted: dict[int, int]) -> None:
    """What must be true after every step."""
    questions = list(Question.objects.filter(topic__study=study))
    held = taken_by_rows(study)
    assert {q.pk: q.taken for q in questions} == {q.pk: held[q.pk] for q in questions}
    kept = Judgment.objects.settled().filter(question__topic__study=study)
    times = dict(kept.values_list("question").annotate(n=Count("pk")))
    for question in questions:
        most_wanted[question.pk] = max(most_wanted.get(question.pk, 0), question.wanted)
        assert times.get(question.pk, 0) <= held[question.pk] <= most_wanted[question.pk]
    batches = BatchQuestion.objects.filter(assessor__study=study).values("assessor", "question")
    assert not batches.annotate(n=Count("pk")).filter(n__gt=1).exists()


def played_in_memory(study: Study) -> dict[str, int]:
    """The places of a tournament that asks `whim` at once, by the rules alone."""
    found: dict[str, int] = {}
    for tournament in Tournament.objects.filter(topic__study=study).select_related("topic"):
        items = {item.pk: item for item in tournament.topic.items.all()}
        answers: dict[tuple[int, int], list[int]] = {}
        while True:
            state = rules.play(
                tournament.pool,
                answers,
                k=study.k,
                final_size=study.final_size,
                pairings=study.pairings,
                seed=f"{study.seed}:{tournament.topic.name}",
            )
            if state.top is not None:
                break
            for a, b in state.open_pairs:
                question = Question(item_a=items[a], item_b=items[b])
                answers.setdefault((a, b), []).append(whim(question))
        for place, members in enumerate(state.top, 1):
            found |= {items[member].docno: place for member in members}
    return found


@pytest.mark.django_db
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(schedule=st.lists(acts, min_size=4, max_size=18), mode=st.sampled_from(["finals", "rounds"]))
def test_whatever_happens_every_tournament_ends_as_if_nothing_had(schedule, mode):
    """After each step: `taken` is what the rows say, nothing is kept more often than it was wanted, nobody
    met a question twice. In the end, from whatever state: the places that the rules alone come to.
    """
    shape = (
        {"final_size": 9, "items": 4} if mode == "finals" else {"final_size": 3, "items": 6, "pairings": 2}
    )
    study = open_study(make_study(topics=2, batch_pairs=3, batch_challenges=1, wrong_allowed=0, **shape))
    people = [invite(study) for _ in range(PEOPLE)]
    most_wanted: dict[int, int] = {}
    check(study, most_wanted)
    for who, what in schedule:
        act(study, people, who, what)
        check(study, most_wanted)
    for assignment in Assignment.objects.filter(assessor__study=study, state=Assignment.State.WORKING):
        run_out(assignment)
    finish(study, choose=whim)
    check(study, most_wanted)
    assert not Question.objects.filter(topic__study=study, taken__lt=F("wanted")).exists()
    assert places(study) == played_in_memory(study)


@pytest.mark.django_db
def test_questions_given_back_are_drawn_again_in_the_old_order():
    """The example of the property above that a person can follow: three batches, each given back its way."""
    study = open_study(make_study(items=4, batch_pairs=6))
    questions = set(Question.objects.filter(wanted=1).values_list("pk", flat=True))
    lapsed = answering.arrive(invite(study).pk)
    assert pairs_of(lapsed) == questions
    run_out(lapsed)
    failed = answering.arrive(invite(study).pk)
    assert pairs_of(failed) == questions
    answer(failed, wrong=1)
    assert answering.submit(failed.pk).state == Assignment.State.DISCARDED
    kept = answering.arrive(invite(study).pk)
    assert pairs_of(kept) == questions
    answer(kept, choose=lambda question: Choice.TIE)
    assert answering.submit(kept.pk).state == Assignment.State.KEPT
    assert set(Judgment.objects.settled().values_list("question", flat=True)) == questions
