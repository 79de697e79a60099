"""Pages that show panels' ids of people: with a permission and a reason, each time on record."""

import logging

import pytest
from django.contrib.auth.models import Permission
from django.utils import timezone

from panels.models import IdentityAccess
from panels.participants import people
from tests.judging.organizing import logged_in, staff_of, text
from tests.panels.campaigning import Sent, link_address, running

pytestmark = pytest.mark.django_db
SECRET = "5f0verysecretparticipant"


@pytest.fixture
def study(study):
    return staff_of(study)


@pytest.fixture
def assessor(study):
    """Somebody who came by a panel link and did a batch."""
    Sent(link_address(running(study), SECRET, "s1")).work()
    return study.assessors.get()


@pytest.fixture
def alice(study):
    user = study.members.get(user__username="alice").user
    user.user_permissions.add(Permission.objects.get(codename="view_raw_ids"))
    return logged_in("alice")


def address(assessor) -> str:
    return f"/studies/garden/people/{assessor.pk}/panel-id/"


def test_an_id_is_shown_only_with_a_reason_and_each_showing_is_listed(alice, assessor):
    assert SECRET not in alice.get(address(assessor)).content.decode()
    refused = alice.post(address(assessor), {"why": " "})
    assert SECRET not in refused.content.decode()
    assert "Correct this first" in refused.content.decode()
    assert not IdentityAccess.objects.exists()
    shown = alice.post(address(assessor), {"why": "they ask about their pay"})
    assert SECRET in shown.content.decode()
    assert shown["Cache-Control"].count("no-store") == 1
    assert IdentityAccess.objects.get().why == "they ask about their pay"
    for page in (address(assessor), "/studies/garden/people/panel-ids/"):
        told = text(alice.get(page))
        assert "they ask about their pay" in told
        assert "alice" in told
        assert SECRET not in told
    assert address(assessor) in alice.get(f"/studies/garden/people/{assessor.pk}/").content.decode()


def test_organizers_without_the_permission_are_told_so_and_see_no_way_there(study, assessor):
    alice = logged_in("alice")
    for page in (address(assessor), "/studies/garden/people/panel-ids/"):
        for reply in (alice.get(page), alice.post(page, {"why": "curious", "given": SECRET})):
            assert reply.status_code == 403
            assert "accounts with the permission" in text(reply)
    assert not IdentityAccess.objects.exists()
    assert "panel-id" not in alice.get(f"/studies/garden/people/{assessor.pk}/").content.decode()
    assert "panel-ids" not in alice.get("/studies/garden/people/").content.decode()


def test_somebody_is_found_by_the_id_that_they_name_and_the_search_is_on_record(alice, assessor, caplog):
    caplog.set_level(logging.DEBUG)
    page = "/studies/garden/people/panel-ids/"
    found = alice.post(page, {"given": f" {SECRET} "})
    assert f"/studies/garden/people/{assessor.pk}/" in found.content.decode()
    assert IdentityAccess.objects.get().why == "looked for by this id"
    assert "Nobody of this study" in text(alice.post(page, {"given": "somebody-else"}))
    assert "Nobody of this study" in text(alice.post(page, {"given": SECRET.upper()}))
    assert IdentityAccess.objects.count() == 1
    assert SECRET not in caplog.text


def test_of_another_study_nobody_is_found(alice, assessor, study):
    people.person_for("link", "live", "elsewhere")
    assert "Nobody of this study" in text(
        alice.post("/studies/garden/people/panel-ids/", {"given": "elsewhere"})
    )


def test_destroyed_id_is_said_to_be_so_and_is_still_found(alice, assessor):
    person = next(iter(people.known_as(assessor.study)))
    people.destroy(person, timezone.now())
    assert "was destroyed" in text(alice.post(address(assessor), {"why": "they ask"}))
    found = alice.post("/studies/garden/people/panel-ids/", {"given": SECRET})
    assert f"/studies/garden/people/{assessor.pk}/" in found.content.decode()


def test_key_that_does_not_open_them_is_said_on_the_page(alice, assessor, settings):
    settings.PANEL_ID_KEYS = ["another key that is long enough to be one"]
    reply = alice.post(address(assessor), {"why": "they ask"})
    assert reply.status_code == 200
    assert "key" in text(reply)
    assert SECRET not in reply.content.decode()


def test_somebody_who_came_by_no_panel_has_no_id(alice, study):
    from tests.makers import invite

    assessor = invite(study)
    reply = alice.get(address(assessor), follow=True)
    assert "No panel has an id for them" in text(reply)
