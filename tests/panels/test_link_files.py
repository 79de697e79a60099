"""Files between a panel link and its service: whom to pay, whom to keep out, and its own list."""

import csv
import io

import pytest
from django.contrib.auth.models import Permission, User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from collection.models import Membership
from judging.people import person_names
from panels.link import own_code
from panels.models import IdentityAccess, Payment
from tests.formats.workbooks import workbook
from tests.judging.organizing import logged_in
from tests.judging.visiting import text_of
from tests.panels.campaigning import Sent, link_address, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def alice(study):
    client = logged_in("alice")
    Membership.objects.create(study=study, user_id=client.session["_auth_user_id"], role="organizer")
    return client


@pytest.fixture
def campaign(study):
    """Three people have finished, the third of them failed."""
    made = running(study)
    for n in range(1, 4):
        Sent(link_address(made, f"=p{n}", f"s{n}")).work(wrong=2 if n == 3 else 0)
    return made


def allow(name="alice") -> None:
    user = User.objects.get(username=name)
    user.user_permissions.add(Permission.objects.get(codename="view_raw_ids"))


def rows(response) -> list[list[str]]:
    return list(csv.reader(io.StringIO(response.content.decode())))


def upload(client, campaign, text):
    address = reverse("campaign-list", args=["garden", campaign.pk])
    sent = text.encode() if isinstance(text, str) else text
    return text_of(client.post(address, {"list": SimpleUploadedFile("list.csv", sent)}, follow=True))


def test_whom_to_pay_and_whom_to_keep_out_are_for_those_with_the_permission_and_noted(campaign, alice):
    for name in ("campaign-to-pay", "campaign-to-exclude"):
        assert alice.get(reverse(name, args=["garden", campaign.pk])).status_code == 403
    assert not IdentityAccess.objects.exists()
    allow()
    pay = rows(alice.get(reverse("campaign-to-pay", args=["garden", campaign.pk])))
    assert pay[0] == ["participant", "session", "amount", "currency"]
    # An id that a spreadsheet would take for a formula is written as text.
    assert pay[1:] == [[f"'=p{n}", f"s{n}", "2.00", "USD"] for n in range(1, 4)]
    out = rows(alice.get(reverse("campaign-to-exclude", args=["garden", campaign.pk])))
    assert out == [["participant"], ["'=p3"]]
    assert list(IdentityAccess.objects.order_by("pk").values_list("actor", "why")) == [
        *[("alice", "whom to pay")] * 3,
        ("alice", "whom to exclude"),
    ]


def test_the_services_list_notes_who_was_paid_and_says_who_is_missing(campaign, alice):
    said = upload(
        alice,
        campaign,
        "Submission id,Participant id,Status\ns1,=p1,APPROVED\ns2,=p2,AWAITING REVIEW\n"
        "s9,p9,APPROVED\ns8,p8,RETURNED\n",
    )
    assert "2 lines of the list match; 1 payment noted as made" in said
    assert "1 participant of the list did not finish here" in said
    assert "1 person finished here and is not in it" in said
    assert sorted(Payment.objects.values_list("entry__outside", "state")) == [
        ("s1", "paid"),
        ("s2", "due"),
        ("s3", "due"),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("name,status\nAda,APPROVED\n", "no column with the participant"),
        ("participant id,status\n=p1,APPROVED\n,APPROVED\n=p1,APPROVED\nx\n", "line 3: no participant"),
        ("participant id,status\n=p1,APPROVED\n=p1,APPROVED\n", "line 3: the same participant"),
        ("participant id,status\n=p1,APPROVED\nonly-one\n", "line 3: 1 columns"),
        (b"participant id,status\n=p1,APPROVED\n\xff\xfe,APPROVED\n", "not UTF-8"),
        ("", "empty"),
    ],
)
def test_one_bad_line_and_nothing_is_noted(campaign, alice, text, says):
    said = upload(alice, campaign, text)
    assert "Nothing was changed" in said or "Choose" in said
    assert says in said or text == ""
    assert not Payment.objects.filter(state="paid").exists()


def test_codes_that_others_were_shown_are_told_and_everybody_is_paid(campaign, alice):
    said = upload(
        alice,
        campaign,
        "Participant id,Session,Status,Completion code\n=p1,s1,Approved, finished-1234 \n"
        "=p2,s2,Approved,STOLEN-9999\n=p3,s3,Approved,FINISHED-5678\n",
    )
    assert "3 payments noted as made" in said
    second = campaign.entries.get(outside="s2").assessor
    assert (
        f"1 line of the list with a code that was not shown to them here: {person_names.name_of(second)}."
        in said
    )
    assert Payment.objects.filter(state="paid").count() == 3


def test_lists_of_spreadsheets_that_separate_by_semicolons_or_tabs_are_read(campaign, alice):
    assert "2 lines of the list match;" in upload(alice, campaign, "pid;session\n=p1;s1\n=p2;s2\n")
    assert "1 line of the list matches;" in upload(alice, campaign, "pid\tsession\n=p1\ts1\n")


def test_lists_in_a_workbook_are_read(campaign, alice):
    book = workbook(Sheet1=[["pid", "session"], ["=p1", "s1"], ["=p2", "s2"]])
    assert "2 lines of the list match;" in upload(alice, campaign, book)


def test_own_codes_of_a_list_are_checked(study, alice):
    made = running(study, terms={"finish": "own code"})
    for n in (1, 2):
        Sent(link_address(made, f"p{n}", f"s{n}")).work()
    first, second = made.entries.order_by("pk")
    lines = [f"p1,s1,{own_code(first).lower()}", f"p2,s2,{own_code(first)}"]
    said = upload(alice, made, "participant,session,code\n" + "\n".join(lines))
    assert f"not shown to them here: {person_names.name_of(second.assessor)}." in said
