"""Tokens of the HTTP API: how they are made, revoked and recognized.

A token is `faceoff_PREFIX_SECRET`: anyone who finds one in a file or a log knows what it is, and by the
prefix whose. The secret has 256 random bits, so that a plain hash of it cannot be guessed from; nobody can
read it from the database. A token never allows more than its account does: it is the account, with fewer
doors.
"""

import hmac
import re
import secrets
from collections.abc import Sequence
from datetime import timedelta
from hashlib import sha256

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from collection.models import ApiToken

MARK = "faceoff"
FORM = re.compile(rf"{MARK}_([0-9a-f]{{12}})_([A-Za-z0-9_-]{{43}})")
# Days after which a token ends: there is none without an end.
ENDS = (1, 7, 30, 90, 365)
# Of one account that work at once.
MOST = 20


class CannotMake(Exception):
    """A token was not made; the message is for the caller."""


@transaction.atomic
def make(account: User, name: str, scopes: Sequence[str], days: int) -> tuple[ApiToken, str]:
    """Make a token of an account that works for so many days; return it, and what its owner is shown once.

    Raises CannotMake for no scope or an unknown one, another end than one of ENDS, and beyond MOST tokens.
    """
    if not scopes or not set(scopes) <= set(ApiToken.Scope.values):
        raise CannotMake("Choose what the token is for.")
    if days not in ENDS:
        raise CannotMake("Choose when the token ends.")
    # Locked, so that two forms sent at once do not make one too many.
    User.objects.select_for_update(no_key=True).get(pk=account.pk)
    if ApiToken.objects.alive().filter(account=account).count() >= MOST:
        raise CannotMake(f"You have {MOST} tokens that work. Revoke one that you do not need.")
    prefix, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
    row = ApiToken.objects.create(
        account=account,
        name=name,
        prefix=prefix,
        digest=_digest(secret),
        scopes=[scope for scope in ApiToken.Scope.values if scope in scopes],
        expires_at=timezone.now() + timedelta(days=days),
    )
    return row, f"{MARK}_{prefix}_{secret}"


def own(account: User) -> list[ApiToken]:
    """Valid tokens of an account, newest first."""
    return list(ApiToken.objects.alive().filter(account=account).order_by("-pk"))


def revoke(account: User, token_id: int) -> bool:
    """Revoke a token of an account; return False if it has none with this id. May be repeated."""
    rows = ApiToken.objects.filter(account=account, pk=token_id)
    rows.filter(revoked_at=None).update(revoked_at=timezone.now())
    return rows.exists()


def revoke_all(account: User) -> None:
    """Revoke all tokens of an account, because it was disabled or its password removed."""
    ApiToken.objects.filter(account=account, revoked_at=None).update(revoked_at=timezone.now())


def recognized(text: str) -> ApiToken | None:
    """The token of a request with its account, marked as used today; None unless it is valid."""
    parts = FORM.fullmatch(text)
    if parts is None:
        return None
    found = ApiToken.objects.alive().filter(prefix=parts[1], account__is_active=True)
    token = found.select_related("account").first()
    if token is None or not hmac.compare_digest(token.digest, _digest(parts[2])):
        return None
    today = timezone.now().date()
    if token.last_used_on != today:
        rows = ApiToken.objects.filter(~Q(last_used_on=today) | Q(last_used_on=None), pk=token.pk)
        rows.update(last_used_on=today)
    return token


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
