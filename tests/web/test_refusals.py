"""Pages instead of one that cannot be shown: each says why and leads on, from one template."""

import pytest
from django.test import Client, RequestFactory

from tests.ground import ROOT
from web.shared import refusals


@pytest.mark.django_db
def test_every_refusal_says_why_and_leads_on():
    request = RequestFactory().post("/login/")
    shown = {
        404: Client().get("/no-such-page/"),
        403: Client(enforce_csrf_checks=True).post("/login/"),
        500: refusals.broken(request),
    }
    for status, response in shown.items():
        said = response.content.decode()
        assert response.status_code == status
        assert "verdict open" in said
        assert 'href="/">Go to your studies</a>' in said
    assert "log in first" in shown[404].content.decode()


@pytest.mark.parametrize(
    ("reason", "said"), [("Origin checking failed", "does not trust"), ("CSRF token missing", "too old")]
)
def test_a_refused_form_is_told_whether_the_address_or_its_age_is_why(rf, reason, said):
    request = rf.post("/")
    request.user = None
    assert said in refusals.form_refused(request, reason).content.decode()


def test_kinds_of_page_are_few():
    pages = [path for path in ROOT.glob("templates/**/*.html") if "{% extends" in path.read_text()]
    assert len(pages) <= 71
