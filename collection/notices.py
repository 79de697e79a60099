"""Notices to members of a study: each event is recorded once, gathered into messages, and sent once.

    waiting -> sending -> sent | failed | waiting (later) | doubt (a mail whose sender died)
    waiting -> dropped (nobody to be told any more)

Every arrow is one conditional update, and no transaction is open while a server is asked. A webhook whose
sender died is posted again, with the same number; a mail is not, since it may have gone out.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from collection.models import Delivery, Event, Membership, NotificationLog, Study, Watch
from collection.models.notices import watch_salt
from collection.models.outgoing import OutgoingQuerySet

State, Way = Delivery.State, Delivery.Way
WAITING, SENDING = (State.WAITING,), (State.SENDING,)
TEST = "test"
# Events of a kind that follow each other closely come in one message, and the next one later.
APART = timedelta(minutes=10)
# Longer than sending takes at most: after it, its sender is taken for dead.
CLAIM = timedelta(minutes=3)
# Doubling from a minute to an hour: some eight hours, in which a server comes back.
MOST_ATTEMPTS = 13
AT_ONCE = 25
MAY_BE_TOLD = (Membership.Role.ORGANIZER, Membership.Role.COORDINATOR)


def record(study: Study, kind: str, happened: Mapping[str, dict[str, Any]]) -> int:
    """Record events by their keys, with their details; return how many are new.

    An event that is recorded already stays as it is, also under concurrency.
    """
    known = set(Event.objects.filter(study=study, kind=kind).values_list("key", flat=True))
    new = [
        Event(study=study, kind=kind, key=key, about=about)
        for key, about in happened.items()
        if key not in known
    ]
    Event.objects.bulk_create(new, ignore_conflicts=True, batch_size=500)
    return len(new)


def watched() -> QuerySet[Study]:
    """Studies with a member who wants notifications."""
    wanted = Watch.objects.filter(
        Q(topics=True) | Q(stalls=True) | Q(challenges=True) | Q(finished=True) | Q(money=True)
    )
    return Study.objects.filter(pk__in=wanted.values("study"))


def told_people(study: Study) -> QuerySet[Watch]:
    """Subscriptions of each person of a study who may still be notified."""
    part = Membership.objects.filter(study=study, role__in=MAY_BE_TOLD).values("user")
    may = Q(user__in=part) | Q(user__is_superuser=True)
    return Watch.objects.filter(may, study=study, user__is_active=True)


@transaction.atomic
def set_watch(study: Study, user_id: int, **wanted: Any) -> Watch:
    """Store somebody's subscription. Events that are recorded already are not sent to them.

    wanted: fields of Watch except `salt`.
    """
    Watch.objects.get_or_create(study=study, user_id=user_id)
    watch = Watch.objects.select_for_update().get(study=study, user_id=user_id)
    before = {(kind, way) for kind in watch.kinds for way in watch.ways}
    if wanted["webhook"] != watch.webhook:
        # Another address, another secret; and nothing that was meant for the old one goes there.
        watch.salt = watch_salt()
        _drop(watch.deliveries.filter(way=Way.WEBHOOK, state=State.WAITING), "The address was changed.")
    for name, value in wanted.items():
        setattr(watch, name, value)
    watch.save()
    for kind in watch.kinds:
        for way in watch.ways:
            if (kind, way) not in before:
                _leave_out(watch, kind, way)
    return watch


def secret_of(watch: Watch) -> str:
    """Secret that signs a webhook's bodies: 256 bits in hex, from the row and SECRET_KEY."""
    return salted_hmac("faceoff.webhook", f"{watch.pk}:{watch.salt}", algorithm="sha256").hexdigest()


def renew_secret(watch: Watch) -> Watch:
    """Give a webhook a new secret for future messages."""
    watch.salt = watch_salt()
    watch.save(update_fields=["salt"])
    return watch


def gather(study: Study) -> int:
    """Put events into messages for all subscribers; return how many messages.

    At most one message in APART for each person, kind and channel.
    """
    return sum(
        _gather(watch.pk, kind, way)
        for watch in told_people(study)
        for kind in watch.kinds
        for way in watch.ways
    )


@transaction.atomic
def _gather(watch_id: int, kind: str, way: str) -> bool:
    now = timezone.now()
    # Locked, so that of two processes the second finds the events told.
    watch = Watch.objects.select_for_update().filter(pk=watch_id).first()
    if watch is None or kind not in watch.kinds or way not in watch.ways:
        return False
    new = list(_untold(watch, kind, way))
    if not new or watch.deliveries.filter(kind=kind, way=way, created_at__gt=now - APART).exists():
        return False
    made = Delivery.objects.create(watch=watch, kind=kind, way=way, not_before=now, created_at=now)
    NotificationLog.objects.bulk_create(
        NotificationLog(watch=watch, way=way, event_id=pk, delivery=made) for pk in new
    )
    return True


def _untold(watch: Watch, kind: str, way: str) -> QuerySet[Event, int]:
    told = NotificationLog.objects.filter(watch=watch, way=way).values("event")
    found = Event.objects.filter(study=watch.study_id, kind=kind).exclude(pk__in=told)
    return found.order_by("pk").values_list("pk", flat=True)


def _leave_out(watch: Watch, kind: str, way: str) -> None:
    new = [NotificationLog(watch=watch, way=way, event_id=pk) for pk in _untold(watch, kind, way)]
    NotificationLog.objects.bulk_create(new, ignore_conflicts=True, batch_size=500)


def try_out(watch: Watch, way: str) -> Delivery:
    """Store a test message for a channel."""
    now = timezone.now()
    return Delivery.objects.create(watch=watch, kind=TEST, way=way, not_before=now, created_at=now)


def due() -> list[int]:
    """Keys of messages that can be sent now, or whose sender seems to have died."""
    return list(Delivery.objects.due(WAITING, SENDING).values_list("pk", flat=True)[:AT_ONCE])


def claim(delivery_id: int) -> Delivery | None:
    """Claim a due message; None if another process has it or it must not be sent."""
    died = Delivery.objects.due((), SENDING).filter(pk=delivery_id, way=Way.MAIL)
    died.settle(State.DOUBT, outcome="The program stopped while it was sent.")
    if not Delivery.objects.due(WAITING, SENDING).filter(pk=delivery_id).claim(State.SENDING, CLAIM):
        return None
    delivery = Delivery.objects.select_related("watch__study", "watch__user").get(pk=delivery_id)
    watch = delivery.watch
    if not told_people(watch.study).filter(pk=watch.pk).exists():
        settle(delivery, State.DROPPED, "They have no part in the study any more.")
        return None
    wanted = delivery.kind in (TEST, *watch.kinds)
    if not wanted or delivery.way not in watch.ways:
        settle(delivery, State.DROPPED, "It is not asked for any more.")
        return None
    return delivery


def settle(delivery: Delivery, state: str, outcome: str) -> None:
    """Store the result of a claimed message."""
    Delivery.objects.filter(pk=delivery.pk, state=State.SENDING).settle(state, outcome=outcome[:300])


def later(delivery: Delivery, why: str) -> None:
    """Postpone a message that was surely not delivered; give up after many attempts, a test at once."""
    if delivery.kind == TEST or delivery.attempts >= MOST_ATTEMPTS:
        given_up = "" if delivery.kind == TEST else f"Given up after {delivery.attempts} attempts: "
        return settle(delivery, State.FAILED, given_up + why)
    mine = Delivery.objects.filter(pk=delivery.pk, state=State.SENDING)
    mine.postpone(State.WAITING, delivery.next_wait, outcome=why[:300])
    return None


def events_of(delivery: Delivery) -> list[Event]:
    """Events of a message, oldest first."""
    told: Iterable[NotificationLog] = delivery.told.select_related("event").order_by("event")
    return [one.event for one in told]


def _drop(found: OutgoingQuerySet, why: str) -> None:
    found.settle(State.DROPPED, outcome=why)
