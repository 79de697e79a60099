"""Signs that answers were not given by a person: from times and paradata, and on the page of people."""

import json
import re

import pytest
from django.core.cache import cache

from judging.batches import answering
from judging.models import Judgment
from judging.paradata import MOST, restored
from judging.verdicts import decisions
from scoring.compute.answer_columns import COUNTS
from scoring.compute.automation_signs import PersonInputs, automation_signs
from scoring.quality.automation_signs import SIGNS
from tests.judging.organizing import staff_of, text
from tests.judging.studies import invite, make_study
from tests.judging.visiting import form
from tests.scoring.plain_answers import Answer, columns

PLAIN = {"by": "key", "keys": 1}


def answer(person, seconds, least=0.5):
    return Answer(COUNTS, 1, "3", person, 1, 1, (1, 2), 1, None, 1, (), seconds, least, None)


def signs(times, inputs=None, least=0.5):
    """The signs of people with these seconds, by number."""
    given = [answer(person, one, least) for person, row in times.items() for one in row]
    return {one.person: one for one in automation_signs(columns(given), inputs or {})}


PEOPLE = [2.0, 9.5, 4.1, 3.3, 12.0, 5.6, 2.9, 7.7, 6.1, 3.8]


def test_times_of_a_program_vary_little():
    """The standard deviation over the mean, by hand: of 1 and 3 in turn, 1 / 2."""
    found = signs({1: [1.0, 3.0] * 5, 2: [3.0, 3.2] * 5, 3: [3.0] * 9, 4: [0.0] * 10})
    assert found[1].variation == 0.5
    assert (found[1].even, found[2].even) == (False, True)
    assert found[3].variation is found[4].variation is None


def test_four_answers_after_the_same_seconds_make_two_people_alike():
    shifted = [1.1, *PEOPLE[2:6], 8.8]
    found = signs({1: PEOPLE, 2: shifted, 3: [one + 0.3 for one in PEOPLE], 4: PEOPLE[2:5]})
    assert {person: one.alike for person, one in found.items()} == {1: 1, 2: 1, 3: 0, 4: 0}


def test_the_same_wait_again_and_again_is_even_and_like_nobody():
    found = signs({1: [2.0] * 12, 2: [2.0] * 12})
    assert [(one.even, one.alike) for one in found.values()] == [(True, 0)] * 2


def test_eight_answers_after_a_persons_own_seconds_of_before_are_played_again():
    """As a second batch with the times of the first; the same wait each time is even, and no row again."""
    batch = [*PEOPLE, 4.4, 8.1, 2.2]
    found = signs({1: batch * 2, 2: [*PEOPLE, *PEOPLE[:7]], 3: [2.0] * 30, 4: [1.0, 3.0] * 4})
    assert {person: one.again for person, one in found.items()} == {1: 13, 2: 0, 3: 0, 4: 0}
    assert found[1].signs == 2  # like 2, too


def test_too_fast_is_below_the_least_time_and_times_that_nobody_told_are_none():
    found = signs({1: [0.4, 0.5, 0.6, None]}, least=0.5)
    assert (found[1].answers, found[1].timed, found[1].fast) == (4, 3, 1)


def test_those_with_most_signs_come_first_and_leaving_the_page_is_none():
    inputs = {1: PersonInputs(told=10, blurred=9), 2: PersonInputs(told=10, none=3, pasted=1)}
    times = {1: PEOPLE, 2: [one * 1.3 for one in PEOPLE]}
    assert [(one.person, one.signs) for one in automation_signs(
        columns([answer(person, one) for person, row in times.items() for one in row]), inputs
    )] == [(2, 2), (1, 0)]  # fmt: skip


@pytest.mark.parametrize(
    "wrong",
    [
        [], "key", {}, {"by": "brain"}, {"by": "key", "keys": -1}, {"by": "key", "keys": True},
        {"by": "key", "keys": MOST + 1}, {"by": "key", "moves": 1.5}, {"by": "key", "where": 3},
    ],
)  # fmt: skip
def test_paradata_of_another_form_are_refused(wrong):
    with pytest.raises(ValueError, match="paradata"):
        restored(wrong)


def test_counts_of_nothing_are_left_out():
    assert restored({"by": "none", "keys": 0, "moves": 4}) == {"by": "none", "moves": 4}
    assert restored(None) is None


# Pages


@pytest.fixture
def study(db):
    return staff_of(make_study(batch_pairs=4, batch_challenges=2, pairs=20, challenges=8))


def judge(study, *given, seconds=None):
    """A batch of somebody new, its answers with these paradata in turn."""
    batch = answering.arrive(invite(study).pk)
    for number, place in enumerate(batch.batch.all()):
        told = given[number % len(given)]
        took = None if seconds is None else seconds[number]
        answering.answer(batch.pk, place.position, 1, kind="pair", seconds=took, paradata=told)
    return batch.assessor


def test_people_with_a_sign_stand_on_the_page_and_others_do_not(alice, study):
    judge(study, PLAIN)
    judge(study, PLAIN, {"by": "mouse", "moves": 3}, {"by": "touch"})
    program = judge(study, {"by": "none"}, {"by": "mouse"}, {"by": "key", "pasted": 9, "blurs": 1})
    page = text(alice.get("/studies/garden/people/"))
    assert "1 of 3 people shows a sign of a program" in page
    assert "Pay is never refused by them." in page
    found = {one.person: one for one in SIGNS.now(study)}
    assert found[program.pk].inputs == PersonInputs(told=6, none=2, still=2, blurred=2, pasted=2)
    own = text(alice.get(f"/studies/garden/people/{program.pk}/"))
    each = ("without any input", "by a mouse that never moved", "with pasted text")
    assert "; ".join(f"2 of 6 {sign}, everybody 11 %" for sign in each) in own


def test_nobody_with_a_sign_is_said_and_old_answers_tell_nothing(alice, study):
    assert "Is it a person?" not in text(alice.get("/studies/garden/people/"))
    judge(study, None)
    assert "No sign of a program among 1 person" in text(alice.get("/studies/garden/people/"))


def test_trust_does_not_say_yes_of_answers_like_those_of_a_program(alice, study):
    """The verdict says of a person what the page of people says; those who are excluded count nowhere."""
    judge(study, PLAIN)
    program = judge(study, {"by": "none"})
    address = "/studies/garden/leaderboard/trust/"
    said = text(alice.get(address))
    assert re.search(r"1 person(, who)? shows signs of a program\.", said)
    assert "1 with signs of a program" in said
    assert re.search(r"besides, \d+ of 1 person with signs of a program", said)
    assert "Yes:" not in said
    (doubted, effect) = next(iter(alice.get(address).context["doubted"]))
    assert doubted.pk == program.pk
    assert "signs of a program (6 of 6 without any input" in doubted.against
    assert effect in said
    # The page of people names them too, and lists them alone.
    people = text(alice.get("/studies/garden/people/", {"state": "look"}))
    assert f"To look at: {doubted.name}" in text(alice.get("/studies/garden/people/"))
    assert doubted.name in people
    assert "1 person." in people
    decisions.exclude(program.pk, "for a test")
    cache.clear()
    assert "of a program" not in text(alice.get(address))


def test_signs_decide_nothing(alice, study):
    """A batch full of them is kept like any other."""
    program = judge(study, {"by": "none"})
    for place in program.latest.batch.exclude(expected=None):
        value = 1 if place.shown == "01" else -1
        answering.record(program.latest.pk, place.question_id, value)
    assert answering.submit(program.latest.pk).state == "kept"


def test_how_an_answer_was_given_is_stored_and_nonsense_is_dropped(client, study):
    batch = answering.arrive(invite(study).pk)
    told = [json.dumps(PLAIN), "{", json.dumps({"by": "key", "where": 1}), "[" * 1000, "null", ""]
    for place, one in zip(batch.batch.all(), told, strict=True):
        client.post("/answer/", form(batch, place, paradata=one))
    rows = Judgment.objects.order_by("question__batches__position")
    assert list(rows.values_list("paradata", flat=True)) == [PLAIN, *[None] * 5]
