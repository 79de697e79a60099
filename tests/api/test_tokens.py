"""Tokens: made and revoked on their owner's page, shown once, stored hashed, held to a number of requests."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from collection.credentials import api_tokens
from collection.models import ApiToken
from tests.api.programs import Program, token_of
from tests.judging.organizing import account, logged_in, staff_of, text
from tests.makers import make_study
from web.api import authorization
from web.shared import throttles

pytestmark = pytest.mark.django_db
FORM = {"name": "Nightly runs", "scopes": ["load", "read"], "days": "7"}


@pytest.fixture
def study():
    return staff_of(make_study(topics=1))


@pytest.fixture
def alice(study):
    return logged_in("alice")


@pytest.fixture
def _same_minute(monkeypatch):
    """Time stands still for counting, so that no minute ends in a test."""
    monkeypatch.setattr(throttles.time, "time", lambda: 6_000_000.0)


def shown_in(response) -> str:
    (token,) = re.findall(r'value="(faceoff_[^"]+)"', response.content.decode())
    return token


def test_a_token_is_made_on_ones_page_and_works(alice, study):
    token = shown_in(alice.post("/account/tokens/", FORM))
    program = Program(token=token)
    assert [one["slug"] for one in program.ask("/studies")["studies"]] == [study.slug]
    row = ApiToken.objects.get()
    assert (row.account, row.scopes) == (account("alice"), ["read", "load"])
    assert timedelta(days=6.9) < row.expires_at - timezone.now() < timedelta(days=7)


def test_it_is_shown_once_and_its_secret_is_stored_nowhere(alice):
    token = shown_in(alice.post("/account/tokens/", FORM))
    secret = token.split("_", 2)[2]
    page = alice.get("/account/").content.decode()
    assert f"faceoff_{ApiToken.objects.get().prefix}" in page
    assert secret not in page
    for value in ApiToken.objects.values_list().get():
        assert secret not in str(value)


def test_its_day_of_use_is_noted_and_costs_one_row_a_day(alice, study):
    token = token_of("alice")
    program = Program(token=token)
    assert "never" in text(alice.get("/account/"))
    for expected in (1, 0):
        with CaptureQueriesContext(connection) as captured:
            program.ask("/studies")
        assert sum("UPDATE" in one["sql"] for one in captured) == expected
    assert ApiToken.objects.get().last_used_on == timezone.now().date()
    assert f"{timezone.now():%Y-%m-%d}" in text(alice.get("/account/"))


def test_it_is_revoked_on_ones_page_and_by_nobody_else(alice, study):
    program = Program(token=shown_in(alice.post("/account/tokens/", FORM)))
    address = f"/account/tokens/{ApiToken.objects.get().pk}/revoke/"
    assert logged_in("bob").post(address).status_code == 404
    assert alice.get(address).status_code == 405
    assert program.get("/api/v1/studies").status_code == 200
    assert "revoked" in text(alice.post(address, follow=True))
    assert program.get("/api/v1/studies").status_code == 401
    assert "no valid token" in text(alice.get("/account/"))


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": ""}, "Say what uses the token."),
        ({"scopes": []}, "Choose what the token is for."),
        ({"scopes": ["everything"]}, "“everything” is not offered"),
        ({"days": "100000"}, "is not offered. Choose from the list"),
    ],
)
def test_a_form_that_is_not_right_makes_no_token_and_says_why(alice, wrong, said):
    assert said in text(alice.post("/account/tokens/", FORM | wrong))
    assert not ApiToken.objects.exists()


def test_one_has_so_many_that_work_and_no_more(alice):
    for _ in range(api_tokens.MOST):
        token_of("alice")
    assert "Revoke one" in text(alice.post("/account/tokens/", FORM))
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(revoked_at=timezone.now())
    shown_in(alice.post("/account/tokens/", FORM))


@pytest.mark.parametrize(("scopes", "days"), [([], 7), (["all"], 7), (["read"], 0), (["read"], 3650)])
def test_no_other_door_makes_one_without_a_scope_or_an_end(scopes, days):
    with pytest.raises(api_tokens.CannotMake):
        api_tokens.make(account("alice"), "x", scopes, days)


def test_the_pages_are_ones_own_and_for_those_who_are_logged_in(client, alice):
    for address, part in (("/account/tokens/", "tokens"), ("/account/api/", "api")):
        assert client.get(address)["Location"].startswith("/login/")
        assert alice.get(address)["Location"] == f"/account/#{part}"
        assert f'id="{part}"' in alice.get("/account/").content.decode()
    token_of("bob")
    assert "no valid token" in text(alice.get("/account/"))


def test_the_page_of_routes_names_each(alice):
    from web.api.description import described

    page = text(alice.get("/account/"))
    assert all(path in page for path in described()["paths"])


@pytest.mark.usefixtures("_same_minute")
def test_beyond_so_many_requests_a_minute_an_account_waits_with_all_its_tokens(study, settings):
    settings.API_REQUESTS_A_MINUTE = 3
    one, other, bob = Program("alice"), Program("alice"), Program("bob")
    for program in (one, other, one):
        program.ask("/studies")
    response = other.get("/api/v1/studies")
    assert (response.status_code, response.json()["code"]) == (429, "too-often")
    assert response["Retry-After"] == "60"
    bob.ask("/studies")


@pytest.mark.usefixtures("_same_minute")
def test_somebody_who_repeats_a_wrong_token_is_held_up_before_the_database_is_asked_and_nobody_else(study):
    wrong = Program(token="faceoff_" + "0" * 12 + "_" + "A" * 43)
    for _ in range(30):
        assert wrong.get("/api/v1/studies").status_code == 401
    with CaptureQueriesContext(connection) as captured:
        response = wrong.get("/api/v1/studies")
    assert response.status_code == 429
    assert len(captured) == 0
    Program("alice").ask("/studies")


@pytest.mark.usefixtures("_same_minute")
def test_somebody_who_guesses_is_held_up_by_address(study, monkeypatch):
    monkeypatch.setattr(authorization, "WRONG_ANY", authorization.WRONG_ANY._replace(most=3))
    found = [Program(token=f"guess-{n}").get("/api/v1/studies").status_code for n in range(5)]
    assert found == [401, 401, 401, 429, 429]
    Program("alice").ask("/studies")  # from the same address
