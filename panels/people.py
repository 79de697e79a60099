"""People of panels: found again by a keyed hash of their id, which itself is stored encrypted."""

from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet

from collection import trail
from panels.models import Address, Person, Viewing
from panels.sealing import digest, seal, sealed_anew, unseal

PERMISSION = "panels.view_raw_ids"
AT_ONCE = 500


class WrongLastKey(Exception):
    """The last key is not the one by which people are found again."""


def person_for(panel: str, environment: str, raw: str) -> Person:
    """The person whom a panel knows by this id, made on first mention. One query if there is one."""
    about = {"panel": panel, "environment": environment, "digest": digest(panel, environment, raw)}
    return Person.objects.get_or_create(**about, defaults={"sealed": seal(raw)})[0]


def keep_again(person: Person, raw: str) -> None:
    """Store the panel's id of somebody who comes again after it was destroyed: without it they could
    neither be paid nor kept out. Nothing where it is still there.
    """
    again = {"sealed": seal(raw), "destroyed_at": None} if person.destroyed_at else {}
    if again and Person.objects.filter(pk=person.pk).exclude(destroyed_at=None).update(**again):
        person.refresh_from_db()


def look_up(panel: str, environment: str, raw: str) -> Person | None:
    """The person whom a panel knows by this id, if they ever came; destroyed ids are found too."""
    about = {"panel": panel, "environment": environment, "digest": digest(panel, environment, raw)}
    return Person.objects.filter(**about).first()


def raw(person: Person) -> str:
    """The panel's id of a person, "" once it was destroyed. Only for calls to that panel: `view` is for
    eyes.
    """
    return unseal(bytes(person.sealed)) if person.sealed else ""


def view(person: Person, by: AbstractBaseUser | None, why: str) -> str:
    """The panel's id of a person for somebody to read: that they looked is stored first, for good.

    by: an account, which needs the permission; None for the command line. Raises PermissionDenied, and
    ValueError without a reason. Call outside a transaction: one that is undone would take the row along.
    """
    if by is not None and not by.has_perm(PERMISSION):  # type: ignore[attr-defined]
        raise PermissionDenied("Panels' ids of people are shown to accounts with the permission for it.")
    why = " ".join(why.split())[:200]
    if not why:
        raise ValueError("say what the id is needed for")
    with trail.acting_as(by):
        Viewing.objects.create(person=person, by_id=by.pk if by else None, actor=trail.actor(), why=why)
    return raw(person)


def destroy(person: Person, at: datetime) -> bool:
    """Destroy the panel's id of a person; whether it was there. The keyed hash stays, and whatever hangs on
    it: who was kept out stays out.
    """
    return bool(Person.objects.filter(pk=person.pk, destroyed_at=None).update(sealed=b"", destroyed_at=at))


def rotate() -> tuple[int, int]:
    """Encrypt every id and address with the first key; how many of each. May run while people arrive, and
    again where it was interrupted. Raises `sealing.WrongKey` where one opens with none, and WrongLastKey.
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
