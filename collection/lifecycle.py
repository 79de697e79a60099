"""Lifecycle and members of a study: making, opening and closing it, its open link, who organizes it."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from collection.models import Membership, Study
from collection.models.study import link_token

# A study at this address would hide behind the page that has it already.
RESERVED = {"new"}


class CannotSteer(Exception):
    """Why something was not done, in a sentence for the organizer."""


def create_study(study: Study, organizer: AbstractBaseUser) -> Study:
    """Store a new study under an address made from its name, with `organizer` as its first member."""
    wanted = slugify(study.name)[:50].strip("-") or "study"
    study.slug = f"{wanted}-study" if wanted in RESERVED else wanted
    while True:
        try:
            with transaction.atomic():
                study.save(force_insert=True)
                Membership.objects.create(study=study, user_id=organizer.pk, role=Membership.Role.ORGANIZER)
            return study
        except IntegrityError:
            # Go on only if the address is taken: after any other error this loop would never end.
            if not Study.objects.filter(slug=study.slug).exists():
                raise
            study.slug = f"{wanted}-{get_random_string(4, 'abcdefghjkmnpqrstuvwxyz23456789')}"


def open_judging(study: Study) -> None:
    """Open a study for judging: from here on its topics, items and grades are locked."""
    Study.objects.filter(pk=study.pk, opened_at=None).update(opened_at=timezone.now())


def close(study_id: int) -> None:
    """Stop handing out batches; those that were begun may be finished. A repeat changes nothing."""
    Study.objects.filter(pk=study_id, opened_at__isnull=False, closed_at=None).update(
        closed_at=timezone.now()
    )


def reopen(study_id: int) -> None:
    """Hand out batches again after `close`."""
    Study.objects.filter(pk=study_id).update(closed_at=None)


def open_link(study_id: int, *, on: bool) -> None:
    """Turn a study's open link on or off. A link that was turned off never works again."""
    if on:
        Study.objects.filter(pk=study_id, join_token=None).update(join_token=link_token())
    else:
        Study.objects.filter(pk=study_id).update(join_token=None)


@transaction.atomic
def set_member(study_id: int, user_id: int, role: str) -> None:
    """Make a person a member of a study, or change their role. Raises CannotSteer for the last organizer."""
    before = _organizers(study_id)
    Membership.objects.update_or_create(study_id=study_id, user_id=user_id, defaults={"role": role})
    _keeps_an_organizer(study_id, before)


@transaction.atomic
def remove_member(study_id: int, user_id: int) -> None:
    """Remove a member of a study. Raises CannotSteer for the last organizer."""
    before = _organizers(study_id)
    Membership.objects.filter(study_id=study_id, user_id=user_id).delete()
    _keeps_an_organizer(study_id, before)


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
