"""People of panels: their ids are stored encrypted, and found by a keyed hash."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from collection import audit_log
from collection.models import Study
from judging.models import Assessor
from panels.encryption import digest, seal, sealed_anew, unseal
from panels.models import Address, Entry, IdentityAccess, Person

PERMISSION = "panels.view_raw_ids"
NOT_ALLOWED = (
    "Panels' ids of people are shown to accounts with the permission for it. Somebody who has it and may "
    "make accounts gives it there, or the server's administrator: "
    "manage.py account rights NAME --may-see-panel-ids."
)
AT_ONCE = 500


class WrongLastKey(Exception):
    """The last key is not the one with which people's ids were hashed."""


def person_for(panel: str, environment: str, raw: str) -> Person:
    """Return the person whom a panel knows by this id; create them on first use."""
    about = {"panel": panel, "environment": environment, "digest": digest(panel, environment, raw)}
    return Person.objects.get_or_create(**about, defaults={"sealed": seal(raw)})[0]


def keep_again(person: Person, raw: str) -> None:
    """Store the panel's id of a returning person again if it was destroyed.

    Without it they could be neither paid nor excluded at the panel.
    """
    again = {"sealed": seal(raw), "destroyed_at": None} if person.destroyed_at else {}
    if again and Person.objects.filter(pk=person.pk).exclude(destroyed_at=None).update(**again):
        person.refresh_from_db()


def look_up(panel: str, environment: str, raw: str) -> Person | None:
    """Return the person whom a panel knows by this id, if they ever came; works for destroyed ids too."""
    about = {"panel": panel, "environment": environment, "digest": digest(panel, environment, raw)}
    return Person.objects.filter(**about).first()


def raw(person: Person) -> str:
    """Return the panel's id of a person, "" once destroyed. Only for calls to that panel.

    Use `view` to show an id to somebody.
    """
    return unseal(bytes(person.sealed)) if person.sealed else ""


def known_as(study: Study, assessor_id: int | None = None) -> dict[Person, Assessor]:
    """Return the panels' people of a study, each with their assessor; for one assessor, only that person."""
    entries = Entry.objects.filter(campaign__study=study).exclude(assessor=None)
    if assessor_id is not None:
        entries = entries.filter(assessor=assessor_id)
    came = entries.select_related("person", "assessor").order_by("pk")
    return {one.person: one.assessor for one in came if one.assessor is not None}


def showings(study: Study) -> QuerySet[IdentityAccess]:
    """Return the log of who was shown ids of people of this study, and why; newest first."""
    came = Entry.objects.filter(campaign__study=study).values("person")
    return IdentityAccess.objects.filter(person__in=came).order_by("-pk")


def find(study: Study, given: str, by: AbstractBaseUser) -> list[Assessor]:
    """Return the assessors of a study whom a panel knows by this id, for example after they wrote to us.

    Finds destroyed ids too. The search is logged like a showing. Raises PermissionDenied.
    """
    if not by.has_perm(PERMISSION):  # type: ignore[attr-defined]
        raise PermissionDenied(NOT_ALLOWED)
    worlds = study.campaigns.values_list("panel", "environment").distinct().order_by()
    persons = [look_up(panel, world, given) for panel, world in worlds]
    known = {person.pk: (person, assessor) for person, assessor in known_as(study).items()}
    found = [known[person.pk] for person in persons if person is not None and person.pk in known]
    with audit_log.acting_as(by):
        for person, _ in found:
            why = "looked for by this id"
            IdentityAccess.objects.create(person=person, by_id=by.pk, actor=audit_log.actor(), why=why)
    return [assessor for _, assessor in found]


def view(person: Person, by: AbstractBaseUser | None, why: str) -> str:
    """Return the panel's id of a person to show it; the showing is logged first, for good.

    by: an account, which needs the permission; None for the command line. Raises PermissionDenied, and
    ValueError without a reason. Call outside of a transaction, because a rollback would also remove the log
    row.
    """
    if by is not None and not by.has_perm(PERMISSION):  # type: ignore[attr-defined]
        raise PermissionDenied(NOT_ALLOWED)
    why = " ".join(why.split())[:200]
    if not why:
        raise ValueError("say what the id is needed for")
    with audit_log.acting_as(by):
        IdentityAccess.objects.create(
            person=person, by_id=by.pk if by else None, actor=audit_log.actor(), why=why
        )
    return raw(person)


def destroy(person: Person, at: datetime) -> bool:
    """Destroy the panel's id of a person; return True if it was there.

    The keyed hash stays, so an excluded person stays excluded.
    """
    return bool(Person.objects.filter(pk=person.pk, destroyed_at=None).update(sealed=b"", destroyed_at=at))


def rotate() -> tuple[int, int]:
    """Encrypt every id and address again with the first key; return how many of each.

    May run while people arrive, and again after an interruption. Raises `encryption.WrongKey` if no key
    decrypts a value, and WrongLastKey.
    """
    one = Person.objects.exclude(sealed=b"").order_by("pk").first()
    if one and digest(one.panel, one.environment, raw(one)) != one.digest:
        raise WrongLastKey(
            "The key by which people are found again is not the last of PANEL_ID_KEYS: put new ones in "
            "front. Until it is, nobody is known again, nor kept out. Nothing was changed."
        )
    return _rotated(Person.objects.all()), _rotated(Address.objects.all())


def _rotated(kept: QuerySet[Any]) -> int:
    done = last = 0
    while True:
        with transaction.atomic():
            rows = list(
                kept.select_for_update().filter(pk__gt=last).exclude(sealed=b"").order_by("pk")[:AT_ONCE]
            )
            for row in rows:
                row.sealed = sealed_anew(bytes(row.sealed))
            kept.bulk_update(rows, ["sealed"])
        if not rows:
            return done
        done, last = done + len(rows), rows[-1].pk
