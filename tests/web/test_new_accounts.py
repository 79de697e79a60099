"""Making accounts by page: names, the link, a part in a study."""

import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User

from collection.credentials import accounts
from collection.credentials.accounts import Rights
from collection.models import Membership, Study
from tests.judging.organizing import account, logged_in, text
from tests.web.visiting import PASSWORD, can_log_in, choose, link_in, page_of

pytestmark = pytest.mark.django_db


def test_a_new_account_chooses_its_password_by_a_link_and_logs_in(olga):
    made = olga.post("/accounts/new/", {"username": "dora"})
    assert not User.objects.get(username="dora").has_usable_password()
    assert "Log in as dora" in text(choose(link_in(made)))
    assert can_log_in("dora", PASSWORD)


def test_a_link_is_shown_once_and_kept_by_no_browser(olga):
    made = olga.post("/accounts/new/", {"username": "dora"})
    assert "no-store" in made["Cache-Control"]
    link = link_in(made)
    for address in ("/accounts/", page_of(account("dora"))):
        assert link not in olga.get(address).content.decode()


def test_the_page_says_until_when_the_link_works(olga, settings):
    settings.PASSWORD_RESET_TIMEOUT = 7200
    made = olga.post("/accounts/new/", {"username": "dora"}).content.decode()
    (until,) = re.findall(r'<time datetime="([^"]+)"', made)
    left = datetime.fromisoformat(until) - datetime.now().astimezone()
    assert timedelta(minutes=119) < left <= timedelta(hours=2)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("", "Give the account a name."),
        ("two words", "letters, digits and @ . + - _, and no spaces"),
        ("x" * 151, "write at most 150."),
        ("bob", "An account is called bob already."),
        ("BOB", "An account is called bob already."),
        ("ｂｏｂ", "An account is called bob already."),
    ],
)
def test_a_name_that_cannot_be_is_refused_beside_its_field(olga, name, sentence):
    before = User.objects.count()
    page = olga.post("/accounts/new/", {"username": name})
    assert sentence in text(page)
    assert 'id="id_username_error"' in page.content.decode()
    assert User.objects.count() == before
    page = olga.post(page_of(account("dora"), "rename"), {"username": name})
    assert sentence in text(page)
    assert 'id="id_username_error"' in page.content.decode()
    assert User.objects.filter(username="dora").exists()


@pytest.mark.parametrize("name", ["", "ｂｏｂ"])
def test_a_name_that_cannot_be_is_refused_by_the_service_too(garden, name):
    with pytest.raises(accounts.BadName):
        accounts.make_account(name)


def test_of_two_who_take_a_name_at_once_one_is_told(garden, monkeypatch):
    """The other took it after the check."""
    monkeypatch.setattr(accounts, "_checked", lambda name, account=None: name)
    with pytest.raises(accounts.BadName, match="An account is called bob already"):
        accounts.make_account("bob")


def test_from_a_studys_page_the_account_gets_its_part_in_it(olga, garden):
    assert "Part in Garden" in text(olga.get("/accounts/new/?study=garden"))
    olga.post("/accounts/new/?study=garden", {"username": "dora", "part": "organizer"})
    assert garden.members.get(user__username="dora").role == "organizer"
    olga.post("/accounts/new/?study=garden", {"username": "emil", "part": ""})
    assert not Membership.objects.filter(user__username="emil").exists()


@pytest.mark.parametrize("study", ["elsewhere", "no-such-study", "%00"])
def test_a_part_in_a_study_of_others_cannot_be_given(olga, study):
    Study.objects.create(name="Elsewhere", slug="elsewhere")
    for send in (olga.get, olga.post):
        answer = send(
            f"/accounts/new/?study={study}",
            {"username": "dora", "part": "organizer"} if send == olga.post else None,
        )
        assert answer.status_code == 404
    assert not User.objects.filter(username="dora").exists()


def test_a_coordinator_with_the_right_gives_no_part(olga, bob, garden):
    accounts.set_rights(bob.pk, Rights(make_accounts=True))
    assert logged_in("bob").post("/accounts/new/?study=garden", {"username": "dora"}).status_code == 403


def test_the_people_page_leads_to_a_new_account_those_who_may_make_one(olga, garden):
    Membership.objects.create(study=garden, user=account("alice"), role="organizer")
    assert "/accounts/new/?study=garden" in olga.get("/studies/garden/people/").content.decode()
    assert "/accounts/new/" not in logged_in("alice").get("/studies/garden/people/").content.decode()
