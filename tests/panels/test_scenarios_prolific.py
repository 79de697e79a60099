"""The panel twins of scenarios 12 to 22, on the emulator of Prolific: who is let in, counted and paid."""

from decimal import Decimal

import pytest

from judging.models import Assessor, Assignment, BatchQuestion, Judgment, Question
from judging.verdicts import decisions
from panels.models import Campaign, Entry, PanelExclusion, Payment, Person, Place, Posting
from panels.participants import panel_exclusions
from tests.judging.visiting import Visitor, text_of, without_receipt
from tests.panels.at_prolific import Participant, Site, client, pid, published
from tests.panels.at_turk import collect, make_all, shift

pytestmark = [pytest.mark.django_db, pytest.mark.services]


def counting() -> int:
    return Judgment.objects.settled().count()


def books_agree(market, campaign) -> None:
    """Our ledger has what the emulator has paid for the study."""
    found = client(market).get(f"/studies/{campaign.outside}/cost/").json()
    posted = {kind: Decimal(0) for kind in ("reward", "fee", "bonus", "bonus_fee")}
    for kind, amount in Posting.objects.filter(campaign=campaign).values_list("kind", "amount"):
        if kind in posted:
            posted[kind] += amount
    theirs = {
        "reward": found["rewards"]["rewards"],
        "fee": found["rewards"]["fees"],
        "bonus": found["bonuses"]["rewards"],
        "bonus_fee": found["bonuses"]["fees"],
    }
    assert posted == {kind: Decimal(one["amount"]) / 100 for kind, one in theirs.items()}


def arrive(campaign, **given):
    """Come by an address with these parameters; the page."""
    return Visitor().get(f"/p/{campaign.token}/", given)


@pytest.mark.parametrize("missing", ["PROLIFIC_PID", "STUDY_ID", "SESSION_ID"])
def test_12_a_placeholder_that_was_not_filled_in_is_refused_and_writes_nothing(study, prolific, missing):
    campaign = published(study)
    given = {"PROLIFIC_PID": pid(12), "STUDY_ID": campaign.outside, "SESSION_ID": "f" * 24}
    for wrong in (
        given | {missing: f"{{{{%{missing}%}}}}"},
        {k: v for k, v in given.items() if k != missing},
    ):
        page = arrive(campaign, **wrong)
        assert page.status_code == 409
        assert missing in text_of(page)
    for model in (Entry, Person, Assessor, Assignment):
        assert not model.objects.exists()


def test_13_the_page_stands_alone_sets_no_cookie_and_shows_the_code_only_when_all_is_sent(study, prolific):
    campaign = published(study)
    worker = Participant(prolific, campaign, 13)
    codes = campaign.refs["codes"]
    assert len(set(codes.values())) == 2
    assert all(len(code) >= 8 for code in codes.values())
    for page in (worker.arrived, worker.begin() and worker.look(), worker.answer() and worker.look()):
        assert page["X-Frame-Options"] == "DENY"
        assert not any(code in page.content.decode() for code in codes.values())
    worker.send()
    assert worker.code() == codes["completed"]
    assert worker.go_back()["status"] == "AWAITING REVIEW"
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().state == "paid"


def test_14_another_study_is_refused_and_an_invented_submission_is_never_counted_nor_paid(study, prolific):
    campaign = published(study)
    given = {"PROLIFIC_PID": pid(14), "STUDY_ID": "e" * 24, "SESSION_ID": "f" * 24}
    assert arrive(campaign, **given).status_code == 409
    assert not Entry.objects.exists()
    forged = Participant.__new__(Participant)
    forged.client, forged.home = Visitor(), ""
    forged.address = (
        f"/p/{campaign.token}/?PROLIFIC_PID={pid(14)}&STUDY_ID={campaign.outside}&SESSION_ID={'f' * 24}"
    )
    forged.arrived = forged.open()
    forged.work()
    collect(campaign)
    assert counting() == 0
    assert not Payment.objects.exists()


def test_15_reload_and_second_tab(study, prolific):
    campaign = published(study)
    worker = Participant(prolific, campaign, 15)
    worker.begin()
    worker.answer(most=4)
    old, before = worker.token, list(worker.batch().batch.values_list("question_id", "shown"))
    worker.open()
    assert list(worker.batch().batch.values_list("question_id", "shown")) == before
    assert set(worker.answer(most=5, token=old)) == {409}
    worker.answer()
    worker.send()
    assert Judgment.objects.count() == 7
    assert Entry.objects.count() == 1


def test_16_a_returned_place_goes_to_somebody_else_with_fresh_questions(study, prolific):
    campaign = published(study)
    first = Participant(prolific, campaign, 161)
    first.begin()
    first.answer(most=5)
    first.site.give_back(first.submission)
    # The panel has the place open at once; it is open here as soon as the panel is asked.
    second = Participant(prolific, campaign, 162)
    second.do()
    collect(campaign)
    assert counting() == 5
    assert {one.assignment.assessor for one in Judgment.objects.settled()} == {
        Payment.objects.get().entry.assessor
    }
    assert Payment.objects.get().state == "paid"
    assert Entry.objects.get(outside=first.submission).state == "returned"
    books_agree(prolific, campaign)


def test_17_somebody_who_returned_and_takes_another_place_begins_afresh(study, prolific):
    prolific.switch(may_retake=True)
    campaign = published(study)
    worker = Participant(prolific, campaign, 17)
    worker.begin()
    worker.answer(most=3)
    worker.site.give_back(worker.submission)
    collect(campaign)
    again = Participant(prolific, campaign, 17)
    assert again.submission != worker.submission
    again.do()
    collect(campaign)
    prolific.switch(may_retake=False)
    assert Person.objects.count() == Assessor.objects.count() == 1
    assert counting() == 5
    assert Payment.objects.get().state == "paid"


def test_18_two_campaigns_at_once_never_a_pair_twice(study, prolific):
    """A participant has one place of a study at Prolific; two campaigns of ours are two studies there."""
    one, two = published(study), published(study)
    first, second = Participant(prolific, one, 18), Participant(prolific, two, 18)
    first.begin()
    assert second.begin().status_code == 409
    first.answer()
    first.send()
    code = first.code()
    second.work()
    # Who has several open is told apart by the code.
    assert second.site.complete(second.code())["submission"] == second.submission
    assert first.site.complete(code)["submission"] == first.submission
    collect(one)
    collect(two)
    asked = BatchQuestion.objects.values_list("question_id", flat=True)
    assert len(asked) == len(set(asked)) == 14
    assert counting() == 10
    assert Payment.objects.filter(state="paid").count() == 2


def test_19_timed_out_there_before_it_was_finished_here(study, own_prolific, monkeypatch):
    campaign = published(study)
    worker = Participant(own_prolific, campaign, 19)
    worker.begin()
    worker.answer(most=4)
    own_prolific.advance(61 * 60)
    collect(campaign)
    assert Entry.objects.get().state == "lapsed"
    assert Question.objects.filter(taken__gt=0).count() == 0
    # Prolific offers the place to somebody else, and so do we.
    other = Participant(own_prolific, campaign, 191)
    other.do()
    collect(campaign)
    assert counting() == 5
    assert Payment.objects.get().entry.outside == other.submission
    books_agree(own_prolific, campaign)


def test_20_finished_here_never_brought_back_there(study, own_prolific, monkeypatch):
    campaign = published(study)
    worker = Participant(own_prolific, campaign, 20)
    worker.work()
    collect(campaign)
    assert counting() == 0
    assert not Payment.objects.exists()
    own_prolific.advance(61 * 60)
    shift(monkeypatch, minutes=75)
    collect(campaign)
    assert Question.objects.filter(taken__gt=0).count() == 0
    assert worker.code() == campaign.refs["codes"]["completed"]


def test_21_brought_back_there_unknown_here(study, own_prolific):
    campaign = published(study, 2)
    blank = Site(own_prolific, pid(211))
    blank.take(campaign.outside)
    blank.complete("NOCODE")
    guessed = Participant(own_prolific, campaign, 212)
    guessed.begin()
    guessed.site.complete("GUESSED123")
    collect(campaign)
    assert counting() == 0
    assert set(Entry.objects.values_list("state", flat=True)) == {"review"}
    assert set(Payment.objects.values_list("state", flat=True)) == {"review"}
    assert not [one for one in own_prolific.log("transition_submission") if "REJECT" in one["request"]]
    own_prolific.advance(22 * 24 * 3600)
    collect(campaign)
    assert set(Payment.objects.values_list("state", "how")) == {("paid", "approved at the panel")}
    books_agree(own_prolific, campaign)


def test_22_failed_challenge(study, prolific):
    campaign = published(study, 3)
    worker = Participant(prolific, campaign, 22)
    last = text_of(worker.work(wrong=1))
    code = worker.code()
    worker.go_back()
    collect(campaign)
    assessor = Entry.objects.get().assessor
    assert assessor.excluded_at is not None
    assert Payment.objects.get().state == "paid"
    assert counting() == 0
    assert Question.objects.filter(taken__gt=0).count() == 0
    assert PanelExclusion.objects.get().state == "effective"
    # Prolific keeps them out of the next study of ours.
    two = published(study)
    assert two.refs["group"] == campaign.refs["group"]
    assert two.outside not in Site(prolific, pid(22)).offers()
    assert two.outside in Site(prolific, pid(221)).offers()
    good = Participant(prolific, campaign, 221)
    # Who failed saw the same page as who did not, with the same code, before it was known and after.
    same = [without_receipt(one) for one in (text_of(good.work()), last, text_of(worker.look()))]
    assert same[0] == same[1] == same[2]
    assert good.code() == code
    good.go_back()
    collect(campaign)
    assert counting() == 5
    decisions.readmit(assessor.pk, "a mistake")
    collect(campaign)
    assert PanelExclusion.objects.get().state == "lifted"
    assert two.outside in Site(prolific, pid(22)).offers()
    assert set(Payment.objects.values_list("state", flat=True)) == {"paid"}
    assert Place.objects.filter(campaign=campaign, state="settled").count() == 2
    books_agree(prolific, campaign)
    assert make_all(campaign) == 0
    # Once the campaign is closed, exclusions are told as before.
    Campaign.objects.filter(pk=campaign.pk).update(state="closed")
    for changed, state in ((decisions.exclude, "effective"), (decisions.readmit, "lifted")):
        changed(assessor.pk, "seen later")
        panel_exclusions.tell_closed()
        make_all(campaign)
        assert PanelExclusion.objects.get().state == state
        assert (two.outside in Site(prolific, pid(22)).offers()) == (state == "lifted")
    panel_exclusions.tell_closed()
    assert make_all(campaign) == 0
