"""A person's page: pausing, releasing and taking back, and their answers in order beside those of others."""

import re

import pytest

from judging.batches import answering, sittings
from judging.models import Assessor, Decision
from judging.verdicts import decisions
from panels import local
from tests.judging.organizing import judge_batch, queries, staff_of, text
from tests.makers import Choice, invite, make_study, open_study, record, sit
from web.organizer.assessors import person

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    settings = {"judgments_per_pair": 3, "batch_pairs": 3, "batch_challenges": 1}
    return staff_of(open_study(make_study(items=3, slug="garden", **settings)))


def address(assessor: Assessor, act: str = "") -> str:
    return f"/studies/garden/people/{assessor.pk}/{act}"


def test_a_person_is_paused_with_a_reason_and_let_go_on(alice, study):
    ada = invite(study)
    page = text(alice.get(address(ada)))
    assert "They get no new batch until you resume them" in page
    assert "give a reason" in text(alice.post(address(ada, "pause/"), {"why": " "}, follow=True))
    page = text(alice.post(address(ada, "pause/"), {"why": "answers look odd"}, follow=True))
    assert "Paused: they get no new batch" in page
    assert "answers look odd" in page
    assert "Let them go on" in page
    with pytest.raises(answering.Limited):
        answering.arrive(ada.pk)
    assert "They are paused already" in text(alice.post(address(ada, "pause/"), {"why": "x"}, follow=True))
    assert "Paused" in text(alice.get("/studies/garden/people/?state=paused"))
    assert "They can go on" in text(alice.post(address(ada, "let-on/"), follow=True))
    assert answering.arrive(ada.pk)
    trail = text(alice.get("/studies/garden/trail/"))
    assert "paused an assessor" in trail
    assert "let a paused assessor go on" in trail


def test_a_release_is_taken_back_to_what_is_still_free(alice, study):
    ada = invite(study)
    batch = answering.arrive(ada.pk)
    assert "Their unanswered questions go to others at once" in text(alice.get(address(ada)))
    sittings.release(batch.pk)
    assert "Take the release back" in text(alice.get(address(ada)))
    page = text(alice.post(address(ada, "take-back/"), follow=True))
    assert "Taken back" in page
    batch.refresh_from_db()
    assert batch.state == "working"
    assert list(Decision.objects.filter(assignment=batch).values_list("what", flat=True).order_by("pk")) == [
        "idle",
        "resumed",
    ]
    assert "took a release back" in text(alice.get("/studies/garden/trail/"))
    assert "Nothing was changed" in text(alice.post(address(ada, "take-back/"), follow=True))


@pytest.mark.parametrize("act", ["pause/", "let-on/", "take-back/"])
def test_only_organizers_act_and_only_on_their_own_people(alice, bob, study, act):
    ada = invite(study)
    elsewhere = invite(make_study(slug="meadow"))
    assert alice.post(address(elsewhere, act), {"why": "x"}).status_code == 404
    assert bob.post(address(ada, act), {"why": "x"}).status_code in (403, 404)
    assert alice.get(address(ada, act)).status_code == 405
    assert not Decision.objects.exists()


def test_answers_stand_in_order_beside_those_of_others(alice, study):
    """Expected by hand: of three people two say a; the challenge is answered wrongly by one."""
    made = local.invite(study, ["Ada", "Grace", "Dora"])
    batches = [answering.arrive(one.pk) for one in made]
    for batch, choice in zip(batches, (Choice.A, Choice.A, Choice.B), strict=True):
        for place in batch.batch.select_related("question"):
            known = Choice(int(place.question.expected)) if place.role == "challenge" else choice
            wrong = place.role == "challenge" and choice == Choice.B
            record(batch.pk, place.question_id, Choice(-known) if wrong else known, seconds=4)
    first, _, last = (alice.get(address(one)) for one in made)
    assert [one.number for one in first.context["log"].lines] == [1, 2, 3, 4]
    asked = [place.question.topic.text for place in batches[0].batch.select_related("question__topic")]
    assert [one.topic for one in first.context["log"].lines] == asked
    of_pairs = [one for one in first.context["log"].lines if one.right is None]
    assert {(one.same, one.others) for one in of_pairs} == {(1, 2)}
    assert [one.right for one in first.context["log"].lines if one.right is not None] == [True]
    of_pairs = [one for one in last.context["log"].lines if one.right is None]
    assert {(one.same, one.others) for one in of_pairs} == {(0, 2)}
    said = text(last)
    assert said.count("Agrees with none of 2") == 3
    assert "Wrong" in said
    # Narrowed to challenges, each keeps its number.
    page = alice.get(address(made[2]), {"only": "challenges"})
    assert [(one.number, one.right) for one in page.context["log"].lines] == [
        (one.number, False) for one in last.context["log"].lines if one.right is not None
    ]
    assert "All 4 Challenges 1" in text(page)
    one = first.context["log"].lines[0]
    assert len(one.shown) == 2
    assert one.seconds == 4


def test_each_answer_in_order_leads_to_its_texts_in_full(alice, study, monkeypatch):
    """Of any batch, also of one that stands on a later page of the list of batches."""
    monkeypatch.setattr(person, "A_PAGE", 1)
    study = staff_of(open_study(make_study(topics=3, slug="hedge", batch_pairs=3, batch_challenges=1)))
    somebody = invite(study)
    for _ in range(2):
        judge_batch(somebody)
    page = f"/studies/hedge/people/{somebody.pk}/"
    links = set(re.findall(r'href="(\?batch=\d+)#(answer-[\w-]+)"', alice.get(page).content.decode()))
    assert len({batch for batch, _ in links}) == 2
    for batch, place in links:
        assert f'<li id="{place}">' in alice.get(page + batch).content.decode()


def test_answers_of_excluded_people_are_no_others(alice, study):
    ada, grace = local.invite(study, ["Ada", "Grace"])
    sit(ada)
    sit(grace)
    assert {one.others for one in alice.get(address(ada)).context["log"].lines} == {0, 1}
    decisions.exclude(grace.pk, "slept")
    assert {one.others for one in alice.get(address(ada)).context["log"].lines} == {0}


def test_answers_in_order_take_as_many_queries_however_many_there_are(alice, study):
    ada, grace = local.invite(study, ["Ada", "Grace"])
    sit(ada)
    queries(alice, address(ada))  # which computes how people agree
    few = queries(alice, address(ada))
    sit(grace)
    assert queries(alice, address(ada)) == few
