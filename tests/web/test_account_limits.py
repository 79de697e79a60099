"""Which accounts one may touch by page, and which rights one may give."""

import re

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.test import Client

from collection.credentials import accounts
from collection.credentials.accounts import Rights
from collection.models import Membership, Study
from tests.judging.organizing import account, logged_in, queries, text
from tests.web.visiting import is_logged_in, page_of

pytestmark = pytest.mark.django_db
ACTIONS = ("rename", "rights", "reset", "disable", "enable")


@pytest.mark.parametrize("address", ["/accounts/", "/accounts/new/", "/accounts/1/", "/accounts/1/reset/"])
def test_somebody_who_has_no_right_is_told_so_and_strangers_are_asked_to_log_in(garden, address):
    """Being staff is another right."""
    staff = logged_in("charlie", is_staff=True)
    assert (staff.get(address).status_code, staff.post(address).status_code) == (403, 403)
    assert Client().get(address)["Location"].startswith("/login/")
    assert Client().post(address)["Location"].startswith("/login/")


def test_both_permissions_together_are_the_right(garden):
    charlie = account("charlie")
    charlie.user_permissions.add(Permission.objects.get(codename="add_user"))
    assert logged_in("charlie").get("/accounts/").status_code == 403
    charlie.user_permissions.add(Permission.objects.get(codename="change_user"))
    assert logged_in("charlie").get("/accounts/").status_code == 200


def out_of_reach() -> dict[str, User]:
    """An account for each reason for which Olga, who is not staff, must not touch it."""
    elsewhere = Study.objects.create(name="Elsewhere", slug="elsewhere")
    watched = Study.objects.create(name="Watched", slug="watched")
    grouped = account("grouped")
    group = Group.objects.create(name="g")
    group.permissions.add(Permission.objects.get(codename="delete_user"))
    grouped.groups.add(group)
    able = account("able")
    able.user_permissions.add(Permission.objects.get(codename="delete_user"))
    Membership.objects.create(study=elsewhere, user=account("stranger"), role="coordinator")
    Membership.objects.create(study=watched, user=account("olga"), role="coordinator")
    Membership.objects.create(study=watched, user=account("colleague"), role="coordinator")
    return {
        "superuser": account("superuser", is_superuser=True),
        "staff": account("staff", is_staff=True),
        "able": able,
        "grouped": grouped,
        "stranger": account("stranger"),
        "colleague": account("colleague"),
    }


@pytest.mark.parametrize("who", ["superuser", "staff", "able", "grouped", "stranger", "colleague"])
def test_accounts_out_of_reach_do_not_exist(olga, who):
    """A superuser's, one that may do more, one with a part in a study of others."""
    theirs = out_of_reach()[who]
    before = User.objects.filter(pk=theirs.pk).values().get()
    assert olga.get(page_of(theirs)).status_code == 404
    for action in ACTIONS:
        assert olga.post(page_of(theirs, action), {"username": "mine"}).status_code == 404, action
    assert User.objects.filter(pk=theirs.pk).values().get() == before
    assert not re.search(rf"\b{who}\b", text(olga.get("/accounts/")))


def test_nobody_changes_their_own_account(olga):
    """Who disabled themselves could not undo it."""
    mine = account("olga")
    assert [olga.post(page_of(mine, action)).status_code for action in ACTIONS] == [404] * len(ACTIONS)
    assert is_logged_in(olga)
    assert "olga" not in text(olga.get("/accounts/"))


def test_an_account_that_is_out_of_reach_and_none_at_all_look_the_same(olga):
    def said(pk):
        return re.sub(r'value="\w{64}"', "", olga.get(f"/accounts/{pk}/").content.decode())

    assert said(account("root", is_superuser=True).pk) == said(10**15)


def test_who_takes_part_only_in_ones_own_studies_or_in_none_is_within_reach(olga):
    dora = accounts.make_account("dora").account
    page = text(olga.get("/accounts/"))
    assert "bob Never logged in 1" in page
    assert "dora Has yet to choose a password 0" in page
    assert olga.get(page_of(dora)).status_code == 200


def test_a_superuser_reaches_everybody_but_superusers(root, olga):
    for who, theirs in out_of_reach().items():
        assert root.get(page_of(theirs)).status_code == (404 if who == "superuser" else 200), who
    assert root.post(page_of(account("root"), "disable")).status_code == 404


def test_the_service_knows_the_limits_by_itself(garden):
    """A page that forgot to ask could still do no harm."""
    bob, charlie = account("bob"), account("charlie")
    Membership.objects.create(study=garden, user=charlie, role="organizer")
    with pytest.raises(User.DoesNotExist):
        accounts.disable(bob.pk, by=charlie)
    with pytest.raises(accounts.CannotChange):
        accounts.make_account("dora", by=charlie)


@pytest.mark.parametrize("action", ACTIONS)
def test_looking_changes_nothing(olga, action):
    assert olga.get(page_of(account("bob"), action)).status_code == 405


@pytest.mark.parametrize(
    "address", ["/accounts/new/", *(f"/accounts/1/{action}/" for action in ACTIONS), "/account/"]
)
def test_a_form_without_its_token_does_nothing(olga, address):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(account("olga"))
    assert browser.post(address, {"username": "dora"}).status_code == 403
    assert not User.objects.filter(username="dora").exists()


def test_the_list_takes_as_many_queries_however_long_it_is(olga):
    few = queries(olga, "/accounts/")
    for n in range(60):
        account(f"a{n:02}")
    assert queries(olga, "/accounts/") == few == 7
    assert "51 to 61 of 61" in text(olga.get("/accounts/?page=2"))


def test_nobody_gives_more_than_they_have(olga):
    """Olga does not make studies, so her pages neither offer nor take it."""
    assert "May make studies" not in text(olga.get("/accounts/new/"))
    olga.post("/accounts/new/", {"username": "dora", "make_studies": "on", "make_accounts": "on"})
    assert accounts.rights_of(account("dora")) == Rights(make_studies=False, make_accounts=True)
    olga.post(
        page_of(account("bob"), "rights"), {"make_studies": "on", "is_superuser": "on", "is_staff": "on"}
    )
    assert accounts.rights_of(account("bob")) == Rights()
    with pytest.raises(accounts.CannotChange):
        accounts.make_account("emil", Rights(make_studies=True), by=account("olga"))


def test_the_rights_about_panels_are_given_by_somebody_who_has_them(olga):
    bob = account("bob")
    ticked = {"see_panel_ids": "on", "publish_for_real": "on"}
    assert "panels' ids" not in text(olga.get(page_of(bob)))
    olga.post(page_of(bob, "rights"), ticked)
    assert accounts.rights_of(account("bob")) == Rights()
    accounts.set_rights(account("olga").pk, Rights(make_accounts=True, see_panel_ids=True))
    olga.post(page_of(bob, "rights"), ticked)
    assert accounts.rights_of(account("bob")) == Rights(see_panel_ids=True)
    assert "may see panels' ids" in text(olga.get(page_of(bob)))
    # Anyone who may not see them cannot get at the account of somebody who may.
    accounts.set_rights(account("olga").pk, Rights(make_accounts=True))
    assert olga.get(page_of(bob)).status_code == 404


def test_rights_are_given_and_taken(olga):
    User.objects.filter(username="olga").update(is_staff=True)
    bob = account("bob")
    olga.post(page_of(bob, "rights"), {"make_studies": "on", "make_accounts": "on"})
    assert logged_in("bob").get("/studies/new/").status_code == 200
    assert logged_in("bob").get("/accounts/").status_code == 200
    assert "may make studies and accounts" in text(olga.get(page_of(bob)))
    olga.post(page_of(bob, "rights"), {})
    assert logged_in("bob").get("/studies/new/").status_code == 403
    assert logged_in("bob").get("/accounts/").status_code == 403
