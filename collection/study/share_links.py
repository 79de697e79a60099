"""Make and revoke links to a leaderboard."""

import secrets
from datetime import timedelta
from hashlib import sha256
from string import ascii_uppercase

from django.db import transaction
from django.utils import timezone

from collection import audit_log
from collection.models import Run, Share, Study

# Days after which a link ends: there is none without an end.
ENDS = (1, 7, 30, 90)


@transaction.atomic
def share(study: Study, *, blind: bool, days: int) -> tuple[Share, str]:
    """Make a link that is valid for so many days; return it and its secret, which is not stored.

    The secret has 256 random bits, so a plain hash of it cannot be guessed from.
    """
    secret, order = (
        secrets.token_urlsafe(32),
        list(Run.objects.filter(study=study).values_list("pk", flat=True)),
    )
    secrets.SystemRandom().shuffle(order)
    ends = timezone.now() + timedelta(days=days)
    made = Share.objects.create(
        study=study,
        digest=_digest(secret),
        blind=blind,
        order=order,
        made_by_id=audit_log.account_id(),
        ends_at=ends,
    )
    runs = "blind" if blind else "named"
    audit_log.note(
        study.pk,
        audit_log.What.SHARED,
        about=f"link {made.pk}",
        after={"runs": runs, "until": f"{ends:%F %R}"},
    )
    return made, secret


@transaction.atomic
def revoke(study: Study, key: int) -> bool:
    """Revoke a study's link at once; return False if it has no valid one with this id."""
    if not Share.objects.alive().filter(study=study, pk=key).update(revoked_at=timezone.now()):
        return False
    audit_log.note(study.pk, audit_log.What.UNSHARED, about=f"link {key}")
    return True


def revoke_those_of(study_id: int, user_id: int) -> int:
    """Revoke the links to a study that a person made; return how many were valid."""
    working = Share.objects.alive().filter(study=study_id, made_by=user_id)
    keys = list(working.values_list("pk", flat=True))
    working.update(revoked_at=timezone.now())
    for key in keys:
        audit_log.note(study_id, audit_log.What.UNSHARED, about=f"link {key}")
    return len(keys)


def found(secret: str) -> Share | None:
    """The valid link of a secret with its study, if its maker may still log in."""
    working = Share.objects.alive().filter(digest=_digest(secret), study__deleting_since=None)
    working = working.exclude(made_by__is_active=False)
    return working.select_related("study").first()


def labels(share: Share, runs: list[int]) -> dict[int, str]:
    """Labels of the runs in a blind link, by run id.

    Runs loaded after the link come last, in the order of a hash that only the link has.
    """
    there = set(runs)
    late = sorted(there - set(share.order), key=lambda run: sha256(f"{share.digest}:{run}".encode()).digest())
    order = [*share.order, *late]
    return {run: f"Run {_letters(n)}" for n, run in enumerate(order) if run in there}


def _letters(number: int) -> str:
    """A to Z, then AA, AB, ... like columns of a spreadsheet."""
    said, number = "", number + 1
    while number:
        number, rest = divmod(number - 1, 26)
        said = ascii_uppercase[rest] + said
    return said


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
