"""The page of one's own account: the e-mail address, and the sessions that are open."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from collection.credentials import sessions
from tests.judging.organizing import text

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough secret"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0"


@pytest.fixture(autouse=True)
def ada():
    return User.objects.create_user("ada", password=PASSWORD)


def log_in(agent: str, name: str = "ada") -> Client:
    client = Client(headers={"user-agent": agent})
    assert client.post("/login/", {"username": name, "password": PASSWORD}).status_code == 302
    return client


def test_the_address_of_notifications_is_changed_and_removed(ada):
    client = log_in(FIREFOX)
    page = client.post("/account/email/", {"email": "ada@"})
    assert "Give an address such as ada@example.org." in text(page)
    assert '<details class="fold wide" open>' in page.content.decode()
    assert "Notifications go to ada@example.org." in text(
        client.post("/account/email/", {"email": "ada@example.org"}, follow=True)
    )
    ada.refresh_from_db()
    assert ada.email == "ada@example.org"
    client.post("/account/email/", {"email": ""})
    ada.refresh_from_db()
    assert ada.email == ""


def test_open_sessions_are_listed_by_browser_and_all_others_ended_at_one_press():
    User.objects.create_user("bob", password=PASSWORD)
    here, there, other = log_in(FIREFOX), log_in(EDGE), log_in(EDGE, "bob")
    page = text(here.get("/account/"))
    assert "2 browsers" in page
    assert page.index("Firefox on Linux") < page.index(": this one") < page.index("Edge on Windows")
    assert "1 other session ended" in text(here.post("/account/sessions/end/", follow=True))
    assert "This browser alone" in text(here.get("/account/"))
    assert there.get("/account/").status_code == 302
    assert other.get("/account/").status_code == 200


def test_a_session_that_an_older_password_began_is_none(ada):
    here, _ = log_in(FIREFOX), log_in(EDGE)
    new = {f"new_password{n}": "another long secret" for n in (1, 2)}
    here.post("/account/", {"old_password": PASSWORD, **new})
    assert "This browser alone" in text(here.get("/account/"))


def test_strangers_change_nothing(ada):
    for address in ("/account/email/", "/account/sessions/end/"):
        assert Client().post(address, {"email": "eve@example.org"})["Location"].startswith("/login/")


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        (FIREFOX, "Firefox on Linux"),
        (EDGE, "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1", "Safari on iPhone"),
        ("curl/8.5", ""),
    ],
)
def test_a_browser_is_named_by_what_it_sends(agent, said):
    assert sessions.browser_of(agent) == said
