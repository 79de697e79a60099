"""Scenarios 12 to 22, of working, on the emulator of Mechanical Turk: who is let in, counted and paid."""

from decimal import Decimal

import pytest
from django.test import Client

from judging.models import Assessor, Assignment, BatchQuestion, Judgment, Question
from judging.verdicts import decisions
from panels.models import Entry, PanelExclusion, Payment, Person, Place, Posting
from tests.judging.visiting import Visitor, text_of
from tests.panels.at_turk import Turker, collect, make_all, place_of, published, shift
from tests.panels.turk import Worker, client

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def counting() -> int:
    return Judgment.objects.settled().count()


def books_agree(market, campaign) -> None:
    """Our ledger has what the emulator has paid for the campaign, and the budget what is reserved besides."""
    reader, rewards = client(market), Decimal(0)
    for place in campaign.slots.exclude(outside=""):
        listed = reader.list_assignments_for_hit(HITId=place.outside, AssignmentStatuses=["Approved"])
        rewards += Decimal("2.00") * len(listed["Assignments"])
    posted = Posting.objects.filter(campaign=campaign, kind="reward").values_list("amount", flat=True)
    assert sum(posted) == rewards


def test_12_preview_writes_nothing(study, market):
    campaign = published(study)
    place = place_of(campaign)
    frame = Worker(market, "AWORKER12").preview(place.outside)["frame"].partition("127.0.0.1:9")[2]
    page = Visitor().get(frame)
    assert page.status_code == 200
    assert "preview" in text_of(page)
    assert "2.00 USD" in text_of(page)
    assert b"DOCNO" not in page.content
    assert b"About oak" not in page.content
    assert Visitor().post(frame).status_code in (403, 405)
    for model in (Entry, Person, Assessor, Assignment):
        assert not model.objects.exists()
    assert place_of(campaign).state == "live"


def test_13_no_cookie_is_set_and_the_frame_and_the_form_are_those_of_the_environment(study, market):
    campaign = published(study)
    worker = Turker(market, "AWORKER13")
    for page in (worker.arrived, worker.begin() and worker.look()):
        policy = page["Content-Security-Policy"]
        assert f"frame-ancestors {market.site}" in policy
        assert f"form-action 'self' {market.site}" in policy
        assert "X-Frame-Options" not in page
    worker.answer()
    worker.send()
    page = worker.look()
    assert f'action="{market.site}/mturk/externalSubmit"' in page.content.decode()
    worker.hand_in()
    collect(campaign)
    assert counting() == 5
    # Everything else stays out of frames.
    assert Client().get("/login/")["X-Frame-Options"] == "DENY"


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"turkSubmitTo": "https://evil.example"}, 409),
        ({"turkSubmitTo": "javascript:alert(1)"}, 409),
        ({"hitId": "3ANOTHERHIT"}, 409),
        ({"assignmentId": "lower-case"}, 409),
        ({"workerId": "B0000"}, 409),
    ],
)
def test_14_forged_ids_are_refused(study, market, changed, status):
    campaign = published(study)
    given = {"assignmentId": "3FORGED", "hitId": place_of(campaign).outside, "workerId": "AFORGED"}
    given |= {"turkSubmitTo": market.site} | changed
    page = Visitor().get(f"/p/{place_of(campaign).token}/", given)
    assert page.status_code == status
    assert not Entry.objects.exists()


def test_14_an_invented_assignment_is_never_counted_nor_paid(study, market, monkeypatch):
    campaign = published(study)
    place = place_of(campaign)
    forged = Turker.__new__(Turker)
    forged.client, forged.home = Visitor(), ""
    forged.address = (
        f"/p/{place.token}/?assignmentId=3INVENTED&hitId={place.outside}&workerId=AFORGED"
        f"&turkSubmitTo={market.site}"
    )
    forged.arrived = forged.open()
    forged.work()
    collect(campaign)
    assert counting() == 0
    assert not Payment.objects.exists()
    # The true worker is let in, and the questions are free again for her.
    Turker(market, "ATRUE", place.outside).do()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().entry.assessor != Entry.objects.get(outside="3INVENTED").assessor


def test_15_reload_and_second_tab(study, market):
    published(study)
    worker = Turker(market, "AWORKER15")
    worker.begin()
    worker.answer(most=4)
    old, before = worker.token, list(worker.batch().batch.values_list("question_id", "shown"))
    worker.open()
    assert list(worker.batch().batch.values_list("question_id", "shown")) == before
    assert set(worker.answer(most=5, token=old)) == {409}
    assert worker.client.post("/submit/", {"token": old}).status_code == 409
    worker.answer()
    worker.send()
    assert Judgment.objects.filter(revision=0).count() == 7
    assert not Judgment.objects.filter(revision__gt=0).exists()


def test_16_returned_and_the_id_reused_by_another(study, market):
    campaign = published(study)
    first = Turker(market, "AFIRST")
    first.begin()
    first.answer(most=5)
    token = first.token
    first.worker.give_back(first.assignment)
    second = Turker(market, "ASECOND")
    assert second.assignment == first.assignment
    assert first.client.get(first.home).status_code == 404
    assert set(first.answer(token=token, most=1)) == {409}
    second.do()
    collect(campaign)
    assert counting() == 5
    assert {one.assignment.assessor for one in Judgment.objects.settled()} == {
        Payment.objects.get().entry.assessor
    }
    assert Person.objects.count() == 2
    assert Payment.objects.get().state == "paid"
    books_agree(market, campaign)


def test_17_returned_and_accepted_again_by_the_same_worker(study, market):
    campaign = published(study)
    worker = Turker(market, "AWORKER17")
    worker.begin()
    worker.answer(most=3)
    worker.worker.give_back(worker.assignment)
    again = Turker(market, "AWORKER17")
    assert Entry.objects.count() == 1
    assert Judgment.objects.count() == 3
    again.answer()
    again.send()
    again.hand_in()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().state == "paid"


def test_17_also_after_somebody_else_had_it_meanwhile(study, market):
    campaign = published(study)
    worker = Turker(market, "AWORKER17B")
    worker.begin()
    worker.answer(most=3)
    worker.worker.give_back(worker.assignment)
    other = Turker(market, "AOTHER17")
    other.begin()
    other.worker.give_back(other.assignment)
    again = Turker(market, "AWORKER17B")
    again.do()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().entry.assessor.entries.get() == Entry.objects.get(state="confirmed")


def test_18_two_hits_at_once_never_a_pair_twice(study, market):
    """The open batch follows to the one that is begun last; the page of the other is over until then."""
    campaign = published(study, 2)
    one, two = Turker(market, "AWORKER18"), Turker(market, "AWORKER18")
    one.begin()
    one.answer(most=2)
    old = one.token
    assert two.begin().status_code == 303
    assert {*one.answer(token=old)} == {409}
    assert Judgment.objects.count() == 2
    two.answer()
    two.send()
    two.hand_in()
    one.open()
    one.do()
    collect(campaign)
    asked = BatchQuestion.objects.values_list("question_id", flat=True)
    assert len(asked) == len(set(asked)) == 14
    assert counting() == 10
    assert Payment.objects.filter(state="paid").count() == 2


def test_18_who_returns_one_hit_and_takes_the_next_goes_on_where_they_were(study, market):
    campaign = published(study, 2)
    one = Turker(market, "AWORKER18B")
    one.begin()
    one.answer(most=3)
    one.worker.give_back(one.assignment)
    other = next(place.outside for place in campaign.slots.all() if place.outside != one.task["hitId"])
    two = Turker(market, "AWORKER18B", hit=other)
    assert two.begin().status_code == 303
    assert Judgment.objects.count() == 3
    two.answer()
    two.send()
    two.hand_in()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().entry.outside == two.assignment
    assert Entry.objects.get(outside=one.assignment).state != "working"
    # The first place is free for somebody else.
    Turker(market, "ANOTHER18", hit=one.task["hitId"]).do()
    collect(campaign)
    assert Payment.objects.filter(state="paid").count() == 2
    books_agree(market, campaign)


def test_19_abandoned_then_late_submission(study, market, monkeypatch):
    campaign = published(study)
    worker = Turker(market, "AWORKER19")
    worker.work()
    shift(monkeypatch, minutes=75)
    collect(campaign)
    assert Entry.objects.get().state == "lapsed"
    assert Question.objects.filter(taken__gt=0).count() == 0
    worker.hand_in()
    collect(campaign)
    # Nobody had been asked meanwhile.
    assert counting() == 5
    assert Payment.objects.get().state == "paid"
    books_agree(market, campaign)


def test_19_a_late_submission_is_paid_and_not_counted_where_others_were_asked_meanwhile(
    study, market, monkeypatch
):
    Question.objects.filter(wanted=1).exclude(
        pk__in=Question.objects.filter(wanted=1).values("pk")[:5]
    ).update(wanted=0)
    campaign = published(study, 2)
    worker = Turker(market, "ALATE19")
    worker.work()
    shift(monkeypatch, minutes=75)
    collect(campaign)
    Turker(market, "AOTHER19").do()
    collect(campaign)
    assert counting() == 5
    worker.hand_in()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.filter(state="paid").count() == 2
    assert set(Question.objects.filter(taken__gt=0).values_list("taken", flat=True)) == {1}


def test_20_finished_here_never_submitted_there(study, market, monkeypatch):
    campaign = published(study)
    worker = Turker(market, "AWORKER20")
    worker.work()
    collect(campaign)
    assert counting() == 0
    assert not Payment.objects.exists()
    shift(monkeypatch, minutes=75)
    collect(campaign)
    assert Question.objects.filter(taken__gt=0).count() == 0
    assert b"externalSubmit" in worker.look().content


def test_21_submitted_there_unknown_here(study, market):
    campaign = published(study, 2)
    blank = Worker(market, "ABLANK21")
    blank.do(campaign.slots.first().outside, receipt="")
    forged = Turker(market, "AFORGED21")
    forged.begin()
    forged.worker.submit(forged.assignment, receipt="0" * 32)
    collect(campaign)
    assert counting() == 0
    assert set(Entry.objects.values_list("state", flat=True)) == {"review"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"review"}
    assert not market.log("RejectAssignment")
    market.advance(73 * 3600)
    collect(campaign)
    assert set(Payment.objects.values_list("state", "how")) == {("paid", "approved at the panel")}
    assert Posting.objects.filter(kind="reward").count() == 2
    books_agree(market, campaign)


def test_22_failed_challenge(study, market):
    campaign = published(study, 3)
    worker = Turker(market, "AFAILS22")
    worker.work(wrong=1)
    worker.hand_in()
    two = Turker(market, "AFAILS22")
    two.begin()
    collect(campaign)
    assessor = Entry.objects.filter(state="confirmed").get().assessor
    assert assessor.excluded_at is not None
    assert Payment.objects.get().state == "paid"
    assert counting() == 0
    # The qualification is set, and nobody is told.
    assert PanelExclusion.objects.get().state == "effective"
    [told] = market.log("AssociateQualificationWithWorker")[-1:]
    assert '"SendNotification": false' in told["request"]
    # What is open is finished, paid, and counts nowhere.
    two.answer()
    two.send()
    two.hand_in()
    collect(campaign)
    assert Payment.objects.filter(state="paid").count() == 2
    assert counting() == 0
    assert Question.objects.filter(taken__gt=0).count() == 0
    # The marketplace keeps them from further HITs; anyone who comes all the same is refused kindly.
    left = campaign.slots.get(state="live").outside
    assert left not in Worker(market, "AFAILS22").offers()
    assert left in Worker(market, "AGOOD22").offers()
    # Somebody else is asked what was discarded.
    Turker(market, "AGOOD22").do()
    collect(campaign)
    assert counting() == 5
    # And anyone who is let back in is let back in there too.
    decisions.readmit(assessor.pk, "a mistake")
    collect(campaign)
    assert PanelExclusion.objects.get().state == "lifted"
    assert place_of_all(campaign) == {Place.State.SETTLED}
    books_agree(market, campaign)
    assert make_all(campaign) == 0


def place_of_all(campaign) -> set[str]:
    return set(campaign.slots.values_list("state", flat=True))
