"""Resetting, disabling and renaming accounts, and changing one's own password."""

import pytest
from django.test import Client

from collection.credentials import accounts
from tests.judging.organizing import account, logged_in, text
from tests.web.visiting import OTHER, PASSWORD, can_log_in, choose, is_logged_in, link_in, page_of

pytestmark = pytest.mark.django_db


def test_a_reset_ends_the_old_password_and_the_sessions_and_gives_a_link(olga, bob):
    browser = logged_in("bob")
    path = link_in(olga.post(page_of(bob, "reset")))
    assert not can_log_in("bob", PASSWORD)
    assert not is_logged_in(browser)
    choose(path, OTHER)
    assert can_log_in("bob", OTHER)


def test_a_disabled_account_is_logged_out_at_once_and_cannot_log_in(olga, bob):
    browser = logged_in("bob")
    assert is_logged_in(browser)
    page = text(olga.post(page_of(bob, "disable"), follow=True))
    assert "bob is disabled" in page
    assert not is_logged_in(browser)
    assert not can_log_in("bob", PASSWORD)


def test_a_disabled_account_meets_the_sentence_of_a_wrong_password(bob):
    def said(name):
        return text(Client().post("/login/", {"username": name, "password": PASSWORD}))

    accounts.disable(bob.pk)
    assert said("bob") == said("nobody").replace("nobody", "bob")


def test_an_enabled_account_logs_in_with_its_password_and_old_sessions_stay_ended(olga, bob):
    browser, others = logged_in("bob"), logged_in("charlie")
    olga.post(page_of(bob, "disable"))
    olga.post(page_of(bob, "enable"))
    assert can_log_in("bob", PASSWORD)
    assert not is_logged_in(browser)
    assert is_logged_in(others)


def test_a_disabled_account_gets_no_link(olga, bob):
    accounts.disable(bob.pk)
    assert "Enable it first" in text(olga.post(page_of(bob, "reset"), follow=True))
    assert can_log_in("bob", PASSWORD) is False
    assert account("bob").has_usable_password()


def test_a_renamed_account_keeps_its_password_its_sessions_and_its_part_in_studies(olga, bob, garden):
    browser = logged_in("bob")
    olga.post(page_of(bob, "rename"), {"username": "robert"})
    assert can_log_in("robert", PASSWORD)
    assert not can_log_in("bob", PASSWORD)
    assert browser.get("/studies/garden/").status_code == 200
    assert garden.members.get(user=bob).role == "coordinator"


def test_an_account_may_change_the_capitals_of_its_name(bob):
    assert accounts.rename(bob.pk, "Bob").username == "Bob"


def change(client: Client, old: str = PASSWORD, new: str = OTHER):
    form = {"old_password": old, "new_password1": new, "new_password2": new}
    return client.post("/account/", form, follow=True)


def test_ones_own_password_is_changed_and_only_other_sessions_end(bob):
    here, elsewhere = logged_in("bob"), logged_in("bob")
    assert "Your password is changed, and you are logged out everywhere else." in text(change(here))
    assert is_logged_in(here)
    assert not is_logged_in(elsewhere)
    assert can_log_in("bob", OTHER)
    assert not can_log_in("bob", PASSWORD)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (OTHER, OTHER, "This is not your present password."),
        (PASSWORD, "short", "at least 10 characters"),
        (PASSWORD, "1234567890", "too common"),
    ],
)
def test_ones_own_password_is_not_changed_by_a_form_with_errors(bob, old, new, sentence):
    browser = logged_in("bob")
    assert sentence in text(change(browser, old, new))
    assert can_log_in("bob", PASSWORD)


def test_a_stranger_has_no_account_page():
    assert Client().get("/account/")["Location"].startswith("/login/")


def test_every_page_leads_to_ones_own_account(bob):
    assert 'href="/account/"' in logged_in("bob").get("/").content.decode()


def test_ones_account_page_says_what_one_may_do(olga, root, bob):
    assert "Accounts of other people" in text(olga.get("/account/"))
    assert "As a superuser you see every study" in text(root.get("/account/"))
    assert "may make" not in text(logged_in("bob").get("/account/"))
