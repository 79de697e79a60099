"""The page of notices: what is stored, shown once, tried, and seen by nobody else."""

import re

import pytest
from django.urls import reverse

from collection import notices
from collection.models import Watch
from tests.judging.organizing import account, logged_in, queries, staff_of, text
from tests.makers import make_study, open_study
from tests.web.receiving import bobs

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("to_this_machine")]


@pytest.fixture
def study():
    return staff_of(open_study(make_study(topics=2, items=3, slug="s", batch_challenges=0)))


def test_the_page_stores_what_is_wanted_and_shows_a_secret_once(study, receiver):
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    assert "You get no notifications of this study yet." in text(bob.get(address))
    form = {"do": "save", "topics": "on", "stalls": "on", "webhook": receiver.url, "email": ""}
    page = bob.post(address, form).content.decode()
    watch = Watch.objects.get()
    assert notices.secret_of(watch) in page
    assert "You are told by a webhook when topics end and judging stalls." in page
    assert notices.secret_of(watch) not in bob.get(address).content.decode()
    response = bob.post(address, form | {"mail": "on", "email": "bob@example.org"})
    assert response.status_code == 302
    page = bob.get(address).content.decode()
    assert notices.secret_of(Watch.objects.get()) not in page
    assert "You are told by e-mail and by a webhook when" in page
    assert account("bob").email == "bob@example.org"
    before = notices.secret_of(Watch.objects.get())
    page = bob.post(address, {"do": "secret"}).content.decode()
    after = notices.secret_of(Watch.objects.get())
    assert after != before
    assert after in page
    bob.post(address, form | {"webhook": receiver.url + "c"})
    assert notices.secret_of(Watch.objects.get()) not in (before, after)


def test_the_page_refuses_what_cannot_work(study, settings):
    settings.WEBHOOKS_TO_PRIVATE = False
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    for form, why in (
        ({"topics": "on"}, "Say how you want to be told"),
        ({"topics": "on", "mail": "on"}, "Give an address, or untick e-mail."),
        ({"topics": "on", "mail": "on", "email": "bob"}, "Enter an e-mail address, such as ada@example.org."),
        ({"webhook": "https://10.0.0.1/"}, "leads into the server’s own network"),
        ({"webhook": "http://example.org/"}, "has to begin with https://"),
    ):
        assert why in text(bob.post(address, {"do": "save", **form})), form
    assert not Watch.objects.exists()


def test_mail_cannot_be_chosen_where_the_server_sends_none(study, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    page = bob.get(address).content.decode()
    assert re.search('name="mail"[^>]* disabled', page)
    assert 'name="email"' not in page
    assert 'name="webhook"' in page
    form = {"do": "save", "topics": "on", "mail": "on", "email": "new@example.org"}
    assert "Say how you want to be told" in text(bob.post(address, form))
    assert not Watch.objects.exists()


def test_a_test_is_sent_and_only_so_often(study, receiver, monkeypatch):
    monkeypatch.setattr("web.coordinator.answers.notices.run_in_background", lambda job: job())
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "Nothing was sent: save that way first." in said
    bobs(study, topics=True, webhook=receiver.url)
    said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "A test is on its way." in said
    assert "Sent : 204 No Content" in said.replace("Sent:", "Sent :")
    assert receiver.bodies[0]["event"] == "test"
    for _ in range(5):
        said = text(bob.post(address, {"do": "test-webhook"}, follow=True))
    assert "five tests in ten minutes" in said
    assert len(receiver.got) == 5


def test_nobody_sees_what_others_are_told(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    notices.try_out(watch, "webhook")
    page = logged_in("alice").get(reverse("notices", args=["s"])).content.decode()
    assert receiver.url not in page
    assert "A test" not in text(logged_in("alice").get(reverse("notices", args=["s"])))


def test_queries_of_the_page_do_not_grow(study, receiver):
    watch = bobs(study, topics=True, webhook=receiver.url)
    bob, address = logged_in("bob"), reverse("notices", args=["s"])
    few = queries(bob, address)
    for _ in range(20):
        notices.try_out(watch, "webhook")
    assert queries(bob, address) == few <= 8
