"""The list of studies in Chromium: narrowed while one types, folded studies too."""

import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import expect

from collection.study import lifecycle
from tests.judging.organizing import account, staff_of
from tests.makers import make_study, open_study

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


def test_typing_narrows_the_list_and_opens_the_fold_of_what_is_found(page, live_server):
    for word in ("one", "two", "three", "four", "five", "six", "seven", "eight"):
        staff_of(make_study(name=f"Draft {word}"))
    over = open_study(staff_of(make_study(name="Harvest of last year")))
    lifecycle.close(over.pk)
    client = Client()
    client.force_login(account("alice"))
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies(
        [{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": live_server.url}]
    )
    page.goto(live_server.url)
    drafts, ended = page.get_by_role("link", name="Draft "), page.get_by_role("link", name="Harvest")
    expect(drafts).to_have_count(8)
    expect(ended).to_be_hidden()
    field = page.get_by_label("Find a study")
    field.press_sequentially("year harv")
    expect(ended).to_be_visible()
    expect(drafts).to_have_count(0)
    expect(page.get_by_role("heading", name="Drafts")).to_be_hidden()
    field.fill("draft three")
    expect(drafts).to_have_count(1)
    expect(ended).to_be_hidden()
