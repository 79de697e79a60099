"""Ids that panels have for people: encrypted, found again by a keyed hash, shown only with a row."""

import pytest
from cryptography.fernet import Fernet
from django.contrib.auth.models import Permission, User
from django.core.exceptions import ImproperlyConfigured, PermissionDenied
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from config import settings as configured
from judging.people import person_names
from panels.encryption import WrongKey, digest
from panels.models import Entry, IdentityAccess, Person
from panels.participants import people
from tests.judging.test_at_once import together
from tests.makers import invite, make_study
from tests.panels.campaigning import campaign_of

OLD, NEW = "an old key that is long enough to be one", "a newer key that is long enough to be one"
ANNA = ("mturk", "sandbox", "A1ANNAWORKER")


@pytest.mark.django_db
def test_a_person_is_one_for_a_panel_in_an_environment():
    anna = people.person_for(*ANNA)
    assert people.person_for(*ANNA) == anna == people.look_up(*ANNA)
    others = {people.person_for("mturk", "production", ANNA[2]), people.person_for("prolific", *ANNA[1:])}
    assert len({one.digest for one in others | {anna}}) == 3
    assert people.look_up("mturk", "sandbox", "A1NOBODY") is None
    assert people.raw(anna) == ANNA[2]


@pytest.mark.django_db
def test_the_database_holds_no_id_in_the_open():
    people.person_for(*ANNA)
    with connection.cursor() as cursor:
        cursor.execute("select * from panels_person")
        assert ANNA[2] not in repr(
            [bytes(one) if isinstance(one, memoryview) else one for row in cursor.fetchall() for one in row]
        )


@pytest.mark.services
@pytest.mark.django_db(transaction=True)
def test_all_who_name_a_new_person_at_once_get_the_same_one():
    found = together([lambda: people.person_for(*ANNA).pk] * 6)
    assert found == [Person.objects.get().pk] * 6


@pytest.mark.django_db
def test_who_looks_is_stored_before_they_see():
    anna = people.person_for(*ANNA)
    user = User.objects.create_user("ada")
    with pytest.raises(PermissionDenied):
        people.view(anna, user, "they ask about their pay")
    assert not IdentityAccess.objects.exists()
    user.user_permissions.add(Permission.objects.get(codename="view_raw_ids"))
    user = User.objects.get(pk=user.pk)
    with pytest.raises(ValueError, match="say what the id is needed for"):
        people.view(anna, user, " ")
    assert people.view(anna, user, "they ask  about their pay") == ANNA[2]
    row = IdentityAccess.objects.get()
    assert (row.person, row.by, row.actor, row.why) == (anna, user, "ada", "they ask about their pay")


@pytest.mark.django_db
def test_an_id_that_does_not_open_was_looked_for_all_the_same(settings):
    settings.PANEL_ID_KEYS = [OLD]
    anna = people.person_for(*ANNA)
    settings.PANEL_ID_KEYS = [NEW]
    with pytest.raises(WrongKey, match="put back the key"):
        people.view(anna, None, "an invoice")
    assert IdentityAccess.objects.get().actor.startswith("command line")


@pytest.mark.django_db
def test_a_new_key_in_front_opens_the_old_and_rotating_lets_the_old_one_go(settings, capsys):
    settings.PANEL_ID_KEYS = [OLD]
    anna = people.person_for(*ANNA)
    settings.PANEL_ID_KEYS = [NEW, OLD]
    # Found again, since the last key made the hash.
    assert people.person_for(*ANNA) == anna
    assert people.raw(anna) == ANNA[2]
    before = bytes(anna.sealed)
    call_command("rotateids")
    assert "1 id" in capsys.readouterr().out
    anna.refresh_from_db()
    assert bytes(anna.sealed) != before
    settings.PANEL_ID_KEYS = [NEW]
    assert people.raw(anna) == ANNA[2]
    settings.PANEL_ID_KEYS = [OLD]
    with pytest.raises(WrongKey):
        people.raw(anna)


@pytest.mark.django_db
def test_rotating_says_when_a_key_is_missing_or_the_last_one_is_another(settings):
    settings.PANEL_ID_KEYS = [OLD]
    people.person_for(*ANNA)
    settings.PANEL_ID_KEYS = [OLD, NEW]
    with pytest.raises(CommandError, match="not the last"):
        call_command("rotateids")
    settings.PANEL_ID_KEYS = [NEW]
    with pytest.raises(CommandError, match="opens with none of the keys"):
        call_command("rotateids")


@pytest.mark.django_db
def test_a_destroyed_id_is_gone_and_its_hash_still_finds_the_person():
    anna = people.person_for(*ANNA)
    assert people.destroy(anna, timezone.now())
    assert not people.destroy(anna, timezone.now())
    anna.refresh_from_db()
    assert (people.raw(anna), bytes(anna.sealed)) == ("", b"")
    assert people.person_for(*ANNA) == anna
    anna.refresh_from_db()
    assert bytes(anna.sealed) == b""


@pytest.mark.django_db
def test_ids_are_shown_by_command_with_a_reason_and_each_is_noted(capsys):
    study = make_study()
    with pytest.raises(CommandError, match="--why"):
        call_command("ids", study.slug)
    campaign, anna, assessor = campaign_of(study), people.person_for(*ANNA), invite(study)
    about = {"panel": "mturk", "environment": "sandbox", "outside": "3ASSIGNMENT"}
    now = timezone.now()
    Entry.objects.create(
        campaign=campaign, person=anna, assessor=assessor, arrived_at=now, deadline=now, **about
    )
    people.person_for("mturk", "sandbox", "A1OFANOTHERSTUDY")
    call_command("ids", study.slug, why="an invoice")
    name = f"local-{assessor.pk}"
    on_pages = person_names.name_of(assessor)
    assert capsys.readouterr().out == f"{name}\tmturk\tsandbox\t{ANNA[2]}\t{on_pages}\n"
    call_command("ids", study.slug, shown=True)
    told = capsys.readouterr().out.split("\t")
    assert (told[1], told[2][:12], *told[3:]) == (name, "command line", "an invoice", f"{on_pages}\n")
    assert IdentityAccess.objects.get().person == anna


def test_keys_are_read_from_the_environment_and_none_is_short(monkeypatch):
    monkeypatch.setenv("PANEL_ID_KEYS", f"{Fernet.generate_key().decode()}, {OLD}")
    assert configured.panel_id_keys()[1] == OLD
    monkeypatch.setenv("PANEL_ID_KEYS", f"{OLD},short")
    with pytest.raises(ImproperlyConfigured, match="32 characters"):
        configured.panel_id_keys()


def test_without_one_a_key_is_made_beside_the_data(monkeypatch, tmp_path):
    monkeypatch.setattr(configured, "DATA_DIR", tmp_path)
    monkeypatch.delenv("PANEL_ID_KEYS", raising=False)
    (key,) = configured.panel_id_keys()
    assert configured.panel_id_keys() == [key]
    assert (tmp_path / "panel-id-key").stat().st_mode & 0o777 == 0o600


def test_the_hash_needs_the_key(settings):
    settings.PANEL_ID_KEYS = [OLD]
    hashed = digest(*ANNA)
    settings.PANEL_ID_KEYS = [NEW]
    assert digest(*ANNA) != hashed
