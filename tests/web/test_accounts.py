"""Accounts: who may make and change which, and how passwords are chosen; by page and by command.

Olga has the right to make accounts and organizes the study Garden, in which Bob is a coordinator.
"""

import io
import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.management import CommandError, call_command
from django.test import Client

from collection import accounts
from collection.accounts import Rights
from collection.models import Membership, Study
from tests.judging.organizing import account, logged_in, queries
from tests.judging.test_studies_pages import text

pytestmark = pytest.mark.django_db
PASSWORD, OTHER = "correct horse battery", "purple staple engine"
ACTIONS = ("rename", "rights", "reset", "disable", "enable")


@pytest.fixture(autouse=True)
def _quick_hashes(settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def garden():
    study = Study.objects.create(name="Garden", slug="garden")
    for name, role in (("olga", "organizer"), ("bob", "coordinator")):
        Membership.objects.create(study=study, user=account(name), role=role)
    return study


@pytest.fixture
def olga(garden):
    accounts.set_rights(account("olga").pk, Rights(make_accounts=True))
    return logged_in("olga")


@pytest.fixture
def bob(garden):
    """Bob's account, with a password."""
    return accounts.set_password(account("bob").pk, PASSWORD)


@pytest.fixture
def root():
    return logged_in("root", is_superuser=True)


def page_of(user: User, action: str = "") -> str:
    return f"/accounts/{user.pk}/{action + '/' if action else ''}"


def link_in(response) -> str:
    """The path of the one link that a page shows."""
    (link,) = re.findall(r'value="http://testserver(/choose-password/[^"]+)"', response.content.decode())
    return link


def choose(link: str, password: str = PASSWORD, again: str | None = None, client: Client | None = None):
    """Open a link as its owner does, and send the form; the last answer."""
    client = client or Client()
    shown = client.get(link, follow=True)
    form = {"new_password1": password, "new_password2": password if again is None else again}
    return client.post(shown.request["PATH_INFO"], form, follow=True)


def can_log_in(name: str, password: str) -> bool:
    return Client().post("/login/", {"username": name, "password": password}).status_code == 302


def is_logged_in(client: Client) -> bool:
    return client.get("/").status_code == 200


def run(*words: str) -> str:
    said = io.StringIO()
    call_command("account", *words, stdout=said)
    return said.getvalue()


# Who may


@pytest.mark.parametrize("address", ["/accounts/", "/accounts/new/", "/accounts/1/", "/accounts/1/reset/"])
def test_whoever_has_no_right_is_told_so_and_strangers_are_asked_to_log_in(garden, address):
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
    assert who not in text(olga.get("/accounts/"))


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
    assert "bob Never logged in · in 1 study" in page
    assert "dora Has yet to choose a password · in no study" in page
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
    assert queries(olga, "/accounts/") == few == 6
    assert "51 to 61 of 61" in text(olga.get("/accounts/?page=2"))


# Making


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
        ("x" * 151, "at most 150 characters"),
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


# Rights


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


# Links


def test_a_link_works_once(bob):
    path = choose_path(accounts.reset(bob.pk))
    choose(path)
    answer = choose(path, OTHER)
    assert answer.status_code == 404
    assert "This link does not work" in text(answer)
    assert can_log_in("bob", PASSWORD)


def choose_path(link: accounts.Link) -> str:
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
    ("password", "again", "sentence"),
    [
        ("short", "short", "at least 10 characters"),
        ("1234567890", "1234567890", "too common"),
        (PASSWORD, OTHER, "The two passwords are not the same."),
        ("", "", "Choose a password."),
    ],
)
def test_passwords_that_will_not_do_are_refused_beside_their_field(bob, password, again, sentence):
    path = choose_path(accounts.reset(bob.pk))
    answer = choose(path, password, again)
    assert sentence in text(answer)
    assert re.search(r'id="id_new_password\d_error"', answer.content.decode())
    assert not account("bob").has_usable_password()


def test_a_link_opened_by_somebody_else_says_whose_password_it_chooses(bob, olga):
    page = text(olga.get(choose_path(accounts.reset(bob.pk)), follow=True))
    assert "For the account bob" in page
    assert "You are logged in as olga, whose password stays as it is." in page


# Resetting, disabling, renaming


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


# One's own password


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


# The command


def test_the_command_makes_an_account_and_prints_its_link():
    said = run("make", "dora", "--may-make-accounts", "--address", "https://judge.example.org/")
    (link,) = re.findall(r"^https://judge\.example\.org(/choose-password/\S+)$", said, re.MULTILINE)
    choose(link)
    assert can_log_in("dora", PASSWORD)
    assert accounts.rights_of(account("dora")) == Rights(make_accounts=True)


def test_the_commands_link_is_at_the_trusted_origin(settings):
    settings.CSRF_TRUSTED_ORIGINS = ["https://judge.example.org"]
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
