"""Lifecycle and members of a study: create, open and close it, its open link, its members."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, User
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.dispatch import Signal
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from collection import audit_log
from collection.changes import raise_revisions
from collection.models import Membership, Run, Study, Topic
from collection.models.study import RESERVED, link_token
from collection.study import share_links

# What pages and the trail call who asks, whom to write to, and the setting `Study.kept_only`.
ASKED_BY, CONTACT = "Who asks", "Whom to write to"
KEPT_ONLY = "Scores count kept batches only"
# The limits of a study, as pages and the trail call them; `judging.batches.limits` says what each counts.
LIMITS = {
    "batches_each": "Batches a person",
    "batches_a_day": "Batches a day",
    "judgments_most": "Judgments in all",
    "closes_at": "Closing date",
}
What = audit_log.What


# Sent with study_id once it is committed that judging was opened, paused, ended or opened again.
judging_steered = Signal()


class CannotSteer(Exception):
    """An action was refused; the message is for the organizer."""


def create_study(study: Study, organizer: AbstractBaseUser) -> Study:
    """Store a new study, with a slug made from its name and `organizer` as its first member."""
    wanted = slugify(study.name)[:50].strip("-") or "study"
    study.slug = f"{wanted}-study" if wanted in RESERVED else wanted
    while True:
        try:
            with transaction.atomic():
                study.save(force_insert=True)
                Membership.objects.create(study=study, user_id=organizer.pk, role=Membership.Role.ORGANIZER)
                audit_log.note(study.pk, What.MADE, after={"organizer": organizer.get_username()})
            return study
        except IntegrityError:
            # Go on only if the address is taken: after any other error this loop would never end.
            if not Study.objects.filter(slug=study.slug).exists():
                raise
            study.slug = f"{wanted}-{get_random_string(4, 'abcdefghjkmnpqrstuvwxyz23456789')}"


@transaction.atomic
def open_judging(study: Study) -> None:
    """Open a study for judging, which locks its topics, items and grades.

    Raises CannotSteer for an archived study.
    """
    _refuse_archived(study.pk)
    if Study.objects.filter(pk=study.pk, opened_at=None).update(opened_at=timezone.now()):
        _note_steering(study.pk, What.OPENED)


@transaction.atomic
def pause(study_id: int) -> None:
    """Stop giving out batches for a while; assessors are asked to come back later.

    Open batches may be finished. A repeat changes nothing, nor does a call after judging has ended.
    """
    open_now = Study.objects.filter(pk=study_id, opened_at__isnull=False, closed_at=None)
    if open_now.update(closed_at=timezone.now(), paused=True):
        _note_steering(study_id, What.PAUSED)


@transaction.atomic
def close(study_id: int) -> None:
    """Stop giving out batches; assessors are told that judging is over.

    Open batches may be finished. A repeat changes nothing.
    """
    going_on = Study.objects.filter(Q(closed_at=None) | Q(paused=True), pk=study_id, opened_at__isnull=False)
    if going_on.update(closed_at=timezone.now(), paused=False):
        _note_steering(study_id, What.CLOSED)


@transaction.atomic
def reopen(study_id: int) -> None:
    """Give out batches again after `pause` or `close`. Raises CannotSteer for an archived study."""
    _refuse_archived(study_id)
    stopped = Study.objects.filter(pk=study_id, closed_at__isnull=False)
    if stopped.update(closed_at=None, paused=False):
        _note_steering(study_id, What.REOPENED)


def _note_steering(study_id: int, what: audit_log.What) -> None:
    audit_log.note(study_id, what)
    transaction.on_commit(lambda: judging_steered.send(sender=Study, study_id=study_id), robust=True)


def _refuse_archived(study_id: int) -> None:
    # Locked, so that it is not put away in this moment.
    if Study.objects.select_for_update(no_key=True).get(pk=study_id).archived_at:
        raise CannotSteer("This study is in the archive. Take it out of the archive first.")


@transaction.atomic
def archive(study_id: int) -> None:
    """Archive a study: it leaves the list of studies and cannot be opened. A repeat changes nothing.

    Raises CannotSteer while judging is open.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.judging_is_open:
        raise CannotSteer("Judging is open. End judging first: people may be in the middle of a batch.")
    close(study_id)  # its closing date may be all that has closed it
    if Study.objects.filter(pk=study_id, archived_at=None).update(archived_at=timezone.now()):
        audit_log.note(study_id, What.ARCHIVED)


@transaction.atomic
def unarchive(study_id: int) -> None:
    """Take a study out of the archive; judging stays as it was. A repeat changes nothing."""
    if Study.objects.filter(pk=study_id, archived_at__isnull=False).update(archived_at=None):
        audit_log.note(study_id, What.UNARCHIVED)


@transaction.atomic
def set_limits(study_id: int, limits: dict[str, Any]) -> None:
    """Set some of a study's limits (`LIMITS`), None for no limit; only changes are logged."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    changed = {name: value for name, value in limits.items() if getattr(study, name) != value}
    if changed:
        before = {LIMITS[name]: told(getattr(study, name)) for name in changed}
        Study.objects.filter(pk=study_id).update(**changed)
        after = {LIMITS[name]: told(value) for name, value in changed.items()}
        audit_log.note(study_id, What.SETTINGS, before=before, after=after)


def told(value: Any) -> Any:
    """A setting's value for the audit log: times as texts."""
    return f"{value:%Y-%m-%d %H:%M} UTC" if isinstance(value, datetime) else value


@transaction.atomic
def set_requester(study_id: int, asked_by: str, contact: str) -> None:
    """Set who asks and whom to write to while judging is not open, or nobody has said so.

    They are texts with versions then: `judging.questions.texts` puts them on record. Raises CannotSteer else.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study_id)
    if study.opened_at and study.says_who_asks:
        raise CannotSteer("Judging is open: texts that assessors have read are changed under Settings.")
    before = {ASKED_BY: study.asked_by, CONTACT: study.contact}
    after = {ASKED_BY: asked_by, CONTACT: contact}
    if before != after:
        Study.objects.filter(pk=study_id).update(asked_by=asked_by, contact=contact)
        audit_log.note(study_id, What.SETTINGS, before=before, after=after)


@transaction.atomic
def open_link(study_id: int, *, on: bool) -> None:
    """Turn a study's open link on or off. A link that was turned off never works again.

    Turned on, scores count kept batches only, until somebody changes that: anyone who has the link could
    otherwise move the leaderboard by answers that nothing has checked, under a new name each time.
    Raises CannotSteer while strangers would not be told who asks them and whom to write to.
    """
    if on and not Study.objects.get(pk=study_id).says_who_asks:
        raise CannotSteer(
            "Anyone who comes by the open link is to know who asks and whom to write to. Fill in both under "
            "Settings first."
        )
    now = Study.objects.filter(pk=study_id, join_token__isnull=on)
    changed = (
        {"join_token": link_token()} if on else {"join_token": None, "former_join_token": F("join_token")}
    )
    if now.update(**changed):
        audit_log.note(study_id, What.LINK_ON if on else What.LINK_OFF)
        if on and Study.objects.filter(pk=study_id, kept_only=False).update(kept_only=True):
            audit_log.note(study_id, What.SETTINGS, before={KEPT_ONLY: False}, after={KEPT_ONLY: True})
            recount(study_id)


@transaction.atomic
def recount(study_id: int) -> None:
    """Mark a study's scores as out of date because `kept_only` changed; call in the same transaction.

    Sweeps recompute them, in seconds for most studies.
    """
    topics = Topic.objects.filter(study=study_id, study__opened_at__isnull=False)
    raise_revisions(topics.values_list("pk", flat=True), settled=False, notify=False)


@transaction.atomic
def set_member(study_id: int, user_id: int, role: str, runs: Sequence[Run] = ()) -> None:
    """Make a person a member of a study, or change their role. runs: a participant's own, of this study.

    Links to the leaderboard end where a person may not make any in the new role.
    Raises CannotSteer for the last organizer, runs of another study, and a disabled account without a part.
    """
    if any(run.study_id != study_id for run in runs):
        raise CannotSteer("These runs are of another study.")
    organizers = _organizers(study_id)
    before = _role(study_id, user_id)
    if not before and not User.objects.filter(pk=user_id, is_active=True).exists():
        raise CannotSteer("This account was disabled: nobody can log in to it.")
    member, _ = Membership.objects.update_or_create(
        study_id=study_id, user_id=user_id, defaults={"role": role}
    )
    _keeps_an_organizer(study_id, organizers)
    had = set(member.runs.values_list("name", flat=True))
    names = {run.name for run in runs}
    if had != names:
        member.runs.set(runs)
    if before != role or had != names:
        _note_member(member, What.MEMBER, before, role, had, names)
    if role not in (Membership.Role.ORGANIZER, Membership.Role.COORDINATOR):
        share_links.revoke_those_of(study_id, user_id)


@transaction.atomic
def remove_member(study_id: int, user_id: int) -> int:
    """Remove a member of a study, and end the links to its leaderboard that they made; how many these were.

    Raises CannotSteer for the last organizer.
    """
    organizers = _organizers(study_id)
    member = Membership.objects.filter(study_id=study_id, user_id=user_id).first()
    if member is not None:
        had = list(member.runs.values_list("name", flat=True))
        Membership.objects.filter(pk=member.pk).delete()
        _keeps_an_organizer(study_id, organizers)
        _note_member(member, What.MEMBER_OUT, member.role, None, had)
    return share_links.revoke_those_of(study_id, user_id)


def _role(study_id: int, user_id: int) -> str | None:
    return Membership.objects.filter(study=study_id, user=user_id).values_list("role", flat=True).first()


def _note_member(
    member: Membership,
    what: What,
    before: str | None,
    after: str | None,
    had: Iterable[str] = (),
    has: Iterable[str] = (),
) -> None:
    told = _part(before, had), _part(after, has)
    audit_log.note(member.study_id, what, about=member.user.get_username(), before=told[0], after=told[1])


def _part(role: str | None, runs: Iterable[str]) -> dict[str, Any] | None:
    if role is None:
        return None
    named = sorted(runs)
    return {"part": role, "runs": named} if named else {"part": role}


def _organizers(study_id: int) -> int:
    # Locked: two organizers who remove each other at the same moment would leave the study without one.
    Study.objects.select_for_update().get(pk=study_id)
    return Membership.objects.filter(study_id=study_id, role=Membership.Role.ORGANIZER).count()


def _keeps_an_organizer(study_id: int, before: int) -> None:
    if before and not _organizers(study_id):
        raise CannotSteer(
            "This is the study's only organizer. Make somebody else an organizer first: "
            "a study without one could not be steered any more."
        )
