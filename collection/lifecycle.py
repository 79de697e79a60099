"""What organizers do to a study beside loading files: make it, close it, say who may take part."""

from django.contrib.auth.models import AbstractBaseUser
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.text import slugify

from collection.models import Membership, Study
from collection.models.study import link_token

# Taken by a page of its own.
RESERVED = {"new"}


class CannotSteer(Exception):
    """Why something was not done, in a sentence for the organizer."""


def create_study(study: Study, organizer: AbstractBaseUser) -> Study:
    """Store a new study under an address made from its name, and make its maker the organizer."""
    wanted = slugify(study.name)[:50].strip("-") or "study"
    study.slug = f"{wanted}-study" if wanted in RESERVED else wanted
    while True:
        try:
            with transaction.atomic():
                study.save(force_insert=True)
                Membership.objects.create(study=study, user_id=organizer.pk, role=Membership.Role.ORGANIZER)
            return study
        except IntegrityError:
            # The address is taken. Only that can be it, and a loop that failed for another reason would
            # never end.
            if not Study.objects.filter(slug=study.slug).exists():
                raise
            study.slug = f"{wanted}-{get_random_string(4, 'abcdefghjkmnpqrstuvwxyz23456789')}"


def close(study_id: int) -> None:
    """Hand out no more batches; whoever is in one may finish it. A repeat changes nothing."""
    Study.objects.filter(pk=study_id, opened_at__isnull=False, closed_at=None).update(
        closed_at=timezone.now()
    )


def reopen(study_id: int) -> None:
    """Hand out batches again after `close`."""
    Study.objects.filter(pk=study_id).update(closed_at=None)


def open_link(study_id: int, *, on: bool) -> None:
    """Let anybody with the study's open link join, or nobody. A link turned off never works again."""
    if on:
        Study.objects.filter(pk=study_id, join_token=None).update(join_token=link_token())
    else:
        Study.objects.filter(pk=study_id).update(join_token=None)


@transaction.atomic
def set_member(study_id: int, user_id: int, role: str) -> None:
    """Give a person a part in a study, or another one. Raises CannotSteer for the last organizer."""
    before = _organizers(study_id)
    Membership.objects.update_or_create(study_id=study_id, user_id=user_id, defaults={"role": role})
    _keeps_an_organizer(study_id, before)


@transaction.atomic
def remove_member(study_id: int, user_id: int) -> None:
    """Take a person's part in a study away. Raises CannotSteer for the last organizer."""
    before = _organizers(study_id)
    Membership.objects.filter(study_id=study_id, user_id=user_id).delete()
    _keeps_an_organizer(study_id, before)


def _organizers(study_id: int) -> int:
    # Two organizers who remove each other at the same moment would otherwise leave none.
    Study.objects.select_for_update().get(pk=study_id)
    return Membership.objects.filter(study_id=study_id, role=Membership.Role.ORGANIZER).count()


def _keeps_an_organizer(study_id: int, before: int) -> None:
    if before and not _organizers(study_id):
        raise CannotSteer(
            "This is the study's only organizer. Make somebody else an organizer first: "
            "a study without one could not be steered any more."
        )
