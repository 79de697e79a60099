"""The pages about accounts in Chromium: a colleague is let in with the keyboard alone; axe at both widths."""

import pytest
from django.contrib.auth.models import User
from playwright.sync_api import expect

from collection.credentials import accounts
from collection.credentials.accounts import Rights
from collection.models import Membership, Study
from tests.browser.accessibility import assert_accessible
from tests.browser.navigation import follow

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PASSWORD = "a long password"


@pytest.fixture
def olga():
    """She may make studies and accounts, and organizes the study Garden, in which Bob is a coordinator."""
    link = accounts.make_account("olga", Rights(make_studies=True, make_accounts=True))
    accounts.set_password(link.account.pk, PASSWORD)
    garden = Study.objects.create(name="Garden", slug="garden")
    Membership.objects.create(study=garden, user=link.account, role=Membership.Role.ORGANIZER)
    bob = accounts.make_account("bob").account
    accounts.set_password(bob.pk, PASSWORD)
    Membership.objects.create(study=garden, user=bob, role=Membership.Role.COORDINATOR)
    return link.account


def log_in(page, live_server, name):
    page.goto(f"{live_server.url}/login/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Studies")).to_be_visible()


def make_dora(page, live_server) -> str:
    """Make an account from the study's page; the link that is shown."""
    page.goto(f"{live_server.url}/studies/garden/people/")
    page.get_by_role("heading", name="People with accounts").click()
    follow(page.get_by_role("link", name="Make an account"), key="Enter")
    page.get_by_label("Username").focus()
    page.keyboard.type("dora")
    page.keyboard.press("Enter")
    expect(page.get_by_text("as coordinator of Garden")).to_be_visible()
    return page.get_by_label("Link for dora").input_value()


def test_a_colleague_is_let_in_by_a_link(page, live_server, olga, browser):
    """In a browser of their own, which checks where forms come from as the test client does not."""
    log_in(page, live_server, "olga")
    link = make_dora(page, live_server)
    context = browser.new_context()
    doras = context.new_page()
    doras.goto(link)
    assert link not in doras.url
    doras.get_by_label("New password", exact=True).focus()
    doras.keyboard.type(PASSWORD)
    doras.keyboard.press("Tab")
    doras.keyboard.type(PASSWORD)
    doras.keyboard.press("Enter")
    expect(doras.get_by_text("Log in as dora")).to_be_visible()
    log_in(doras, live_server, "dora")
    expect(doras.get_by_role("link", name="Garden")).to_be_visible()
    doras.goto(link)
    expect(doras.get_by_role("heading", name="This link does not work")).to_be_visible()
    context.close()


def test_the_pages_break_no_rule_of_accessibility_and_fit_their_window(page, live_server, olga):
    log_in(page, live_server, "olga")
    told = []
    page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)

    def look() -> None:
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert_accessible(page)

    bob = User.objects.get(username="bob")
    for address in ("/account/", "/accounts/", f"/accounts/{bob.pk}/", "/accounts/new/"):
        page.goto(f"{live_server.url}{address}")
        look()
    page.goto(f"{live_server.url}/accounts/new/?study=garden")
    page.get_by_role("button", name="Make the account").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look()
    link = make_dora(page, live_server)
    look()
    page.goto(link)
    look()
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("alert")).to_be_visible()
    look()
    assert told == []
    page.goto(f"{link}x/")
    look()
