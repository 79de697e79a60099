"""A person's page, and letting somebody back in, through Django's test client."""

import re
from datetime import UTC, datetime
from typing import cast

import pytest
from django.core.cache import cache
from django.urls import reverse

from collection.models import Item, Run
from judging.batches import answering
from judging.models import Assessor, Assignment, Decision, Judgment, Question
from judging.verdicts import decisions
from scoring.compute.trust_figures import Trust
from tests.judging.organizing import account, queries, staff_of, text
from tests.judging.paged import GRIDS, RUNS, ask_all, paged_study
from tests.judging.studies import give_pictures, invite, make_study
from tests.makers import sit
from web.organizer.assessors import person_verdict
from web.organizer.assessors.answer_log import LoggedAnswer
from web.organizer.assessors.answers import AnswerSummary, answers, least_seconds, summary
from web.organizer.assessors.time_strip import time_strip

pytestmark = pytest.mark.django_db
State = Assignment.State


@pytest.fixture
def study():
    return staff_of(make_study(batch_pairs=4, batch_challenges=2, pairs=20, challenges=8))


def address(assessor: Assessor) -> str:
    return f"/studies/garden/people/{assessor.pk}/"


def test_people_lead_to_each_persons_page(alice, study):
    somebody = invite(study)
    page = alice.get("/studies/garden/people/").content.decode()
    assert f'<a href="{address(somebody)}">' in page
    assert "They never began a batch." in text(alice.get(address(somebody)))


def test_every_answer_stands_as_it_was_given_with_wrong_challenges_first(alice, study):
    """Expected by the rows of the batch: sides in the order on the page, the last answer, its seconds."""
    batch = answering.arrive(invite(study).pk)
    places = list(batch.batch.select_related("question"))
    for place in places:
        # Item a, which the challenges know, but for the last of them.
        lean = 1 if place != [p for p in places if p.role == "challenge"][-1] else -1
        value = lean if place.shown == "01" else -lean
        answering.record(batch.pk, place.question_id, -value, seconds=2.0, away=1.5)
        answering.record(batch.pk, place.question_id, value, seconds=7.0)
    found = answers(study, batch)
    wrong = [p for p in places if p.role == "challenge"][-1]
    assert [a.position for a in found] == [wrong.position] + [p.position for p in places if p is not wrong]
    assert [a.position for a in found if a.challenge] == [wrong.position] + [
        p.position for p in places if p.role == "challenge" and p is not wrong
    ]
    assert [a.wrong for a in found] == [True] + [False] * 5
    docno = dict(Item.objects.values_list("pk", "docno"))
    for answer, place in zip(found[1:], [p for p in places if p is not wrong], strict=True):
        stood = [docno[place.question.subject_ids[int(at)]] for at in place.shown]
        assert [side.name for side in answer.sides] == stood
        assert [side.chosen for side in answer.sides] == [at == "0" for at in place.shown]
        assert [side.better for side in answer.sides] == [
            at == "0" and place.role == "challenge" for at in place.shown
        ]
        assert (answer.seconds, answer.away, answer.corrections) == (9.0, 1.5, 1)
    assert [side.chosen for side in found[0].sides] == [not side.better for side in found[0].sides]
    page = text(alice.get(address(batch.assessor)))
    assert "Challenge, answered wrong." in page
    assert "9.0 s in view, 1.5 s away, corrected 1 time." in page


def test_answers_faster_than_a_reader_are_flagged_and_not_punished(alice, study):
    """By hand: twice 150 words of six letters at 250 a minute take 72 seconds, a tenth of it is 7.2."""
    assert least_seconds(letters=1800, pictures=0) == pytest.approx(7.2)
    Item.objects.filter(topic__study=study).update(text="tulip " * 150)
    batch = answering.arrive(invite(study).pk)
    for place, seconds in zip(batch.batch.all(), (7.1, 7.3, 0.4, 60, None, 3), strict=True):
        expected = place.expected if place.role == "challenge" else 1
        value = expected if place.shown == "01" else -expected
        answering.record(batch.pk, place.question_id, value, seconds=seconds)
    answering.submit(batch.pk)
    found = summary(study, batch.assessor)
    assert (found.answers, found.timed, found.fast, found.seconds) == (6, 5, 3, 7.1)
    shown = {a.position: a.fast for a in answers(study, batch)}
    assert [shown[n] for n in range(1, 7)] == [True, False, True, False, False, True]
    page = text(alice.get(address(batch.assessor)))
    # Of the answers that count, as on the page of trust: challenges are none.
    counting = batch.batch.filter(role="counts", position__in=[1, 2, 3, 4, 6]).values_list(
        "position", flat=True
    )
    fast = f"{len({1, 3, 6} & {*counting})} of {len(counting)}"
    assert f"To look at: {fast} answers faster than a reader could be" in page
    assert f"Too fast to read {fast}" in page
    assert "1 without times, as a browser without scripts gives them." in page
    assert "without times." in page
    batch.refresh_from_db()
    assert batch.state == State.KEPT


def test_pictures_take_a_second(study):
    give_pictures(study)
    batch = answering.arrive(invite(study).pk)
    for place, seconds in zip(batch.batch.all(), (0.9, 1.1, 5, 5, 5, 5), strict=True):
        answering.record(batch.pk, place.question_id, 1, seconds=seconds)
    assert summary(study, batch.assessor).fast == 1
    assert sum(answer.fast for answer in answers(study, batch)) == 1


def test_shares_are_of_the_last_answers(study):
    """By hand: of six answers three left, two ties, one right; one of them was right first."""
    batch = answering.arrive(invite(study).pk)
    for place, value in zip(batch.batch.all(), (1, 1, 1, 0, 0, -1), strict=True):
        answering.record(batch.pk, place.question_id, value)
    first = batch.batch.first()
    answering.record(batch.pk, first.question_id, -1)
    answering.record(batch.pk, first.question_id, 1)
    assert summary(study, batch.assessor).shares == [
        ("for the left-hand side", 50),
        ("tie", 33),
        ("for the right-hand side", 17),
    ]


def test_the_batch_that_failed_is_shown_first_and_any_other_when_asked(alice, study):
    assessor = invite(study)
    kept, failed = sit(assessor), sit(assessor, wrong=1)
    page = alice.get(address(assessor))
    assert page.context["shown"] == failed
    assert re.search(r"discarded [^–]* \d+ \d+ 1 ", text(page))
    assert alice.get(address(assessor), {"batch": kept.pk}).context["shown"] == kept
    # Of somebody else it is not.
    other = sit(invite(study))
    assert alice.get(address(assessor), {"batch": other.pk}).context["shown"] == failed


def test_letting_back_in_says_what_it_restores_and_does_so(alice, study):
    assessor = invite(study)
    kept, failed = sit(assessor), sit(assessor, wrong=1)
    assert "Excluded" in text(alice.get(address(assessor)))
    form = f"{address(assessor)}readmit/"
    assert "1 batch with 4 answers would be kept again" in text(alice.get(form))
    assert "Say why, in a few words." in text(alice.post(form, {"why": ""}))
    assert not Judgment.objects.counting().exists()
    page = alice.post(form, {"why": "one slip"}, follow=True)
    assert "They are let back in, and 1 batch kept again." in text(page)
    assert "let back in by alice" in text(page)
    assert {j.assignment_id for j in Judgment.objects.settled()} == {kept.pk}
    assert Decision.objects.filter(assessor=assessor).last().by == account("alice")
    assert "let an assessor back in" in text(alice.get("/studies/garden/trail/"))
    assert answering.arrive(assessor.pk).state == State.WORKING
    assert failed.state == State.DISCARDED
    # Again it changes nothing.
    alice.post(form, {"why": "again"})
    assert Decision.objects.filter(assessor=assessor, what=Decision.What.READMITTED).count() == 1


def test_recorded_people_have_a_page_without_times(alice, study):
    somebody = Assessor.objects.create(study=study, panel="import", reference="digest:w1", label="w1")
    assert "w1" in text(alice.get(address(somebody)))


def test_no_answer_and_no_text_runs_on_the_page(alice, study):
    Item.objects.filter(topic__study=study).update(text="<script>alert(1)</script>")
    batch = answering.arrive(invite(study).pk)
    page = alice.get(address(batch.assessor)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;" in page
    assert text(alice.get(address(batch.assessor))).count("No answer.") == 6


def test_the_page_begins_with_what_a_persons_answers_are_worth(alice, study):
    assert "No answers given on these pages yet." in text(alice.get(address(invite(study))))
    # So that two people are asked the same.
    study.tasks.update(batch_size=20)
    Question.objects.filter(topic__study=study).update(wanted=2)
    batch = sit(invite(study))
    said = text(alice.get(address(batch.assessor)))
    challenges = batch.batch.filter(role="challenge").count()
    given = batch.batch.count()
    assert "Nothing speaks against these answers." in said
    assert f"Answers {given} " in said
    assert f"Challenges right {challenges} of {challenges} everybody 100 %" in said
    cache.clear()
    other = sit(invite(study))

    for one in (batch, other):
        trust = alice.get(reverse("trust", args=[study.slug])).context
        agree = {row.one.pk: (row.one.agree, row.own.shared) for row in trust["people"]}[one.assessor_id]
        shown = f"Same as others {100 * agree[0]:.0f} % on {agree[1]:,} question"
        assert shown in text(alice.get(address(one.assessor)))
    decisions.exclude(other.assessor_id, "for a test")
    page = text(alice.get(address(other.assessor)))
    assert "Excluded: none of their answers counts." in page
    assert page.count("for a test") == 1
    assert "Let them back in" in page
    assert "Pause" not in page


def told(**changes) -> person_verdict.PersonFigures:
    """Figures of a person against whom nothing speaks, but for these changes."""
    given = AnswerSummary(40, [("left", 50), ("right", 50)], 20.0, 40, 0, 0, 0, 0)
    known = cast(Trust, object())
    return person_verdict.PersonFigures(given, 10, 10, None, None, known, [])._replace(**changes)


@pytest.mark.parametrize(
    ("figures", "said"),
    [
        (told(), "Nothing speaks against these answers."),
        (told(doubtful=2), "Nothing speaks against these answers as a whole."),
        (told(trust=None), "How they answer is being counted."),
        (told(right=0, met=0), "Nothing is known for or against these answers."),
        (told(against=["3 of 10 challenges wrong"]), "To look at: 3 of 10 challenges wrong."),
        (
            told(against=["3 of 10 challenges wrong", "4 of 40 too fast", "signs"]),
            "To look at: 3 of 10 challenges wrong, and 4 of 40 too fast.",
        ),
    ],
)
def test_the_verdict_names_what_speaks_against_a_person(figures, said):
    assert person_verdict.verdict(Assessor(), figures) == (said, said.startswith("To look at"))


def test_a_persons_page_takes_as_many_queries_however_much_they_judged(alice, study):
    assessor = invite(study)
    sit(assessor)
    queries(alice, address(assessor))  # which computes how people agree
    few = queries(alice, address(assessor))
    for _ in range(2):
        sit(assessor)
        decisions.exclude(assessor.pk, "for a test")
        decisions.readmit(assessor.pk, "a mistake")
    assert queries(alice, address(assessor)) == few <= 30
    assert re.search("Begun", text(alice.get(address(assessor))))


# Result pages, and what was seen


def test_result_pages_are_shown_as_they_stood_a_challenge_filled_with_its_items(alice):
    """Expected: each run's list by rank, of a challenge the items that its known answer names."""
    grades = {"a": 4, "c": 4, "e": 0, "f": 0, "b": 2, "d": 2, "g": 2, "h": 2}
    made, task = paged_study(grades=grades, batch_challenges=1)
    staff_of(made)
    ask_all(task)
    somebody = invite(made)
    batch = answering.arrive(somebody.pk)
    docno = dict(Item.objects.values_list("pk", "docno"))
    found = {answer.position: answer for answer in answers(made, batch)}
    assert sorted(answer.challenge for answer in found.values()) == [False, True]
    for place in batch.batch.select_related("question"):
        runs = dict(Run.objects.values_list("pk", "name"))
        pages = [[f"DOCNO-{letter}" for letter in RUNS[runs[pk]]] for pk in place.question.subject_ids]
        if place.role == "challenge":
            pages = [[docno[item] for item in page] for page in place.expected["pages"]]
        stood = [[[pages[int(at)][n]] for n in range(4)] for at in place.shown]
        sides = found[place.position].sides
        assert [[[cell.name for cell in row] for row in side.rows] for side in sides] == stood
    page = alice.get(f"/studies/{made.slug}/people/{somebody.pk}/")
    assert text(page).count("Text of DOCNO-b") >= 2
    challenges = alice.get(f"/studies/{made.slug}/challenges/")
    assert "Text of DOCNO-a" in text(challenges)


def test_grids_of_pictures_keep_their_rows(alice, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    made, task = paged_study(kind="image", runs=GRIDS)
    staff_of(made)
    give_pictures(made)
    ask_all(task)
    somebody = invite(made)
    [answer] = answers(made, answering.arrive(somebody.pk))
    rows = sorted([len(row) for row in side.rows] for side in answer.sides)
    assert rows == [[1, 3, 2], [3, 1]]
    html = alice.get(f"/studies/{made.slug}/people/{somebody.pk}/").content.decode()
    addresses = re.findall(r'src="(/image/[^"]+)"', html)
    assert len(addresses) == 10
    assert alice.get(addresses[0]).status_code == 200


def test_what_was_seen_stands_with_an_answer_where_it_was_not_all(alice, study):
    batch = answering.arrive(invite(study).pk)
    places = list(batch.batch.order_by("position"))
    for place, seen in zip(places, ["100 43", "100 100", None], strict=False):
        answering.record(batch.pk, place.question_id, 1, seconds=2.0, seen=seen)
    page = text(alice.get(address(batch.assessor)))
    assert page.count("Seen of the passages: 100 % and 43 %.") == 1
    assert page.count("Seen of the") == 1
    assert "1 of 2 answers before the end of a text was in view." in page
    told = summary(study, batch.assessor)
    assert (told.told, told.unseen) == (2, 1)


def test_the_times_of_a_person_are_drawn_in_order_with_a_gap_between_batches():
    """By hand: the middle time is 4 s, so that 12 s are the whole height, which a pause of 60 s fills too."""
    times = [4.0, 12.0, None, 60.0, 2.0, 4.0, 3.0]
    lines = [
        LoggedAnswer(n, n // 4, "", datetime.now(UTC), "", [], "", one, 0, 0, again=False, right=None)
        for n, one in enumerate(times)
    ]
    strip = time_strip(lines)
    assert strip is not None
    assert (strip.seconds, strip.batches, strip.width) == (12.0, 2, 12 * 8)
    assert [float(high) for *_, high in strip.bars] == [13.3, 40, 40, 6.7, 13.3, 10]
    # Slots are an eighth wide: the third has no time, the fifth is the gap.
    assert [float(x) / 12.5 for x, *_ in strip.bars] == [0, 1, 3, 5, 6, 7]
    assert time_strip(lines[:5]) is None


def test_the_page_of_a_person_shows_their_times(alice, study):
    person = invite(study)
    batch = answering.arrive(person.pk)
    for place in batch.batch.all():
        answering.answer(batch.pk, place.position, 1, kind="pair", seconds=3.0 + place.position)
    assert "the whole height is 9.0 s. A shape that comes again" in text(alice.get(address(person)))
