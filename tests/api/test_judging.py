"""A program that judges: the desk's judging by its own services, with nothing of challenges told."""

import json
import re

import pytest
from django.urls import reverse

from collection.models import Membership
from judging.models import Assessor, Assignment, Decline, Judgment
from tests.api.programs import Program, make_assessor
from tests.judging.organizing import account, logged_in
from tests.judging.studies import give_pictures, make_study
from tests.makers import run_out

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = make_study(batch_pairs=5, batch_challenges=2)
    make_assessor(study, "dora")
    return study


@pytest.fixture
def dora(study):
    return Program("dora", "judge")


def arrive(program: Program, study) -> dict:
    offer = program.ask(f"/studies/{study.slug}/desk")["offer"]
    agreed = {name: offer[name] for name in ("task", "version")}
    response = program.send(f"/studies/{study.slug}/sittings", agreed)
    assert response.status_code == 201, response.content
    return response.json()


def answer(program: Program, study, batch: dict, question: dict, choice: str, nonce: str = "") -> int:
    given = {"position": question["position"], "choice": choice, "nonce": nonce or f"n{question['position']}"}
    return program.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/answers", given).status_code


def text_of(page: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def known(batch: dict, question: dict) -> str:
    """The right answer of a challenge, which the test alone knows; left for other questions."""
    place = Assignment.objects.get(pk=batch["sitting"]).batch.get(position=question["position"])
    return "left" if place.shown == "01" or place.role == "counts" else "right"


def test_a_program_arrives_answers_and_sends_its_batch(study, dora):
    desk = dora.ask(f"/studies/{study.slug}/desk")
    assert (desk["state"], desk["offer"]["questions"]) == ("offered", 7)
    batch = arrive(dora, study)
    assert batch["choices"] == ["left", "tie", "right"]
    assert dora.ask(f"/studies/{study.slug}/desk") | {"offer": None} == {
        "state": "open", "sitting": batch["sitting"], "why": None, "offer": None
    }  # fmt: skip
    for question in batch["questions"]:
        assert answer(dora, study, batch, question, known(batch, question)) == 200
    finish = f"/studies/{study.slug}/sittings/{batch['sitting']}/finish"
    for _ in range(2):
        assert dora.send(finish).json() == {"submitted": True}
    stored = Assignment.objects.get(pk=batch["sitting"])
    assert (stored.state, stored.assessor.user) == ("kept", account("dora"))
    assert Judgment.objects.filter(assignment=stored).count() == 7
    shown = dora.ask(f"/studies/{study.slug}/sittings/{batch['sitting']}")
    assert (shown["state"], shown["questions"]) == ("over", [])


def test_answers_are_given_about_what_was_shown(study, dora):
    batch = arrive(dora, study)
    [first, *_] = batch["questions"]
    stored = Assignment.objects.get(pk=batch["sitting"])
    place = stored.batch.get(position=first["position"])
    items = [subject.item for subject in place.question.subjects.order_by("position")]
    texts = [part["items"][0]["text"] for part in first["places"]]
    assert [part["place"] for part in first["places"]] == ["left", "right"]
    assert texts == [items[int(at)].text for at in place.shown]
    assert answer(dora, study, batch, first, "right") == 200
    [judgment] = Judgment.objects.filter(assignment=stored)
    assert (judgment.value, judgment.shown) == (-1, place.shown)


def test_an_answer_may_be_sent_again_and_corrected(study, dora):
    batch = arrive(dora, study)
    first, second = batch["questions"][:2]
    for _ in range(3):
        assert answer(dora, study, batch, first, "left", "same") == 200
    assert Judgment.objects.count() == 1
    assert answer(dora, study, batch, first, "right", "another") == 200
    assert [j.revision for j in Judgment.objects.order_by("pk")] == [0, 1]
    assert answer(dora, study, batch, second, "left", "same") == 422
    shown = dora.ask(f"/studies/{study.slug}/sittings/{batch['sitting']}")
    assert shown["questions"][0]["choice"] == "right"


def test_nothing_that_is_sent_tells_a_challenge_or_what_is_known_of_an_item(study, dora):
    batch = arrive(dora, study)
    sent = json.dumps(batch)
    assert "77.25" not in sent
    assert "DOCNO" not in sent
    assert "challenge" not in sent
    assert "expected" not in sent
    kinds = {place.position: place.role == "challenge" for place in Assignment.objects.get().batch.all()}
    assert sorted(kinds.values()) == [False] * 5 + [True] * 2

    def shape(value):
        if isinstance(value, dict):
            return {name: shape(one) for name, one in value.items()}
        return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__

    shapes = {json.dumps(shape(question)) for question in batch["questions"]}
    assert len(shapes) == 1
    # Right or wrong, an answer is taken with the same words.
    replies = set()
    for question in batch["questions"]:
        given = {"position": question["position"], "choice": "left", "nonce": f"n{question['position']}"}
        sent = dora.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/answers", given)
        replies.add((sent.status_code, sent.content))
    assert len(replies) == 1


def test_somebody_who_failed_is_told_what_everybody_is_told(study, dora):
    batch = arrive(dora, study)
    for question in batch["questions"]:
        choice = "left" if known(batch, question) == "right" else "right"
        assert answer(dora, study, batch, question, choice) == 200
    sent = dora.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/finish")
    assert (sent.status_code, sent.json()) == (200, {"submitted": True})
    assert Assignment.objects.get().state == "discarded"
    # Not asked any more, in the words for those for whom nothing is left.
    response = dora.send(f"/studies/{study.slug}/sittings", {"task": 1, "version": 1})
    assert response.status_code == 409
    assert "discard" not in response.content.decode() + sent.content.decode()


def test_a_batch_of_which_answers_are_missing_is_not_sent(study, dora):
    batch = arrive(dora, study)
    response = dora.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/finish")
    assert (response.status_code, response.json()["code"]) == (409, "unfinished")
    assert "7 of 7" in response.json()["detail"]


def test_a_batch_whose_time_is_over_takes_no_answers(study, dora):
    batch = arrive(dora, study)
    run_out(Assignment.objects.get())
    assert answer(dora, study, batch, batch["questions"][0], "left") == 409
    assert dora.ask(f"/studies/{study.slug}/sittings/{batch['sitting']}")["state"] == "over"
    assert dora.ask(f"/studies/{study.slug}/desk")["state"] == "offered"


@pytest.mark.parametrize(
    ("wrong", "status"),
    [
        ({"position": 99}, 404),
        ({"choice": "up"}, 422),
        ({"choice": "left-most!"}, 422),
        ({"nonce": ""}, 422),
        ({"nonce": "a b"}, 422),
        ({"seconds": -1}, 422),
        ({"position": "first"}, 422),
    ],
)
def test_an_answer_that_no_page_would_send_is_refused(study, dora, wrong, status):
    batch = arrive(dora, study)
    given = {"position": 1, "choice": "left", "nonce": "n"} | wrong
    response = dora.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/answers", given)
    assert response.status_code == status, response.content
    assert Judgment.objects.count() == 0


def test_a_question_that_cannot_be_judged_needs_no_answer(study, dora):
    batch = arrive(dora, study)
    first = batch["questions"][0]["position"]
    given = {"position": first, "reason": batch["reasons"][0], "note": "cut off"}
    for _ in range(2):
        response = dora.send(f"/studies/{study.slug}/sittings/{batch['sitting']}/declined", given)
        assert response.json() == {"stored": True}
    assert Decline.objects.get().note == "cut off"
    shown = dora.ask(f"/studies/{study.slug}/sittings/{batch['sitting']}")
    assert shown["questions"][0]["cannot"] == batch["reasons"][0]


def test_the_texts_that_one_agrees_to_are_those_of_now(study, dora):
    offer = dora.ask(f"/studies/{study.slug}/desk")["offer"]
    task = study.tasks.get()
    task.version = task.consent_version = 2
    task.consent = "Something else."
    task.save()
    agreed = {name: offer[name] for name in ("task", "version")}
    response = dora.send(f"/studies/{study.slug}/sittings", agreed)
    assert (response.status_code, response.json()["code"]) == (409, "reread")
    assert dora.ask(f"/studies/{study.slug}/desk")["offer"]["consent"] == "Something else."


def test_the_page_and_the_program_are_one_assessor(study, dora):
    batch = arrive(dora, study)
    answer(dora, study, batch, batch["questions"][0], "left")
    page = logged_in("dora").get(reverse("desk-judge", args=[study.slug])).content.decode()
    assert "2 of 7" in text_of(page)
    assert Assessor.objects.count() == Assignment.objects.count() == 1


def test_pictures_are_reached_by_the_paths_that_questions_name(study, dora, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    study.kind = "image"
    study.save()
    give_pictures(study)
    item = arrive(dora, study)["questions"][0]["places"][0]["items"][0]
    assert (item["text"], item["width"], item["height"]) == ("", 40, 30)
    response = dora.get(item["picture"])
    assert response.status_code == 200
    assert response["Content-Type"] == "image/png"


def test_where_judging_is_not_open_there_is_nothing_to_do_and_it_says_why(study, dora):
    study.opened_at = None
    study.save()
    assert dora.ask(f"/studies/{study.slug}/desk")["why"] == "not-open"
    response = dora.send(f"/studies/{study.slug}/sittings", {"task": 1, "version": 1})
    assert (response.status_code, response.json()["code"]) == (409, "nothing")


def test_an_organizer_who_does_not_judge_finds_no_desk(study):
    Membership.objects.create(study=study, user=account("alice"), role=Membership.Role.ORGANIZER)
    assert Program("alice").get(f"/api/v1/studies/{study.slug}/desk").status_code == 404
