"""Links by which people choose a password: once, not too old, and without a trace."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collection.credentials import accounts
from tests.judging.organizing import account, text
from tests.web.visiting import OTHER, PASSWORD, can_log_in, choose

pytestmark = pytest.mark.django_db


def test_a_link_works_once(bob):
    path = choose_path(accounts.reset(bob.pk))
    choose(path)
    answer = choose(path, OTHER)
    assert answer.status_code == 404
    assert "This link does not work" in text(answer)
    assert can_log_in("bob", PASSWORD)


def choose_path(link: accounts.PasswordLink) -> str:
    return f"/choose-password/{link.uid}/{link.token}/"


def test_two_who_open_a_link_at_once_choose_one_password(bob):
    """The second form was open already when the first was sent."""
    path = choose_path(accounts.reset(bob.pk))
    first, second = Client(), Client()
    forms = [browser.get(path, follow=True).request["PATH_INFO"] for browser in (first, second)]
    for browser, form, password in zip((first, second), forms, (PASSWORD, OTHER), strict=True):
        browser.post(form, {"new_password1": password, "new_password2": password})
    assert can_log_in("bob", PASSWORD)
    assert not can_log_in("bob", OTHER)


def test_a_link_that_was_used_between_check_and_choice_chooses_nothing(bob):
    link = accounts.reset(bob.pk)
    assert accounts.choose_password(bob.pk, link.token, PASSWORD)
    assert not accounts.choose_password(bob.pk, link.token, OTHER)
    assert can_log_in("bob", PASSWORD)


def test_a_newer_link_takes_the_place_of_an_earlier_one(bob):
    earlier, newer = (choose_path(accounts.reset(bob.pk)) for _ in range(2))
    assert Client().get(earlier).status_code == 404
    assert Client().get(newer).status_code == 302


def test_a_link_grows_too_old(bob, settings):
    path = choose_path(accounts.reset(bob.pk))
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert Client().get(path).status_code == 404


def test_links_of_disabled_accounts_are_dead_and_stay_so(bob):
    path = choose_path(accounts.reset(bob.pk))
    accounts.disable(bob.pk)
    assert Client().get(path).status_code == 404
    accounts.enable(bob.pk)
    assert Client().get(path).status_code == 404
    path = choose_path(accounts.reset(bob.pk))
    User.objects.filter(pk=bob.pk).update(is_active=False)  # by whatever way
    assert Client().get(path).status_code == 404


def test_a_form_opened_before_the_account_was_disabled_does_not_enable_it(bob):
    path = choose_path(accounts.reset(bob.pk))
    browser = Client()
    form = browser.get(path, follow=True).request["PATH_INFO"]
    accounts.disable(bob.pk)
    assert browser.post(form, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 404
    assert not account("bob").is_active


@pytest.mark.parametrize(
    "path", ["MQ/x-y", "!!/aaaaaa-" + "0" * 32, "OTk5OTk5OTk5OTk5OTk5OTk5OTk5/a-b", "MQ/set-password"]
)
def test_a_stranger_learns_nothing_from_made_up_links(garden, path):
    """An account that exists, one that cannot, and a form that no link led to: one answer."""

    def said(path):
        answer = Client().get(f"/choose-password/{path}/")
        return answer.status_code, text(answer)

    assert said(path) == said(f"Nzc3Nzc/aaaaaa-{'0' * 32}") == (404, said(path)[1])


def test_a_link_leaves_no_trace(bob):
    """Its address is sent nowhere and kept nowhere, and the form stands at one without the token."""
    link = accounts.reset(bob.pk)
    opened = Client().get(choose_path(link))
    assert opened["Referrer-Policy"] == "no-referrer"
    assert "no-store" in opened["Cache-Control"]
    assert link.token not in opened["Location"]
    form = Client().get(choose_path(link), follow=True)
    assert "no-store" in form["Cache-Control"]
    assert form["Referrer-Policy"] == "same-origin"
    assert link.token not in form.content.decode()
    assert Client().get(choose_path(link)[:-2] + "/")["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize(
    ("password", "again", "sentence", "field"),
    [
        ("short", "short", "at least 10 characters", 1),
        ("1234567890", "1234567890", "too common", 1),
        (PASSWORD, OTHER, "The two passwords are not the same.", 2),
        ("", "", "Choose a password.", 1),
    ],
)
def test_passwords_that_will_not_do_are_refused_beside_their_field(bob, password, again, sentence, field):
    path = choose_path(accounts.reset(bob.pk))
    answer = choose(path, password, again)
    assert sentence in text(answer)
    assert re.search(
        f'id="id_new_password{field}_error">{sentence if field == 2 else ""}', answer.content.decode()
    )
    # What is needed is said once.
    assert ("At least 10" in text(answer)) == (field == 2)
    assert not account("bob").has_usable_password()


def test_a_link_opened_by_somebody_else_says_whose_password_it_chooses(bob, olga):
    page = text(olga.get(choose_path(accounts.reset(bob.pk)), follow=True))
    assert "For the account bob" in page
    assert "You are logged in as olga, whose password stays as it is." in page
