"""Aspects, reasons and sentences: set, stored by one statement, refused, sealed, erased, and in a release."""

from dataclasses import asdict

import pytest
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from judging.audit import hash_chain, verification
from judging.batches import answering
from judging.models import Judgment
from judging.questions import asking, expected_time
from judging.tasks.aspects import AspectSettings, Details, problem_of_change
from judging.transfer import judgment_export
from tests.judging.organizing import staff_of, text
from tests.judging.studies import invite, make_study
from tests.judging.test_preview import token_of

pytestmark = pytest.mark.django_db
TASK = AspectSettings(aspects="Correct\nClear", reasons="Cites its sources\nToo long", remark="asked")


@pytest.fixture
def study():
    return with_aspects(TASK)


def with_aspects(settings):
    study = staff_of(make_study())
    task = asking.task_of(study)
    task.settings = asdict(settings)
    task.save()
    return study


def given(**details):
    return Details(**{"rules": TASK.rules} | details)


FULL = {"aspects": {"Correct": 1, "Clear": 0}, "reasons": ("Too long",), "remark": "Says it twice"}


def test_an_answer_with_all_of_it_costs_one_statement_and_a_repeat_adds_nothing(study):
    batch = answering.arrive(invite(study).pk)
    with CaptureQueriesContext(connection) as asked:
        answering.answer(batch.pk, 1, 1, kind="pair", nonce="a", details=given(**FULL))
    assert [query for query in asked if "judging_judgment" in query["sql"]] == list(asked)[:1]
    answering.answer(batch.pk, 1, 1, kind="pair", nonce="b", details=given(**FULL))
    row = Judgment.objects.get()
    assert row.details["aspects"] == {"Correct": 1, "Clear": 0}
    assert row.remark.endswith("Says it twice")
    answering.answer(batch.pk, 1, 1, kind="pair", nonce="c", details=given(aspects={"Correct": -1}))
    assert list(
        Judgment.objects.order_by("revision").values_list("revision", "details__aspects__Correct")
    ) == [
        (0, 1),
        (1, -1),
    ]


@pytest.mark.parametrize(
    ("details", "why"),
    [
        ({"aspects": {"Safe": 1}}, "does not ask"),
        ({"aspects": {"Clear": 2}}, "left, same or right"),
        ({"reasons": ("Funny",)}, "does not ask"),
        ({"remark": "x" * 501}, "too long"),
    ],
)
def test_what_the_study_does_not_ask_is_refused_and_nothing_is_stored(study, details, why):
    batch = answering.arrive(invite(study).pk)
    with pytest.raises(answering.JudgingError, match=why):
        answering.answer(batch.pk, 1, 1, kind="pair", details=given(**details))
    # By rules that a forged form claims it is refused as well.
    forged = TASK.rules._replace(aspects="Safe\nClear", reasons="Funny")
    with pytest.raises(answering.JudgingError):
        answering.answer(batch.pk, 1, 1, kind="pair", details=given(**details, rules=forged))
    assert not Judgment.objects.exists()


def test_aspects_that_must_be_answered_cannot_be_left_out():
    study = with_aspects(AspectSettings(aspects="Correct\nClear", aspects_needed="all"))
    batch = answering.arrive(invite(study).pk)
    with pytest.raises(answering.JudgingError, match="every aspect"):
        answering.answer(batch.pk, 1, 1, kind="pair")
    assert not Judgment.objects.exists()


def test_a_sentence_is_sealed_by_its_hash_can_be_erased_and_not_be_changed(study):
    batch = answering.arrive(invite(study).pk)
    answering.answer(batch.pk, 1, 1, kind="pair", details=given(**FULL))
    hash_chain.seal()
    assert not verification.verify(study).problems
    for change in ({"remark": "another"}, {"remark": None, "value": -1}, {"details": None, "remark": None}):
        with pytest.raises(DatabaseError), transaction.atomic():
            Judgment.objects.update(**change)
    Judgment.objects.update(remark=None)
    assert not verification.verify(study).problems
    assert "Says it twice" not in "".join(judgment_export.sealed_ledger(study))


def test_forms_post_them_by_number_and_back_shows_them(study, client):
    person = invite(study)
    answering.arrive(person.pk)
    page = client.get(f"/i/{person.reference}/")

    posted = {"token": token_of(page), "kind": "pair", "position": 1, "choice": "left", "plain": "page"}
    posted |= {"rules": TASK.rules.told, "aspect1": "right", "aspect2": ""}
    posted |= {"reason": ["1", "2"], "remark": "Why <b>"}
    assert client.post("/answer/", posted).status_code == 303
    assert Judgment.objects.get().details["aspects"] == {"Correct": -1}
    assert Judgment.objects.get().details["reasons"] == ["Cites its sources", "Too long"]
    shown = client.get(f"/i/{person.reference}/?at=1").content.decode()
    assert ">Why &lt;b&gt;</textarea>" in shown
    for bad in ({"aspect3": "left"}, {"aspect1": "up"}, {"reason": "9"}, {"rules": "[1]"}):
        form = posted | {"position": 2} | bad
        refused = client.post("/answer/", form, headers={"accept": "application/json"})
        assert refused.status_code == 400
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize(
    ("settings", "told", "seconds"),
    [
        (TASK, ["in single respects: Correct, Clear", "You can skip any of them.", "say also why."], 11),
        (
            AspectSettings(aspects="Kind", aspects_needed="all"),
            ["in single respects: Kind", "Each of them needs an answer."],
            3,
        ),
        (AspectSettings(claims="asked"), ["you are asked whether it supports them"], 20),
        (AspectSettings(), [], 0),
    ],
)
def test_what_is_asked_besides_is_said_beforehand_and_counted_until_it_is_measured(
    client, settings, told, seconds
):
    study = with_aspects(settings)
    task = asking.task_of(study)
    person = invite(study)
    for _ in ("the instructions", "the batch"):
        words = " ".join(text(client.get(f"/i/{person.reference}/")).split())
        assert [said for said in told if said not in words] == []
        assert ("say also why" in words) == bool(settings.reasons)
        answering.arrive(person.pk)
    short, long = expected_time.Shown(10, 0), expected_time.Shown(1000, 0)
    took = [expected_time.question_seconds(task, study.kind, one) for one in (short, long)]
    assert took == [30 + seconds, 240 + seconds]
    task.measured_seconds = 25
    assert expected_time.question_seconds(task, study.kind, short) == 25


def test_once_a_judgment_is_in_names_can_only_be_added():
    more = AspectSettings(aspects="Correct\nClear\nSafe", reasons=TASK.reasons, remark="asked")
    assert not problem_of_change(TASK, more)
    other = AspectSettings(aspects="Clear\nCorrect", aspects_when="before", aspects_needed="all")
    assert set(problem_of_change(TASK, other)) == {"aspects", "aspects_when", "aspects_needed", "reasons"}
