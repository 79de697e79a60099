"""The page of e-mail to invited people, through Django's test client."""

import csv
import io
import re
from html import unescape

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from collection.models import Action
from judging.models import Assessor
from panels.local import mails
from panels.models import Address, Mail, Mailing
from tests.formats.workbooks import workbook
from tests.judging.organizing import queries, staff_of, text
from tests.judging.studies import make_study
from tests.panels.mailing import load, states

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/garden/people/mails/"
ADA, BOB = "lovelace@example.org", "bob@example.net"


@pytest.fixture
def study():
    return staff_of(make_study(pairs=10, challenges=6))


def form_of(response) -> dict[str, str]:
    """What the letter's form would send."""
    page = response.content.decode().partition('id="letter"')[2].partition("</form>")[0]
    given = dict(re.findall(r'<input type="hidden" name="(to|seen)" value="([^"]*)"', page))
    [given["subject"]] = re.findall(r'name="subject" value="([^"]*)"', page)
    [given["text"]] = re.findall(r'<textarea name="text"[^>]*>\n?(.*?)</textarea>', page, re.DOTALL)
    return {name: unescape(value) for name, value in given.items()}


def press(browser, given, do, *, follow=False, **changed):
    return browser.post(f"{ADDRESS}send/", given | {"do": do} | changed, follow=follow)


def test_from_a_list_to_mails_that_were_sent(alice, study, office):
    alice.post(f"{ADDRESS}load/", {"people": f"Ada Lovelace <{ADA}>\n{BOB}"})
    given = form_of(alice.get(ADDRESS))
    shown = press(alice, given, "preview")
    link = f"http://testserver/i/{Assessor.objects.order_by('pk').first().reference}/"
    assert f"To {ADA} Subject Invitation to judge" in text(shown)
    assert "Hello Ada Lovelace," in text(shown)
    assert link in text(shown)
    assert not Mail.objects.exists()
    again = form_of(shown)
    press(alice, again, "send")
    press(alice, again, "send")
    assert mails.send_due() == 2
    assert mails.send_due() == 0
    assert link in office.mails[0][1].get_payload(decode=True).decode()
    page = text(alice.get(ADDRESS))
    assert re.search(r"1\. Invitation, \S+ \w+ \d+, \d\d:\d\d UTC ?: 2 sent", page)
    assert re.search(rf"{ADA} 1 · Ada Lovelace 1\. Invitation: Sent, \d", page)
    assert [a.what for a in Action.objects.filter(what__in=["addresses", "mailed"]).order_by("pk")] == [
        "addresses",
        "mailed",
    ]


def test_nothing_is_sent_that_was_not_seen_like_that(alice, study, office):
    load(study, ADA)
    given = form_of(press(alice, form_of(alice.get(ADDRESS)), "preview"))
    changed = press(alice, given, "send", text="Other words: {link}")
    assert "Nothing was sent: the mail, or to whom it goes, is not what you saw." in text(changed)
    load(study, BOB)
    assert "Nothing was sent" in text(press(alice, given, "send"))
    assert "Nothing was sent" in text(press(alice, given, "send", seen=""))
    assert not Mailing.objects.exists()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (
            {"people": f"{ADA}\nnobody\n{ADA}"},
            ["Line 2: “nobody” is no e-mail address.", "Line 3: the address of line 1"],
        ),
        ({}, ["There is no address in it"]),
        (
            {"file": SimpleUploadedFile("list.csv", b"email\n\xff\n")},
            ["list.csv, line 2: not UTF-8: byte 0xff"],
        ),
        (
            {"file": SimpleUploadedFile("list.xlsx", workbook(A=[["email"], [ADA], ["nobody"]]))},
            ["Line 3: “nobody” is no e-mail address."],
        ),
        (
            {"people": ADA, "file": SimpleUploadedFile("list.csv", b"x@example.org")},
            ["lines or a file, not both"],
        ),
    ],
)
def test_of_a_bad_list_nothing_is_kept_and_all_is_said(alice, study, given, says):
    page = text(alice.post(f"{ADDRESS}load/", given))
    for one in says:
        assert one in page
    assert not Assessor.objects.exists()
    assert not Address.objects.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("list.csv", f"\ufeffemail;name\n{ADA};Ada\n{BOB};Bob\n".encode()),
        ("list.txt", f"\ufeffemail\tname\r\n{ADA}\tAda\r\n{BOB}\tBob\r\n".encode("utf-16-le")),
        ("list.xlsx", workbook(Sheet1=[["Email", "Name"], [ADA, "Ada"], [BOB, "Bob"]])),
    ],
)
def test_a_file_is_read_and_said_what_became_of_it(alice, study, name, content):
    load(study, ADA)
    file = SimpleUploadedFile(name, content)
    page = alice.post(f"{ADDRESS}load/", {"file": file}, follow=True).content.decode()
    assert "1 person added. 1 address known before, left as it was. No mail was sent so far." in page
    assert Address.objects.count() == 2


def test_a_letter_that_would_go_wrong_is_refused_with_its_reason(alice, study, office):
    load(study, ADA)
    given = form_of(alice.get(ADDRESS))
    assert "Without {link} in the text nobody could come." in text(
        press(alice, given, "preview", text="Come!")
    )
    assert "{nam} would stay as it is." in text(press(alice, given, "preview", subject="Dear {nam}"))


def test_an_account_sends_so_many_mails_a_day_in_all_its_studies(alice, study, office, settings):
    settings.MAILS_A_DAY = 2
    alice.post(f"{ADDRESS}load/", {"people": f"{ADA}\n{BOB}"})
    shown = press(alice, form_of(alice.get(ADDRESS)), "preview")
    assert "2 mails on the way" in text(press(alice, form_of(shown), "send", follow=True))
    alice.post(f"{ADDRESS}load/", {"people": "third@example.com"})
    shown = press(alice, form_of(alice.get(ADDRESS)), "preview")
    said = text(press(alice, form_of(shown), "send", follow=True))
    assert "You have sent 2, and this would be 1 more" in said
    assert Mail.objects.count() == 2
    call_command("invite", study.slug, "send")
    assert Mail.objects.count() == 3


def test_what_was_refused_is_shown_with_the_reason_and_sent_again_when_asked(alice, study, office):
    load(study, ADA)
    office.refused[ADA] = "550 no such user"
    press(alice, form_of(press(alice, form_of(alice.get(ADDRESS)), "preview")), "send")
    mails.send_due()
    assert "1. Invitation: Not sent," in text(alice.get(ADDRESS))
    assert "550 no such user" in text(alice.get(ADDRESS))
    office.refused.clear()
    alice.post(f"{ADDRESS}again/", {"mail": Mail.objects.get().pk})
    mails.send_due()
    assert states() == {ADA: "sent"}
    alice.post(f"{ADDRESS}again/", {"mail": Mail.objects.get().pk})
    mails.send_due()
    assert office.to == [ADA]


def test_addresses_are_deleted_one_by_one_or_all_for_those_who_are_sure(alice, study):
    load(study, ADA, BOB, "cleo@example.com")
    alice.post(f"{ADDRESS}forget/", {"address": Address.objects.order_by("pk").first().pk})
    assert ADA not in text(alice.get(ADDRESS))
    alice.post(f"{ADDRESS}forget/", {"address": "all"})
    assert Address.objects.filter(deleted_at=None).count() == 2
    alice.post(f"{ADDRESS}forget/", {"address": "all", "sure": "yes"})
    assert not Address.objects.filter(deleted_at=None).exists()
    assert Assessor.objects.count() == 3


def test_another_studys_mails_and_addresses_are_out_of_reach(alice, study, office):
    other = make_study(slug="other", pairs=10)
    load(other, ADA)
    alice.post(f"{ADDRESS}forget/", {"address": Address.objects.get().pk})
    alice.post(f"{ADDRESS}forget/", {"address": "²"})
    alice.post(f"{ADDRESS}again/", {"mail": "9" * 30})
    assert Address.objects.get().deleted_at is None
    assert ADA not in text(alice.get(ADDRESS))


def test_the_page_says_plainly_where_mails_go(alice, study, office, settings):
    load(study, ADA)
    assert "come from Garden Lab" in text(alice.get(ADDRESS))
    settings.DEFAULT_FROM_EMAIL = ""
    assert "No mail can be sent:" in text(alice.get(ADDRESS))
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    assert "Nobody gets these mails:" in text(alice.get(ADDRESS))


def test_the_file_of_links_has_names_and_addresses_of_those_who_have_one_and_the_trail_says_so(alice, study):
    load(study, f"Ada <{ADA}>")
    alice.post("/studies/garden/people/invite/", {"number": "", "labels": "Grace"})
    file = b"".join(alice.get("/studies/garden/people/invitations.csv")).decode()
    first, second = csv.DictReader(io.StringIO(file))
    assert (first["label"], first["name"], first["address"]) == ("Ada", "Ada", ADA)
    assert (second["label"], second["name"], second["address"]) == ("Grace", "", "")
    assert Action.objects.filter(what="saw mails", about="in the file of links").count() == 1


def test_who_looks_at_addresses_is_in_the_trail_once_an_hour(alice, study):
    load(study, ADA)
    alice.get(ADDRESS)
    alice.get(ADDRESS)
    assert Action.objects.filter(what="saw mails").count() == 1


def test_queries_do_not_grow_with_people_and_mails(alice, study, office):
    load(study, ADA)
    alice.get(ADDRESS)
    few = queries(alice, ADDRESS)
    load(study, *[f"p{n}@example.org" for n in range(30)])
    press(alice, form_of(press(alice, form_of(alice.get(ADDRESS)), "preview")), "send")
    assert queries(alice, ADDRESS) <= few + 1 <= 19
