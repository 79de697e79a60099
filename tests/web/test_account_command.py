"""`manage.py account`."""

import io
import re

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError

from collection.credentials import accounts
from collection.credentials.accounts import Rights
from tests.judging.organizing import account
from tests.web.visiting import OTHER, PASSWORD, can_log_in, choose, run

pytestmark = pytest.mark.django_db


def test_the_command_makes_an_account_and_prints_its_link():
    said = run("make", "dora", "--may-make-accounts", "--address", "https://judge.example.org/")
    (link,) = re.findall(r"^https://judge\.example\.org(/choose-password/\S+)$", said, re.MULTILINE)
    choose(link)
    assert can_log_in("dora", PASSWORD)
    assert accounts.rights_of(account("dora")) == Rights(make_accounts=True)


def test_the_commands_link_is_at_the_address_of_the_server(settings):
    settings.PUBLIC_URL = "https://judge.example.org"
    assert "\nhttps://judge.example.org/choose-password/" in run("make", "dora")


def test_the_command_takes_a_password_from_standard_input(monkeypatch, bob):
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    assert "choose-password" not in run("make", "dora", "--password")
    assert can_log_in("dora", PASSWORD)
    monkeypatch.setattr("sys.stdin", io.StringIO(OTHER))
    assert OTHER not in run("reset", "bob", "--password")
    assert can_log_in("bob", OTHER)


def test_a_password_that_will_not_do_makes_and_changes_nothing(monkeypatch, bob):
    for words in (("make", "dora", "--password"), ("reset", "bob", "--password")):
        monkeypatch.setattr("sys.stdin", io.StringIO("short\n"))
        with pytest.raises(CommandError, match="at least 10 characters"):
            run(*words)
    assert not User.objects.filter(username="dora").exists()
    assert can_log_in("bob", PASSWORD)


def test_the_command_renames_disables_enables_and_resets(bob):
    assert run("rename", "bob", "robert") == "bob is called robert now.\n"
    run("disable", "robert")
    assert not can_log_in("robert", PASSWORD)
    run("enable", "robert")
    assert can_log_in("robert", PASSWORD)
    assert "/choose-password/" in run("reset", "robert")
    assert not can_log_in("robert", PASSWORD)


def test_the_command_changes_the_rights_that_it_is_told_and_no_other(bob):
    run("rights", "bob", "--may-make-studies")
    assert run("rights", "bob", "--may-make-accounts") == "bob may make studies and accounts.\n"
    run("rights", "bob", "--no-may-make-studies")
    assert accounts.rights_of(account("bob")) == Rights(make_accounts=True)


def test_the_command_gives_and_takes_the_rights_about_panels(bob):
    said = run("rights", "bob", "--may-see-panel-ids", "--may-make-studies")
    assert said == "bob may make studies and see panels' ids of people.\n"
    assert account("bob").has_perm("panels.view_raw_ids")
    assert "may make studies and see panels' ids of people" in run("list")
    said = run("rights", "bob", "--may-publish-for-real")
    assert said.endswith("see panels' ids of people and publish for real people on Mechanical Turk.\n")
    assert account("bob").has_perm("panels.publish_for_real")
    run("rights", "bob", "--no-may-see-panel-ids", "--no-may-publish-for-real", "--no-may-make-studies")
    assert accounts.rights_of(account("bob")) == Rights()
    assert not account("bob").has_perm("panels.view_raw_ids")


def test_the_command_reaches_superusers(root):
    assert "/choose-password/" in run("reset", "root")
    with pytest.raises(CommandError, match="root is a superuser"):
        run("rights", "root", "--may-make-studies")


def test_the_command_lists_all_accounts(root, olga, bob):
    accounts.disable(bob.pk)
    accounts.make_account("dora")
    assert run("list").splitlines() == [
        "bob: disabled, in 1 study",
        "dora: has yet to choose a password, in 0 studies",
        "olga: may make accounts, in 1 study",
        "root: superuser, in 0 studies",
    ]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("disable", "nobody"), "No account is called 'nobody'."),
        (("make", "Bob"), "An account is called bob already."),
        (("rename", "bob", "olga"), "An account is called olga already."),
    ],
)
def test_the_command_says_what_is_wrong(garden, words, sentence):
    with pytest.raises(CommandError, match=re.escape(sentence)):
        run(*words)
