"""Logging in: how many guesses are taken from whom, and what is told to those who guess too often."""

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client, RequestFactory

from web.accounts import login
from web.shared import throttles

pytestmark = pytest.mark.django_db
PASSWORD = "a long enough secret"


@pytest.fixture(autouse=True)
def accounts(monkeypatch):
    """Ada and Grace; and time stands still, so that no window of counting ends in a test."""
    for name in ("ada", "grace"):
        User.objects.create_user(name, password=PASSWORD)
    monkeypatch.setattr(throttles.time, "time", lambda: 1_000_000.0)


def log_in(name="ada", password="wrong", address="192.0.2.1", **more):
    form = {"username": name, "password": password}
    return Client().post("/login/", form, REMOTE_ADDR=address, **more)


def test_after_ten_wrong_guesses_the_eleventh_is_not_looked_at(monkeypatch):
    assert [log_in().status_code for _ in range(10)] == [200] * 10
    monkeypatch.setattr(User, "check_password", lambda *_: pytest.fail("hashed"))
    page = log_in(password=PASSWORD)
    assert (page.status_code, page["Retry-After"]) == (429, "900")
    assert "Wait a quarter of an hour" in page.content.decode()
    assert log_in("ADA").status_code == 429  # another spelling is no other name


def test_after_a_failure_the_password_has_the_focus_and_without_a_name_the_name():
    for name, focused in (("ada", "password"), ("", "username")):
        [field] = re.findall("<input[^>]* autofocus[^>]*>", log_in(name).content.decode())
        assert f'name="{focused}"' in field


def test_guessing_locks_nobody_out_anywhere_else():
    for _ in range(11):
        log_in()
    assert log_in(password=PASSWORD, address="192.0.2.2").status_code == 302
    assert log_in("grace", PASSWORD).status_code == 302


def test_an_address_may_not_try_name_after_name():
    statuses = [log_in(f"name-{n}").status_code for n in range(51)]
    assert statuses == [200] * 50 + [429]
    assert log_in("grace", PASSWORD).status_code == 429
    assert log_in("grace", PASSWORD, "2001:db8::1").status_code == 302


def test_logging_in_forgets_the_guesses_before_it():
    for _ in range(3):
        assert [log_in().status_code for _ in range(9)] == [200] * 9
        assert log_in(password=PASSWORD).status_code == 302


def test_the_next_quarter_of_an_hour_begins_anew(monkeypatch):
    for _ in range(11):
        log_in()
    monkeypatch.setattr(throttles.time, "time", lambda: 1_000_000.0 + login.QUARTER)
    assert log_in(password=PASSWORD).status_code == 302


def test_only_two_passwords_are_hashed_at_once_and_who_comes_meanwhile_is_told():
    for _ in range(2):
        login._hashing.acquire()
    try:
        page = log_in(password=PASSWORD)
    finally:
        for _ in range(2):
            login._hashing.release()
    assert (page.status_code, page["Retry-After"]) == (429, "2")
    assert "Enter your name and password again" in page.content.decode()
    assert log_in(password=PASSWORD).status_code == 302


@pytest.mark.parametrize(
    ("proxies", "forwarded", "expected"),
    [
        (0, "198.51.100.7", "192.0.2.1"),  # nobody in front: the header is the sender's own
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "203.0.113.9, 198.51.100.7", "198.51.100.7"),  # what the sender wrote stands before
        (2, "203.0.113.9, 198.51.100.7, 10.0.0.1", "198.51.100.7"),
        (2, "198.51.100.7", "192.0.2.1"),  # not through both
        (1, "", "192.0.2.1"),
        (1, "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        (1, "not an address", "not an address"),
    ],
)
def test_the_address_is_the_one_that_the_outermost_proxy_saw(settings, proxies, forwarded, expected):
    settings.PROXIES = proxies
    request = RequestFactory().get("/", REMOTE_ADDR="192.0.2.1", HTTP_X_FORWARDED_FOR=forwarded)
    assert throttles.address_of(request) == expected


@pytest.mark.parametrize("address", ["/login/", "/studies/nowhere/", "/nothing-here", "/answer/"])
def test_every_page_tells_browsers_to_run_nothing_but_ours(address):
    assert "default-src 'self'" in Client().get(address)["Content-Security-Policy"]


def test_dead_tokens_of_the_api_do_not_make_guesses_forgotten():
    """Each of them is counted under a key of its own."""
    assert [log_in().status_code for _ in range(12)] == [200] * 10 + [429] * 2
    statuses = set()
    for number in range(320):
        bearer = f"Bearer faceoff_{number:08x}_{'0' * 43}"
        statuses.add(Client().get("/api/v1/studies", HTTP_AUTHORIZATION=bearer).status_code)
    assert statuses == {401}
    assert [log_in().status_code for _ in range(12)] == [429] * 12


def test_a_form_from_an_address_that_is_not_trusted_is_told_from_one_that_is_too_old():
    strict = Client(enforce_csrf_checks=True)
    elsewhere = strict.post("/login/", headers={"Origin": "https://judge.example.org"})
    old = strict.post("/login/")
    assert (elsewhere.status_code, old.status_code) == (403, 403)
    assert "CSRF_TRUSTED_ORIGINS" in elsewhere.content.decode()
    assert "too old" in old.content.decode()
    assert "CSRF_TRUSTED_ORIGINS" not in old.content.decode()
