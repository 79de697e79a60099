"""Erasure of panels' ids of people, some time after their campaigns were closed.

The keyed hash of an id stays, and with it the person's number here. So an excluded person stays excluded, and
a person who returns is recognized.
"""

from collections import Counter
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from collection import audit_log
from panels.models import Call, Campaign, Entry, IdentityAccess, PanelExclusion, Payment, Person
from panels.models.calls import UNSETTLED

AT_ONCE = 500


def due(now: datetime, days: int) -> QuerySet[Person]:
    """Return people whose id is no longer needed.

    Every campaign in which they have an entry was closed at least `days` days ago, they are owed nothing, and
    no call about them is unsettled.
    """
    latest = now - timedelta(days=days)
    theirs = Entry.objects.filter(person=OuterRef("pk"))
    needed = theirs.filter(
        ~Q(campaign__state=Campaign.State.CLOSED)
        | Q(campaign__closed_at=None)
        | Q(campaign__closed_at__gt=latest)
        | Q(payments__state__in=[Payment.State.DUE, Payment.State.REVIEW])
        | Q(calls__state__in=UNSETTLED)
    )
    telling = PanelExclusion.objects.filter(person=OuterRef("pk")).filter(
        Q(state__in=[PanelExclusion.State.DECIDED, PanelExclusion.State.LIFTING])
        | Exists(Call.objects.filter(exclusion=OuterRef("pk"), state__in=UNSETTLED))
    )
    kept = Person.objects.filter(destroyed_at=None, created_at__lte=latest).exclude(sealed=b"")
    return kept.exclude(Exists(needed)).exclude(Exists(telling))


def destroy_due(now: datetime | None = None, days: int | None = None) -> int:
    """Destroy the ids that are due, note it in the trail of each study, and return how many.

    days: PANEL_IDS_DAYS by default; 0 keeps the ids for good. Uses a transaction for each 500 people.
    """
    now, days = now or timezone.now(), settings.PANEL_IDS_DAYS if days is None else days
    destroyed = 0
    while days > 0:
        with transaction.atomic():
            chosen = list(due(now, days).order_by("pk").values_list("pk", flat=True)[:AT_ONCE])
            # A person who arrives meanwhile waits for the lock, or is excluded by the second query.
            list(Person.objects.select_for_update().filter(pk__in=chosen).order_by("pk"))
            found = list(due(now, days).filter(pk__in=chosen).values_list("pk", flat=True))
            if not found:
                break
            Person.objects.filter(pk__in=found).update(sealed=b"", destroyed_at=now)
            destroyed += len(found)
            came = Entry.objects.filter(person__in=found).values_list("campaign__study", "person").distinct()
            for study, number in Counter(study for study, _ in came.order_by()).items():
                audit_log.note(study, audit_log.What.FORGOT, about="ids of panels", after={"ids": number})
    return destroyed


def forget_strays(now: datetime | None = None) -> int:
    """Delete people without any entry or exclusion, once their studies are deleted; return how many.

    The log of who has seen their ids is deleted too. Call only inside the transaction in which
    `collection.study.study_deletion` allows deletion. People who arrived within the last day are kept,
    because their entry may be about to be created.
    """
    strays = Person.objects.filter(created_at__lt=(now or timezone.now()) - timedelta(days=1))
    strays = strays.exclude(Exists(Entry.objects.filter(person=OuterRef("pk"))))
    strays = strays.exclude(Exists(PanelExclusion.objects.filter(person=OuterRef("pk"))))
    found = list(strays.values_list("pk", flat=True))
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]
        IdentityAccess.objects.filter(person__in=some).delete()
        Person.objects.filter(pk__in=some).delete()
    return len(found)
