"""The panel of links: who is let in, what is held and owed, and what people are given at the end."""

import re
from decimal import Decimal

import pytest

from judging.models import Assessor, BatchQuestion, Judgment, QuestionRole
from panels import money
from panels.models import Budget, Entry, Payment, Person, Place, Posting
from panels.recruitment import campaigns
from tests.judging.studies import make_study
from tests.judging.visiting import Visitor, text_of, without_receipt
from tests.panels.campaigning import Sent, link_address, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def study():
    study = make_study(pairs=20, challenges=9)
    study.tasks.update(batch_size=5, batch_challenges=2)
    return study


def test_from_the_link_to_the_code(study):
    campaign = running(study)
    person = Sent(link_address(campaign))
    assert "2.00 USD" in text_of(person.arrived)
    last = person.work()
    assert "FINISHED-1234" in text_of(last)
    entry = Entry.objects.get()
    assert (entry.state, entry.place.state) == (Entry.State.CONFIRMED, Place.State.SUBMITTED)
    payment = Payment.objects.get()
    assert (payment.amount, payment.state, payment.entry) == (Decimal("2.00"), "due", entry)
    assert Judgment.objects.settled().count() == 5


def test_the_code_is_not_shown_before_all_is_sent(study):
    person = Sent(link_address(running(study)))
    for page in (person.arrived, person.begin(), person.look()):
        assert b"FINISHED" not in page.content
    person.answer()
    assert b"FINISHED" not in person.look().content


def test_somebody_who_fails_the_challenges_is_given_a_code_of_their_own_on_the_same_page_and_is_paid(study):
    campaign = running(study)
    right = text_of(Sent(link_address(campaign, "p1", "s1")).work())
    wrong = text_of(Sent(link_address(campaign, "p2", "s2")).work(wrong=2))
    assert "FINISHED-5678" in wrong
    assert without_receipt(wrong).replace("5678", "1234") == without_receipt(right)
    assert Payment.objects.filter(state="due").count() == 2
    assert Assessor.objects.filter(excluded_at__isnull=False).count() == 1


@pytest.mark.parametrize(
    "query",
    [
        "participant=%7B%7B%25PROLIFIC_PID%25%7D%7D&session=s",
        "participant=$pid&session=s",
        "session=s",
        "participant=&session=s",
        "participant=" + 101 * "x",
        "participant=a&participant=b&session=s",
        "participant=a%00b",
    ],
)
def test_an_address_that_names_nobody_is_refused_with_what_to_do_and_nothing_is_stored(study, query):
    campaign = running(study)
    response = Visitor().get(f"/p/{campaign.token}/?{query}")
    assert response.status_code == 409
    assert re.search("panel|researchers", text_of(response))
    assert not Entry.objects.exists()
    assert not Person.objects.exists()


def test_other_parameters_are_dropped(study):
    campaign = running(study)
    person = Sent(link_address(campaign) + "&age=fortytwo&redirect=https://evil.example")
    tables = (Entry, Person, Assessor, Place)
    kept = " ".join(str(row) for table in tables for row in table.objects.values())
    pages = person.home + person.arrived.content.decode() + person.work().content.decode()
    for word in ("fortytwo", "evil"):
        assert word not in kept
        assert word not in pages


def test_somebody_who_comes_again_goes_on_where_they_were(study):
    campaign = running(study)
    first = Sent(link_address(campaign))
    first.begin()
    first.answer(most=3)
    again = Sent(link_address(campaign))
    assert again.batch() == Entry.objects.get().assignment
    assert Judgment.objects.count() == 3
    again.answer()
    assert b"FINISHED-1234" in (again.send() and again.look()).content
    # And later still: the same end.
    assert b"FINISHED-1234" in Sent(link_address(campaign)).arrived.content
    assert (Entry.objects.count(), Payment.objects.count()) == (1, 1)


def test_nobody_gets_a_place_beyond_those_that_are_published(study):
    campaign = running(study, publish=2, places=2)
    assert all(Sent(link_address(campaign, f"p{n}", f"s{n}")).home for n in range(2))
    late = Sent(link_address(campaign, "p3", "s3"))
    assert (late.arrived.status_code, late.home) == (409, "")
    assert "return" in text_of(late.arrived)
    assert Entry.objects.count() == 2


def test_somebody_who_does_not_agree_gives_the_place_back(study):
    campaign = running(study, publish=1, places=1, terms={"code_no_consent": "DECLINED-99"})
    person = Sent(link_address(campaign))
    page = person.client.post(person.home, {"action": "decline"})
    assert "DECLINED-99" in text_of(page)
    assert Place.objects.get().state == Place.State.LIVE
    assert Sent(link_address(campaign, "p2", "s2")).begin().status_code == 303


def test_one_person_with_two_places_judges_one_after_the_other_and_never_a_pair_twice(study):
    campaign = running(study)
    one = Sent(link_address(campaign, "p1", "s1"))
    two = Sent(link_address(campaign, "p1", "s2"))
    one.begin()
    # The open batch follows to the place that is begun last.
    assert two.begin().status_code == 303
    assert b"opened again somewhere else" in one.look().content
    two.answer()
    two.send()
    assert b"FINISHED-1234" in two.look().content
    one.open()
    assert b"FINISHED-1234" in one.work().content
    asked = BatchQuestion.objects.filter(role=QuestionRole.COUNTS).values_list("question_id", flat=True)
    assert len(asked) == len(set(asked)) == 10
    assert Assessor.objects.count() == 1
    assert Payment.objects.count() == 2


def test_for_whom_nothing_is_left_the_page_says_so_with_its_code(study):
    study.tasks.get().questions.update(wanted=0)
    person = Sent(link_address(running(study)))
    assert "NOTHING-1234" in text_of(person.arrived)
    assert "return your place" in text_of(person.arrived)


def test_a_redirect_is_the_organizers_and_never_the_address_own(study):
    campaign = running(
        study, terms={"finish": "redirect", "redirect": "https://panel.example/done?cc={code}"}
    )
    page = Sent(link_address(campaign) + "&redirect=https://evil.example/").work()
    assert b'href="https://panel.example/done?cc=FINISHED-1234"' in page.content
    assert b"evil" not in page.content
    for bad in ("http://panel.example/", "https://", "javascript:alert(1)", "https://a:b@panel.example/"):
        with pytest.raises(campaigns.CannotCampaign, match="https"):
            campaigns.new(study, "link", terms={"finish": "redirect", "redirect": bad})


def test_codes_that_could_be_guessed_or_confused_are_refused(study):
    for terms in ({"code_completed": "short"}, {"code_completed": ""}, {"code_completed": "with space"}):
        with pytest.raises(campaigns.CannotCampaign):
            campaigns.new(study, "link", terms={"finish": "code", **terms})
    with pytest.raises(campaigns.CannotCampaign, match="code of its own"):
        campaigns.new(study, "link", terms={"code_completed": "SAME-1234", "code_failed": "SAME-1234"})


def test_an_own_code_is_the_same_each_time_and_another_for_everybody(study):
    campaign = running(study, terms={"finish": "own code"})
    pages = [Sent(link_address(campaign, f"p{n}", f"s{n}")) for n in range(2)]
    codes = [re.search(r"<output>([0-9A-F]{16})<", page.work().content.decode())[1] for page in pages]
    assert len(set(codes)) == 2
    assert codes[0].encode() in pages[0].look().content


def test_the_cap_holds_whatever_is_published(study):
    campaign = running(study, publish=8, cap="25", places=20, terms={"fee_percent": "25"})
    assert Budget.objects.get().committed == Decimal("20.00")
    with pytest.raises(money.OverCap, match=r"5\.00 are left"):
        campaigns.publish(campaign.pk, 3)
    with pytest.raises(money.OverCap):
        money.post(campaign, [money.AccountEntry(Posting.Kind.RESERVE, Decimal("5.01"), "one cent too many")])
    assert Place.objects.count() == 8
    campaigns.publish(campaign.pk, 2)
    assert Budget.objects.get().committed == Decimal("25.00")
